//! Whose words a user message holds. Codex sends much as the user: instructions, the environment, notices.

use std::borrow::Cow;

use crate::wrapped;

/// Beginnings of messages that are the host's as a whole. Seen in logs of versions 0.34 to 0.139, and in Codex's source.
const HOSTS_BEGINNINGS: &[&str] = &[
    "# AGENTS.md instructions",
    "<environment_context>",
    "<user_instructions>",
    "<INSTRUCTIONS>",
    "<skill>",
    "<skills_instructions>",
    "<apps_instructions>",
    "<plugins_instructions>",
    "<permissions instructions>",
    "<collaboration_mode>",
    "<personality_spec>",
    "<app-context>",
    "<model_switch>",
    "<subagent_notification>",
    "<user_shell_command>",
    "<user_action>",
    "<goal_context>",
];

const ABORTED: &str = "<turn_aborted>";

/// How a compaction's summary begins where it is sent as a message.
const CONTINUED: &str =
    "Another language model started to solve this problem and produced a summary";

/// The heading below which an editor's extension puts the person's own words, behind what is open there.
const REQUEST: &str = "\n## My request for ";

/// What a user message is.
#[derive(Debug, PartialEq)]
pub(crate) enum Said<'a> {
    /// The person's own words.
    Person(Cow<'a, str>),
    /// The summary that stands for a compacted conversation.
    Compaction,
    /// The notice that the person stopped the agent.
    Aborted,
    /// Nothing of the person's.
    Host,
}

/// Whose words these are.
pub(crate) fn said(text: Cow<'_, str>) -> Said<'_> {
    let trimmed = text.trim_start();
    if trimmed.starts_with(ABORTED) {
        return Said::Aborted;
    }
    if trimmed.starts_with(CONTINUED) {
        return Said::Compaction;
    }
    if trimmed.is_empty()
        || HOSTS_BEGINNINGS
            .iter()
            .any(|beginning| trimmed.starts_with(beginning))
    {
        return Said::Host;
    }
    Said::Person(wrapped::narrow(text, request))
}

/// What the person asked, without what their editor put before it.
fn request(text: &str) -> &str {
    let text = text.trim();
    let framed = text.starts_with("# Context from my IDE setup")
        || text.starts_with("# Files mentioned by the user");
    let asked = framed
        .then(|| text.split_once(REQUEST)?.1.split_once('\n'))
        .flatten();
    asked.map_or(text, |(_, words)| words.trim())
}

/// The working directory that a message about the environment names: old logs have it nowhere else.
pub(crate) fn directory(text: &str) -> Option<&str> {
    text.trim_start()
        .strip_prefix("<environment_context>")
        .and_then(|inside| wrapped::between(inside, "cwd"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_persons_words() {
        for (text, said_to_be) in [
            ("fix it\n", Said::Person("fix it".into())),
            (
                "# Context from my IDE setup:\n\n## Open tabs:\n- a.rs: a.rs\n\n## My request for Codex:\nfix it\n",
                Said::Person("fix it".into()),
            ),
            (
                "# A heading of mine\nand text",
                Said::Person("# A heading of mine\nand text".into()),
            ),
            (
                "# AGENTS.md instructions for /p\n\n<INSTRUCTIONS>",
                Said::Host,
            ),
            ("<environment_context>\n <cwd>/p</cwd>", Said::Host),
            ("<turn_aborted>\nThe user", Said::Aborted),
            (" ", Said::Host),
        ] {
            assert_eq!(said(text.into()), said_to_be, "{text}");
        }
    }

    #[test]
    fn the_directory_of_an_old_log() {
        assert_eq!(
            directory("<environment_context>\n  <cwd>/work here</cwd>\n</environment_context>"),
            Some("/work here")
        );
        assert_eq!(directory("I wrote <cwd>/p</cwd>"), None);
    }
}
