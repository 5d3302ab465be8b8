use std::io;

use proptest::prelude::*;

use super::*;
use crate::frame::Content;
use crate::ids::Seq;
use crate::reread::{read_line, read_line_at};

/// Gives a log in pieces of the sizes asked for, over and over.
struct Pieces<'a> {
    log: &'a [u8],
    sizes: Vec<usize>,
    at: usize,
}

impl<'a> Pieces<'a> {
    fn new(log: &'a [u8], sizes: &[usize]) -> Pieces<'a> {
        Pieces {
            log,
            sizes: sizes.to_vec(),
            at: 0,
        }
    }
}

impl Read for Pieces<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let size = self
            .sizes
            .get(self.at % self.sizes.len().max(1))
            .copied()
            .unwrap_or(usize::MAX)
            .max(1);
        self.at += 1;
        if self.at.is_multiple_of(3) {
            return Err(io::ErrorKind::Interrupted.into());
        }
        let count = self.log.len().min(size).min(into.len());
        into[..count].copy_from_slice(&self.log[..count]);
        self.log = &self.log[count..];
        Ok(count)
    }
}

/// A line as the tests compare it.
#[derive(Clone, Debug, PartialEq)]
struct Seen {
    seq: u64,
    start: u64,
    length: u64,
    text: Option<Vec<u8>>,
    left_out: u64,
    terminated: Terminated,
}

fn seen(line: &Line<'_>) -> Seen {
    Seen {
        seq: line.seq.get(),
        start: line.start.0,
        length: line.length,
        text: line.text().map(<[u8]>::to_vec),
        left_out: match line.content {
            Content::Clipped { left_out, .. } => left_out,
            _ => 0,
        },
        terminated: line.terminated,
    }
}

/// Frames the log from a place in it; checks what the watch sees on the way.
fn frame(log: &[u8], from: Position, sizes: &[usize], limits: Limits) -> Vec<Seen> {
    let begin = from.offset.0 as usize;
    let end = Offset(log.len() as u64);
    let beyond = [log, b"{\"written\":\"later\"}\n"].concat();
    let mut lines = Lines::with_limits(
        Pieces::new(&beyond[begin..], sizes),
        from,
        Some(end),
        limits,
    );
    let mut watched = Vec::new();
    let mut all = Vec::new();
    while let Some(line) = lines
        .next(&mut |run| watched.extend_from_slice(run))
        .unwrap()
    {
        assert_eq!(
            begin + watched.len(),
            line.end().0 as usize,
            "the watch stands at the line's end"
        );
        all.push(seen(&line));
    }
    assert_eq!(watched, &log[begin..]);
    assert!(
        lines
            .next(&mut |_| panic!("nothing is left to see"))
            .unwrap()
            .is_none()
    );
    all
}

/// The same by hand, for logs without long strings.
fn naive(log: &[u8]) -> Vec<Seen> {
    let mut all = Vec::new();
    let mut start = 0;
    for raw in log.split_inclusive(|&byte| byte == b'\n') {
        let ended = raw.ends_with(b"\n");
        let mut text = raw.strip_suffix(b"\n").unwrap_or(raw);
        if start == 0 {
            text = text.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(text);
        }
        text = text.strip_suffix(b"\r").unwrap_or(text);
        if !ended && raw.iter().all(|&byte| byte == 0) {
            break;
        }
        let blank = text.iter().all(u8::is_ascii_whitespace) || text.iter().all(|&byte| byte == 0);
        all.push(Seen {
            seq: all.len() as u64 + 1,
            start,
            length: raw.len() as u64,
            text: (!blank).then(|| text.to_vec()),
            left_out: 0,
            terminated: if ended {
                Terminated::Newline
            } else {
                Terminated::EndOfLog
            },
        });
        start += raw.len() as u64;
    }
    all
}

const WIDE: Limits = Limits {
    string: 1 << 20,
    line: 1 << 20,
    buffer: 8,
};

fn log() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        3 => Just(b"\n".to_vec()),
        1 => Just(b"\r\n".to_vec()),
        1 => Just(b"\0".to_vec()),
        1 => Just(b" ".to_vec()),
        1 => Just(b"\xEF\xBB\xBF".to_vec()),
        1 => Just(b"\"".to_vec()),
        1 => Just(b"\\".to_vec()),
        1 => Just(b"\r".to_vec()),
        2 => "[a-z]{1,12}".prop_map(String::into_bytes),
        2 => "\"[a-z]{1,12}\"".prop_map(String::into_bytes),
        1 => proptest::collection::vec(any::<u8>(), 1..4),
    ];
    proptest::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn lines_are_those_between_newlines(log in log(), sizes in proptest::collection::vec(1usize..9, 0..6)) {
        prop_assert_eq!(frame(&log, Position::START, &sizes, WIDE), naive(&log));
    }

    #[test]
    fn from_any_line_on_come_the_rest(log in log(), sizes in proptest::collection::vec(1usize..9, 0..6)) {
        let all = frame(&log, Position::START, &sizes, WIDE);
        for (index, line) in all.iter().enumerate() {
            let from = Position { offset: Offset(line.start), seq: Seq::new(line.seq).unwrap() };
            prop_assert_eq!(&frame(&log, from, &sizes, WIDE), &all[index..]);
        }
    }

    #[test]
    fn what_is_kept_does_not_depend_on_the_reader(
        log in log(), sizes in proptest::collection::vec(1usize..9, 0..6), buffers in (1usize..40, 1usize..40),
        string in 0usize..10, line in 3usize..30,
    ) {
        let limits = |buffer| Limits { string, line, buffer };
        let all = frame(&log, Position::START, &[], limits(buffers.0));
        prop_assert_eq!(&frame(&log, Position::START, &sizes, limits(buffers.1)), &all);
        // Line by line, too, and as a recall reads it back.
        for one in &all {
            let reread = read_line(&log[one.start as usize..], Offset(one.start), one.length, limits(buffers.1)).unwrap();
            prop_assert_eq!(reread.content().text(), one.text.as_deref());
        }
    }
}

