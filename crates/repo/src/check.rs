//! Holds the index against what it is made from: manifests against the log's events, packs against themselves and, as far as
//! a tree's files are what they were, against these. Changes nothing.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};

use memfold_disk::{Links, Snapshot};
use memfold_guard::{Budget, Guard, TreePath};

use crate::RepoError;
use crate::collection::Unnamed;
use crate::content::{ContentHash, Lines};
use crate::index::{Index, Loaded};
use crate::journal::{Folded, Journal};
use crate::manifest::Manifest;
use crate::pack::{self, Pack, PackBuilder};
use crate::sections::{ReadAt, Store};
use crate::tree::Tree;

/// So much text is cut again at once.
const BATCH: u64 = 32 << 20;

/// What a file of the index is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// Its log.
    Log,
    /// A tree's manifest.
    Manifest,
    /// A pack of words.
    Pack,
    /// The note of what nobody names.
    Collection,
}

/// What a check found of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The file of the index.
    pub file: PathBuf,
    /// What it is.
    pub part: Part,
    /// What was found.
    pub what: String,
    /// How much that matters.
    pub weight: Weight,
}

/// How much a fault matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Weight {
    /// It is wrong.
    Wrong,
    /// It is missing or behind, and made good by whoever uses it.
    Behind,
}

/// What a check found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Faults {
    /// A row for each fault.
    pub rows: Vec<Fault>,
    /// The tree's files of which the index says what is not so.
    pub files: Vec<TreePath>,
    /// How many of them were held against it.
    pub checked: usize,
    /// How many were not reached in time.
    pub not_reached: usize,
}

impl Faults {
    fn add(&mut self, file: &Path, part: Part, weight: Weight, what: impl Into<String>) {
        self.rows.push(Fault {
            file: file.to_owned(),
            part,
            what: what.into(),
            weight,
        });
    }
}

impl Index {
    /// Checks all of it, and the files of a tree that are as they were when they were read, as far as the budget goes.
    ///
    /// # Errors
    /// If the log cannot be read. What is wrong with the index is no error but found.
    pub fn check(&self, guard: &Guard, budget: &Budget) -> Result<Faults, RepoError> {
        let mut faults = Faults::default();
        let journal = Journal::open(&self.log());
        let unread = journal.unread()?;
        if unread > 0 {
            let what = format!("{unread} of its events cannot be read");
            faults.add(&self.log(), Part::Log, Weight::Wrong, what);
        }
        let trees = journal.fold()?;
        self.check_manifests(&journal, &trees, &mut faults);
        for path in self.pack_files() {
            if let Err(error) = check_pack(&path) {
                faults.add(&path, Part::Pack, weight(&error), error.to_string());
            }
        }
        let note = self.collection();
        if note.is_file() && Unnamed::read(&note).is_none() {
            faults.add(&note, Part::Collection, Weight::Wrong, "cannot be read");
        }
        let loaded = self.load(&guard.root().path().to_string_lossy())?;
        self.check_files(guard, budget, &loaded, &mut faults)?;
        Ok(faults)
    }

    fn check_manifests(&self, journal: &Journal, trees: &[(Tree, Folded)], faults: &mut Faults) {
        let mut others = self.manifest_files();
        for (tree, folded) in trees {
            let path = self.manifest(&tree.root);
            others.retain(|other| *other != path);
            match check_manifest(&path, journal, tree, *folded) {
                Ok(()) => {}
                Err((weight, what)) => faults.add(&path, Part::Manifest, weight, what),
            }
        }
        for path in others {
            let what = "of a tree of which the log says nothing; not used";
            faults.add(&path, Part::Manifest, Weight::Behind, what);
        }
    }

    /// Reads the files that stat finds as they were, and cuts them again.
    fn check_files(
        &self,
        guard: &Guard,
        budget: &Budget,
        loaded: &Loaded,
        faults: &mut Faults,
    ) -> Result<(), RepoError> {
        let mut signatures: HashMap<usize, Signatures> = HashMap::new();
        let mut wrong: BTreeMap<usize, (usize, TreePath)> = BTreeMap::new();
        let mut files = loaded.tree().indexed().peekable();
        while files.peek().is_some() {
            let mut cut = PackBuilder::default();
            let mut batch: HashMap<ContentHash, &TreePath> = HashMap::new();
            let mut bytes = 0;
            while let Some((path, content, chunks, words)) = files.next_if(|_| bytes < BATCH) {
                let state = loaded.tree().files.get(path);
                let Ok(read) = guard.read(path, budget) else {
                    faults.not_reached += usize::from(budget.time_left().is_none());
                    continue;
                };
                if state.is_none_or(|state| !state.holds_for(&read.identity)) {
                    continue;
                }
                faults.checked += 1;
                bytes += read.identity.size;
                let text = read.text().map(memfold_redact::redact).ok();
                let Some(text) = text.filter(|text| ContentHash::of(text) == content) else {
                    faults.files.push(path.clone());
                    continue;
                };
                if batch.insert(content, path).is_none() {
                    let counted = cut.add(content, &text)?;
                    if (counted.lines.len() as u64, counted.words) != (u64::from(chunks), words) {
                        faults.files.push(path.clone());
                    }
                }
            }
            if cut.is_empty() {
                continue;
            }
            let cut = Pack::open(Store::Memory(cut.finish()?))?;
            let ours = Signatures::of(&cut)?;
            for (content, path) in batch {
                let (Some((number, place)), Some(own)) =
                    (loaded.find(&content), cut.find(&content))
                else {
                    continue;
                };
                let Some(pack) = loaded.packs.get(number) else {
                    continue;
                };
                if let std::collections::hash_map::Entry::Vacant(entry) = signatures.entry(number) {
                    match Signatures::of(pack) {
                        Ok(signatures) => {
                            entry.insert(signatures);
                        }
                        // What is damaged has said so already.
                        Err(_) => continue,
                    }
                }
                let kept = signatures.get(&number);
                if kept.and_then(|kept| kept.at(place.first, place.chunks))
                    != ours.at(own.first, own.chunks)
                {
                    let row = wrong.entry(number).or_insert_with(|| (0, path.clone()));
                    row.0 += 1;
                }
            }
        }
        for (number, (contents, path)) in wrong {
            if let Some(file) = loaded.pack_file(number) {
                let what = match contents {
                    1 => format!("has other words than {path}"),
                    more => format!("has other words than {path} and {} more", more - 1),
                };
                faults.add(file, Part::Pack, Weight::Wrong, what);
            }
        }
        if let Some(first) = faults.files.first() {
            let what = match faults.files.len() {
                1 => format!("says of {first} what is not so"),
                more => format!("says of {first} and {} more what is not so", more - 1),
            };
            faults.add(&self.log(), Part::Log, Weight::Wrong, what);
        }
        Ok(())
    }
}

