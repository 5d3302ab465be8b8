//! The log under several writers: threads and processes, crashes and full disks.

// In a test a failure is a panic; clippy excuses test functions alone, not what they call.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

use std::fs::{File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;

use memfold_log::own::{Body, Record};
use memfold_log::{
    AppendError, AppendTarget, Appender, Lines, MAX_LINE, Offset, Position, Written,
};

/// A log of this test alone, gone after it.
struct TempLog(PathBuf);

impl TempLog {
    fn new(name: &str) -> TempLog {
        let path =
            std::env::temp_dir().join(format!("memfold-log-{name}-{}.jsonl", std::process::id()));
        let _ = std::fs::remove_file(&path);
        TempLog(path)
    }
}

impl Drop for TempLog {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

fn open(path: &Path) -> Appender<File> {
    Appender::new(
        OpenOptions::new()
            .create(true)
            .append(true)
            .read(true)
            .open(path)
            .unwrap(),
    )
}

fn person(text: String) -> Record<'static> {
    Record::new(Body::Person { text: text.into() })
}

/// A text whose every word tells who wrote it and which line it is; of very different lengths.
fn words(writer: usize, n: usize) -> String {
    vec![format!("w{writer}n{n}"); 1 + (n * 7919) % 3000].join(" ")
}

/// Each line as its text, or nothing for a broken one.
fn texts(bytes: &[u8]) -> Vec<Option<String>> {
    let mut lines = Lines::new(bytes, Position::START, Offset(bytes.len() as u64));
    let mut all = Vec::new();
    while let Some(line) = lines.next(&mut |_| {}).unwrap() {
        let text = line.text().and_then(|text| {
            let record = Record::parse(std::str::from_utf8(text).ok()?).ok()?;
            match record.body {
                Body::Person { text } => Some(text.into_owned()),
                body => Some(body.kind().to_owned()),
            }
        });
        all.push(text);
    }
    all
}

const EACH: usize = 40;

fn write_many(path: &Path, writer: usize) {
    let mut log = open(path);
    log.begin(&Record::new(Body::open("t", "/project")))
        .unwrap();
    for n in 0..EACH {
        let Written { start, length } = log.append(&person(words(writer, n))).unwrap();
        let bytes = std::fs::read(path).unwrap();
        let line = &bytes[start.0 as usize..(start.0 + length) as usize];
        assert_eq!(
            texts(line),
            [Some(words(writer, n))],
            "where it was put it is"
        );
    }
}

fn check_many(path: &Path, writers: usize) {
    let mut all = texts(&std::fs::read(path).unwrap());
    assert_eq!(
        all.remove(0).as_deref(),
        Some("log.open"),
        "one of them began the log"
    );
    assert_eq!(all.len(), writers * EACH);
    for writer in 0..writers {
        let own = format!("w{writer}n");
        let mine: Vec<_> = all
            .iter()
            .flatten()
            .filter(|text| text.starts_with(&own))
            .cloned()
            .collect();
        let expected: Vec<_> = (0..EACH).map(|n| words(writer, n)).collect();
        assert!(
            mine == expected,
            "writer {writer}: each line whole, in its order"
        );
    }
}

#[test]
fn threads_never_interleave() {
    let log = TempLog::new("threads");
    thread::scope(|scope| {
        for writer in 0..4 {
            let path = &log.0;
            scope.spawn(move || write_many(path, writer));
        }
    });
    check_many(&log.0, 4);
}

#[test]
fn processes_never_interleave() {
    let log = TempLog::new("processes");
    let this = std::env::current_exe().unwrap();
    let children: Vec<_> = (0..4)
        .map(|writer| {
            Command::new(&this)
                .args(["--exact", "one_of_the_processes", "--ignored", "--quiet"])
                .env("MEMFOLD_TEST_LOG", &log.0)
                .env("MEMFOLD_TEST_WRITER", writer.to_string())
                .stdout(std::process::Stdio::null())
                .spawn()
                .unwrap()
        })
        .collect();
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    check_many(&log.0, 4);
}

#[test]
#[ignore = "run by processes_never_interleave, once for each process"]
fn one_of_the_processes() {
    let path = std::env::var("MEMFOLD_TEST_LOG").unwrap();
    let writer = std::env::var("MEMFOLD_TEST_WRITER")
        .unwrap()
        .parse()
        .unwrap();
    write_many(Path::new(&path), writer);
}

#[test]
fn a_torn_line_stays_alone() {
    let log = TempLog::new("torn");
    open(&log.0).append(&person("first".into())).unwrap();
    let whole = std::fs::read(&log.0).unwrap();
    let last = br#"{"v":1,"kind":"person","text":"crashed"}"#;
    for cut in 0..=last.len() {
        for nuls in [0, 5] {
            let torn = [&whole[..], &last[..cut], &vec![0; nuls]].concat();
            std::fs::write(&log.0, &torn).unwrap();
            let written = open(&log.0).append(&person("next".into())).unwrap();
            let bytes = std::fs::read(&log.0).unwrap();
            assert!(bytes.starts_with(&torn), "nothing is taken away");
            let all = texts(&bytes);
            let between = match (cut, nuls) {
                (0, 0) => vec![],
                (cut, 0) if cut == last.len() => vec![Some("crashed".to_owned())],
                _ => vec![None],
            };
            let expected = [
                vec![Some("first".to_owned())],
                between,
                vec![Some("next".to_owned())],
            ]
            .concat();
            assert_eq!(all, expected, "cut at {cut}, {nuls} NULs");
            assert_eq!(written.start.0 + written.length, bytes.len() as u64);
        }
    }
}

#[test]
fn a_line_that_is_too_long_is_refused_and_nothing_written() {
    let log = TempLog::new("long");
    let error = open(&log.0)
        .append(&person("x".repeat(MAX_LINE)))
        .unwrap_err();
    assert!(
        matches!(error, AppendError::TooLong { length } if length > MAX_LINE),
        "{error}"
    );
    assert_eq!(std::fs::read(&log.0).unwrap(), b"");
}

/// A log in memory that records what is asked of it, and fails where it is told to.
#[derive(Default)]
struct Fake {
    bytes: Vec<u8>,
    asked: Vec<&'static str>,
    fails: &'static str,
}

impl Fake {
    fn ask(&mut self, what: &'static str) -> io::Result<()> {
        self.asked.push(what);
        if self.fails == what {
            Err(io::ErrorKind::StorageFull.into())
        } else {
            Ok(())
        }
    }
}

impl AppendTarget for Fake {
    fn lock(&mut self) -> io::Result<()> {
        self.ask("lock")
    }
    fn unlock(&mut self) -> io::Result<()> {
        self.ask("unlock")
    }
    fn len(&mut self) -> io::Result<u64> {
        Ok(self.bytes.len() as u64)
    }
    fn last_byte(&mut self) -> io::Result<Option<u8>> {
        self.ask("look")?;
        Ok(self.bytes.last().copied())
    }
    fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        let asked = self.ask("write");
        // A full disk takes a part.
        let part = if asked.is_err() {
            bytes.len() / 2
        } else {
            bytes.len()
        };
        self.bytes.extend_from_slice(&bytes[..part]);
        asked
    }
    fn sync(&mut self) -> io::Result<()> {
        self.ask("sync")
    }
}

