//! Unix, by way of rustix. Every call that can be interrupted by a signal is made again, and no
//! descriptor is inherited by a child. Folders are held open and names are looked up in them, so
//! that a folder that is moved or replaced meanwhile does not mix two places. Every change of the disk
//! is a [`Step`], so that a crash test may stop it there.

use std::ffi::{CStr, OsStr, OsString};
use std::fs::File;
use std::io::{self, Write};
use std::ops::ControlFlow;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Component, Path};

use rustix::fs::{Access, AtFlags, CWD, FileType, Mode, OFlags};
#[cfg(target_os = "linux")]
use rustix::fs::{RawDir, SeekFrom};
use rustix::io::{Errno, retry_on_intr};

use crate::fail::{self, Step};
use crate::stat::{FileKind, Identity, Links, Stat};

/// The variable that names the user's own folder.
pub(crate) const HOME: &str = "HOME";

/// Opens for reading whatever has that name, without waiting for it: a named pipe nobody writes to
/// would block, a terminal could become ours. The caller looks at what it got.
pub(crate) fn open(path: &Path, links: Links) -> io::Result<File> {
    let mut flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK | OFlags::NOCTTY;
    if links == Links::Refuse {
        flags |= OFlags::NOFOLLOW;
    }
    fail::look(|| Ok(retry_on_intr(|| rustix::fs::open(path, flags, Mode::empty()))?.into()))
}

/// What the name stands for where `open` could not say it: a link that was refused, a socket.
pub(crate) fn kind_of_refused(error: &io::Error) -> Option<FileKind> {
    match Errno::from_io_error(error)? {
        // FreeBSD says EMLINK, NetBSD EFTYPE; those two keep the system's own words.
        Errno::LOOP => Some(FileKind::Link),
        Errno::NXIO => Some(FileKind::Socket),
        _ => None,
    }
}

/// Whether a lookup that follows no link may have failed for one: ENOTDIR is also what a link before
/// the last place says to some systems.
pub(crate) fn may_be_link(error: &io::Error) -> bool {
    matches!(
        Errno::from_io_error(error),
        Some(Errno::LOOP | Errno::NOTDIR)
    )
}

/// Whether files may be made in a folder, as the system has it.
pub(crate) fn can_write(folder: &Path) -> io::Result<()> {
    if !folder.is_dir() {
        return Err(Errno::NOTDIR.into());
    }
    let access = Access::WRITE_OK | Access::EXEC_OK;
    Ok(retry_on_intr(|| rustix::fs::access(folder, access))?)
}

/// Opens a lock file, made 0600 if it is not there.
pub(crate) fn open_lock(path: &Path) -> io::Result<File> {
    let flags = OFlags::RDWR
        | OFlags::CREATE
        | OFlags::NOFOLLOW
        | OFlags::CLOEXEC
        | OFlags::NONBLOCK
        | OFlags::NOCTTY;
    let mode = Mode::RUSR | Mode::WUSR;
    fail::step(Step::OpenLock, || {
        Ok(retry_on_intr(|| rustix::fs::open(path, flags, mode))?.into())
    })
}

/// What an open file is.
pub(crate) fn stat(file: impl AsFd) -> io::Result<Stat> {
    Ok(stat_from(&rustix::fs::fstat(file)?))
}

/// What has that name.
pub(crate) fn stat_path(path: &Path, links: Links) -> io::Result<Stat> {
    let flags = match links {
        Links::Follow => AtFlags::empty(),
        Links::Refuse => AtFlags::SYMLINK_NOFOLLOW,
    };
    Ok(stat_from(&retry_on_intr(|| {
        rustix::fs::statat(CWD, path, flags)
    })?))
}

#[allow(
    clippy::unnecessary_cast,
    reason = "the types of the fields differ between systems"
)]
fn stat_from(stat: &rustix::fs::Stat) -> Stat {
    Stat {
        identity: fail::seen(Identity {
            dev: stat.st_dev as u64,
            inode: stat.st_ino as u64,
            size: u64::try_from(stat.st_size).unwrap_or(0),
            mtime_ns: nanoseconds(stat.st_mtime as i64, stat.st_mtime_nsec as i64),
            ctime_ns: nanoseconds(stat.st_ctime as i64, stat.st_ctime_nsec as i64),
        }),
        kind: kind_from(FileType::from_raw_mode(stat.st_mode)),
        mode: Mode::from_raw_mode(stat.st_mode).bits() as u32,
    }
}

/// An i64 holds 1677 to 2262; a time set beyond that is taken as the nearest that fits.
fn nanoseconds(seconds: i64, rest: i64) -> i64 {
    seconds.saturating_mul(1_000_000_000).saturating_add(rest)
}

