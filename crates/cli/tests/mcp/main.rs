//! `memfold mcp` as a host starts it: the built command, spoken to over its standard streams, in a home of its own.

// clippy.toml lets tests unwrap, but not the functions that they share.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

mod client;
mod home;
mod protocol;
mod renewed;
mod repository;
mod session;
mod switch;
