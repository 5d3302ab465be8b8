//! A person's rules, `guard.toml`: any text, and made-up patterns. Rules are had or refused in a line; what they refuse now
//! never ranks, though it was indexed before, and what they do not refuse does.

use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use arbitrary::{Result, Unstructured};
use memfold_disk::{Dirs, Locks};
use memfold_guard::{Guard, Patterns, Rules, TreePath};
use memfold_repo::{Found, Index, Moment, Refresh};
use memfold_text::Query;
use tempfile::TempDir;

/// Behind an `@`, the choices that make the rules; else the file.
pub fn run(bytes: &[u8]) {
    let toml = match bytes.strip_prefix(b"@") {
        None => String::from_utf8_lossy(bytes).into_owned(),
        Some(choices) => match made_up(&mut Unstructured::new(choices)) {
            Ok(toml) => toml,
            Err(_) => return,
        },
    };
    let rules = match Rules::parse(&toml) {
        Ok(rules) => rules,
        Err(error) => {
            let said = error.to_string();
            assert!(!said.contains('\n') && !said.is_empty(), "{said:?}");
            return;
        }
    };
    let again = Rules::parse(&toml).unwrap();
    assert_eq!(rules.version(), again.version());
    decides(&rules);
    // A program that a fuzzer names is not run.
    if !rules.runs_programs() {
        PLACE.with(|place| place.get_or_init(Place::new).holds(rules));
    }
}

const PATTERNS: [&str; 14] = [
    "*",
    "**",
    "*.md",
    "/docs/",
    "docs/*",
    "docs",
    "DENYLIST*",
    "src/**/x",
    "[a-z]*.rs",
    "[!a]*",
    "\\*",
    "a?c",
    "é*",
    "x",
];

fn made_up(choices: &mut Unstructured<'_>) -> Result<String> {
    let mut toml = format!("deny = {}\n", patterns(choices)?);
    for _ in 0..choices.int_in_range(0..=2u8)? {
        let paths = patterns(choices)?;
        let then = choices.choose(&["refuse", "ask"])?;
        toml += &format!("[[checker]]\nname = \"mine\"\npaths = {paths}\nthen = \"{then}\"\n");
    }
    Ok(toml)
}

/// An array of patterns: known ones, and some of the letters that mean something.
fn patterns(choices: &mut Unstructured<'_>) -> Result<String> {
    let mut patterns = Vec::new();
    for _ in 0..choices.int_in_range(0..=3u8)? {
        if choices.ratio(2, 3)? {
            patterns.push((*choices.choose(&PATTERNS)?).to_owned());
        } else {
            let letter =
                |choices: &mut Unstructured<'_>| choices.choose(b"*?[]!/\\.-adxK").copied();
            let letters = (0..choices.int_in_range(1..=9u8)?).map(|_| letter(choices));
            let letters: Vec<u8> = letters.collect::<Result<_>>()?;
            patterns.push(String::from_utf8(letters).unwrap());
        }
    }
    Ok(serde_json::to_string(&patterns).unwrap())
}

/// By name alone: more patterns refuse no less, and what is below a folder that is refused is refused.
fn decides(rules: &Rules) {
    for path in PATHS {
        let path = TreePath::new(path).unwrap();
        let denied = rules.denied(&path);
        if Rules::default().denied(&path).is_some() {
            assert!(denied.is_some(), "{path} is denied no more");
        }
        let upper = TreePath::new(&path.as_str().to_uppercase()).unwrap();
        assert_eq!(denied, rules.denied(&upper), "{path} by its case");
        if denied.is_some_and(|rule| rule.as_str() == "yours") {
            let below = TreePath::new(&format!("{path}/below")).unwrap();
            assert!(rules.denied(&below).is_some(), "{below}");
        }
    }
    // What a person writes takes at least what it says, letter by letter.
    for path in PATHS
        .iter()
        .filter(|path| !path.contains(['*', '?', '[', '\\', '!']))
    {
        let literal = Patterns::new([format!("/{path}")]).unwrap();
        assert!(literal.matches(&TreePath::new(path).unwrap()));
    }
}

/// Every one of them holds the word that is asked for.
const PATHS: [&str; 12] = [
    "a.rs",
    "abc",
    "docs/design.md",
    "docs/deep/x",
    "src/a/b/x",
    "Denylist.txt",
    "sub/docs/y.md",
    "*",
    ".env",
    "id_rsa",
    "server.key",
    "secrets.toml",
];

