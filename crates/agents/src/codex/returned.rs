//! What Codex's tools return. A shell's result came as JSON in a string until autumn 2025 and comes as text with a header
//! since; both become the shell's text with its exit code.

use std::borrow::Cow;

use memfold_log::event::Outcome;

use super::item::{Block, ShellResult};
use crate::json::{Content, Text};
use crate::output::{number_after, readable};

/// How the headers of a shell's result begin.
const HEADERS: &[&str] = &["Chunk ID: ", "Exit code: ", "Wall time: ", "Command: "];

/// Where a header ends. It is a few short lines; looking further would take a shell's own text for it.
const HEADER_END: &str = "\nOutput:\n";
const HEADER_LENGTH: usize = 400;

/// How results begin that say that a call failed.
const FAILURES: &[&str] = &[
    "apply_patch verification failed",
    "error: ",
    "execution error: ",
    "failed in sandbox ",
    "failed to parse function arguments",
    "write_stdin failed",
    "exec_command failed",
    "unsupported call",
    "tool call error",
    "aborted",
];

/// A result's text and how the call went.
pub(crate) fn returned<'a>(output: Content<'a, Block<'a>>) -> (Cow<'a, str>, Outcome) {
    match output {
        Content::Nothing => (Cow::Borrowed(""), Outcome::Unknown),
        Content::Words(text) => of_text(text),
        Content::Blocks(blocks) => {
            let failed = matches!(blocks.as_slice(), [only] if only.success.0 == Some(false));
            let (text, outcome) = of_text(joined(blocks));
            (
                text,
                if failed && outcome == Outcome::Unknown {
                    Outcome::Failed
                } else {
                    outcome
                },
            )
        }
    }
}

/// The blocks as one text, with a note for each picture.
fn joined<'a>(blocks: Vec<Block<'a>>) -> Cow<'a, str> {
    let mut texts: Vec<Cow<'a, str>> = Vec::with_capacity(blocks.len());
    for block in blocks {
        match block.kind.as_str() {
            "input_image" | "image" => texts.push(Cow::Borrowed("[image]")),
            _ => texts.extend(
                [block.text, block.content]
                    .into_iter()
                    .find_map(Text::filled),
            ),
        }
    }
    match texts.len() {
        0 | 1 => texts.pop().unwrap_or_default(),
        _ => Cow::Owned(texts.join("\n")),
    }
}

fn of_text(text: Cow<'_, str>) -> (Cow<'_, str>, Outcome) {
    if let Some((output, exit)) = shells_json(&text) {
        return (Cow::Owned(output), Outcome::Exit(exit));
    }
    if let Some(header) = header(&text) {
        let outcome = outcome_in(header);
        let body = header.len().saturating_add(HEADER_END.len());
        return match text {
            Cow::Borrowed(text) => (Cow::Borrowed(text.get(body..).unwrap_or_default()), outcome),
            Cow::Owned(text) => (
                Cow::Owned(text.get(body..).unwrap_or_default().to_owned()),
                outcome,
            ),
        };
    }
    let begins = |beginning: &&str| text.starts_with(*beginning);
    if FAILURES.iter().any(begins) {
        // "failed in sandbox … exit code: 2, stdout: …"
        let code = text
            .lines()
            .next()
            .and_then(|line| line.split_once("exit code: "))
            .and_then(|(_, rest)| number_after(rest, ""));
        return (text, code.map_or(Outcome::Failed, Outcome::Exit));
    }
    if text.starts_with("Wall time: ") && text.trim_end().ends_with("\naborted by user") {
        return (text, Outcome::Failed);
    }
    (readable(text), Outcome::Unknown)
}

fn shells_json(json: &str) -> Option<(String, i32)> {
    if !json.starts_with('{') {
        return None;
    }
    let result: ShellResult<'_> = serde_json::from_str(json).ok()?;
    let exit = i32::try_from(result.metadata.exit.0?).ok()?;
    Some((result.output.0?.into_owned(), exit))
}

/// The header of a shell's result, if the text has one.
fn header(text: &str) -> Option<&str> {
    if !HEADERS.iter().any(|header| text.starts_with(header)) {
        return None;
    }
    let mut length = HEADER_LENGTH.min(text.len());
    while !text.is_char_boundary(length) {
        length = length.saturating_sub(1);
    }
    let (header, _) = text.get(..length)?.split_once(HEADER_END)?;
    Some(header)
}

fn outcome_in(header: &str) -> Outcome {
    let code = header.lines().find_map(|line| {
        number_after(line, "Exit code: ")
            .or_else(|| number_after(line, "Process exited with code "))
    });
    code.map_or(Outcome::Unknown, Outcome::Exit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_of_a_shells_result() {
        for (text, expected, outcome) in [
            (
                r#"{"output":"a\nb","metadata":{"exit_code":1,"duration_seconds":0.1}}"#,
                "a\nb",
                Outcome::Exit(1),
            ),
            (
                "Exit code: 2\nWall time: 0.8 seconds\nOutput:\nno such file\n",
                "no such file\n",
                Outcome::Exit(2),
            ),
            (
                "Chunk ID: a1\nWall time: 0.1 seconds\nProcess exited with code 0\nOriginal token count: 3\nOutput:\nOutput:\n",
                "Output:\n",
                Outcome::Exit(0),
            ),
            (
                "Chunk ID: a1\nWall time: 9 seconds\nProcess running with session ID 7\nOutput:\nstill",
                "still",
                Outcome::Unknown,
            ),
            (
                "Wall time: 4.0 seconds\naborted by user",
                "Wall time: 4.0 seconds\naborted by user",
                Outcome::Failed,
            ),
            (
                "failed in sandbox X with execution error: denied, exit code: 126, stdout: , stderr: x",
                "failed in sandbox X with execution error: denied, exit code: 126, stdout: , stderr: x",
                Outcome::Exit(126),
            ),
            (
                "apply_patch verification failed: no lines",
                "apply_patch verification failed: no lines",
                Outcome::Failed,
            ),
            ("Plan updated", "Plan updated", Outcome::Unknown),
            (
                r#"{"output":"not a shell's"}"#,
                "{\n  \"output\": \"not a shell's\"\n}",
                Outcome::Unknown,
            ),
            (
                "Wall time: never ends",
                "Wall time: never ends",
                Outcome::Unknown,
            ),
        ] {
            assert_eq!(
                of_text(text.into()),
                (Cow::Borrowed(expected), outcome),
                "{text}"
            );
        }
    }

    #[test]
    fn lists_and_objects() {
        let read = |json: &'static str| returned(serde_json::from_str(json).unwrap());
        assert_eq!(
            read(
                r#"[{"type":"input_text","text":"a"},{"type":"input_image","image_url":"data:"}]"#
            )
            .0,
            "a\n[image]"
        );
        assert_eq!(
            read(r#"{"content":"no","success":false}"#),
            (Cow::Borrowed("no"), Outcome::Failed)
        );
        assert_eq!(read("3").0, "");
    }
}
