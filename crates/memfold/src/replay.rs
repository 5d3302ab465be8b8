//! The agents' regular expressions, asked again as plain words of the repository's index: where stands the file that the agent
//! then read? Files are known by their path alone and only within the tree; every byte that the index has of them came through
//! the guard.

use std::path::{Path, PathBuf};

use memfold_guard::TreePath;
use memfold_measure::Asked;
use memfold_repo::{Found, Loaded};
use memfold_text::{Query, shorten};
use serde::Serialize;

use crate::engine::Memfold;
use crate::error::Error;
use crate::measure::Replayable;
use crate::progress::Progress;

/// Deeper in an answer a file is as good as not found.
const DEEP: usize = 5;
/// So many names make an alternation.
const GUESSES: usize = 3;
/// Longer expressions are asked by so many characters of their words.
const WORDS: usize = 1_000;

/// Ranked words against the agents' expressions.
#[derive(Clone, Debug, Default, Serialize)]
pub struct ReplayReport {
    /// The tree whose index was asked.
    #[serde(serialize_with = "crate::answer::as_text")]
    pub root: PathBuf,
    /// The files that are indexed there.
    pub files: u64,
    /// The index was whole.
    pub complete: bool,
    /// All searches by expressions.
    pub expressions: Ranks,
    /// Those that list three or more guessed names.
    pub alternations: Ranks,
    /// Runs of three or more searches.
    pub runs: RunRanks,
    /// What the reader should know.
    pub notes: Vec<String>,
}

/// How searches came out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Ranks {
    /// Searches after which a file was read that they had found.
    pub followed: u64,
    /// Those of them whose file is in the index now.
    pub replayed: u64,
    /// The file stood first.
    pub first: u64,
    /// The file stood among the first five.
    pub five: u64,
    /// How many files the expressions themselves found, of those that were replayed: the median, and nine in ten found fewer.
    pub found_median: u64,
    /// See there.
    pub found_most: u64,
}

/// How runs of searches came out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct RunRanks {
    /// Runs after which a file was read.
    pub followed: u64,
    /// Those of them whose file is in the index now.
    pub replayed: u64,
    /// The file stood among the first five for the first search's words.
    pub first_words: u64,
    /// It did for the words of all.
    pub all_words: u64,
}

impl Memfold {
    /// Asks the repository's index what the agents asked by expressions.
    pub(crate) fn replay(
        &self,
        replayable: &Replayable,
        progress: &dyn Progress,
    ) -> Result<ReplayReport, Error> {
        let tree = self.tree()?;
        let (loaded, complete) = self.opened_index(&tree)?;
        let files = &loaded.tree().files;
        let is_indexed = |path: &TreePath| {
            files
                .get(path)
                .is_some_and(|file| matches!(file.found, Found::Indexed { .. }))
        };
        let mut report = ReplayReport {
            root: tree.clone(),
            files: files.keys().filter(|path| is_indexed(path)).count() as u64,
            complete,
            ..ReplayReport::default()
        };
        let here = |file: &str| in_tree(&tree, file).filter(|path| is_indexed(path));
        let (mut found, mut found_by_names) = (Vec::new(), Vec::new());
        for asked in &replayable.asked {
            if progress.stop() {
                report.complete = false;
                break;
            }
            let by_names = asked.alternatives >= GUESSES;
            report.expressions.followed += 1;
            report.alternations.followed += u64::from(by_names);
            let Some(file) = here(&asked.file) else {
                continue;
            };
            let place = place_of(&loaded, &asked.words, &file)?;
            report.expressions.came_out(place);
            found.push(found_of(asked));
            if by_names {
                report.alternations.came_out(place);
                found_by_names.push(found_of(asked));
            }
        }
        report.expressions.found(found);
        report.alternations.found(found_by_names);
        for chain in &replayable.chains {
            if progress.stop() {
                report.complete = false;
                break;
            }
            report.runs.followed += 1;
            let Some(file) = here(&chain.file) else {
                continue;
            };
            report.runs.replayed += 1;
            report.runs.first_words += u64::from(place_of(&loaded, &chain.first, &file)?.is_some());
            report.runs.all_words += u64::from(place_of(&loaded, &chain.all, &file)?.is_some());
        }
        if report.expressions.replayed == 0 {
            report.notes.push(format!(
                "no search of these logs led to a file that {} has now",
                tree.display()
            ));
        }
        Ok(report)
    }
}

impl Ranks {
    fn came_out(&mut self, place: Option<usize>) {
        self.replayed += 1;
        self.first += u64::from(place == Some(0));
        self.five += u64::from(place.is_some());
    }

    fn found(&mut self, mut counts: Vec<u64>) {
        counts.sort_unstable();
        let at = |place: usize| counts.get(place).copied().unwrap_or_default();
        self.found_median = at(counts.len() / 2);
        self.found_most = at(counts.len() * 9 / 10);
    }
}

fn found_of(asked: &Asked) -> u64 {
    asked.found as u64
}

/// A file as one of the tree's, by its name alone: nothing is looked up on the disk for what a log says.
fn in_tree(tree: &Path, file: &str) -> Option<TreePath> {
    let below = Path::new(file).strip_prefix(tree).ok()?;
    TreePath::try_from(below).ok()
}

/// Where a file stands among the first for some words, from 0.
fn place_of(loaded: &Loaded, words: &str, file: &TreePath) -> Result<Option<usize>, Error> {
    let query = Query::new(&shorten(words, WORDS));
    if query.is_empty() {
        return Ok(None);
    }
    let hits = loaded
        .search(&query, DEEP, |_| true)
        .map_err(|error| Error::File {
            path: PathBuf::from(loaded.tree().root.as_str()),
            what: error.to_string(),
            hint: "memfold rebuild --repo makes the index anew".to_owned(),
        })?;
    Ok(hits.files.iter().position(|hit| hit.path == *file))
}
