//! A folder held open, in which paths are looked up and out of which none leads. Relies on every
//! step being made from a descriptor that an earlier step opened, links being resolved here and not
//! by the system: what was looked at is what is opened, whatever is renamed or replaced meanwhile.

use std::collections::VecDeque;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Read};
use std::ops::ControlFlow;
use std::path::{Component, Path, PathBuf};

use crate::error::DiskError;
use crate::stat::{FileKind, Identity, Links, Stat};
use crate::sys::{self, Folder};

/// A folder held open as the root of what may be read.
///
/// ```
/// use std::io::Read;
/// use memfold_disk::{DiskError, Links, Pinned};
///
/// # let tree = tempfile::tempdir()?;
/// std::fs::create_dir(tree.path().join("src"))?;
/// std::fs::write(tree.path().join("src/a.rs"), "fn a() {}")?;
/// std::os::unix::fs::symlink("../..", tree.path().join("src/out"))?;
///
/// let root = Pinned::open(tree.path())?;
/// let mut text = String::new();
/// root.file("src/a.rs", Links::Refuse)?.read_to_string(&mut text)?;
/// assert_eq!(text, "fn a() {}");
/// assert!(matches!(
///     root.file("src/out/etc/passwd", Links::Follow),
///     Err(DiskError::LeadsOut { .. })
/// ));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Pinned {
    folder: Folder,
    path: PathBuf,
}

impl Pinned {
    /// How many links may follow one another, as in Linux.
    const LINKS: usize = 40;

    /// Opens the root, through links: whoever names it may use them.
    pub fn open(path: impl Into<PathBuf>) -> Result<Self, DiskError> {
        let path = path.into();
        let folder = Folder::open(&path).map_err(DiskError::io("open the folder", &path))?;
        Ok(Self { folder, path })
    }

    /// The path it was opened by.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether that path names this very folder now.
    pub fn is(&self, path: impl AsRef<Path>) -> bool {
        let there = Folder::open(path.as_ref()).and_then(|folder| folder.stat());
        let place = |stat: Stat| (stat.identity.dev, stat.identity.inode);
        match (self.folder.stat(), there) {
            (Ok(here), Ok(there)) => place(here) == place(there),
            _ => false,
        }
    }

    /// A folder below the root, or the root itself for an empty path. No link is followed.
    pub fn folder(&self, below: impl AsRef<Path>) -> Result<PinnedFolder, DiskError> {
        let below = below.as_ref();
        if !below.as_os_str().is_empty() {
            check(below)?;
        }
        let folder = self
            .folder
            .folder_below(below)
            .map_err(DiskError::io("open the folder", below))?;
        Ok(PinnedFolder {
            folder,
            path: below.to_owned(),
        })
    }

    /// A folder below the root, as a root of its own. No link is followed.
    pub fn below(&self, below: impl AsRef<Path>) -> Result<Self, DiskError> {
        let PinnedFolder { folder, path } = self.folder(below)?;
        let path = self.path.join(path);
        Ok(Self { folder, path })
    }

    /// A regular file below the root. Pipes, sockets, devices and folders are refused, without
    /// waiting for any of them.
    ///
    /// With [`Links::Follow`] a link may lead to another place below the root;
    /// [`PinnedFile::path`] says where it led. One that leads out, by `..` or from `/`, is
    /// [`DiskError::LeadsOut`].
    pub fn file(&self, below: impl AsRef<Path>, links: Links) -> Result<PinnedFile, DiskError> {
        let below = below.as_ref();
        check(below)?;
        match self.folder.open_below(below) {
            // A link in the last place or before it; a file before the last place says the same.
            Err(error) if links == Links::Follow && sys::may_be_link(&error) => {
                self.through_links(below)
            }
            answer => PinnedFile::of(answer, below.to_owned()),
        }
    }

