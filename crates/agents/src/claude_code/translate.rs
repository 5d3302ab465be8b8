//! From Claude Code's line to what it says. Depends on the line alone; how lines belong together is the fold's.

use std::borrow::Cow;

use memfold_log::Timestamp;
use memfold_log::event::{
    Boundary, Elides, Event, Facts, Identity, Kind, Output, Part, Reading, Title, Unranked,
};

use super::IMAGE;
use super::line::{Attachment, Item, Line, Message, ToolUseResult};
use super::returned::result;
use super::words::{Said, said};
use crate::call::call;
use crate::json::{Content, Text};

/// The label of a side chain that has no id, in logs before 2.0.
const UNNAMED_HELPER: &str = "sub-agent";

/// The task id of a sub-agent: its parent's and its file's name.
pub(crate) fn helpers_task(parent: &str, id: &str) -> String {
    format!("{parent}/agent-{id}")
}

/// What every line of a conversation says of itself.
struct Frame<'a> {
    uuid: Option<Cow<'a, str>>,
    time: Option<Timestamp>,
    timestamp: Text<'a>,
    helper: Option<Cow<'a, str>>,
    /// The line is of a sub-agent whose lines lie among its parent's: it bounds no turn.
    aside: bool,
    request: Text<'a>,
    /// The host's own text, or its copy of something.
    hosts: bool,
    api_error: bool,
    compaction: bool,
    plan: bool,
}

impl<'a> Frame<'a> {
    fn event(
        self,
        kind: Kind,
        origin: Option<Cow<'a, str>>,
        parts: Vec<Part<'a>>,
        boundary: Boundary,
    ) -> (Option<Event<'a>>, Boundary) {
        let boundary = if self.aside {
            Boundary::Within
        } else {
            boundary
        };
        let identity = Identity {
            id: self.uuid,
            origin: origin.or(self.timestamp.filled()),
        };
        (
            Some(Event {
                kind,
                helper: self.helper,
                time: self.time,
                identity,
                parts,
            }),
            boundary,
        )
    }

    fn note(self, parts: Vec<Part<'a>>, boundary: Boundary) -> (Option<Event<'a>>, Boundary) {
        self.event(Kind::Unranked(Unranked::Note), None, parts, boundary)
    }
}

const NOTHING: (Option<Event<'static>>, Boundary) = (None, Boundary::Within);

/// Translates a line.
pub(crate) fn reading(line: Line<'_>) -> Reading<'_> {
    let time = Timestamp::parse(line.timestamp.as_str());
    let mut facts = Facts {
        cwd: line.cwd.filled(),
        time,
        ..Facts::default()
    };
    // "HEAD" is what git calls no branch.
    facts.branch = line.branch.filled().filter(|branch| branch != "HEAD");
    let session = line.session.filled();
    let agent = line.agent.filled().filter(|_| line.side_chain.on());
    match (&session, &agent) {
        (Some(session), Some(agent)) => {
            facts.task = Some(Cow::Owned(helpers_task(session, agent)));
            facts.parent = Some(session.clone());
            facts.helper = Some(agent.clone());
        }
        _ => facts.task = session,
    }
    let frame = Frame {
        uuid: line.uuid.filled(),
        time,
        timestamp: line.timestamp,
        aside: line.side_chain.on() && agent.is_none(),
        helper: agent.or_else(|| {
            line.side_chain
                .on()
                .then_some(Cow::Borrowed(UNNAMED_HELPER))
        }),
        request: line.request,
        hosts: line.meta.on() || line.transcript_only.on(),
        api_error: line.api_error.on(),
        compaction: line.compact_summary.on(),
        plan: line.plan.filled().is_some(),
    };
    let elides = match line.cleared.calls {
        Content::Blocks(calls) if !calls.is_empty() => {
            Elides::Results(calls.into_iter().filter_map(Text::filled).collect())
        }
        _ => Elides::AsItsKind,
    };
    let (event, boundary) = match line.kind.as_str() {
        "user" => user(frame, line.message, &line.result),
        "assistant" => assistant(frame, line.message),
        "attachment" => attachment(frame, line.attachment),
        "system" => system(frame, line.subtype.as_str(), line.content),
        "queue-operation" => match line.content.filled() {
            Some(words) => frame.note(vec![Part::Text(words)], Boundary::Within),
            None => NOTHING,
        },
        kind => {
            facts.title = match kind {
                "summary" => line.summary.filled().map(Title::Summary),
                "ai-title" => line.ai_title.filled().map(Title::Given),
                "custom-title" => line.custom_title.filled().map(Title::Person),
                _ => None,
            };
            NOTHING
        }
    };
    Reading {
        facts,
        event,
        boundary,
        elides,
        ..Reading::default()
    }
}

fn user<'a>(
    frame: Frame<'a>,
    message: Message<'a>,
    account: &ToolUseResult<'a>,
) -> (Option<Event<'a>>, Boundary) {
    let mut words = Vec::new();
    let mut outputs = Vec::new();
    let mut pictures = false;
    match message.content {
        Content::Nothing => return NOTHING,
        Content::Words(text) => words.push(text),
        Content::Blocks(blocks) => {
            let only = blocks.len() == 1;
            for block in blocks {
                match block.kind.as_str() {
                    "tool_result" => outputs.push(result(block, only.then_some(account))),
                    "image" | "document" => pictures = true,
                    _ => words.extend(block.text.filled()),
                }
            }
        }
    }
    if frame.compaction {
        let parts = words.into_iter().map(Part::Text).collect();
        return frame.event(Kind::Compaction, None, parts, Boundary::Within);
    }
    if !outputs.is_empty() {
        return results(frame, outputs, words);
    }
    if frame.hosts {
        return frame.note(
            words.into_iter().map(Part::Text).collect(),
            Boundary::Within,
        );
    }
    let typed = Typed::of(words);
    typed.event(frame, pictures)
}

/// What the texts of one line are, taken together.
#[derive(Default)]
struct Typed<'a> {
    own: Vec<Part<'a>>,
    compaction: bool,
    interruption: bool,
    hosts: Vec<Part<'a>>,
}

