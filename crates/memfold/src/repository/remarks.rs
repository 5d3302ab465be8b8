//! What is said beside a repository's results: what is missing from what was ranked, how a phrase was met, why there is nothing.
//! Words and gaps alone: nothing is read here.

use memfold_guard::{Guard, TreePath};
use memfold_repo::listing::{Cut, Extent};
use memfold_repo::{Hits, Refreshed};

use crate::answer::Gap;

/// Whether all that was to be ranked was.
pub(super) fn is_complete(refreshed: &Refreshed) -> bool {
    refreshed.not_reached == 0 && refreshed.cut.is_none() && refreshed.extent == Extent::Whole
}

/// What is missing from what was ranked.
pub(super) fn gaps_of(refreshed: &Refreshed, hits: &Hits) -> Vec<Gap> {
    let past = match refreshed.extent {
        Extent::Whole => None,
        Extent::Files { left_out } | Extent::Bytes { left_out } => Some(Gap::PastLimits(left_out)),
    };
    let cut = refreshed.cut.map(|cut| match cut {
        Cut::Time { unreached } => Gap::NotListed(unreached),
        Cut::Entries => Gap::TooManyEntries,
    });
    let not_read = Some(refreshed.not_reached).filter(|left| *left > 0);
    let lost = Some(hits.lacking).filter(|lost| *lost > 0);
    [
        past,
        cut,
        refreshed.not_kept.clone().map(Gap::NotKept),
        not_read.map(Gap::NotRead),
        lost.map(Gap::WordsLost),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// That only the first results hold the quoted words in a row, if any do.
pub(super) fn apart(first: usize, is_cut: bool, most: usize) -> String {
    let among = match is_cut {
        true => format!(" of the best {most}"),
        false => String::new(),
    };
    match first {
        0 => format!("no file{among} holds the quoted words in a row: these hold them apart"),
        1 => format!("one file{among} holds the quoted words in a row: the others hold them apart"),
        _ => format!(
            "{first} files{among} hold the quoted words in a row: the others hold them apart"
        ),
    }
}

/// That the tree lies where no file is read, if it does.
pub(super) fn all_refused(guard: &Guard) -> Option<String> {
    let why = guard.refuses_all()?;
    let root = guard.root().path().display();
    Some(format!(
        "no file below {root} is read: it lies in a folder {why}"
    ))
}

/// Why there is no result.
pub(super) fn why_empty(hits: &Hits, below: Option<&TreePath>) -> String {
    match (hits.ranked_files, below) {
        (0, Some(below)) => format!("no indexed file lies at {below}"),
        (0, None) => "the tree has no file that is indexed".to_owned(),
        _ => "nothing matched; try other words for it, or fewer".to_owned(),
    }
}
