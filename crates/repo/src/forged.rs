//! The index's formats laid open to tests and `tools/fuzz`, which hold them against files that nobody wrote: a file of any
//! sections under right checksums, what is read of it, and what is written of that again. No part of the program: a feature
//! that only those turn on.

use std::path::Path;

use memfold_segment::{Encoded, Section, Source};

use crate::RepoError;
use crate::collection::{self, Unnamed};
use crate::content::{ContentHash, Lines};
use crate::index::Loaded;
use crate::journal::{self, Folded, Journal, LogId};
use crate::listing::{self, IndexError, Kind};
use crate::manifest;
use crate::moment::Moment;
use crate::pack::{self, Pack, PackBuilder};
use crate::sections::{Sections, Store, encode};
use crate::tree::{Tree, Update};

/// A form of the index's files of sections.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// What is known of a tree.
    Manifest,
    /// The words of contents.
    Pack,
    /// Since when contents have been named by no tree.
    Collection,
}

impl Form {
    /// A file of these sections, every checksum right. One that is missing is empty.
    pub fn assemble(self, sections: &[impl AsRef<[u8]>]) -> Vec<u8> {
        let at = |number: usize| sections.get(number).map_or(&b""[..], AsRef::as_ref);
        match self {
            Form::Manifest => {
                encode::<{ manifest::SECTIONS }>(manifest::MAGIC, std::array::from_fn(at))
            }
            Form::Pack => encode::<{ pack::SECTIONS }>(pack::MAGIC, std::array::from_fn(at)),
            Form::Collection => {
                encode::<{ collection::SECTIONS }>(collection::MAGIC, std::array::from_fn(at))
            }
        }
    }

    /// The sections of a file.
    ///
    /// # Errors
    /// If one cannot be read.
    pub fn take_apart(self, bytes: &[u8]) -> Result<Vec<Vec<u8>>, RepoError> {
        fn of<const N: usize>(bytes: &[u8], magic: &[u8; 8]) -> Result<Vec<Vec<u8>>, RepoError> {
            let sections: Sections<&[u8], N> = Sections::open(bytes, magic)?;
            (0..N)
                .map(|number| Ok(sections.section(number)?.into_owned()))
                .collect()
        }
        match self {
            Form::Manifest => of::<{ manifest::SECTIONS }>(bytes, manifest::MAGIC),
            Form::Pack => of::<{ pack::SECTIONS }>(bytes, pack::MAGIC),
            Form::Collection => of::<{ collection::SECTIONS }>(bytes, collection::MAGIC),
        }
    }
}

/// A manifest that was read.
pub struct Manifest(manifest::Manifest);

impl Manifest {
    /// Reads one.
    ///
    /// # Errors
    /// If it is not as one may be written.
    pub fn open(bytes: &[u8]) -> Result<Manifest, RepoError> {
        manifest::Manifest::open(bytes).map(Manifest)
    }

    /// That of a tree, up to a place of a log.
    ///
    /// # Errors
    /// If it would be too large.
    pub fn of(tree: Tree, log: [u8; 8], end: u64) -> Result<Manifest, RepoError> {
        let log = LogId(log);
        manifest::Manifest::of(tree, Folded { log, end }).map(Manifest)
    }

    /// That of the same tree and place, its words counted anew.
    ///
    /// # Errors
    /// If it would be too large.
    pub fn counted_anew(&self) -> Result<Manifest, RepoError> {
        manifest::Manifest::of(self.0.tree.clone(), self.0.folded).map(Manifest)
    }

    /// Its bytes.
    ///
    /// # Errors
    /// If they would be too many.
    pub fn encode(&self) -> Result<Vec<u8>, RepoError> {
        self.0.encode()
    }

    /// The tree.
    pub fn tree(&self) -> &Tree {
        &self.0.tree
    }

    /// The words of the indexed files' paths.
    pub fn paths(&self) -> &Encoded {
        &self.0.paths
    }

    /// The tree with these packs, as a search has it.
    pub fn with(self, packs: impl IntoIterator<Item = OpenPack>) -> Loaded {
        Loaded::of(self.0, packs.into_iter().map(|pack| pack.0).collect())
    }
}

/// An open pack.
pub struct OpenPack(Pack);

impl OpenPack {
    /// Opens one.
    ///
    /// # Errors
    /// If it is not as one may be written.
    pub fn open(bytes: Vec<u8>) -> Result<OpenPack, RepoError> {
        Pack::open(Store::Memory(bytes)).map(OpenPack)
    }

    /// The bytes of one of these texts, each once.
    ///
    /// # Errors
    /// If they are too many.
    pub fn of(texts: &[&str]) -> Result<Vec<u8>, RepoError> {
        let mut pack = PackBuilder::default();
        for text in texts {
            pack.add(ContentHash::of(text), text)?;
        }
        pack.finish()
    }

