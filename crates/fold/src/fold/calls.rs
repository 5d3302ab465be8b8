//! Calls and their results: a reply opens calls, a result answers them, and the card tells what they did.

use std::sync::Arc;

use memfold_log::event::{Call, Effect, Event, Outcome, Output, Part};
use memfold_log::{Line, Seq};

use super::{CALL_WEIGHT, CALL_WORDS_LIMIT, Fold};
use crate::card::{Command, End, LIST_LIMIT, headline};
use crate::checkpoint::{OPEN_CALLS_LIMIT, OpenCall};
use crate::document::Link;

impl Fold {
    /// Takes the open call of each output of the event, in the outputs' order.
    pub(super) fn pair(&mut self, event: &Event<'_>) -> Vec<Option<Arc<OpenCall>>> {
        let mut calls = Vec::new();
        for part in &event.parts {
            if let Part::Output(output) = part {
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
    ) {
        let end = match output.outcome {
            Outcome::Unknown => End::Unknown,
            Outcome::Exit(code) => End::Exit(code),
            Outcome::Failed => End::Failed,
        };
        let failed = matches!(end, End::Failed) || matches!(end, End::Exit(code) if code != 0);
        if failed && let Some(card) = self.cards.last_mut() {
            card.errors = card.errors.saturating_add(1);
        }
        if let Some(call) = call {
            self.links.push(Link {
                call_seq: call.seq,
                call: call.call,
                call_start: call.start,
                call_length: call.length,
                result_seq: seq.get(),
                part: u32::try_from(part).unwrap_or(u32::MAX),
            });
            // A card that is sealed stays as it is: a result that comes a turn late does not change it.
            if let Some((card, command)) = call.command
                && card == self.last_card()
                && let Some(command) = self.cards.last_mut().and_then(|card| {
                    card.commands
                        .get_mut(usize::try_from(command).unwrap_or(usize::MAX))
                })
            {
                command.end = end;
            }
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

    /// Notes the calls of a reply: each waits for its result, and the card tells what it does.
    pub(super) fn open_calls(&mut self, line: &Line<'_>, event: &Event<'_>, card: Option<u32>) {
        let calls = event.parts.iter().filter_map(|part| match part {
            Part::Call(call) => Some(call),
            _ => None,
        });
        for (number, call) in calls.enumerate() {
            let command = card.and_then(|card| self.tell(card, call));
            if call.id.is_empty() {
                continue;
            }
            if self.state.open_calls.len() >= OPEN_CALLS_LIMIT {
                self.state.open_calls.remove(0);
            }
            self.state.open_calls.push(Arc::new(OpenCall {
                id: call.id.to_string(),
                seq: line.seq.get(),
                start: line.start.0,
                length: line.length,
                call: u32::try_from(number).unwrap_or(u32::MAX),
                words: call_words(call),
                command,
                retrieves: call.effect == Effect::Retrieves,
            }));
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
