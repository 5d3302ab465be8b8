//! A call, from a tool's name and its arguments: what it does, and the one argument that says the most.
//! Tools are known by name across agents, since they share many; a tool that is not known is still shown with its words.

use std::borrow::Cow;

use memfold_log::event::{Call, Effect};

use crate::input::Input;
use crate::patch;
use crate::shell;

/// The most characters a subject has.
const SUBJECT: usize = 200;

/// Names of the tools that search or read back earlier events: ours, and those of other agents' own memory.
const RETRIEVING: &[&str] = &[
    "index-search",
    "index_search",
    "memory-search",
    "memory_search",
    "memory-read",
    "memory_read",
    "recall",
    "SessionSearch",
    "SessionRead",
    "conversation_search",
    "recent_chats",
    "chatrecall",
];

const SHELL_TOOLS: &[&str] = &[
    "Bash",
    "bash",
    "PowerShell",
    "shell",
    "shell_command",
    "exec_command",
    "local_shell",
    "container.exec",
    "run_shell_command",
    "execute_command",
    "run_in_terminal",
    "run_command",
    "terminal",
    "unified_exec",
];
const READING_TOOLS: &[&str] = &[
    "Read",
    "read",
    "NotebookRead",
    "read_file",
    "view",
    "view_image",
    "fs-read",
];
const EDITING_TOOLS: &[&str] = &[
    "Edit",
    "edit",
    "MultiEdit",
    "Write",
    "write",
    "NotebookEdit",
    "write_file",
    "create_file",
    "write_to_file",
    "replace_in_file",
    "apply_diff",
    "insert_content",
    "search_and_replace",
    "edit_file",
    "replace",
    "str_replace",
    "str_replace_editor",
    "str_replace_based_edit_tool",
    "text_editor",
    "fs-write",
    "fs-edit",
];
const DELEGATING_TOOLS: &[&str] = &[
    "Task",
    "task",
    "Agent",
    "agent",
    "spawn_agent",
    "delegate",
    "dispatch_agent",
];

const COMMANDS: &[&str] = &["command", "cmd", "script"];
const PATHS: &[&str] = &[
    "file_path",
    "path",
    "filePath",
    "notebook_path",
    "absolute_path",
    "filename",
    "file",
];
const SAYING_MOST: &[&str] = &[
    "pattern",
    "query",
    "url",
    "description",
    "subject",
    "title",
    "skill",
    "prompt",
    "question",
    "command",
    "cmd",
    "file_path",
    "path",
    "filePath",
    "message",
    "name",
    "chars",
    "code",
    "text",
];

/// The call that these arguments make of this tool.
pub(crate) fn call<'a>(id: Cow<'a, str>, tool: Cow<'a, str>, input: Input<'a>) -> Call<'a> {
    let like = tool.clone();
    call_like(id, tool, &like, input)
}

/// The same, of a tool that does what one of another name does, by an agent that has its own names for what all can do.
pub(crate) fn call_like<'a>(
    id: Cow<'a, str>,
    tool: Cow<'a, str>,
    like: &str,
    input: Input<'a>,
) -> Call<'a> {
    let (effect, subject) = effect(like, &input);
    Call {
        id,
        subject: one_line(subject),
        arguments: input.lines(),
        names: Cow::Owned(input.names()),
        effect,
        tool,
        given: input.given(),
    }
}

