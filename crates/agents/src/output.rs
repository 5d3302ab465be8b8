//! What a call returned, made readable: exit codes that stand in the text, previews of results kept in files, JSON indented.

use std::borrow::Cow;

use serde::de::IgnoredAny;

use crate::scan;

/// Indentation stops growing here, so that nested brackets cannot make a text longer than a few times the JSON.
const DEEPEST: usize = 12;

/// The number after `label` where the text begins with it: `Exit code 101`.
pub(crate) fn number_after(text: &str, label: &str) -> Option<i32> {
    let rest = text.strip_prefix(label)?;
    let digits = rest
        .find(|c: char| !c.is_ascii_digit() && c != '-')
        .unwrap_or(rest.len());
    rest.get(..digits)?.parse().ok()
}

/// The text before its last line, and the number there, where that line is such a label around a number:
/// `Command exited with code 1`.
pub(crate) fn number_at_end<'t>(
    text: &'t str,
    before: &str,
    after: &str,
) -> Option<(&'t str, i32)> {
    let text = text.trim_end();
    let (rest, last) = text.rsplit_once('\n').unwrap_or(("", text));
    let number = last.trim().strip_prefix(before)?.strip_suffix(after)?;
    Some((rest.trim_end(), number.trim().parse().ok()?))
}

/// A result of which a file holds the rest: the file's path, and the part of the text that is its preview.
pub(crate) fn persisted(text: &str) -> Option<(&str, &str)> {
    let inside = text.trim_start().strip_prefix("<persisted-output>")?;
    let (head, rest) = inside.split_once("saved to: ")?;
    if head.lines().count() > 4 {
        return None;
    }
    let (path, rest) = rest.split_once('\n')?;
    let preview = match rest.split_once('\n') {
        Some((blank, after)) if blank.trim().is_empty() => after,
        _ => rest,
    };
    let preview = match preview.split_once('\n') {
        Some((label, after)) if label.starts_with("Preview (") => after,
        _ => preview,
    };
    let preview = preview.trim_end();
    Some((
        path.trim(),
        preview
            .strip_suffix("</persisted-output>")
            .unwrap_or(preview)
            .trim_end(),
    ))
}

/// JSON on one line is indented; any other text stays as it is.
pub(crate) fn readable(text: Cow<'_, str>) -> Cow<'_, str> {
    let trimmed = text.trim();
    let json = trimmed.starts_with(['{', '['])
        && !trimmed.contains('\n')
        && scan::read::<IgnoredAny>(trimmed.as_bytes()).is_ok();
    if json {
        Cow::Owned(indented(trimmed))
    } else {
        text
    }
}

/// Lays out one line of valid JSON, a value a line, nothing of it changed but the space between.
fn indented(json: &str) -> String {
    let mut out = String::with_capacity(json.len().saturating_add(json.len() / 4));
    let mut depth = 0_usize;
    let mut in_string = false;
    let mut escaped = false;
    let mut letters = json.chars().peekable();
    while let Some(letter) = letters.next() {
        if in_string {
            out.push(letter);
            in_string = escaped || letter != '"';
            escaped = !escaped && letter == '\\';
            continue;
        }
        match letter {
            '"' => {
                in_string = true;
                out.push('"');
            }
            '{' | '[' => {
                out.push(letter);
                while letters.next_if(|c| c.is_ascii_whitespace()).is_some() {}
                if let Some(close) = letters.next_if(|c| matches!(c, '}' | ']')) {
                    out.push(close);
                } else {
                    depth = depth.saturating_add(1);
                    new_line(&mut out, depth);
                }
            }
            '}' | ']' => {
                depth = depth.saturating_sub(1);
                new_line(&mut out, depth);
                out.push(letter);
            }
            ',' => {
                out.push(',');
                new_line(&mut out, depth);
            }
            ':' => out.push_str(": "),
            space if space.is_ascii_whitespace() => {}
            other => out.push(other),
        }
    }
    out
}

fn new_line(out: &mut String, depth: usize) {
    out.push('\n');
    for _ in 0..depth.min(DEEPEST) {
        out.push_str("  ");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exit_codes() {
        assert_eq!(
            number_after("Exit code 101\nerror", "Exit code "),
            Some(101)
        );
        assert_eq!(number_after("Exit code: -1", "Exit code: "), Some(-1));
        assert_eq!(number_after("Exit code 99999999999", "Exit code "), None);
        assert_eq!(number_after("Exit code", "Exit code "), None);
    }

    #[test]
    fn exit_codes_at_the_end() {
        let at_end = |text| number_at_end(text, "Command exited with code ", "");
        assert_eq!(at_end("a\n\nCommand exited with code 2"), Some(("a", 2)));
        assert_eq!(at_end("Command exited with code -1\n"), Some(("", -1)));
        assert_eq!(at_end("Command exited with code 1\nmore"), None);
        assert_eq!(number_at_end("x\n<exit 3>", "<exit ", ">"), Some(("x", 3)));
    }

    #[test]
    fn previews() {
        let text = "<persisted-output>\nOutput too large (2MB). Full output saved to: /h/tool-results/t1.txt\n\nPreview (first 2KB):\na\nb\n...\n</persisted-output>";
        assert_eq!(
            persisted(text),
            Some(("/h/tool-results/t1.txt", "a\nb\n..."))
        );
        assert_eq!(persisted("<persisted-output>\nsaved to: x"), None);
        assert_eq!(persisted("plain"), None);
    }

    #[test]
    fn json_is_laid_out() {
        assert_eq!(
            readable(r#"{"b":[1,{}],"a":"x,\"{y}"}"#.into()),
            "{\n  \"b\": [\n    1,\n    {}\n  ],\n  \"a\": \"x,\\\"{y}\"\n}"
        );
        for other in [
            "{not json}",
            "[x",
            "plain",
            "{\n\"a\": 1}",
            "{\"a\":1} and more",
        ] {
            assert_eq!(readable(other.into()), other);
        }
    }

    #[test]
    fn layout_is_the_same_json_and_linear() {
        let deep = format!("{}1{}", "[".repeat(20_000), "]".repeat(20_000));
        let laid = readable(deep.as_str().into());
        assert!(laid.len() < deep.len() * (2 * DEEPEST + 2));
        assert_eq!(
            laid.chars()
                .filter(|c| !c.is_whitespace())
                .collect::<String>(),
            deep
        );
    }
}
