//! Chores of the project, each of them `cargo xtask NAME`. The rules among them are held by tests in `tests/`.

pub mod arrows;
pub mod goldens;
