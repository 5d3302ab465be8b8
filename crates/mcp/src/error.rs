//! What keeps the server, or the hook, from doing its work. What keeps one call from it is an answer of that call.

use std::io;

/// An error of the process.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// No runtime could be made, or a stream broke.
    #[error("the server cannot run: {0}")]
    Io(#[from] io::Error),
    /// The other side does not speak the protocol.
    #[error("no MCP client: {0}")]
    Protocol(String),
    /// The hook was not given what a host gives.
    #[error("{0}")]
    Hook(String),
    /// The hook's note could not be written.
    #[error("{0}")]
    Disk(String),
}

impl Error {
    /// What to do.
    pub fn hint(&self) -> &'static str {
        match self {
            Error::Io(_) => "start it again",
            Error::Protocol(_) => {
                "it is started by an agent's host, which speaks MCP on its standard input"
            }
            Error::Hook(_) => "a host gives its hook's JSON on standard input",
            Error::Disk(_) => "look whether memfold's data directory can be written",
        }
    }
}
