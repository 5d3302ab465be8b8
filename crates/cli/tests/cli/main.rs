//! The built command from outside.

// A test binary whole: clippy's leave for tests ends at functions that tests share.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

mod command;
mod doctor;
mod help;
mod house;
mod measure;
mod plugins;
mod record;
mod setup;
