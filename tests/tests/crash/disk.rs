//! A model of a disk under power cuts: what was synced is there, of what was not any part may be. Bytes of a file may be
//! missing, cut, or zeros; a name may stand for whatever it stood for since its folder was last synced, with the new bytes or
//! without. More than any file system in use does: whoever holds under this holds under each of them.

use std::collections::{BTreeMap, HashMap};
use std::ffi::{OsStr, OsString};
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use memfold_disk::fail::{self, Change};
use memfold_disk::{Identity, Links};
use tempfile::TempDir;

use crate::rounds::Random;

type Id = usize;

/// A folder, in memory where there is such a place: thousands of small files are made and removed again. And where it really is.
pub(crate) fn folder() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir_in("/dev/shm")
        .or_else(|_| tempfile::tempdir())
        .unwrap();
    let root = fs::canonicalize(folder.path()).unwrap();
    (folder, root)
}

/// Removes everything below the root.
pub(crate) fn clear(root: &Path) {
    for entry in fs::read_dir(root).unwrap() {
        fs::remove_dir_all(entry.unwrap().path()).unwrap();
    }
}

/// A disk at one moment.
#[derive(Clone, Default)]
pub(crate) struct Disk {
    nodes: Vec<Node>,
    root: Id,
    /// The node that has an inode's number now.
    now: HashMap<u64, Id>,
}

#[derive(Clone)]
enum Node {
    File {
        durable: Vec<u8>,
        pending: Vec<(usize, Vec<u8>)>,
        identity: Option<Identity>,
    },
    Folder(BTreeMap<OsString, Name>),
}

/// What a name stands for: durably, and since then.
#[derive(Clone, Default)]
struct Name {
    durable: Option<Id>,
    since: Vec<Option<Id>>,
}

impl Name {
    fn now(&self) -> Option<Id> {
        self.since.last().copied().unwrap_or(self.durable)
    }

    fn choices(&self) -> usize {
        1 + self.since.len()
    }

    fn choice(&self, number: usize) -> Option<Id> {
        match number.checked_sub(1) {
            None => self.durable,
            Some(place) => self.since[place],
        }
    }
}

/// What may have become of bytes that were not synced.
const PARTS: usize = 5;

/// The bytes of a file of which so much reached the disk.
fn part(durable: &[u8], pending: &[(usize, Vec<u8>)], number: usize) -> Vec<u8> {
    let write = |bytes: &mut Vec<u8>, at: usize, written: &[u8]| {
        bytes.resize(bytes.len().max(at + written.len()), 0);
        bytes[at..at + written.len()].copy_from_slice(written);
    };
    let mut bytes = durable.to_vec();
    for (place, (at, written)) in pending.iter().enumerate() {
        let (half, is_last) = (written.len() / 2, place + 1 == pending.len());
        match number {
            // All of it.
            0 => write(&mut bytes, *at, written),
            // None of it.
            1 => {}
            // The length alone.
            2 => write(&mut bytes, *at, &vec![0; written.len()]),
            // All but the end of the last.
            3 if is_last => write(&mut bytes, *at, &written[..half]),
            3 => write(&mut bytes, *at, written),
            // The end of the last without what comes before.
            _ if is_last => write(&mut bytes, at + half, &written[half..]),
            _ => {}
        }
    }
    bytes
}

/// Where a state of the disk was not decided by a sync: a name of a folder, or a file's bytes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Open {
    Name(Id, usize),
    Bytes(Id),
}

/// A state that the disk may be in after the power was cut: which of its choices each open place took. What is not named is
/// as it was last seen.
pub(crate) type State = BTreeMap<Open, usize>;

impl Disk {
    /// The disk as it is below a folder, all of it durable.
    pub(crate) fn of(root: &Path) -> Disk {
        let mut disk = Disk::default();
        disk.root = disk.add(root);
        disk
    }

    fn add(&mut self, path: &Path) -> Id {
        let meta = fs::symlink_metadata(path).unwrap();
        let node = if meta.is_dir() {
            let mut entries: Vec<_> = fs::read_dir(path).unwrap().map(Result::unwrap).collect();
            entries.sort_by_key(fs::DirEntry::file_name);
            let name = |entry: fs::DirEntry| {
                let durable = Some(self.add(&entry.path()));
                let since = Vec::new();
                (entry.file_name(), Name { durable, since })
            };
            Node::Folder(entries.into_iter().map(name).collect())
        } else {
            Node::File {
                durable: fs::read(path).unwrap(),
                pending: Vec::new(),
                identity: Some(Identity::at(path, Links::Refuse).unwrap()),
            }
        };
        self.made(meta.ino(), node)
    }

    fn made(&mut self, inode: u64, node: Node) -> Id {
        self.nodes.push(node);
        self.now.insert(inode, self.nodes.len() - 1);
        self.nodes.len() - 1
    }

    fn names(&mut self, folder: u64) -> &mut BTreeMap<OsString, Name> {
        match &mut self.nodes[self.now[&folder]] {
            Node::Folder(names) => names,
            Node::File { .. } => panic!("a file has no names"),
        }
    }

    fn set(&mut self, folder: u64, name: &OsStr, to: Option<Id>) {
        let names = self.names(folder);
        names.entry(name.to_owned()).or_default().since.push(to);
    }

