//! The index of a repository: at every step by which it is made, kept, tidied or removed the process is killed, the power
//! cut, or the step refused. Afterwards the next search answers as a fresh index does, the index is sound, its log begun once
//! and read whole, and nothing is left lying about.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use memfold_disk::fail::{self, Fault, Kind};
use memfold_disk::{Dirs, Locks};
use memfold_guard::{Budget, Guard, Limits, Rules};
use memfold_repo::{Due, Index, Moment, Refresh, RepoError, Weight};
use memfold_text::Query;
use sha2::{Digest, Sha256};
use tempfile::TempDir;

use crate::disk;
use crate::rounds::{rounds, turn};
use crate::steps::{CHANGE_REFUSED, Cut, DEATH, LOOK_REFUSED, Step, cuts, dies, dying, each};

const QUERIES: [&str; 3] = ["denylist symlink", "part seven", "folder"];
const DAY: Duration = Duration::from_secs(24 * 3600);
/// A log that is begun anew with every update.
const SHORT: u64 = 1;
const LONG: u64 = 8 << 20;

/// A file as an answer has it: its path, the bits of its score, the chunks that are shown.
type Found = (String, u64, Vec<(u32, u32)>);

/// Two trees, and an index of them.
struct Site {
    _folder: TempDir,
    root: PathBuf,
}

impl Site {
    fn new() -> Site {
        let (folder, root) = disk::folder();
        Site {
            _folder: folder,
            root,
        }
    }

    /// The trees as they are at first, and no index.
    fn begin(&self) {
        fail::pretend(Default::default());
        disk::clear(&self.root);
        // The folder of what is ours is there: how that is made is for the sidecars' suite.
        fs::create_dir_all(self.root.join("data/locks")).unwrap();
        self.write(
            "tree/src/denylist.rs",
            "fn denied() {} // a symlink, on the denylist\n",
        );
        self.write(
            "tree/docs/folder.md",
            "# Folder\n\nThe folder of all parts.\n",
        );
        self.write("tree/part7.txt", "part seven of the denylist\n");
        self.write("tree/binary", "\0");
        self.write("tree/.gitignore", "*.log\n");
        self.write("tree/server.key", "denylist\n");
        self.write("other/part8.txt", "part seven, and one\n");
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// Each query's answer from an index of its own, which knows nothing but the files.
    fn truth(&self) -> Vec<Vec<Found>> {
        let fresh = tempfile::tempdir().unwrap();
        let at = |name: &str| fresh.path().join(name);
        let index = Index::new(at("index"), Locks::new(at("locks")));
        let truth = answers(&index, &self.root, later(0)).0;
        assert!(truth.iter().all(|found| !found.is_empty()));
        truth
    }

    fn index(&self) -> Index {
        index_at(&self.root, LONG)
    }

    /// Below the folder of the index: every file, with its bytes.
    fn kept(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let (mut kept, mut folders) = (BTreeMap::new(), vec![self.root.join("data/index")]);
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).into_iter().flatten() {
                let path = entry.unwrap().path();
                match path.is_dir() {
                    true => folders.push(path),
                    false => drop(kept.insert(path.clone(), fs::read(path).unwrap())),
                }
            }
        }
        kept
    }

    /// The next search answers as a fresh index does and keeps what it read; then the index is sound, and the one after
    /// that has nothing to do.
    #[track_caller]
    fn is_whole(&self, truth: &[Vec<Found>], when: &str) {
        let (found, not_kept) = answers(&self.index(), &self.root, later(0));
        assert_eq!(found, truth, "{when}");
        assert_eq!(not_kept, None, "{when}");
        let faults = self
            .index()
            .check(&guard(&self.root, "tree").unwrap(), &budget());
        let faults = faults.unwrap().rows;
        let wrong: Vec<_> = faults
            .iter()
            .filter(|it| it.weight == Weight::Wrong)
            .collect();
        assert!(wrong.is_empty(), "{when}: {wrong:?}");
        let before = self.kept();
        assert_eq!(
            answers(&self.index(), &self.root, later(0)).0,
            truth,
            "{when}, again"
        );
        assert!(self.kept() == before, "{when}: the next search wrote again");
        // With its events alone the manifests are the same.
        self.index().rebuild().unwrap();
        let rebuilt = self.kept();
        // Another tree's may be behind its events, until a search of it.
        let manifest = manifest_of(&self.root);
        assert!(before.contains_key(&manifest), "{when}: no manifest");
        assert!(
            rebuilt.get(&manifest) == before.get(&manifest),
            "{when}: rebuilt as another"
        );
        let opened = before.iter().filter(|(path, _)| is(path, "jsonl"));
        for (path, bytes) in opened {
            let text = String::from_utf8_lossy(bytes);
            let begun = text.matches("\"log.open\"").count();
            // Its first line may be the torn one.
            assert!(begun < 2, "{when}: {}", path.display());
        }
        self.sweeps(when);
    }

    /// What a killed call left goes with forgetting, and so does all else.
    #[track_caller]
    fn sweeps(&self, when: &str) {
        self.index().forget().unwrap();
        assert_eq!(
            self.kept().into_keys().collect::<Vec<_>>(),
            Vec::<PathBuf>::new(),
            "{when}"
        );
        assert!(
            !self.root.join("data/index").exists(),
            "{when}: its folder is left"
        );
    }
}

