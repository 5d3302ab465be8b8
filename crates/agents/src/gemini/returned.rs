//! What Gemini CLI's tools return. A shell's text stands between labels that say how it went; in the forks of this agent too.

use std::borrow::Cow;

use memfold_log::event::{Outcome, Output};

use super::line::{Piece, ToolCall};
use crate::json::Content;
use crate::message::joined;
use crate::output::readable;
use crate::wrapped;

/// The label before a shell's text; older versions put the command and its directory before that.
const OUTPUT: &str = "Output: ";
/// The labels of the lines after it.
const AFTER: &[&str] = &[
    "Error: ",
    "Exit Code: ",
    "Signal: ",
    "Background PIDs: ",
    "Process Group PGID: ",
];

/// What a call returned, if it has.
pub(super) fn result<'a>(call: &mut ToolCall<'a>) -> Option<Output<'a>> {
    let pieces = match std::mem::take(&mut call.result) {
        Content::Nothing => return None,
        Content::Words(text) => vec![Piece {
            text: crate::json::Text(Some(text)),
            ..Piece::default()
        }],
        Content::Blocks(pieces) => pieces,
    };
    let status = call.status.as_str();
    let (text, outcome) = returned(pieces, matches!(status, "error" | "cancelled"));
    Some(Output {
        call: call.id.clone().or_empty(),
        tool: call.name.clone().filled(),
        text,
        outcome,
        persisted: None,
    })
}

/// The text of what was returned, and how the call went, if the host says no more than whether it `failed`.
pub(crate) fn returned(pieces: Vec<Piece<'_>>, mut failed: bool) -> (Cow<'_, str>, Outcome) {
    let mut texts = Vec::new();
    for piece in pieces {
        let response = piece.response.response;
        let error = response.error.lines();
        failed |= !error.trim().is_empty();
        let said = match response.content {
            Content::Nothing => Vec::new(),
            Content::Words(text) => vec![text],
            Content::Blocks(blocks) => blocks
                .into_iter()
                .map(|said| said.text.or_empty())
                .collect(),
        };
        let all = std::iter::once(response.output.lines())
            .chain(said)
            .chain([error]);
        texts.extend(all.filter(|text| !text.trim().is_empty()));
        texts.extend(piece.text.filled());
        if piece.picture.kind.filled().is_some() {
            texts.push(Cow::Borrowed("[image]"));
        }
    }
    match shells(joined(texts)) {
        (text, Outcome::Unknown) if failed => (readable(text), Outcome::Failed),
        (text, Outcome::Unknown) => (readable(text), Outcome::Unknown),
        shells => shells,
    }
}

/// A shell's text without the labels around it, and how it went. Any other text is given back as it is.
fn shells(text: Cow<'_, str>) -> (Cow<'_, str>, Outcome) {
    let (mut end, mut exit, mut stopped, mut process) = (text.trim_end().len(), None, false, false);
    loop {
        let rest = text.get(..end).unwrap_or_default();
        let start = rest
            .rfind('\n')
            .map_or(0, |newline| newline.saturating_add(1));
        let last = rest.get(start..).unwrap_or_default();
        let Some(label) = AFTER.iter().find(|label| last.starts_with(**label)) else {
            break;
        };
        let said = last.get(label.len()..).unwrap_or_default().trim();
        match *label {
            "Exit Code: " => exit = said.parse().ok(),
            "Signal: " => stopped = said != "(none)",
            "Process Group PGID: " => process = true,
            // What went wrong is part of the text.
            "Error: " if said != "(none)" => break,
            _ => {}
        }
        end = start.saturating_sub(1);
        if start == 0 {
            break;
        }
    }
    let outcome = match exit {
        Some(code) => Outcome::Exit(code),
        None if stopped => Outcome::Failed,
        // A code of 0 is not written, so the rest of the labels says it.
        None if process => Outcome::Exit(0),
        None => return (text, Outcome::Unknown),
    };
    let body = wrapped::narrow(text, |text| {
        let rest = text.get(..end).unwrap_or(text);
        let inside = rest.strip_prefix(OUTPUT).or_else(|| {
            let (head, inside) = rest.split_once("\nOutput: ")?;
            head.starts_with("Command: ").then_some(inside)
        });
        match inside.unwrap_or(rest) {
            "(empty)" => "",
            inside => inside,
        }
    });
    (body, outcome)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shells_labels() {
        for (text, body, outcome) in [
            (
                "Output: a\nb\nProcess Group PGID: 12",
                "a\nb",
                Outcome::Exit(0),
            ),
            (
                "Output: no such file\nExit Code: 1\nProcess Group PGID: 12",
                "no such file",
                Outcome::Exit(1),
            ),
            (
                "Output: (empty)\nBackground PIDs: 3, 4\nProcess Group PGID: 12",
                "",
                Outcome::Exit(0),
            ),
            (
                "Output: x\nSignal: 9\nProcess Group PGID: 12",
                "x",
                Outcome::Failed,
            ),
            (
                "Command: ls\nDirectory: (root)\nOutput: a\nError: (none)\nExit Code: 2\nSignal: (none)\nBackground PIDs: (none)\nProcess Group PGID: 9",
                "a",
                Outcome::Exit(2),
            ),
            (
                "Output: x\nError: gone\nExit Code: 1",
                "x\nError: gone",
                Outcome::Exit(1),
            ),
            (
                "Output: of another tool",
                "Output: of another tool",
                Outcome::Unknown,
            ),
            ("", "", Outcome::Unknown),
            ("Exit Code: 3", "", Outcome::Exit(3)),
        ] {
            let (found, how) = shells(text.into());
            assert_eq!((&*found, how), (body, outcome), "{text}");
        }
    }
}
