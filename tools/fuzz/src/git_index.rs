//! Git's index as a listing reads it: any bytes, and made-up entries in every version that git writes. What is read is read
//! again from whichever version it is written in; and of a tree whose index that is, a listing names what lies there, all of
//! it that no rule ignores, and nothing from elsewhere.

use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use arbitrary::{Result, Unstructured};
use memfold_disk::Pinned;
use memfold_repo::forged::{Case, git_index};
use memfold_repo::listing::{By, Kind, Standing, Wanted, list};
use tempfile::TempDir;

/// Behind an `@`, the choices that make the index; else its bytes.
pub fn run(bytes: &[u8]) {
    match bytes.strip_prefix(b"@") {
        None => holds(bytes),
        Some(choices) => {
            if let Ok(made) = Made::of(&mut Unstructured::new(choices)) {
                made.is_read();
            }
        }
    }
}

const FILE: u32 = 0o100_644;
const LINK: u32 = 0o120_000;
const REPOSITORY: u32 = 0o160_000;
const MODES: [u32; 5] = [FILE, 0o100_755, LINK, REPOSITORY, 0o040_000];
const PATHS: [&[u8]; 18] = [
    b"a",
    b"README",
    b"readme",
    b"b/c",
    b"b/d/e",
    b"b",
    b"ignored/f",
    b"x.log",
    b"link",
    b"link/secret",
    b"sub",
    b"sub/f",
    b"../outside/secret",
    b".git/HEAD",
    b"b/.GIT/x",
    b"gone",
    b"b//c",
    b"\xff",
];

/// An index of these entries.
struct Made {
    entries: Vec<(Vec<u8>, u32)>,
    version: u32,
    hash: usize,
}

impl Made {
    fn of(choices: &mut Unstructured<'_>) -> Result<Made> {
        let version = choices.int_in_range(2..=4)?;
        let hash = *choices.choose(&[20, 32])?;
        let entries = (0..choices.int_in_range(0..=12u8)?)
            .map(|_| {
                let mut path = choices.choose(&PATHS)?.to_vec();
                if choices.ratio(1, 8)? {
                    path = vec![b'n'; usize::from(choices.int_in_range(1..=4096u16)?)];
                }
                Ok((path, *choices.choose(&MODES)?))
            })
            .collect::<Result<_>>()?;
        Ok(Made {
            entries,
            version,
            hash,
        })
    }

    fn is_read(&self) {
        let bytes = written(&self.entries, self.version, self.hash);
        for case in [Case::Sensitive, Case::Folded] {
            let read = git_index(&bytes, case).unwrap();
            let keys: BTreeSet<String> = read.iter().map(|(path, _)| path.clone()).collect();
            let expected = self.entries.iter().filter(|(_, mode)| *mode != 0o040_000);
            let expected = expected
                .filter_map(|(path, _)| tracked(path, case))
                .collect();
            assert_eq!(keys, expected);
        }
        holds(&bytes);
    }
}

/// A path that names a file of the tree, as it is compared.
fn tracked(path: &[u8], case: Case) -> Option<String> {
    let path = std::str::from_utf8(path).ok()?;
    let odd = |name: &str| {
        matches!(name, "" | "." | "..") || name.eq_ignore_ascii_case(".git") || name.contains('\0')
    };
    if path.split('/').any(odd) {
        return None;
    }
    Some(match case {
        Case::Sensitive => path.to_owned(),
        Case::Folded => path.to_ascii_lowercase(),
    })
}

/// As git writes it (`gitformat-index`).
pub fn written(entries: &[(Vec<u8>, u32)], version: u32, hash: usize) -> Vec<u8> {
    let mut bytes = b"DIRC".to_vec();
    bytes.extend(version.to_be_bytes());
    bytes.extend((entries.len() as u32).to_be_bytes());
    let mut before: &[u8] = b"";
    for (path, mode) in entries {
        let start = bytes.len();
        bytes.extend([0; 24]);
        bytes.extend(mode.to_be_bytes());
        bytes.extend([0; 12]);
        bytes.extend(vec![7; hash]);
        bytes.extend((path.len().min(0xfff) as u16).to_be_bytes());
        if version == 4 {
            let same = before
                .iter()
                .zip(path)
                .take_while(|(one, other)| one == other)
                .count();
            varint(before.len() - same, &mut bytes);
            bytes.extend(&path[same..]);
            bytes.push(0);
        } else {
            bytes.extend(path);
            let length = bytes.len() - start;
            bytes.resize(start + (length + 8) / 8 * 8, 0);
        }
        before = path;
    }
    bytes.extend(vec![0; hash]);
    bytes
}

fn varint(mut number: usize, bytes: &mut Vec<u8>) {
    let mut digits = vec![number as u8 & 0x7f];
    while number > 0x7f {
        number = (number >> 7) - 1;
        digits.push(number as u8 & 0x7f | 0x80);
    }
    bytes.extend(digits.iter().rev());
}

