//! Person or agent: a person has a terminal and none of the variables that agents set in their shells.
//! A courtesy, not a wall: whoever runs commands can also read the logs.

use std::ffi::OsString;

use memfold::Viewer;

/// Variables that agents set for the commands they run.
const AGENTS: [&str; 5] = [
    "AI_AGENT",
    "AGENT",
    "CLAUDECODE",
    "CODEX_THREAD_ID",
    "GEMINI_CLI",
];

/// On whose behalf we run. A variable set to nothing counts as not set. The terminal is tried only if it matters.
pub(crate) fn viewer(
    variable: impl Fn(&str) -> Option<OsString>,
    terminal: impl FnOnce() -> bool,
) -> Viewer {
    let agent = AGENTS
        .iter()
        .any(|name| variable(name).is_some_and(|value| !value.is_empty()));
    if !agent && terminal() {
        Viewer::Person
    } else {
        Viewer::Agent
    }
}

/// Whether a controlling terminal opens, wherever the streams lead.
pub(crate) fn terminal_opens() -> bool {
    let path = if cfg!(windows) { "CONIN$" } else { "/dev/tty" };
    std::fs::File::open(path).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(name: &'static str, value: &'static str) -> impl Fn(&str) -> Option<OsString> {
        move |asked| (asked == name).then(|| OsString::from(value))
    }

    #[test]
    fn a_terminal_and_no_agent_make_a_person() {
        assert_eq!(viewer(|_| None, || true), Viewer::Person);
        assert_eq!(viewer(with("EDITOR", "vi"), || true), Viewer::Person);
        assert_eq!(viewer(with("CLAUDECODE", ""), || true), Viewer::Person);
    }

    #[test]
    fn no_terminal_makes_an_agent() {
        assert_eq!(viewer(|_| None, || false), Viewer::Agent);
    }

    #[test]
    fn any_agents_variable_makes_an_agent_and_the_terminal_is_not_tried() {
        for name in AGENTS {
            assert_eq!(
                viewer(with(name, "1"), || panic!("tried the terminal")),
                Viewer::Agent,
                "{name}"
            );
        }
    }
}
