//! A sidecar, the receipts or a kept tail as text: everything in it, a line each, in the order of its sections. `tools/memdump`
//! gives the same text, read by the format's page alone; a test holds the two together.

use std::fmt::{Arguments, Display, Write as _};
use std::path::Path;

use memfold_disk::Identity;

use memfold_fold::card::{Card, End, Listing};
use memfold_fold::checkpoint::Checkpoint;
use memfold_fold::document::{Context, Document, DocumentKind, Keys, Link};
use memfold_fold::facts::LogFacts;
use memfold_fold::past::{Way, Waypoint};
use memfold_log::Form;
use memfold_segment::{DocId, Reader, Source};

use crate::bytes::Bytes;
use crate::error::SidecarError;
use crate::header::FORMAT;
use crate::reader::Sidecar;
use crate::receipts::{Place, Receipt, Receipts};
use crate::tails;
use crate::worth::Worth;

/// The whole of a sidecar as text.
///
/// # Errors
/// If any of it cannot be read.
pub fn text<B: Bytes>(sidecar: &Sidecar<B>) -> Result<String, SidecarError> {
    let mut page = Page::default();
    head(&mut page, sidecar)?;
    checkpoint(&mut page, &sidecar.checkpoint()?);
    for (number, record) in sidecar.cards(0..u32::MAX)?.iter().enumerate() {
        card(&mut page, number, record);
    }
    let words = Reader::open(sidecar.words()?)?;
    let lengths = words.lengths()?;
    for (number, record) in (0..).zip(sidecar.documents(0..u32::MAX)?) {
        document(&mut page, number, &record, lengths.get(DocId(number)));
    }
    keys(&mut page, &sidecar.keys()?);
    links(&mut page, &sidecar.links()?);
    waypoints(&mut page, &sidecar.waypoints()?);
    terms(&mut page, &words)?;
    Ok(page.0)
}

/// The whole of a kept tail as text.
///
/// # Errors
/// What it is worth, if it cannot be read.
pub fn tail(file: &Path) -> Result<String, Worth> {
    let tails::KeptTail {
        origin,
        tail,
        facts,
    } = tails::read(file)?;
    let damaged = |error: &dyn Display| Worth::Damaged(error.to_string());
    let mut page = Page::default();
    page.line(format_args!("tail 4"));
    page.line(format_args!("log {}", state(&origin.log)));
    page.line(format_args!("content root {}", hex(&origin.content_root)));
    let words = Reader::open(&tail.segment).map_err(|error| damaged(&error))?;
    let lengths = words.lengths().map_err(|error| damaged(&error))?;
    for (number, record) in (0..).zip(&tail.documents) {
        document(&mut page, number, record, lengths.get(DocId(number)));
    }
    keys(&mut page, &tail.keys);
    links(&mut page, &tail.links);
    page.line(format_args!("first card {}", tail.first_card));
    for (number, record) in tail.cards.iter().enumerate() {
        card(&mut page, number, record);
    }
    waypoints(&mut page, &tail.waypoints);
    page.line(format_args!(
        "{} documents, {} words",
        tail.segment.documents, tail.segment.total_length
    ));
    terms(&mut page, &words).map_err(|error| damaged(&error))?;
    said(&mut page, &facts);
    Ok(page.0)
}

/// All receipts below a cache directory as text, by their keys.
///
/// # Errors
/// What they are worth, if that is not sound.
pub fn receipts(cache: &Path) -> Result<String, Worth> {
    match Receipts::worth(cache) {
        Worth::Sound => {}
        worth => return Err(worth),
    }
    let mut page = Page::default();
    page.line(format_args!("receipts 4"));
    for (log, kept) in Receipts::load(cache).all() {
        page.text("log", &log.to_string_lossy());
        receipt(&mut page, kept);
    }
    Ok(page.0)
}

