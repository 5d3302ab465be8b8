//! Counts over the lines of one log. Copies of an event in the same log are passed over; an event that another log held before
//! tells what was done and what is in the window, and is not counted again.

use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};

use memfold_agents::seek::{self, Dialect, Recall, Search, Sought, expression};
use memfold_fold::{event_keys, ranked};
use memfold_log::Seq;
use memfold_log::event::{Call, Effect, Elides, Follows, Kind as EventKind, Output, Part, Reading};

use crate::Kind;
use crate::context::{Context, Made, Run, Searched, Waiting};
use crate::named::Named;
use crate::path::absolute;
use crate::tally::{Tally, sum};

/// So many names make a guess at what something is called.
const GUESSES: usize = 3;
/// So many searches make a run.
const RUN: u64 = 3;

/// The events of the logs that were measured before.
#[derive(Debug, Default)]
pub struct Seen(HashSet<u64>);

/// What was counted in a log, and what can be replayed of it.
#[derive(Debug, Default)]
pub struct Measured {
    /// The counts.
    pub tally: Tally,
    /// Searches by an expression after which, in the same turn, a file was read that they had found.
    pub asked: Vec<Asked>,
    /// Runs of searches after which a file was read.
    pub chains: Vec<Chain>,
}

/// A search by an expression, and the file that was read after it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asked {
    /// The line of the search.
    pub seq: u64,
    /// The expression's plain words.
    pub words: String,
    /// How many names it guesses at.
    pub alternatives: usize,
    /// The first of the files it found that was read.
    pub file: String,
    /// How many files its result names.
    pub found: usize,
}

/// A run of searches, and the file that was read after it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chain {
    /// The words of the first search.
    pub first: String,
    /// Those of all.
    pub all: String,
    /// The file.
    pub file: String,
}

/// A log that is being measured.
pub struct Task<'s> {
    seen: &'s mut Seen,
    own: HashSet<u64>,
    /// The lines of the names that later lines may use.
    lines: HashMap<String, u64>,
    cwd: Option<String>,
    contexts: HashMap<Option<String>, usize>,
    did: Vec<Context>,
    made: Vec<Made>,
    /// The last call of an id, and the calls without one that wait for their result.
    calls: HashMap<String, usize>,
    unnamed: Vec<usize>,
    /// When a file was last edited, by whomever.
    edited: HashMap<String, u64>,
    measured: Measured,
}

