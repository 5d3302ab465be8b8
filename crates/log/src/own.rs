//! memfold's own event lines: what an agent writes that adopts the event model directly, and what memfold itself records.
//! `formats/events.md` is the page, `formats/events.schema.json` its schema; the JSON itself is in `wire`.

mod wire;

use std::borrow::Cow;

use serde_json::value::RawValue;

use crate::ids::Timestamp;

/// The version that this program writes, and the newest it reads.
pub const VERSION: u32 = 1;

/// One line of memfold's own log.
#[derive(Clone, Debug)]
pub struct Record<'a> {
    /// When it happened.
    pub time: Option<Timestamp>,
    /// The event's id. It stays with the event when a fork copies it.
    pub id: Option<Cow<'a, str>>,
    /// The label of the helper in whose context it happened; none in the main context.
    pub agent: Option<Cow<'a, str>>,
    /// What happened.
    pub body: Body<'a>,
}

impl<'a> Record<'a> {
    /// A record of the main context, without time and id.
    pub fn new(body: Body<'a>) -> Record<'a> {
        Record {
            time: None,
            id: None,
            agent: None,
            body,
        }
    }

    /// Reads a line. An unknown kind, and any line of a newer version, is [`Body::Unknown`], not an error: it is counted
    /// and skipped. What is not JSON, or has a known kind and a field of the wrong type, is an error: a broken line.
    ///
    /// ```
    /// use memfold_log::own::{Body, Record};
    ///
    /// let line = r#"{"v":1,"kind":"result","results":[{"call":"c1","text":"FAILED","exit":101}]}"#;
    /// let Body::Result { results } = Record::parse(line)?.body else { panic!() };
    /// assert_eq!(results[0].exit, Some(101));
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    pub fn parse(line: &'a str) -> Result<Record<'a>, serde_json::Error> {
        wire::read(line)
    }

    /// Writes the line's JSON behind what `into` holds: no newline in it, and none behind it.
    /// [`Body::Unknown`] cannot be written.
    pub fn write_json(&self, into: &mut Vec<u8>) -> Result<(), serde_json::Error> {
        wire::write(self, into)
    }
}

/// What happened.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Body<'a> {
    /// `log.open`: what the log is. The first line; a later one (after a resume) may add what was not known.
    Open(Box<Open<'a>>),
    /// `log.title`: a title of the task.
    Title {
        /// The title.
        title: Cow<'a, str>,
        /// Who gave it.
        by: By,
    },
    /// `person`: the person's message. A turn begins.
    Person {
        /// The message.
        text: Cow<'a, str>,
    },
    /// `reply`: the agent's reply, with its calls.
    Reply {
        /// What it says; may be empty.
        text: Cow<'a, str>,
        /// The tools it calls.
        calls: Vec<Call<'a>>,
    },
    /// `result`: the results of calls.
    Result {
        /// One for each call answered.
        results: Vec<CallResult<'a>>,
    },
    /// `file`: a file attached to the conversation.
    File {
        /// Its path.
        path: Cow<'a, str>,
        /// Its text.
        text: Cow<'a, str>,
    },
    /// `plan`.
    Plan {
        /// The plan.
        text: Cow<'a, str>,
    },
    /// `summary`: written while the task went on.
    Summary {
        /// The summary.
        text: Cow<'a, str>,
    },
    /// `compaction`: the note that a compaction left in place of what it removed from the model's view.
    Compaction {
        /// The note.
        text: Cow<'a, str>,
    },
    /// `turn.end`: the turn is whole; with a helper's label, the helper's work is.
    TurnEnd {
        /// Why: `done`, `stopped`, `failed`, or the writer's own word.
        reason: Option<Cow<'a, str>>,
    },
    /// Recorded, never ranked.
    Unranked {
        /// What it is.
        kind: Unranked,
        /// Words for a person who reads the log.
        text: Option<Cow<'a, str>>,
        /// The kind's own fields.
        data: Option<Cow<'a, RawValue>>,
    },
    /// A kind this program does not know, or a line of a newer version.
    Unknown {
        /// The line's version.
        version: u32,
        /// Its kind.
        kind: Cow<'a, str>,
    },
}

impl<'a> Body<'a> {
    /// A log's first line with what every log must say.
    pub fn open(task: impl Into<Cow<'a, str>>, cwd: impl Into<Cow<'a, str>>) -> Body<'a> {
        Body::Open(Box::new(Open {
            task: Some(task.into()),
            cwd: Some(cwd.into()),
            ..Open::default()
        }))
    }
}

/// What a log is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Open<'a> {
    /// The log's own id.
    pub task: Option<Cow<'a, str>>,
    /// The working directory.
    pub cwd: Option<Cow<'a, str>>,
    /// The program that writes the log.
    pub host: Option<Cow<'a, str>>,
    /// The task that started this one as its helper; the record's `agent` is then the helper's label.
    pub parent: Option<Cow<'a, str>>,
    /// The task of which this one is a fork.
    pub forked_from: Option<Cow<'a, str>>,
    /// The branch checked out.
    pub branch: Option<Cow<'a, str>>,
}

/// Who gave a title.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum By {
    /// A person typed it.
    Person,
    /// It is a summary that the agent made for its list of tasks.
    Summary,
    /// The agent's model gave it, or it is not known who.
    #[default]
    #[serde(other)]
    Model,
}

/// A call of a tool.
#[derive(Clone, Debug)]
pub struct Call<'a> {
    /// The id by which its result names it.
    pub id: Cow<'a, str>,
    /// The tool.
    pub tool: Cow<'a, str>,
    /// Its arguments, as JSON.
    pub input: Option<Cow<'a, RawValue>>,
}

/// What a call returned.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CallResult<'a> {
    /// The id of the call.
    pub call: Cow<'a, str>,
    /// The tool, where the writer's calls have no ids.
    pub tool: Option<Cow<'a, str>>,
    /// What was returned, as text.
    pub text: Cow<'a, str>,
    /// A process's exit code.
    pub exit: Option<i32>,
    /// The call failed.
    pub failed: bool,
    /// A file beside the log that holds the whole text, of which `text` is a preview.
    pub persisted: Option<Cow<'a, str>>,
}

/// A kind that is recorded and never ranked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Unranked {
    /// `guard.decision`: whether something was allowed.
    GuardDecision,
    /// `egress`: what left the machine.
    Egress,
    /// `request`: a request as it was sent to a model.
    Request,
    /// `note`: a note of the host.
    Note,
    /// `thinking`: the model's thinking.
    Thinking,
    /// `instructions`: a helper's copy of its instructions, which the call that started it already says.
    Instructions,
    /// `index.update`: what was indexed of the repository.
    IndexUpdate,
    /// `index.forget`: the index was forgotten.
    IndexForget,
    /// `asked.search`: an agent searched by memfold.
    AskedSearch,
    /// `asked.recall`: an agent read an event back.
    AskedRecall,
    /// `asked.update`: an agent had the index brought up to date.
    AskedUpdate,
}

#[cfg(test)]
mod tests;
