//! The repository's index: fresh at every search, made again from its events and the files, and shared by work trees.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use memfold::{KeptKind, Memfold, Options, Quiet, RepoAnswer, RepoSearch, RepoUpdate, Viewer};
use tempfile::TempDir;

/// A tree, and memfold's folders beside it.
struct Place {
    _folder: TempDir,
    root: PathBuf,
}

impl Place {
    fn new() -> Place {
        let folder = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(folder.path()).unwrap();
        fs::create_dir(root.join("tree")).unwrap();
        Place {
            _folder: folder,
            root,
        }
    }

    fn with_files() -> Place {
        let place = Place::new();
        place.write(
            "src/denylist.rs",
            &function("denied", "a path on the denylist follows no symlink", 30),
        );
        place.write(
            "src/sync.rs",
            &function("sync_folder", "sync the folder after the rename", 120),
        );
        place.write(
            "docs/design.md",
            "# Design\n\nThe denylist is a list of patterns.\n",
        );
        place.write("empty.txt", "");
        place.write("picture.bin", "a\0b");
        place.write(".gitignore", "*.log\n");
        place.write("run.log", "denylist denylist denylist\n");
        place.write("keys/id_rsa", "denylist\n");
        place
    }

    fn tree(&self) -> PathBuf {
        self.root.join("tree")
    }

    fn write(&self, name: &str, text: &str) {
        write(&self.tree().join(name), text);
    }

    fn engine_at(&self, tree: &Path) -> Memfold {
        Memfold::open(Options {
            project: Some(tree.to_owned()),
            working_directory: tree.to_owned(),
            data_dir: Some(self.root.join("data")),
            config_dir: Some(self.root.join("config")),
            cache_dir: Some(self.root.join("cache")),
            viewer: Viewer::Person,
            variables: Box::new(|_| None),
            roll_from: memfold::ROLL_FROM,
        })
        .unwrap()
    }

    fn engine(&self) -> Memfold {
        self.engine_at(&self.tree())
    }

    /// Makes what was read just now as good as what was left alone for a while: it is not read again unless it changes.
    fn settle(&self) {
        for path in self.kept("").into_keys().filter(|path| is_log(path)) {
            let text = fs::read_to_string(&path).unwrap();
            let mut settled = String::new();
            for (at, part) in text.split("\"read_at\":").enumerate() {
                if at > 0 {
                    settled += "\"read_at\":9000000000000000000";
                }
                settled += match at {
                    0 => part,
                    _ => part.trim_start_matches(|c: char| c.is_ascii_digit()),
                };
            }
            fs::write(path, settled).unwrap();
        }
        for path in self.kept("trees").keys() {
            fs::remove_file(path).unwrap();
        }
        self.engine().rebuild_repo().unwrap();
    }

    fn search(&self, query: &str) -> RepoAnswer {
        ask(&self.engine(), query)
    }

    /// The files of the index below a folder of it, with their bytes.
    fn kept(&self, below: &str) -> BTreeMap<PathBuf, Vec<u8>> {
        let mut kept = BTreeMap::new();
        for project in fs::read_dir(self.root.join("data/projects")).unwrap() {
            let folder = project.unwrap().path().join("index").join(below);
            for file in fs::read_dir(folder).unwrap() {
                let path = file.unwrap().path();
                if path.is_file() {
                    kept.insert(path.clone(), fs::read(path).unwrap());
                }
            }
        }
        kept
    }
}

fn is_log(path: &Path) -> bool {
    path.extension().is_some_and(|end| end == "jsonl")
}