fn weight(error: &RepoError) -> Weight {
    match error {
        RepoError::OtherVersion => Weight::Behind,
        _ => Weight::Wrong,
    }
}

fn check_manifest(
    path: &Path,
    journal: &Journal,
    tree: &Tree,
    folded: Folded,
) -> Result<(), (Weight, String)> {
    let behind = |what: &str| (Weight::Behind, what.to_owned());
    let wrong = |error: &dyn std::fmt::Display| (Weight::Wrong, error.to_string());
    let file = match Snapshot::open(path, Links::Refuse) {
        Ok(file) => file,
        Err(error) if error.is_not_found() => return Err(behind("missing; its events are read")),
        Err(error) => return Err(wrong(&error)),
    };
    let length = usize::try_from(file.len()).unwrap_or(usize::MAX);
    let bytes = file.read_at(0, length).map_err(|error| wrong(&error))?;
    let manifest = Manifest::open(&bytes).map_err(|error| (weight(&error), error.to_string()))?;
    if !journal.reaches(manifest.folded) {
        return Err(behind("of another log; not used"));
    }
    // A manifest may be somewhat behind the log, and says then what that did up to there.
    let (tree, is_behind) = match manifest.folded.end < folded.end {
        true => {
            let then = journal.tree_at(&tree.root, manifest.folded.end);
            (Cow::Owned(then.map_err(|error| wrong(&error))?), true)
        }
        false => (Cow::Borrowed(tree), false),
    };
    let expected = Manifest::of(tree.clone().into_owned(), manifest.folded)
        .and_then(|manifest| manifest.encode())
        .map_err(|error| wrong(&error))?;
    if bytes == expected {
        return match is_behind && !manifest.is_kept(folded) {
            true => Err(behind("behind the log; the events that follow are read")),
            false => Ok(()),
        };
    }
    let differs = |(path, state): (&TreePath, _)| {
        (manifest.tree.files.get(path) != Some(state)).then(|| path.clone())
    };
    let first = tree.files.iter().find_map(differs);
    Err(match first {
        Some(first) => (
            Weight::Wrong,
            format!("says of {first} what the events do not"),
        ),
        None => (
            Weight::Wrong,
            "is not what the events make of it".to_owned(),
        ),
    })
}

fn check_pack(path: &Path) -> Result<(), RepoError> {
    let file = Snapshot::open(path, Links::Refuse).map_err(std::io::Error::other)?;
    let length = usize::try_from(file.len()).unwrap_or(usize::MAX);
    let bytes = ReadAt::read_at(&file, 0, length)?.into_owned();
    pack::verify_bytes(&bytes)?;
    match path
        .file_name()
        .is_some_and(|name| name == pack::name_of(&bytes).as_str())
    {
        true => Ok(()),
        false => Err(RepoError::Damaged("another name than its bytes have")),
    }
}

/// For each document of a pack, a number that its words make: equal words, equal numbers. And its lines.
struct Signatures {
    words: Vec<u64>,
    lines: Vec<Lines>,
}

impl Signatures {
    fn of(pack: &Pack) -> Result<Signatures, RepoError> {
        let mut words = vec![0u64; pack.words.documents() as usize];
        let mut postings = Vec::new();
        for term in pack.words.terms()? {
            let (term, _) = term?;
            postings.clear();
            pack.words.postings(&term, &mut postings)?;
            for posting in &postings {
                let mut hash = DefaultHasher::new();
                (&term, posting.frequency).hash(&mut hash);
                if let Some(sum) = words.get_mut(posting.doc.0 as usize) {
                    *sum = sum.wrapping_add(hash.finish());
                }
            }
        }
        Ok(Signatures {
            words,
            lines: pack.lines()?,
        })
    }

    fn at(&self, first: u32, chunks: u32) -> Option<(&[u64], &[Lines])> {
        let range = first as usize..(first as usize).checked_add(chunks as usize)?;
        Some((self.words.get(range.clone())?, self.lines.get(range)?))
    }
}

impl Loaded {
    /// The file of a pack.
    fn pack_file(&self, number: usize) -> Option<&Path> {
        self.packs.get(number).and_then(Pack::path)
    }
}

impl Pack<Store> {
    fn path(&self) -> Option<&Path> {
        match self.store() {
            Store::File(file) => Some(file.path()),
            Store::Memory(_) => None,
        }
    }
}
