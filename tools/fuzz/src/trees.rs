//! Made-up trees of a repository's index: a few paths of every kind, files in every state.

use std::collections::BTreeMap;

use arbitrary::{Result, Unstructured};
use memfold_disk::Identity;
use memfold_guard::{Refusal, RulesVersion, TreePath};
use memfold_repo::{ContentHash, FileState, Found, Moment, Skip, Tree};

pub(crate) const ROOTS: [&str; 3] = ["/tree", "/tree/of \"another\"\n", "tree\\u0000"];

/// What some files hold.
pub(crate) const TEXTS: [&str; 3] = [
    "# Design\n\nThe denylist is a list of patterns.\n",
    "fn denied() {}\n",
    "",
];

pub(crate) const PATHS: [&str; 8] = [
    "a.rs",
    "src/denylist.rs",
    "src/part.rs",
    ".env",
    "new\nline\t\u{1}",
    "ä/e\u{301}.md",
    "quote\"\\d",
    "z",
];

/// How a refusal stands in an event.
const REFUSALS: [&str; 9] = [
    r#"{"reason":"denylist","rule":"dotenv"}"#,
    r#"{"reason":"checker","rule":"mine"}"#,
    r#"{"reason":"not-asked","rule":"\"\n"}"#,
    r#"{"reason":"checker-failed","rule":"mine","how":"ended"}"#,
    r#"{"reason":"leads-out"}"#,
    r#"{"reason":"not-regular","is":"pipe"}"#,
    r#"{"reason":"too-large","limit":18446744073709551615}"#,
    r#"{"reason":"budget","of":"time"}"#,
    r#"{"reason":"unreadable","how":""}"#,
];

pub(crate) fn path(choices: &mut Unstructured<'_>) -> Result<TreePath> {
    Ok(TreePath::new(choices.choose(&PATHS)?).unwrap())
}

pub(crate) fn rules(choices: &mut Unstructured<'_>) -> Result<Option<RulesVersion>> {
    let rules = choices.choose(&[None, Some("1"), Some("1.0123456789abcdef"), Some("")])?;
    Ok(rules.map(RulesVersion::known))
}

fn found(choices: &mut Unstructured<'_>) -> Result<Found> {
    Ok(match choices.int_in_range(0..=4u8)? {
        0 => Found::Skipped(Skip::Binary),
        1 => Found::Skipped(Skip::NotUtf8),
        2 => {
            let refusal = choices.choose(&REFUSALS)?;
            Found::Refused(serde_json::from_str::<Refusal>(refusal).unwrap())
        }
        3 => Found::Indexed {
            content: ContentHash::of(choices.choose(&TEXTS)?),
            chunks: 1,
            words: u64::from(choices.arbitrary::<u16>()?),
        },
        _ => Found::Indexed {
            content: ContentHash::of(choices.choose(&TEXTS)?),
            chunks: choices.arbitrary()?,
            words: choices.arbitrary()?,
        },
    })
}

pub(crate) fn state(choices: &mut Unstructured<'_>) -> Result<FileState> {
    let number = choices.arbitrary::<u8>()?;
    Ok(FileState {
        identity: Identity {
            dev: 1,
            inode: u64::from(number),
            size: u64::MAX - u64::from(number),
            mtime_ns: i64::MIN + i64::from(number),
            ctime_ns: -1,
        },
        read_at: Moment(i64::from(number)),
        found: found(choices)?,
    })
}

pub(crate) fn files(choices: &mut Unstructured<'_>) -> Result<BTreeMap<TreePath, FileState>> {
    (0..choices.int_in_range(0..=5u8)?)
        .map(|_| Ok((path(choices)?, state(choices)?)))
        .collect()
}

pub(crate) fn tree(choices: &mut Unstructured<'_>) -> Result<Tree> {
    let mut tree = Tree::new(choices.choose(&ROOTS)?);
    tree.rules = rules(choices)?.filter(|rules| !rules.as_str().is_empty());
    for _ in 0..choices.int_in_range(0..=2u8)? {
        tree.whole.insert(path(choices)?);
    }
    tree.files = files(choices)?;
    Ok(tree)
}

/// Bytes that look like none in particular, the same each time.
pub(crate) fn noise(seed: u32, length: usize) -> Vec<u8> {
    let mut state = seed.wrapping_mul(2_654_435_761).wrapping_add(1);
    (0..length)
        .map(|_| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 24) as u8
        })
        .collect()
}