/// What the tool does with these arguments, and what says the most of it.
fn effect<'a>(tool: &str, input: &Input<'a>) -> (Effect<'a>, Cow<'a, str>) {
    let name = base_name(tool);
    if is_ours(tool) || RETRIEVING.contains(&name) {
        return (Effect::Retrieves, telling(input));
    }
    if SHELL_TOOLS.contains(&name) {
        let words: Vec<_> = COMMANDS
            .iter()
            .map(|key| input.all_named(key).collect::<Vec<_>>())
            .find(|words| !words.is_empty())
            .unwrap_or_default();
        if let (true, [.., text]) = (
            words.first().is_some_and(|word| patch::is_command(word)),
            words.as_slice(),
        ) {
            return patching(text);
        }
        let command = shell::from_words(&words);
        return if command.is_empty() {
            (Effect::Other, telling(input))
        } else if patch::is_command(&command) {
            patching(&command)
        } else if shell::reads_back(&command) {
            (Effect::Retrieves, command)
        } else {
            (Effect::Runs(command.clone()), command)
        };
    }
    if name == "apply_patch" {
        return input
            .first()
            .map_or((Effect::Other, Cow::Borrowed("")), patching);
    }
    if let Some(path) = input.named(PATHS) {
        if READING_TOOLS.contains(&name) {
            return (Effect::Reads(path.clone()), path.clone());
        }
        if EDITING_TOOLS.contains(&name) {
            // Anthropic's tool both views and edits, and so does Goose's, which is made after it.
            let views = (name.starts_with("str_replace_") || name == "text_editor")
                && input
                    .named(&["command"])
                    .is_some_and(|command| command == "view");
            return (
                if views {
                    Effect::Reads(path.clone())
                } else {
                    Effect::Edits(path.clone())
                },
                path.clone(),
            );
        }
    }
    let effect = if DELEGATING_TOOLS.contains(&name) {
        Effect::Delegates
    } else {
        Effect::Other
    };
    (effect, telling(input))
}

fn patching<'a>(text: &Cow<'a, str>) -> (Effect<'a>, Cow<'a, str>) {
    let paths = patch::paths(text);
    let subject = Cow::Owned(paths.join(", "));
    match paths.as_slice() {
        [] => (Effect::Other, text.clone()),
        [only] => (Effect::Edits(only.clone()), only.clone()),
        _ => (Effect::EditsMany(paths), subject),
    }
}

/// Any tool of memfold's own server, however a host spells a server's tools: `mcp__memfold__x`, `memfold.x`, `memfold__x`,
/// `mcp__plugin_memfold_memfold__x`.
fn is_ours(tool: &str) -> bool {
    let server = tool.strip_prefix("mcp__").unwrap_or(tool);
    let server = server
        .rsplit_once("__")
        .or_else(|| server.rsplit_once(['.', '/']))
        .map_or("", |(server, _)| server);
    server
        .split(['_', '-', '.', '/'])
        .any(|part| part == "memfold")
}

/// A tool's name without its server's.
pub(crate) fn base_name(tool: &str) -> &str {
    if tool == "container.exec" {
        return tool;
    }
    tool.rsplit_once("__")
        .or_else(|| tool.rsplit_once(['.', '/']))
        .map_or(tool, |(_, name)| name)
}

/// The argument that says the most, where the tool says nothing of it.
fn telling<'a>(input: &Input<'a>) -> Cow<'a, str> {
    if let (Some(pattern), Some(place)) = (input.named(&["pattern"]), input.named(&["path"])) {
        return Cow::Owned(format!("{pattern} in {place}"));
    }
    input
        .named(SAYING_MOST)
        .or_else(|| input.first_saying())
        .cloned()
        .unwrap_or_default()
}

