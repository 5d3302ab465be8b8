//! Processes that search a repository and update its index while its files are edited, removed and brought back, branches
//! switched and a work tree added: each answer is of what the files really held while it was searched, and where nothing
//! changed meanwhile it is, to the bit, what a fresh index of that state answers.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use memfold::{KeptKind, Memfold, Options, Quiet, RepoAnswer, RepoSearch, RepoUpdate, Viewer};

const ROOT: &str = "MEMFOLD_TESTS_REPOSITORY_RACE_ROOT";
const TASK: &str = "MEMFOLD_TESTS_REPOSITORY_RACE_TASK";
const QUERY: &str = "gate denylist";
const FILES: usize = 6;

/// A tree's files and what they hold.
type State = BTreeMap<String, String>;
/// A result: path, title, the bits of its score.
type Shown = (String, String, u64);

/// Numbers that all processes see: changes begun, changes done, and how often each child answered.
struct Progress(File);

impl Progress {
    fn of(root: &Path) -> Progress {
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        Progress(options.open(root.join("progress")).unwrap())
    }

    fn set(&self, place: u64, number: usize) {
        let bytes = (number as u64).to_le_bytes();
        self.0.write_all_at(&bytes, place * 8).unwrap();
    }

    fn get(&self, place: u64) -> usize {
        let mut bytes = [0; 8];
        self.0.read_exact_at(&mut bytes, place * 8).unwrap();
        u64::from_le_bytes(bytes) as usize
    }
}

const BEGUN: u64 = 0;
const DONE: u64 = 1;
const ANSWERED: u64 = 2;

fn engine(root: &Path, tree: &Path) -> Memfold {
    Memfold::open(Options {
        project: Some(tree.to_owned()),
        working_directory: tree.to_owned(),
        data_dir: Some(root.join("data")),
        config_dir: Some(root.join("config")),
        cache_dir: Some(root.join("cache")),
        viewer: Viewer::Person,
        variables: Box::new(|_| None),
        roll_from: memfold::ROLL_FROM,
    })
    .unwrap()
}

fn search(engine: &Memfold) -> RepoAnswer {
    let search = RepoSearch {
        query: QUERY.to_owned(),
        limit: 20,
        ..RepoSearch::default()
    };
    engine.search_repo(&search, &Quiet).unwrap()
}

fn shown(answer: &RepoAnswer) -> Vec<Shown> {
    let hits = answer.results.iter();
    hits.map(|hit| (hit.path.clone(), hit.title.clone(), hit.score.to_bits()))
        .collect()
}

#[test]
#[ignore = "run by answers_are_of_what_the_files_held, once for each process"]
fn a_process_of_the_race() {
    let Some(root) = std::env::var_os(ROOT).map(std::path::PathBuf::from) else {
        return;
    };
    let task = std::env::var(TASK).unwrap();
    let (place, task) = task.split_once(' ').unwrap();
    let place: u64 = place.parse().unwrap();
    let progress = Progress::of(&root);
    let mut out = File::create(root.join(format!("answers-{place}"))).unwrap();
    let mut answered = 0;
    while !root.join("stop").exists() {
        // An engine of its own each time, as each call of the command has.
        let engine = engine(&root, &root.join("tree"));
        if task == "update" {
            engine.update_repo(&RepoUpdate::default(), &Quiet).unwrap();
            answered += 1;
        } else {
            let from = progress.get(DONE);
            let answer = search(&engine);
            let to = progress.get(BEGUN);
            let line = serde_json::json!([from, to, answer.complete, shown(&answer)]);
            writeln!(out, "{line}").unwrap();
            // Beside a writer a search waits for nothing and may have read too little: thousands of such answers say little.
            answered += usize::from(answer.complete);
        }
        progress.set(ANSWERED + place, answered);
    }
}

fn start(root: &Path, place: usize, task: &str) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "a_process_of_the_race", "--ignored", "--quiet"])
        .env(ROOT, root)
        .env(TASK, format!("{place} {task}"))
        .stdout(Stdio::null())
        .spawn()
        .unwrap()
}

fn git(tree: &Path, arguments: &[&str]) {
    let done = Command::new("git")
        .args(["-c", "user.name=a", "-c", "user.email=a@example.com"])
        .args(arguments)
        .current_dir(tree)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    assert!(done.unwrap().success(), "git {arguments:?}");
}

fn name(number: usize) -> String {
    format!("part{number}.md")
}

fn text(state: usize, number: usize) -> String {
    let more = "the gate of the denylist\n".repeat(1 + (state + number) % 5);
    format!("# gate, state {state} of part {number}\n\n{more}")
}

/// Puts a file in place at once.
fn put(root: &Path, name: &str, text: &str) {
    fs::write(root.join("other"), text).unwrap();
    fs::rename(root.join("other"), root.join("tree").join(name)).unwrap();
}

fn state(tree: &Path) -> State {
    let files = fs::read_dir(tree)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let texts = files.filter(|path| path.is_file());
    texts
        .map(|path| {
            let name = path.file_name().unwrap().to_str().unwrap().to_owned();
            (name, fs::read_to_string(path).unwrap())
        })
        .collect()
}

