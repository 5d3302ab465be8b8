//! What Claude Code's tools return: the text that the model saw, and how the call went, by that text and by the host's own
//! account of it (`toolUseResult`), whose texts repeat it.

use std::borrow::Cow;

use memfold_log::event::{Outcome, Output};

use super::IMAGE;
use super::line::{Block, Item, ToolUseResult};
use super::words;
use crate::json::{Content, Text};
use crate::output;

/// One result. The host's own account is of the line's only one.
pub(crate) fn result<'a>(block: Block<'a>, account: Option<&ToolUseResult<'a>>) -> Output<'a> {
    let text = words::result(joined(block.content));
    let shell = account.is_some_and(|account| account.stdout.0);
    let failed = block.error.on();
    let outcome = outcome(&text, failed, account);
    let (persisted, text) = match text {
        Cow::Borrowed(text) => match output::persisted(text) {
            Some((path, preview)) => (Some(Cow::Borrowed(path)), Cow::Borrowed(preview)),
            None => (None, Cow::Borrowed(text)),
        },
        Cow::Owned(text) => match output::persisted(&text) {
            Some((path, preview)) => (
                Some(Cow::Owned(path.to_owned())),
                Cow::Owned(preview.to_owned()),
            ),
            None => (None, Cow::Owned(text)),
        },
    };
    let persisted =
        persisted.or_else(|| account.and_then(|account| account.persisted.clone().filled()));
    let text = if shell || failed {
        text
    } else {
        output::readable(text)
    };
    Output {
        call: block.answers.or_empty(),
        tool: None,
        text,
        outcome,
        persisted,
    }
}

fn outcome(text: &str, failed: bool, account: Option<&ToolUseResult<'_>>) -> Outcome {
    let code = account
        .and_then(|account| account.exit.0.or(account.task.exit.0))
        .and_then(|code| i32::try_from(code).ok());
    if let Some(code) = output::number_after(text, "Exit code ")
        .filter(|_| failed)
        .or(code)
    {
        return Outcome::Exit(code);
    }
    match account {
        _ if failed => Outcome::Failed,
        Some(account) if account.interrupted.on() => Outcome::Failed,
        // Bash reports every other code as an error, but the codes to which it gives a meaning of their own.
        Some(account) if account.stdout.0 && !account.background.0 && !account.code_meaning.0 => {
            Outcome::Exit(0)
        }
        _ => Outcome::Unknown,
    }
}

/// The blocks of a result as one text.
fn joined<'a>(content: Content<'a, Item<'a>>) -> Cow<'a, str> {
    let items = match content {
        Content::Nothing => return Cow::Borrowed(""),
        Content::Words(text) => return text,
        Content::Blocks(items) => items,
    };
    let mut texts: Vec<Cow<'a, str>> = Vec::with_capacity(items.len());
    for item in items {
        match item.kind.as_str() {
            "image" => texts.push(Cow::Borrowed(IMAGE)),
            _ => texts.extend(
                [item.text, item.tool, item.title, item.url]
                    .into_iter()
                    .filter_map(Text::filled),
            ),
        }
    }
    match texts.len() {
        0 | 1 => texts.pop().unwrap_or_default(),
        _ => Cow::Owned(texts.join("\n")),
    }
}
