//! Crashes, refusals and cuts of power, at every step by which memfold changes the disk: afterwards no log has changed, a
//! search answers as the reference does, a fold makes all whole again, and nothing is left lying about.
//!
//! `MEMFOLD_CRASH_ROUNDS=100` makes a long run of it: each round draws anew what is random, and which of the steps it takes
//! where it does not take all. What was drawn is printed and can be given again by `MEMFOLD_CRASH_SEED`.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout
)]

mod append;
mod command;
mod death;
mod disk;
mod kept;
mod left;
mod power;
mod refused;
mod repository;
mod rounds;
mod scenarios;
mod site;
mod steps;