impl<'a> Typed<'a> {
    fn of(texts: Vec<Cow<'a, str>>) -> Self {
        let mut typed = Typed::default();
        for text in texts {
            match said(text.clone()) {
                Said::Person(words) => {
                    typed.own.push(Part::Text(words));
                    continue;
                }
                Said::Compaction => typed.compaction = true,
                Said::Interruption => typed.interruption = true,
                Said::Host => {}
            }
            typed.hosts.push(Part::Text(text));
        }
        typed
    }

    fn event(mut self, frame: Frame<'a>, pictures: bool) -> (Option<Event<'a>>, Boundary) {
        if self.compaction {
            return frame.event(Kind::Compaction, None, self.hosts, Boundary::Within);
        }
        if self.own.is_empty() && pictures {
            self.own.push(Part::Text(Cow::Borrowed(IMAGE)));
        }
        if self.own.is_empty() {
            // An interruption is the log's mark that the turn is over.
            let boundary = if self.interruption {
                Boundary::Ends
            } else {
                Boundary::Within
            };
            return frame.note(self.hosts, boundary);
        }
        let kind = match (&frame.helper, frame.plan) {
            (Some(_), _) => Kind::Unranked(Unranked::Instructions),
            (None, true) => Kind::Plan,
            (None, false) => Kind::Person,
        };
        frame.event(kind, None, self.own, Boundary::Begins)
    }
}

fn results<'a>(
    frame: Frame<'a>,
    outputs: Vec<Output<'a>>,
    words: Vec<Cow<'a, str>>,
) -> (Option<Event<'a>>, Boundary) {
    let origin = match outputs.as_slice() {
        [only] => only.call.clone(),
        several => Cow::Owned(
            several
                .iter()
                .map(|output| &*output.call)
                .collect::<Vec<_>>()
                .join(" "),
        ),
    };
    let mut parts: Vec<_> = outputs.into_iter().map(Part::Output).collect();
    // Words beside a result are the person's answer to it, or the host's.
    parts.extend(Typed::of(words).own);
    frame.event(
        Kind::Result,
        Some(origin).filter(|origin| !origin.trim().is_empty()),
        parts,
        Boundary::Within,
    )
}

