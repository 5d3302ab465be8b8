//! Why the command answers with an error: one line on standard error, or one object on standard output with `--json`.

use std::io;

use serde::Serialize;

use crate::exit_codes::Exit;
use crate::safe;

/// What kept us from answering.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The engine could not answer.
    Engine(memfold::Error),
    /// The MCP server or a hook could not do its work.
    Host(memfold_mcp::Error),
    /// A host's settings could not be read or written.
    Settings(memfold_hosts::FileError),
    /// Only a person may do this.
    NotAPerson(String),
    /// A host's own command could not be run.
    Command {
        /// What happened.
        what: String,
        /// What to do.
        hint: String,
    },
    /// Standard output, or the terminal that a question went to, could not be used.
    Output(io::Error),
    /// Whoever read our output went away.
    Closed,
}

impl Failure {
    /// The request contradicts itself or is out of bounds.
    pub(crate) fn usage(what: impl Into<String>, hint: impl Into<String>) -> Failure {
        Failure::Engine(memfold::Error::Usage {
            what: what.into(),
            hint: hint.into(),
        })
    }

    /// Only a person may ask for this.
    pub(crate) fn persons_only(what: impl Into<String>) -> Failure {
        Failure::NotAPerson(what.into())
    }

    /// How the command ends.
    pub(crate) fn exit(&self) -> Exit {
        match self {
            Failure::Closed => Exit::Success,
            Failure::NotAPerson(_) | Failure::Engine(memfold::Error::NotAllowed { .. }) => {
                Exit::NotAllowed
            }
            Failure::Engine(_)
            | Failure::Host(_)
            | Failure::Settings(_)
            | Failure::Command { .. }
            | Failure::Output(_) => Exit::Failure,
        }
    }

    /// The error as JSON has it.
    pub(crate) fn object(&self) -> Object {
        let (kind, message, hint) = match self {
            Failure::Engine(error) => (error.kind(), error.to_string(), error.hint().to_owned()),
            Failure::Host(error) => ("host", error.to_string(), error.hint().to_owned()),
            Failure::Settings(error) => ("settings", error.to_string(), error.hint().to_owned()),
            Failure::NotAPerson(what) => (
                "not-allowed",
                format!("only a person may {what}"),
                "run it in a terminal, outside of an agent's shell".to_owned(),
            ),
            Failure::Command { what, hint } => ("command", what.clone(), hint.clone()),
            Failure::Output(error) => (
                "output",
                format!("cannot write the answer: {error}"),
                String::new(),
            ),
            Failure::Closed => ("closed", String::new(), String::new()),
        };
        Object {
            error: Told {
                kind,
                message,
                hint,
            },
        }
    }

    /// The error on one line: what, where, what to do.
    pub(crate) fn line(&self) -> String {
        let Object {
            error: Told { message, hint, .. },
        } = self.object();
        let message = safe::inline(&message);
        let hint = safe::inline(&hint);
        let link = match message.chars().last() {
            _ if hint.is_empty() => "",
            Some('?' | '!' | '.') => " ",
            _ => "; ",
        };
        format!("memfold: {message}{link}{hint}")
    }
}

impl From<memfold::Error> for Failure {
    fn from(error: memfold::Error) -> Failure {
        Failure::Engine(error)
    }
}

impl From<memfold_mcp::Error> for Failure {
    fn from(error: memfold_mcp::Error) -> Failure {
        Failure::Host(error)
    }
}

impl From<memfold_hosts::FileError> for Failure {
    fn from(error: memfold_hosts::FileError) -> Failure {
        Failure::Settings(error)
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Failure {
        if error.kind() == io::ErrorKind::BrokenPipe {
            Failure::Closed
        } else {
            Failure::Output(error)
        }
    }
}

/// `{"error":{…}}`
#[derive(Debug, Serialize)]
pub(crate) struct Object {
    /// What is told.
    pub(crate) error: Told,
}

/// The error itself.
#[derive(Debug, Serialize)]
pub(crate) struct Told {
    /// A stable word for the kind.
    pub(crate) kind: &'static str,
    /// What, and where.
    pub(crate) message: String,
    /// What to do.
    pub(crate) hint: String,
}

#[cfg(test)]
mod tests {
    use super::*;
    use memfold::Error;

    #[test]
    fn each_failure_has_its_exit_its_kind_and_one_line() {
        let not_allowed = Failure::from(Error::NotAllowed {
            what: "earlier tasks are off for this project",
            hint: "a person turns them on: memfold earlier on".into(),
        });
        assert_eq!(not_allowed.exit(), Exit::NotAllowed);
        assert_eq!(
            not_allowed.line(),
            "memfold: earlier tasks are off for this project; a person turns them on: memfold earlier on"
        );
        let file = Failure::from(Error::File {
            path: "/a\n\u{1b}b".into(),
            what: "no\nsuch file".into(),
            hint: String::new(),
        });
        assert_eq!(
            (file.exit(), file.object().error.kind),
            (Exit::Failure, "file")
        );
        assert_eq!(file.line(), "memfold: /a ␛b: no such file");
        let person = Failure::persons_only("search every project (-A)");
        assert_eq!(
            (person.exit(), person.object().error.kind),
            (Exit::NotAllowed, "not-allowed")
        );
        assert_eq!(
            Failure::usage("the query is empty", "").exit(),
            Exit::Failure
        );
    }

    #[test]
    fn a_closed_pipe_is_no_error() {
        let closed = Failure::from(io::Error::from(io::ErrorKind::BrokenPipe));
        assert!(matches!(closed, Failure::Closed));
        assert_eq!(closed.exit(), Exit::Success);
    }
}