/// Where the first tree's manifest is.
fn manifest_of(root: &Path) -> PathBuf {
    let tree = root.join("tree");
    let digest = Sha256::digest(tree.to_string_lossy().as_bytes());
    let name: String = digest
        .iter()
        .take(8)
        .map(|byte| format!("{byte:02x}"))
        .collect();
    root.join(format!("data/index/trees/{name}.manifest"))
}

fn is(path: &Path, ending: &str) -> bool {
    path.extension().is_some_and(|end| end == ending)
}

fn index_at(root: &Path, log_bytes: u64) -> Index {
    let locks = Locks::new(root.join("data/locks"));
    Index::new(root.join("data/index"), locks).with_log_of(log_bytes)
}

fn guard(root: &Path, tree: &str) -> Result<Guard, RepoError> {
    let data = root.join("data");
    let dirs = Dirs {
        config: data.clone(),
        cache: data.clone(),
        data,
    };
    let guard = Guard::new(root.join(tree), Rules::default(), &dirs);
    guard.map_err(|error| RepoError::Write(error.to_string()))
}

fn budget() -> Budget {
    Budget::new(Limits {
        file_bytes: Limits::FILE_BYTES,
        bytes: 1 << 30,
        time: Duration::from_secs(600),
    })
}

fn later(days: u32) -> Moment {
    // The same in every process of a test, and after all that was written in it.
    Moment(4_000_000_000_000_000_000).after(DAY * days)
}

fn refreshing(now: Moment) -> Refresh<'static> {
    Refresh {
        // All the time that a busy machine may need.
        time: Duration::from_secs(600),
        ..Refresh::at(now)
    }
}

/// What a search of the first tree finds for each query, brought up to date before; and why nothing of that was kept.
fn answers(index: &Index, root: &Path, now: Moment) -> (Vec<Vec<Found>>, Option<String>) {
    let refreshed = index
        .refresh(&guard(root, "tree").unwrap(), refreshing(now))
        .unwrap();
    let found = QUERIES.map(|query| {
        let hits = refreshed.loaded.search(&Query::new(query), 20, |_| true);
        let hits = hits.unwrap();
        assert_eq!(hits.lacking, 0, "{query}");
        let hit = |hit: &memfold_repo::Hit| {
            let chunks = hit.chunks.iter().map(|lines| (lines.start, lines.end));
            (hit.path.to_string(), hit.score.to_bits(), chunks.collect())
        };
        hits.files.iter().map(hit).collect()
    });
    (found.to_vec(), refreshed.not_kept)
}

