//! What a call looks for, and which files it reads and writes, also where it does so in a shell. For measures of how agents
//! search: the fold needs none of it, so it is told of a call only when it is asked. Relies on `call`'s names of tools
//! and on `shell` for what a script starts.

pub mod expression;
mod grep;
mod memfolds;
mod programs;

use std::borrow::Cow;

use memfold_log::event::{Call, Effect};

use crate::call::base_name;
use crate::shell::simple_commands;

/// A search that a call makes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Search {
    /// By what.
    pub by: By,
    /// What is looked for: an expression, a pattern of names, or words.
    pub what: String,
    /// Whether `what` is a regular expression.
    pub dialect: Dialect,
    /// The files and folders that are searched, as they are named; none for the working directory.
    pub places: Vec<String>,
    /// The folder from which these count, where the script went to one.
    pub from: Option<String>,
}

/// What a search is made with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum By {
    /// `grep`, `rg`, `ag`, `git grep` and the like, in a shell.
    ShellText,
    /// The host's own search of files' text: `Grep`, `grep_search`.
    ToolText,
    /// `find`, `fd`, `rg --files`, in a shell.
    ShellNames,
    /// The host's own search of files' names: `Glob`.
    ToolNames,
    /// A ranked search of the repository that is not memfold's: `codebase_search`.
    Ranked,
    /// memfold's search of the repository.
    Repository,
    /// memfold's search of the conversation that asks.
    Conversation,
    /// A search of earlier tasks, memfold's or an agent's own.
    Earlier,
}

/// How what is looked for is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// A regular expression.
    Expression,
    /// Text that stands for itself.
    Fixed,
    /// A pattern of names.
    Glob,
    /// Words.
    Words,
}

/// An event that a call reads back.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Recall {
    /// The event's seq, where the call says it.
    pub seq: Option<u64>,
    /// The task that holds it, where that is not the conversation that asks.
    pub task: Option<String>,
}

/// What a call looks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Sought {
    /// It searches.
    Search(Search),
    /// It reads an event back.
    Recall(Recall),
}

/// The hosts' searches of files' text.
const TEXT_TOOLS: &[&str] = &[
    "Grep",
    "grep",
    "grep_search",
    "search_file_content",
    "search_files",
    "ripgrep",
    "rg",
    "index-grep",
    "grep-repo",
    "grep_files",
    "search_text",
    "search_for_pattern",
    "find_in_files",
    "search_dir",
    "search_file",
];
/// The hosts' searches of files' names.
const NAME_TOOLS: &[&str] = &[
    "Glob",
    "glob",
    "find",
    "find_file",
    "find_files",
    "find_by_name",
    "find_path",
    "file_search",
    "glob_file_search",
    "fs-find",
];
/// Ranked searches of the repository's text.
const RANKED_TOOLS: &[&str] = &[
    "codebase_search",
    "codebase-retrieval",
    "codebase_search_agent",
    "search_codebase",
    "semantic_search",
    "finder",
];
const PATTERNS: &[&str] = &["pattern", "regex", "query", "search_term", "search", "q"];
const PLACES: &[&str] = &[
    "path",
    "dir_path",
    "directory",
    "target_directory",
    "relative_path",
    "file",
    "dir",
];
/// Where a shell's call says in which folder it runs.
const FOLDERS: &[&str] = &[
    "workdir",
    "cwd",
    "directory",
    "dir_path",
    "working_directory",
];

/// What a call looks for, if it searches or reads an event back.
///
/// ```
/// use memfold_agents::seek::{By, Sought, sought};
/// use memfold_log::event::{Call, Effect};
///
/// let command = "cd crates && rg -n 'denied|refused' guard | head";
/// let call = Call {
///     id: "c1".into(), tool: "Bash".into(), subject: command.into(), arguments: command.into(), names: "command".into(),
///     effect: Effect::Runs(command.into()), given: Default::default(),
/// };
/// let Some(Sought::Search(search)) = sought(&call) else { panic!() };
/// assert_eq!((search.by, &*search.what), (By::ShellText, "denied|refused"));
/// assert_eq!((&search.places[..], search.from.as_deref()), (&["guard".to_owned()][..], Some("crates")));
/// ```
pub fn sought(call: &Call<'_>) -> Option<Sought> {
    match &call.effect {
        Effect::Retrieves => memfolds::sought(call),
        Effect::Runs(command) => in_shell(call, command).map(Sought::Search),
        Effect::Other => by_tool(call).map(Sought::Search),
        _ => None,
    }
}