/// On one line, and no longer than [`SUBJECT`] characters.
pub(crate) fn one_line(text: Cow<'_, str>) -> Cow<'_, str> {
    let fits = text.len() <= SUBJECT || text.char_indices().nth(SUBJECT).is_none();
    if fits && text.trim().len() == text.len() && !text.contains(char::is_control) {
        return text;
    }
    let mut line = String::new();
    let mut length = 0_usize;
    for word in text
        .split(|c: char| c.is_control() || c == ' ')
        .filter(|word| !word.is_empty())
    {
        if length > 0 {
            line.push(' ');
            length = length.saturating_add(1);
        }
        for letter in word.chars() {
            if length >= SUBJECT.saturating_sub(1) {
                line.push('…');
                return Cow::Owned(line);
            }
            line.push(letter);
            length = length.saturating_add(1);
        }
    }
    Cow::Owned(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(tool: &'static str, json: &'static str) -> Call<'static> {
        call(
            Cow::Borrowed("c1"),
            Cow::Borrowed(tool),
            Input::from_json(Cow::Borrowed(json)),
        )
    }

    #[test]
    fn known_tools() {
        for (tool, json, effect, subject) in [
            (
                "Bash",
                r#"{"command":"cargo test","description":"Run"}"#,
                Effect::Runs("cargo test".into()),
                "cargo test",
            ),
            (
                "shell",
                r#"{"command":["bash","-lc","ls"],"workdir":"/p"}"#,
                Effect::Runs("ls".into()),
                "ls",
            ),
            (
                "Read",
                r#"{"file_path":"/p/a.rs","limit":3}"#,
                Effect::Reads("/p/a.rs".into()),
                "/p/a.rs",
            ),
            (
                "Write",
                r#"{"content":"x","file_path":"/p/a.rs"}"#,
                Effect::Edits("/p/a.rs".into()),
                "/p/a.rs",
            ),
            (
                "Grep",
                r#"{"pattern":"fn x","path":"src"}"#,
                Effect::Other,
                "fn x in src",
            ),
            ("Glob", r#"{"pattern":"**/*.rs"}"#, Effect::Other, "**/*.rs"),
            (
                "Task",
                r#"{"description":"Look","prompt":"Find it\nall"}"#,
                Effect::Delegates,
                "Look",
            ),
            (
                "WebFetch",
                r#"{"prompt":"what","url":"https://example.org"}"#,
                Effect::Other,
                "https://example.org",
            ),
            (
                "mcp__browser__open",
                r#"{"where":{"to":"home"}}"#,
                Effect::Other,
                "home",
            ),
            ("Unknown", "{}", Effect::Other, ""),
        ] {
            let call = read(tool, json);
            assert_eq!((call.effect, &*call.subject), (effect, subject), "{tool}");
        }
    }

    #[test]
    fn calls_that_read_back() {
        for tool in [
            "index-search",
            "recall",
            "SessionRead",
            "mcp__memfold__index-search",
            "memfold.recall",
            "memfold__status",
            "mcp__plugin_memfold_memfold__search",
            "mcp__other__conversation_search",
            "memfold/recall",
        ] {
            assert_eq!(
                read(tool, r#"{"query":"x"}"#).effect,
                Effect::Retrieves,
                "{tool}"
            );
        }
        assert_eq!(
            read("Bash", r#"{"command":"cd a && memfold search x"}"#).effect,
            Effect::Retrieves
        );
        for tool in [
            "Grep",
            "mcp__github__search_code",
            "memfoldish",
            "index-grep",
        ] {
            assert_ne!(
                read(tool, r#"{"query":"x"}"#).effect,
                Effect::Retrieves,
                "{tool}"
            );
        }
    }

    #[test]
    fn patches_name_their_files() {
        let patch = "*** Begin Patch\n*** Update File: a.rs\n@@\n-x\n+y\n*** Add File: b.rs\n+z\n*** End Patch";
        let one = call("".into(), "apply_patch".into(), Input::text(patch.into()));
        assert_eq!(
            one.effect,
            Effect::EditsMany(vec!["a.rs".into(), "b.rs".into()])
        );
        assert_eq!(one.subject, "a.rs, b.rs");
        let in_shell = read(
            "shell",
            r#"{"command":["apply_patch","*** Begin Patch\n*** Delete File: c.rs\n*** End Patch"]}"#,
        );
        assert_eq!(in_shell.effect, Effect::Edits("c.rs".into()));
    }

    #[test]
    fn subjects_are_one_short_line() {
        assert_eq!(one_line("a\n  b\t c ".into()), "a b c");
        let long = one_line("字".repeat(300).into());
        assert_eq!(long.chars().count(), SUBJECT);
        assert!(long.ends_with('…'));
        assert!(matches!(
            one_line(Cow::Borrowed("plain")),
            Cow::Borrowed("plain")
        ));
    }
}
