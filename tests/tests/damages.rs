//! Random damages of sidecars, roll-up, receipts, kept tails and logs, one after another in one folder of many agents' logs:
//! no panic, every answer that of the logs as they are now, no log lost, none changed. `verify` names what is wrong, and
//! `rebuild` makes all of it anew from the logs alone.
//!
//! `MEMFOLD_DAMAGES` says how many there are to be, `MEMFOLD_SEED` which: what fails says both.

// clippy.toml lets tests unwrap, but not the functions that they share.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

use memfold::{FoldReport, Memfold, Quiet};
use memfold_reference::Reference;
use memfold_sidecar::{Keeper, beside};
use memfold_tests::House;
use memfold_tests::damage::{
    HARMS, Harm, INSTEAD, Instead, Random, harmed, overwrite, remove, replace,
};
use memfold_tests::home::{half_a_turn, padded_turns, turns};
use serde_json::Value;

const CORPUS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../corpus");

/// Words of many of the logs, of one, of a tail, quoted ones, and one that none holds.
const QUERIES: &[&str] = &[
    "denylist symlink",
    "the test is what failed",
    "\"the gate held\" turn3",
    "half-a-turn",
    "cargo test guard",
    "October user error",
    "src main",
    "zyzzogeton",
];

/// Logs, what memfold made of them, and what became of both.
struct Folder {
    house: House,
    /// Stays open.
    engine: Memfold,
    random: Random,
    /// The logs as they were at first.
    first: BTreeMap<PathBuf, Vec<u8>>,
    /// The logs as they are now: memfold must not change a byte of them.
    logs: BTreeMap<PathBuf, Vec<u8>>,
    /// What the logs as they are now answer.
    reference: Option<Reference>,
    /// Derived files as they once were.
    old: Vec<(PathBuf, Vec<u8>)>,
    /// What was done since the last look.
    done: Vec<String>,
}

fn corpus(folder: &Path, below: &str, into: &mut BTreeMap<PathBuf, Vec<u8>>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = format!("{below}{}", path.file_name().unwrap().to_string_lossy());
        if path.is_dir() {
            corpus(&path, &format!("{name}/"), into);
        } else if name.ends_with(".jsonl") || name.ends_with(".json") {
            into.insert(name.into(), fs::read(&path).unwrap());
        }
    }
}

/// What is derived: its kinds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Sidecar,
    Catalogue,
    Shard,
    Receipts,
    Tail,
}

impl Folder {
    fn new(house: House, seed: u64) -> Folder {
        let mut first = BTreeMap::new();
        corpus(Path::new(CORPUS), "", &mut first);
        for number in 0..6 {
            let mut log = turns(number * 3..number * 3 + 3);
            if number % 2 == 0 {
                log.extend(half_a_turn(number * 3 + 3));
            }
            first.insert(format!("made/{number}.jsonl").into(), log);
        }
        // Long enough for lists of many postings, and for a tail that is kept.
        let mut long = padded_turns(100..160, "padding of a result\n");
        long.extend(half_a_turn(161));
        first.insert("made/long.jsonl".into(), long);
        let mut folder = Folder {
            engine: house.engine(),
            house,
            random: Random::new(seed),
            logs: BTreeMap::new(),
            first,
            reference: None,
            old: Vec::new(),
            done: Vec::new(),
        };
        folder.restore();
        folder
    }

    fn at(&self, log: &Path) -> PathBuf {
        self.house.logs().join(log)
    }

    /// Puts every log back as it was at first.
    fn restore(&mut self) {
        for log in self.logs.keys() {
            if !self.first.contains_key(log) {
                remove(&self.house.logs().join(log));
            }
        }
        for (log, bytes) in &self.first {
            if self.logs.get(log) != Some(bytes) {
                let path = self.house.logs().join(log);
                fs::create_dir_all(path.parent().unwrap()).unwrap();
                overwrite(&path, bytes);
            }
        }
        self.logs = self.first.clone();
        self.reference = None;
    }