    /// Makes a change.
    pub(crate) fn make(&mut self, change: &Change) {
        match change {
            Change::Made {
                folder,
                name,
                inode,
                is_folder,
            } => {
                let node = if *is_folder {
                    Node::Folder(BTreeMap::new())
                } else {
                    Node::File {
                        durable: Vec::new(),
                        pending: Vec::new(),
                        identity: None,
                    }
                };
                let id = self.made(*inode, node);
                self.set(*folder, name, Some(id));
            }
            Change::Wrote { inode, at, bytes } => match &mut self.nodes[self.now[inode]] {
                Node::File { pending, .. } => pending.push((*at as usize, bytes.clone())),
                Node::Folder(_) => panic!("a folder has no bytes"),
            },
            Change::Synced { inode } => match &mut self.nodes[self.now[inode]] {
                Node::File {
                    durable, pending, ..
                } => {
                    *durable = part(durable, pending, 0);
                    pending.clear();
                }
                Node::Folder(names) => {
                    for name in names.values_mut() {
                        name.durable = name.now();
                        name.since.clear();
                    }
                }
            },
            Change::Renamed {
                folder,
                from,
                to,
                identity: seen,
            } => {
                let id = self.names(*folder)[from].now();
                self.set(*folder, from, None);
                self.set(*folder, to, id);
                if let Node::File { identity, .. } = &mut self.nodes[id.unwrap()] {
                    *identity = Some(*seen);
                }
            }
            Change::Removed { folder, name } => self.set(*folder, name, None),
        }
    }

    /// Where nothing was decided, with the number of choices there; `now` is the choice that was last seen.
    fn open(&self) -> Vec<(Open, usize)> {
        let mut open = Vec::new();
        for (id, node) in self.nodes.iter().enumerate() {
            match node {
                Node::File { pending, .. } if !pending.is_empty() => {
                    open.push((Open::Bytes(id), PARTS));
                }
                Node::File { .. } => {}
                Node::Folder(names) => {
                    let names = names.values().enumerate();
                    open.extend(
                        names
                            .filter(|(_, name)| !name.since.is_empty())
                            .map(|(place, name)| (Open::Name(id, place), name.choices())),
                    );
                }
            }
        }
        open
    }

    /// The states that the disk may be in after a cut: all of them if they are few, else those that differ from the first and
    /// the last in one place, and some that are drawn.
    pub(crate) fn states(&self, random: &mut Random) -> Vec<State> {
        const FEW: usize = 48;
        const DRAWN: usize = 12;
        let open = self.open();
        let product = open.iter().try_fold(1usize, |product, (_, choices)| {
            product.checked_mul(*choices)
        });
        if let Some(product) = product.filter(|product| *product <= FEW) {
            return (0..product)
                .map(|mut number| {
                    let choice = |(place, choices): &(Open, usize)| {
                        let choice = number % choices;
                        number /= choices;
                        (*place, choice)
                    };
                    open.iter().map(choice).collect()
                })
                .collect();
        }
        let first: State = open.iter().map(|(place, _)| (*place, 0)).collect();
        let mut states = vec![State::new(), first.clone()];
        for (place, choices) in &open {
            let choice = random.below(*choices);
            states.extend([&State::new(), &first].map(|state| {
                let mut state = state.clone();
                state.insert(*place, choice);
                state
            }));
        }
        for _ in 0..DRAWN {
            let choice = |(place, choices): &(Open, usize)| (*place, random.below(*choices));
            states.push(open.iter().map(choice).collect());
        }
        states
    }

    /// Every file and folder of a state, by its path below the root: a folder before what is in it.
    fn tree(&self, state: &State) -> Vec<(PathBuf, Id)> {
        let (mut tree, mut work) = (Vec::new(), vec![(PathBuf::new(), self.root)]);
        while let Some((path, id)) = work.pop() {
            if let Node::Folder(names) = &self.nodes[id] {
                for (place, (name, of)) in names.iter().enumerate() {
                    let stands_for = match state.get(&Open::Name(id, place)) {
                        Some(choice) => of.choice(*choice),
                        None => of.now(),
                    };
                    work.extend(stands_for.map(|id| (path.join(name), id)));
                }
            }
            tree.push((path, id));
        }
        tree
    }

    /// The bytes of a file in a state, and the identity that it passes for; nothing of a folder.
    fn file(&self, state: &State, id: Id) -> Option<(Vec<u8>, Option<Identity>)> {
        match &self.nodes[id] {
            Node::Folder(_) => None,
            Node::File {
                durable,
                pending,
                identity,
            } => {
                let number = state.get(&Open::Bytes(id)).copied().unwrap_or(0);
                Some((part(durable, pending, number), *identity))
            }
        }
    }

    /// Puts a state below a folder, which is empty, and makes its files pass for those that they are.
    pub(crate) fn restore(&self, state: &State, root: &Path) {
        fail::pretend(HashMap::new());
        let mut identities = HashMap::new();
        for (path, id) in self.tree(state) {
            let path = root.join(path);
            let Some((bytes, identity)) = self.file(state, id) else {
                fs::create_dir_all(&path).unwrap();
                continue;
            };
            fs::write(&path, bytes).unwrap();
            if let Some(identity) = identity {
                let real = Identity::at(&path, Links::Refuse).unwrap();
                let size = real.size;
                identities.insert(real, Identity { size, ..identity });
            }
        }
        fail::pretend(identities);
    }

    /// What a state holds, to tell it from others.
    pub(crate) fn content(&self, state: &State) -> u64 {
        let tree = self.tree(state).into_iter();
        let tree: Vec<_> = tree
            .map(|(path, id)| (path, self.file(state, id)))
            .collect();
        let mut hasher = DefaultHasher::new();
        tree.hash(&mut hasher);
        hasher.finish()
    }
}
