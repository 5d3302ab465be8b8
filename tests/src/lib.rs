//! What the tests across crates share: made-up logs (`made`, written by `script`), and an engine in a folder of its own (`house`).

// A part of the tests: where it is wrong it should stop at once.
#![allow(clippy::indexing_slicing, clippy::unwrap_used, clippy::panic)]

mod house;
pub mod made;
mod script;

pub use house::House;
pub use script::{Shape, Step, write};