    /// What is derived of the logs, by kind, whatever stands in its place.
    fn derived(&self) -> Vec<(Kind, PathBuf)> {
        let mut found = Vec::new();
        let mut folders = vec![self.house.logs(), self.house.cache()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).into_iter().flatten() {
                let path = entry.unwrap().path();
                let is_folder = fs::symlink_metadata(&path).is_ok_and(|stat| stat.is_dir());
                let name = path.file_name().unwrap().to_string_lossy().into_owned();
                let parent = path.parent().unwrap().file_name().unwrap().to_owned();
                let kind = match (parent.to_str(), name.as_str()) {
                    (_, name) if name.ends_with(".mem") => Some(Kind::Sidecar),
                    (Some("cache"), "receipts") => Some(Kind::Receipts),
                    (Some("rollup"), "catalogue") => Some(Kind::Catalogue),
                    (Some("rollup"), name) if name.ends_with(".shard") => Some(Kind::Shard),
                    (Some("tails"), _) => Some(Kind::Tail),
                    _ => None,
                };
                match kind {
                    Some(kind) => found.push((kind, path)),
                    None if is_folder => folders.push(path),
                    None => {}
                }
            }
        }
        found.sort();
        found
    }

    /// Damages something, as it comes.
    fn damage(&mut self) {
        let done = match self.random.below(10) {
            0..=2 => self.damage_a_log(),
            _ => self.damage_a_derived_file().what,
        };
        self.done.push(done);
    }

    fn damage_a_log(&mut self) -> String {
        let names: Vec<PathBuf> = self.logs.keys().cloned().collect();
        let log = self.random.of(&names).clone();
        let other = self.random.of(&names).clone();
        let path = self.at(&log);
        let bytes = self.logs[&log].clone();
        let what;
        let changed = match self.random.below(9) {
            // Whose a log is its first lines say: those stay. A whole-file log that is broken is read as far as it goes,
            // which the reference does not.
            0..=2 if log.extension().is_some_and(|end| end == "jsonl") => {
                let harm = *self.random.of(&HARMS);
                what = format!("{harm:?}");
                harmed(&bytes, harm, head_of(&bytes), &mut self.random)
            }
            0..=3 => {
                what = "a line again".to_owned();
                let lines: Vec<&[u8]> = bytes.split_inclusive(|byte| *byte == b'\n').collect();
                let line = if log.extension().is_some_and(|end| end == "json") {
                    &b"\n"[..]
                } else {
                    lines
                        .get(self.random.below(lines.len().max(1)))
                        .copied()
                        .unwrap_or(b"\n")
                };
                [&bytes[..], line].concat()
            }
            4 => {
                what = "as it was at first".to_owned();
                self.first.get(&log).cloned().unwrap_or_default()
            }
            5 if log.extension() == other.extension() => {
                what = format!("replaced by {}", other.display());
                self.logs[&other].clone()
            }
            6 => {
                let twin = log.with_file_name(format!(
                    "twin-{}.{}",
                    self.random.below(4),
                    log.extension().unwrap().to_string_lossy()
                ));
                overwrite(&self.at(&twin), &bytes);
                self.logs.insert(twin.clone(), bytes);
                self.reference = None;
                return format!("{}: twin {}", log.display(), twin.display());
            }
            7 if self.logs.len() > 30 => {
                fs::remove_file(&path).unwrap();
                self.logs.remove(&log);
                self.reference = None;
                return format!("{}: gone", log.display());
            }
            _ => {
                // Of the same size and the same time of change, which anyone may set: another than before all the same.
                let when = fs::metadata(&path).unwrap().modified().unwrap();
                let harmed = match log.extension().is_some_and(|end| end == "jsonl") {
                    true => harmed(&bytes, Harm::Flip, head_of(&bytes), &mut self.random),
                    false => bytes.clone(),
                };
                overwrite(&path, &harmed);
                let file = fs::File::options().write(true).open(&path).unwrap();
                file.set_modified(when).unwrap();
                self.logs.insert(log.clone(), harmed);
                self.reference = None;
                return format!("{}: the same size and time", log.display());
            }
        };
        // In place, or another file under the name, as agents do both.
        if self.random.one_in(3) {
            let beside = path.with_extension("written");
            fs::write(&beside, &changed).unwrap();
            fs::rename(&beside, &path).unwrap();
        } else {
            overwrite(&path, &changed);
        }
        self.logs.insert(log.clone(), changed);
        self.reference = None;
        format!("{}: {what}", log.display())
    }

    fn damage_a_derived_file(&mut self) -> Damage {
        let all = self.derived();
        let mut kinds: Vec<Kind> = all.iter().map(|(kind, _)| *kind).collect();
        kinds.dedup();
        if kinds.is_empty() {
            return Damage {
                what: "nothing is left to damage".to_owned(),
                path: self.house.cache(),
                is_wrong: false,
            };
        }
        let kind = *self.random.of(&kinds);
        let of_kind: Vec<&PathBuf> = all
            .iter()
            .filter(|(other, _)| *other == kind)
            .map(|(_, path)| path)
            .collect();
        let path = (*self.random.of(&of_kind)).clone();
        let other = (*self.random.of(&of_kind)).clone();
        let any = self.random.of(&all).1.clone();
        let bytes = fs::read(&path).ok();
        if let Some(bytes) = &bytes
            && self.random.one_in(4)
        {
            self.old.push((path.clone(), bytes.clone()));
        }
        let before = bytes.clone();
        // What stands in a sidecar's place beside its log is left there: the sidecar is in the cache then.
        let mut is_wrong = fs::symlink_metadata(&path).is_ok_and(|stat| stat.is_file());
        let what = match (self.random.below(16), bytes) {
            (0..=5, Some(bytes)) => {
                let harm = *self.random.of(&HARMS);
                let harmed = harmed(&bytes, harm, 0, &mut self.random);
                fs::write(&path, harmed).unwrap();
                format!("{harm:?}")
            }
            (6 | 7, Some(bytes)) if other != path => {
                if let Ok(others) = fs::read(&other) {
                    fs::write(&path, others).unwrap();
                    fs::write(&other, bytes).unwrap();
                }
                format!("swapped with {}", other.display())
            }
            (8, Some(_)) if any != path => {
                if let Ok(others) = fs::read(&any) {
                    fs::write(&path, others).unwrap();
                }
                format!("a copy of {}", any.display())
            }
            (9 | 10, _) => {
                let old: Vec<&Vec<u8>> = self
                    .old
                    .iter()
                    .filter(|(old, _)| *old == path)
                    .map(|(_, bytes)| bytes)
                    .collect();
                if !old.is_empty() {
                    let bytes = (*self.random.of(&old)).clone();
                    remove(&path);
                    fs::write(&path, bytes).unwrap();
                }
                // It may hold still.
                is_wrong = false;
                "an old version".to_owned()
            }
            (11, Some(bytes)) => {
                let name = match kind {
                    Kind::Sidecar => "twin.mem".to_owned(),
                    Kind::Shard => format!("{:032x}.shard", self.random.number()),
                    Kind::Tail => format!("{:032x}", self.random.number()),
                    Kind::Catalogue | Kind::Receipts => "twin".to_owned(),
                };
                let twin = path.with_file_name(name);
                remove(&twin);
                fs::write(&twin, bytes).unwrap();
                "a twin".to_owned()
            }
            (12, _) if other != path => {
                remove(&path);
                symlink(&other, &path).unwrap();
                format!("a link to {}", other.display())
            }
            (13, _) => {
                let folder = path.parent().unwrap();
                is_wrong = false;
                if folder.parent() == Some(&self.house.cache()) {
                    remove(folder);
                    if self.random.one_in(2) {
                        fs::write(folder, b"a file where a folder should be").unwrap();
                    }
                }
                "its folder".to_owned()
            }
            _ => {
                let by = *self.random.of(&INSTEAD);
                replace(&path, by);
                is_wrong &= by != Instead::Nothing;
                format!("{by:?} instead")
            }
        };
        let is_link = fs::symlink_metadata(&path).is_ok_and(|stat| stat.is_symlink());
        Damage {
            what: format!("{}: {what}", path.display()),
            is_wrong: is_wrong && (is_link || fs::read(&path).ok() != before),
            path,
        }
    }

    /// Searches, and holds the answer against the logs as they are.
    fn search(&mut self) -> Result<usize, String> {
        let reference = self.reference.get_or_insert_with(|| self.house.reference());
        let mut found = 0;
        for _ in 0..2 {
            let query = *self.random.of(QUERIES);
            // An engine of now, or one that was open while all this happened.
            let new = self.random.one_in(2).then(|| self.house.engine());
            let engine = new.as_ref().unwrap_or(&self.engine);
            found += self.house.compare_events(engine, reference, query)?;
        }
        Ok(found)
    }

    /// Searches for everything.
    fn search_all(&mut self) -> Result<(), String> {
        let reference = self.house.reference();
        for query in QUERIES {
            self.house
                .compare_events(&self.house.engine(), &reference, query)?;
        }
        Ok(())
    }

    /// The command, a process of its own, finds what a search here finds.
    fn search_by_command(&mut self, command: &Path) -> Result<(), String> {
        let query = *self.random.of(QUERIES);
        let root = self.house.root();
        let output = Command::new(command)
            .env_clear()
            .env("AI_AGENT", "test")
            .env("HOME", root)
            .envs(["DATA", "CONFIG", "CACHE"].map(|name| {
                let folder = root.join(name.to_lowercase());
                (format!("MEMFOLD_{name}_DIR"), folder)
            }))
            .args(["search", "--json", "-n", "20", "--project"])
            .arg(root.join("project"))
            .arg("--logs")
            .arg(self.house.logs())
            .args(["--", query])
            .output()
            .unwrap();
        if !matches!(output.status.code(), Some(0 | 1)) {
            return Err(format!("{query:?} by the command: {output:?}"));
        }
        let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
        let found: Vec<(String, u64)> = answer["results"]
            .as_array()
            .unwrap()
            .iter()
            .map(|hit| {
                (
                    hit["log"].as_str().unwrap().to_owned(),
                    hit["seq"].as_u64().unwrap(),
                )
            })
            .collect();
        let here = self.house.search(query).unwrap();
        let expected = here.results.iter().take(20);
        let expected: Vec<(String, u64)> = expected
            .map(|hit| (hit.log.display().to_string(), hit.seq))
            .collect();
        match found == expected {
            true => Ok(()),
            false => Err(format!(
                "{query:?} by the command: {found:?}\nhere: {expected:?}"
            )),
        }
    }

    /// No log is another than it was left.
    fn logs_are_untouched(&self) -> Result<(), String> {
        for (log, bytes) in &self.logs {
            if fs::read(self.at(log)).ok().as_ref() != Some(bytes) {
                return Err(format!("{} was changed", log.display()));
            }
        }
        Ok(())
    }

    /// One damage or a few, and a look.
    fn step(&mut self) -> Result<(), String> {
        for _ in 0..1 + self.random.below(3) {
            self.damage();
        }
        if let Some(command) = command().filter(|_| self.random.one_in(25)) {
            self.search_by_command(&command)?;
        }
        self.search()?;
        self.logs_are_untouched()
    }
}

