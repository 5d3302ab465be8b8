//! memfold's own log under a cut of power: an event whose append was acknowledged is there, whole and in its place; one that
//! was not is there or is a torn line alone; and the next event is written behind it.

use std::cell::RefCell;
use std::fs::{self, File};
use std::io;
use std::path::Path;
use std::rc::Rc;

use memfold_disk::fail::{self, Change};
use memfold_disk::{Identity, Links};
use memfold_log::own::{Body, Record};
use memfold_log::{AppendFile, Appender, Lines, Offset, Position};

use crate::disk::Disk;
use crate::rounds::{rounds, turn};

/// A log of ours, and what was done to it so far.
struct Watched {
    file: File,
    inode: u64,
    changes: Rc<RefCell<Vec<Change>>>,
}

impl AppendFile for Watched {
    fn file(&mut self) -> &mut File {
        &mut self.file
    }

    fn write_once(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let at = self.file.metadata()?.len();
        let written = self.file.write_once(bytes)?;
        self.changes.borrow_mut().push(Change::Wrote {
            inode: self.inode,
            at,
            bytes: bytes[..written].to_vec(),
        });
        Ok(written)
    }

    fn make_durable(&mut self) -> io::Result<()> {
        self.file.make_durable()?;
        self.changes
            .borrow_mut()
            .push(Change::Synced { inode: self.inode });
        Ok(())
    }
}

fn event(number: usize) -> Record<'static> {
    let text = format!("event {number} {}", "word ".repeat(number * 7)).into();
    Record::new(Body::Person { text })
}

/// Each line as its event's number, or nothing for a broken one.
fn events(bytes: &[u8]) -> Vec<Option<usize>> {
    let mut lines = Lines::new(bytes, Position::START, Offset(bytes.len() as u64));
    let mut events = Vec::new();
    while let Some(line) = lines.next(&mut |_| {}).unwrap() {
        let number = line.text().and_then(|text| {
            let record = Record::parse(std::str::from_utf8(text).ok()?).ok()?;
            match record.body {
                Body::Person { text } => text.split(' ').nth(1)?.parse().ok(),
                _ => None,
            }
        });
        events.push(number);
    }
    events
}

#[test]
fn an_event_that_was_acknowledged_is_there() {
    const EVENTS: usize = 4;
    let _turn = turn();
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("data");
    fs::create_dir(&root).unwrap();
    let path = root.join("events.jsonl");
    let new = Disk::of(&root);
    fail::record();
    let file = memfold_disk::open_own_log(&path).unwrap();
    let inode = Identity::at(&path, Links::Refuse).unwrap().inode;
    let changes = Rc::new(RefCell::new(fail::recorded()));
    let mut log = Appender::new(Watched {
        file,
        inode,
        changes: Rc::clone(&changes),
    });
    // How many changes had been made when each event was acknowledged.
    let mut acknowledged = Vec::new();
    for number in 0..EVENTS {
        log.append(&event(number)).unwrap();
        acknowledged.push(changes.borrow().len());
    }
    let changes = changes.take();
    for mut random in rounds() {
        let mut disk = new.clone();
        for step in 0..=changes.len() {
            if let Some(change) = step.checked_sub(1).and_then(|done| changes.get(done)) {
                disk.make(change);
            }
            let promised = acknowledged.iter().filter(|done| **done <= step).count();
            for state in disk.states(&mut random) {
                let _ = fs::remove_file(&path);
                disk.restore(&state, &root);
                holds(
                    &path,
                    promised,
                    EVENTS,
                    &format!("cut after {step}: {state:?}"),
                );
            }
        }
    }
}

/// The promised events are there, in order, each once, and one more can be appended.
fn holds(path: &Path, promised: usize, all: usize, when: &str) {
    let before = fs::read(path).unwrap_or_default();
    let there: Vec<usize> = events(&before).into_iter().flatten().collect();
    assert!(
        there == (0..there.len()).collect::<Vec<_>>() && (promised..=all).contains(&there.len()),
        "{when}: {there:?}"
    );
    let mut log = Appender::new(memfold_disk::open_own_log(path).unwrap());
    log.append(&event(99)).unwrap();
    let after = fs::read(path).unwrap();
    assert!(after.starts_with(&before), "{when}");
    let now: Vec<usize> = events(&after).into_iter().flatten().collect();
    assert_eq!(now, [there, vec![99]].concat(), "{when}");
}
