//! An event that the next line may say again more fully, as a reply is written again once its calls have returned. It is
//! held back until another line shows that it stands, so that nearly every event is counted once. At a log's end it stands
//! as it is, in the tail. Nothing is held where a turn ends, so that a sidecar never depends on it.

use memfold_log::event::{Boundary, Course, Follows, Reading};
use memfold_log::{Content, Line, Offset, Seq, Terminated};

use super::{Fold, ranked};
use crate::FoldError;
use crate::checkpoint::one_more;

/// A line whose event is held back.
pub(super) struct Held {
    text: Vec<u8>,
    names: Vec<String>,
    seq: Seq,
    start: Offset,
    length: u64,
}

impl Held {
    /// Whether the event of a line waits for the next.
    pub(super) fn is_to_be(reading: &Reading<'_>) -> bool {
        reading.course.follows == Follows::Replaces
            && reading.boundary == Boundary::Within
            && reading
                .event
                .as_ref()
                .is_some_and(|event| ranked(event.kind).is_some())
    }

    pub(super) fn new(line: &Line<'_>, text: &[u8], course: &Course<'_>) -> Held {
        Held {
            text: text.to_vec(),
            names: course.names.iter().map(|name| name.to_string()).collect(),
            seq: line.seq,
            start: line.start,
            length: line.length,
        }
    }

    fn is_said_again_by(&self, course: &Course<'_>) -> bool {
        course.follows == Follows::Replaces && self.names == course.names
    }
}

impl Fold {
    /// Lets the held event go if the next line says it again, and adds it to the records if that line is about anything else.
    pub(super) fn let_go(&mut self, next: &Reading<'_>) -> Result<(), FoldError> {
        let Some(held) = &self.held else {
            return Ok(());
        };
        if held.is_said_again_by(&next.course) {
            self.held = None;
            one_more(&mut self.state.tally.copies);
            return Ok(());
        }
        if next.event.is_none() && next.course == Course::default() {
            return Ok(());
        }
        self.release()
    }

    /// Adds the held event to the records.
    pub(super) fn release(&mut self) -> Result<(), FoldError> {
        let Some(held) = self.held.take() else {
            return Ok(());
        };
        let line = Line {
            seq: held.seq,
            start: held.start,
            length: held.length,
            content: Content::Text(&held.text),
            terminated: Terminated::Newline,
        };
        // It was read before.
        let Ok(reading) = self.agent.read(&held.text) else {
            return Ok(());
        };
        let read = self.place(&reading);
        self.settle(&line, &reading, read)
    }
}