    /// Resolves links one by one, each step from the folder that the last one opened.
    fn through_links(&self, below: &Path) -> Result<PinnedFile, DiskError> {
        let out = || DiskError::LeadsOut {
            path: below.to_owned(),
        };
        let error = DiskError::io;
        let mut ahead: VecDeque<OsString> = names(below).map(OsStr::to_owned).collect();
        let mut behind = PathBuf::new();
        let mut at = self.folder(&behind)?.folder;
        let mut links = 0;
        while let Some(name) = ahead.pop_front() {
            if name == ".." {
                if !behind.pop() {
                    return Err(out());
                }
                at = self.folder(&behind)?.folder;
                continue;
            }
            if let Some(target) = at.read_link(&name).map_err(error("look at", below))? {
                links += 1;
                if links > Self::LINKS {
                    return Err(error("follow", below)(io::Error::from(
                        io::ErrorKind::TooManyLinks,
                    )));
                }
                let mut into = VecDeque::new();
                for part in Path::new(&target).components() {
                    match part {
                        Component::Normal(name) => into.push_back(name.to_owned()),
                        Component::ParentDir => into.push_back(OsString::from("..")),
                        Component::CurDir => {}
                        Component::RootDir | Component::Prefix(_) => return Err(out()),
                    }
                }
                into.append(&mut ahead);
                ahead = into;
                continue;
            }
            behind.push(&name);
            if ahead.is_empty() {
                return PinnedFile::of(at.open_below(Path::new(&name)), behind);
            }
            at = at
                .open_child(&name)
                .map_err(error("open the folder", &behind))?;
        }
        Err(DiskError::NotRegular {
            path: below.to_owned(),
            kind: FileKind::Folder,
        })
    }
}

/// A path with names alone in it; any other leads out, or nowhere.
fn check(below: &Path) -> Result<(), DiskError> {
    let mut parts = below.components().peekable();
    let named = parts.peek().is_some();
    if named && parts.all(|part| matches!(part, Component::Normal(_))) {
        return Ok(());
    }
    Err(DiskError::LeadsOut {
        path: below.to_owned(),
    })
}

fn names(path: &Path) -> impl Iterator<Item = &OsStr> {
    path.components().map(Component::as_os_str)
}

/// A folder below a root, held open.
#[derive(Debug)]
pub struct PinnedFolder {
    folder: Folder,
    path: PathBuf,
}

impl PinnedFolder {
    /// Shows each name, with what it stands for if the folder itself says so, in the folder's own
    /// order, until told to stop.
    pub fn list(
        &mut self,
        look: impl FnMut(&OsStr, FileKind) -> ControlFlow<()>,
    ) -> Result<(), DiskError> {
        self.folder
            .list(look)
            .map_err(DiskError::io("list the folder", &self.path))
    }

    /// What a name in it stands for; a link is not followed.
    pub fn stat(&self, name: impl AsRef<OsStr>) -> Result<Stat, DiskError> {
        let name = name.as_ref();
        self.folder
            .stat_child(name)
            .map_err(|source| DiskError::io("look at", &self.path.join(name))(source))
    }

    /// A regular file in it. A link is refused.
    pub fn file(&self, name: impl AsRef<OsStr>) -> Result<PinnedFile, DiskError> {
        let name = Path::new(name.as_ref());
        check(name)?;
        PinnedFile::of(self.folder.open_below(name), self.path.join(name))
    }
}

/// An open regular file below a root. Reading goes on to the end that it has by then, so a reader
/// sets its own bound; two readers of one file share their place in it.
#[derive(Debug)]
pub struct PinnedFile {
    file: File,
    path: PathBuf,
    identity: Identity,
}

impl PinnedFile {
    fn of(opened: io::Result<File>, path: PathBuf) -> Result<Self, DiskError> {
        let file = opened.map_err(|source| match sys::kind_of_refused(&source) {
            Some(kind) => DiskError::NotRegular {
                path: path.clone(),
                kind,
            },
            None => DiskError::io("open", &path)(source),
        })?;
        let stat = sys::stat(&file).map_err(DiskError::io("look at", &path))?;
        let identity = stat.regular(&path)?;
        Ok(Self {
            file,
            path,
            identity,
        })
    }

    /// Where it lies below the root, all links resolved.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Its identity when it was opened.
    pub fn identity(&self) -> Identity {
        self.identity
    }

    /// Appends what follows the bytes that are there, of which it is taken to be the beginning, as far as there is room behind
    /// them; says how many bytes. None only at the end.
    pub fn append_to(&self, bytes: &mut Vec<u8>) -> io::Result<usize> {
        let at = bytes.len() as u64;
        sys::append_at(&self.file, bytes, at)
    }

    /// At most that many bytes from its beginning, however long stat said it was.
    pub fn read_at_most(&self, bytes: usize) -> Result<Vec<u8>, DiskError> {
        let mut read = Vec::new();
        (&self.file)
            .take(bytes as u64)
            .read_to_end(&mut read)
            .map_err(DiskError::io("read", &self.path))?;
        Ok(read)
    }
}

impl Read for PinnedFile {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.file.read(buffer)
    }
}

#[cfg(test)]
mod tests;
