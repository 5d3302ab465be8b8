//! The ranking of files: BM25 over chunks with their paths, then files by their best chunks; what the measurements that the
//! project started from call TEXT. Parameters stand here, each with its source, and nowhere else. Pure: readers in, order out.
//!
//! ```text
//! tf(c, t)  = 6 · path + 3 · first line + rest          dl(c): the same sum of lengths
//! df(t)     = chunks whose text has t + files that have it in their path alone
//! w(t)      = n_q(t) · ln(1 + (N − df + 0.5) / (df + 0.5))
//! s(c)      = Σ w(t) · tf · 2.6 / (tf + 1.6 · (0.25 + 0.75 · dl / avgdl))
//! s(file)   = s₁ + 0.2 · (s₂ + s₃ + s₄), then by its name and its place
//! ```
//!
//! In `f64`, each line as it stands. Ties go by path.
//!
//! Three things go beyond those measurements. Each was measured on their 400 queries (a commit's message asks for the files that it
//! changed), and on 600 of six other repositories that were made the same way. hit@5 with the full message / the subject, of the
//! first; of the others:
//!
//! | | 400 | 600 |
//! |---|---|---|
//! | without | .775 / .758 | .758 / .737 |
//! | a path counts once in `df`: that a folder's name is in the path of every chunk below it makes it no less telling | .780 / .768 | .758 / .742 |
//! | a file is [named](Named::Name) too by the words of its name, in whatever form | .783 / .773 | .763 / .743 |
//! | a [path](Named::Path) that the query writes, `utils.js` or `log/rotate`, doubles its files | .790 / .780 | .767 / .747 |
//!
//! MRR@10 rises by .026 to .031 in each of the four. What was tried and gained nothing, or for some of the repositories only: other
//! k1 and b, other weights of a path's parts and of the first line, more and fewer next chunks, what a file's chunks hold together,
//! a whole file's BM25, idf over files, more stop words, joined names, abbreviations (`dir` for directory), a least length of
//! chunks, and priors of tests, documents, samples and of a folder's name. Versions of one file side by side (`v1.5/manual.yml`),
//! of which only the best keeps its score, gain .0075 on jq alone.

use memfold_segment::{Bm25, Error, Posting, Reader, Source};
use memfold_text::{Query, QueryTerm};

use crate::kinds;
use crate::naming::{Named, Naming};

/// How often a path's word counts.
const PATH: u32 = 6;
/// BM25 for chunks of code.
const BM25: Bm25 = Bm25 { k1: 1.6, b: 0.75 };
/// What the chunks after a file's best one lend it, and how many do.
const NEXT: f64 = 0.2;
const NEXT_CHUNKS: usize = 3;
/// What a file gains whose name the query says, and one whose path it writes.
const NAMED: f64 = 1.2;
const WRITTEN: f64 = 2.0;
/// What vendored files, generated ones and changelogs keep.
const VENDORED: f64 = 0.7;
const GENERATED: f64 = 0.7;
const CHANGELOG: f64 = 0.8;

/// A file whose chunks are ranked.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RankedFile<'t> {
    pub(crate) path: &'t str,
    /// The pack that has its words, and its chunks there.
    pub(crate) pack: usize,
    pub(crate) first: u32,
    pub(crate) chunks: u32,
    /// The words of all its chunks.
    pub(crate) words: u64,
    /// Its document among the paths.
    pub(crate) document: u32,
}

/// A file that matched.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Matched {
    /// Its place among the files that were given.
    pub(crate) file: usize,
    pub(crate) score: f64,
    /// Its best chunks, by their places in the file, best first, each with its score.
    pub(crate) chunks: Vec<(u32, f64)>,
    /// For each concept of the query, whether its best chunk or its path holds it.
    pub(crate) held: Vec<bool>,
}

/// The order of the files.
#[derive(Clone, Debug, Default)]
pub(crate) struct Order {
    pub(crate) files: Vec<Matched>,
    /// How many chunks were ranked.
    pub(crate) chunks: u64,
}

