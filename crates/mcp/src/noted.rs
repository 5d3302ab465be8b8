//! What a host's hook noted: which conversation runs in that host's process. A file for each process below the data directory,
//! named by the process and by nothing that a host says; written whole or not at all, for its owner's eyes alone.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use memfold::HostId;
use memfold_disk::{Links, Mode, Snapshot, private_dir, publish};
use serde::{Deserialize, Serialize};

use crate::error::Error;
use crate::host::Process;

/// A note is short.
const LARGEST: u64 = 16 << 10;
/// Notes of processes that ended are removed once there are so many.
const TIDY_FROM: usize = 16;

/// A note.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Note {
    /// The version of this shape.
    pub(crate) schema: u32,
    /// The process.
    pub(crate) host: Host,
    /// The conversation's id, as the host says.
    pub(crate) session: String,
    /// Where it works, as the host says.
    pub(crate) cwd: Option<String>,
    /// Why it began: `startup`, `resume`, `clear`, `compact`.
    pub(crate) source: Option<String>,
}

/// A process in a note.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Host {
    pub(crate) number: u32,
    pub(crate) began: String,
}

impl Note {
    fn process(&self) -> Process {
        Process {
            number: self.host.number,
            began: self.host.began.clone(),
        }
    }
}

fn folder(data: &Path) -> PathBuf {
    data.join("hosts")
}

fn file(data: &Path, host: &Process) -> PathBuf {
    folder(data).join(format!("{}.json", host.file_name()))
}

/// Notes which conversation runs in a host. An earlier note of that host is replaced.
pub(crate) fn write(data: &Path, host: &Process, note: &Note) -> Result<PathBuf, Error> {
    let disk = |error: &dyn std::error::Error| Error::Disk(error.to_string());
    let folder = folder(data);
    private_dir(&folder).map_err(|error| disk(&error))?;
    let mut bytes = serde_json::to_vec(note).map_err(|error| disk(&error))?;
    bytes.push(b'\n');
    let path = file(data, host);
    publish(
        &path,
        Mode::Private,
        |out| out.write_all(&bytes),
        |written| match written == bytes {
            true => Ok(()),
            false => Err(io::Error::from(io::ErrorKind::InvalidData)),
        },
    )
    .map_err(|error| disk(&error))?;
    tidy(&folder, &path);
    Ok(path)
}

/// The conversation that runs in a host, as it was noted last.
pub(crate) fn read(data: &Path, host: &Process) -> Option<HostId> {
    let note = read_file(&file(data, host))?;
    // A file that lies under another's name tells of nobody.
    (note.process() == *host).then(|| HostId::parse(&note.session))?
}

/// What hosts' hooks have noted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Noted {
    /// How many hosts.
    pub hosts: usize,
    /// How many of them still run.
    pub running: usize,
}

/// Counts the notes below memfold's data directory.
pub fn noted(data: &Path) -> Noted {
    let folder = folder(data);
    let notes = files(&folder).filter_map(|path| read_file(&path));
    notes.fold(Noted::default(), |noted, note| Noted {
        hosts: noted.hosts + 1,
        running: noted.running + usize::from(note.process().runs()),
    })
}

fn files(folder: &Path) -> impl Iterator<Item = PathBuf> {
    fs::read_dir(folder)
        .into_iter()
        .flatten()
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|kind| kind == "json"))
}

fn read_file(path: &Path) -> Option<Note> {
    let file = Snapshot::open(path, Links::Refuse)
        .ok()
        .filter(|file| file.len() <= LARGEST)?;
    let bytes = file.read_at(0, usize::try_from(file.len()).ok()?).ok()?;
    serde_json::from_slice(&bytes).ok()
}

/// Removes the notes of processes that ended. What cannot be removed is tried again by the next hook.
fn tidy(folder: &Path, kept: &Path) {
    let notes: Vec<PathBuf> = files(folder).filter(|path| path != kept).collect();
    if notes.len() < TIDY_FROM {
        return;
    }
    for path in notes {
        if read_file(&path).is_none_or(|note| !note.process().runs()) {
            let _ = fs::remove_file(path);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn note(host: &Process, session: &str) -> Note {
        Note {
            schema: 1,
            host: Host {
                number: host.number,
                began: host.began.clone(),
            },
            session: session.into(),
            cwd: None,
            source: None,
        }
    }

    fn process(number: u32) -> Process {
        Process {
            number,
            began: "4242".into(),
        }
    }

    #[test]
    fn a_host_has_one_note_and_nobody_elses() {
        let data = tempfile::tempdir().unwrap();
        let (ours, other) = (process(7), process(8));
        assert_eq!(read(data.path(), &ours), None);
        write(data.path(), &ours, &note(&ours, "aaaa-1")).unwrap();
        write(data.path(), &other, &note(&other, "bbbb-1")).unwrap();
        let path = write(data.path(), &ours, &note(&ours, "aaaa-2")).unwrap();
        // Neither of these processes runs.
        let counted = Noted {
            hosts: 2,
            running: 0,
        };
        assert_eq!(noted(data.path()), counted);
        assert_eq!(read(data.path(), &ours), HostId::parse("aaaa-2"));
        assert_eq!(read(data.path(), &other), HostId::parse("bbbb-1"));
        // The same number, begun at another time.
        let later = Process {
            began: "5".into(),
            ..process(7)
        };
        assert_eq!(read(data.path(), &later), None);
        // A note under another's name.
        fs::copy(&path, file(data.path(), &later)).unwrap();
        assert_eq!(read(data.path(), &later), None);
    }

    #[cfg(unix)]
    #[test]
    fn a_note_is_its_owners_alone() {
        use std::os::unix::fs::PermissionsExt;
        let data = tempfile::tempdir().unwrap();
        let path = write(data.path(), &process(7), &note(&process(7), "aaaa-1")).unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(&path), 0o600);
        assert_eq!(mode(path.parent().unwrap()), 0o700);
    }

    #[test]
    fn an_id_that_is_a_path_or_a_damaged_note_tells_nothing() {
        let data = tempfile::tempdir().unwrap();
        let host = process(7);
        let path = write(data.path(), &host, &note(&host, "../../etc/passwd")).unwrap();
        assert_eq!(read(data.path(), &host), None);
        for bytes in ["", "{", "[]", "{\"session\":7}"] {
            fs::write(&path, bytes).unwrap();
            assert_eq!(read(data.path(), &host), None, "{bytes}");
        }
    }

    #[test]
    fn notes_of_hosts_that_ended_go() {
        let data = tempfile::tempdir().unwrap();
        for number in 0..40 {
            // No process began then.
            let ended = process(number);
            write(data.path(), &ended, &note(&ended, "aaaa-1")).unwrap();
        }
        let left = fs::read_dir(folder(data.path())).unwrap().count();
        assert!(left <= TIDY_FROM + 1, "{left}");
    }
}
