//! A search of a tree: the words of its chunks and paths, ranked by TEXT, as places. What is shown of them is read by the
//! caller, through the guard, at that moment.

use memfold_guard::TreePath;
use memfold_segment::Reader;
use memfold_text::Query;

use crate::RepoError;
use crate::content::Lines;
use crate::index::Loaded;
use crate::pack::LineRows;
use crate::ranking::{RankedFile, rank};

/// A file that holds words of the query.
#[derive(Clone, Debug, PartialEq)]
pub struct Hit {
    /// The file.
    pub path: TreePath,
    /// The file's score.
    pub score: f64,
    /// Its best chunks' lines, best first.
    pub chunks: Vec<Lines>,
    /// For each concept of the query, whether the best chunk or the path holds it.
    pub held: Vec<bool>,
}

/// The answer: files in order, and what was ranked.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Hits {
    /// The files that hold any of the words, best first, as many as were asked for.
    pub files: Vec<Hit>,
    /// How many files matched.
    pub matched: u64,
    /// How many files were ranked.
    pub ranked_files: u64,
    /// How many chunks.
    pub ranked_chunks: u64,
    /// How many indexed files have no words, since their pack is damaged or gone.
    pub lacking: u64,
}

impl Loaded {
    /// Ranks the files of the tree that `among` selects by its path.
    ///
    /// # Errors
    /// If the words cannot be read.
    pub fn search(
        &self,
        query: &Query,
        limit: usize,
        among: impl Fn(&TreePath) -> bool,
    ) -> Result<Hits, RepoError> {
        let mut hits = Hits::default();
        let mut files = Vec::new();
        let mut paths = Vec::new();
        for (document, (path, content, chunks, words)) in (0..).zip(self.tree().indexed()) {
            if !among(path) {
                continue;
            }
            let Some((pack, place)) = self.find(&content).filter(|(_, at)| at.chunks == chunks)
            else {
                hits.lacking += 1;
                continue;
            };
            files.push(RankedFile {
                path: path.as_str(),
                pack,
                first: place.first,
                chunks,
                words,
                document,
            });
            paths.push(path);
        }
        let path_words = Reader::open(&self.manifest.paths)?;
        let packs: Vec<_> = self.packs.iter().map(|pack| &pack.words).collect();
        let order = rank(query, &files, &path_words, &packs)?;
        hits.matched = order.files.len() as u64;
        hits.ranked_files = files.len() as u64;
        hits.ranked_chunks = order.chunks;
        let mut lines: Vec<Option<LineRows<'_>>> = self.packs.iter().map(|_| None).collect();
        for matched in order.files.into_iter().take(limit) {
            let (Some(file), Some(path)) = (files.get(matched.file), paths.get(matched.file))
            else {
                continue;
            };
            let Some(of_pack) = lines.get_mut(file.pack) else {
                continue;
            };
            if of_pack.is_none()
                && let Some(pack) = self.packs.get(file.pack)
            {
                *of_pack = Some(pack.line_rows()?);
            }
            let chunks = matched
                .chunks
                .iter()
                .filter_map(|(chunk, _)| of_pack.as_ref()?.at(file.first.checked_add(*chunk)?));
            hits.files.push(Hit {
                path: (*path).clone(),
                score: matched.score,
                chunks: chunks.collect(),
                held: matched.held,
            });
        }
        Ok(hits)
    }
}