#[test]
fn one_lock_one_write_one_sync() {
    let mut log = Appender::new(Fake::default());
    log.append(&person("a".into())).unwrap();
    assert_eq!(
        log.into_inner().asked,
        ["lock", "look", "write", "sync", "unlock"]
    );
}

#[test]
fn the_lock_is_given_back_whatever_fails() {
    for (fails, asked) in [
        ("lock", &["lock"][..]),
        ("look", &["lock", "look", "unlock"]),
        ("write", &["lock", "look", "write", "unlock"]),
        ("sync", &["lock", "look", "write", "sync", "unlock"]),
        ("unlock", &["lock", "look", "write", "sync", "unlock"]),
    ] {
        let mut log = Appender::new(Fake {
            fails,
            ..Fake::default()
        });
        let written = log.append(&person("a".into()));
        assert_eq!(written.is_ok(), fails == "unlock", "{fails}");
        let mut fake = log.into_inner();
        assert_eq!(fake.asked, asked);
        // The next event is whole, whatever was left.
        fake.fails = "";
        let mut log = Appender::new(fake);
        log.append(&person("b".into())).unwrap();
        assert_eq!(
            texts(&log.into_inner().bytes).last(),
            Some(&Some("b".to_owned())),
            "{fails}"
        );
    }
}

#[test]
fn only_an_empty_log_is_begun() {
    let log = TempLog::new("begun");
    let open_line = Record::new(Body::open("t", "/project"));
    assert!(open(&log.0).begin(&open_line).unwrap().is_some());
    assert!(open(&log.0).begin(&open_line).unwrap().is_none());
    assert_eq!(
        texts(&std::fs::read(&log.0).unwrap()),
        [Some("log.open".to_owned())]
    );
}