/// The command, if cargo built it beside this test.
fn command() -> Option<PathBuf> {
    let test = std::env::current_exe().ok()?;
    let command = test.parent()?.parent()?.join("memfold");
    command.is_file().then_some(command)
}

impl Folder {
    fn rebuild(&self) -> Result<FoldReport, String> {
        // Folders that hold something are set aside, and never removed: a second one would have no place.
        let aside = |name: &str| remove(&self.house.cache().join(format!("{name}.damaged")));
        ["receipts", "rollup", "sidecars", "tails"]
            .into_iter()
            .for_each(aside);
        for (_, path) in self.derived() {
            let mut aside = path.into_os_string();
            aside.push(".damaged");
            remove(Path::new(&aside));
        }
        let report = self
            .house
            .engine()
            .rebuild(&[self.house.logs()], &Quiet)
            .unwrap();
        match report.sums.iter().find(|sum| sum.failed > 0) {
            Some(_) => {
                let logs = report.logs.iter();
                let failed: Vec<_> = logs
                    .filter(|row| !row.done.starts_with("folded") || row.done.contains("memory"))
                    .map(|row| (&row.path, &row.found, &row.done))
                    .collect();
                Err(format!(
                    "rebuild failed: {failed:#?}\n{:#?}\n{:#?}",
                    report.sums, report.kept
                ))
            }
            None => Ok(report),
        }
    }

