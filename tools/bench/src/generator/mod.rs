//! Made-up sets of logs, the same bytes for the same seed on every machine: no text of anybody's files or sessions is in
//! them. They hold what real folders hold: two agents, sub-agents' files, forks that copy half of another log under the same
//! uuids, tails whose turn is not over, last lines that are torn.
//!
//! In reading order: `words` is the language, `project` the files that tools show, `session` what happens, `claude` and
//! `codex` how it is written down.

mod claude;
mod codex;
mod ids;
mod project;
mod session;
pub(crate) mod words;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use rayon::prelude::*;

use self::claude::ClaudeLog;
use self::codex::CodexLog;
use self::ids::Ids;
use self::project::Project;
use self::session::{Session, Step};
use self::words::Vocabulary;
use crate::random::Random;

/// How much a set is: a project, a busy machine, years of all projects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Extent {
    Small,
    Middle,
    Large,
}

/// A set to make.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Size {
    pub(crate) extent: Extent,
    pub(crate) logs: usize,
    /// About so many bytes in all.
    pub(crate) bytes: u64,
    pub(crate) seed: u64,
}

impl Size {
    /// The sets of the tables.
    pub(crate) const ALL: [Size; 3] = [
        size(Extent::Small, 80, 150_000_000, 7),
        size(Extent::Middle, 800, 1_000_000_000, 11),
        size(Extent::Large, 8000, 10_000_000_000, 13),
    ];

    /// Its name in tables.
    pub(crate) fn name(self) -> &'static str {
        match self.extent {
            Extent::Small => "S",
            Extent::Middle => "M",
            Extent::Large => "L",
        }
    }

    /// The set of this name.
    pub(crate) fn named(name: &str) -> Result<Size, String> {
        let known = Size::ALL.into_iter().find(|size| size.name() == name);
        known.ok_or_else(|| format!("there is no set {name}: S, M or L"))
    }
}

const fn size(extent: Extent, logs: usize, bytes: u64, seed: u64) -> Size {
    Size {
        extent,
        logs,
        bytes,
        seed,
    }
}

/// The vocabulary of a set.
const WORDS: usize = 40_000;
/// No log is meant to be shorter.
const LEAST: u64 = 40_000;

/// Writes a set below a folder. Returns how many bytes it has.
pub(crate) fn write_set(size: Size, folder: &Path) -> io::Result<u64> {
    let random = Random::new(size.seed);
    let words = Vocabulary::new(random.of(0), WORDS);
    let weights: Vec<f64> = (0..size.logs).map(|log| weight(&random, log)).collect();
    let all: f64 = weights.iter().sum();
    (0..size.logs)
        .into_par_iter()
        .map(|log| {
            let bytes = (size.bytes as f64 * weights[log] / all) as u64;
            let set = Set {
                random: random.clone(),
                words: &words,
                logs: size.logs,
            };
            let (path, text) = set.log(log, bytes.max(LEAST)).map_err(io::Error::other)?;
            let path = folder.join(path);
            fs::create_dir_all(path.parent().unwrap_or(folder))?;
            fs::write(path, &text)?;
            Ok(text.len() as u64)
        })
        .sum()
}

/// One log of Claude Code of about so many bytes, and the lines of the turns that come after.
#[cfg(feature = "peers")]
pub(crate) fn one_log(bytes: u64, seed: u64) -> serde_json::Result<(Vec<u8>, Vec<Vec<u8>>)> {
    let random = Random::new(seed);
    let words = Vocabulary::new(random.of(0), WORDS);
    let project = Project::new(&random.of(1), &words);
    let mut session = Session::new(&project, random.of(2));
    let mut ids = Ids::new(random.of(3), 0);
    let task = ids.uuid();
    let mut log = ClaudeLog::new(ids, task, project.folder.clone(), None);
    while (log.text.len() as u64) < bytes {
        turn(&mut session, &mut |step| log.add(step))?;
    }
    let whole = std::mem::take(&mut log.text);
    let mut turns = Vec::new();
    for _ in 0..32 {
        turn(&mut session, &mut |step| log.add(step))?;
        turns.push(std::mem::take(&mut log.text));
    }
    Ok((whole, turns))
}

