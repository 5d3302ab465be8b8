//! A log, read line by line into documents with their words counted. Only the agents' translation and the redactor are
//! the program's own; they are held by their own tests.

use std::collections::HashMap;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use memfold_log::event::{self, Boundary, Call, Course, Effect, Event, Follows, Kind, Part};
use memfold_log::{Timestamp, Unzstd};
use memfold_redact::redact;
use serde_json::value::RawValue;

use crate::words::{Kind as WordKind, Term, Word, words};

/// A call counts this often in its result, without its whole names.
const CALL_WEIGHT: u64 = 3;
/// So much of a call's words, in bytes, is told again by its result.
const CALL_WORDS: usize = 4096;
/// So many calls wait for their result; then the oldest gives way.
const OPEN_CALLS: usize = 1024;
/// A run of base64's characters this long holds no words.
const DATA: usize = 512;
/// A longer pause, in milliseconds, ends a sitting.
const PAUSE: i64 = 60 * 60 * 1000;
/// Only so many bytes at a part's start and at its end tell it from another of its length.
const EDGE: usize = 512;
/// The agent is told by so much of a log.
const HEAD: usize = 64 << 10;

const MONTHS: &str =
    "january february march april may june july august september october november december";

/// A log.
#[derive(Clone, Debug)]
pub struct Log {
    /// Its file.
    pub path: PathBuf,
    /// The earliest and the latest time that a line names.
    pub started: Option<i64>,
    /// The latest.
    pub ended: Option<i64>,
    /// Its events that are ranked.
    pub documents: Vec<Document>,
}

/// An event that is ranked.
#[derive(Clone, Debug)]
pub struct Document {
    /// The number of its line, from 1.
    pub seq: usize,
    /// What happened.
    pub kind: Kind,
    /// The sitting in which it did.
    pub sitting: u32,
    /// How often it holds each term.
    pub terms: HashMap<Term, u64>,
    /// How many words it has.
    pub length: u64,
    /// What it says.
    pub text: String,
    /// Two events with a key in common are one.
    pub keys: Vec<Key>,
    /// Another log's copy of the event, or a later line of this log, counts in its place.
    pub is_copy: bool,
    /// The task went back behind it and on without it.
    pub is_abandoned: bool,
}

/// What makes an event the same as its copies.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Key {
    /// Its own id.
    Id(String),
    /// What survives a copy under another id, the kind, and what the event says.
    Origin(String, Kind, Vec<String>),
}

/// A call that waits for its result.
struct OpenCall {
    id: String,
    words: String,
    retrieves: bool,
}

impl Log {
    /// Reads a log, if it is one of an agent that is known. Its lines must be shorter than 8 MiB: none is cut here.
    pub fn read(path: &Path) -> Option<Log> {
        let mut bytes = fs::read(path).ok()?;
        if path.extension().is_some_and(|extension| extension == "zst") {
            let mut text = Vec::new();
            Unzstd::new(&bytes[..]).ok()?.read_to_end(&mut text).ok()?;
            bytes = text;
        }
        let head = &bytes[..bytes.len().min(HEAD)];
        let whole = [head];
        let lines: Vec<&[u8]> = head
            .split(|byte| *byte == b'\n')
            .filter(|line| !line.is_empty())
            .collect();
        let whole_file = path
            .extension()
            .is_some_and(|extension| extension == "json");
        let agent = memfold_agents::detect(path, if whole_file { &whole } else { &lines })?;
        let messages = match whole_file {
            true => messages(&bytes, agent.messages()),
            false => Vec::new(),
        };
        let lines: Vec<&[u8]> = match whole_file {
            true => messages
                .iter()
                .map(|message| message.get().as_bytes())
                .collect(),
            false => bytes.split(|byte| *byte == b'\n').collect(),
        };
        let readings: Vec<(usize, event::Reading<'_>)> = lines
            .into_iter()
            .enumerate()
            .filter_map(|(number, line)| {
                let line = match number {
                    0 => line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line),
                    _ => line,
                };
                let line = line.strip_suffix(b"\r").unwrap_or(line);
                // Blank, broken, torn: no line of the agent's.
                Some((number + 1, agent.read(line).ok()?))
            })
            .collect();
        let mut log = Reading::new(path);
        if whole_file {
            log.facts(&agent.read_document(&bytes));
        }
        for (place, (seq, reading)) in readings.iter().enumerate() {
            log.facts(&reading.facts);
            if !is_said_again(reading, &readings[place + 1..]) {
                log.line(*seq, reading);
            }
        }
        Some(log.finish())
    }
}

