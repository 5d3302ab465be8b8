//! What the tests across crates share: made-up logs (`made`, of `words`, written by `script`), an engine in a folder of its own
//! (`house`), a log that grows (`growing`), a call that is to stop (`stopping`), a whole home with stores and projects (`home`), what must hold in one (`shown`),
//! and what a disk does to files (`damage`).

// A part of the tests: where it is wrong it should stop at once.
#![allow(clippy::indexing_slicing, clippy::unwrap_used, clippy::panic)]

pub mod damage;
mod growing;
pub mod home;
mod house;
#[cfg(feature = "made")]
pub mod made;
mod script;
pub mod shown;
mod stopping;
pub mod words;

pub use growing::Growing;
pub use house::House;
pub use script::{Shape, Step, Tool, write};
pub use stopping::StopsAfter;
