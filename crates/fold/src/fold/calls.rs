//! Calls and their results: a reply opens calls, a result answers them, and the card tells what they did.

use std::sync::Arc;

use memfold_log::event::{Call, Effect, Event, Outcome, Output, Part};
use memfold_log::{Line, Seq};

use super::{CALL_WEIGHT, CALL_WORDS_LIMIT, Fold, Telling};
use crate::card::{Command, End, LIST_LIMIT, headline};
use crate::checkpoint::{OPEN_CALLS_LIMIT, OpenCall};
use crate::document::Link;

impl Fold {
    /// Takes the open call of each output of the event, in the outputs' order; the event's own, where one line holds call
    /// and result.
    pub(super) fn pair(
        &mut self,
        line: &Line<'_>,
        event: &Event<'_>,
    ) -> Vec<Option<Arc<OpenCall>>> {
        let mut calls = Vec::new();
        for part in &event.parts {
            if let Part::Output(output) = part {
                let own = calls_of(event).find(|(_, call)| answers(output, call));
                if let Some((number, call)) = own {
                    calls.push(Some(Arc::new(open_call(line, number, call, None))));
                    continue;
                }
                let place = self
                    .state
                    .open_calls
                    .iter()
                    .position(|call| call.id == output.call && !call.id.is_empty());
                calls.push(place.map(|place| self.state.open_calls.remove(place)));
            }
        }
        calls
    }

    pub(super) fn output(
        &mut self,
        seq: Seq,
        part: usize,
        output: &Output<'_>,
        call: Option<&OpenCall>,
        telling: Telling,
    ) {
        let end = end_of(output);
        let failed = matches!(end, End::Failed) || matches!(end, End::Exit(code) if code != 0);
        if failed
            && self.is_news(Told::Failure, &output.call, telling)
            && let Some(card) = self.cards.last_mut()
        {
            card.errors = card.errors.saturating_add(1);
        }
        if let Some(call) = call {
            // A line that holds both needs no link from itself to itself.
            if call.seq != seq.get() {
                self.links.push(Link {
                    call_seq: call.seq,
                    call: call.call,
                    call_start: call.start,
                    call_length: call.length,
                    result_seq: seq.get(),
                    part: u32::try_from(part).unwrap_or(u32::MAX),
                });
            }
            self.end_command(call.command, end);
            if call.retrieves {
                return;
            }
            self.words.add_parts(&call.words, CALL_WEIGHT);
        } else if let Some(tool) = &output.tool {
            self.words.add_parts(tool, CALL_WEIGHT);
        }
        self.words
            .add_text(&memfold_redact::redact(&output.text), 1);
    }

    /// Notes the calls of a reply: each waits for its result, unless the line holds that too, and the card tells what it
    /// does.
    pub(super) fn open_calls(
        &mut self,
        line: &Line<'_>,
        event: &Event<'_>,
        card: Option<u32>,
        telling: Telling,
    ) {
        for (number, call) in calls_of(event) {
            let mut command = card
                .filter(|_| self.is_news(Told::Call, &call.id, telling))
                .and_then(|card| self.tell(card, call));
            if call.id.is_empty() {
                continue;
            }
            if telling == Telling::Again {
                // The call as an earlier line said it waits no longer.
                let earlier = self.state.open_calls.iter();
                if let Some(place) = earlier.into_iter().position(|open| open.id == call.id) {
                    command = command.or(self.state.open_calls.remove(place).command);
                }
            }
            let outputs = event.parts.iter().filter_map(|part| match part {
                Part::Output(output) => Some(output),
                _ => None,
            });
            if let Some(output) = outputs.into_iter().find(|output| answers(output, call)) {
                self.end_command(command, end_of(output));
                continue;
            }
            if self.state.open_calls.len() >= OPEN_CALLS_LIMIT {
                self.state.open_calls.remove(0);
            }
            let open = open_call(line, number, call, command);
            self.state.open_calls.push(Arc::new(open));
        }
    }