impl<'s> Task<'s> {
    /// A log of which no line was read.
    pub fn new(seen: &'s mut Seen) -> Task<'s> {
        let mut measured = Measured::default();
        measured.tally.logs = 1;
        Task {
            seen,
            own: HashSet::new(),
            lines: HashMap::new(),
            cwd: None,
            contexts: HashMap::new(),
            did: Vec::new(),
            made: Vec::new(),
            calls: HashMap::new(),
            unnamed: Vec::new(),
            edited: HashMap::new(),
            measured,
        }
    }

    /// Takes it that the task works in this folder, until a line says otherwise.
    pub fn works_in(&mut self, folder: &str) {
        self.cwd = Some(folder.to_owned());
    }

    /// Counts the next line.
    pub fn line(&mut self, seq: Seq, reading: &Reading<'_>) {
        let seq = seq.get();
        if let Some(cwd) = &reading.facts.cwd {
            self.cwd = Some(cwd.clone().into_owned());
        }
        let names = &reading.course.names;
        let again = reading.course.follows == Follows::Replaces
            && names.iter().any(|name| self.lines.contains_key(&**name));
        for name in names {
            self.lines.entry(name.clone().into_owned()).or_insert(seq);
        }
        match &reading.elides {
            Elides::Results(calls) => self.clear(calls),
            Elides::All => {
                let main = self.context_of(None);
                self.compact(main, seq, false);
            }
            Elides::AsItsKind | Elides::Before(_) => {}
        }
        let Some(event) = &reading.event else { return };
        let keys = ranked(event.kind).map(|kind| event_keys(kind, event));
        let keys: Vec<u64> = keys
            .into_iter()
            .flat_map(|keys| [keys.id, keys.origin])
            .filter(|key| *key != 0)
            .collect();
        if !again && keys.iter().any(|key| self.own.contains(key)) {
            return;
        }
        let copied = keys.iter().any(|key| self.seen.0.contains(key));
        self.own.extend(keys);
        let context = self.context_of(event.helper.as_deref());
        match event.kind {
            EventKind::Person => {
                self.end_run(context, None);
                if let Some(did) = self.did.get_mut(context) {
                    did.give_up();
                }
            }
            EventKind::Compaction => {
                let kept = match &reading.elides {
                    Elides::Before(name) => self.lines.get(&**name).copied(),
                    _ => None,
                };
                self.compact(context, kept.unwrap_or(seq), copied);
            }
            _ => {}
        }
        for part in &event.parts {
            match part {
                Part::Call(call) if again && self.calls.contains_key(&*call.id) => {}
                Part::Call(call) => self.call(context, seq, call, copied),
                Part::Output(output) => self.output(seq, output, copied),
                Part::Text(_) => {}
            }
        }
    }

    /// The counts, once all lines were read.
    pub fn finish(mut self) -> Measured {
        for context in 0..self.did.len() {
            self.end_run(context, None);
        }
        let window = &mut self.measured.tally.window;
        window.logs = u64::from(window.compactions > 0 || window.clearings > 0);
        self.seen.0.extend(self.own);
        self.measured
    }

    fn context_of(&mut self, helper: Option<&str>) -> usize {
        let helper = helper.map(str::to_owned);
        let next = self.did.len();
        let context = *self.contexts.entry(helper).or_insert(next);
        if context == next {
            self.did.push(Context::default());
        }
        context
    }

    /// All before a line left the window.
    fn compact(&mut self, context: usize, before: u64, copied: bool) {
        let Some(did) = self.did.get_mut(context) else {
            return;
        };
        did.window = did.window.max(before);
        let mut left = 0;
        did.shown.retain(|call| {
            let Some(made) = self.made.get_mut(*call) else {
                return false;
            };
            made.elided = made.result.is_some_and(|result| result < before);
            left += u64::from(made.elided);
            !made.elided
        });
        if !copied {
            let window = &mut self.measured.tally.window;
            sum(&mut window.compactions, 1);
            sum(&mut window.results, left);
        }
    }

    /// The results of these calls left the window.
    fn clear(&mut self, calls: &[impl AsRef<str>]) {
        let window = &mut self.measured.tally.window;
        sum(&mut window.clearings, 1);
        for id in calls {
            let Some(call) = self.calls.get(id.as_ref()) else {
                continue;
            };
            if let Some(made) = self.made.get_mut(*call)
                && !made.elided
                && made.result.is_some()
            {
                made.elided = true;
                sum(&mut window.results, 1);
                if let Some(did) = self.did.get_mut(made.context) {
                    did.shown.retain(|shown| shown != call);
                }
            }
        }
    }

    fn call(&mut self, context: usize, seq: u64, call: &Call<'_>, copied: bool) {
        let number = self.made.len();
        let sought = seek::sought(call);
        let cwd = self.cwd.as_deref();
        let files = |named: Vec<std::borrow::Cow<'_, str>>| -> Vec<String> {
            named.iter().map(|file| absolute(cwd, file)).collect()
        };
        let reads = files(seek::reads(call));
        let edits = files(seek::edits(call));
        let mut made = Made {
            seq,
            result: None,
            elided: false,
            tool: call.tool.clone().into_owned(),
            search: None,
            copied,
            context,
        };
        if !copied {
            sum(&mut self.measured.tally.calls, 1);
        }
        match sought {
            Some(Sought::Search(search)) => {
                made.search = Some(self.search(context, number, search, copied));
            }
            other => {
                self.end_run(context, reads.first());
                if let Some(Sought::Recall(recall)) = other
                    && !copied
                {
                    self.recall(context, &recall);
                }
            }
        }
        self.made.push(made);
        let hash = hash_of(call);
        self.repeated(context, call, hash, &reads, number, copied);
        for file in reads {
            self.read(context, file, number, hash, copied);
        }
        for file in edits {
            self.edited.insert(file, seq);
        }
        if call.id.is_empty() {
            self.unnamed.push(number);
        } else {
            self.calls.insert(call.id.clone().into_owned(), number);
        }
    }

    fn search(&mut self, context: usize, number: usize, search: Search, copied: bool) -> Searched {
        let kind = Kind::from(search.by);
        let (words, alternatives) = match search.dialect {
            Dialect::Expression => (
                expression::words(&search.what),
                expression::alternatives(&search.what),
            ),
            Dialect::Glob => (expression::words(&search.what), 0),
            Dialect::Fixed | Dialect::Words => (search.what.replace('"', " "), 0),
        };
        let folder = match &search.from {
            Some(from) => Some(absolute(self.cwd.as_deref(), from)),
            None => self.cwd.clone(),
        };
        if !copied {
            let tally = &mut self.measured.tally;
            sum(&mut tally.searches.entry(kind).or_default().calls, 1);
            if kind.is_of_expressions() {
                let expressions = &mut tally.expressions;
                sum(&mut expressions.searches, 1);
                sum(
                    &mut expressions.alternations,
                    u64::from(alternatives >= GUESSES),
                );
            }
        }
        if let Some(did) = self.did.get_mut(context) {
            sum(&mut did.run.searches, 1);
            sum(&mut did.run.new, u64::from(!copied));
            did.run.words.push(words.clone());
            if kind.is_of_expressions() && !copied && !words.is_empty() {
                did.wait(Waiting {
                    call: number,
                    words,
                    alternatives,
                    named: None,
                });
            }
        }
        Searched {
            kind,
            folder,
            places: search.places,
        }
    }