fn holds(bytes: &[u8]) {
    let read = git_index(bytes, Case::Sensitive);
    if let Ok(read) = &read {
        assert!(
            read.is_sorted_by(|one, other| one.0 < other.0),
            "not in order, or twice"
        );
        let mode = |kind: &Kind| match kind {
            Kind::Repository => REPOSITORY,
            _ => FILE,
        };
        let entries: Vec<_> = read
            .iter()
            .map(|(path, kind)| (path.clone().into_bytes(), mode(kind)))
            .collect();
        for (version, hash) in [(2, 20), (3, 32), (4, 20)] {
            let again = git_index(&written(&entries, version, hash), Case::Sensitive);
            assert_eq!(again.as_ref(), Ok(read), "as version {version}");
        }
    }
    let folded = git_index(bytes, Case::Folded);
    assert_eq!(folded.is_ok(), read.is_ok());
    PLACE.with(|place| place.get_or_init(Place::new).lists(bytes, read.ok()));
}

thread_local! {
    static PLACE: OnceCell<Place> = const { OnceCell::new() };
}

/// What lies in the tree: files, and what an ignore file names; beside it what is nobody's to see.
const FILES: [&str; 7] = [
    ".gitignore",
    "README",
    "a",
    "b/c",
    "b/d/e",
    "readme",
    "link",
];
const IGNORED: [&str; 2] = ["ignored/f", "x.log"];
const OF_ANOTHER: &str = "sub/f";

struct Place(TempDir);

impl Place {
    fn new() -> Place {
        let place = Place(tempfile::tempdir().unwrap());
        let put = |path: &str, text: &str| {
            let path = place.0.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        put("outside/secret", "");
        for git in ["tree/.git", "tree/sub/.git"] {
            put(&format!("{git}/HEAD"), "ref: refs/heads/main\n");
            put(&format!("{git}/objects/x"), "");
            put(&format!("{git}/refs/x"), "");
        }
        for path in FILES.iter().chain(&IGNORED).chain([&OF_ANOTHER]) {
            put(&format!("tree/{path}"), "");
        }
        put("tree/.gitignore", "*.log\n/ignored/\n");
        fs::remove_file(place.tree().join("link")).unwrap();
        symlink("../outside", place.tree().join("link")).unwrap();
        place
    }

    fn tree(&self) -> std::path::PathBuf {
        self.0.path().join("tree")
    }

    fn lists(&self, index: &[u8], read: Option<Vec<(String, Kind)>>) {
        fs::write(self.tree().join(".git/index"), index).unwrap();
        let root = Pinned::open(self.tree()).unwrap();
        let listing = list(&root, Wanted::default()).unwrap();
        assert_eq!(listing.cut, None);
        assert_eq!(read.is_some(), listing.by == By::Git, "{:?}", listing.by);
        let tracked = read.unwrap_or_default();
        let is_tracked = |path: &str| tracked.iter().any(|(of, _)| of == path);
        for entry in &listing.entries {
            let path = entry.path.as_str();
            let there = fs::symlink_metadata(self.tree().join(path)).unwrap();
            let kind = match there.file_type() {
                kind if kind.is_file() => Kind::File,
                kind if kind.is_symlink() => Kind::Link,
                _ => Kind::Repository,
            };
            assert_eq!(kind, entry.kind, "{path}");
            let above = Path::new(path).ancestors().skip(1);
            for folder in above.filter(|folder| !folder.as_os_str().is_empty()) {
                let there = fs::symlink_metadata(self.tree().join(folder)).unwrap();
                assert!(there.is_dir(), "{path} lies behind a link");
            }
            assert!(
                !path
                    .split('/')
                    .any(|name| name.eq_ignore_ascii_case(".git")),
                "{path}"
            );
            // A folder in the place of a file that is tracked may be another repository, and that is not.
            let stands = entry.standing == Standing::Tracked;
            assert!(!stands || is_tracked(path), "{path} is not tracked");
            assert!(
                stands || !is_tracked(path) || entry.kind == Kind::Repository,
                "{path} is tracked"
            );
            assert!(
                !IGNORED.contains(&path) || is_tracked(path),
                "{path} is ignored"
            );
        }
        // A path that is tracked as another repository's hides what is below it.
        let hidden = |path: &str| {
            tracked.iter().any(|(of, kind)| {
                *kind == Kind::Repository && (of == path || path.starts_with(&format!("{of}/")))
            })
        };
        for path in FILES.iter().filter(|path| !hidden(path)) {
            let is_listed = listing
                .entries
                .iter()
                .any(|entry| entry.path.as_str() == *path);
            assert!(is_listed, "{path} is missing");
        }
    }
}

/// Indexes of every version, with parts behind the entries too, and choices that make such.
pub fn seeds() -> Vec<(String, Vec<u8>)> {
    let entries: Vec<_> = PATHS
        .iter()
        .zip(MODES.iter().cycle())
        .map(|(path, mode)| (path.to_vec(), *mode))
        .collect();
    let mut seeds = Vec::new();
    for (version, hash) in [(2, 20), (3, 32), (4, 20)] {
        let all = written(&entries, version, hash);
        for (part, name) in [("TREE", "tree"), ("sdir", "sparse"), ("link", "split")] {
            let mut with = all[..all.len() - hash].to_vec();
            with.extend([part.as_bytes(), &2u32.to_be_bytes(), b"ab", &vec![0; hash]].concat());
            seeds.push((format!("version-{version}-{name}"), with));
        }
        seeds.push((format!("version-{version}"), all));
        seeds.push((format!("empty-{version}"), written(&[], version, hash)));
    }
    for number in 0..4u32 {
        let choices = crate::trees::noise(number, 80);
        seeds.push((format!("choices-{number}"), [&b"@"[..], &choices].concat()));
    }
    seeds
}
