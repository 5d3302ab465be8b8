//! memfold-bench
fn main() {}