/// A call, in a state that was made ready for it.
#[derive(Clone, Copy)]
struct Scenario {
    name: &'static str,
    prepare: fn(&Site),
    call: fn(&Path) -> Result<(), RepoError>,
    ends: Ends,
}

/// What a call has promised once it came to its end.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Ends {
    /// That a search answers.
    Answering,
    /// That nothing of the index is there.
    Forgotten,
}

const SCENARIOS: [Scenario; 9] = [
    Scenario {
        name: "a first refresh",
        prepare: |_| {},
        call: refresh,
        ends: Ends::Answering,
    },
    Scenario {
        name: "a refresh after edits",
        prepare: edited,
        call: refresh,
        ends: Ends::Answering,
    },
    Scenario {
        name: "a refresh that puts packs together",
        prepare: |site| {
            for n in 0..8 {
                site.write(
                    &format!("tree/more/{n}.txt"),
                    &format!("the folder, part {n}\n"),
                );
                refresh(&site.root).unwrap();
            }
            edited(site);
        },
        call: refresh,
        ends: Ends::Answering,
    },
    Scenario {
        name: "a refresh that begins the log anew",
        prepare: |site| {
            // Until it has far more than it says of the trees.
            for n in 0..16 {
                let text = "part seven ".repeat(n + 1);
                site.write("tree/part7.txt", &text);
                refresh(&site.root).unwrap();
            }
            edited(site);
        },
        call: |root| {
            let index = index_at(root, SHORT);
            index
                .refresh(&guard(root, "tree")?, refreshing(later(0)))
                .map(drop)
        },
        ends: Ends::Answering,
    },
    Scenario {
        name: "a refresh of a second tree",
        prepare: |site| refresh(&site.root).unwrap(),
        call: |root| {
            let index = index_at(root, LONG);
            index
                .refresh(&guard(root, "other")?, refreshing(later(0)))
                .map(drop)
        },
        ends: Ends::Answering,
    },
    Scenario {
        name: "a collection",
        prepare: |site| {
            refresh(&site.root).unwrap();
            let other = guard(&site.root, "other").unwrap();
            site.index().refresh(&other, refreshing(later(0))).unwrap();
            edited(site);
            refresh(&site.root).unwrap();
            site.index().collect(later(0), Due::Now, None).unwrap();
            fs::remove_dir_all(site.root.join("other")).unwrap();
        },
        call: |root| {
            let collected = index_at(root, LONG).collect(later(8), Due::Now, None)?;
            assert!(collected.is_none_or(|it| it.trees.len() <= 1));
            Ok(())
        },
        ends: Ends::Answering,
    },
    Scenario {
        name: "a rebuild",
        prepare: edited,
        call: |root| index_at(root, LONG).rebuild().map(drop),
        ends: Ends::Answering,
    },
    Scenario {
        name: "dropping what is damaged",
        prepare: |site| {
            refresh(&site.root).unwrap();
            for (path, mut bytes) in site.kept() {
                if is(&path, "pack") {
                    let middle = bytes.len() / 2;
                    bytes[middle] ^= 1;
                    fs::write(path, bytes).unwrap();
                }
            }
        },
        call: |root| {
            index_at(root, LONG).drop_damaged()?;
            refresh(root)
        },
        ends: Ends::Answering,
    },
    Scenario {
        name: "forgetting",
        prepare: edited,
        call: |root| index_at(root, LONG).forget().map(drop),
        ends: Ends::Forgotten,
    },
];

fn refresh(root: &Path) -> Result<(), RepoError> {
    let index = index_at(root, LONG);
    index
        .refresh(&guard(root, "tree")?, refreshing(later(0)))
        .map(drop)
}

/// Indexed, then a file is changed, one removed, one new.
fn edited(site: &Site) {
    refresh(&site.root).unwrap();
    site.write(
        "tree/part7.txt",
        "part seven is another, longer than before\n",
    );
    site.write("tree/new.md", "# New\n\nA symlink in a new folder.\n");
    let _ = fs::remove_file(site.root.join("tree/binary"));
}

