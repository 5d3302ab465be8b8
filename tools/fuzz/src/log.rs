//! A log's bytes: framed into lines or messages, out of zstd or not, the same however they arrive and whatever the window,
//! and read back one by one as they were framed. memfold's own lines are written as they were read.

use std::io::{self, Read};

use memfold_log::own::{Body, Record};
use memfold_log::{
    Content, Limits, Line, Lines, Messages, Offset, Position, Reread, Seq, Terminated, Unzstd,
    read_line, read_message, repair,
};

/// The first byte says what the rest is, the three after it how it arrives and within which limits.
pub fn run(bytes: &[u8]) {
    let Some((&[form, piece, string, buffer], log)) = bytes.split_first_chunk::<4>() else {
        return;
    };
    let limits = Limits {
        string: usize::from(string),
        line: 3 + 2 * usize::from(string),
        buffer: 1 + usize::from(buffer),
    };
    match form % 4 {
        0 => lines(log, usize::from(piece), limits),
        1 => messages(log, usize::from(piece), limits),
        2 => compressed(log, usize::from(piece), limits),
        _ => own(log),
    }
}

/// Gives bytes a few at a time, with interruptions.
struct Pieces<'a> {
    bytes: &'a [u8],
    most: usize,
    reads: usize,
}

impl Read for Pieces<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        self.reads += 1;
        if self.most > 0 && self.reads.is_multiple_of(3) {
            return Err(io::ErrorKind::Interrupted.into());
        }
        let most = if self.most == 0 {
            usize::MAX
        } else {
            self.most
        };
        let count = self.bytes.len().min(most).min(into.len());
        into[..count].copy_from_slice(&self.bytes[..count]);
        self.bytes = &self.bytes[count..];
        Ok(count)
    }
}

fn pieces(bytes: &[u8], most: usize) -> Pieces<'_> {
    Pieces {
        bytes,
        most,
        reads: 0,
    }
}

/// A line as it is compared.
#[derive(Debug, PartialEq)]
struct Seen {
    seq: u64,
    start: u64,
    length: u64,
    kept: Kept,
    terminated: Terminated,
}

#[derive(Debug, PartialEq)]
enum Kept {
    Text(Vec<u8>),
    Clipped(Vec<u8>, u64),
    TooLong,
    Blank,
    Nul,
}

fn kept(content: Content<'_>) -> Kept {
    match content {
        Content::Text(text) => Kept::Text(text.to_vec()),
        Content::Clipped { text, left_out } => Kept::Clipped(text.to_vec(), left_out),
        Content::TooLong => Kept::TooLong,
        Content::Blank => Kept::Blank,
        Content::Nul => Kept::Nul,
    }
}

fn seen(line: &Line<'_>) -> Seen {
    Seen {
        seq: line.seq.get(),
        start: line.start.0,
        length: line.length,
        kept: kept(line.content),
        terminated: line.terminated,
    }
}

/// The lines from a place on, and why there are no more.
fn framed(
    log: &[u8],
    from: Position,
    end: Option<Offset>,
    piece: usize,
    limits: Limits,
) -> (Vec<Seen>, Option<String>) {
    let begin = from.offset.0 as usize;
    let mut lines = Lines::with_limits(pieces(&log[begin..], piece), from, end, limits);
    let mut watched = Vec::new();
    let mut all = Vec::new();
    let error = loop {
        match lines.next(&mut |run| watched.extend_from_slice(run)) {
            Ok(Some(line)) => {
                assert_eq!((begin + watched.len()) as u64, line.end().0);
                all.push(seen(&line));
            }
            Ok(None) => break None,
            Err(error) => break Some(error.to_string()),
        }
    };
    assert!(log[begin..].starts_with(&watched));
    assert!(error.is_some() || begin + watched.len() == log.len());
    assert!(matches!(lines.next(&mut |_| {}), Ok(None)));
    (all, error)
}

fn lines(log: &[u8], piece: usize, limits: Limits) {
    let end = Some(Offset(log.len() as u64));
    let (all, error) = framed(log, Position::START, end, piece, limits);
    assert_eq!(error, None);
    let wide = Limits {
        buffer: 1 << 12,
        ..limits
    };
    assert_eq!(framed(log, Position::START, end, 0, wide).0, all);
    assert_eq!(framed(log, Position::START, None, piece, wide).0, all);
    // Where nothing is cut, they are what stands between newlines.
    let whole = framed(log, Position::START, end, piece, Limits::DEFAULT).0;
    let raw: Vec<&[u8]> = log.split_inclusive(|byte| *byte == b'\n').collect();
    assert!(whole.len() == raw.len() || whole.len() + 1 == raw.len());
    let mut start = 0;
    for (line, raw) in whole.iter().zip(raw) {
        assert_eq!((line.start, line.length), (start, raw.len() as u64));
        start += line.length;
        if let Kept::Text(text) = &line.kept {
            let from = raw.windows(text.len()).position(|window| window == text);
            let around = raw.len() - text.len();
            assert!(from.is_some() && around <= 5);
        }
    }
    for (index, line) in all.iter().enumerate() {
        let from = Position {
            offset: Offset(line.start),
            seq: Seq::new(line.seq).unwrap(),
        };
        if index % 7 == 1 {
            let rest = framed(log, from, end, piece, limits).0;
            assert_eq!(rest, all[index..]);
        }
        let at = &log[line.start as usize..];
        let again = read_line(pieces(at, piece), from.offset, line.length, limits).unwrap();
        is_read_back(&again, line, limits);
    }
}

