//! The four ways a call ends. Scripts rely on the numbers, which the help and the README name.

use std::process::ExitCode;

/// How the command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// Found, or done.
    Success,
    /// Nothing matched, `verify` found a wrong sidecar, or a person said no.
    Nothing,
    /// An error.
    Failure,
    /// Not allowed: the switch, or something that only a person may ask for.
    NotAllowed,
}

impl Exit {
    /// The number the shell sees.
    pub(crate) fn code(self) -> u8 {
        match self {
            Exit::Success => 0,
            Exit::Nothing => 1,
            Exit::Failure => 2,
            Exit::NotAllowed => 3,
        }
    }

    /// Success if something was found.
    pub(crate) fn found(any: bool) -> Exit {
        if any { Exit::Success } else { Exit::Nothing }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(exit.code())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_numbers_are_the_contracts() {
        let all = [
            Exit::Success,
            Exit::Nothing,
            Exit::Failure,
            Exit::NotAllowed,
        ];
        assert_eq!(all.map(Exit::code), [0, 1, 2, 3]);
    }
}
