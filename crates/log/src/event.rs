//! What a line of an agent's log says, in memfold's own terms. Every agent's lines are translated into this model;
//! `formats/events.md` is its page. Borrowed from the line wherever the line's bytes can stand as they are.

use std::borrow::Cow;

use crate::ids::Timestamp;

/// One line, translated: what it tells of the log, the event it holds, and whether a turn begins or ends with it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Reading<'a> {
    /// What the line says of the log as a whole.
    pub facts: Facts<'a>,
    /// The event that the line records, if it records one of ours.
    pub event: Option<Event<'a>>,
    /// Where the line stands in its turn.
    pub boundary: Boundary,
    /// How it stands to the lines before it, where the agent can go back in its log.
    pub course: Course<'a>,
    /// What left the model's window with it.
    pub elides: Elides<'a>,
}

/// What left the model's window with a line. The log still holds it.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Elides<'a> {
    /// Nothing; with the note of a compaction, all before it.
    #[default]
    AsItsKind,
    /// With the note of a compaction, all before the line of this name. Where that is not known, all before the note.
    Before(Cow<'a, str>),
    /// All before it, without a note of it.
    All,
    /// The results of these calls, which the model sees as a placeholder from here on.
    Results(Vec<Cow<'a, str>>),
}

/// How a line stands to those before it. Most agents' lines follow one another and have no names.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Course<'a> {
    /// The ids by which later lines name this one. Where it repeats the history, those of all that it repeats.
    pub names: Vec<Cow<'a, str>>,
    /// From where it goes on.
    pub follows: Follows<'a>,
}

/// From where a line goes on. What the task went back behind is abandoned: it happened, and is no part of the task any
/// more, until a line goes on from it.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Follows<'a> {
    /// From the line before it.
    #[default]
    Last,
    /// From the line before it; if an earlier line has its name, this one says the same more fully and counts in its place.
    Replaces,
    /// From the line of this name. One that is not known is the line before.
    After(Cow<'a, str>),
    /// From what precedes the line of this name; where that is not known, from nothing.
    Before(Cow<'a, str>),
    /// From nothing: all that came before is abandoned.
    Nothing,
}

/// Where a line stands in its turn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Boundary {
    /// Inside a turn.
    #[default]
    Within,
    /// A turn begins with this line: a message of the person.
    Begins,
    /// The turn is whole after this line: the log's own mark, or a final reply without calls.
    Ends,
}

/// What a line says of its log. Later lines add to earlier ones; [`Facts::title`] alone may be replaced.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Facts<'a> {
    /// The log's own id.
    pub task: Option<Cow<'a, str>>,
    /// The id of the task that started this one as its helper.
    pub parent: Option<Cow<'a, str>>,
    /// The id of the task of which this one is a fork.
    pub forked_from: Option<Cow<'a, str>>,
    /// This whole log is a helper's (a sub-agent's), under this label.
    pub helper: Option<Cow<'a, str>>,
    /// The working directory, as the log spells it.
    pub cwd: Option<Cow<'a, str>>,
    /// A title of the task.
    pub title: Option<Title<'a>>,
    /// The branch checked out.
    pub branch: Option<Cow<'a, str>>,
    /// When the line was written.
    pub time: Option<Timestamp>,
}

/// A title of a task, by who gave it. A later title of the same or a higher rank replaces an earlier one.
#[derive(Clone, Debug, PartialEq)]
pub enum Title<'a> {
    /// A summary the agent wrote for its list of tasks.
    Summary(Cow<'a, str>),
    /// A title the agent's model gave.
    Given(Cow<'a, str>),
    /// A title the person typed.
    Person(Cow<'a, str>),
}

/// One event of a log.
#[derive(Clone, Debug, PartialEq)]
pub struct Event<'a> {
    /// What happened.
    pub kind: Kind,
    /// The helper (sub-agent) in whose context it happened, inside a log that is not the helper's own.
    pub helper: Option<Cow<'a, str>>,
    /// When, as the log says.
    pub time: Option<Timestamp>,
    /// What makes this event the same as a copy of it elsewhere.
    pub identity: Identity<'a>,
    /// What it says, in the line's order. A line with several results has one part for each.
    pub parts: Vec<Part<'a>>,
}

/// What happened. The kinds before [`Kind::Unranked`] are those that a search ranks and a recall reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// The person's message.
    Person,
    /// The agent's reply, with its calls.
    Reply,
    /// The results of calls.
    Result,
    /// A file attached to the conversation.
    File,
    /// A plan.
    Plan,
    /// A summary written while the task went on.
    Summary,
    /// The note that a compaction left in place of what it removed.
    Compaction,
    /// Never ranked, and why.
    Unranked(Unranked),
}

