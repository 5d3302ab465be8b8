//! What was said, out of blocks: text, thinking, calls, results, pictures. Most agents write what their model's interface
//! has, each with its own spelling of the same few fields.

use std::borrow::Cow;

use memfold_log::event::{Boundary, Call, Kind, Outcome, Output, Part, Unranked};

use crate::call::call_like;
use crate::input::Input;
use crate::json::{Content, Flag, Text, object};
use crate::output::readable;
use crate::wrapped;

/// What stands for a picture.
const IMAGE: &str = "[image]";

object! {
    /// A block. Thinking and pictures are skipped unread.
    Block<'a> {
        kind: Text<'a> = "type",
        text: Text<'a> = "text",
        id: Text<'a> = "id",
        name: Text<'a> = "name",
        input: Input<'a> = "input" | "arguments",
        answers: Text<'a> = "tool_use_id" | "toolCallId",
        content: Content<'a, Item<'a>> = "content",
        error: Flag = "is_error" | "isError",
    }
}

object! {
    /// A block inside a result.
    Item<'a> {
        kind: Text<'a> = "type",
        text: Text<'a> = "text",
    }
}

/// What a message says.
#[derive(Debug, Default)]
pub(crate) struct Said<'a> {
    pub(crate) words: Vec<Cow<'a, str>>,
    pub(crate) calls: Vec<Call<'a>>,
    pub(crate) outputs: Vec<Output<'a>>,
    thinking: bool,
    pictures: bool,
}

impl<'a> Said<'a> {
    /// The blocks of a message. `like` gives the name by which a tool's doing is known elsewhere.
    pub(crate) fn of(content: Content<'a, Block<'a>>, like: fn(&str) -> &str) -> Said<'a> {
        let mut said = Said::default();
        match content {
            Content::Nothing => {}
            Content::Words(text) => said.words.extend(Text(Some(text)).filled()),
            Content::Blocks(blocks) => {
                for block in blocks {
                    said.add(block, like);
                }
            }
        }
        said
    }

    fn add(&mut self, block: Block<'a>, like: fn(&str) -> &str) {
        match block.kind.as_str() {
            "thinking" | "redacted_thinking" | "think" | "reasoning" => self.thinking = true,
            "tool_use" | "toolCall" | "tool-call" => {
                let name = block.name.or_empty();
                let known = like(&name).to_owned();
                let call = call_like(block.id.or_empty(), name, &known, parsed(block.input));
                self.calls.push(call);
            }
            "tool_result" | "tool-result" => self.outputs.push(Output {
                call: block.answers.or_empty(),
                tool: block.name.filled(),
                text: text_of(block.content),
                outcome: if block.error.on() {
                    Outcome::Failed
                } else {
                    Outcome::Unknown
                },
                persisted: None,
            }),
            "image" | "image_url" | "document" => self.pictures = true,
            _ => self.words.extend(block.text.filled()),
        }
    }

    /// As a reply. One that says something and makes no call is the last of its turn.
    pub(crate) fn reply(self) -> Spoken<'a> {
        let over = self.calls.is_empty() && !self.words.is_empty();
        let words = self.words.into_iter().map(Part::Text);
        let parts: Vec<_> = words
            .chain(self.calls.into_iter().map(Part::Call))
            .chain(outputs(self.outputs))
            .collect();
        let kind = match (parts.is_empty(), self.thinking) {
            (false, _) => Kind::Reply,
            (true, true) => Kind::Unranked(Unranked::Thinking),
            (true, false) => Kind::Unranked(Unranked::Note),
        };
        let boundary = if over {
            Boundary::Ends
        } else {
            Boundary::Within
        };
        (kind, parts, boundary)
    }

    /// As what the model's interface calls the user's: what calls returned, or a person's message. Words beside results are
    /// the host's.
    pub(crate) fn user(self, hosts_tags: &[&str]) -> Spoken<'a> {
        if self.outputs.is_empty() {
            return self.person(hosts_tags);
        }
        (
            Kind::Result,
            outputs(self.outputs).collect(),
            Boundary::Within,
        )
    }

    /// As one text, a note for pictures.
    pub(crate) fn text(self) -> Cow<'a, str> {
        let picture = self.pictures.then_some(Cow::Borrowed(IMAGE));
        joined(self.words.into_iter().chain(picture).collect())
    }

    /// As a person's message: what is left of it without the host's own text between these tags. If nothing is, it is a note.
    pub(crate) fn person(self, hosts_tags: &[&str]) -> Spoken<'a> {
        let own = self
            .words
            .iter()
            .map(|text| wrapped::narrow(text.clone(), |text| wrapped::strip(text, hosts_tags)));
        let mut own: Vec<_> = own
            .filter(|text| !text.trim().is_empty())
            .map(Part::Text)
            .collect();
        if own.is_empty() && self.pictures {
            own.push(Part::Text(Cow::Borrowed(IMAGE)));
        }
        if own.is_empty() {
            return note(self.words);
        }
        (Kind::Person, own, Boundary::Begins)
    }
}

/// What a line says: its kind, its parts, and where it stands in its turn.
pub(crate) type Spoken<'a> = (Kind, Vec<Part<'a>>, Boundary);

/// The host's own words.
pub(crate) fn note<'a>(words: impl IntoIterator<Item = Cow<'a, str>>) -> Spoken<'a> {
    let parts = words.into_iter().map(Part::Text).collect();
    (Kind::Unranked(Unranked::Note), parts, Boundary::Within)
}

/// One text of a kind that bounds no turn.
pub(crate) fn one<'a>(kind: Kind, text: Cow<'a, str>) -> Spoken<'a> {
    (kind, vec![Part::Text(text)], Boundary::Within)
}

fn outputs<'a>(outputs: Vec<Output<'a>>) -> impl Iterator<Item = Part<'a>> {
    outputs
        .into_iter()
        .map(|output| Part::Output(readable_output(output)))
}

/// Arguments as they are, or written as JSON inside a string.
pub(crate) fn parsed<'a>(input: Input<'a>) -> Input<'a> {
    match input.only_unnamed() {
        Some(json) => Input::from_json(json),
        None => input,
    }
}

/// The texts of a result, a note for each picture.
pub(crate) fn text_of<'a>(content: Content<'a, Item<'a>>) -> Cow<'a, str> {
    match content {
        Content::Nothing => Cow::Borrowed(""),
        Content::Words(text) => text,
        Content::Blocks(items) => {
            let texts = items
                .into_iter()
                .filter_map(|item| match item.kind.as_str() {
                    "image" | "image_url" => Some(Cow::Borrowed(IMAGE)),
                    _ => item.text.filled(),
                });
            joined(texts.collect())
        }
    }
}

/// Texts, a line or more each.
pub(crate) fn joined<'a>(mut texts: Vec<Cow<'a, str>>) -> Cow<'a, str> {
    match texts.len() {
        0 | 1 => texts.pop().unwrap_or_default(),
        _ => Cow::Owned(texts.join("\n")),
    }
}

/// JSON that is not a shell's is indented.
pub(crate) fn readable_output(output: Output<'_>) -> Output<'_> {
    match output.outcome {
        Outcome::Exit(_) => output,
        Outcome::Unknown | Outcome::Failed => Output {
            text: readable(output.text),
            ..output
        },
    }
}

/// The name of a tool that has no other elsewhere.
pub(crate) fn same(name: &str) -> &str {
    name
}
