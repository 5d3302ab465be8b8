//! The record of what agents asked of memfold: events of our own log, so that `measure` can say whether it helps. Local, of
//! this project alone, bounded, and never worth an error: what cannot be recorded is not.
//!
//! One append each, without a sync: after a loss of power the last ones may be gone, and a search does not wait for a disk.

use std::fs::{self, File};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use memfold_disk::{Identity, Links};
use memfold_log::own::{Body, Record, Unranked};
use memfold_log::{AppendFile, Appender, Timestamp};
use serde::{Deserialize, Serialize};
use serde_json::value::to_raw_value;
use toml_edit::{DocumentMut, Item};

use crate::answer::{Answer, Forgotten, Recalled, RepoAnswer, RepoReport};
use crate::engine::Memfold;
use crate::request::{Logs, Viewer};
use crate::shell::Shell;

/// The record, and the one before it.
const FILES: [&str; 2] = ["asked.jsonl", "asked.1.jsonl"];
/// A record of so many bytes is put away, and another begins: two of them are kept.
const LIMIT: u64 = 1 << 20;
/// So many characters of a query are kept.
const QUERY: usize = 500;
/// So many results are named.
const SHOWN: usize = 20;

/// A search.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct AskedSearch {
    #[serde(flatten)]
    pub(crate) by: AskedBy,
    /// `repo`, `conversation` or `earlier`.
    pub(crate) scope: String,
    /// What was asked, credentials taken out.
    pub(crate) query: String,
    pub(crate) words: usize,
    pub(crate) matched: u64,
    pub(crate) results: usize,
    pub(crate) weak: bool,
    /// The addresses or places that were shown, best first.
    pub(crate) shown: Vec<String>,
}

/// An event that was read back.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct AskedRecall {
    #[serde(flatten)]
    pub(crate) by: AskedBy,
    pub(crate) task: String,
    pub(crate) seq: u64,
    /// Its address, as a search shows it.
    pub(crate) address: String,
    /// How many lines were shown.
    pub(crate) lines: usize,
}

/// An update of the index that was asked for.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct AskedUpdate {
    #[serde(flatten)]
    pub(crate) by: AskedBy,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) path: Option<String>,
    pub(crate) files: u64,
    pub(crate) read: u64,
    pub(crate) complete: bool,
}

/// Who asked, as far as that is known.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct AskedBy {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) host: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) session: Option<String>,
}

impl Memfold {
    pub(crate) fn record_search(&self, logs: &Logs, answer: &Answer) {
        let shown = answer.results.iter().map(|hit| hit.address.clone());
        self.record(Unranked::AskedSearch, || {
            let asked = AskedSearch {
                by: self.asked_by(Some(logs)),
                scope: answer.scope.to_owned(),
                query: kept(&answer.query),
                words: answer.words.len(),
                matched: answer.matched,
                results: answer.results.len(),
                weak: answer.weak,
                shown: shown.take(SHOWN).collect(),
            };
            (asked.says(), asked)
        });
    }

    pub(crate) fn record_repo_search(&self, answer: &RepoAnswer) {
        let place =
            |hit: &crate::answer::RepoHit| format!("{}:{}-{}", hit.path, hit.start, hit.end);
        self.record(Unranked::AskedSearch, || {
            let asked = AskedSearch {
                by: self.asked_by(None),
                scope: answer.scope.to_owned(),
                query: kept(&answer.query),
                words: answer.words.len(),
                matched: answer.matched,
                results: answer.results.len(),
                weak: answer.weak,
                shown: answer.results.iter().take(SHOWN).map(place).collect(),
            };
            (asked.says(), asked)
        });
    }

    pub(crate) fn record_recall(&self, logs: &Logs, recalled: &Recalled) {
        self.record(Unranked::AskedRecall, || {
            let asked = AskedRecall {
                by: self.asked_by(Some(logs)),
                task: recalled.task.clone(),
                seq: recalled.seq,
                address: recalled.address.clone(),
                lines: recalled.lines.len(),
            };
            (format!("recall {}", asked.address), asked)
        });
    }

    pub(crate) fn record_update(&self, path: Option<&str>, report: &RepoReport) {
        self.record(Unranked::AskedUpdate, || {
            let asked = AskedUpdate {
                by: self.asked_by(None),
                path: path.map(kept),
                files: report.files,
                read: report.read,
                complete: report.complete,
            };
            (format!("update: {} read", asked.read), asked)
        });
    }

    /// Where the record is, newest first. They need not be there.
    pub(crate) fn record_files(&self) -> [PathBuf; 2] {
        FILES.map(|name| self.project_folder().join(name))
    }

    /// How many bytes the record has.
    pub(crate) fn record_bytes(&self) -> u64 {
        let files = self.record_files();
        let sizes = files
            .iter()
            .filter_map(|file| Identity::at(file, Links::Refuse).ok());
        sizes.map(|file| file.size).fold(0, u64::saturating_add)
    }