/// What a fresh index of a state answers.
fn expected(state: &State) -> Vec<Shown> {
    let folder = tempfile::tempdir().unwrap();
    let root = fs::canonicalize(folder.path()).unwrap();
    let tree = root.join("tree");
    fs::create_dir(&tree).unwrap();
    for (name, text) in state {
        fs::write(tree.join(name), text).unwrap();
    }
    shown(&search(&engine(&root, &tree)))
}

fn title(text: &str) -> &str {
    text.lines().next().unwrap()
}

#[test]
fn answers_are_of_what_the_files_held() {
    let folder = tempfile::tempdir().unwrap();
    let root = fs::canonicalize(folder.path()).unwrap();
    let tree = root.join("tree");
    fs::create_dir(&tree).unwrap();
    git(&tree, &["init", "-q", "-b", "one"]);
    for (branch, first) in [("one", 0), ("two", 1000)] {
        if branch == "two" {
            git(&tree, &["checkout", "-q", "-b", branch]);
        }
        (0..FILES).for_each(|number| put(&root, &name(number), &text(first, number)));
        git(&tree, &["add", "-A"]);
        git(&tree, &["commit", "-q", "-m", branch]);
    }
    let progress = Progress::of(&root);
    let tasks = ["search", "search", "update"];
    (0..ANSWERED + tasks.len() as u64).for_each(|place| progress.set(place, 0));
    let mut children: Vec<Child> = (0..)
        .zip(tasks)
        .map(|(place, task)| start(&root, place, task))
        .collect();
    let searched = || progress.get(ANSWERED) + progress.get(ANSWERED + 1);
    let mut states = vec![state(&tree)];
    let mut switches = BTreeSet::new();
    for step in 1..=60usize {
        progress.set(BEGUN, step);
        let number = step % FILES;
        match step % 12 {
            5 => {
                // Not of the tree, and of the same index.
                let at = root.join(format!("beside{step}"));
                git(
                    &tree,
                    &[
                        "worktree",
                        "add",
                        "-q",
                        "-f",
                        "--detach",
                        at.to_str().unwrap(),
                    ],
                );
            }
            8 => drop(fs::remove_file(tree.join(name(number)))),
            11 => {
                switches.insert(step);
                let branch = if step % 24 == 11 { "one" } else { "two" };
                git(&tree, &["checkout", "-q", "-f", branch]);
            }
            _ => put(&root, &name(number), &text(step, number)),
        }
        states.push(state(&tree));
        progress.set(DONE, step);
        // On after another answer or two: the changes must not outrun the searches.
        let before = searched();
        while searched() < before + 1 + step % 2 {
            let ended = |child: &mut Child| child.try_wait().unwrap().is_some();
            assert!(!children.iter_mut().any(ended), "a process ended early");
            std::thread::yield_now();
        }
    }
    fs::write(root.join("stop"), "").unwrap();
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }

    let (mut still, mut moving, mut incomplete) = (0, 0, 0);
    let mut known: BTreeMap<usize, Vec<Shown>> = BTreeMap::new();
    for place in 0..2 {
        let lines = fs::read_to_string(root.join(format!("answers-{place}"))).unwrap();
        for line in lines.lines() {
            let (from, to, complete, results): (usize, usize, bool, Vec<Shown>) =
                serde_json::from_str(line).unwrap();
            if !complete {
                incomplete += 1;
            } else if from == to {
                let expected = known.entry(from).or_insert_with(|| expected(&states[from]));
                assert_eq!(results, *expected, "in state {from}");
                still += 1;
            } else if switches.range(from + 1..=to).next().is_none() {
                // Each file as it was at one of these moments; what was there all the time is there.
                let seen = &states[from..=to];
                for (path, shown, _) in &results {
                    let mut held = seen.iter().filter_map(|state| state.get(path));
                    assert!(
                        held.any(|text| title(text) == shown),
                        "{path}: {shown}, {from} to {to}"
                    );
                }
                for path in seen[0].keys() {
                    let stays = seen.iter().all(|state| state.contains_key(path));
                    let is_found = results.iter().any(|(found, ..)| found == path);
                    assert!(!stays || is_found, "{path}, {from} to {to}");
                }
                moving += 1;
            }
        }
    }
    assert!(
        still > 20,
        "{still} still, {moving} moving, {incomplete} incomplete"
    );

    // What is left is whole: it answers as a fresh one, and nothing of it is wrong.
    let last = engine(&root, &tree);
    assert_eq!(shown(&search(&last)), expected(&states[60]));
    let report = last.verify(&[], &Quiet).unwrap();
    let wrong: Vec<_> = report.kept.iter().filter(|row| row.wrong).collect();
    assert!(wrong.is_empty(), "{wrong:?}");
    let manifests = report
        .kept
        .iter()
        .filter(|row| row.kind == KeptKind::Manifest);
    assert_eq!(manifests.count(), 0);
}