/// The most telling search of a script: of files' text before files' names.
fn in_shell(call: &Call<'_>, command: &str) -> Option<Search> {
    let mut from = call.given.text(FOLDERS).map(str::to_owned);
    let mut best: Option<Search> = None;
    for simple in simple_commands(command) {
        let Some(program) = simple.program() else {
            continue;
        };
        if let ("cd" | "pushd", [folder, ..]) = (program.name, program.arguments) {
            from = Some(below(from.as_deref(), folder));
            continue;
        }
        let Some(found) = grep::search(&program, simple.piped) else {
            continue;
        };
        if best.as_ref().is_none_or(|best| found.by < best.by) {
            best = Some(Search {
                from: from.clone(),
                ..found
            });
        }
    }
    best
}

fn by_tool(call: &Call<'_>) -> Option<Search> {
    let name = base_name(&call.tool);
    // A server's search of elsewhere (`mcp__github__search_code`) is none of these names.
    let (by, dialect) = if TEXT_TOOLS.contains(&name) {
        (By::ToolText, Dialect::Expression)
    } else if NAME_TOOLS.contains(&name) {
        (By::ToolNames, Dialect::Glob)
    } else if RANKED_TOOLS.contains(&name) {
        (By::Ranked, Dialect::Words)
    } else {
        return None;
    };
    let pattern = call.given.text(PATTERNS);
    Some(Search {
        by,
        dialect,
        what: pattern.unwrap_or(&call.subject).to_owned(),
        places: call
            .given
            .text(PLACES)
            .map(str::to_owned)
            .into_iter()
            .collect(),
        from: None,
    })
}

/// The files that a call reads, as it names them.
pub fn reads<'c>(call: &'c Call<'_>) -> Vec<Cow<'c, str>> {
    match &call.effect {
        Effect::Reads(path) => vec![Cow::Borrowed(path)],
        Effect::Runs(command) => of_script(call, command, programs::reads),
        _ => Vec::new(),
    }
}

/// The files that a call writes, as it names them.
pub fn edits<'c>(call: &'c Call<'_>) -> Vec<Cow<'c, str>> {
    match &call.effect {
        Effect::Edits(path) => vec![Cow::Borrowed(path)],
        Effect::EditsMany(paths) => paths.iter().map(|path| Cow::Borrowed(&**path)).collect(),
        Effect::Runs(command) => of_script(call, command, programs::writes),
        _ => Vec::new(),
    }
}

fn of_script<'c>(
    call: &Call<'_>,
    command: &str,
    files: impl Fn(&crate::shell::Simple) -> Vec<String>,
) -> Vec<Cow<'c, str>> {
    let mut from = call.given.text(FOLDERS).map(str::to_owned);
    let mut all = Vec::new();
    for simple in simple_commands(command) {
        if let Some(program) = simple.program()
            && let ("cd" | "pushd", [folder, ..]) = (program.name, program.arguments)
        {
            from = Some(below(from.as_deref(), folder));
            continue;
        }
        let named = files(&simple).into_iter();
        all.extend(named.map(|file| Cow::Owned(below(from.as_deref(), &file))));
    }
    all
}

/// A path, as it is named from a folder.
pub fn below(folder: Option<&str>, path: &str) -> String {
    match folder {
        Some(folder) if !path.starts_with(['/', '~', '$']) && !has_drive(path) => {
            format!("{}/{path}", folder.trim_end_matches('/'))
        }
        _ => path.to_owned(),
    }
}

