//! What agents keep in the trees they work in: work trees of their own, attachments, histories. It repeats other files, or
//! tasks, so it belongs to the tree only where it is tracked.

/// Folders below a repository in which agents make work trees of their own.
pub const WORK_TREES: &[&str] = &[".claude/worktrees", ".codex/worktrees", ".worktrees"];

/// Their other state. Not their settings and instructions, which people write.
const STATE: &[&str] = &[
    ".nodwyn",
    ".dsh",
    ".deepcode/sessions",
    ".crush",
    ".specstory/history",
    ".claude/todos",
    ".claude/shell-snapshots",
    ".gemini/tmp",
    ".aider.chat.history.md",
    ".aider.input.history",
    ".aider.llm.history",
    ".aider.tags.cache.v3",
    ".aider.tags.cache.v4",
];

/// Whether a path, from a tree's root and with `/` between its names, is what an agent keeps there, or lies in it.
///
/// ```
/// assert!(memfold_agents::is_state_in_tree(".claude/worktrees"));
/// assert!(memfold_agents::is_state_in_tree(".claude/worktrees/fix/a.rs"));
/// assert!(!memfold_agents::is_state_in_tree(".claude/settings.json"));
/// ```
pub fn is_state_in_tree(path: &str) -> bool {
    path.starts_with('.')
        && WORK_TREES.iter().chain(STATE).any(|state| {
            path.strip_prefix(state)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        })
}
