//! The index of a repository: which files it has, their words by chunk, and a search of them. Everything derived is derived
//! from the index's own log of events and from the files; the files are read through `memfold-guard` alone.
//!
//! In reading order: [`listing`] says which files a tree has; `content` what a text is known by, and its words; `pack` holds
//! those, once for all trees; [`Tree`] is what is known of a tree, the fold of its `index.update` events, which `journal` reads
//! and writes, and `manifest` how that lies on the disk; [`Index`] is the folder of all of it. [`Refresh`] brings a tree up to
//! date: `survey` finds what changed, `reading` reads it; `collection` removes what nobody names any more, `check` holds
//! all of it against events and files. `search` ranks a
//! tree by `ranking`, to which `kinds` and `naming` say what a path tells. When it is, the caller says: [`Moment`].

mod check;
mod collection;
mod content;
#[cfg(test)]
mod damage;
mod error;
#[cfg(any(test, feature = "forged"))]
pub mod forged;
mod index;
mod journal;
mod kinds;
pub mod listing;
mod manifest;
#[cfg(test)]
mod memdump;
mod moment;
mod naming;
mod pack;
mod ranking;
mod reading;
mod refresh;
mod search;
mod sections;
mod survey;
mod tree;

pub use check::{Fault, Faults, Part, Weight};
pub use collection::{Collected, Due};
pub use content::{ContentHash, Lines};
pub use error::RepoError;
pub use index::{Forgotten, Holdings, Index, Loaded};
pub use moment::Moment;
pub use refresh::{Refresh, Refreshed, Unwatched, Watch};
pub use search::{Hit, Hits};
pub use tree::{Counts, FileState, Found, Skip, Tree, Update};