/// The messages of a whole-file log, each as it is written.
fn messages(bytes: &[u8], path: &[&str]) -> Vec<Box<RawValue>> {
    let mut json: Box<RawValue> = serde_json::from_slice(bytes).unwrap_or_default();
    for key in path {
        let mut object: HashMap<String, Box<RawValue>> =
            serde_json::from_str(json.get()).unwrap_or_default();
        json = object.remove(*key).unwrap_or_default();
    }
    serde_json::from_str(json.get()).unwrap_or_default()
}

/// Whether the next line that says anything says the same event more fully.
fn is_said_again(reading: &event::Reading<'_>, later: &[(usize, event::Reading<'_>)]) -> bool {
    let says_anything =
        |next: &event::Reading<'_>| next.event.is_some() || next.course != Course::default();
    let ranked = reading
        .event
        .as_ref()
        .is_some_and(|event| !matches!(event.kind, Kind::Unranked(_)));
    let next = later
        .iter()
        .map(|(_, next)| next)
        .find(|next| says_anything(next));
    ranked
        && reading.boundary == Boundary::Within
        && reading.course.follows == Follows::Replaces
        && next.is_some_and(|next| next.course == reading.course)
}

/// A log as far as it is read.
struct Reading {
    log: Log,
    open: Vec<OpenCall>,
    task: Option<String>,
    helper: Option<String>,
    sitting: u32,
    last_time: Option<i64>,
    /// The first line of each name, and its last document.
    names: HashMap<String, (usize, Option<usize>)>,
    /// By line: the lines that the task had behind it there.
    paths: HashMap<usize, Vec<usize>>,
    /// The last line.
    at: usize,
    /// The last line that named itself anew or went back. One without a name stands where it is written, until the task
    /// goes on from before it.
    told: usize,
}

impl Reading {
    fn new(path: &Path) -> Reading {
        Reading {
            log: Log {
                path: path.to_owned(),
                started: None,
                ended: None,
                documents: Vec::new(),
            },
            open: Vec::new(),
            task: None,
            helper: None,
            sitting: 0,
            last_time: None,
            names: HashMap::new(),
            paths: HashMap::new(),
            at: 0,
            told: 0,
        }
    }

    fn finish(mut self) -> Log {
        let live = self.path(self.at);
        for document in &mut self.log.documents {
            document.is_abandoned = !live.contains(&document.seq);
        }
        self.log
    }

    /// The lines that the task had behind it at a line: at a line that says nothing, those of the line before.
    fn path(&self, line: usize) -> Vec<usize> {
        let said = (1..=line).rev().find_map(|line| self.paths.get(&line));
        said.cloned().unwrap_or_default()
    }

    fn facts(&mut self, facts: &event::Facts<'_>) {
        // Whose log it is, the first line says that names a task.
        if self.task.is_none() && facts.task.as_ref().is_some_and(|task| !task.is_empty()) {
            self.task = facts.task.as_deref().map(str::to_owned);
            self.helper = facts.helper.as_deref().map(str::to_owned);
        }
        if let Some(Timestamp(time)) = facts.time {
            let log = &mut self.log;
            log.started = Some(log.started.map_or(time, |known| known.min(time)));
            log.ended = Some(log.ended.map_or(time, |known| known.max(time)));
        }
    }