    /// Whether the event that is read back had left the window.
    fn recall(&mut self, context: usize, recall: &Recall) {
        let window = self.did.get(context).map_or(0, |did| did.window);
        let recalls = &mut self.measured.tally.recalls;
        sum(&mut recalls.calls, 1);
        let Some(seq) = recall.seq.filter(|_| recall.task.is_none()) else {
            return sum(&mut recalls.earlier, u64::from(recall.task.is_some()));
        };
        let cleared = |made: &Made| made.elided && made.result == Some(seq);
        let elided = seq < window || self.made.iter().any(cleared);
        sum(
            match elided {
                true => &mut recalls.elided,
                false => &mut recalls.in_window,
            },
            1,
        );
    }

    /// Counts a call that was made before, if the result of that had left the window.
    fn repeated(
        &mut self,
        context: usize,
        call: &Call<'_>,
        hash: u64,
        reads: &[String],
        number: usize,
        copied: bool,
    ) {
        let Some(did) = self.did.get_mut(context) else {
            return;
        };
        let Some(earlier) = did.last.insert(hash, number) else {
            return;
        };
        let Some(earlier) = self.made.get(earlier) else {
            return;
        };
        let edited = |file: &String| self.edited.get(file).is_some_and(|at| *at >= earlier.seq);
        if copied || !earlier.elided || call.effect == Effect::Retrieves || reads.iter().any(edited)
        {
            return;
        }
        let repeated = &mut self.measured.tally.repeated;
        sum(&mut repeated.calls, 1);
        sum(&mut repeated.reads, u64::from(!reads.is_empty()));
    }

    /// Counts a read of a file, and what was searched for it.
    fn read(&mut self, context: usize, file: String, number: usize, hash: u64, copied: bool) {
        let Some(did) = self.did.get_mut(context) else {
            return;
        };
        for search in did.followed(&file) {
            let seq = self.made.get(search.call).map_or(0, |made| made.seq);
            self.measured.asked.push(Asked {
                seq,
                words: search.words,
                alternatives: search.alternatives,
                file: file.clone(),
                found: search.named.map_or(0, |named| named.count()),
            });
        }
        let edited = self.edited.get(&file).copied();
        let before = did.read.insert(file, (number, hash));
        if copied {
            return;
        }
        let reads = &mut self.measured.tally.reads;
        sum(&mut reads.reads, 1);
        let Some((before, same)) = before else { return };
        let Some(earlier) = self.made.get(before).filter(|_| before != number) else {
            return;
        };
        sum(&mut reads.again, 1);
        let why = if edited.is_some_and(|at| at >= earlier.seq) {
            &mut reads.edited
        } else if earlier.elided {
            &mut reads.elided
        } else if same == hash {
            &mut reads.same
        } else {
            &mut reads.other
        };
        sum(why, 1);
    }

    fn output(&mut self, seq: u64, output: &Output<'_>, copied: bool) {
        let call = if output.call.is_empty() {
            let of_tool = |call: &usize| {
                let made = self.made.get(*call);
                let tool = output.tool.as_deref();
                made.is_some_and(|made| tool.is_none_or(|tool| made.tool == tool))
            };
            let place = self.unnamed.iter().position(of_tool);
            place.map(|place| self.unnamed.remove(place))
        } else {
            self.calls.get(&*output.call).copied()
        };
        let made = call.and_then(|call| self.made.get_mut(call));
        // A line that says an earlier one again says its results again, too.
        if made.as_ref().is_some_and(|made| made.result.is_some()) {
            return;
        }
        let bytes = output.text.len() as u64;
        let count = !copied && made.as_ref().is_none_or(|made| !made.copied);
        let tally = &mut self.measured.tally;
        if count {
            sum(&mut tally.results, 1);
            sum(&mut tally.result_bytes, bytes);
        }
        let (Some(made), Some(call)) = (made, call) else {
            return;
        };
        made.result = Some(seq);
        let Some(did) = self.did.get_mut(made.context) else {
            return;
        };
        did.shown.push(call);
        if let Some(search) = &made.search {
            if count {
                sum(
                    &mut tally.searches.entry(search.kind).or_default().bytes,
                    bytes,
                );
            }
            if search.kind.is_of_expressions() {
                did.found(
                    call,
                    Named::of(&output.text, search.folder.as_deref(), &search.places),
                );
            }
        }
    }

    /// Something else than a search follows, perhaps the reading of a file.
    fn end_run(&mut self, context: usize, file: Option<&String>) {
        let Some(did) = self.did.get_mut(context) else {
            return;
        };
        let Run {
            searches,
            new,
            words,
        } = std::mem::take(&mut did.run);
        if searches < RUN || new == 0 {
            return;
        }
        let runs = &mut self.measured.tally.runs;
        sum(&mut runs.runs, 1);
        sum(&mut runs.searches, new);
        runs.longest = runs.longest.max(searches);
        if let Some(file) = file {
            self.measured.chains.push(Chain {
                first: words.first().cloned().unwrap_or_default(),
                all: words.join(" "),
                file: file.clone(),
            });
        }
    }
}

/// What makes two calls the same: the tool and all that it was given.
fn hash_of(call: &Call<'_>) -> u64 {
    let mut hash = DefaultHasher::new();
    call.tool.hash(&mut hash);
    call.given.hash(&mut hash);
    // Words alone, where the arguments have no names.
    call.arguments.hash(&mut hash);
    hash.finish()
}