thread_local! {
    static PLACE: OnceCell<Place> = const { OnceCell::new() };
}

/// A tree and its index, made by the standard rules.
struct Place {
    folder: TempDir,
    made: BTreeMap<PathBuf, Vec<u8>>,
}

impl Place {
    fn new() -> Place {
        let folder = tempfile::tempdir().unwrap();
        for path in PATHS {
            let path = folder.path().join("tree").join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "the denylist\n").unwrap();
        }
        let mut place = Place {
            folder,
            made: BTreeMap::new(),
        };
        let index = place.index();
        index
            .refresh(&place.guard(Rules::default()), Refresh::at(LATE))
            .unwrap();
        for below in ["", "trees", "packs"] {
            for entry in fs::read_dir(index.folder().join(below)).unwrap() {
                let path = entry.unwrap().path();
                if path.is_file() {
                    place.made.insert(path.clone(), fs::read(path).unwrap());
                }
            }
        }
        place
    }

    fn index(&self) -> Index {
        let locks = Locks::new(self.folder.path().join("data/locks"));
        Index::new(self.folder.path().join("data/index"), locks)
    }

    fn guard(&self, rules: Rules) -> Guard {
        let data = self.folder.path().join("data");
        let dirs = Dirs {
            cache: data.clone(),
            config: data.clone(),
            data,
        };
        Guard::new(self.folder.path().join("tree"), rules, &dirs).unwrap()
    }

    fn restore(&self) {
        let index = self.index();
        for below in ["", "trees", "packs"] {
            for entry in fs::read_dir(index.folder().join(below)).unwrap() {
                let path = entry.unwrap().path();
                if path.is_file() && !self.made.contains_key(&path) {
                    fs::remove_file(path).unwrap();
                }
            }
        }
        for (path, bytes) in &self.made {
            fs::write(path, bytes).unwrap();
        }
    }

    fn holds(&self, rules: Rules) {
        self.restore();
        let guard = self.guard(rules);
        for when in ["at first", "as it was kept"] {
            let refreshed = self.index().refresh(&guard, Refresh::at(LATE)).unwrap();
            assert_eq!(refreshed.not_kept, None, "{when}");
            let hits = refreshed
                .loaded
                .search(&Query::new("denylist"), usize::MAX, |_| true);
            let mut found: Vec<_> = hits
                .unwrap()
                .files
                .into_iter()
                .map(|hit| hit.path)
                .collect();
            found.sort();
            let tree = refreshed.loaded.tree();
            let refused = |path: &TreePath| {
                let known = tree.files.get(path).map(|state| &state.found);
                matches!(known, Some(Found::Refused(_)))
            };
            let all = PATHS.iter().map(|path| TreePath::new(path).unwrap());
            let (left_out, mut ranked): (Vec<_>, Vec<_>) = all
                // The walk leaves hidden ones out.
                .filter(|path| !path.as_str().starts_with('.'))
                .partition(|path| guard.check_name(path).is_err() || refused(path));
            ranked.sort();
            assert_eq!(found, ranked, "{when}: {left_out:?} is left out");
            assert!(
                left_out.iter().all(refused),
                "{when}: refused and not noted"
            );
        }
    }
}

/// Long after the files were written: what is known of them holds.
const LATE: Moment = Moment(4_000_000_000_000_000_000);

/// Rules as a person writes them, some that are none, and choices that make such.
pub fn seeds() -> Vec<(String, Vec<u8>)> {
    let texts = [
        "",
        "deny = [\"*.secret\", \"/private/\"]   # as in an ignore file\n",
        "deny = [\"docs/\", \"**/x\"]\n[[checker]]\nname = \"mine\"\npaths = [\"*.rs\"]\nthen = \"ask\"\n",
        "[[checker]]\nname = \"all\"\nthen = \"refuse\"\n",
        "[[checker]]\nname = \"scanner\"\npaths = [\"*.csv\"]\ncommand = [\"/nonexistent/check\", \"-q\"]\nseconds = 2.5\n",
        "deny = [\"!x\"]\n",
        "deny = ['''[a-z]\\*''']\nchecker = []\n",
    ];
    let mut seeds: Vec<_> = texts
        .iter()
        .enumerate()
        .map(|(number, text)| (format!("text-{number}"), text.as_bytes().to_vec()))
        .collect();
    for number in 0..5u32 {
        let choices = crate::trees::noise(number, 60);
        seeds.push((format!("choices-{number}"), [&b"@"[..], &choices].concat()));
    }
    seeds
}
