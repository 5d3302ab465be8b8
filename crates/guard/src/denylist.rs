//! What is never read, by name alone: a function of a path and nothing else. Relies on names being compared without regard
//! to case and to characters that some file systems pass over, so that no spelling of a name gets past it.

mod standard;

use std::borrow::Cow;
use std::collections::HashMap;
use std::path::Path;
use std::sync::LazyLock;

use crate::path::TreePath;
use crate::patterns::Patterns;
use crate::rules::RuleName;

use standard::{KINDS, Kind};

/// The standard list and a person's additions. There is no way to take anything from the standard list.
#[derive(Debug, Clone, Default)]
pub struct Denylist {
    yours: Patterns,
}

/// The rule that a pattern of the person's stands for.
const YOURS: RuleName = RuleName(Cow::Borrowed("yours"));

impl Denylist {
    /// Raised whenever what the standard list refuses changes, so that decisions kept from an older one are made again.
    pub(crate) const VERSION: u32 = 3;

    /// The standard list and these.
    pub(crate) fn new(yours: Patterns) -> Self {
        Self { yours }
    }

    /// The rule a path falls under, if any, in a tree whose root lies there.
    pub(crate) fn rule(&self, above: &Above, path: &TreePath) -> Option<RuleName> {
        let folded = fold(path.as_str());
        if let Some(kind) = TABLE.kind(above, &folded) {
            return Some(kind.name());
        }
        self.yours.matches(path).then_some(YOURS)
    }

    /// The standard rules, each with what it is about, for whoever is told of one.
    ///
    /// ```
    /// assert!(memfold_guard::Denylist::standard().any(|(rule, _)| rule == "dotenv"));
    /// ```
    pub fn standard() -> impl Iterator<Item = (&'static str, &'static str)> {
        KINDS.iter().map(|kind| (kind.rule, kind.about))
    }
}

/// The names above a tree's files. A tree may begin within a folder of the list, or so that only its own name says what a file
/// in it is: `config.json` of `.docker`. A person's own patterns begin at the root, as in an ignore file.
#[derive(Debug, Clone, Default)]
pub(crate) struct Above {
    /// Folded, each name with a `/` behind it.
    names: String,
    within: Option<&'static Kind>,
}

impl Above {
    /// The names of a root and of the folders in which it lies.
    pub(crate) fn root(root: &Path) -> Above {
        let mut above = Above::default();
        for name in root.iter() {
            let name = name.to_string_lossy();
            let name = fold(&name);
            above.within = above.within.or_else(|| TABLE.folder(&name));
            above.names.push_str(&name);
            above.names.push('/');
        }
        above
    }

    /// The rule under which every file of the tree falls, if the root lies in a folder of the list.
    pub(crate) fn rule(&self) -> Option<RuleName> {
        self.within.map(Kind::name)
    }

    /// Whether these names in a row, each with its `/`, are the last ones above the files.
    fn ends_with(&self, names: &str) -> bool {
        self.names
            .strip_suffix(names)
            .is_some_and(|before| before.is_empty() || before.ends_with('/'))
    }
}

/// A name as the list compares it: lower case, without what HFS+ passes over (by which git was once led past `.git`).
pub(crate) fn fold(text: &str) -> Cow<'_, str> {
    if text.is_ascii() {
        return match text.bytes().any(|byte| byte.is_ascii_uppercase()) {
            true => Cow::Owned(text.to_ascii_lowercase()),
            false => Cow::Borrowed(text),
        };
    }
    let seen = text.chars().filter(|char| !is_passed_over(*char));
    Cow::Owned(seen.flat_map(char::to_lowercase).collect())
}

fn is_passed_over(char: char) -> bool {
    matches!(char,
        '\u{200c}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{206a}'..='\u{206f}' | '\u{feff}')
}

/// The standard list, by what is looked up.
struct Table {
    folders: HashMap<&'static str, &'static Kind>,
    files: HashMap<&'static str, &'static Kind>,
    endings: HashMap<&'static str, &'static Kind>,
    beginnings: Vec<(&'static str, &'static Kind)>,
    /// By the last name.
    paths: HashMap<&'static str, Vec<(&'static str, &'static Kind)>>,
    dotenv: Option<&'static Kind>,
}