    /// Whether the open card does not tell this of a call yet.
    fn is_news(&mut self, what: Told, call: &str, telling: Telling) -> bool {
        telling == Telling::Once || self.told.insert((what, call.to_owned()))
    }

    /// Notes how a command of the open card ended. A card that is sealed stays as it is: a result that comes a turn late does
    /// not change it.
    fn end_command(&mut self, command: Option<(u32, u32)>, end: End) {
        if let Some((card, command)) = command
            && card == self.last_card()
            && let Some(command) = self.cards.last_mut().and_then(|card| {
                card.commands
                    .get_mut(usize::try_from(command).unwrap_or(usize::MAX))
            })
        {
            command.end = end;
        }
    }

    /// Tells a call on the open card. Returns the place of the command that it runs.
    pub(super) fn tell(&mut self, number: u32, call: &Call<'_>) -> Option<(u32, u32)> {
        let card = self.cards.last_mut()?;
        if call.effect == Effect::Retrieves {
            return None;
        }
        card.calls = card.calls.saturating_add(1);
        match &call.effect {
            Effect::Reads(path) => card.read.add(&headline(&memfold_redact::redact(path))),
            Effect::Edits(path) => card.edited.add(&headline(&memfold_redact::redact(path))),
            Effect::EditsMany(paths) => {
                for path in paths {
                    card.edited.add(&headline(&memfold_redact::redact(path)));
                }
            }
            Effect::Runs(command) => {
                if card.commands.len() >= LIST_LIMIT {
                    card.more_commands = card.more_commands.saturating_add(1);
                    return None;
                }
                card.commands.push(Command {
                    line: headline(&memfold_redact::redact(command)),
                    end: End::Unknown,
                });
                return Some((
                    number,
                    u32::try_from(card.commands.len().saturating_sub(1)).ok()?,
                ));
            }
            Effect::Delegates | Effect::Retrieves | Effect::Other => {}
        }
        None
    }
}

/// What a card tells of a call.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Told {
    Call,
    Failure,
}

/// The calls of an event, numbered from 0.
fn calls_of<'e, 'a>(event: &'e Event<'a>) -> impl Iterator<Item = (u32, &'e Call<'a>)> {
    let calls = event.parts.iter().filter_map(|part| match part {
        Part::Call(call) => Some(call),
        _ => None,
    });
    (0u32..).zip(calls)
}

fn answers(output: &Output<'_>, call: &Call<'_>) -> bool {
    output.call == call.id && !call.id.is_empty()
}

fn end_of(output: &Output<'_>) -> End {
    match output.outcome {
        Outcome::Unknown => End::Unknown,
        Outcome::Exit(code) => End::Exit(code),
        Outcome::Failed => End::Failed,
    }
}

fn open_call(
    line: &Line<'_>,
    number: u32,
    call: &Call<'_>,
    command: Option<(u32, u32)>,
) -> OpenCall {
    OpenCall {
        id: call.id.to_string(),
        seq: line.seq.get(),
        start: line.start.0,
        length: line.length,
        call: number,
        words: call_words(call),
        command,
        retrieves: call.effect == Effect::Retrieves,
    }
}

/// The words of a call that its result repeats: the tool, then the arguments, redacted and cut.
pub fn call_words(call: &Call<'_>) -> String {
    let arguments = memfold_redact::redact(&call.arguments);
    let mut words = format!("{}\n{arguments}", call.tool);
    if words.len() > CALL_WORDS_LIMIT {
        let mut cut = CALL_WORDS_LIMIT;
        while !words.is_char_boundary(cut) {
            cut -= 1;
        }
        words.truncate(cut);
    }
    words
}

/// Whether an output answers a call that searches or reads back.
pub(super) fn is_retrieval(calls: &[Option<Arc<OpenCall>>], id: &str) -> bool {
    calls
        .iter()
        .flatten()
        .any(|call| call.retrieves && call.id == id)
}
