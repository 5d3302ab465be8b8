//! The agent's shell in which we run, if it is one: which host's, and in which conversation, as the host's variables say. Whoever
//! sets a variable may say anything, so no right follows from it.

use crate::conversation::HostId;
use crate::engine::Memfold;

/// A shell that a host gave its agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Shell {
    /// The agent, by name.
    pub(crate) host: &'static str,
    /// The conversation, where the host says which.
    pub(crate) session: Option<HostId>,
}

/// What a host sets, with the session's id where it is one.
const HOSTS: [(&str, &str); 3] = [
    ("CLAUDE_CODE_SESSION_ID", "claude-code"),
    ("CODEX_THREAD_ID", "codex"),
    ("GEMINI_CLI", "gemini"),
];

impl Memfold {
    /// The shell that the variables speak of.
    pub(crate) fn shell(&self) -> Option<Shell> {
        HOSTS.into_iter().find_map(|(name, host)| {
            let value = self.variable(name)?;
            let session = value.to_str().and_then(HostId::parse);
            Some(Shell { host, session })
        })
    }
}