    fn line(&mut self, seq: usize, reading: &event::Reading<'_>) {
        let course = &reading.course;
        let first = |name: &str| self.names.get(name).map(|(line, _)| *line);
        let back = match &course.follows {
            Follows::Last | Follows::Replaces => None,
            Follows::After(name) => first(name).filter(|line| *line != self.told),
            Follows::Before(name) => Some(first(name).map_or(0, |line| line - 1)),
            Follows::Nothing => (self.told != 0).then_some(0),
        };
        let mut path = self.path(back.unwrap_or(self.at));
        path.push(seq);
        let replaces = course.follows == Follows::Replaces;
        let mut names = course.names.iter();
        if back.is_some() || names.any(|name| replaces || first(name).is_none()) {
            self.told = seq;
        }
        self.paths.insert(seq, path);
        self.at = seq;

        let known = course.names.iter().find_map(|name| self.names.get(&**name));
        let replaced = known
            .copied()
            .filter(|_| course.follows == Follows::Replaces);
        let before = self.log.documents.len();
        self.says(seq, reading, replaced.is_some());
        let document = (self.log.documents.len() > before).then_some(before);
        // A line that repeats the history speaks for itself alone.
        let document = document.filter(|_| course.follows == Follows::Replaces);
        if let Some((_, Some(earlier))) = replaced {
            self.log.documents[earlier].is_copy = true;
        }
        for name in &course.names {
            let named = self.names.entry(name.to_string()).or_insert((seq, None));
            named.1 = document.or(named.1);
        }
    }

    fn says(&mut self, seq: usize, reading: &event::Reading<'_>, repeats: bool) {
        let Some(event) = &reading.event else { return };
        if matches!(event.kind, Kind::Unranked(_)) {
            return;
        }
        let keys = keys(event);
        let is_copy = |document: &Document| document.keys.iter().any(|key| keys.contains(key));
        if !repeats && self.log.documents.iter().any(is_copy) {
            return;
        }
        // Nobody but its parent speaks to a helper.
        if event.kind == Kind::Person && self.helper.is_some() {
            return;
        }
        let replaces = reading.course.follows == Follows::Replaces;
        self.event(seq, event, keys, replaces);
    }

    fn event(&mut self, seq: usize, event: &Event<'_>, keys: Vec<Key>, replaces: bool) {
        let own = |id: &str| {
            let mut calls = event.parts.iter().filter_map(|part| match part {
                Part::Call(call) => Some(call),
                _ => None,
            });
            calls
                .find(|call| call.id == id && !id.is_empty())
                .map(open_call)
        };
        let answered: Vec<Option<OpenCall>> = event
            .parts
            .iter()
            .map(|part| match part {
                Part::Output(output) => own(&output.call).or_else(|| self.answered(&output.call)),
                _ => None,
            })
            .collect();
        let retrieved = |id: &str| {
            let mut calls = answered.iter().flatten();
            calls.any(|call| call.retrieves && call.id == id)
        };
        let says_something = event.parts.iter().any(|part| match part {
            Part::Text(text) => !text.trim().is_empty(),
            Part::Call(call) => call.effect != Effect::Retrieves,
            Part::Output(output) => !retrieved(&output.call),
        });
        if says_something {
            let mut bag = Bag::default();
            bag.add(speaker(event.kind), 1);
            if let Some(helper) = event.helper.as_deref().or(self.helper.as_deref()) {
                bag.add(helper, 1);
            }
            if let Some(time) = event.time {
                bag.add(&date(time), 1);
            }
            for (part, call) in event.parts.iter().zip(&answered) {
                match part {
                    Part::Text(text) => bag.add(&redact(text), 1),
                    Part::Call(call) if call.effect == Effect::Retrieves => {}
                    Part::Call(call) => {
                        bag.add(&call.tool, 1);
                        bag.add(&redact(&call.arguments), 1);
                        bag.add(&redact(&call.names), 1);
                    }
                    Part::Output(output) if retrieved(&output.call) => {}
                    Part::Output(output) => {
                        match (call, &output.tool) {
                            (Some(call), _) => bag.add_parts(&call.words, CALL_WEIGHT),
                            (None, Some(tool)) => bag.add_parts(tool, CALL_WEIGHT),
                            (None, None) => {}
                        }
                        bag.add(&redact(&output.text), 1);
                    }
                }
            }
            let sitting = self.sitting(event.time);
            self.log.documents.push(Document {
                seq,
                kind: event.kind,
                sitting,
                terms: bag.terms,
                length: bag.length,
                text: text(event),
                keys,
                is_copy: false,
                is_abandoned: false,
            });
        }
        for part in &event.parts {
            if let Part::Call(call) = part {
                let answers = |part: &Part<'_>| matches!(part, Part::Output(output) if output.call == call.id);
                if replaces {
                    self.answered(&call.id);
                }
                if !event.parts.iter().any(answers) {
                    self.open(call);
                }
            }
        }
    }

