//! Reads changed files through the guard and counts their words, on all cores, each a part of the files. A text is held as
//! long as it is cut, and no longer.

use std::collections::{BTreeMap, HashMap};
use std::time::Instant;

use memfold_guard::{Budget, Decision, Guard, Refusal, TreePath};
use memfold_segment::{DocId, Lengths};
use rayon::prelude::*;

use crate::RepoError;
use crate::content::ContentHash;
use crate::index::Loaded;
use crate::listing::Entry;
use crate::moment::Moment;
use crate::pack::{self, Pack, PackBuilder};
use crate::refresh::Watch;
use crate::sections::Store;
use crate::tree::{FileState, Found, Skip};

/// A part has at least so many bytes, so that it is worth a thread. There are no more of them than cores: to put together the
/// words of 14 parts of 8 MB costs a tenth of a first build, and one thread counts those of 112 MB as fast as of 8.
const LEAST: u64 = 1 << 20;

/// Reads files as of a moment, within a budget.
#[derive(Clone, Copy)]
pub(crate) struct Reading<'a> {
    pub(crate) guard: &'a Guard,
    pub(crate) budget: &'a Budget,
    /// The moment at which the call began, and since when it is counted on.
    pub(crate) now: Moment,
    pub(crate) begun: Instant,
    /// Who watches it, and may end it.
    pub(crate) watch: &'a dyn Watch,
}

/// What was read.
pub(crate) struct Read {
    pub(crate) files: BTreeMap<TreePath, FileState>,
    pub(crate) decisions: Vec<Decision>,
    /// The words of the contents that no pack has, if there are any: a pack's bytes.
    pub(crate) pack: Option<Vec<u8>>,
}

/// What was read of a part of the files, in their order.
#[derive(Default)]
struct Part {
    files: Vec<(TreePath, FileState)>,
    decisions: Vec<Decision>,
    pack: Option<Vec<u8>>,
}

/// What came of a file's text, redacted, or why there is none.
enum Text<T> {
    Redacted(T),
    None(Found),
    /// The file is gone, or the time is over: nothing is known of it.
    Gone,
    Over,
}

impl Reading<'_> {
    /// Reads files until the time is over, or whoever watches has enough.
    pub(crate) fn all(&self, files: &[&Entry], loaded: &Loaded) -> Result<Read, RepoError> {
        if !files.is_empty() {
            let sizes = files.iter().map(|entry| entry.identity.size);
            self.watch
                .begin(files.len(), sizes.fold(0, u64::saturating_add));
        }
        let parts: Vec<Result<Part, RepoError>> = parts_of(files)
            .into_par_iter()
            .map(|part| self.part(part, loaded))
            .collect();
        let mut read = Part::default();
        let mut packs = Vec::new();
        for part in parts {
            let part = part?;
            read.files.extend(part.files);
            read.decisions.extend(part.decisions);
            packs.extend(part.pack);
        }
        Ok(Read {
            files: read.files.into_iter().collect(),
            decisions: read.decisions,
            pack: together(packs)?,
        })
    }

    fn part(&self, files: &[&Entry], loaded: &Loaded) -> Result<Part, RepoError> {
        let mut read = Part::default();
        let mut pack = PackBuilder::default();
        let mut counts = Counts::of(loaded);
        let mut room = Vec::new();
        for entry in files {
            if self.watch.stop() {
                break;
            }
            let read_at = self.now.after(self.begun.elapsed());
            let (decision, text) = self.one(&entry.path, &mut room, |content, text| {
                let (chunks, words) = counts.of_content(content, text, &mut pack)?;
                Ok::<_, RepoError>(Found::Indexed {
                    content,
                    chunks,
                    words,
                })
            });
            self.watch.advance(entry.identity.size);
            let found = match text {
                Text::Over => break,
                Text::Gone => continue,
                Text::None(found) => found,
                Text::Redacted(found) => found?,
            };
            read.decisions.push(decision);
            let state = FileState {
                identity: entry.identity,
                read_at,
                found,
            };
            read.files.push((entry.path.clone(), state));
        }
        if !pack.is_empty() {
            read.pack = Some(pack.finish()?);
        }
        Ok(read)
    }

    /// Whether files still are what is known of them. Nothing is kept of it.
    pub(crate) fn are_as_known(&self, files: &[&Entry], loaded: &Loaded) -> bool {
        files.iter().all(|entry| {
            let known = loaded.tree().files.get(&entry.path);
            let (_, text) = self.one(&entry.path, &mut Vec::new(), |content, _| content);
            match (text, known.map(|state| &state.found)) {
                (Text::Redacted(now), Some(Found::Indexed { content, .. })) => now == *content,
                (Text::None(now), Some(then)) => now == *then,
                _ => false,
            }
        })
    }

    /// Reads a file into that room, and hands its redacted text to `take`.
    fn one<T>(
        &self,
        path: &TreePath,
        room: &mut Vec<u8>,
        take: impl FnOnce(ContentHash, &str) -> T,
    ) -> (Decision, Text<T>) {
        let read = self.guard.read_in(path, self.budget, std::mem::take(room));
        let decision = self.guard.decision(path, read.as_ref());
        let text = match read {
            Err(Refusal::Budget { .. }) => Text::Over,
            Err(Refusal::Gone) => Text::Gone,
            Err(refusal) => Text::None(Found::Refused(refusal)),
            Ok(content) => {
                let text = match content.text() {
                    Err(why) => Text::None(Found::Skipped(Skip::from(why))),
                    Ok(text) => {
                        let redacted = memfold_redact::redact(text);
                        Text::Redacted(take(ContentHash::of(&redacted), &redacted))
                    }
                };
                *room = content.bytes;
                text
            }
        };
        (decision, text)
    }
}