/// Why an event is never ranked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Unranked {
    /// A guard's decision.
    Guard,
    /// A record of what left the machine.
    Egress,
    /// A request as it was sent to a model.
    Request,
    /// A note of the host: reminders, hook output, command echoes, states.
    Note,
    /// The model's thinking.
    Thinking,
    /// A record of the repository's index.
    IndexUpdate,
    /// A helper's copy of its instructions, which its parent's call already says.
    Instructions,
}

/// One part of an event.
#[derive(Clone, Debug, PartialEq)]
pub enum Part<'a> {
    /// Words.
    Text(Cow<'a, str>),
    /// A call that a reply makes.
    Call(Call<'a>),
    /// What a call returned.
    Output(Output<'a>),
}

/// A call of a tool.
#[derive(Clone, Debug, PartialEq)]
pub struct Call<'a> {
    /// The id by which its result names it; empty where the log has none.
    pub id: Cow<'a, str>,
    /// The tool's name.
    pub tool: Cow<'a, str>,
    /// The argument that says the most, on one line: the command, the path, the pattern.
    pub subject: Cow<'a, str>,
    /// Every string of the arguments, a line each, in their order.
    pub arguments: Cow<'a, str>,
    /// The names of the arguments at every depth, each once, a line each: a name of a tool's own may be what is asked for.
    pub names: Cow<'a, str>,
    /// What the call does, as far as a card tells it.
    pub effect: Effect<'a>,
    /// The arguments as they were given.
    pub given: Given<'a>,
}

/// A call's arguments, each value under the top-level name that holds it; text without a name under the empty one.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Given<'a> {
    /// The strings, in their order.
    pub strings: Vec<(Cow<'a, str>, Cow<'a, str>)>,
    /// The whole numbers, and the switches as 0 and 1, in their order.
    pub numbers: Vec<(Cow<'a, str>, i64)>,
}

impl Given<'_> {
    /// The first string under the first of these names that has one.
    pub fn text(&self, names: &[&str]) -> Option<&str> {
        names.iter().find_map(|name| {
            let mut strings = self.strings.iter();
            strings
                .find(|(key, text)| key == name && !text.is_empty())
                .map(|(_, text)| &**text)
        })
    }

    /// The first whole number under this name.
    pub fn number(&self, name: &str) -> Option<i64> {
        let mut numbers = self.numbers.iter();
        numbers
            .find(|(key, _)| key == name)
            .map(|(_, number)| *number)
    }
}

/// What a call does.
#[derive(Clone, Debug, PartialEq)]
pub enum Effect<'a> {
    /// Reads a file.
    Reads(Cow<'a, str>),
    /// Writes a file.
    Edits(Cow<'a, str>),
    /// Writes several files (a patch).
    EditsMany(Vec<Cow<'a, str>>),
    /// Runs a command.
    Runs(Cow<'a, str>),
    /// Starts a helper.
    Delegates,
    /// Searches or reads back earlier events: neither the call nor its result is ranked,
    /// since they repeat other events and a search would find itself.
    Retrieves,
    /// Anything else.
    Other,
}

/// What a call returned.
#[derive(Clone, Debug, PartialEq)]
pub struct Output<'a> {
    /// The id of the call it answers; empty where the log has none.
    pub call: Cow<'a, str>,
    /// The tool's name where the result's own line says it, for logs whose calls have no id.
    pub tool: Option<Cow<'a, str>>,
    /// What was returned, as text. JSON that is not a shell's is indented.
    pub text: Cow<'a, str>,
    /// How it went.
    pub outcome: Outcome,
    /// A file beside the log that holds the whole text, of which `text` is a preview.
    pub persisted: Option<Cow<'a, str>>,
}

/// How a call went.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Outcome {
    /// The log does not say that it failed.
    #[default]
    Unknown,
    /// A process's exit code.
    Exit(i32),
    /// The log calls it an error.
    Failed,
}

/// What makes two lines the same event. Either equality is enough.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Identity<'a> {
    /// The event's own id (Claude Code's `uuid`).
    pub id: Option<Cow<'a, str>>,
    /// What survives a copy under a new id (message id, request id, call id): with the hash of the parts it is a key.
    /// Empty: the parts alone are no key, since a person may say the same thing twice.
    pub origin: Option<Cow<'a, str>>,
}
