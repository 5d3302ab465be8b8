//! Whose words the texts of a user message are: the person's, the host's, or what a tool returned under a heading.

use crate::wrapped::between;

/// Tags around what the person typed.
const PERSONS_TAGS: &[&str] = &["task", "feedback", "user_message", "answer"];
/// How the host's own texts begin.
const HOSTS_BEGINNINGS: &[&str] = &[
    "<environment_details>",
    "[TASK RESUMPTION]",
    "[ERROR]",
    "<explicit_instructions",
    "# task_progress",
    "# TODO LIST",
    "# Task Progress",
    "[NOTE]",
];
/// How the working directory is told, before a list of its files.
const DIRECTORIES: &[&str] = &[
    "# Current Working Directory (",
    "# Current Workspace Directory (",
];

/// What a text of a user message is.
#[derive(Debug, PartialEq)]
pub(super) enum Said<'t> {
    /// The person's words.
    Person(&'t str),
    /// The heading of what a tool returned, and what stands below it.
    Result {
        /// The call, as the heading tells it: `execute_command for 'cargo test'`.
        call: &'t str,
        /// What was returned, if it follows at once.
        text: &'t str,
    },
    /// The host's.
    Host,
    /// Any other text: more of a result, or words.
    Plain(&'t str),
}

/// What a text is.
pub(super) fn said(text: &str) -> Said<'_> {
    let text = text.trim();
    if let Some((call, rest)) = text
        .strip_prefix('[')
        .and_then(|heading| heading.split_once("] Result:"))
        .filter(|(call, _)| !call.contains('\n'))
    {
        // The person's answer may be what was returned.
        return match persons(rest) {
            Some(words) => Said::Person(words),
            None => Said::Result {
                call,
                text: rest.trim(),
            },
        };
    }
    if let Some(words) = persons(text) {
        return Said::Person(words);
    }
    if text.is_empty() || HOSTS_BEGINNINGS.iter().any(|host| text.starts_with(host)) {
        return Said::Host;
    }
    Said::Plain(text)
}

/// The person's words in a text, if it says that it holds some.
fn persons(text: &str) -> Option<&str> {
    PERSONS_TAGS
        .iter()
        .find_map(|tag| between(text, tag))
        .filter(|words| !words.is_empty())
}

/// The working directory that the host tells.
pub(super) fn directory(text: &str) -> Option<&str> {
    let inside = text.trim_start().strip_prefix("<environment_details>")?;
    let place = DIRECTORIES
        .iter()
        .find_map(|label| inside.split_once(label))
        .map(|(_, after)| after)?;
    let line = place.lines().next()?;
    let (directory, _) = line
        .rsplit_once(") Files")
        .or_else(|| line.rsplit_once(')'))?;
    Some(directory)
}

/// A call as a heading tells it, without what stands around its argument: `execute_command cargo test`.
pub(super) fn heading(call: &str) -> String {
    match call.split_once(" for '") {
        Some((tool, argument)) => {
            format!("{tool} {}", argument.strip_suffix('\'').unwrap_or(argument))
        }
        None => call.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whose_words() {
        for (text, expected) in [
            (
                "<task>\nfix it\n</task>\n\n<file_content path=\"a\">x</file_content>",
                Said::Person("fix it"),
            ),
            (
                "[read_file for 'a.rs'] Result:",
                Said::Result {
                    call: "read_file for 'a.rs'",
                    text: "",
                },
            ),
            (
                "[read_file for 'a.rs'] Result:\n\n1 | fn",
                Said::Result {
                    call: "read_file for 'a.rs'",
                    text: "1 | fn",
                },
            ),
            (
                "[attempt_completion] Result:\nThe user has feedback:\n<feedback>\nnot yet\n</feedback>",
                Said::Person("not yet"),
            ),
            ("[TASK RESUMPTION] It was interrupted.", Said::Host),
            (
                "[TASK RESUMPTION] x\n<user_message>\ngo on\n</user_message>",
                Said::Person("go on"),
            ),
            ("<environment_details>\nx", Said::Host),
            ("plain", Said::Plain("plain")),
            ("", Said::Host),
        ] {
            assert_eq!(said(text), expected, "{text}");
        }
        assert_eq!(
            heading("execute_command for 'ls -l'"),
            "execute_command ls -l"
        );
        assert_eq!(heading("attempt_completion"), "attempt_completion");
    }

    #[test]
    fn the_working_directory() {
        let told = "<environment_details>\n# Visible\n\n# Current Working Directory (/work/a (b)) Files\nsrc/\n";
        assert_eq!(directory(told), Some("/work/a (b)"));
        assert_eq!(directory("# Current Working Directory (/x) Files"), None);
    }
}