fn texts(log: &[u8]) -> Vec<Option<Vec<u8>>> {
    frame(log, Position::START, &[], Limits::DEFAULT)
        .into_iter()
        .map(|line| line.text)
        .collect()
}

#[test]
fn line_ends_and_marks() {
    let text = |text: &str| Some(text.as_bytes().to_vec());
    assert_eq!(texts(b""), []);
    assert_eq!(texts(b"\n"), [None]);
    assert_eq!(
        texts(b"\xEF\xBB\xBF{}\r\n\r\n  \n{}"),
        [text("{}"), None, None, text("{}")]
    );
    assert_eq!(
        texts(b"{}\n\xEF\xBB\xBF{}\n"),
        [text("{}"), text("\u{feff}{}")]
    );
    assert_eq!(texts(b"{}\r"), [text("{}")]);
    assert_eq!(texts(b"a\rb\n"), [text("a\rb")]);
}

fn all(log: &[u8]) -> Vec<(u64, bool, Terminated)> {
    let mut lines = Lines::new(log, Position::START, Offset(log.len() as u64));
    let mut all = Vec::new();
    while let Some(line) = lines.next(&mut |_| {}).unwrap() {
        all.push((line.seq.get(), line.is_whole_object(), line.terminated));
    }
    all
}

#[test]
fn tails() {
    use Terminated::{EndOfLog, Newline};
    let first = (1, true, Newline);
    assert_eq!(all(b"{\"a\":1}\n{\"a\":2}"), [first, (2, true, EndOfLog)]);
    assert_eq!(
        all(b"{\"a\":1}\n{\"a\":\"\xE6\x97"),
        [first, (2, false, EndOfLog)]
    );
    assert_eq!(
        all(b"{\"a\":1}\n12"),
        [first, (2, false, EndOfLog)],
        "12 may become 123"
    );
    assert_eq!(
        all(b"{\"a\":1}\n\0\0\0\0"),
        [first],
        "NULs are not yet a line"
    );
    assert_eq!(all(b"{\"a\":1}\n{\"a\"\0\0"), [first, (2, false, EndOfLog)]);
    assert_eq!(all(b"\0\0\0"), []);
    // In the middle, they are a broken line that counts.
    assert_eq!(
        all(b"{\"a\":1}\n\0\0{\"a\":2}\n\0\0\n{\"a\":3}\n"),
        [
            first,
            (2, false, Newline),
            (3, false, Newline),
            (4, true, Newline)
        ]
    );
    // A lone surrogate or half a character is no tear.
    assert_eq!(all(b"{\"a\":\"\\ud83d \xC3\"}"), [(1, true, EndOfLog)]);
}

#[test]
fn nothing_beyond_the_length_is_read() {
    let log = b"{\"a\":1}\n{\"a\":2}\n";
    let mut lines = Lines::new(&log[..], Position::START, Offset(12));
    assert!(lines.next(&mut |_| {}).unwrap().is_some());
    let tail = lines.next(&mut |_| {}).unwrap().unwrap();
    assert_eq!(
        (tail.content, tail.terminated),
        (Content::Text(b"{\"a\""), Terminated::EndOfLog)
    );
    assert_eq!(
        lines.position(),
        Position {
            offset: Offset(12),
            seq: Seq::new(3).unwrap()
        }
    );
}

#[test]
fn a_log_that_shrinks_meanwhile_is_an_error() {
    let log = b"{\"a\":1}\n{\"a\":2";
    let mut lines = Lines::new(&log[..], Position::START, Offset(100));
    assert!(lines.next(&mut |_| {}).unwrap().is_some());
    let error = lines.next(&mut |_| {}).unwrap_err();
    assert!(
        matches!(
            error,
            Error::Shrunk {
                at: Offset(14),
                end: Offset(100)
            }
        ),
        "{error}"
    );
    assert!(lines.next(&mut |_| {}).unwrap().is_none());
}

