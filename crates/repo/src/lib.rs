//! The index of a repository: which files it has, their words by chunk, and a search of them. Everything derived is derived
//! from the index's own log of events and from the files; the files are read through `memfold-guard` alone.
//!
//! In reading order: [`listing`] says which files a tree has; `content` what a text is known by, and its words; `pack` holds
//! those, once for all trees; [`Tree`] is what is known of a tree, the fold of its `index.update` events, and `manifest` how
//! that lies on the disk; [`Index`] is the folder of all of it, with its log; [`Refresh`] brings a tree up to date; `search`
//! ranks it by `ranking`.

mod content;
mod error;
mod index;
mod kinds;
pub mod listing;
mod manifest;
mod pack;
mod ranking;
mod refresh;
mod search;
mod sections;
mod tree;

pub use content::{ContentHash, Lines};
pub use error::RepoError;
pub use index::{Forgotten, Holdings, Index, Loaded};
pub use refresh::{Refresh, Refreshed};
pub use search::{Hit, Hits};
pub use tree::{Counts, FileState, Found, Skip, Tree, Update};