/// Ranks files, which are in the order of their paths.
pub(crate) fn rank<P: Source, W: Source>(
    query: &Query,
    files: &[RankedFile<'_>],
    paths: &Reader<P>,
    packs: &[&Reader<W>],
) -> Result<Order, Error> {
    let mut starts = Vec::with_capacity(files.len());
    let mut chunks = 0usize;
    let path_lengths = paths.lengths()?;
    let mut total = 0u64;
    for file in files {
        starts.push(chunks);
        chunks += file.chunks as usize;
        let path = u64::from(path_lengths.get(memfold_segment::DocId(file.document)));
        // What an event says of a file's words is a number that anything may stand for.
        let of_path = (u64::from(PATH) * path).saturating_mul(u64::from(file.chunks));
        total = total.saturating_add(file.words).saturating_add(of_path);
    }
    if chunks == 0 {
        return Ok(Order::default());
    }
    let average = total as f64 / chunks as f64;
    let by_document = by_document(files, packs.len());
    let by_path = by_path(files);
    let lengths: Vec<_> = packs
        .iter()
        .map(|pack| pack.lengths())
        .collect::<Result<_, _>>()?;
    let norm = |file: &RankedFile<'_>, chunk: u32| {
        let own = lengths.get(file.pack).map_or(0, |lengths| {
            lengths.get(memfold_segment::DocId(file.first.saturating_add(chunk)))
        });
        let path = path_lengths.get(memfold_segment::DocId(file.document));
        BM25.norm(own.saturating_add(PATH.saturating_mul(path)), average)
    };

    let weights = weights(query);
    let mut scores = vec![0f64; chunks];
    let mut held: Vec<Vec<u64>> = Vec::new();
    let mut frequencies = vec![0u32; chunks];
    let mut touched: Vec<(usize, u32, usize)> = Vec::new();
    let mut postings = Vec::new();
    let mut has_in_path = vec![false; files.len()];
    // The last concept that a file was found to hold.
    let mut last = vec![usize::MAX; files.len()];
    for (number, (concept, weight)) in query.concepts.iter().zip(&weights).enumerate() {
        touched.clear();
        // Whether it is the first time that the chunk is found to hold it.
        let mut add = |file: usize, chunk: u32, frequency: u32| {
            let at = starts
                .get(file)
                .map_or(usize::MAX, |start| start + chunk as usize);
            let Some(sum) = frequencies.get_mut(at) else {
                return false;
            };
            let is_first = *sum == 0;
            if is_first {
                touched.push((file, chunk, at));
            }
            *sum = sum.saturating_add(frequency);
            is_first
        };
        let mut holding = 0u64;
        for (pack, documents) in packs.iter().zip(&by_document) {
            gather(pack, &concept.terms, &mut postings)?;
            for posting in &postings {
                each_file(documents, posting.doc.0, files, |file, chunk| {
                    holding += u64::from(add(file, chunk, posting.frequency));
                    if let Some(last) = last.get_mut(file) {
                        *last = number;
                    }
                });
            }
        }
        gather(paths, &concept.terms, &mut postings)?;
        for posting in &postings {
            let Some(&file) = by_path.get(posting.doc.0 as usize) else {
                continue;
            };
            if let (Some(last), Some(has), Some(of)) = (
                last.get_mut(file),
                has_in_path.get_mut(file),
                files.get(file),
            ) {
                // An empty file has no chunk to be counted among.
                holding += u64::from(of.chunks > 0 && *last != number);
                (*last, *has) = (number, true);
                for chunk in 0..of.chunks {
                    add(file, chunk, PATH.saturating_mul(posting.frequency));
                }
            }
        }
        let weight = weight * Bm25::idf(chunks as u64, holding);
        let mut bits = vec![0u64; chunks.div_ceil(64)];
        for (file, chunk, at) in &touched {
            let frequency = frequencies.get_mut(*at).map(std::mem::take).unwrap_or(0);
            if let (Some(file), Some(score)) = (files.get(*file), scores.get_mut(*at)) {
                *score += BM25.score(weight, frequency, norm(file, *chunk));
            }
            if let Some(word) = bits.get_mut(at / 64) {
                *word |= 1 << (at % 64);
            }
        }
        held.push(bits);
    }

    let mut naming = Naming::of(query);
    let mut ranked: Vec<Matched> = Vec::new();
    let by_place = files.iter().zip(&starts).zip(has_in_path);
    for (number, ((file, start), has_in_path)) in by_place.enumerate() {
        let own = scores
            .get(*start..start + file.chunks as usize)
            .unwrap_or_default();
        let mut best: Vec<(u32, f64)> = (0..)
            .zip(own)
            .filter(|(_, score)| **score > 0.0)
            .map(|(chunk, score)| (chunk, *score))
            .collect();
        if best.is_empty() {
            continue;
        }
        best.sort_by(|(chunk, a), (other, b)| b.total_cmp(a).then(chunk.cmp(other)));
        best.truncate(1 + NEXT_CHUNKS);
        let next: f64 = best.iter().skip(1).map(|(_, score)| score).sum();
        let first = best.first().map_or(0.0, |(_, score)| *score);
        let at = best
            .first()
            .map_or(*start, |(chunk, _)| start + *chunk as usize);
        // What the query says of a name is in the path.
        let named = match has_in_path.then(|| naming.names(file.path)).flatten() {
            Some(Named::Path) => WRITTEN,
            Some(Named::Name) => NAMED,
            None => 1.0,
        };
        ranked.push(Matched {
            file: number,
            score: (first + NEXT * next) * named * prior(file.path),
            chunks: best,
            held: held
                .iter()
                .map(|bits| {
                    bits.get(at / 64)
                        .is_some_and(|word| word >> (at % 64) & 1 == 1)
                })
                .collect(),
        });
    }
    ranked.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.file.cmp(&b.file)));
    Ok(Order {
        files: ranked,
        chunks: chunks as u64,
    })
}

