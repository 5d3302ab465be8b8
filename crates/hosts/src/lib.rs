//! Agents' hosts, the programs that start MCP servers: where each keeps its settings, whether memfold is registered there, and
//! what a registration adds to them or takes away.
//!
//! In reading order: [`Host`] and its [`Part`]s; [`Places`] tells the file of each; `written` is what is written there;
//! [`add`], [`remove`] and [`registered`] (`change`) are functions of a file's text, by `document`, which is `json` or `toml` and
//! leaves all else in the text as it is; [`SettingsFile`] reads one and puts one in place; [`difference`] shows a change.
//!
//! What it relies on: the hosts' documentation, and their own readers of these files, with which the forms were tried
//! (`tools/plugins/README.md` says which).

mod change;
mod diff;
mod document;
mod error;
mod file;
mod host;
mod json;
mod places;
mod program;
mod toml;
mod value;
mod written;

pub use change::{Registered, add, holds, plugged, registered, remove};
pub use diff::difference;
pub use error::{FileError, Refused};
pub use file::SettingsFile;
pub use host::{Host, Part};
pub use places::{Place, Places};
pub use program::Program;
