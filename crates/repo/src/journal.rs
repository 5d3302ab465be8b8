//! The index's own log: what was read, refused, dropped and forgotten, as events. The truth of which manifests are made.
//! Appended to; once it has grown, another one takes its place, which begins with a snapshot of every tree and says the same.

use std::borrow::Cow;
use std::fs;
use std::io;
use std::path::Path;

use memfold_disk::{Links, Snapshot};
use memfold_guard::{Decision, TreePath};
use memfold_log::own::{Body, Record, Unranked};
use memfold_log::{AppendFile, Appender, Lines, Offset, Position};
use serde::{Deserialize, Serialize};
use serde_json::value::to_raw_value;
use sha2::{Digest, Sha256};

use crate::RepoError;
use crate::moment::Moment;
use crate::tree::{Counts, Tree, Update};

/// So many bytes an event of an update may take at most, so that its line stays below the longest.
const EVENT: usize = 6 << 20;
/// What a file takes of them beside its path, of which each byte may be written as six.
const STATE: usize = 400;
/// A first line is looked at so far.
const FIRST_LINE: u64 = 64 << 10;

/// Which log it is: a place in one says nothing about another.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct LogId(pub(crate) [u8; 8]);

/// A place in a log: where what is folded ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Folded {
    pub(crate) log: LogId,
    pub(crate) end: u64,
}

/// What an event says of a tree.
#[derive(Clone, Debug)]
pub(crate) enum Change {
    Update(Update),
    /// Nothing is known of it any more.
    Forgotten {
        tree: String,
    },
}

/// `data` of an `index.forget` event.
#[derive(Debug, Serialize, Deserialize)]
struct Forgotten {
    tree: String,
}

impl Change {
    pub(crate) fn tree(&self) -> &str {
        match self {
            Change::Update(update) => &update.tree,
            Change::Forgotten { tree } => tree,
        }
    }
}

/// The log, at the length that it had when it was opened. One that is not there is empty.
#[derive(Debug)]
pub(crate) struct Journal {
    log: Option<Snapshot>,
    id: LogId,
}

impl Journal {
    pub(crate) fn open(path: &Path) -> Journal {
        let log = Snapshot::open(path, Links::Refuse).ok();
        let id = log.as_ref().map(id_of).unwrap_or_default();
        Journal { log, id }
    }

    pub(crate) fn end(&self) -> Folded {
        Folded {
            log: self.id,
            end: self.log.as_ref().map_or(0, Snapshot::len),
        }
    }

    /// Whether something that was folded up to there was folded of this log.
    pub(crate) fn reaches(&self, folded: Folded) -> bool {
        folded.log == self.id && folded.end <= self.end().end
    }

    /// The changes of a tree (of all, if none is named) from a place on, in order, each with where its line ends.
    pub(crate) fn each(
        &self,
        from: u64,
        root: Option<&str>,
        each: &mut dyn FnMut(Change, Folded),
    ) -> Result<(), RepoError> {
        let Some(log) = &self.log else { return Ok(()) };
        let position = Position {
            offset: Offset(from),
            ..Position::START
        };
        // As JSON has it: a line that does not hold it need not be read, unless something in it is spelled another way.
        let named = root.map(|root| serde_json::to_string(root).unwrap_or_default());
        let mut lines = Lines::new(log.reader(from), position, Offset(log.len()));
        while let Some(line) = lines.next(&mut |_| {}).map_err(io::Error::other)? {
            let end = line.end().0;
            let Some(text) = line.text() else { continue };
            let holds = |name: &str| memchr::memmem::find(text, name.as_bytes()).is_some();
            let is_of_another = |root| !holds(root) && memchr::memchr(b'\\', text).is_none();
            if !holds("\"index.") || named.as_deref().is_some_and(is_of_another) {
                continue;
            }
            if let Some(change) = change_of(text)
                && root.is_none_or(|root| change.tree() == root)
            {
                each(change, Folded { log: self.id, end });
            }
        }
        Ok(())
    }

    /// What it says of a tree up to a place.
    pub(crate) fn tree_at(&self, root: &str, end: u64) -> Result<Tree, RepoError> {
        let mut tree = Tree::new(root);
        self.each(0, Some(root), &mut |change, folded| match change {
            _ if folded.end > end => {}
            Change::Update(update) => tree.apply(update),
            Change::Forgotten { .. } => tree = Tree::new(root),
        })?;
        Ok(tree)
    }