#[test]
fn reading_back_refuses_what_is_no_line() {
    let log = io::Cursor::new(b"{\"a\":1}\n{\"a\":2}\n");
    for (start, length) in [
        (0, 7 + 2),
        (0, 16),
        (8, 0),
        (16, 1),
        (u64::MAX, 8),
        (8, u64::MAX),
    ] {
        assert!(
            read_line_at(log.clone(), Offset(start), length, Limits::DEFAULT).is_err(),
            "{start} {length}"
        );
    }
}

/// A reader that makes a line of any length out of nothing, then others.
struct Made {
    parts: Vec<(Vec<u8>, u64)>,
}

impl Read for Made {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let Some((pattern, left)) = self.parts.first_mut() else {
            return Ok(0);
        };
        let count = usize::try_from(*left).unwrap_or(usize::MAX).min(into.len());
        // Each read begins anew with the pattern, so it must be one byte where that would show.
        for (index, byte) in into[..count].iter_mut().enumerate() {
            *byte = pattern[index % pattern.len()];
        }
        *left -= count as u64;
        if *left == 0 {
            self.parts.remove(0);
        }
        Ok(count)
    }
}

/// Parts of a log: bytes once, or one byte many times.
fn made(parts: &[(&[u8], u64)]) -> (Made, Offset) {
    let mut flat = Vec::new();
    for &(part, times) in parts {
        if times == 1 {
            flat.extend(part.iter().map(|&byte| (vec![byte], 1)));
        } else {
            assert_eq!(part.len(), 1);
            flat.push((part.to_vec(), times));
        }
    }
    let length = flat.iter().map(|(_, times)| times).sum();
    (Made { parts: flat }, Offset(length))
}

const LONG: u64 = 300 << 20;

#[test]
fn three_hundred_megabytes_of_one_string_are_clipped_in_bounded_memory() {
    let (reader, end) = made(&[
        (b"{\"n\":1}\n{\"t\":\"", 1),
        (b"x", LONG),
        (b"\",\"n\":2}\n{\"n\":3}\n", 1),
    ]);
    let mut lines = Lines::new(reader, Position::START, end);
    assert_eq!(
        lines.next(&mut |_| {}).unwrap().unwrap().text(),
        Some(&b"{\"n\":1}"[..])
    );
    let mut watched = 0;
    let line = lines
        .next(&mut |run| watched += run.len() as u64)
        .unwrap()
        .unwrap();
    assert_eq!(watched, line.length);
    let Content::Clipped { text, left_out } = line.content else {
        panic!("{:?}", line.seq)
    };
    assert_eq!(left_out, LONG - (8 << 20));
    assert_eq!(text.len() as u64 + left_out + 1, line.length);
    assert!(text.ends_with(b"xx\",\"n\":2}"));
    assert!(lines.framer.held() < 40 << 20, "{}", lines.framer.held());
    assert_eq!(
        lines.next(&mut |_| {}).unwrap().unwrap().text(),
        Some(&b"{\"n\":3}"[..])
    );
    assert!(
        lines.framer.held() < 20 << 20,
        "given back: {}",
        lines.framer.held()
    );
    assert!(lines.next(&mut |_| {}).unwrap().is_none());
}

#[test]
fn three_hundred_megabytes_without_a_string_are_skipped_in_bounded_memory() {
    let (reader, end) = made(&[(b"[", 1), (b"7", LONG), (b"]\n{\"n\":2}\n", 1)]);
    let mut lines = Lines::new(reader, Position::START, end);
    let line = lines.next(&mut |_| {}).unwrap().unwrap();
    assert_eq!((line.content, line.length), (Content::TooLong, LONG + 3));
    assert!(lines.framer.held() < 80 << 20, "{}", lines.framer.held());
    let line = lines.next(&mut |_| {}).unwrap().unwrap();
    assert_eq!((line.seq.get(), line.text()), (2, Some(&b"{\"n\":2}"[..])));
}

#[test]
fn a_long_tail_of_nuls_is_not_yet_a_line() {
    let (reader, end) = made(&[(b"{\"n\":1}\n", 1), (b"\0", 30 << 20)]);
    let mut lines = Lines::new(reader, Position::START, end);
    assert!(lines.next(&mut |_| {}).unwrap().is_some());
    assert!(lines.next(&mut |_| {}).unwrap().is_none());
    assert_eq!(lines.position().offset, Offset(8));
}

#[test]
fn a_small_log_takes_little_memory() {
    let log = b"{\"n\":1}\n";
    let lines = Lines::new(&log[..], Position::START, Offset(8));
    assert_eq!(lines.framer.held(), 8);
}

#[test]
fn a_line_is_read_back_with_one_read() {
    struct Counted<'a>(&'a [u8], u32);
    impl Read for Counted<'_> {
        fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
            self.1 += 1;
            self.0.read(into)
        }
    }
    let log = [
        b"{\"t\":\"".as_slice(),
        &[b'x'; 400_000],
        b"\"}\n{\"n\":2}\n",
    ]
    .concat();
    let mut reader = Counted(&log, 0);
    let line = read_line(&mut reader, Offset(0), 400_009, Limits::DEFAULT).unwrap();
    assert_eq!(line.content().text().map(<[u8]>::len), Some(400_008));
    assert_eq!(reader.1, 1);
}