fn has_drive(path: &str) -> bool {
    let mut letters = path.chars();
    letters
        .next()
        .is_some_and(|letter| letter.is_ascii_alphabetic())
        && letters.next() == Some(':')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::call::call;
    use crate::input::Input;

    fn made(tool: &'static str, json: &'static str) -> Call<'static> {
        call("c".into(), tool.into(), Input::from_json(json.into()))
    }

    fn search(tool: &'static str, json: &'static str) -> Option<(By, String)> {
        match sought(&made(tool, json))? {
            Sought::Search(search) => Some((search.by, search.what)),
            Sought::Recall(_) => None,
        }
    }

    #[test]
    fn by_tool_and_by_shell() {
        for (tool, json, by, what) in [
            (
                "Grep",
                r#"{"pattern":"a|b","path":"src"}"#,
                By::ToolText,
                "a|b",
            ),
            (
                "search_file_content",
                r#"{"pattern":"x"}"#,
                By::ToolText,
                "x",
            ),
            ("Glob", r#"{"pattern":"**/*.rs"}"#, By::ToolNames, "**/*.rs"),
            (
                "codebase_search",
                r#"{"query":"where is x"}"#,
                By::Ranked,
                "where is x",
            ),
            (
                "Bash",
                r#"{"command":"ls; grep -rn x ."}"#,
                By::ShellText,
                "x",
            ),
            (
                "shell",
                r#"{"command":["rg","--files","-g","*.md"]}"#,
                By::ShellNames,
                "*.md",
            ),
            (
                "exec_command",
                r#"{"cmd":"find . -name '*.rs' | xargs grep -l foo"}"#,
                By::ShellText,
                "foo",
            ),
            (
                "index-search",
                r#"{"query":"x","scope":"repo"}"#,
                By::Repository,
                "x",
            ),
            (
                "mcp__memfold__index-search",
                r#"{"query":"x","scope":"earlier"}"#,
                By::Earlier,
                "x",
            ),
            ("SessionSearch", r#"{"query":"x"}"#, By::Earlier, "x"),
            (
                "Bash",
                r#"{"command":"memfold search -s repo a b"}"#,
                By::Repository,
                "a b",
            ),
            (
                "Bash",
                r#"{"command":"memfold search a --log x.jsonl"}"#,
                By::Conversation,
                "a",
            ),
            (
                "Bash",
                r#"{"command":"memfold search -n 3 a -- -b"}"#,
                By::Earlier,
                "a -b",
            ),
        ] {
            assert_eq!(
                search(tool, json),
                Some((by, what.to_owned())),
                "{tool} {json}"
            );
        }
        for (tool, json) in [
            ("Bash", r#"{"command":"cargo test | grep FAILED"}"#),
            ("Bash", r#"{"command":"echo grep x y"}"#),
            ("mcp__github__search_code", r#"{"query":"x"}"#),
            ("index-update", r#"{}"#),
            ("Read", r#"{"file_path":"grep"}"#),
        ] {
            assert_eq!(search(tool, json), None, "{tool} {json}");
        }
    }

    #[test]
    fn recalls_by_tool_and_by_command() {
        let recall = |tool, json| match sought(&made(tool, json)) {
            Some(Sought::Recall(Recall { seq, task })) => (seq, task),
            other => panic!("{other:?}"),
        };
        assert_eq!(
            recall("recall", r#"{"seq":812,"start":31}"#),
            (Some(812), None)
        );
        assert_eq!(
            recall("mcp__memfold__recall", r#"{"seq":"812","task":"3f9a1c02"}"#),
            (Some(812), Some("3f9a1c02".into()))
        );
        assert_eq!(
            recall("Bash", r#"{"command":"memfold recall 3f9a1c02:9"}"#),
            (Some(9), Some("3f9a1c02".into()))
        );
        assert_eq!(
            recall("Bash", r#"{"command":"memfold recall 9 --log a.jsonl"}"#),
            (Some(9), None)
        );
    }

    #[test]
    fn files_read_and_written_in_a_shell() {
        let call = made(
            "exec_command",
            r#"{"cmd":"cd src && sed -n '1,40p' a.rs; cat /p/b.rs | head; head -n 3 c.rs; grep x d.rs","workdir":"/w"}"#,
        );
        assert_eq!(reads(&call), ["/w/src/a.rs", "/p/b.rs", "/w/src/c.rs"]);
        let call = made(
            "Bash",
            r#"{"command":"sed -i s/a/b/ x.rs && echo hi > y.txt && cat z | tee w"}"#,
        );
        assert_eq!(edits(&call), ["x.rs", "y.txt", "w"]);
        assert_eq!(reads(&call), ["z"]);
    }
}