/// How much of a set's bytes a log has: most have little, a few have much.
fn weight(random: &Random, log: usize) -> f64 {
    let mut random = random.of(1_000_000 + log as u64);
    let normal: f64 = (0..12).map(|_| random.share()).sum::<f64>() - 6.0;
    let whose = if Part::of(log) == Part::Helper {
        0.3
    } else {
        1.0
    };
    whose * (0.7 * normal).exp()
}

/// What a log is: of each twenty, thirteen are Claude Code's own, two their sub-agents', one a fork, four Codex's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Own,
    Helper,
    Fork,
    Codex,
}

impl Part {
    fn of(log: usize) -> Part {
        match log % 20 {
            0..13 => Part::Own,
            13..15 => Part::Helper,
            15 => Part::Fork,
            _ => Part::Codex,
        }
    }
}

/// How a log ends.
#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    Whole,
    /// In the middle of a turn.
    Open,
    /// In the middle of a turn and of a line.
    Torn,
}

struct Set<'v> {
    random: Random,
    words: &'v Vocabulary,
    logs: usize,
}

impl Set<'_> {
    /// The n-th log: its path below the set's folder, and its bytes.
    fn log(&self, log: usize, bytes: u64) -> serde_json::Result<(PathBuf, Vec<u8>)> {
        let twenty = log - log % 20;
        let of = match Part::of(log) {
            Part::Own | Part::Codex => log,
            // Of the logs before them, so that they are there in a small set too.
            Part::Helper => twenty,
            Part::Fork => twenty + 1,
        };
        let own = self.random.of(2_000_000 + log as u64);
        let origin = self.random.of(2_000_000 + of as u64);
        let project = self.project(&origin);
        let (task, ids) = names(&origin, of);
        let end = match log % 6 {
            5 if log % 12 == 5 => End::Torn,
            5 => End::Open,
            _ => End::Whole,
        };
        let store = PathBuf::from("claude").join(project.folder.replace('/', "-"));
        let cwd = project.folder.clone();
        match Part::of(log) {
            Part::Own => {
                let mut text = ClaudeLog::new(ids, task.clone(), cwd, None);
                let mut session = Session::new(&project, origin.of(3));
                fill(&mut session, bytes, end, &mut |step| {
                    text.add(step)?;
                    Ok(text.text.len())
                })?;
                Ok((store.join(task + ".jsonl"), torn(text.text, end)))
            }
            Part::Helper => {
                let helper = format!("{:08x}", own.of(4).next() >> 32);
                let (_, ids) = names(&own, log);
                let mut text = ClaudeLog::new(ids, task.clone(), cwd, Some(helper.clone()));
                let mut session = Session::new(&project, own.of(3));
                fill(&mut session, bytes, end, &mut |step| {
                    text.add(step)?;
                    Ok(text.text.len())
                })?;
                let path = store.join(task).join("subagents");
                Ok((
                    path.join(format!("agent-{helper}.jsonl")),
                    torn(text.text, end),
                ))
            }
            Part::Fork => {
                let (own_task, _) = names(&own, log);
                let mut text = ClaudeLog::new(ids, own_task.clone(), cwd, None);
                let mut session = Session::new(&project, origin.of(3));
                fill(&mut session, bytes / 2, End::Whole, &mut |step| {
                    text.add(step)?;
                    Ok(text.text.len())
                })?;
                text.ids.branch(own.of(2));
                session.random = own.of(3);
                fill(&mut session, bytes, end, &mut |step| {
                    text.add(step)?;
                    Ok(text.text.len())
                })?;
                Ok((store.join(own_task + ".jsonl"), torn(text.text, end)))
            }
            Part::Codex => {
                let day = ids.time();
                let mut text = CodexLog::new(ids, &task, cwd)?;
                let mut session = Session::new(&project, origin.of(3));
                fill(&mut session, bytes, end, &mut |step| {
                    text.add(step)?;
                    Ok(text.text.len())
                })?;
                let [year, month, date] = [&day[..4], &day[5..7], &day[8..10]];
                let name = format!("rollout-{}-{task}.jsonl", day[..19].replace(':', "-"));
                let path = PathBuf::from("codex").join(year).join(month).join(date);
                Ok((path.join(name), torn(text.text, end)))
            }
        }
    }

    /// A log's project: there are fewer than logs, and some have many.
    fn project(&self, log: &Random) -> Project<'_> {
        let projects = (self.logs / 6 + 2) as f64;
        let number = projects.powf(log.of(1).share()) as u64;
        Project::new(&self.random.of(3_000_000 + number), self.words)
    }
}

