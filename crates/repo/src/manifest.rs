//! A tree's manifest: its [`Tree`], and the words of its paths, as a search wants them. A function of the tree's events, so the
//! same events give the same bytes. `formats/repository.md` is its page.

use std::borrow::Cow;
use std::path::Path;

use memfold_disk::{Identity, Links, Snapshot};
use memfold_guard::{Refusal, RulesVersion, TreePath};
use memfold_segment::{Encoded, Reader, Section};

use crate::RepoError;
use crate::content::{ContentHash, WordCounter};
use crate::journal::{Change, Folded, LogId};
use crate::moment::Moment;
use crate::sections::{Input, Magic, Sections, encode, put_text};
use crate::tree::{FileState, Found, Skip, Tree, Update};

pub(crate) const MAGIC: &Magic = b"memtree1";

/// What is said of the tree itself.
const ABOUT: usize = 0;
/// A record for each file, in the order of paths.
const FILES: usize = 1;
/// The words of each indexed file's path, and how many they are: a document a file.
const WORDS: [(Section, usize); 4] = [
    (Section::Terms, 2),
    (Section::Blocks, 3),
    (Section::Postings, 4),
    (Section::Lengths, 5),
];
pub(crate) const SECTIONS: usize = 6;

const INDEXED: u8 = 0;
const BINARY: u8 = 1;
const NOT_UTF8: u8 = 2;
const REFUSED: u8 = 3;

/// A tree's manifest, read.
pub(crate) struct Manifest {
    pub(crate) tree: Tree,
    /// Up to where of which log it was folded.
    pub(crate) folded: Folded,
    /// The words of the indexed files' paths.
    pub(crate) paths: Encoded,
    /// The one on the disk that this one was made of, if it has the same words of paths.
    kept: Option<Kept>,
}

/// A manifest on the disk.
#[derive(Clone, Copy)]
struct Kept {
    /// Up to where it was folded.
    folded: Folded,
    bytes: usize,
}

/// The log may go on behind the place up to which a manifest was folded: for so many bytes, and for that part of the
/// manifest's own. They are folded onto it whenever it is read, which costs less than to write all of it for each file that
/// changes.
const BEHIND: u64 = 64 << 10;
const BEHIND_PART: u64 = 8;

impl Kept {
    /// Whether it serves, if the tree's events end there.
    fn serves(self, end: Folded) -> bool {
        let most = BEHIND.min(self.bytes as u64 / BEHIND_PART);
        self.folded.log == end.log && end.end.saturating_sub(self.folded.end) <= most
    }
}

impl Manifest {
    /// The manifest of a tree, folded up to that place of the log.
    pub(crate) fn of(tree: Tree, folded: Folded) -> Result<Manifest, RepoError> {
        let mut words = WordCounter::default();
        for (path, ..) in tree.indexed() {
            words.add_line(path.as_str())?;
        }
        Ok(Manifest {
            paths: words.encode()?,
            tree,
            folded,
            kept: None,
        })
    }

    /// Takes changes of the tree in, each with where it ends in the log.
    pub(crate) fn apply(
        &mut self,
        changes: impl IntoIterator<Item = (Change, Folded)>,
    ) -> Result<(), RepoError> {
        let mut keeps_paths = true;
        for (change, folded) in changes {
            match change {
                Change::Update(update) => {
                    keeps_paths &= self.keeps_paths(&update);
                    self.tree.apply(update);
                }
                Change::Forgotten { tree } => {
                    keeps_paths = false;
                    self.tree = Tree::new(&tree);
                }
            }
            self.folded = folded;
        }
        if !keeps_paths {
            let tree = std::mem::take(&mut self.tree);
            *self = Manifest::of(tree, self.folded)?;
        }
        Ok(())
    }

    /// Whether the same files are indexed after an update as before.
    fn keeps_paths(&self, update: &Update) -> bool {
        let is_indexed = |state: &FileState| matches!(state.found, Found::Indexed { .. });
        update.gone.is_empty()
            && !update.snapshot
            && update.files.iter().all(|(path, state)| {
                self.tree.files.get(path).is_some_and(is_indexed) == is_indexed(state)
            })
    }

    /// Whether the one on the disk serves, with what follows in the log up to there.
    pub(crate) fn is_kept(&self, end: Folded) -> bool {
        self.kept.is_some_and(|kept| kept.serves(end))
    }