/// A line is read back as it was framed, and within the limits.
fn is_read_back(again: &Reread, line: &Seen, limits: Limits) {
    assert_eq!(kept(again.content()), line.kept);
    if let Kept::Text(text) | Kept::Clipped(text, _) = &line.kept {
        let least = limits.line.max(limits.string).max(3);
        assert!(text.len() <= least, "{} of {least}", text.len());
        let mended = repair::json(text);
        assert!(mended.len() <= 6 * text.len());
        assert_eq!(repair::json(mended.as_bytes()), mended);
    }
}

fn messages(document: &[u8], piece: usize, limits: Limits) {
    for path in [&[][..], &["messages"], &["a", "b"]] {
        let parts = elements(document, path, piece, limits);
        let wide = Limits {
            buffer: 1 << 12,
            ..limits
        };
        let whole = elements(document, path, 0, wide);
        assert_eq!(parts, whole);
        for message in &whole.0 {
            let (start, length) = (message.start, message.length);
            let at = &document[start as usize..];
            let again = read_message(pieces(at, piece), Offset(start), length, limits).unwrap();
            is_read_back(&again, message, limits);
        }
    }
}

/// The messages, what stands around them, and why there are no more.
fn elements(
    document: &[u8],
    path: &[&str],
    piece: usize,
    limits: Limits,
) -> (Vec<Seen>, Kept, Option<String>) {
    let end = Offset(document.len() as u64);
    let mut messages = Messages::with_limits(pieces(document, piece), path, end, limits);
    let (mut all, mut watched) = (Vec::new(), 0);
    let error = loop {
        // Sought or not, every other time.
        if all.len() % 2 == 1
            && let Err(error) = messages.seek(&mut |run| watched += run.len())
        {
            break Some(error.to_string());
        }
        match messages.next(&mut |run| watched += run.len()) {
            Ok(Some(line)) => {
                assert_eq!(line.seq.get(), all.len() as u64 + 1);
                assert_eq!(watched as u64, line.end().0);
                all.push(seen(&line));
            }
            Ok(None) => break None,
            Err(error) => break Some(error.to_string()),
        }
    };
    assert!(matches!(messages.next(&mut |_| {}), Ok(None)));
    assert!(error.is_some() || watched == document.len());
    (all, kept(messages.document()), error)
}

/// A stream as it is, and the same bytes packed.
fn compressed(log: &[u8], piece: usize, limits: Limits) {
    let text = |bytes: &[u8], piece: usize| {
        let mut text = Vec::new();
        let stream = Unzstd::new(pieces(bytes, piece)).unwrap();
        // No more than a fuzzer waits for.
        let read = stream.take(1 << 20).read_to_end(&mut text);
        (text, read.err().map(|error| error.to_string()))
    };
    let whole = text(log, 0);
    assert_eq!(text(log, piece), whole);
    let mut lines = Lines::with_limits(
        Unzstd::new(log).unwrap().take(1 << 20),
        Position::START,
        None,
        limits,
    );
    let mut watched = 0;
    while let Ok(Some(_)) = lines.next(&mut |run| watched += run.len()) {}
    assert!(watched <= whole.0.len());

    let mut packed = zstd::encode_all(log, 1).unwrap();
    assert_eq!(text(&packed, piece), (log.to_vec(), None));
    packed.pop();
    let (cut, error) = text(&packed, piece);
    assert!(log.starts_with(&cut) && error.is_some());
}

/// What is read is written again, and read as the same.
fn own(line: &[u8]) {
    let Ok(line) = std::str::from_utf8(line) else {
        return;
    };
    let Ok(record) = Record::parse(line) else {
        return;
    };
    let mut written = Vec::new();
    let known = !matches!(record.body, Body::Unknown { .. });
    assert_eq!(record.write_json(&mut written).is_ok(), known);
    if known {
        let written = String::from_utf8(written).unwrap();
        assert!(!written.contains('\n'), "a line of two lines");
        let again = Record::parse(&written).unwrap();
        let mut twice = Vec::new();
        again.write_json(&mut twice).unwrap();
        assert_eq!(twice, written.as_bytes());
        assert_eq!(again.time, record.time);
        assert_eq!(again.id, record.id);
        assert_eq!(again.agent, record.agent);
    }
}