/// One pack of the parts' packs.
fn together(mut packs: Vec<Vec<u8>>) -> Result<Option<Vec<u8>>, RepoError> {
    if packs.len() < 2 {
        return Ok(packs.pop());
    }
    let open = |pack| Pack::open(Store::Memory(pack));
    let packs: Vec<Pack> = packs.into_iter().map(open).collect::<Result<_, _>>()?;
    pack::merged(&packs.iter().collect::<Vec<_>>(), &|_| true).map(Some)
}

/// Parts of about as many bytes each, in order.
fn parts_of<'f, 'l>(files: &'f [&'l Entry]) -> Vec<&'f [&'l Entry]> {
    let sizes = files.iter().map(|entry| entry.identity.size);
    let bytes = sizes.fold(0, u64::saturating_add);
    let cores = rayon::current_num_threads().max(1) as u64;
    let most = bytes.div_ceil(cores).max(LEAST);
    let mut parts = Vec::new();
    let (mut start, mut own) = (0, 0u64);
    for (at, entry) in files.iter().enumerate() {
        own = own.saturating_add(entry.identity.size);
        if own >= most {
            parts.extend(files.get(start..=at));
            (start, own) = (at + 1, 0);
        }
    }
    parts.extend(files.get(start..).filter(|rest| !rest.is_empty()));
    parts
}

/// The chunks and words of contents, each counted once.
struct Counts<'l> {
    loaded: &'l Loaded,
    lengths: Vec<Option<Lengths<'l>>>,
    new: HashMap<ContentHash, (u32, u64)>,
}

impl<'l> Counts<'l> {
    fn of(loaded: &'l Loaded) -> Counts<'l> {
        Counts {
            loaded,
            lengths: loaded.packs.iter().map(|_| None).collect(),
            new: HashMap::new(),
        }
    }

    /// As a pack has them, else counted into the new one.
    fn of_content(
        &mut self,
        content: ContentHash,
        text: &str,
        pack: &mut PackBuilder,
    ) -> Result<(u32, u64), RepoError> {
        if let Some(counts) = self.new.get(&content) {
            return Ok(*counts);
        }
        let counts = match self.kept(&content) {
            Some(counts) => counts,
            None => {
                let counted = pack.add(content, text)?;
                let chunks = u32::try_from(counted.lines.len()).unwrap_or(u32::MAX);
                (chunks, counted.words)
            }
        };
        self.new.insert(content, counts);
        Ok(counts)
    }

    /// Nothing of a pack that is damaged: a loss of power may leave one so. The search that meets it drops it.
    fn kept(&mut self, content: &ContentHash) -> Option<(u32, u64)> {
        let (number, place) = self.loaded.find(content)?;
        let pack = self.loaded.packs.get(number)?;
        let lengths = self.lengths.get_mut(number)?;
        let lengths = match lengths {
            Some(lengths) => lengths,
            None => lengths.insert(pack.words.lengths().ok()?),
        };
        let documents = place.first..place.first.saturating_add(place.chunks);
        let words = documents.map(|document| u64::from(lengths.get(DocId(document))));
        Some((place.chunks, words.sum()))
    }
}