/// A log's own id, and those of its lines.
fn names(random: &Random, log: usize) -> (String, Ids) {
    let mut ids = Ids::new(random.of(2), log);
    (ids.uuid(), ids)
}

/// Adds turns until there are so many bytes. `add` says how many there are.
fn fill(
    session: &mut Session<'_>,
    bytes: u64,
    end: End,
    add: &mut impl FnMut(&Step) -> serde_json::Result<usize>,
) -> serde_json::Result<()> {
    let mut written = 0;
    while written < bytes {
        turn(session, &mut |step| {
            written = add(step)? as u64;
            Ok(())
        })?;
    }
    if end != End::Whole {
        add(&session.ask())?;
        for _ in 0..6 {
            match session.go_on() {
                Step::Replies(_) => break,
                step => add(&step)?,
            };
        }
    }
    Ok(())
}

fn turn(
    session: &mut Session<'_>,
    add: &mut impl FnMut(&Step) -> serde_json::Result<()>,
) -> serde_json::Result<()> {
    add(&session.ask())?;
    loop {
        let step = session.go_on();
        add(&step)?;
        if matches!(step, Step::Replies(_)) {
            return Ok(());
        }
    }
}

fn torn(mut text: Vec<u8>, end: End) -> Vec<u8> {
    if end == End::Torn {
        let last = text[..text.len().saturating_sub(1)]
            .iter()
            .rposition(|byte| *byte == b'\n')
            .map_or(0, |place| place + 1);
        text.truncate(last + (text.len() - last) / 2);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    const TINY: Size = size(Extent::Small, 20, 6_000_000, 3);

    fn digest(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
        let mut files = Vec::new();
        let mut folders = vec![folder.to_owned()];
        while let Some(below) = folders.pop() {
            for entry in fs::read_dir(below).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                } else {
                    let name = path.strip_prefix(folder).unwrap().to_owned();
                    files.push((name, fs::read(&path).unwrap()));
                }
            }
        }
        files.sort();
        files
    }

    #[test]
    fn the_same_seed_gives_the_same_bytes() {
        let [one, two] = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
        let bytes = write_set(TINY, one.path()).unwrap();
        assert_eq!(write_set(TINY, two.path()).unwrap(), bytes);
        let files = digest(one.path());
        assert_eq!(files.len(), TINY.logs);
        assert!(files == digest(two.path()));
        let other = Size { seed: 4, ..TINY };
        let three = tempfile::tempdir().unwrap();
        write_set(other, three.path()).unwrap();
        assert!(files != digest(three.path()));
    }

    #[test]
    fn a_set_holds_what_folders_hold() {
        let folder = tempfile::tempdir().unwrap();
        let bytes = write_set(TINY, folder.path()).unwrap();
        assert!((TINY.bytes..2 * TINY.bytes).contains(&bytes), "{bytes}");
        let files = digest(folder.path());
        let ends = |text: &[u8]| text.ends_with(b"\n");
        assert!(files.iter().any(|(_, text)| !ends(text)), "none is torn");
        let named = |part: &str| {
            let named = |path: &Path| path.to_string_lossy().contains(part);
            files.iter().filter(|(path, _)| named(path)).count()
        };
        assert_eq!(named("/subagents/agent-"), 2);
        assert_eq!(named("rollout-"), 4);
        // The fork says half of another log again, uuids and all.
        let uuids = |text: &[u8]| -> Vec<String> {
            let text = String::from_utf8_lossy(text).into_owned();
            let after = text.split("\"uuid\":\"").skip(1);
            after.map(|rest| rest[..36].to_owned()).collect()
        };
        let mut all: Vec<String> = files.iter().flat_map(|(_, text)| uuids(text)).collect();
        let lines = all.len();
        all.sort();
        all.dedup();
        assert!(lines > all.len() + 10, "{lines} lines, {} uuids", all.len());
    }
}