    /// How many lines name an event of the index and cannot be read as one. A torn line is none: a writer was killed.
    pub(crate) fn unread(&self) -> Result<usize, RepoError> {
        let Some(log) = &self.log else { return Ok(0) };
        let mut lines = Lines::new(log.reader(0), Position::START, Offset(log.len()));
        let mut unread = 0;
        while let Some(line) = lines.next(&mut |_| {}).map_err(io::Error::other)? {
            let Some(text) = line.text() else { continue };
            let is_ours = memchr::memmem::find(text, b"\"kind\":\"index.").is_some();
            unread += usize::from(is_ours && text.ends_with(b"}") && change_of(text).is_none());
        }
        Ok(unread)
    }

    /// Every tree of which something is known, with where its last event ends, by their roots.
    pub(crate) fn fold(&self) -> Result<Vec<(Tree, Folded)>, RepoError> {
        let mut trees = std::collections::BTreeMap::new();
        self.each(0, None, &mut |change, end| match change {
            Change::Forgotten { tree } => {
                trees.remove(&tree);
            }
            Change::Update(update) => {
                let (tree, folded) = trees
                    .entry(update.tree.clone())
                    .or_insert_with(|| (Tree::new(&update.tree), end));
                tree.apply(update);
                *folded = end;
            }
        })?;
        Ok(trees.into_values().collect())
    }
}

/// By its first line, which says when it was begun.
fn id_of(log: &Snapshot) -> LogId {
    let length = usize::try_from(log.len().min(FIRST_LINE)).unwrap_or(0);
    let head = log.read_at(0, length).unwrap_or_default();
    let line = head.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let digest: [u8; 32] = Sha256::digest(line).into();
    LogId(digest.first_chunk().copied().unwrap_or_default())
}

fn change_of(line: &[u8]) -> Option<Change> {
    let record = Record::parse(std::str::from_utf8(line).ok()?).ok()?;
    match record.body {
        Body::Unranked {
            kind: Unranked::IndexUpdate,
            data: Some(data),
            ..
        } => serde_json::from_str(data.get()).ok().map(Change::Update),
        Body::Unranked {
            kind: Unranked::IndexForget,
            data: Some(data),
            ..
        } => serde_json::from_str(data.get())
            .ok()
            .map(|Forgotten { tree }| Change::Forgotten { tree }),
        _ => None,
    }
}

/// The first line of a log of the index in that folder, begun then.
fn opening(folder: &Path, now: Moment) -> Record<'static> {
    let task = format!("index-{:x}", now.0);
    let mut record = Record::new(Body::open(task, folder.to_string_lossy().into_owned()));
    record.time = Some(now.time());
    record
}

fn event(
    kind: Unranked,
    text: String,
    data: &impl Serialize,
    now: Moment,
) -> Result<Record<'static>, RepoError> {
    let data = to_raw_value(data).map_err(io::Error::other)?;
    let mut record = Record::new(Body::Unranked {
        kind,
        text: Some(Cow::Owned(text)),
        data: Some(Cow::Owned(data)),
    });
    record.time = Some(now.time());
    Ok(record)
}

/// A decision of the guard, as an event.
pub(crate) fn decided(decision: &Decision, now: Moment) -> Result<Record<'static>, RepoError> {
    event(Unranked::GuardDecision, decision.to_string(), decision, now)
}

/// What a refresh changed, as events of which each has a line that can be read back.
pub(crate) fn updated(update: &Update, now: Moment) -> Result<Vec<Record<'static>>, RepoError> {
    let one = |part: &Update| {
        let verb = if part.snapshot { "snapshot" } else { "update" };
        let text = format!(
            "{verb} of {}: {} read, {} skipped, {} refused, {} gone",
            part.tree,
            part.counts.read,
            part.counts.skipped,
            part.counts.refused,
            part.gone.len()
        );
        event(Unranked::IndexUpdate, text, part, now)
    };
    let bytes = |path: &TreePath| STATE.saturating_add(path.as_str().len().saturating_mul(6));
    let paths = update.gone.iter().chain(update.files.keys());
    let room = paths.map(bytes).fold(0, usize::saturating_add);
    if room <= EVENT && update.counts == Counts::of(update.files.values()) {
        return Ok(vec![one(update)?]);
    }
    in_parts(update.clone()).iter().map(one).collect()
}

/// That nothing is known of a tree any more, as an event.
pub(crate) fn forgotten(root: &str, now: Moment) -> Result<Record<'static>, RepoError> {
    let data = Forgotten {
        tree: root.to_owned(),
    };
    let text = format!("{root}: gone");
    event(Unranked::IndexForget, text, &data, now)
}

