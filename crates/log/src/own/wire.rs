//! The JSON of [`Record`]: one flat object a line, absent fields left out, unknown fields passed over.

use std::borrow::Cow;

use serde::ser::{Error as _, SerializeMap};
use serde::{Deserialize, Serialize, Serializer};
use serde_json::value::RawValue;

use super::{Body, By, Call, CallResult, Open, Record, Unranked, VERSION};
use crate::ids::Timestamp;

/// What decides how a line is read.
#[derive(Deserialize)]
struct Head<'a> {
    v: u32,
    #[serde(borrow)]
    kind: Cow<'a, str>,
}

/// Every field of every known kind.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Fields<'a> {
    #[serde(borrow)]
    time: Maybe<'a>,
    #[serde(borrow)]
    id: Maybe<'a>,
    #[serde(borrow)]
    agent: Maybe<'a>,
    #[serde(borrow)]
    task: Maybe<'a>,
    #[serde(borrow)]
    cwd: Maybe<'a>,
    #[serde(borrow)]
    host: Maybe<'a>,
    #[serde(borrow)]
    parent: Maybe<'a>,
    #[serde(borrow)]
    forked_from: Maybe<'a>,
    #[serde(borrow)]
    branch: Maybe<'a>,
    #[serde(borrow)]
    title: Maybe<'a>,
    by: Option<By>,
    #[serde(borrow)]
    text: Maybe<'a>,
    #[serde(borrow)]
    path: Maybe<'a>,
    #[serde(borrow)]
    reason: Maybe<'a>,
    #[serde(borrow)]
    calls: Option<Vec<ReadCall<'a>>>,
    #[serde(borrow)]
    results: Option<Vec<ReadResult<'a>>>,
    #[serde(borrow)]
    data: Option<&'a RawValue>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct ReadCall<'a> {
    #[serde(borrow)]
    id: Maybe<'a>,
    #[serde(borrow)]
    tool: Maybe<'a>,
    #[serde(borrow)]
    input: Option<&'a RawValue>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct ReadResult<'a> {
    #[serde(borrow)]
    call: Maybe<'a>,
    #[serde(borrow)]
    tool: Maybe<'a>,
    #[serde(borrow)]
    text: Maybe<'a>,
    exit: Option<i32>,
    failed: Option<bool>,
    #[serde(borrow)]
    persisted: Maybe<'a>,
}

/// A text that may be absent or null. Serde borrows a `Cow` only where it is a field by itself, hence the two types.
#[derive(Default, Deserialize)]
struct Maybe<'a>(#[serde(borrow)] Option<Text<'a>>);

#[derive(Deserialize)]
struct Text<'a>(#[serde(borrow)] Cow<'a, str>);

impl<'a> Maybe<'a> {
    fn or_empty(self) -> Cow<'a, str> {
        self.0.map(|text| text.0).unwrap_or_default()
    }
}

impl<'a> From<Maybe<'a>> for Option<Cow<'a, str>> {
    fn from(maybe: Maybe<'a>) -> Self {
        maybe.0.map(|text| text.0)
    }
}

pub(super) fn read(line: &str) -> Result<Record<'_>, serde_json::Error> {
    let Head { v, kind } = serde_json::from_str(line)?;
    let unranked = Unranked::named(&kind);
    if v == 0 || v > VERSION || (unranked.is_none() && !KINDS.contains(&kind.as_ref())) {
        return Ok(Record::new(Body::Unknown { version: v, kind }));
    }
    let fields: Fields<'_> = serde_json::from_str(line)?;
    let text: Option<Cow<'_, str>> = fields.text.into();
    let words = text.clone().unwrap_or_default();
    let body = match (kind.as_ref(), unranked) {
        (_, Some(kind)) => Body::Unranked {
            kind,
            text,
            data: fields.data.map(Cow::Borrowed),
        },
        ("log.open", _) => Body::Open(Box::new(Open {
            task: fields.task.into(),
            cwd: fields.cwd.into(),
            host: fields.host.into(),
            parent: fields.parent.into(),
            forked_from: fields.forked_from.into(),
            branch: fields.branch.into(),
        })),
        ("log.title", _) => Body::Title {
            title: fields.title.or_empty(),
            by: fields.by.unwrap_or_default(),
        },
        ("person", _) => Body::Person { text: words },
        ("reply", _) => Body::Reply {
            text: words,
            calls: fields.calls.into_iter().flatten().map(Call::from).collect(),
        },
        ("result", _) => Body::Result {
            results: fields
                .results
                .into_iter()
                .flatten()
                .map(CallResult::from)
                .collect(),
        },
        ("file", _) => Body::File {
            path: fields.path.or_empty(),
            text: words,
        },
        ("plan", _) => Body::Plan { text: words },
        ("summary", _) => Body::Summary { text: words },
        ("compaction", _) => Body::Compaction { text: words },
        ("turn.end", _) => Body::TurnEnd {
            reason: fields.reason.into(),
        },
        _ => Body::Unknown { version: v, kind },
    };
    let time = fields.time.0.and_then(|time| Timestamp::parse(&time.0));
    Ok(Record {
        time,
        id: fields.id.into(),
        agent: fields.agent.into(),
        body,
    })
}

impl<'a> From<ReadCall<'a>> for Call<'a> {
    fn from(call: ReadCall<'a>) -> Self {
        Call {
            id: call.id.or_empty(),
            tool: call.tool.or_empty(),
            input: call.input.map(Cow::Borrowed),
        }
    }
}