fn kind_from(kind: FileType) -> FileKind {
    match kind {
        FileType::RegularFile => FileKind::Regular,
        FileType::Directory => FileKind::Folder,
        FileType::Symlink => FileKind::Link,
        FileType::Fifo => FileKind::Fifo,
        FileType::Socket => FileKind::Socket,
        FileType::CharacterDevice | FileType::BlockDevice => FileKind::Device,
        FileType::Unknown => FileKind::Unknown,
    }
}

/// Reads at a position; may give fewer bytes, none only at the end.
pub(crate) fn read_at(file: &File, buffer: &mut [u8], at: u64) -> io::Result<usize> {
    fail::look(|| Ok(retry_on_intr(|| rustix::io::pread(file, &mut *buffer, at))?))
}

/// Reads at a position into what the vector has room for, without clearing that room first.
pub(crate) fn append_at(file: &File, bytes: &mut Vec<u8>, at: u64) -> io::Result<usize> {
    fail::look(|| {
        loop {
            match rustix::io::pread(file, rustix::buffer::spare_capacity(bytes), at) {
                Err(Errno::INTR) => {}
                other => return Ok(other?),
            }
        }
    })
}

/// Writes on where the file stands; may take fewer bytes.
pub(crate) fn write(mut file: &File, bytes: &[u8]) -> io::Result<usize> {
    fail::write(file, bytes, |bytes| file.write(bytes))
}

/// Makes the bytes of an open file durable.
pub(crate) fn sync(file: &File) -> io::Result<()> {
    fail::step(Step::Sync(file), || {
        if fail::skips_syncs() {
            return Ok(());
        }
        file.sync_all()
    })
}

/// Sets the permission bits of an open file.
pub(crate) fn set_mode(file: &File, mode: u32) -> io::Result<()> {
    let mode = Mode::from_bits_truncate(mode as _);
    fail::step(Step::Mode, || {
        Ok(retry_on_intr(|| rustix::fs::fchmod(file, mode))?)
    })
}

/// No descriptor left, in this process or in the system.
pub(crate) fn is_too_many_files(error: &io::Error) -> bool {
    matches!(
        Errno::from_io_error(error),
        Some(Errno::MFILE | Errno::NFILE)
    )
}

/// Makes a folder in one that is there, for this user alone.
pub(crate) fn make_private_folder(path: &Path) -> io::Result<()> {
    fail::step(Step::MakeFolder(path), || {
        std::fs::DirBuilder::new().mode(0o700).create(path)
    })
}

/// Ends this process as nothing can that it could answer.
#[cfg(any(test, feature = "fail-points"))]
pub(crate) fn kill_this_process() -> io::Result<()> {
    use rustix::process::{Signal, getpid, kill_process};
    Ok(kill_process(getpid(), Signal::KILL)?)
}

/// An open folder.
#[derive(Debug)]
pub(crate) struct Folder {
    fd: OwnedFd,
    /// Where its descriptor stands is no longer the beginning.
    #[cfg(target_os = "linux")]
    is_listed: bool,
}

impl Folder {
    const FLAGS: OFlags = OFlags::RDONLY
        .union(OFlags::DIRECTORY)
        .union(OFlags::CLOEXEC);

    fn of(fd: OwnedFd) -> Self {
        Self {
            fd,
            #[cfg(target_os = "linux")]
            is_listed: false,
        }
    }

