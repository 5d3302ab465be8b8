//! A log's records, whichever form it is stored in: lines, the messages of a whole-file JSON log, or
//! the sections of a chat in Markdown.

use std::io::{self, Read};

use memfold_agents::Agent;
use memfold_log::event::Facts;
use memfold_log::{Error, Form, Line, Lines, Messages, Offset, Position, Sections};

use crate::log_file::LogFile;

/// The records of a log, in order.
pub enum Frames<'l> {
    /// Of a text of lines: a JSONL log, compressed or not, or the rows of a session.
    Lines(Lines<Box<dyn Read + 'l>>),
    /// Of a whole-file JSON log.
    Messages {
        /// The messages.
        messages: Messages<Box<dyn Read + 'l>>,
        /// The file's length.
        length: u64,
        /// How many messages were returned.
        returned: Position,
    },
    /// Of a chat in Markdown.
    Sections(Sections<Box<dyn Read + 'l>>),
}

impl LogFile {
    /// The log's records from a place on; those of a whole-file log always from the first.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn frames(&self, agent: &dyn Agent, from: Position) -> io::Result<Frames<'_>> {
        let length = self.identity().size;
        Ok(match (self.form(), self.text_length()) {
            (Form::Document, _) => Frames::Messages {
                messages: Messages::new(self.text(Offset(0))?, agent.messages(), Offset(length)),
                length,
                returned: Position::START,
            },
            (Form::Markdown, _) => {
                Frames::Sections(Sections::new(self.text(from.offset)?, from, Offset(length)))
            }
            (Form::Lines, Some(length)) => {
                Frames::Lines(Lines::new(self.text(from.offset)?, from, Offset(length)))
            }
            _ => Frames::Lines(Lines::to_end(self.text(from.offset)?, from)),
        })
    }

    /// What a whole-file log says of itself around its messages, shown to `take`; nothing of any other log. What stands
    /// before the messages is shown first, and all of it if that was not `enough`.
    ///
    /// # Errors
    /// If the file cannot be read. A document that is cut shows what stands before its messages.
    pub fn about(
        &self,
        agent: &dyn Agent,
        mut take: impl FnMut(&Facts<'_>) -> Enough,
    ) -> io::Result<()> {
        if self.form() != Form::Document {
            return Ok(());
        }
        let Frames::Messages { mut messages, .. } = self.frames(agent, Position::START)? else {
            return Ok(());
        };
        if messages
            .next(&mut |_| {})
            .is_ok_and(|first| first.is_some())
        {
            let mut before = messages.document().text().unwrap_or_default().to_vec();
            before.push(b']');
            before.resize(before.len().saturating_add(agent.messages().len()), b'}');
            if take(&agent.read_document(&before)) == Enough::Yes {
                return Ok(());
            }
        }
        while let Ok(Some(_)) = messages.next(&mut |_| {}) {}
        if let Some(document) = messages.document().text() {
            take(&agent.read_document(document));
        }
        Ok(())
    }
}

/// Whether a reader has seen what it came for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Enough {
    /// It has.
    Yes,
    /// It reads on.
    No,
}

impl Frames<'_> {
    /// Goes on to where the next record begins.
    ///
    /// # Errors
    /// If the log cannot be read on.
    pub fn seek(&mut self, watch: &mut impl FnMut(&[u8])) -> Result<(), Error> {
        match self {
            Frames::Lines(_) | Frames::Sections(_) => Ok(()),
            Frames::Messages { messages, .. } => messages.seek(watch).map(|_| ()),
        }
    }

    /// The next record. `watch` sees every byte of the log's text once and in order.
    ///
    /// # Errors
    /// If the log cannot be read on.
    pub fn next(&mut self, watch: &mut impl FnMut(&[u8])) -> Result<Option<Line<'_>>, Error> {
        match self {
            Frames::Lines(lines) => lines.next(watch),
            Frames::Sections(sections) => sections.next(watch),
            Frames::Messages {
                messages, returned, ..
            } => {
                let line = messages.next(watch)?;
                if let Some(line) = &line {
                    *returned = Position {
                        offset: line.end(),
                        seq: line.seq.next(),
                    };
                }
                Ok(line)
            }
        }
    }

    /// Where the log ends, once every record was returned.
    pub fn end(&self) -> Position {
        match self {
            Frames::Lines(lines) => lines.position(),
            Frames::Sections(sections) => sections.position(),
            Frames::Messages {
                length, returned, ..
            } => Position {
                offset: Offset(*length),
                seq: returned.seq,
            },
        }
    }
}