fn assistant<'a>(frame: Frame<'a>, message: Message<'a>) -> (Option<Event<'a>>, Boundary) {
    let mut parts = Vec::new();
    let mut calls = false;
    let mut thinking = false;
    match message.content {
        Content::Nothing => return NOTHING,
        Content::Words(text) => parts.push(Part::Text(text)),
        Content::Blocks(blocks) => {
            for block in blocks {
                match block.kind.as_str() {
                    // What the API puts where a reply has no text.
                    "text" => parts.extend(
                        block
                            .text
                            .filled()
                            .filter(|text| text != "(no content)")
                            .map(Part::Text),
                    ),
                    "thinking" | "redacted_thinking" => thinking = true,
                    "tool_use" | "server_tool_use" | "mcp_tool_use" => {
                        calls = true;
                        parts.push(Part::Call(call(
                            block.id.or_empty(),
                            block.name.or_empty(),
                            block.input,
                        )));
                    }
                    kind if kind.ends_with("tool_result") => {
                        parts.push(Part::Output(result(block, None)))
                    }
                    _ => {}
                }
            }
        }
    }
    if frame.compaction {
        return frame.event(Kind::Compaction, None, parts, Boundary::Within);
    }
    if parts.is_empty() {
        return if thinking {
            frame.event(
                Kind::Unranked(Unranked::Thinking),
                None,
                parts,
                Boundary::Within,
            )
        } else {
            NOTHING
        };
    }
    // The reason to stop is the message's, and repeated on each of its lines; the last block is text.
    let over = matches!(
        message.stop_reason.as_str(),
        "end_turn" | "stop_sequence" | "refusal"
    ) && !calls;
    let boundary = if over {
        Boundary::Ends
    } else {
        Boundary::Within
    };
    if frame.api_error || message.model.as_str() == "<synthetic>" {
        return frame.note(parts, boundary);
    }
    let origin = match (message.id.filled(), frame.request.clone().filled()) {
        (Some(message), Some(request)) => Some(Cow::Owned(format!("{message} {request}"))),
        (message, request) => message.or(request),
    };
    frame.event(Kind::Reply, origin, parts, boundary)
}

fn attachment<'a>(frame: Frame<'a>, attachment: Attachment<'a>) -> (Option<Event<'a>>, Boundary) {
    let content = attachment
        .snippet
        .filled()
        .or_else(|| match attachment.content {
            Content::Nothing => None,
            Content::Words(text) => Some(text),
            Content::Blocks(files) => files.into_iter().find_map(|file| {
                file.file
                    .content
                    .filled()
                    .or_else(|| file.text.filled())
                    .or_else(|| file.content.filled())
            }),
        });
    match attachment.kind.as_str() {
        // What the person typed while the agent worked.
        "queued_command" => {
            let (words, pictures) = prompt(attachment.prompt);
            if frame.hosts || attachment.mode.as_str() == "task-notification" {
                return frame.note(
                    words.into_iter().map(Part::Text).collect(),
                    Boundary::Within,
                );
            }
            Typed::of(words).event(frame, pictures)
        }
        "file" | "edited_text_file" | "directory" | "selected_lines_in_ide" | "mcp_resource" => {
            let path = attachment
                .file_name
                .filled()
                .or_else(|| attachment.path.filled());
            match content {
                Some(content) => frame.event(
                    Kind::File,
                    None,
                    path.into_iter().chain([content]).map(Part::Text).collect(),
                    Boundary::Within,
                ),
                None => frame.note(Vec::new(), Boundary::Within),
            }
        }
        _ => match attachment.plan.filled() {
            Some(plan) => frame.event(Kind::Plan, None, vec![Part::Text(plan)], Boundary::Within),
            None => frame.note(Vec::new(), Boundary::Within),
        },
    }
}

fn prompt<'a>(prompt: Content<'a, Item<'a>>) -> (Vec<Cow<'a, str>>, bool) {
    match prompt {
        Content::Nothing => (Vec::new(), false),
        Content::Words(text) => (vec![text], false),
        Content::Blocks(items) => {
            let pictures = items.iter().any(|item| item.kind.as_str() == "image");
            (
                items
                    .into_iter()
                    .filter_map(|item| item.text.filled())
                    .collect(),
                pictures,
            )
        }
    }
}

fn system<'a>(frame: Frame<'a>, subtype: &str, content: Text<'a>) -> (Option<Event<'a>>, Boundary) {
    match (subtype, content.filled()) {
        // Written after the turn's last reply.
        ("turn_duration" | "stop_hook_summary", _) => (
            None,
            if frame.aside {
                Boundary::Within
            } else {
                Boundary::Ends
            },
        ),
        // The compaction itself is the line that follows.
        ("compact_boundary" | "microcompact_boundary", _) | (_, None) => NOTHING,
        ("away_summary", Some(summary)) => frame.event(
            Kind::Summary,
            None,
            vec![Part::Text(summary)],
            Boundary::Within,
        ),
        (_, Some(words)) => frame.note(vec![Part::Text(words)], Boundary::Within),
    }
}
