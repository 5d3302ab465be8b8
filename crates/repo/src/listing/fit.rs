//! How much of a listing is indexed: what fits, in the order of paths. A function of the listing and of what is known of its
//! files.

use super::entry::{Entry, Kind};

/// How much a tree may have in the index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of one file; a larger one is not counted and not taken.
    pub file_bytes: u64,
    /// Files.
    pub files: usize,
    /// Bytes of all files together.
    pub bytes: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            file_bytes: memfold_guard::Limits::FILE_BYTES,
            files: 20_000,
            bytes: 128 << 20,
        }
    }
}

/// Whether all of a tree is indexed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extent {
    /// All that may be.
    Whole,
    /// What comes first: the tree has more files than the limit.
    Files {
        /// How many files that may be indexed are left out.
        left_out: usize,
    },
    /// What comes first: the tree has more bytes than the limit.
    Bytes {
        /// How many files that may be indexed are left out.
        left_out: usize,
    },
}

/// What of a listing is indexed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fit<'a> {
    /// The files, in the order of paths.
    pub taken: Vec<&'a Entry>,
    /// The files that are larger than one may be.
    pub too_large: Vec<&'a Entry>,
    /// Whether that is all.
    pub extent: Extent,
}

/// Takes what fits, in the order of paths, and stops at the first file that does not. A file that `counts` says is not to be
/// indexed (it is known to be binary, or is refused) takes no room from the others.
pub fn fit<'a>(
    entries: &'a [Entry],
    limits: Limits,
    mut counts: impl FnMut(&Entry) -> bool,
) -> Fit<'a> {
    let mut fit = Fit {
        taken: Vec::new(),
        too_large: Vec::new(),
        extent: Extent::Whole,
    };
    let mut bytes = 0u64;
    for entry in entries.iter().filter(|entry| entry.kind == Kind::File) {
        if entry.identity.size > limits.file_bytes {
            fit.too_large.push(entry);
            continue;
        }
        if !counts(entry) {
            continue;
        }
        match &mut fit.extent {
            Extent::Files { left_out } | Extent::Bytes { left_out } => *left_out += 1,
            Extent::Whole if fit.taken.len() >= limits.files => {
                fit.extent = Extent::Files { left_out: 1 };
            }
            Extent::Whole => match bytes.checked_add(entry.identity.size) {
                Some(more) if more <= limits.bytes => {
                    bytes = more;
                    fit.taken.push(entry);
                }
                _ => fit.extent = Extent::Bytes { left_out: 1 },
            },
        }
    }
    fit
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::listing::Standing;
    use memfold_disk::Identity;
    use memfold_guard::TreePath;

    fn entries(sizes: &[u64]) -> Vec<Entry> {
        let entry = |(at, size): (usize, &u64)| Entry {
            path: TreePath::new(&format!("{at:03}")).unwrap(),
            kind: Kind::File,
            standing: Standing::Tracked,
            identity: Identity {
                dev: 1,
                inode: 1,
                size: *size,
                mtime_ns: 0,
                ctime_ns: 0,
            },
        };
        sizes.iter().enumerate().map(entry).collect()
    }

    fn taken(fit: &Fit<'_>) -> Vec<String> {
        fit.taken
            .iter()
            .map(|entry| entry.path.to_string())
            .collect()
    }

    const LIMITS: Limits = Limits {
        file_bytes: 10,
        files: 3,
        bytes: 20,
    };

    #[test]
    fn what_comes_first_and_how_much_does_not() {
        let all = entries(&[1, 11, 2, 3, 4, 5]);
        let fitted = fit(&all, LIMITS, |_| true);
        assert_eq!(taken(&fitted), ["000", "002", "003"]);
        assert_eq!(fitted.extent, Extent::Files { left_out: 2 });
        assert_eq!(fitted.too_large.len(), 1);

        let all = entries(&[10, 9, 2, 1]);
        let fitted = fit(&all, LIMITS, |_| true);
        assert_eq!(taken(&fitted), ["000", "001"]);
        assert_eq!(fitted.extent, Extent::Bytes { left_out: 2 });
    }

    #[test]
    fn what_is_not_indexed_takes_no_room() {
        let all = entries(&[1, 2, 3, 4, 5]);
        let fitted = fit(&all, LIMITS, |entry| entry.identity.size > 2);
        assert_eq!(taken(&fitted), ["002", "003", "004"]);
        assert_eq!(fitted.extent, Extent::Whole);
    }

    #[test]
    fn sizes_are_added_with_care() {
        let limits = Limits {
            file_bytes: u64::MAX,
            bytes: u64::MAX,
            ..LIMITS
        };
        let all = entries(&[u64::MAX, u64::MAX]);
        let fitted = fit(&all, limits, |_| true);
        assert_eq!(fitted.extent, Extent::Bytes { left_out: 1 });
    }
}
