//! Processes that search, fold and forget in one folder while the logs there grow, are cut, replaced, deleted and come back:
//! each answer is the reference's over a state that the logs really had while it was searched.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use memfold_reference::Reference;
use memfold_tests::House;
use memfold_tests::home::turns;

/// Where the house of a child process is, and what the child does there.
const ROOT: &str = "MEMFOLD_TESTS_RACE_ROOT";
const TASK: &str = "MEMFOLD_TESTS_RACE_TASK";
const PLACE: &str = "MEMFOLD_TESTS_RACE_PLACE";
const QUERIES: [&str; 3] = ["gate", "the turn", "half denylist"];
/// More states at once than this are not told apart.
const STATES: usize = 400;

/// A log's content, if it is there.
type Content = Option<Vec<u8>>;

/// What was done to the logs so far: how many changes were begun, and how many were done. Read by the children.
struct Progress(File);

impl Progress {
    fn of(root: &Path) -> Progress {
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(root.join("progress"))
            .unwrap();
        Progress(file)
    }

    fn set(&self, place: u64, changes: usize) {
        self.0
            .write_all_at(&(changes as u64).to_le_bytes(), place * 8)
            .unwrap();
    }

    fn get(&self, place: u64) -> usize {
        let mut bytes = [0; 8];
        self.0.read_exact_at(&mut bytes, place * 8).unwrap();
        u64::from_le_bytes(bytes) as usize
    }
}

const BEGUN: u64 = 0;
const DONE: u64 = 1;
/// How often the first child answered; each has its own place from here on.
const ANSWERED: u64 = 2;

/// One change of a log. Each is a single call, so that every state in between is one of those recorded.
fn change(house: &House, name: &str, before: &Content, after: &Content) {
    let path = house.logs().join(name);
    match (before, after) {
        (Some(before), Some(after)) if after.starts_with(before) => {
            let mut file = OpenOptions::new().append(true).open(path).unwrap();
            file.write_all(&after[before.len()..]).unwrap();
        }
        (Some(before), Some(after)) if before.starts_with(after) => {
            let file = OpenOptions::new().write(true).open(path).unwrap();
            file.set_len(after.len() as u64).unwrap();
        }
        (_, Some(after)) => {
            let other = house.root().join("other");
            fs::write(&other, after).unwrap();
            fs::rename(other, path).unwrap();
        }
        (_, None) => fs::remove_file(path).unwrap(),
    }
}

/// The states that some logs go through, a change at a time: each names a log and what it is then.
fn script(rounds: usize) -> Vec<(&'static str, Content)> {
    let lines = |from: usize, count: usize| -> Vec<Vec<u8>> {
        turns(from..from + count)
            .split_inclusive(|byte| *byte == b'\n')
            .map(<[u8]>::to_vec)
            .collect()
    };
    let mut script = Vec::new();
    for round in 0..rounds {
        let (a, b) = (lines(round * 7, 3), lines(round * 5 + 100, 2));
        for end in 1..=a.len() {
            script.push(("a.jsonl", Some(a[..end].concat())));
            if end % 3 == 0 && end / 3 <= b.len() {
                script.push(("b.jsonl", Some(b[..end / 3].concat())));
            }
        }
        script.push(("a.jsonl", Some(a[..a.len() / 2].concat())));
        script.push(("b.jsonl", (round % 2 == 0).then(|| b.concat())));
        script.push(("c.jsonl", Some(lines(round * 3 + 500, 2).concat())));
    }
    script
}

/// An answer of a child: the query's number, the changes done before and begun by the end, whether it is complete, and the
/// events with the bits of their scores.
struct Answer {
    query: usize,
    from: usize,
    to: usize,
    complete: bool,
    events: Vec<(String, u64, u64)>,
}

#[test]
#[ignore = "run by answers_are_of_states_that_were, once for each process"]
fn a_process_of_the_race() {
    let Some(root) = std::env::var_os(ROOT) else {
        return;
    };
    let house = House::at(Path::new(&root));
    let progress = Progress::of(house.root());
    let place: u64 = std::env::var(PLACE).unwrap().parse().unwrap();
    let mut out = File::create(house.root().join(format!("answers-{place}"))).unwrap();
    let task = std::env::var(TASK).unwrap();
    for number in 0usize.. {
        if house.root().join("stop").exists() {
            return;
        }
        match task.as_str() {
            // The logs may be gone at any moment: that is an answer, too.
            "fold" => drop(house.engine().fold(&[house.logs()], &memfold::Quiet)),
            "forget" => drop(house.engine().forget_sessions()),
            _ => {
                let query = number % QUERIES.len();
                let from = progress.get(DONE);
                let answer = house.search(QUERIES[query]).unwrap();
                let to = progress.get(BEGUN);
                let mut line = format!("{query} {from} {to} {}", u8::from(answer.complete));
                for hit in &answer.results {
                    let name = hit.log.file_name().unwrap().to_str().unwrap();
                    line += &format!(" {name}:{}:{}", hit.seq, hit.score.to_bits());
                }
                line.push('\n');
                out.write_all(line.as_bytes()).unwrap();
                progress.set(ANSWERED + place, number + 1);
            }
        }
    }
}

fn start(house: &House, place: usize, task: &str) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "a_process_of_the_race", "--ignored", "--quiet"])
        .env(ROOT, house.root())
        .env(TASK, task)
        .env(PLACE, place.to_string())
        .stdout(Stdio::null())
        .spawn()
        .unwrap()
}