    fn verify(&self) -> FoldReport {
        self.house
            .engine()
            .verify(&[self.house.logs()], &Quiet)
            .unwrap()
    }

    fn is_right(&self, when: &str) -> Result<(), String> {
        let report = self.verify();
        if report.wrong == 0 {
            return Ok(());
        }
        let logs: Vec<_> = report.logs.iter().filter(|row| row.wrong).collect();
        let kept: Vec<_> = report.kept.iter().filter(|row| row.wrong).collect();
        Err(format!("{when}: {logs:#?}\n{kept:#?}"))
    }

    /// Everything is made anew, and right; one thing is damaged, which a check names; and made anew again.
    fn named_and_mended(&mut self) -> Result<(), String> {
        self.rebuild()?;
        self.house.roll();
        self.is_right("rebuilt")?;
        let damage = self.damage_a_derived_file();
        let (path, is_wrong) = (damage.path.clone(), damage.is_wrong);
        self.done.push(damage.what);
        let report = self.verify();
        let keeper = Keeper::new(self.house.engine_locks(), self.house.cache());
        let is_of = |log: &Path| beside(log) == path || keeper.in_cache(log) == path;
        let of_a_log = report.logs.iter().find(|row| is_of(&row.path));
        let named = of_a_log.is_some_and(|row| row.verdict != "current")
            || report.kept.iter().any(|row| row.path == path);
        // What is of another version, of another agent's rules, of another state of a log or of none answers nothing, and is no
        // fault.
        let answers_nothing = |found: &str| {
            ["older", "another version", "another state"]
                .iter()
                .any(|said| found.contains(said))
        };
        let is_unbelieved = of_a_log
            .is_some_and(|row| ["orphan", "other-form", "fold-changed"].contains(&row.verdict))
            || report
                .kept
                .iter()
                .any(|row| row.path == path && answers_nothing(&row.found));
        if is_wrong && !(named && (report.wrong > 0 || is_unbelieved || self.is_nobodys(&path))) {
            return Err(format!("not named: {report:#?}"));
        }
        for row in report.logs.iter().filter(|row| row.wrong) {
            assert!(!row.mend.is_empty(), "{row:?}");
        }
        self.rebuild()?;
        self.is_right("mended")?;
        self.search()?;
        self.logs_are_untouched()
    }

