//! The index as time goes by: what is noted of it and when, what is removed, and that its log says it all. The moment is
//! given, no clock is waited for.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use memfold_disk::{Dirs, Locks};
use memfold_guard::{Budget, Guard, Limits, Rules};
use memfold_repo::{Due, Index, Moment, Refresh, Refreshed};
use memfold_text::Query;
use tempfile::TempDir;

const HOUR: Duration = Duration::from_secs(3600);
const DAY: Duration = Duration::from_secs(24 * 3600);

struct Place {
    _folder: TempDir,
    root: PathBuf,
}

impl Place {
    fn new() -> Place {
        let folder = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(folder.path()).unwrap();
        fs::create_dir(root.join("data")).unwrap();
        let place = Place {
            _folder: folder,
            root,
        };
        place.write("tree", "a.rs", "fn alpha() {}\n");
        place.write("tree", "b.rs", "fn beta() {}\n");
        place
    }

    fn write(&self, tree: &str, name: &str, text: &str) {
        let path = self.root.join(tree).join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn index(&self) -> Index {
        let locks = Locks::new(self.root.join("data/locks"));
        Index::new(self.root.join("data/index"), locks)
    }

    fn guard(&self, tree: &str) -> Guard {
        let dirs = Dirs::from_env(|_| Some(self.root.join("data").into())).unwrap();
        Guard::new(self.root.join(tree), Rules::default(), &dirs).unwrap()
    }

    fn refresh(&self, tree: &str, now: Moment) -> Refreshed {
        let refreshed = self.index().refresh(&self.guard(tree), Refresh::at(now));
        refreshed.unwrap()
    }

    fn log(&self) -> String {
        fs::read_to_string(self.root.join("data/index/events.jsonl")).unwrap_or_default()
    }

    fn files(&self, below: &str) -> BTreeMap<PathBuf, Vec<u8>> {
        let folder = self.root.join("data/index").join(below);
        let read = |path: PathBuf| (path.clone(), fs::read(path).unwrap());
        let entries = fs::read_dir(folder).into_iter().flatten();
        let paths = entries.map(|entry| entry.unwrap().path());
        paths.filter(|path| path.is_file()).map(read).collect()
    }

    fn remove(&self, below: &str) {
        self.files(below)
            .keys()
            .for_each(|path| fs::remove_file(path).unwrap());
    }
}

/// A while from now: what was written until now had been left alone for long.
fn later(time: Duration) -> Moment {
    Moment::now().after(HOUR).after(time)
}

fn found(refreshed: &Refreshed, word: &str) -> Vec<String> {
    let query = Query::new(word);
    let hits = refreshed.loaded.search(&query, 20, |_| true).unwrap();
    let mut paths: Vec<_> = hits.files.iter().map(|hit| hit.path.to_string()).collect();
    paths.sort();
    paths
}

#[test]
fn what_was_written_just_before_is_looked_at_again_and_nothing_is_noted() {
    let place = Place::new();
    place.refresh("tree", Moment::now());
    let log = place.log();
    for now in [Moment::now(), later(HOUR)] {
        let refreshed = place.refresh("tree", now);
        assert_eq!((refreshed.counts.read, refreshed.not_reached), (0, 0));
        assert_eq!(place.log(), log, "its content is the same");
    }
    // With the same size, and with the times it had: only its content tells.
    let path = place.root.join("tree/a.rs");
    let times = fs::metadata(&path).unwrap().modified().unwrap();
    place.write("tree", "a.rs", "fn omega() {}\n");
    let file = fs::File::options().write(true).open(&path).unwrap();
    file.set_modified(times).unwrap();
    assert_eq!(
        found(&place.refresh("tree", Moment::now()), "omega"),
        ["a.rs"]
    );
    assert_ne!(place.log(), log);
}

#[test]
fn many_files_written_just_before_are_noted_once_they_have_settled() {
    let place = Place::new();
    for n in 0..40 {
        place.write("tree", &format!("{n}.md"), &format!("# gamma {n}\n"));
    }
    place.refresh("tree", Moment::now());
    let log = place.log();
    place.refresh("tree", Moment::now());
    assert_eq!(place.log(), log);
    place.refresh("tree", later(HOUR));
    let settled = place.log();
    assert_ne!(settled, log);
    place.refresh("tree", later(HOUR));
    assert_eq!(place.log(), settled);
}

#[test]
fn a_content_that_no_tree_names_goes_after_seven_days() {
    let place = Place::new();
    place.refresh("tree", later(HOUR));
    place.write("tree", "a.rs", "fn other() {}\n");
    place.refresh("tree", later(2 * HOUR));
    let index = place.index();
    let collect = |now| index.collect(now, Due::Now, None).unwrap().unwrap();
    let first = collect(later(3 * HOUR));
    assert_eq!((first.contents, first.unnamed), (0, 1));
    assert_eq!(collect(later(6 * DAY)).unnamed, 1);
    // Before its time is over, it is what it was: nothing is stored for it.
    let packs = place.files("packs");
    place.write("tree", "a.rs", "fn alpha() {}\n");
    place.refresh("tree", later(6 * DAY));
    assert_eq!(place.files("packs"), packs);
    // The one that took its place has its own seven days, and the time starts anew for what comes and goes.
    assert_eq!(collect(later(8 * DAY)).contents, 0);
    let done = collect(later(16 * DAY));
    assert_eq!((done.contents, done.unnamed), (1, 0));
    assert_ne!(place.files("packs"), packs);
    let refreshed = place.refresh("tree", later(16 * DAY));
    assert_eq!(refreshed.counts.read, 0, "what is named is still there");
    assert_eq!(found(&refreshed, "alpha"), ["a.rs"]);
    assert_eq!(found(&refreshed, "beta"), ["b.rs"]);
}

#[test]
fn a_search_that_read_looks_for_what_is_unnamed_and_at_most_hourly() {
    let place = Place::new();
    place.refresh("tree", later(HOUR));
    let note = || {
        place
            .files("")
            .into_iter()
            .find(|(path, _)| path.ends_with("collection"))
    };
    let first = note();
    assert!(first.is_some());
    place.write("tree", "a.rs", "fn other() {}\n");
    place.refresh("tree", later(HOUR + HOUR / 2));
    assert_eq!(note(), first, "within the hour");
    place.refresh("tree", later(3 * HOUR));
    assert_eq!(note(), first, "nothing was read");
    place.write("tree", "a.rs", "fn another() {}\n");
    place.refresh("tree", later(4 * HOUR));
    assert_ne!(note(), first);
}

#[test]
fn the_manifest_of_a_tree_that_is_gone_goes_and_does_not_come_back() {
    let place = Place::new();
    place.write("other", "c.rs", "fn gamma() {}\n");
    place.refresh("tree", later(HOUR));
    place.refresh("other", later(HOUR));
    assert_eq!(place.files("trees").len(), 2);
    fs::remove_dir_all(place.root.join("other")).unwrap();
    let done = place
        .index()
        .collect(later(2 * HOUR), Due::Now, None)
        .unwrap()
        .unwrap();
    assert_eq!(done.trees, [place.root.join("other")]);
    let left = place.files("trees");
    assert_eq!(left.len(), 1);
    place.index().rebuild().unwrap();
    assert_eq!(place.files("trees"), left);
    // It is made again, and known as new: its content is still there.
    place.write("other", "c.rs", "fn gamma() {}\n");
    let packs = place.files("packs");
    assert_eq!(
        found(&place.refresh("other", later(3 * HOUR)), "gamma"),
        ["c.rs"]
    );
    assert_eq!(place.files("packs"), packs);
}

#[test]
fn a_log_that_grew_is_begun_anew_and_says_the_same() {
    let place = Place::new();
    place.write("tree", "keys/id_rsa", "secret\n");
    place.write("other", "c.rs", "fn gamma() {}\n");
    let index = place.index().with_log_of(1);
    let refresh = |tree: &str, n: u32| {
        let now = later(n * HOUR);
        index.refresh(&place.guard(tree), Refresh::at(now)).unwrap()
    };
    refresh("other", 1);
    let mut longest = 0;
    for n in 2..40 {
        place.write("tree", "a.rs", &format!("fn alpha_{n}() {{}}\n"));
        refresh("tree", n);
        longest = longest.max(place.log().len());
        // At every step, what is kept is what the log says, to the byte.
        let kept = place.files("trees");
        place.remove("trees");
        index.rebuild().unwrap();
        assert_eq!(place.files("trees"), kept, "after update {n}");
    }
    assert!(longest < 12_000, "{longest}");
    assert!(place.log().contains("\"snapshot\":true"));
    let refreshed = refresh("tree", 41);
    assert_eq!(refreshed.counts.read, 0);
    assert_eq!(found(&refreshed, "alpha"), ["a.rs"]);
    assert_eq!(found(&refresh("other", 42), "gamma"), ["c.rs"]);
}

/// A large one is not written anew for each file that changes: what the log says behind it is folded onto it.
#[test]
fn a_large_manifest_with_the_rest_of_the_log_says_what_the_log_does() {
    let place = Place::new();
    for n in 0..400 {
        place.write(
            "tree",
            &format!("folder/{n}.rs"),
            &format!("fn gamma_{n}() {{}}\n"),
        );
    }
    place.refresh("tree", later(HOUR));
    let (mut left, mut written) = (0, 0);
    for n in 2..40 {
        let before = place.files("trees");
        let text = format!("fn delta_{n}() {{}}\n").repeat(n as usize);
        place.write("tree", "folder/7.rs", &text);
        let refreshed = place.refresh("tree", later(n * HOUR));
        assert_eq!(refreshed.counts.read, 1);
        let kept = place.files("trees");
        match kept == before {
            true => left += 1,
            false => written += 1,
        }
        // Whoever looks finds it, by the manifest and by the log alone.
        let now = later(n * HOUR);
        assert_eq!(found(&place.refresh("tree", now), "delta"), ["folder/7.rs"]);
        let budget = Budget::new(Limits {
            file_bytes: Limits::FILE_BYTES,
            bytes: u64::MAX,
            time: HOUR,
        });
        let faults = place.index().check(&place.guard("tree"), &budget).unwrap();
        assert_eq!(faults.rows, []);
        let known = place.refresh("tree", now).loaded.tree().clone();
        place.index().rebuild().unwrap();
        assert_eq!(*place.refresh("tree", now).loaded.tree(), known);
        for (path, bytes) in kept {
            fs::write(path, bytes).unwrap();
        }
    }
    assert!(
        left > written && written > 0,
        "{left} left, {written} written"
    );
    // Another file that is indexed has other words of its path.
    let before = place.files("trees");
    place.write("tree", "new.rs", "fn epsilon() {}\n");
    place.refresh("tree", later(41 * HOUR));
    let kept = place.files("trees");
    assert_ne!(kept, before);
    place.index().rebuild().unwrap();
    assert_eq!(place.files("trees"), kept, "to the byte");
}

#[test]
fn a_manifest_of_another_log_is_not_believed() {
    let place = Place::new();
    place.refresh("tree", later(HOUR));
    let manifests = place.files("trees");
    let log = place.root.join("data/index/events.jsonl");
    fs::remove_file(&log).unwrap();
    place.write("tree", "a.rs", "fn omega() {}\n");
    place.refresh("tree", later(2 * HOUR));
    // As long a log as before, and another one.
    for (path, bytes) in manifests {
        fs::write(path, bytes).unwrap();
    }
    let refreshed = place.refresh("tree", later(2 * HOUR));
    assert_eq!(found(&refreshed, "omega"), ["a.rs"]);
    assert_eq!(found(&refreshed, "alpha"), Vec::<String>::new());
}

#[test]
fn packs_that_are_put_together_under_a_reader_are_found_where_they_are() {
    let place = Place::new();
    let reader = place.refresh("tree", later(HOUR));
    for n in 0..12 {
        place.write("tree", &format!("{n}.md"), &format!("# gamma {n}\n"));
        place.refresh("tree", later((n + 2) * HOUR));
    }
    assert!(place.files("packs").len() <= 8);
    assert_eq!(found(&reader, "alpha"), ["a.rs"]);
    let now = place.refresh("tree", later(20 * HOUR));
    assert_eq!(now.counts.read, 0);
    assert_eq!(found(&now, "gamma").len(), 12);
}

#[test]
fn a_status_reads_and_writes_nothing() {
    let place = Place::new();
    place.refresh("tree", later(HOUR));
    place.write("tree", "a.rs", "fn other() {}\n");
    fs::remove_file(place.root.join("tree/b.rs")).unwrap();
    let before = (place.log(), place.files("trees"));
    let looked = place
        .index()
        .look(&place.guard("tree"), Refresh::at(later(HOUR)));
    let looked = looked.unwrap();
    assert_eq!((looked.not_reached, looked.gone), (1, 1));
    assert_eq!((place.log(), place.files("trees")), before);
    let nowhere = Path::new("data/index/packs");
    assert!(place.root.join(nowhere).is_dir());
}