    /// Its bytes.
    pub(crate) fn encode(&self) -> Result<Vec<u8>, RepoError> {
        let Tree {
            root,
            rules,
            whole,
            files,
        } = &self.tree;
        let mut about = self.folded.log.0.to_vec();
        about.extend_from_slice(&self.folded.end.to_le_bytes());
        put_text(root, &mut about)?;
        put_text(rules.as_ref().map_or("", RulesVersion::as_str), &mut about)?;
        for folder in whole {
            put_text(folder.as_str(), &mut about)?;
        }
        let mut records = Vec::new();
        for (path, state) in files {
            put_text(path.as_str(), &mut records)?;
            records.extend_from_slice(&state.identity.to_bytes());
            records.extend_from_slice(&state.read_at.0.to_le_bytes());
            match &state.found {
                Found::Indexed {
                    content,
                    chunks,
                    words,
                } => {
                    records.push(INDEXED);
                    records.extend_from_slice(&content.0);
                    records.extend_from_slice(&chunks.to_le_bytes());
                    records.extend_from_slice(&words.to_le_bytes());
                }
                Found::Skipped(Skip::Binary) => records.push(BINARY),
                Found::Skipped(Skip::NotUtf8) => records.push(NOT_UTF8),
                Found::Refused(refusal) => {
                    records.push(REFUSED);
                    let why = serde_json::to_string(refusal)
                        .map_err(|_| RepoError::TooLarge("a refusal"))?;
                    put_text(&why, &mut records)?;
                }
            }
        }
        Ok(encode(
            MAGIC,
            [
                &about,
                &records,
                &self.paths.terms,
                &self.paths.blocks,
                &self.paths.postings,
                &self.paths.lengths,
            ],
        ))
    }

    /// Reads a manifest and checks all of it.
    pub(crate) fn open(bytes: &[u8]) -> Result<Manifest, RepoError> {
        let sections: Sections<&[u8], SECTIONS> = Sections::open(bytes, MAGIC)?;
        let about = sections.section(ABOUT)?;
        let mut input = Input(&about);
        let folded = Folded {
            log: LogId(input.array()?),
            end: input.u64()?,
        };
        let mut tree = Tree::new(input.text()?);
        let rules = input.text()?;
        tree.rules = (!rules.is_empty()).then(|| RulesVersion::known(rules));
        while !input.0.is_empty() {
            let folder = path_of(input.text()?)?;
            if tree.whole.last().is_some_and(|last| *last >= folder) {
                return Err(RepoError::Damaged("a folder out of its place"));
            }
            tree.whole.insert(folder);
        }
        let records = sections.section(FILES)?;
        let mut input = Input(&records);
        let mut last: Option<&str> = None;
        let mut indexed = 0u32;
        // In order, so that the map is built at once.
        let mut files = Vec::new();
        while !input.0.is_empty() {
            let name = input.text()?;
            if last.is_some_and(|last| last >= name) {
                return Err(RepoError::Damaged("a file out of its place"));
            }
            let path = path_of(name)?;
            let identity = Identity::from_bytes(&input.array()?);
            let read_at = Moment(input.i64()?);
            let found = found(&mut input)?;
            indexed += u32::from(matches!(found, Found::Indexed { .. }));
            last = Some(name);
            files.push((
                path,
                FileState {
                    identity,
                    read_at,
                    found,
                },
            ));
        }
        tree.files = files.into_iter().collect();
        let words = |number| sections.section(number).map(Cow::into_owned);
        let mut paths = Encoded {
            documents: indexed,
            ..Encoded::default()
        };
        for (section, number) in WORDS {
            *match section {
                Section::Terms => &mut paths.terms,
                Section::Blocks => &mut paths.blocks,
                Section::Postings => &mut paths.postings,
                Section::Lengths => &mut paths.lengths,
            } = words(number)?;
        }
        let reader = Reader::open(&paths)?;
        if reader.documents() != indexed {
            return Err(RepoError::Damaged("words of other paths"));
        }
        paths.total_length = reader.total_length();
        Ok(Manifest {
            tree,
            folded,
            paths,
            kept: Some(Kept {
                folded,
                bytes: bytes.len(),
            }),
        })
    }
}

fn path_of(text: &str) -> Result<TreePath, RepoError> {
    TreePath::new(text).map_err(|_| RepoError::Damaged("a path that names no file"))
}

fn found(input: &mut Input<'_>) -> Result<Found, RepoError> {
    Ok(match input.u8()? {
        INDEXED => Found::Indexed {
            content: ContentHash(input.array()?),
            chunks: input.u32()?,
            words: input.u64()?,
        },
        BINARY => Found::Skipped(Skip::Binary),
        NOT_UTF8 => Found::Skipped(Skip::NotUtf8),
        REFUSED => Found::Refused(refusal(input.text()?)?),
        _ => return Err(RepoError::Damaged("a state that there is not")),
    })
}

/// A refusal, written as it is written here: a manifest has one encoding.
fn refusal(text: &str) -> Result<Refusal, RepoError> {
    let none = RepoError::Damaged("a refusal that there is not");
    match serde_json::from_str::<Refusal>(text) {
        Ok(refusal) if serde_json::to_string(&refusal).is_ok_and(|again| again == text) => {
            Ok(refusal)
        }
        _ => Err(none),
    }
}

/// The manifest in a file, if it can be read.
pub(crate) fn read(path: &Path) -> Option<Manifest> {
    let file = Snapshot::open(path, Links::Refuse).ok()?;
    let bytes = file.read_at(0, usize::try_from(file.len()).ok()?).ok()?;
    Manifest::open(&bytes).ok()
}

/// Checks a manifest's bytes.
#[cfg(test)]
pub(crate) fn verify_bytes(bytes: &[u8]) -> Result<(), RepoError> {
    let manifest = Manifest::open(bytes)?;
    Reader::open(&manifest.paths)?.verify()?;
    Ok(())
}
