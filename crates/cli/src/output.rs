//! Standard output: answers only, written in one piece. A reader that went away ends us quietly.

use std::borrow::Cow;
use std::io::{self, Write};

use serde::Serialize;

use crate::failure::Failure;
use crate::safe::{self, is_hidden};

/// Writes an answer.
pub(crate) fn print(text: &str) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())
        .and_then(|()| out.flush())
        .map_err(Failure::from)
}

/// Writes an answer as one JSON object: over several lines for eyes, on one line for programs.
pub(crate) fn print_json(answer: &impl Serialize, for_eyes: bool) -> Result<(), Failure> {
    print(&json(answer, for_eyes)?)
}

fn json(answer: &impl Serialize, for_eyes: bool) -> Result<String, Failure> {
    let made = if for_eyes {
        serde_json::to_string_pretty(answer)
    } else {
        serde_json::to_string(answer)
    };
    let mut text = made.map_err(|error| Failure::from(io::Error::other(error)))?;
    escape_hidden(&mut text);
    text.push('\n');
    Ok(text)
}

/// JSON may hold any character but the 32 controls as it is. Those that a terminal obeys or hides are escaped too:
/// outside of strings JSON has none of them, so the value stays the same.
fn escape_hidden(text: &mut String) {
    if text
        .lines()
        .all(|line| matches!(safe::line(line), Cow::Borrowed(_)))
    {
        return;
    }
    let mut out = String::with_capacity(text.len() + 64);
    for c in text.chars() {
        if c == '\n' || !is_hidden(c) {
            out.push(c);
            continue;
        }
        for unit in c.encode_utf16(&mut [0; 2]) {
            out.push_str(&format!("\\u{unit:04x}"));
        }
    }
    *text = out;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_hides_nothing_and_changes_nothing() {
        let value = serde_json::json!({"text": "a\u{202e}b\u{9b}\u{1b}\u{e0041}\n", "n": 1});
        for for_eyes in [true, false] {
            let text = json(&value, for_eyes).unwrap();
            assert!(
                !text.trim_end().chars().any(|c| c != '\n' && is_hidden(c)),
                "{text}"
            );
            assert_eq!(
                serde_json::from_str::<serde_json::Value>(&text).unwrap(),
                value
            );
        }
    }
}