    /// Checks every byte, and every rule of the words.
    ///
    /// # Errors
    /// If one does not hold.
    pub fn verify(&self) -> Result<(), RepoError> {
        self.0.verify()
    }

    /// Its contents, each with its first document and how many it has.
    pub fn contents(&self) -> Vec<(ContentHash, u32, u32)> {
        let places = self.0.contents().iter();
        places
            .map(|place| (place.content, place.first, place.chunks))
            .collect()
    }

    /// The lines of each document.
    ///
    /// # Errors
    /// If they are damaged.
    pub fn lines(&self) -> Result<Vec<Lines>, RepoError> {
        self.0.lines()
    }

    /// Its words.
    ///
    /// # Errors
    /// If they cannot be read.
    pub fn words(&self) -> Result<Encoded, RepoError> {
        let reader = &self.0.words;
        let read = |section| {
            let length = usize::try_from(reader.source().len(section));
            let length = length.map_err(|_| RepoError::TooLarge("a section"))?;
            Ok::<_, RepoError>(reader.source().read(section, 0, length)?.into_owned())
        };
        Ok(Encoded {
            terms: read(Section::Terms)?,
            blocks: read(Section::Blocks)?,
            postings: read(Section::Postings)?,
            lengths: read(Section::Lengths)?,
            documents: reader.documents(),
            total_length: reader.total_length(),
        })
    }

    /// The bytes of a pack of what it holds.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn encode(&self) -> Result<Vec<u8>, RepoError> {
        let contents = self.0.contents().to_vec();
        Ok(pack::bytes_of(contents, &self.lines()?, &self.words()?))
    }

    /// The bytes of one pack of several, with the contents that are to be kept.
    ///
    /// # Errors
    /// If one cannot be read.
    pub fn merged(
        packs: &[&OpenPack],
        kept: &dyn Fn(&ContentHash) -> bool,
    ) -> Result<Vec<u8>, RepoError> {
        let packs: Vec<&Pack> = packs.iter().map(|pack| &pack.0).collect();
        pack::merged(&packs, kept)
    }
}

/// The bytes of a collection, read and written again.
///
/// # Errors
/// If it is not as one may be written.
pub fn collection_again(bytes: &[u8]) -> Result<Vec<u8>, RepoError> {
    Ok(Unnamed::open(bytes)?.encode())
}

/// The trees of a log, each with where its last event ends.
///
/// # Errors
/// If it cannot be read.
pub fn fold(log: &Path) -> Result<Vec<(Tree, u64)>, RepoError> {
    let trees = Journal::open(log).fold()?;
    Ok(trees
        .into_iter()
        .map(|(tree, folded)| (tree, folded.end))
        .collect())
}

/// The first 8 bytes by which a log is told from others.
pub fn id_of(log: &Path) -> [u8; 8] {
    Journal::open(log).end().log.0
}

/// The bytes of a log that begins with what is known of some trees.
///
/// # Errors
/// If they cannot be written as events.
pub fn snapshot<'t>(
    folder: &Path,
    trees: impl IntoIterator<Item = &'t Tree>,
    now: Moment,
) -> Result<Vec<u8>, RepoError> {
    journal::snapshot(folder, trees.into_iter(), now)
}

/// The lines of an update.
///
/// # Errors
/// If they cannot be written as events.
pub fn updated(update: Update, now: Moment) -> Result<Vec<u8>, RepoError> {
    lines(journal::updated(&update, now)?.iter())
}

/// The line that says that a tree is gone.
///
/// # Errors
/// If it cannot be written as an event.
pub fn forgotten(root: &str, now: Moment) -> Result<Vec<u8>, RepoError> {
    lines([journal::forgotten(root, now)?].iter())
}

fn lines<'r>(
    records: impl Iterator<Item = &'r memfold_log::own::Record<'static>>,
) -> Result<Vec<u8>, RepoError> {
    let mut bytes = Vec::new();
    for record in records {
        record
            .write_json(&mut bytes)
            .map_err(std::io::Error::other)?;
        bytes.push(b'\n');
    }
    Ok(bytes)
}

/// Whether names that differ in case alone are one file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Case {
    /// They are two.
    Sensitive,
    /// They are.
    Folded,
}

/// What git's index tracks, as a listing reads it: the paths as they are compared, each once.
///
/// # Errors
/// If it is none that is read here.
pub fn git_index(bytes: &[u8], case: Case) -> Result<Vec<(String, Kind)>, IndexError> {
    listing::tracked_by(bytes, case)
}