    /// Opens a folder, through links.
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        fail::look(|| {
            let open = || rustix::fs::open(path, Self::FLAGS, Mode::empty());
            Ok(Self::of(retry_on_intr(open)?))
        })
    }

    /// Opens a folder in this one; a link is refused.
    pub(crate) fn open_child(&self, name: &OsStr) -> io::Result<Self> {
        let flags = Self::FLAGS | OFlags::NOFOLLOW;
        fail::look(|| {
            let open = || rustix::fs::openat(&self.fd, name, flags, Mode::empty());
            Ok(Self::of(retry_on_intr(open)?))
        })
    }

    /// Opens for reading what lies below this folder by that path, without waiting for it. A link
    /// anywhere on the way, the last name included, is refused (ELOOP, or ENOTDIR before the last).
    ///
    /// The path has names alone in it, or is empty for the folder itself.
    pub(crate) fn open_below(&self, path: &Path) -> io::Result<File> {
        let flags =
            OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK | OFlags::NOCTTY;
        if path.as_os_str().is_empty() {
            return Ok(File::from(self.again()?));
        }
        #[cfg(target_os = "linux")]
        match self.resolve_below(path, flags) {
            // A kernel before 5.6, or a sandbox that does not know the call.
            Err(Errno::NOSYS | Errno::PERM) => {}
            answer => return Ok(File::from(answer?)),
        }
        self.step_below(path, flags)
    }

    /// By one call, which holds for the whole way.
    #[cfg(target_os = "linux")]
    fn resolve_below(&self, path: &Path, flags: OFlags) -> rustix::io::Result<OwnedFd> {
        use rustix::fs::ResolveFlags;
        let resolve =
            ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
        retry_on_intr(|| rustix::fs::openat2(&self.fd, path, flags, Mode::empty(), resolve))
    }

    /// By one call for each name, each in the folder that the last one opened.
    fn step_below(&self, path: &Path, flags: OFlags) -> io::Result<File> {
        let mut names = path.components().map(Component::as_os_str).peekable();
        let mut at = self.again()?;
        while let Some(name) = names.next() {
            let wanted = match names.peek() {
                Some(_) => Self::FLAGS | OFlags::NOFOLLOW,
                None => flags,
            };
            at = retry_on_intr(|| rustix::fs::openat(&at, name, wanted, Mode::empty()))?;
        }
        Ok(File::from(at))
    }

    /// What [`open_below`](Self::open_below) does where the one call is missing.
    #[cfg(test)]
    pub(crate) fn step_for_test(&self, path: &Path) -> io::Result<File> {
        self.step_below(path, OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK)
    }

    /// The same folder, by another descriptor.
    fn again(&self) -> io::Result<OwnedFd> {
        Ok(retry_on_intr(|| {
            rustix::fs::openat(&self.fd, ".", Self::FLAGS, Mode::empty())
        })?)
    }

    /// The folder below this one by that path; a link anywhere on the way is refused.
    pub(crate) fn folder_below(&self, path: &Path) -> io::Result<Self> {
        if path.as_os_str().is_empty() {
            return Ok(Self::of(self.again()?));
        }
        let flags = Self::FLAGS | OFlags::NOFOLLOW;
        #[cfg(target_os = "linux")]
        match self.resolve_below(path, flags) {
            Err(Errno::NOSYS | Errno::PERM) => {}
            answer => return Ok(Self::of(answer?)),
        }
        Ok(Self::of(self.step_below(path, flags)?.into()))
    }

    /// What a link in this folder says; `None` if the name is not a link.
    pub(crate) fn read_link(&self, name: &OsStr) -> io::Result<Option<OsString>> {
        match rustix::fs::readlinkat(&self.fd, name, Vec::new()) {
            Ok(target) => Ok(Some(OsStr::from_bytes(target.to_bytes()).to_owned())),
            Err(Errno::INVAL) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// What the folder itself is.
    pub(crate) fn stat(&self) -> io::Result<Stat> {
        stat(&self.fd)
    }

    /// What a name in it stands for; a link is not followed.
    pub(crate) fn stat_child(&self, name: &OsStr) -> io::Result<Stat> {
        let flags = AtFlags::SYMLINK_NOFOLLOW;
        Ok(stat_from(&retry_on_intr(|| {
            rustix::fs::statat(&self.fd, name, flags)
        })?))
    }

    /// Makes a file that was not there before, for reading and writing, for this user alone.
    pub(crate) fn create_new(&self, name: &OsStr) -> io::Result<File> {
        let flags =
            OFlags::RDWR | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let mode = Mode::RUSR | Mode::WUSR;
        fail::step(Step::Make(self, name), || {
            Ok(retry_on_intr(|| rustix::fs::openat(&self.fd, name, flags, mode))?.into())
        })
    }

    /// Opens a file to append to and to read, and makes it for this user alone if it is not there.
    /// A link is refused.
    pub(crate) fn open_to_append(&self, name: &OsStr) -> io::Result<File> {
        let flags = OFlags::RDWR
            | OFlags::APPEND
            | OFlags::NOFOLLOW
            | OFlags::CLOEXEC
            | OFlags::NONBLOCK
            | OFlags::NOCTTY;
        let open = |more: OFlags, mode: Mode| {
            Ok(retry_on_intr(|| rustix::fs::openat(&self.fd, name, flags | more, mode))?.into())
        };
        match fail::look(|| open(OFlags::empty(), Mode::empty())) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                fail::step(Step::Make(self, name), || {
                    open(OFlags::CREATE, Mode::RUSR | Mode::WUSR)
                })
            }
            other => other,
        }
    }

    /// Gives a file another name in this folder, in place of what had it.
    pub(crate) fn rename(&self, from: &OsStr, to: &OsStr) -> io::Result<()> {
        fail::step(Step::Rename(self, from, to), || {
            let rename = || rustix::fs::renameat(&self.fd, from, &self.fd, to);
            Ok(retry_on_intr(rename)?)
        })
    }

    /// Removes a file's name.
    pub(crate) fn remove(&self, name: &OsStr) -> io::Result<()> {
        fail::step(Step::Remove(self, name), || {
            let remove = || rustix::fs::unlinkat(&self.fd, name, AtFlags::empty());
            Ok(retry_on_intr(remove)?)
        })
    }

    /// Makes the names in it durable.
    pub(crate) fn sync(&self) -> io::Result<()> {
        fail::step(Step::SyncFolder(self), || {
            if fail::skips_syncs() {
                return Ok(());
            }
            Ok(retry_on_intr(|| rustix::fs::fsync(&self.fd))?)
        })
    }

    /// Shows each name to `look`, with what it stands for if the folder itself says so, in the folder's own order, until
    /// told to stop. Nobody else lists it meanwhile: where a listing stands is the descriptor's.
    #[cfg(target_os = "linux")]
    pub(crate) fn list(
        &mut self,
        mut look: impl FnMut(&OsStr, FileKind) -> ControlFlow<()>,
    ) -> io::Result<()> {
        // `Dir` opens the folder a second time, grows its room call by call, and copies every name.
        if self.is_listed {
            fail::look(|| Ok(rustix::fs::seek(&self.fd, SeekFrom::Start(0))?))?;
        }
        self.is_listed = true;
        let mut room = Vec::with_capacity(LISTED_AT_ONCE);
        let mut entries = RawDir::new(&self.fd, room.spare_capacity_mut());
        while let Some(entry) = entries.next() {
            match entry {
                Err(Errno::INTR) => {}
                Err(error) => return Err(error.into()),
                Ok(entry) => {
                    if show(entry.file_name(), entry.file_type(), &mut look).is_break() {
                        break;
                    }
                }
            }
        }
        Ok(())
    }

    #[cfg(not(target_os = "linux"))]
    pub(crate) fn list(
        &mut self,
        mut look: impl FnMut(&OsStr, FileKind) -> ControlFlow<()>,
    ) -> io::Result<()> {
        for entry in fail::look(|| Ok(rustix::fs::Dir::read_from(&self.fd)?))? {
            let entry = entry?;
            if show(entry.file_name(), entry.file_type(), &mut look).is_break() {
                break;
            }
        }
        Ok(())
    }
}