fn receipt(page: &mut Page, receipt: &Receipt) {
    page.text("  agent", &receipt.agent);
    page.line(format_args!("  state {}", state(&receipt.log)));
    let length = receipt
        .length
        .map_or_else(|| "-".to_owned(), |length| length.to_string());
    page.line(format_args!(
        "  proved at {}, then {length} bytes",
        receipt.proved_at
    ));
    page.line(format_args!(
        "  folded {}, covered {}",
        receipt.folded, receipt.covered
    ));
    page.line(format_args!("  log root {}", hex(&receipt.log_root)));
    let place = match receipt.place {
        Place::Beside => "beside",
        Place::Cache => "cache",
    };
    page.line(format_args!(
        "  sidecar {place} {}",
        state(&receipt.sidecar)
    ));
    page.line(format_args!(
        "  content root {}",
        hex(&receipt.content_root)
    ));
    page.line(format_args!(
        "  {} documents, {} turns",
        receipt.documents, receipt.turns
    ));
    for (name, text) in [
        ("  task", &receipt.task),
        ("  parent", &receipt.parent),
        ("  helper", &receipt.helper),
        ("  cwd", &receipt.cwd),
        ("  title", &receipt.title),
        ("  request", &receipt.request),
    ] {
        if let Some(text) = text {
            page.text(name, text);
        }
    }
    page.line(format_args!(
        "  time {} to {}",
        time(receipt.started),
        time(receipt.ended)
    ));
}

/// A file as stat told it.
fn state(identity: &[u8; Identity::BYTES]) -> String {
    let Identity {
        dev,
        inode,
        size,
        mtime_ns,
        ctime_ns,
    } = Identity::from_bytes(identity);
    format!("device {dev} inode {inode} size {size} changed {mtime_ns} {ctime_ns}")
}

#[derive(Default)]
struct Page(String);

impl Page {
    fn line(&mut self, line: Arguments<'_>) {
        // Writing to a string does not fail.
        let _ = writeln!(self.0, "{line}");
    }

    fn text(&mut self, name: &str, text: &str) {
        self.line(format_args!("{name} {}", quoted(text)));
    }
}

fn head<B: Bytes>(page: &mut Page, sidecar: &Sidecar<B>) -> Result<(), SidecarError> {
    let header = sidecar.header();
    let form = match header.form {
        Form::Lines => "jsonl",
        Form::CompressedLines => "jsonl.zst",
        Form::Document => "json",
        Form::Rows => "rows",
        Form::Markdown => "md",
    };
    page.line(format_args!("format {FORMAT}"));
    page.line(format_args!(
        "fold {} {}",
        header.fold.version,
        hex(&header.fold.hash)
    ));
    page.line(format_args!(
        "log {form} {} bytes, next line {}",
        header.covered.end.0, header.covered.next
    ));
    page.line(format_args!("log root {}", hex(&header.log_root)));
    page.line(format_args!("content root {}", hex(&header.content_root)));
    page.line(format_args!(
        "{} documents, {} cards, {} words",
        header.documents, header.cards, header.words
    ));
    for (tag, _) in sidecar.sections() {
        page.line(format_args!("section {tag}"));
    }
    for block in sidecar.binding()?.blocks {
        page.line(format_args!("block {}", hex(&block)));
    }
    Ok(())
}

fn checkpoint(page: &mut Page, checkpoint: &Checkpoint) {
    let facts = &checkpoint.facts;
    said(page, facts);
    page.line(format_args!(
        "turn {} {}",
        checkpoint.turn,
        quoted(&checkpoint.turn_title)
    ));
    let card_turn = checkpoint
        .card_turn
        .map_or_else(|| "-".to_owned(), |turn| turn.to_string());
    page.line(format_args!(
        "{} cards, the last one of turn {card_turn}",
        checkpoint.cards
    ));
    page.line(format_args!(
        "sitting {}, last at {}",
        checkpoint.sitting,
        time(checkpoint.last_time)
    ));
    for call in &checkpoint.open_calls {
        page.line(format_args!(
            "open call {} {}.{} at {}+{}",
            quoted(&call.id),
            call.seq,
            call.call,
            call.start,
            call.length
        ));
        page.text("  words", &call.words);
        if let Some((card, command)) = call.command {
            page.line(format_args!("  command {command} of card {card}"));
        }
        if call.retrieves {
            page.line(format_args!("  retrieves"));
        }
    }
    let tally = checkpoint.tally;
    page.line(format_args!(
        "tally {} lines, {} broken, {} clipped, {} too long, {} unranked, {} copies",
        tally.lines, tally.broken, tally.clipped, tally.too_long, tally.unranked, tally.copies
    ));
    page.line(format_args!("first line {}", hex(&checkpoint.first_line)));
}

/// What a log says of itself.
fn said(page: &mut Page, facts: &LogFacts) {
    for (name, fact) in [
        ("task", &facts.task),
        ("parent", &facts.parent),
        ("forked_from", &facts.forked_from),
        ("helper", &facts.helper),
        ("cwd", &facts.cwd),
        ("branch", &facts.branch),
        ("title", &facts.title),
    ] {
        if let Some(fact) = fact {
            page.text(name, fact);
        }
    }
    page.line(format_args!(
        "time {} to {}",
        time(facts.started),
        time(facts.ended)
    ));
}

