//! Puts a file in place whole or not at all: a temporary file in the same folder, written, synced,
//! read back and verified, then renamed over the old one. Relies on rename being atomic within a
//! folder; whoever reads meanwhile has the old file or the new one, and needs no lock.

use std::error::Error;
use std::ffi::OsStr;
use std::io::{self, Write};
use std::path::Path;

use thiserror::Error;

use crate::error::DiskError;
use crate::sink::Sink;
use crate::stat::{FileKind, Identity, Stat};
use crate::sys::{self, Folder};
use crate::temporary::Temporary;
use crate::{mapped, sweep};

/// The permissions of a published file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// 0600: whatever is derived from a log is as private as the log.
    Private,
    /// Those of the file that is replaced, 0600 if there was none: for another program's settings.
    AsBefore,
    /// 0600, and nothing is synced: for what is made again in less time than a sync takes. A loss of power may leave anything
    /// under its name, so the file must tell by a checksum of its own whether it is whole.
    Disposable,
}

/// A file that has been put in place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Published {
    /// Its identity under its new name.
    pub identity: Identity,
    /// Whether the system says that the new name will outlive a loss of power. If it does not, the
    /// old file may be back after one; never a mixture.
    pub durable: bool,
}

/// Why nothing was published. The target is as it was, and the temporary file is gone.
#[derive(Debug, Error)]
pub enum PublishError<E: Error + 'static> {
    /// The disk refused; also when the error came to the caller's `write` first.
    #[error(transparent)]
    Disk(#[from] DiskError),
    /// `write` gave up for a reason of its own.
    #[error("nothing was written: {0}")]
    Write(#[source] E),
    /// `verify` rejected what had been written.
    #[error("what was written is wrong and was thrown away: {0}")]
    Verify(#[source] E),
}

/// Replaces `target` by what `write` writes, if `verify` accepts it as it came back from the disk.
///
/// A folder or a link is not replaced: resolve the link first if what it names is meant. Two
/// publishes of one target at once do not mix, and the last one stays; a [`Lock`](crate::Lock)
/// keeps them from doing the work twice.
///
/// Temporary files that killed publishes left in that folder more than an hour ago are removed on
/// the way.
pub fn publish<E: Error + 'static>(
    target: &Path,
    mode: Mode,
    write: impl FnOnce(&mut dyn Write) -> Result<(), E>,
    verify: impl FnOnce(&[u8]) -> Result<(), E>,
) -> Result<Published, PublishError<E>> {
    let (parent, name) = folder_and_name(target)?;
    let mut folder = Folder::open(parent).map_err(DiskError::io("open the folder", parent))?;
    let before = replaceable(&folder, name, target)?;
    sweep::now_and_then(&mut folder);

    let mut temporary =
        Temporary::create(&folder).map_err(DiskError::io("make a file in the folder", parent))?;
    set_mode(&temporary, mode, before).map_err(DiskError::io("set the mode of", target))?;
    let cannot_write = || DiskError::io("write", target);

    let mut sink = Sink::new(temporary.file());
    let result = write(&mut sink);
    if let Some(source) = sink.failure() {
        return Err(cannot_write()(source).into());
    }
    result.map_err(PublishError::Write)?;
    let len = sink.finish().map_err(cannot_write())?;

    if mode != Mode::Disposable {
        sys::sync(temporary.file()).map_err(cannot_write())?;
    }

    mapped::with_bytes(&temporary, len, verify)
        .map_err(DiskError::io("read back", target))?
        .map_err(PublishError::Verify)?;

    let written = temporary.stat().map_err(DiskError::io("look at", target))?;
    temporary
        .rename(name)
        .map_err(DiskError::io("replace", target))?;
    // The new file is in place and whole: nothing after this is a failure to publish.
    let durable = mode != Mode::Disposable && folder.sync().is_ok();
    // Asked again, because the rename has changed ctime.
    let identity = temporary.stat().unwrap_or(written).identity;
    Ok(Published { identity, durable })
}

/// The folder to open and the name in it.
pub(crate) fn folder_and_name(path: &Path) -> Result<(&Path, &OsStr), DiskError> {
    let name = path.file_name().ok_or_else(|| DiskError::NoName {
        path: path.to_owned(),
    })?;
    let parent = path.parent().unwrap_or(Path::new(""));
    Ok((
        if parent.as_os_str().is_empty() {
            Path::new(".")
        } else {
            parent
        },
        name,
    ))
}

/// What has the name now, if it is something that may be replaced.
pub(crate) fn replaceable(
    folder: &Folder,
    name: &OsStr,
    path: &Path,
) -> Result<Option<Stat>, DiskError> {
    match folder.stat_child(name) {
        Ok(stat) if stat.kind == FileKind::Regular => Ok(Some(stat)),
        Ok(stat) => Err(DiskError::NotRegular {
            path: path.to_owned(),
            kind: stat.kind,
        }),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(source) => Err(DiskError::io("look at", path)(source)),
    }
}

fn set_mode(temporary: &Temporary<'_>, mode: Mode, before: Option<Stat>) -> io::Result<()> {
    let wanted = match (mode, before) {
        (Mode::AsBefore, Some(before)) => before.mode & 0o777,
        (Mode::AsBefore, None) | (Mode::Private | Mode::Disposable, _) => 0o600,
    };
    // Only where it differs: file systems without modes refuse to set one.
    if temporary.stat()?.mode == wanted {
        return Ok(());
    }
    match sys::set_mode(temporary.file(), wanted) {
        // A mount that decides the modes itself decided this one.
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::Unsupported => Ok(()),
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Links;
    use crate::testing::{as_ordinary_user, child, fifo, folder, names, set_mode as chmod};
    use std::fs;
    use std::os::unix::fs::{PermissionsExt, symlink};

    fn accept(_: &[u8]) -> io::Result<()> {
        Ok(())
    }

    fn write(text: &'static [u8]) -> impl FnOnce(&mut dyn Write) -> io::Result<()> {
        move |out| out.write_all(text)
    }

    #[test]
    fn puts_the_file_in_place_and_says_what_it_is() {
        let folder = folder();
        let target = folder.path().join("x.mem");
        for text in [&b""[..], b"first", b"second, longer"] {
            let check = |bytes: &[u8]| {
                assert_eq!(bytes, text);
                Ok(())
            };
            let published = publish(&target, Mode::Private, write(text), check).unwrap();
            assert_eq!(
                published.identity,
                Identity::at(&target, Links::Refuse).unwrap()
            );
            assert!(published.durable);
            assert_eq!(fs::read(&target).unwrap(), text);
            assert_eq!(
                fs::metadata(&target).unwrap().permissions().mode() & 0o7777,
                0o600
            );
        }
        assert_eq!(names(folder.path()), ["x.mem"]);
    }

    #[test]
    fn readers_keep_the_file_they_opened() {
        let folder = folder();
        let target = folder.path().join("x.mem");
        publish(&target, Mode::Private, write(b"old"), accept).unwrap();
        let reader = crate::Snapshot::open(&target, Links::Refuse).unwrap();
        publish(&target, Mode::Private, write(b"new"), accept).unwrap();
        assert_eq!(reader.read_at(0, 3).unwrap(), b"old");
    }

    #[test]
    fn a_reader_beside_it_sees_whole_files_only() {
        const TEXTS: [&[u8]; 2] = [b"short", &[b'l'; 300_000]];
        let folder = folder();
        let target = folder.path().join("x.mem");
        publish(&target, Mode::Private, write(TEXTS[0]), accept).unwrap();
        let done = std::sync::atomic::AtomicBool::new(false);
        let done = &done;
        std::thread::scope(|scope| {
            scope.spawn(|| {
                for turn in 0..40 {
                    publish(&target, Mode::Private, write(TEXTS[turn % 2]), accept).unwrap();
                }
                done.store(true, std::sync::atomic::Ordering::Relaxed);
            });
            while !done.load(std::sync::atomic::Ordering::Relaxed) {
                let seen = crate::Snapshot::open(&target, Links::Refuse).unwrap();
                let bytes = seen.read_at(0, seen.len() as usize).unwrap();
                assert!(TEXTS.contains(&&bytes[..]), "{} bytes", bytes.len());
            }
        });
        assert_eq!(names(folder.path()), ["x.mem"]);
    }

    #[test]
    fn a_refusal_leaves_the_old_file_alone() {
        let folder = folder();
        let target = folder.path().join("x.mem");
        fs::write(&target, b"old").unwrap();
        let no = || io::Error::other("no");

        let wrong = publish(&target, Mode::Private, write(b"new"), |_| Err(no()));
        assert!(matches!(wrong, Err(PublishError::Verify(_))));
        let gave_up = publish(&target, Mode::Private, |_| Err(no()), accept);
        assert!(matches!(gave_up, Err(PublishError::Write(_))));
        let panicked = std::panic::catch_unwind(|| {
            publish(
                &target,
                Mode::Private,
                write(b"new"),
                |_| -> io::Result<()> { panic!("no") },
            )
        });
        assert!(panicked.is_err());

        assert_eq!(fs::read(&target).unwrap(), b"old");
        assert_eq!(names(folder.path()), ["x.mem"]);
    }

    #[test]
    fn what_is_disposable_is_in_place_but_not_durable() {
        let folder = folder();
        let target = folder.path().join("tail");
        let published = publish(&target, Mode::Disposable, write(b"words"), accept).unwrap();
        assert!(!published.durable);
        assert_eq!(fs::read(&target).unwrap(), b"words");
        let mode = fs::metadata(&target).unwrap().permissions().mode();
        assert_eq!(mode & 0o7777, 0o600);
    }

    #[test]
    fn modes_as_asked() {
        let folder = folder();
        let target = folder.path().join("settings.json");
        let mode = || fs::metadata(&target).unwrap().permissions().mode() & 0o7777;
        publish(&target, Mode::AsBefore, write(b"{}"), accept).unwrap();
        assert_eq!(mode(), 0o600);
        chmod(&target, 0o644);
        publish(&target, Mode::AsBefore, write(b"{ }"), accept).unwrap();
        assert_eq!(mode(), 0o644);
        publish(&target, Mode::Private, write(b"{ }"), accept).unwrap();
        assert_eq!(mode(), 0o600);
    }

    #[test]
    fn only_a_regular_file_is_replaced() {
        let folder = folder();
        let at = |name: &str| folder.path().join(name);
        fs::write(at("file"), b"old").unwrap();
        symlink("file", at("link")).unwrap();
        symlink("nowhere", at("dangling")).unwrap();
        fs::create_dir(at("folder")).unwrap();
        fifo(&at("fifo"));
        for (name, kind) in [
            ("link", FileKind::Link),
            ("dangling", FileKind::Link),
            ("folder", FileKind::Folder),
            ("fifo", FileKind::Fifo),
        ] {
            match publish(&at(name), Mode::Private, write(b"new"), accept) {
                Err(PublishError::Disk(DiskError::NotRegular { kind: found, .. })) => {
                    assert_eq!(found, kind);
                }
                other => panic!("{name}: {other:?}"),
            }
        }
        assert_eq!(fs::read(at("file")).unwrap(), b"old");
        assert_eq!(
            names(folder.path()),
            ["dangling", "fifo", "file", "folder", "link"]
        );
    }

    fn refused(target: &Path) -> DiskError {
        match publish(target, Mode::Private, write(b"new"), accept) {
            Err(PublishError::Disk(error)) => error,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_place_that_cannot_be_written_is_told_from_other_trouble() {
        let folder = folder();
        let file = folder.path().join("file");
        fs::write(&file, b"text").unwrap();
        // These bind root too.
        assert!(refused(&folder.path().join("none/x.mem")).is_not_found());
        let through_a_file = refused(&file.join("x.mem"));
        assert!(!through_a_file.is_not_found() && !through_a_file.is_unwritable());
        assert!(through_a_file.to_string().contains("file"));
        assert!(matches!(refused(Path::new("/")), DiskError::NoName { .. }));
        assert!(matches!(refused(Path::new("..")), DiskError::NoName { .. }));

        chmod(folder.path(), 0o555);
        let error = as_ordinary_user(|| refused(&folder.path().join("x.mem")));
        chmod(folder.path(), 0o755);
        if let Some(error) = error {
            assert!(error.is_permission() && error.is_unwritable(), "{error}");
        }
    }

    /// In a child, since a process sweeps a folder once an hour.
    #[test]
    fn a_publish_sweeps_its_folder() {
        let folder = folder();
        let left = folder.path().join(".memfold-00000000000000a1.tmp");
        fs::File::create(&left)
            .unwrap()
            .set_modified(std::time::UNIX_EPOCH)
            .unwrap();
        let target = folder.path().join("x.mem");
        assert!(child("publish", &target).status().unwrap().success());
        assert_eq!(names(folder.path()), ["x.mem"]);
    }
}