/// The names of a usual folder are read by one call.
#[cfg(target_os = "linux")]
const LISTED_AT_ONCE: usize = 32 << 10;

/// Shows a name, unless it is the folder's own or that of the one above.
fn show(
    name: &CStr,
    kind: FileType,
    look: &mut impl FnMut(&OsStr, FileKind) -> ControlFlow<()>,
) -> ControlFlow<()> {
    match name.to_bytes() {
        b"." | b".." => ControlFlow::Continue(()),
        name => look(OsStr::from_bytes(name), kind_from(kind)),
    }
}

/// A name, or some in a row, as the system has it.
pub(crate) fn name_of(bytes: &[u8]) -> &OsStr {
    OsStr::from_bytes(bytes)
}

/// Whether a folder's times change with its names, as far as is known of its file system: of a network's, and of what a program
/// makes up, it is not.
#[cfg(target_os = "linux")]
pub(crate) fn names_change_times(folder: &Folder) -> bool {
    /// ext2 to ext4, xfs, btrfs, f2fs, bcachefs, zfs, tmpfs, overlayfs (`statfs(2)`).
    const KNOWN: [u32; 8] = [
        0xEF53,
        0x5846_5342,
        0x9123_683E,
        0xF2F5_2010,
        0xCA45_1A4E,
        0x2FC1_2FC1,
        0x0102_1994,
        0x794C_7630,
    ];
    let answer = retry_on_intr(|| rustix::fs::fstatfs(&folder.fd));
    #[allow(
        clippy::unnecessary_cast,
        reason = "the type of the field differs between machines"
    )]
    answer.is_ok_and(|answer| KNOWN.contains(&(answer.f_type as u32)))
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn names_change_times(_: &Folder) -> bool {
    false
}

/// Raises the soft limit of open files to `files`, or as far as the hard limit allows. Never lowers it.
pub(crate) fn allow_open_files(files: u64) {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let limit = getrlimit(Resource::Nofile);
    let Some(current) = limit.current else { return };
    let wanted = limit.maximum.map_or(files, |maximum| files.min(maximum));
    if wanted > current {
        // What is refused leaves the limit as it is.
        let raised = Rlimit {
            current: Some(wanted),
            maximum: limit.maximum,
        };
        let _ = setrlimit(Resource::Nofile, raised);
    }
}
