//! What a change changes, as people read it: a unified difference. Credentials of the lines around it are taken out, since
//! the answer may be read by others than the file.

use similar::TextDiff;

/// So many lines are shown around a change.
const AROUND: usize = 2;

/// The lines in which two texts differ, each after `-`, `+` or a blank, with a few around them; nothing if they are the same.
pub fn difference(before: &str, after: &str) -> String {
    let diff = TextDiff::from_lines(before, after);
    let text = diff
        .unified_diff()
        .context_radius(AROUND)
        .missing_newline_hint(false)
        .to_string();
    memfold_redact::redact(&text).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_changes_is_shown_and_no_credential_beside_it() {
        let before = "a\nb\nc\nurl = \"postgres://api:hunter2hunter2@db/x\"\nd\n";
        let after = before.replace("d\n", "d\nnew\n");
        let shown = difference(before, &after);
        assert!(
            shown.contains("\n+new\n") && !shown.contains("a\n"),
            "{shown}"
        );
        assert!(!shown.contains("hunter2"), "{shown}");
        assert_eq!(difference(before, before), "");
    }
}
