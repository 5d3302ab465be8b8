//! The patch form that Codex's models write (`*** Begin Patch`), as far as it names files.

use std::borrow::Cow;

const MARKS: &[&str] = &[
    "*** Update File: ",
    "*** Add File: ",
    "*** Delete File: ",
    "*** Move to: ",
];

/// Whether a shell command is nothing but a patch being applied.
pub(crate) fn is_command(command: &str) -> bool {
    let command = command.trim_start();
    if command.starts_with("*** Begin Patch") {
        return true;
    }
    ["apply_patch", "applypatch"].iter().any(|name| {
        command
            .strip_prefix(name)
            .is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_'))
    })
}

/// The files that a patch touches, each once, in their order.
pub(crate) fn paths<'a>(patch: &Cow<'a, str>) -> Vec<Cow<'a, str>> {
    match patch {
        Cow::Borrowed(patch) => named(patch).into_iter().map(Cow::Borrowed).collect(),
        Cow::Owned(patch) => named(patch)
            .into_iter()
            .map(|path| Cow::Owned(path.to_owned()))
            .collect(),
    }
}

fn named(patch: &str) -> Vec<&str> {
    let mut seen = std::collections::HashSet::new();
    patch
        .lines()
        .filter_map(|line| MARKS.iter().find_map(|mark| line.strip_prefix(mark)))
        .map(str::trim)
        .filter(|path| !path.is_empty() && seen.insert(*path))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_each_file_once() {
        let patch = Cow::Borrowed(
            "*** Begin Patch\r\n*** Update File: a b.rs\r\n*** Move to: c.rs\n+*** Update File: no\n*** Update File: a b.rs\n",
        );
        assert_eq!(paths(&patch), ["a b.rs", "c.rs"]);
        assert!(paths(&Cow::Borrowed("none")).is_empty());
    }

    #[test]
    fn a_command_that_applies_one() {
        assert!(is_command("apply_patch <<'EOF'\n*** Begin Patch"));
        assert!(is_command("apply_patch") && is_command("*** Begin Patch\n"));
        assert!(!is_command("apply_patches x") && !is_command("git apply"));
    }
}