    /// Whether a sidecar is of no log.
    fn is_nobodys(&self, path: &Path) -> bool {
        let keeper = Keeper::new(self.house.engine_locks(), self.house.cache());
        let mut logs = self.logs.keys().map(|log| self.at(log));
        !logs.any(|log| beside(&log) == path || keeper.in_cache(&log) == path)
    }
}

/// What was done to a derived file.
struct Damage {
    what: String,
    path: PathBuf,
    /// A check must say so.
    is_wrong: bool,
}

/// How many bytes of a log are left alone: its first two lines.
fn head_of(bytes: &[u8]) -> usize {
    let lines = bytes.split_inclusive(|byte| *byte == b'\n');
    lines.take(2).map(<[u8]>::len).sum()
}

fn number(variable: &str) -> Option<u64> {
    std::env::var(variable).ok()?.parse().ok()
}

/// Damages what is in a house, so many times, and looks after each few.
fn damage(house: House, damages: usize, seed: u64) {
    let mut folder = Folder::new(house, seed);
    folder.house.roll();
    assert!(folder.house.is_rolled());
    let (mut damaged, mut rolled) = (0, 0);
    while damaged < damages {
        let looked = match folder.random.one_in(24) {
            true => folder.named_and_mended(),
            false => folder.step(),
        };
        if let Err(why) = looked {
            let done = folder.done.join("\n");
            let wrong = folder.is_right("checked then").err().unwrap_or_default();
            let again = folder.search_all().err().unwrap_or_default();
            let root = folder.house.root().display().to_string();
            if std::env::var_os("MEMFOLD_KEEP").is_some() {
                // What failed can be looked at where it lies.
                std::mem::forget(folder);
            }
            panic!(
                "MEMFOLD_SEED={seed}, damage {damaged}: {why}\nafter\n{done}\n{wrong}\nsearched again: {again}\nin {root}"
            );
        }
        damaged += folder.done.len();
        folder.done.clear();
        if !folder.house.is_rolled() && folder.random.one_in(2) {
            if folder.random.one_in(4) {
                folder.restore();
            }
            folder.house.roll();
        }
        rolled += usize::from(folder.house.is_rolled());
    }
    assert!(rolled > 0);
}

fn damages() -> usize {
    number("MEMFOLD_DAMAGES").map_or(300, |damages| damages as usize)
}

fn seed() -> u64 {
    number("MEMFOLD_SEED").unwrap_or(7)
}

#[test]
fn whatever_is_damaged_every_answer_is_the_logs() {
    damage(House::rolling(), damages() * 2 / 3, seed());
}

/// Where no sidecar beside a log is believed, all of them lie in the cache.
#[test]
fn in_a_work_tree_too() {
    damage(House::rolling_in_work_tree(), damages() / 3, seed());
}