/// Appends events in one write, synced, to the log of the index in a folder; it is begun if there is none. Where they end.
pub(crate) fn append(
    path: &Path,
    folder: &Path,
    records: &[Record<'_>],
    now: Moment,
) -> Result<Option<Folded>, RepoError> {
    let log = memfold_disk::open_own_log(path).map_err(io::Error::other)?;
    let mut log = Appender::new(OwnLog(log));
    log.begin(&opening(folder, now))?;
    let written = log.append_all(records)?;
    Ok(written.map(|written| Folded {
        log: Journal::open(path).id,
        end: written.start.0.saturating_add(written.length),
    }))
}

/// The log's file. What changes it goes by way of `memfold-disk`, as every change of the disk does.
struct OwnLog(fs::File);

impl AppendFile for OwnLog {
    fn file(&mut self) -> &mut fs::File {
        &mut self.0
    }

    fn write_once(&mut self, bytes: &[u8]) -> io::Result<usize> {
        memfold_disk::append_to_own_log(&self.0, bytes)
    }

    fn make_durable(&mut self) -> io::Result<()> {
        memfold_disk::sync_own_log(&self.0)
    }
}

/// A log that says of the trees what is known of them, and nothing of how it came to be known.
pub(crate) fn snapshot<'t>(
    folder: &Path,
    trees: impl Iterator<Item = &'t Tree>,
    now: Moment,
) -> Result<Vec<u8>, RepoError> {
    let mut bytes = Vec::new();
    let mut put = |record: &Record<'_>| -> Result<(), RepoError> {
        record.write_json(&mut bytes).map_err(io::Error::other)?;
        bytes.push(b'\n');
        Ok(())
    };
    put(&opening(folder, now))?;
    for tree in trees {
        let Tree {
            root,
            rules,
            whole,
            files,
        } = tree.clone();
        let update = Update {
            tree: root,
            snapshot: true,
            rules,
            files,
            whole,
            ..Update::default()
        };
        updated(&update, now)?.iter().try_for_each(&mut put)?;
    }
    Ok(bytes)
}

/// An update as several, each within an event's room: what is gone first, as it is taken in.
fn in_parts(mut update: Update) -> Vec<Update> {
    let mut parts = Vec::new();
    let mut part = Update::default();
    let mut room = EVENT;
    let begin = |part: &mut Update, room: &mut usize| {
        let next = Update {
            tree: update.tree.clone(),
            ..Update::default()
        };
        let full = std::mem::replace(part, next);
        *room = EVENT;
        full
    };
    begin(&mut part, &mut room);
    // The first one begins anew, the others go on.
    part.snapshot = update.snapshot;
    for path in std::mem::take(&mut update.gone) {
        let bytes = STATE + path.as_str().len().saturating_mul(6);
        if room < bytes {
            parts.push(begin(&mut part, &mut room));
        }
        room = room.saturating_sub(bytes);
        part.gone.insert(path);
    }
    for (path, state) in std::mem::take(&mut update.files) {
        let bytes = STATE + path.as_str().len().saturating_mul(6);
        if room < bytes {
            parts.push(begin(&mut part, &mut room));
        }
        room = room.saturating_sub(bytes);
        part.files.insert(path, state);
    }
    let snapshot = part.snapshot;
    parts.push(Update {
        gone: part.gone,
        files: part.files,
        snapshot,
        ..update
    });
    parts
        .iter_mut()
        .for_each(|part| part.counts = Counts::of(part.files.values()));
    parts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::{FileState, Found, Skip};

    #[test]
    fn a_large_update_is_several_events_that_say_the_same() {
        let long = "\u{1}".repeat(4000);
        let path = |n: usize| TreePath::new(&format!("{n:05}/{long}")).unwrap();
        let state = FileState {
            identity: memfold_disk::Identity::from_bytes(&[7; 40]),
            read_at: Moment(5),
            found: Found::Skipped(Skip::Binary),
        };
        let update = Update {
            tree: "/tree".to_owned(),
            snapshot: true,
            rules: Some(memfold_guard::RulesVersion::known("1")),
            files: (0..600).map(|n| (path(n), state.clone())).collect(),
            gone: (600..1200).map(path).collect(),
            ..Update::default()
        };
        let mut tree = Tree::new("/tree");
        tree.apply(update.clone());
        let records = updated(&update, Moment(0)).unwrap();
        assert!(records.len() > 4);
        let mut again = Tree::new("/tree");
        for record in &records {
            let mut line = Vec::new();
            record.write_json(&mut line).unwrap();
            assert!(line.len() <= memfold_log::MAX_LINE, "{}", line.len());
            let Some(Change::Update(part)) = change_of(&line) else {
                panic!("an event that is not read back");
            };
            again.apply(part);
        }
        assert_eq!(again, tree);
    }
}
