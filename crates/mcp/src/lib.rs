//! The MCP server: the engine as tools of a model, over standard input and output, in both eras of the protocol.
//!
//! In reading order: [`serve`] (`server`) speaks the protocol, over `lines`; `tools` says what is offered and `arguments` reads
//! what is asked; `call` answers it with the engine, off the protocol's loop, watched by `watch`; `project` and `session` tell
//! which project and which conversation it is about, by what `claims` collects and the host (`host`, `noted`) left;
//! `repository` has the calls about files, of which nobody need be proved; `render` makes the text, `structured` the JSON beside
//! it. [`Tools`] (`in_process`) are the same tools without a protocol. [`session_start`] (`hook`) is the other program: a host's
//! hook that notes which conversation runs in it.
//!
//! What it relies on: the engine decides what an agent may read, and this crate never opens a log.

mod arguments;
mod call;
mod claims;
mod error;
mod hook;
mod host;
mod in_process;
mod lines;
mod noted;
mod project;
mod render;
mod repository;
mod server;
mod session;
mod structured;
mod tools;
mod watch;

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;

pub use error::Error;
pub use hook::session_start;
pub use in_process::{Told, Tools};
pub use noted::{Noted, noted};
pub use server::serve;
pub use tools::ToolSet;

/// Looks an environment variable up.
pub type Variables = Arc<dyn Fn(&str) -> Option<OsString> + Send + Sync>;

/// How a server is started. It reads nothing of its process but through this, its streams, and who its parent is.
#[derive(Clone)]
pub struct Setup {
    /// The project's folder, where the person who registered the server named it.
    pub project: Option<PathBuf>,
    /// Which tools are offered.
    pub tools: ToolSet,
    /// What an answer holds beside its text.
    pub form: Form,
    /// Where the server was started.
    pub working_directory: PathBuf,
    /// Looks an environment variable up (`HOME` among them).
    pub variables: Variables,
}

/// What an answer holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Form {
    /// Text alone: several hosts show a model only the structure where there is one, and that costs it several times as much.
    #[default]
    Text,
    /// Text, and the command's JSON beside it.
    Structured,
}
