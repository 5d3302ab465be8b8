//! memfold-xtask
fn main() {}
