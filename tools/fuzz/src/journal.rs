//! The log of a repository's index: any lines, and made-up events. What is known of a tree is the fold of its events, however
//! far a manifest had been made when the rest came; a snapshot of it all says the same.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use arbitrary::{Result, Unstructured};
use memfold_disk::Locks;
use memfold_guard::{RulesVersion, TreePath};
use memfold_repo::forged::{self, Manifest};
use memfold_repo::{Counts, FileState, Index, Moment, Tree, Update};

use crate::parts::array;
use crate::{scratch, trees};

/// Two bytes say where the log is cut; then, behind an `@`, the choices that make its events, else the log itself.
pub fn run(bytes: &[u8]) {
    let cut = usize::from(u16::from_le_bytes(array(bytes, 0)));
    let rest = bytes.get(2..).unwrap_or_default();
    match rest.strip_prefix(b"@") {
        None => {
            folds(rest, cut);
        }
        Some(choices) => {
            let Ok((log, expected)) = made_up(&mut Unstructured::new(choices)) else {
                return;
            };
            assert_eq!(folds(&log, cut), expected);
        }
    }
}

/// What is known of a tree, as its page says it comes to be: nothing of the program.
#[derive(Default)]
struct Known {
    rules: Option<RulesVersion>,
    whole: BTreeSet<TreePath>,
    files: BTreeMap<TreePath, FileState>,
}

fn made_up(choices: &mut Unstructured<'_>) -> Result<(Vec<u8>, BTreeMap<String, Tree>)> {
    let now = Moment(1_700_000_000_000_000_000);
    let mut log =
        b"{\"v\":1,\"kind\":\"log.open\",\"task\":\"index\",\"cwd\":\"/data\"}\n".to_vec();
    let mut known: BTreeMap<String, Known> = BTreeMap::new();
    for _ in 0..choices.int_in_range(0..=7u8)? {
        let root = (*choices.choose(&trees::ROOTS)?).to_owned();
        match choices.int_in_range(0..=9u8)? {
            0 => {
                known.remove(&root);
                log.extend(forged::forgotten(&root, now).unwrap());
            }
            1 => {
                // Whatever stands between two events is not theirs.
                let length = choices.int_in_range(0..=30u8)?;
                let noise = choices.bytes(usize::from(length))?;
                log.extend(
                    noise
                        .iter()
                        .map(|byte| if *byte == b'\n' { b' ' } else { *byte }),
                );
                log.push(b'\n');
            }
            kind => {
                let update = update(choices, root, kind == 2)?;
                let of = known.entry(update.tree.clone()).or_default();
                if update.snapshot {
                    *of = Known::default();
                }
                of.files.retain(|path, _| !update.gone.contains(path));
                of.files.extend(update.files.clone());
                of.whole.extend(update.whole.clone());
                if update
                    .rules
                    .as_ref()
                    .is_some_and(|rules| !rules.as_str().is_empty())
                {
                    of.rules.clone_from(&update.rules);
                }
                log.extend(forged::updated(update, now).unwrap());
            }
        }
    }
    let tree = |(root, known): (String, Known)| {
        let tree = Tree {
            root: root.clone(),
            rules: known.rules,
            whole: known.whole,
            files: known.files,
        };
        (root, tree)
    };
    Ok((log, known.into_iter().map(tree).collect()))
}

fn update(choices: &mut Unstructured<'_>, tree: String, snapshot: bool) -> Result<Update> {
    let mut update = Update {
        tree,
        snapshot,
        rules: trees::rules(choices)?,
        files: trees::files(choices)?,
        counts: Counts::default(),
        micros: choices.arbitrary()?,
        session: choices.arbitrary()?,
        ..Update::default()
    };
    for _ in 0..choices.int_in_range(0..=2u8)? {
        update.gone.insert(trees::path(choices)?);
    }
    if choices.ratio(1, 4)? {
        update.whole.insert(trees::path(choices)?);
    }
    Ok(update)
}

/// The trees of a log, folded in every way.
fn folds(log: &[u8], cut: usize) -> BTreeMap<String, Tree> {
    let folder = scratch::folder().join("index");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir(&folder).unwrap();
    let path = folder.join("events.jsonl");
    let index = Index::new(folder, Locks::new(scratch::folder().join("locks")));
    // A part of it was folded, and its manifests written, when the rest came.
    let part = &log[..cut.min(log.len())];
    fs::write(&path, part).unwrap();
    index.rebuild().unwrap();
    fs::write(&path, log).unwrap();
    let folded = forged::fold(&path).unwrap();
    knows(&index, &folded, "with a part's manifests");
    index.rebuild().unwrap();
    knows(&index, &folded, "rebuilt");
    let mut manifests = manifests(&index);
    for (tree, end) in &folded {
        let expected = Manifest::of(tree.clone(), forged::id_of(&path), *end);
        let expected = expected.and_then(|manifest| manifest.encode()).unwrap();
        let place = manifests.iter().position(|bytes| *bytes == expected);
        manifests.remove(place.expect("a tree without its manifest"));
    }
    assert!(manifests.is_empty(), "a manifest of no tree");
    index.rebuild().unwrap();

    let trees: BTreeMap<String, Tree> = folded
        .into_iter()
        .map(|(tree, _)| (tree.root.clone(), tree))
        .collect();
    let snapshot = forged::snapshot(index.folder(), trees.values(), Moment(1)).unwrap();
    fs::write(&path, snapshot).unwrap();
    let again = forged::fold(&path).unwrap();
    // The manifests are of the log before, and not believed.
    knows(&index, &again, "begun anew");
    let again: BTreeMap<String, Tree> = again
        .into_iter()
        .map(|(tree, _)| (tree.root.clone(), tree))
        .collect();
    assert_eq!(again, trees, "a snapshot says another thing");
    trees
}

fn knows(index: &Index, trees: &[(Tree, u64)], when: &str) {
    for (tree, _) in trees {
        let loaded = index.load(&tree.root).unwrap();
        assert_eq!(loaded.tree(), tree, "{when}");
    }
    for root in trees::ROOTS
        .iter()
        .filter(|root| trees.iter().all(|(tree, _)| tree.root != **root))
    {
        let loaded = index.load(root).unwrap();
        assert_eq!(*loaded.tree(), Tree::new(root), "{when}");
    }
}

fn manifests(index: &Index) -> Vec<Vec<u8>> {
    let Ok(files) = fs::read_dir(Path::new(index.folder()).join("trees")) else {
        return Vec::new();
    };
    files
        .map(|entry| fs::read(entry.unwrap().path()).unwrap())
        .collect()
}

/// Logs of made-up events, cut somewhere, and choices that make such.
pub fn seeds() -> Vec<(String, Vec<u8>)> {
    let mut seeds = Vec::new();
    for number in 0..6u32 {
        let choices = trees::noise(number, 400);
        let (log, _) = made_up(&mut Unstructured::new(&choices)).unwrap();
        let cut = (log.len() / 2) as u16;
        let of = |rest: &[u8]| [&cut.to_le_bytes()[..], rest].concat();
        seeds.push((format!("log-{number}"), of(&log)));
        seeds.push((
            format!("choices-{number}"),
            of(&[b"@", &choices[..]].concat()),
        ));
    }
    seeds
}