    /// Removes the record of what agents asked, and says in `forgotten` that it did.
    pub fn forget_record(&self, forgotten: &mut Forgotten) {
        let mut any = false;
        for file in self.record_files() {
            let Ok(identity) = Identity::at(&file, Links::Refuse) else {
                continue;
            };
            match memfold_disk::remove(&file) {
                Ok(()) => {
                    any = true;
                    forgotten.files += 1;
                    forgotten.bytes = forgotten.bytes.saturating_add(identity.size);
                }
                Err(error) => forgotten.notes.push(error.to_string()),
            }
        }
        if any {
            let went = "the record of what agents asked is removed, too";
            forgotten.notes.push(went.to_owned());
        }
    }

    /// Whether a person wants it: `record = false` in `memfold.toml` turns it off. A file that cannot be read may say that.
    pub(crate) fn records(&self) -> bool {
        match fs::read_to_string(self.dirs().config.join("memfold.toml")) {
            Err(error) => error.kind() == ErrorKind::NotFound,
            Ok(text) => text.parse::<DocumentMut>().is_ok_and(|document| {
                document
                    .get("record")
                    .is_none_or(|record| Item::as_bool(record) == Some(true))
            }),
        }
    }

    /// Appends what an agent asked. A person's own searches are nobody's to measure.
    fn record<D: Serialize>(&self, kind: Unranked, asked: impl FnOnce() -> (String, D)) {
        if self.viewer() != Viewer::Agent || !self.records() {
            return;
        }
        let (text, data) = asked();
        let Ok(data) = to_raw_value(&data) else {
            return;
        };
        let mut record = Record::new(Body::Unranked {
            kind,
            text: Some(text.into()),
            data: Some(std::borrow::Cow::Owned(data)),
        });
        record.time = now();
        // A folder that cannot be written, a full disk, another writer that takes too long: the answer stands without it.
        let _ = self.append(&record);
    }

    fn append(&self, record: &Record<'_>) -> io::Result<()> {
        let [now, before] = self.record_files();
        memfold_disk::private_dir(self.project_folder()).map_err(io::Error::other)?;
        self.put_away(&now, &before);
        let file = memfold_disk::open_own_record(&now).map_err(io::Error::other)?;
        let is_new = file.metadata()?.len() == 0;
        let mut log = Appender::new(Unsynced(file));
        if is_new {
            let about = Body::open("asked", self.project().to_string_lossy());
            log.begin(&Record::new(about)).map_err(io::Error::other)?;
        }
        log.append(record).map(drop).map_err(io::Error::other)
    }

    /// Puts a record that is long enough away. Of several processes one does.
    fn put_away(&self, now: &Path, before: &Path) {
        let is_long = || Identity::at(now, Links::Refuse).is_ok_and(|file| file.size >= LIMIT);
        if is_long()
            && let Ok(Some(_lock)) = self.locks().try_lock(now)
            && is_long()
        {
            // One that stays is appended to until it can be put away.
            let _ = fs::rename(now, before);
        }
    }

    fn asked_by(&self, logs: Option<&Logs>) -> AskedBy {
        if let Some(Logs::Conversation(conversation) | Logs::Others(conversation)) = logs {
            return AskedBy {
                host: Some(conversation.agent().to_owned()),
                session: Some(conversation.main().to_owned()),
            };
        }
        let shell = self.shell();
        let session = |shell: &Shell| Some(shell.session.as_ref()?.as_str().to_owned());
        AskedBy {
            session: shell.as_ref().and_then(session),
            host: shell.map(|shell| shell.host.to_owned()),
        }
    }
}

impl AskedSearch {
    fn says(&self) -> String {
        format!(
            "{}: {} of {} for {}",
            self.scope, self.results, self.matched, self.query
        )
    }
}

fn now() -> Option<Timestamp> {
    let since = std::time::UNIX_EPOCH.elapsed().ok()?;
    i64::try_from(since.as_millis()).ok().map(Timestamp)
}

/// Text as it is recorded: credentials taken out, and cut.
fn kept(text: &str) -> String {
    memfold_text::shorten(&memfold_redact::redact(text), QUERY).into()
}

/// A record that is not synced, and whose lock is not waited for: another writer holds it for one write.
#[derive(Debug)]
struct Unsynced(File);

impl AppendFile for Unsynced {
    fn file(&mut self) -> &mut File {
        &mut self.0
    }

    fn take_lock(&mut self) -> io::Result<()> {
        for _ in 0..TRIES {
            match self.0.try_lock() {
                Ok(()) => return Ok(()),
                Err(fs::TryLockError::Error(error)) => return Err(error),
                Err(fs::TryLockError::WouldBlock) => std::thread::sleep(PAUSE),
            }
        }
        Err(ErrorKind::TimedOut.into())
    }

    fn make_durable(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// So often, and after so long, the lock is tried again.
const TRIES: usize = 10;
const PAUSE: std::time::Duration = std::time::Duration::from_micros(300);
