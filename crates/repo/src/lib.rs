//! A repository's files, for their index: which there are ([`listing`]). Relies on `memfold-disk` for a root out of which no
//! path leads and on `memfold-guard` for the names of its files; reads no file's text.

pub mod listing;