impl<'a> From<ReadResult<'a>> for CallResult<'a> {
    fn from(result: ReadResult<'a>) -> Self {
        CallResult {
            call: result.call.or_empty(),
            tool: result.tool.into(),
            text: result.text.or_empty(),
            exit: result.exit,
            failed: result.failed.unwrap_or_default(),
            persisted: result.persisted.into(),
        }
    }
}

/// The kinds with fields of their own; the others are [`Unranked`].
const KINDS: [&str; 10] = [
    "log.open",
    "log.title",
    "person",
    "reply",
    "result",
    "file",
    "plan",
    "summary",
    "compaction",
    "turn.end",
];

impl Unranked {
    /// All of them.
    pub const ALL: [Unranked; 11] = [
        Unranked::GuardDecision,
        Unranked::Egress,
        Unranked::Request,
        Unranked::Note,
        Unranked::Thinking,
        Unranked::Instructions,
        Unranked::IndexUpdate,
        Unranked::IndexForget,
        Unranked::AskedSearch,
        Unranked::AskedRecall,
        Unranked::AskedUpdate,
    ];

    /// The kind as a line spells it.
    pub fn name(self) -> &'static str {
        match self {
            Unranked::GuardDecision => "guard.decision",
            Unranked::Egress => "egress",
            Unranked::Request => "request",
            Unranked::Note => "note",
            Unranked::Thinking => "thinking",
            Unranked::Instructions => "instructions",
            Unranked::IndexUpdate => "index.update",
            Unranked::IndexForget => "index.forget",
            Unranked::AskedSearch => "asked.search",
            Unranked::AskedRecall => "asked.recall",
            Unranked::AskedUpdate => "asked.update",
        }
    }

    fn named(name: &str) -> Option<Unranked> {
        Unranked::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

impl Body<'_> {
    /// The kind as a line spells it.
    pub fn kind(&self) -> &str {
        match self {
            Body::Open(_) => "log.open",
            Body::Title { .. } => "log.title",
            Body::Person { .. } => "person",
            Body::Reply { .. } => "reply",
            Body::Result { .. } => "result",
            Body::File { .. } => "file",
            Body::Plan { .. } => "plan",
            Body::Summary { .. } => "summary",
            Body::Compaction { .. } => "compaction",
            Body::TurnEnd { .. } => "turn.end",
            Body::Unranked { kind, .. } => kind.name(),
            Body::Unknown { kind, .. } => kind,
        }
    }
}

/// A record as it is written.
struct Line<'r, 'a>(&'r Record<'a>);

pub(super) fn write(record: &Record<'_>, into: &mut Vec<u8>) -> Result<(), serde_json::Error> {
    let from = into.len();
    serde_json::to_writer(&mut *into, &Line(record))?;
    // JSON that others wrote (a call's arguments) may be spread over lines. In JSON a raw newline is white space always.
    let mut rest = into.get_mut(from..).unwrap_or_default();
    while let Some(at) = memchr::memchr2(b'\n', b'\r', rest) {
        let Some((byte, more)) = rest.get_mut(at..).and_then(<[u8]>::split_first_mut) else {
            break;
        };
        *byte = b' ';
        rest = more;
    }
    Ok(())
}

impl Serialize for Line<'_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Record {
            time,
            id,
            agent,
            body,
        } = self.0;
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("v", &VERSION)?;
        map.serialize_entry("kind", body.kind())?;
        maybe(&mut map, "time", &time.map(Timestamp::rfc3339))?;
        maybe(&mut map, "id", id)?;
        maybe(&mut map, "agent", agent)?;
        match body {
            Body::Open(open) => {
                maybe(&mut map, "task", &open.task)?;
                maybe(&mut map, "cwd", &open.cwd)?;
                maybe(&mut map, "host", &open.host)?;
                maybe(&mut map, "parent", &open.parent)?;
                maybe(&mut map, "forked_from", &open.forked_from)?;
                maybe(&mut map, "branch", &open.branch)?;
            }
            Body::Title { title, by } => {
                map.serialize_entry("title", title)?;
                map.serialize_entry("by", by)?;
            }
            Body::Person { text }
            | Body::Plan { text }
            | Body::Summary { text }
            | Body::Compaction { text } => {
                map.serialize_entry("text", text)?;
            }
            Body::Reply { text, calls } => {
                map.serialize_entry("text", text)?;
                if !calls.is_empty() {
                    map.serialize_entry("calls", calls)?;
                }
            }
            Body::Result { results } => map.serialize_entry("results", results)?,
            Body::File { path, text } => {
                map.serialize_entry("path", path)?;
                map.serialize_entry("text", text)?;
            }
            Body::TurnEnd { reason } => maybe(&mut map, "reason", reason)?,
            Body::Unranked { text, data, .. } => {
                maybe(&mut map, "text", text)?;
                maybe(&mut map, "data", data)?;
            }
            Body::Unknown { kind, .. } => {
                return Err(S::Error::custom(format!("the kind {kind:?} is not known")));
            }
        }
        map.end()
    }
}

impl Serialize for Call<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("id", &self.id)?;
        map.serialize_entry("tool", &self.tool)?;
        maybe(&mut map, "input", &self.input)?;
        map.end()
    }
}

impl Serialize for CallResult<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("call", &self.call)?;
        maybe(&mut map, "tool", &self.tool)?;
        map.serialize_entry("text", &self.text)?;
        maybe(&mut map, "exit", &self.exit)?;
        if self.failed {
            map.serialize_entry("failed", &true)?;
        }
        maybe(&mut map, "persisted", &self.persisted)?;
        map.end()
    }
}

fn maybe<M: SerializeMap>(
    map: &mut M,
    key: &str,
    value: &Option<impl Serialize>,
) -> Result<(), M::Error> {
    match value {
        Some(value) => map.serialize_entry(key, value),
        None => Ok(()),
    }
}
