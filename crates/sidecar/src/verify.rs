//! The full check of a sidecar: every byte, every rule of order, and what each part says of another. A writer runs it before
//! it publishes; a reader need not, since each read checks its own bytes.

use memfold_fold::card::Card;
use memfold_fold::checkpoint::{Checkpoint, OPEN_CALLS_LIMIT};
use memfold_fold::document::{Document, Link};
use memfold_fold::past::{Way, Waypoint};

use crate::error::SidecarError;
use crate::header::{Content, ContentRoot, Header, Tag};
use crate::reader::Sidecar;
use crate::records::{Hashed, Index, Record};

/// Checks a whole sidecar. Linear in its bytes; holds one group of records at a time.
///
/// # Errors
/// The first rule found broken.
pub fn verify_bytes(bytes: &[u8]) -> Result<(), SidecarError> {
    let sidecar = Sidecar::open(bytes)?;
    let mut root = ContentRoot::new(sidecar.header());
    let mut rules = Rules::new(sidecar.header());
    for row in &sidecar.head().rows {
        let stored = sidecar.section(row.tag)?;
        root.add(
            row.tag,
            match row.tag {
                Tag::CARD => records(&sidecar, sidecar.card_index()?, |card| rules.card(card))?,
                Tag::CKPT => records(&sidecar, &sidecar.index::<Checkpoint>(1)?, |checkpoint| {
                    rules.checkpoint(checkpoint)
                })?,
                Tag::DOCS => records(&sidecar, sidecar.document_index()?, |document| {
                    rules.document(document)
                })?,
                Tag::LINK => records(&sidecar, sidecar.link_index()?, |link| rules.link(link))?,
                Tag::PAST => records(&sidecar, &sidecar.index::<Waypoint>(None)?, |waypoint| {
                    rules.waypoint(waypoint)
                })?,
                _ => Content::of(&stored),
            },
        );
    }
    sidecar.keys()?;
    sidecar.binding()?;
    words(&sidecar)?;
    if root.finish() != sidecar.header().content_root {
        return Err(SidecarError::damaged(
            Tag::HEAD,
            "another content root than the sections'",
        ));
    }
    Ok(())
}

/// Checks each record of a section by `rule`, and gives the section's content.
fn records<T: Record>(
    sidecar: &Sidecar<&[u8]>,
    index: &Index,
    mut rule: impl FnMut(&T) -> Result<(), String>,
) -> Result<Content, SidecarError> {
    let mut content = Hashed::default();
    content.add(&index.head);
    let mut number = 0u64;
    for group in 0..index.groups() {
        let raw = sidecar.raw_group::<T>(index, group)?;
        content.add(&raw);
        for record in index.records::<T>(group, &raw)? {
            rule(&record).map_err(|what| {
                SidecarError::damaged(T::TAG, format!("record {number}: {what}"))
            })?;
            number = number.saturating_add(1);
        }
    }
    Ok(content.finish())
}

/// The segment by its own rules, and its counts by the header's.
fn words(sidecar: &Sidecar<&[u8]>) -> Result<(), SidecarError> {
    let reader = memfold_segment::Reader::open(sidecar.words()?)?;
    reader.verify()?;
    let header = sidecar.header();
    if reader.documents() != header.documents || reader.total_length() != header.words {
        return Err(SidecarError::damaged(
            Tag::TERM,
            format!(
                "{} documents of {} words in all",
                reader.documents(),
                reader.total_length()
            ),
        ));
    }
    Ok(())
}

/// What one record says of the others and of the log, record by record.
struct Rules<'a> {
    header: &'a Header,
    /// How many commands each card names.
    commands: Vec<usize>,
    /// The last card's turn.
    turn: Option<u32>,
    /// Where the last document's line ends.
    line_end: u64,
    document: u64,
    link: (u64, u32),
}