impl Scenario {
    fn prepare(&self, site: &Site) -> Vec<Vec<Found>> {
        site.begin();
        (self.prepare)(site);
        site.truth()
    }
}

#[test]
#[ignore = "run by every_step_of_an_index_may_be_the_last, once for each step"]
fn one_that_dies() {
    if let Some((root, scenario)) = dying() {
        (SCENARIOS[scenario].call)(&root).unwrap();
    }
}

#[test]
fn every_step_of_an_index_may_be_the_last() {
    let _turn = turn();
    let site = Site::new();
    for mut random in rounds() {
        for (number, scenario) in SCENARIOS.iter().enumerate() {
            let name = scenario.name;
            let beyond = each(
                name,
                Kind::Change,
                &DEATH,
                1..,
                &mut random,
                |plan, when| {
                    let truth = scenario.prepare(&site);
                    let step = dies("repository::one_that_dies", &site.root, number, plan);
                    site.is_whole(&truth, when);
                    step
                },
            );
            assert!(beyond > 2, "{name}: nothing was done");
            println!("{name}: {} steps", beyond - 1);
        }
    }
}

/// A refused step costs no answer: what a search found is what it had found otherwise, and it says that it is not kept.
#[test]
fn a_step_of_an_index_that_is_refused_costs_no_answer() {
    let _turn = turn();
    let site = Site::new();
    let (kind, faults) = (Kind::Change, &CHANGE_REFUSED);
    for mut random in rounds() {
        for scenario in &SCENARIOS {
            each(
                scenario.name,
                kind,
                faults,
                1..,
                &mut random,
                |plan, when| {
                    let truth = scenario.prepare(&site);
                    fail::plan(Some(plan));
                    let done = (scenario.call)(&site.root);
                    let step = Step::of(plan, fail::count(kind));
                    let lasts = matches!(plan.fault, Fault::FromHere(_) | Fault::FromHalfway(_));
                    if lasts && step == Step::Reached {
                        // The disk still refuses: a search answers without keeping anything.
                        let (found, _) = answers(&site.index(), &site.root, later(0));
                        assert_eq!(found, truth, "{when}, still refused");
                    }
                    fail::plan(None);
                    // A refresh never fails for what cannot be kept.
                    assert!(
                        done.is_ok() || !scenario.name.starts_with("a refresh"),
                        "{when}: {done:?}"
                    );
                    site.is_whole(&truth, when);
                    step
                },
            );
        }
    }
}

/// A look that is refused (too few files may be open, a disk that fails) is an error, or costs time; it harms nothing.
#[test]
fn a_look_of_an_index_that_is_refused_harms_nothing() {
    let _turn = turn();
    let site = Site::new();
    let (kind, faults) = (Kind::Look, &LOOK_REFUSED);
    for mut random in rounds() {
        for scenario in &SCENARIOS {
            let steps = random.steps(5);
            each(
                scenario.name,
                kind,
                faults,
                steps,
                &mut random,
                |plan, when| {
                    let truth = scenario.prepare(&site);
                    fail::plan(Some(plan));
                    let _ = (scenario.call)(&site.root);
                    let step = Step::of(plan, fail::count(kind));
                    fail::plan(None);
                    site.is_whole(&truth, when);
                    step
                },
            );
        }
    }
}

#[test]
fn whatever_the_disk_shows_of_an_index_after_a_cut() {
    let _turn = turn();
    let site = Site::new();
    for mut random in rounds() {
        for scenario in &SCENARIOS {
            let truth = scenario.prepare(&site);
            let call = || (scenario.call)(&site.root).unwrap();
            let steps = cuts(scenario.name, &site.root, &mut random, call, |cut, when| {
                if cut == Cut::Behind && scenario.ends == Ends::Forgotten {
                    assert!(site.kept().is_empty(), "{when}: not forgotten");
                }
                site.is_whole(&truth, when);
            });
            assert!(steps > 1, "{}: nothing was done", scenario.name);
        }
    }
}