/// What each concept weighs: as often as the query says it. Stop words are no concepts, unless the query has nothing else:
/// [`Query`] leaves them out.
fn weights(query: &Query) -> Vec<f64> {
    query
        .concepts
        .iter()
        .map(|concept| f64::from(concept.count))
        .collect()
}

fn prior(path: &str) -> f64 {
    let mut prior = 1.0;
    let kinds = kinds::of(path);
    if kinds.vendored {
        prior *= VENDORED;
    }
    if kinds.generated {
        prior *= GENERATED;
    }
    if kinds.changelog {
        prior *= CHANGELOG;
    }
    prior
}

/// The postings of any of the terms, a document once.
fn gather<S: Source>(
    reader: &Reader<S>,
    terms: &[QueryTerm],
    out: &mut Vec<Posting>,
) -> Result<(), Error> {
    out.clear();
    for term in terms {
        match term {
            QueryTerm::Exact(term) => {
                reader.postings(term, out)?;
            }
            QueryTerm::Prefix(prefix) => {
                reader.prefix(prefix, usize::MAX, |_, postings| {
                    out.extend_from_slice(postings);
                })?;
            }
        }
    }
    Ok(())
}

/// For each pack its files, by their first document: several files may have one content.
fn by_document(files: &[RankedFile<'_>], packs: usize) -> Vec<Vec<(u32, usize)>> {
    let mut by_document = vec![Vec::new(); packs];
    for (number, file) in files.iter().enumerate() {
        if let Some(of) = by_document.get_mut(file.pack) {
            of.push((file.first, number));
        }
    }
    by_document.iter_mut().for_each(|of| of.sort_unstable());
    by_document
}

/// The files by their documents among the paths.
fn by_path(files: &[RankedFile<'_>]) -> Vec<usize> {
    let documents = files.iter().map(|file| file.document as usize + 1).max();
    let mut by_path = vec![usize::MAX; documents.unwrap_or(0)];
    for (number, file) in files.iter().enumerate() {
        if let Some(place) = by_path.get_mut(file.document as usize) {
            *place = number;
        }
    }
    by_path
}

/// Calls `each` with the files that have a document, and which of their chunks it is.
fn each_file(
    documents: &[(u32, usize)],
    document: u32,
    files: &[RankedFile<'_>],
    mut each: impl FnMut(usize, u32),
) {
    let after = documents.partition_point(|(first, _)| *first <= document);
    let before = documents.get(..after).unwrap_or_default();
    let Some((first, _)) = before.last() else {
        return;
    };
    for (_, number) in before.iter().rev().take_while(|(other, _)| other == first) {
        let chunk = document - first;
        if files.get(*number).is_some_and(|file| chunk < file.chunks) {
            each(*number, chunk);
        }
    }
}