static TABLE: LazyLock<Table> = LazyLock::new(|| {
    let mut table = Table {
        folders: HashMap::new(),
        files: HashMap::new(),
        endings: HashMap::new(),
        beginnings: Vec::new(),
        paths: HashMap::new(),
        dotenv: KINDS.iter().find(|kind| kind.rule == standard::DOTENV),
    };
    for kind in KINDS {
        let with = |text: &&'static str| (*text, kind);
        table.folders.extend(kind.folders.iter().map(with));
        table.files.extend(kind.files.iter().map(with));
        table.endings.extend(kind.endings.iter().map(with));
        table.beginnings.extend(kind.beginnings.iter().map(with));
        for path in kind.paths {
            let (_, last) = path.rsplit_once('/').unwrap_or(("", path));
            table.paths.entry(last).or_default().push((*path, kind));
        }
    }
    table
});

impl Table {
    /// The kind of secret that all that lies in a folder is, by its folded name.
    fn folder(&self, name: &str) -> Option<&'static Kind> {
        self.folders.get(name).copied()
    }

    /// The kind of secret that a folded path is.
    fn kind(&self, above: &Above, path: &str) -> Option<&'static Kind> {
        let name = path.rsplit('/').next()?;
        above
            .within
            .or_else(|| path.split('/').find_map(|name| self.folder(name)))
            .or_else(|| self.files.get(name).copied())
            .or_else(|| self.by_ending(name))
            .or_else(|| self.by_path(above, path, name))
            .or_else(|| self.by_beginning(name))
            .or_else(|| self.dotenv.filter(|_| is_dotenv(name)))
    }

    /// Every ending begins with a dot; a name that is an ending and nothing else has it too.
    fn by_ending(&self, name: &str) -> Option<&'static Kind> {
        name.match_indices('.').find_map(|(dot, _)| {
            let (stem, ending) = name.split_at_checked(dot)?;
            let kind = self.endings.get(ending).copied();
            kind.filter(|_| !(standard::OF_EITHER_HALF.contains(&ending) && is_public(stem)))
        })
    }

    fn by_path(&self, above: &Above, path: &str, name: &str) -> Option<&'static Kind> {
        let (_, kind) = self.paths.get(name)?.iter().find(|(end, _)| {
            let in_tree = path.strip_suffix(end);
            let begun_above = end.strip_suffix(path);
            in_tree.is_some_and(|before| before.is_empty() || before.ends_with('/'))
                || begun_above.is_some_and(|rest| rest.ends_with('/') && above.ends_with(rest))
        })?;
        Some(kind)
    }

    /// Private keys have public halves beside them, which may be read. A key under a name of its owner's own is `id_…`
    /// without a dot, which source files have.
    fn by_beginning(&self, name: &str) -> Option<&'static Kind> {
        if name.ends_with(".pub") {
            return None;
        }
        let begins = |(beginning, _): &&(&str, &Kind)| {
            name.starts_with(beginning) && (*beginning != "id_" || !name.contains('.'))
        };
        self.beginnings.iter().find(begins).map(|(_, kind)| *kind)
    }
}

/// The words with which a name ends that calls itself a public key, and those that take it back.
const PUBLIC: [&str; 6] = [
    "pub",
    "public",
    "pubkey",
    "publickey",
    "public-key",
    "public_key",
];
const NOT_PUBLIC: [&str; 5] = ["priv", "secret", "non", "not", "pair"];

/// `public`, `jwt-public`, `signing.pub`, `public_key`; not `republic`, `public-private` or `non-public`. What is read of a file
/// that calls itself public and is not is redacted: private keys in text have their marks.
fn is_public(stem: &str) -> bool {
    let is_end = |word: &&&str| {
        stem.strip_suffix(**word)
            .is_some_and(|before| before.is_empty() || before.ends_with(['.', '-', '_']))
    };
    let takes_back = |word: &str| NOT_PUBLIC.iter().any(|not| word.starts_with(not));
    PUBLIC.iter().any(|word| is_end(&word)) && !stem.split(['.', '-', '_']).any(takes_back)
}

/// The words by which a file of settings says that it has no secrets yet.
const EXAMPLES: [&str; 4] = ["example", "sample", "template", "dist"];

/// `.env`, `.env.local`, `.envrc`, `prod.env` and the like; not `.env.example` and the like.
fn is_dotenv(name: &str) -> bool {
    let example = |part: Option<&str>| part.is_some_and(|part| EXAMPLES.contains(&part));
    if name.starts_with(".env") {
        return !example(name.rsplit('.').next());
    }
    match name.strip_suffix(".env") {
        Some(stem) => !example(stem.rsplit('.').next()),
        None => false,
    }
}

#[cfg(test)]
mod tests;