fn write(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

fn ask(engine: &Memfold, query: &str) -> RepoAnswer {
    engine
        .search_repo(
            &RepoSearch {
                query: query.to_owned(),
                limit: 8,
                ..RepoSearch::default()
            },
            &Quiet,
        )
        .unwrap()
}

/// An update that takes a folder in whole.
fn below(path: &str) -> RepoUpdate {
    RepoUpdate {
        path: Some(path.to_owned()),
        ..RepoUpdate::default()
    }
}

fn function(name: &str, about: &str, lines: usize) -> String {
    let mut text = format!("//! Module of {name}.\n\n");
    for line in 0..lines {
        if line % 25 == 0 {
            text += &format!("function {name}_{line}() {{ // {about}\n");
        }
        text += &format!("    let value{line} = {line};\n");
    }
    text
}

fn paths(answer: &RepoAnswer) -> Vec<&str> {
    answer.results.iter().map(|hit| hit.path.as_str()).collect()
}

/// What an answer says, but for how long it took.
fn said(answer: RepoAnswer) -> String {
    serde_json::to_string(&RepoAnswer {
        micros: 0,
        ..answer
    })
    .unwrap()
}

#[test]
fn a_search_builds_ranks_and_shows_what_the_files_say_now() {
    let place = Place::with_files();
    let answer = place.search("denylist symlink");
    assert_eq!(paths(&answer)[0], "src/denylist.rs");
    assert!(paths(&answer).contains(&"docs/design.md"));
    for left_out in ["run.log", "keys/id_rsa", "picture.bin"] {
        assert!(!paths(&answer).contains(&left_out), "{left_out}");
    }
    let best = &answer.results[0];
    let file = fs::read_to_string(place.tree().join(&best.path)).unwrap();
    for line in &best.lines {
        assert_eq!(
            file.lines().nth(line.line as usize - 1),
            Some(line.text.as_str())
        );
        assert!((best.start..=best.end).contains(&(line.line as u32)));
    }
    assert!(answer.complete && !answer.weak, "{:?}", answer.notes);
    place.settle();
    let report = place.engine().repo_status().unwrap();
    assert_eq!(
        (report.read, report.not_reached),
        (0, 0),
        "what is known is not read"
    );
    let left_out = report.left_out.join("\n");
    assert!(left_out.contains("picture.bin: binary"), "{left_out}");
    assert!(
        left_out.contains("keys/id_rsa: on the denylist"),
        "{left_out}"
    );
}

#[test]
fn an_edit_reads_one_file_and_what_is_gone_is_gone() {
    let place = Place::with_files();
    place.search("denylist");
    place.settle();
    place.write(
        "docs/design.md",
        "# Design\n\nThe barrier is a list of patterns.\n",
    );
    fs::remove_file(place.tree().join("src/sync.rs")).unwrap();
    let report = place
        .engine()
        .update_repo(&RepoUpdate::default(), &Quiet)
        .unwrap();
    assert_eq!((report.read, report.gone), (1, 1));
    // One event a refresh that read or dropped anything, none for one that did not.
    let log = place
        .kept("")
        .into_keys()
        .find(|path| is_log(path))
        .unwrap();
    let log = fs::read_to_string(log).unwrap();
    let updates = log
        .lines()
        .filter(|line| line.contains(r#""kind":"index.update""#));
    assert_eq!(updates.count(), 2);
    let decisions = log
        .lines()
        .filter(|line| line.contains(r#""kind":"guard.decision""#));
    assert_eq!(
        decisions.count(),
        6 + 1,
        "each file that is read, refused ones too"
    );
    assert_eq!(paths(&place.search("barrier")), ["docs/design.md"]);
    assert_eq!(paths(&place.search("rename folder")), Vec::<&str>::new());
}

#[test]
fn manifests_and_packs_are_made_again() {
    let place = Place::with_files();
    let before =
        ["denylist symlink", "sync folder", "design"].map(|query| said(place.search(query)));
    place.write("more.md", "# More about the folder\n");
    place.search("folder");
    fs::remove_file(place.tree().join("more.md")).unwrap();
    place.search("folder");
    place.settle();
    let manifests = place.kept("trees");
    manifests
        .keys()
        .for_each(|path| fs::remove_file(path).unwrap());
    place.engine().rebuild_repo().unwrap();
    assert_eq!(place.kept("trees"), manifests, "to the byte");
    place
        .kept("packs")
        .keys()
        .for_each(|path| fs::remove_file(path).unwrap());
    let again =
        ["denylist symlink", "sync folder", "design"].map(|query| said(place.search(query)));
    assert_eq!(again, before);
}

#[test]
fn whatever_is_damaged_the_answer_is_the_same() {
    let place = Place::with_files();
    let whole = said(place.search("denylist symlink folder"));
    place.settle();
    for below in ["trees", "packs", ""] {
        let kept = place.kept(below);
        for (path, bytes) in &kept {
            for place_of_bit in (0..bytes.len()).step_by(bytes.len() / 40 + 1) {
                let mut damaged = bytes.clone();
                damaged[place_of_bit] ^= 1 << (place_of_bit % 8);
                fs::write(path, &damaged).unwrap();
                let answer = said(place.search("denylist symlink folder"));
                assert_eq!(answer, whole, "byte {place_of_bit} of {}", path.display());
            }
            fs::write(path, &bytes[..bytes.len() / 2]).unwrap();
            assert_eq!(said(place.search("denylist symlink folder")), whole);
        }
    }
}

#[test]
fn a_work_tree_of_the_repository_stores_nothing_new() {
    let place = Place::with_files();
    fs::create_dir_all(place.tree().join(".git/worktrees/fix")).unwrap();
    place.search("denylist");
    let packs = place.kept("packs");
    let tree = place.tree().join(".claude/worktrees/fix");
    for name in ["src/denylist.rs", "src/sync.rs", "docs/design.md"] {
        let text = fs::read_to_string(place.tree().join(name)).unwrap();
        write(&tree.join(name), &text);
    }
    let git = place.tree().join(".git/worktrees/fix");
    write(&tree.join(".git"), &format!("gitdir: {}\n", git.display()));
    write(
        &git.join("gitdir"),
        &format!("{}\n", tree.join(".git").display()),
    );
    let answer = ask(&place.engine_at(&tree), "denylist symlink");
    assert_eq!(paths(&answer)[0], "src/denylist.rs");
    assert_eq!(place.kept("packs"), packs);
    assert_eq!(place.kept("trees").len(), 2);
    // What an agent works on beside it is not of the tree.
    assert!(
        paths(&place.search("denylist"))
            .iter()
            .all(|path| !path.starts_with(".claude"))
    );
}

#[test]
fn a_file_that_is_refused_now_never_ranks() {
    let place = Place::with_files();
    assert!(paths(&place.search("denylist")).contains(&"docs/design.md"));
    write(
        &place.root.join("config/guard.toml"),
        "deny = [\"/docs/\"]\n",
    );
    let answer = place.search("denylist");
    assert!(!paths(&answer).contains(&"docs/design.md"));
    let report = place.engine().repo_status().unwrap();
    assert!(
        report
            .left_out
            .iter()
            .any(|left| left.starts_with("docs/design.md: on the denylist (yours)"))
    );
    fs::remove_file(place.root.join("config/guard.toml")).unwrap();
    assert!(paths(&place.search("denylist")).contains(&"docs/design.md"));
}

#[test]
fn a_folder_that_was_asked_for_is_whole_and_stays() {
    let place = Place::with_files();
    place.write("out/report.log", "the denylist of the build\n");
    assert!(!paths(&place.search("denylist build")).contains(&"out/report.log"));
    place.engine().update_repo(&below("out"), &Quiet).unwrap();
    assert_eq!(paths(&place.search("denylist build"))[0], "out/report.log");
    assert!(
        place
            .engine()
            .update_repo(&below("../elsewhere"), &Quiet)
            .is_err()
    );
}

#[test]
fn a_tree_that_lies_in_a_folder_of_secrets_has_nothing_to_search() {
    let place = Place::new();
    let keys = place.root.join(".aws");
    write(&keys.join("config"), "[profile denylist]\n");
    write(&keys.join("sso/cache/session.txt"), "denylist\n");
    for tree in [keys.clone(), keys.join("sso")] {
        let engine = place.engine_at(&tree);
        let why = format!(
            "no file below {} is read: it lies in a folder on the denylist (cloud)",
            tree.display()
        );
        let answer = ask(&engine, "denylist");
        assert_eq!(
            (paths(&answer), &answer.notes),
            (Vec::new(), &vec![why.clone()])
        );
        let report = engine.update_repo(&RepoUpdate::default(), &Quiet).unwrap();
        assert_eq!((report.files, report.notes), (0, vec![why]));
        assert!(report.refused > 0);
    }
    for project in fs::read_dir(place.root.join("data/projects")).unwrap() {
        let packs = project.unwrap().path().join("index/packs");
        assert!(!packs.exists(), "{}", packs.display());
    }
}

#[test]
fn a_path_narrows_and_a_credential_is_nowhere() {
    let place = Place::with_files();
    let secret = ["gh", "p_", "Xk29fLq0ZbT7mWc4RyV8sJd1HnPa5GuE3oKi"].concat();
    place.write(
        "src/token.rs",
        &format!("// denylist\nconst TOKEN = \"{secret}\";\n"),
    );
    let narrowed = place
        .engine()
        .search_repo(
            &RepoSearch {
                query: "denylist token".to_owned(),
                path: Some("src".to_owned()),
                limit: 8,
                ..RepoSearch::default()
            },
            &Quiet,
        )
        .unwrap();
    assert_eq!(narrowed.ranked.files, 3);
    assert!(paths(&narrowed).iter().all(|path| path.starts_with("src/")));
    let folded = secret.to_lowercase();
    let said = said(narrowed);
    assert!(said.contains("src/token.rs") && !said.contains(&secret));
    for below in ["", "packs", "trees"] {
        for (path, bytes) in place.kept(below) {
            let text = String::from_utf8_lossy(&bytes).to_lowercase();
            assert!(!text.contains(&folded[10..30]), "{}", path.display());
        }
    }
}

#[test]
fn forgotten_is_gone_and_a_search_begins_again() {
    let place = Place::with_files();
    let before = said(place.search("denylist"));
    let forgotten = place.engine().forget_repo().unwrap();
    assert!(forgotten.files >= 3 && forgotten.bytes > 0);
    assert_eq!(
        fs::read_dir(place.root.join("data/projects"))
            .unwrap()
            .flat_map(|p| fs::read_dir(p.unwrap().path()))
            .flatten()
            .count(),
        0
    );
    assert_eq!(said(place.search("denylist")), before);
}

#[test]
fn a_writer_at_work_is_not_waited_for() {
    let place = Place::with_files();
    place.search("denylist");
    let project = fs::read_dir(place.root.join("data/projects"))
        .unwrap()
        .next()
        .unwrap()
        .unwrap();
    let lock = project.path().join("index/lock");
    let locks = memfold_disk::Locks::new(place.root.join("data/locks"));
    let held = locks.try_lock(&lock).unwrap().unwrap();
    place.write("new.md", "# Denylist of something new\n");
    let answer = place.search("denylist");
    assert!(!paths(&answer).contains(&"new.md"));
    assert!(
        !answer.complete
            && answer
                .notes
                .iter()
                .any(|note| note.contains("another process"))
    );
    drop(held);
    assert!(paths(&place.search("denylist")).contains(&"new.md"));
}

#[test]
fn where_nothing_can_be_kept_the_answer_is_the_same() {
    let place = Place::with_files();
    let kept = place.search("denylist symlink");
    place.engine().forget_repo().unwrap();
    fs::remove_dir_all(place.root.join("data")).unwrap();
    fs::write(
        place.root.join("data"),
        "a file stands where the folder should",
    )
    .unwrap();
    let answer = place.search("denylist symlink");
    assert_eq!(paths(&answer), paths(&kept));
    assert!(
        answer
            .notes
            .iter()
            .any(|note| note.starts_with("not kept: "))
    );
}

/// What `verify` says of the index: the kind of file, whether it is wrong, and what is.
fn checked(place: &Place) -> Vec<(KeptKind, bool, String)> {
    let report = place.engine().verify(&[], &Quiet).unwrap();
    let of_index = report.kept.into_iter().filter(|row| {
        use KeptKind::{Collection, IndexLog, Manifest, Pack};
        matches!(row.kind, IndexLog | Manifest | Pack | Collection)
    });
    of_index
        .map(|row| (row.kind, row.wrong, row.found))
        .collect()
}

#[test]
fn a_check_names_what_is_wrong_and_a_rebuild_mends_it() {
    let place = Place::with_files();
    place.search("denylist");
    place.settle();
    assert_eq!(checked(&place), []);
    let only = |below: &str, ending: &str| {
        let mut files = place.kept(below).into_keys();
        files
            .find(|path| path.to_string_lossy().ends_with(ending))
            .unwrap()
    };
    for (below, ending, kind) in [
        ("trees", ".manifest", KeptKind::Manifest),
        ("packs", ".pack", KeptKind::Pack),
        ("", "collection", KeptKind::Collection),
    ] {
        let path = only(below, ending);
        let sound = fs::read(&path).unwrap();
        for at in [0, 9, sound.len() / 2, sound.len() - 1] {
            let mut damaged = sound.clone();
            damaged[at] ^= 4;
            fs::write(&path, &damaged).unwrap();
            let faults = checked(&place);
            assert!(
                faults.iter().any(|(of, wrong, _)| *of == kind && *wrong),
                "{ending}, byte {at}: {faults:?}"
            );
        }
        place.engine().rebuild_repo().unwrap();
        assert_eq!(checked(&place), [], "{ending}");
    }
    fs::remove_file(only("trees", ".manifest")).unwrap();
    let faults = checked(&place);
    assert!(
        matches!(&faults[..], [(KeptKind::Manifest, false, what)] if what.starts_with("missing"))
    );
    place.engine().rebuild_repo().unwrap();
    assert_eq!(checked(&place), []);
}

#[test]
fn an_index_that_says_of_a_file_what_is_not_so_is_found_out() {
    let place = Place::with_files();
    place.search("denylist");
    place.settle();
    // One file's content is given out as another's: every checksum is right.
    let log = place
        .kept("")
        .into_keys()
        .find(|path| is_log(path))
        .unwrap();
    let text = fs::read_to_string(&log).unwrap();
    let content = |of: &str| {
        let from = text.find(&format!("\"{of}\":{{\"identity\"")).unwrap();
        let at = from + text[from..].find("\"content\":\"").unwrap() + 11;
        text[at..at + 64].to_owned()
    };
    let forged = text.replace(&content("docs/design.md"), &content("src/sync.rs"));
    fs::write(&log, forged).unwrap();
    fs::remove_file(place.kept("trees").into_keys().next().unwrap()).unwrap();
    assert!(paths(&place.search("rename folder")).contains(&"src/sync.rs"));
    let faults = checked(&place);
    let of_file =
        |(_, wrong, what): &(KeptKind, bool, String)| *wrong && what.contains("docs/design.md");
    assert!(faults.iter().any(of_file), "{faults:?}");
    place.engine().rebuild_repo().unwrap();
    assert_eq!(paths(&place.search("design patterns")), ["docs/design.md"]);
    assert!(!checked(&place).iter().any(of_file));
}

#[test]
fn files_that_hold_what_is_quoted_come_first() {
    let place = Place::with_files();
    assert!(paths(&place.search("follows symlink no")).contains(&"src/denylist.rs"));
    let answer = place.search("\"follows no symlink\"");
    assert_eq!(paths(&answer)[0], "src/denylist.rs");
    let others = paths(&answer).len() > 1;
    let one = "one file holds the quoted words in a row: the others hold them apart";
    assert_eq!(answer.notes.iter().any(|note| note == one), others);
    assert!(
        answer.results[0]
            .lines
            .iter()
            .any(|line| line.text.contains("follows no symlink"))
    );
    // Where no file holds it, the words are all that can be found.
    let answer = place.search("\"symlink follows no\"");
    assert!(paths(&answer).contains(&"src/denylist.rs"));
    let none = "no file holds the quoted words in a row: these hold them apart";
    assert_eq!(answer.notes, [none]);
    // A text that says much asks for no phrase.
    let told = "\"symlink follows no\" one two three four five six seven eight nine ten eleven";
    let answer = place.search(told);
    assert!(paths(&answer).contains(&"src/denylist.rs"));
    assert!(answer.notes.is_empty(), "{:?}", answer.notes);
    // Shown are the lines that hold it, wherever the words by themselves are the most.
    let text = function("denied", "list list list of", 60)
        + "\nfunction last() { // patterns of denial }\n";
    place.write("src/far.rs", &text);
    let answer = place.search("\"patterns of denial\" list");
    assert_eq!(paths(&answer)[0], "src/far.rs");
    assert!(
        answer.results[0]
            .lines
            .iter()
            .any(|line| line.text.contains("patterns of denial"))
    );
}

/// A fresh pack is not synced: a loss of power may leave its name, its length and none of its bytes, or some.
#[test]
fn a_pack_that_the_power_took_is_cut_anew_also_for_another_file_with_its_content() {
    let place = Place::with_files();
    let whole = said(place.search("denylist symlink"));
    place.settle();
    for part in [0, 1, 50, 90, 99] {
        let (path, bytes) = place.kept("packs").into_iter().next().unwrap();
        let kept = bytes.len() * part / 100;
        let mut left = bytes[..kept].to_vec();
        left.resize(bytes.len(), 0);
        fs::write(path, left).unwrap();
        let text = fs::read_to_string(place.tree().join("src/sync.rs")).unwrap();
        place.write("src/copy.rs", &text);
        assert_eq!(paths(&place.search("rename")).len(), 2, "{kept} bytes");
        fs::remove_file(place.tree().join("src/copy.rs")).unwrap();
        assert_eq!(
            said(place.search("denylist symlink")),
            whole,
            "{kept} bytes"
        );
        place
            .kept("packs")
            .keys()
            .for_each(|path| fs::remove_file(path).unwrap());
        place.search("denylist");
    }
}