fn card(page: &mut Page, number: usize, card: &Card) {
    let continued = if card.continued { " continued" } else { "" };
    page.line(format_args!(
        "card {number} turn {}{continued} {}",
        card.turn,
        quoted(&card.title)
    ));
    page.line(format_args!(
        "  lines {} to {} at {}+{}",
        card.first_seq, card.last_seq, card.start, card.start_length
    ));
    page.line(format_args!(
        "  time {} to {}",
        time(card.started),
        time(card.ended)
    ));
    listing(page, "read", &card.read);
    listing(page, "edited", &card.edited);
    for command in &card.commands {
        let end = match command.end {
            End::Unknown => "unknown".to_owned(),
            End::Exit(code) => format!("exit {code}"),
            End::Failed => "failed".to_owned(),
        };
        page.line(format_args!("  command {} {end}", quoted(&command.line)));
    }
    page.line(format_args!(
        "  {} more commands, {} calls, {} errors",
        card.more_commands, card.calls, card.errors
    ));
    page.text("  closing", &card.closing);
    for note in &card.notes {
        page.line(format_args!("  note {} {}", note.seq, quoted(&note.text)));
    }
}

fn listing(page: &mut Page, name: &str, listing: &Listing) {
    for entry in &listing.named {
        page.line(format_args!("  {name} {}", quoted(entry)));
    }
    page.line(format_args!("  {name} {} more", listing.more));
}

fn document(page: &mut Page, number: u32, document: &Document, words: u32) {
    let kind = match document.kind {
        DocumentKind::Person => "person",
        DocumentKind::Reply => "reply",
        DocumentKind::Result => "result",
        DocumentKind::File => "file",
        DocumentKind::Plan => "plan",
        DocumentKind::Summary => "summary",
        DocumentKind::Compaction => "compaction",
    };
    let context = match document.helper {
        Context::Main => "main",
        Context::Helper => "helper",
    };
    let Document {
        seq,
        start,
        length,
        card,
        sitting,
        ..
    } = document;
    let time = time(document.time);
    page.line(format_args!(
        "document {number} line {seq} at {start}+{length} card {card} sitting {sitting} {kind} {context} time {time} words {words}"
    ));
}

fn keys(page: &mut Page, keys: &[Keys]) {
    for (number, Keys { id, origin }) in keys.iter().enumerate() {
        page.line(format_args!("key {number} {id:016x} {origin:016x}"));
    }
}

fn links(page: &mut Page, links: &[Link]) {
    for Link {
        call_seq,
        call,
        call_start,
        call_length,
        result_seq,
        part,
    } in links
    {
        page.line(format_args!(
            "link {result_seq}.{part} answers {call_seq}.{call} at {call_start}+{call_length}"
        ));
    }
}

fn waypoints(page: &mut Page, waypoints: &[Waypoint]) {
    for Waypoint {
        seq,
        name,
        document,
        way,
    } in waypoints
    {
        let document = document.map_or_else(|| "-".to_owned(), |document| document.to_string());
        let way = match way {
            Way::On => "on".to_owned(),
            Way::Back(to) => format!("back to {to}"),
            Way::Instead(document) => format!("instead of document {document}"),
        };
        page.line(format_args!(
            "waypoint line {seq} name {name:016x} document {document} {way}"
        ));
    }
}

fn terms<S: Source>(page: &mut Page, words: &Reader<S>) -> Result<(), memfold_segment::Error> {
    words.prefix(b"", usize::MAX, |term, postings| {
        page.line(format_args!(
            "term {}",
            quoted(&String::from_utf8_lossy(term))
        ));
        for posting in postings {
            page.line(format_args!("  {} {}", posting.doc.0, posting.frequency));
        }
    })?;
    Ok(())
}

fn time(time: Option<i64>) -> impl Display {
    time.map_or_else(|| "-".to_owned(), |time| time.to_string())
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut hex, byte| {
        let _ = write!(hex, "{byte:02x}");
        hex
    })
}

/// A JSON string.
fn quoted(text: &str) -> String {
    let mut quoted = String::from('"');
    for character in text.chars() {
        match character {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            '\u{8}' => quoted.push_str("\\b"),
            '\u{c}' => quoted.push_str("\\f"),
            control if control < ' ' => {
                let _ = write!(quoted, "\\u{:04x}", u32::from(control));
            }
            other => quoted.push(other),
        }
    }
    quoted.push('"');
    quoted
}