impl Rules<'_> {
    fn new(header: &Header) -> Rules<'_> {
        Rules {
            header,
            commands: Vec::new(),
            turn: None,
            line_end: 0,
            document: 0,
            link: (0, 0),
        }
    }

    /// A line of the log, of the covered prefix.
    fn line(&self, seq: u64, start: u64, length: u64) -> Result<u64, String> {
        if seq == 0 || seq >= self.header.covered.next.get() {
            return Err(format!(
                "line {seq} of a prefix of {}",
                self.header.covered.next.get().saturating_sub(1)
            ));
        }
        match start.checked_add(length) {
            Some(end) if end <= self.header.covered.end.0 => Ok(end),
            _ => Err(format!(
                "{length} bytes at {start} are not in the covered prefix"
            )),
        }
    }

    fn card(&mut self, card: &Card) -> Result<(), String> {
        self.line(card.first_seq, card.start, card.start_length)?;
        self.line(card.last_seq, card.start, card.start_length)?;
        if card.first_seq > card.last_seq {
            return Err(format!(
                "from line {} to line {}",
                card.first_seq, card.last_seq
            ));
        }
        // That turns do not fall is the order of the section.
        self.turn = Some(card.turn);
        self.commands.push(card.commands.len());
        Ok(())
    }

    fn checkpoint(&mut self, checkpoint: &Checkpoint) -> Result<(), String> {
        if checkpoint.cards != self.header.cards || checkpoint.card_turn != self.turn {
            return Err(format!(
                "{} cards, the last of turn {:?}, where {} are, of turn {:?}",
                checkpoint.cards, checkpoint.card_turn, self.header.cards, self.turn
            ));
        }
        if self.turn.is_some_and(|turn| checkpoint.turn < turn) {
            return Err(format!("turn {} with a later card", checkpoint.turn));
        }
        if checkpoint.open_calls.len() > OPEN_CALLS_LIMIT {
            return Err(format!("{} open calls", checkpoint.open_calls.len()));
        }
        for call in &checkpoint.open_calls {
            self.line(call.seq, call.start, call.length)?;
            if let Some((card, command)) = call.command {
                let commands = usize::try_from(card)
                    .ok()
                    .and_then(|card| self.commands.get(card));
                if usize::try_from(command)
                    .is_ok_and(|command| commands.is_none_or(|commands| command >= *commands))
                {
                    return Err(format!(
                        "an open call runs command {command} of card {card}"
                    ));
                }
            }
        }
        Ok(())
    }

    fn document(&mut self, document: &Document) -> Result<(), String> {
        let end = self.line(document.seq, document.start, document.length)?;
        if document.seq <= self.document || document.start < self.line_end {
            return Err(format!(
                "line {} at {} does not follow",
                document.seq, document.start
            ));
        }
        (self.document, self.line_end) = (document.seq, end);
        if document.card >= self.header.cards {
            return Err(format!("card {} of {}", document.card, self.header.cards));
        }
        Ok(())
    }

    fn waypoint(&self, waypoint: &Waypoint) -> Result<(), String> {
        self.line(waypoint.seq, 0, 0)?;
        let replaced = match waypoint.way {
            Way::Back(to) if to >= waypoint.seq => {
                return Err(format!("line {} goes back to line {to}", waypoint.seq));
            }
            Way::Instead(document) => Some(document),
            Way::On | Way::Back(_) => None,
        };
        for document in waypoint.document.into_iter().chain(replaced) {
            if document >= self.header.documents {
                return Err(format!("document {document} of {}", self.header.documents));
            }
        }
        Ok(())
    }

    fn link(&mut self, link: &Link) -> Result<(), String> {
        self.line(link.call_seq, link.call_start, link.call_length)?;
        let result = (link.result_seq, link.part);
        if self.link >= result && self.link != (0, 0) {
            return Err(format!(
                "part {} of line {} does not follow",
                link.part, link.result_seq
            ));
        }
        self.link = result;
        if link.call_seq >= link.result_seq || link.result_seq >= self.header.covered.next.get() {
            return Err(format!(
                "line {} answers line {}",
                link.result_seq, link.call_seq
            ));
        }
        Ok(())
    }
}