    fn answered(&mut self, id: &str) -> Option<OpenCall> {
        let place = self
            .open
            .iter()
            .position(|call| call.id == id && !id.is_empty())?;
        Some(self.open.remove(place))
    }

    fn open(&mut self, call: &Call<'_>) {
        if call.id.is_empty() {
            return;
        }
        if self.open.len() >= OPEN_CALLS {
            self.open.remove(0);
        }
        self.open.push(open_call(call));
    }

    fn sitting(&mut self, time: Option<Timestamp>) -> u32 {
        if let Some(Timestamp(now)) = time {
            if self.last_time.is_some_and(|last| now - last > PAUSE) {
                self.sitting += 1;
            }
            self.last_time = Some(now);
        }
        self.sitting
    }
}

fn open_call(call: &Call<'_>) -> OpenCall {
    let mut words = format!("{}\n{}", call.tool, redact(&call.arguments));
    while words.len() > CALL_WORDS {
        words.pop();
    }
    OpenCall {
        id: call.id.to_string(),
        words,
        retrieves: call.effect == Effect::Retrieves,
    }
}

/// Words, counted.
#[derive(Default)]
struct Bag {
    terms: HashMap<Term, u64>,
    length: u64,
}

impl Bag {
    fn add(&mut self, text: &str, weight: u64) {
        for word in words(&without_data(text)) {
            self.count(&word, weight);
        }
    }

    fn add_parts(&mut self, text: &str, weight: u64) {
        for word in words(&without_data(text)) {
            if word.kind != WordKind::Name {
                self.count(&word, weight);
            }
        }
    }

    fn count(&mut self, word: &Word, weight: u64) {
        *self.terms.entry(word.term()).or_default() += weight;
        self.length += weight;
    }
}

/// A text with a space for each long run of base64's characters.
fn without_data(text: &str) -> String {
    let is_base64 = |c: char| c.is_ascii_alphanumeric() || "+/-_=".contains(c);
    let mut kept = String::new();
    let mut run = String::new();
    for c in text.chars().map(Some).chain([None]) {
        if let Some(c) = c.filter(|c| is_base64(*c)) {
            run.push(c);
            continue;
        }
        kept.push_str(if run.len() < DATA { &run } else { " " });
        run.clear();
        kept.extend(c);
    }
    kept
}

fn speaker(kind: Kind) -> &'static str {
    match kind {
        Kind::Person | Kind::File => "user",
        _ => "assistant",
    }
}

/// Day, month and year, in UTC.
fn date(time: Timestamp) -> String {
    let date = time.date();
    let month = MONTHS.split_whitespace().nth(usize::from(date.month) - 1);
    format!("{} {} {}", date.day, month.unwrap_or_default(), date.year)
}

/// What an event says, redacted.
fn text(event: &Event<'_>) -> String {
    let parts = event.parts.iter().map(|part| match part {
        Part::Text(text) => redact(text),
        Part::Call(call) => redact(&call.arguments),
        Part::Output(output) => redact(&output.text),
    });
    parts.collect::<Vec<_>>().join("\n")
}

fn keys(event: &Event<'_>) -> Vec<Key> {
    let id = event
        .identity
        .id
        .as_deref()
        .map(|id| Key::Id(id.to_owned()));
    let origin = event.identity.origin.as_deref().map(|origin| {
        let mut parts = Vec::new();
        for part in &event.parts {
            match part {
                Part::Text(text) => parts.push(format!("text {}", edges(text))),
                Part::Call(call) => {
                    parts.push(format!("call {}", edges(&call.id)));
                    parts.push(format!("arguments {}", edges(&call.arguments)));
                }
                Part::Output(output) => {
                    parts.push(format!("result {}", edges(&output.call)));
                    parts.push(format!("output {}", edges(&output.text)));
                }
            }
        }
        Key::Origin(origin.to_owned(), event.kind, parts)
    });
    id.into_iter().chain(origin).collect()
}

/// A text by its length, its start and its end.
fn edges(text: &str) -> String {
    let bytes = text.as_bytes();
    let start = &bytes[..bytes.len().min(EDGE)];
    let end = &bytes[bytes.len().saturating_sub(EDGE)..];
    format!("{} {start:?} {end:?}", bytes.len())
}