fn parse(line: &str) -> Answer {
    let mut fields = line.split(' ');
    let mut number = || fields.next().unwrap().parse::<usize>().unwrap();
    let (query, from, to, complete) = (number(), number(), number(), number() == 1);
    let events = fields
        .map(|event| {
            let mut parts = event.split(':');
            let name = parts.next().unwrap().to_owned();
            let mut number = || parts.next().unwrap().parse::<u64>().unwrap();
            (name, number(), number())
        })
        .collect();
    Answer {
        query,
        from,
        to,
        complete,
        events,
    }
}

fn answers(house: &House) -> Vec<Answer> {
    let mut lines = String::new();
    for entry in fs::read_dir(house.root()).unwrap() {
        let path = entry.unwrap().path();
        if path
            .file_name()
            .unwrap()
            .to_string_lossy()
            .starts_with("answers-")
        {
            lines += &fs::read_to_string(path).unwrap();
        }
    }
    lines.lines().map(parse).collect()
}

/// Every state that the logs may have been seen in between two moments: each log in any of its own.
fn states(
    still: &BTreeMap<&str, Vec<u8>>,
    script: &[(&'static str, Content)],
    answer: &Answer,
) -> Vec<BTreeMap<String, Vec<u8>>> {
    let mut seen: BTreeMap<&str, BTreeSet<Content>> = BTreeMap::new();
    let mut now: BTreeMap<&str, Content> = BTreeMap::new();
    for (place, (name, content)) in script.iter().enumerate().take(answer.to) {
        if place >= answer.from {
            let before = now.get(name).cloned().flatten();
            let states = seen.entry(name).or_insert_with(|| BTreeSet::from([before]));
            states.insert(content.clone());
        }
        now.insert(name, content.clone());
    }
    let mut all = vec![
        still
            .iter()
            .map(|(name, bytes)| ((*name).to_owned(), bytes.clone()))
            .collect::<BTreeMap<_, _>>(),
    ];
    for (name, content) in now {
        let contents = seen
            .remove(name)
            .unwrap_or_else(|| BTreeSet::from([content]));
        all = all
            .into_iter()
            .flat_map(|state| {
                contents.iter().map(move |content| {
                    let mut state = state.clone();
                    if let Some(bytes) = content {
                        state.insert(name.to_owned(), bytes.clone());
                    }
                    state
                })
            })
            .collect();
    }
    all
}

fn expected(state: &BTreeMap<String, Vec<u8>>, query: &str) -> Vec<(String, u64, u64)> {
    let folder = tempfile::tempdir().unwrap();
    let paths = state.iter().map(|(name, bytes)| {
        let path = folder.path().join(name);
        fs::write(&path, bytes).unwrap();
        path
    });
    Reference::read(paths.collect::<Vec<_>>())
        .search(query, memfold::LIMIT)
        .into_iter()
        .map(|(path, seq, score)| {
            let name = path.file_name().unwrap().to_str().unwrap().to_owned();
            (name, seq as u64, score.to_bits())
        })
        .collect()
}

#[test]
fn answers_are_of_states_that_were() {
    let house = House::rolling();
    let mut still = BTreeMap::new();
    for (number, name) in ["s.jsonl", "t.jsonl", "u.jsonl"].into_iter().enumerate() {
        let bytes = turns(900 + number * 4..904 + number * 4);
        house.write(name, &bytes);
        still.insert(name, bytes);
    }
    house.roll();
    let progress = Progress::of(house.root());
    let tasks = ["search", "search", "search", "fold", "forget"];
    for place in 0..ANSWERED + tasks.len() as u64 {
        progress.set(place, 0);
    }
    let mut children: Vec<Child> = (0..)
        .zip(tasks)
        .map(|(place, task)| start(&house, place, task))
        .collect();
    let answered_now = || -> usize {
        (0..tasks.len() as u64)
            .map(|place| progress.get(ANSWERED + place))
            .sum()
    };
    let script = script(6);
    let mut now: BTreeMap<&str, Content> = BTreeMap::new();
    let mut answered = 0;
    for (place, (name, after)) in script.iter().enumerate() {
        let before = now.insert(name, after.clone()).flatten();
        if before == *after {
            progress.set(BEGUN, place + 1);
            progress.set(DONE, place + 1);
            continue;
        }
        progress.set(BEGUN, place + 1);
        change(&house, name, &before, after);
        progress.set(DONE, place + 1);
        // On after a few more answers: the changes must not outrun the searches.
        while answered_now() < answered + 2 {
            let ended = children
                .iter_mut()
                .any(|child| child.try_wait().unwrap().is_some());
            assert!(!ended, "a process ended early");
            std::thread::yield_now();
        }
        answered = answered_now();
    }
    fs::write(house.root().join("stop"), "").unwrap();
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    let (mut held, mut incomplete) = (0, 0);
    for answer in answers(&house) {
        if !answer.complete {
            incomplete += 1;
            continue;
        }
        let states = states(&still, &script, &answer);
        if states.len() > STATES {
            continue;
        }
        let query = QUERIES[answer.query];
        assert!(
            states
                .iter()
                .any(|state| expected(state, query) == answer.events),
            "{query:?} between change {} and {}: {:?}",
            answer.from,
            answer.to,
            answer.events
        );
        held += 1;
    }
    assert!(
        held > incomplete && held > script.len(),
        "{held} held, {incomplete} incomplete"
    );
}
