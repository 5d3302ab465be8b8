//! What a search costs. One-shot: a process for each question, as an agent's shell starts it, the page cache hot. Warm: a
//! process that has everything open and is asked again and again. All are asked the same questions, for their best ten.
//! A peer prints ten numbers; memfold reads its ten events again, redacts them and shows their lines.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use super::cost::{Cost, cost};
use super::house::{House, bytes_of};
use super::queries::{LENGTHS, Query, draw};
use super::report::{Bar, Measure, Report, ms, three};
use super::warm::SUBJECTS;
use super::{Result, step};

/// So many results are asked for.
pub(crate) const LIMIT: usize = 10;
const SEED: u64 = 42;

/// How much is asked.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Effort {
    /// Different questions of each length.
    pub(crate) questions: usize,
    /// How often each is asked; the cheapest time counts.
    pub(crate) rounds: usize,
    /// Questions of each length to a process that stays.
    pub(crate) warm: usize,
}

/// Whom a question is put to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Asked {
    /// A process that does nothing.
    Nothing,
    Tantivy,
    Fts5,
    Memfold,
    Ripgrep,
}

impl Asked {
    fn name(self) -> &'static str {
        match self {
            Asked::Nothing => "an empty process",
            Asked::Tantivy => "tantivy",
            Asked::Fts5 => "FTS5",
            Asked::Memfold => "memfold",
            Asked::Ripgrep => "rg -c over the logs",
        }
    }

    fn command(self, house: &House, words: &Query) -> Result<Command> {
        Ok(match self {
            Asked::Nothing => step("nothing")?,
            Asked::Tantivy => {
                let mut command = step("tantivy-search")?;
                command.arg(house.tantivy()).args(words);
                command
            }
            Asked::Fts5 => {
                let mut command = step("fts5-search")?;
                command.arg(house.fts5()).args(words);
                command
            }
            Asked::Memfold => house.search(words, LIMIT),
            Asked::Ripgrep => {
                let mut command = Command::new("rg");
                command.args(["-c", "-i", "--no-ignore"]);
                for word in words {
                    command.args(["-e", word]);
                }
                command.arg(house.logs());
                command
            }
        })
    }
}

/// What a question costs, by whom it is put to and by its length: for each the median question, at its cheapest.
pub(crate) struct OneShot(BTreeMap<(Asked, usize), (Measure, Measure)>);

impl OneShot {
    fn cpu(&self, asked: Asked, words: usize) -> f64 {
        self.0
            .get(&(asked, words))
            .map_or(f64::NAN, |(cpu, _)| cpu.median)
    }

    /// memfold's processor time, in milliseconds.
    pub(crate) fn memfold(&self, words: usize) -> f64 {
        self.cpu(Asked::Memfold, words)
    }
}

/// Puts questions to one process each. `peers` says whether their indexes are there.
pub(crate) fn measure_one_shot(
    house: &House,
    effort: Effort,
    peers: Peers,
    report: &mut Report,
) -> Result<OneShot> {
    report.part(format!(
        "{}: one-shot search, {} questions of each length, {} rounds, CPU ms (wall)",
        house.name, effort.questions, effort.rounds
    ));
    let mut asked = vec![Asked::Nothing, Asked::Memfold];
    if peers == Peers::Built {
        asked.extend([Asked::Tantivy, Asked::Fts5]);
        if is_there("rg") {
            asked.push(Asked::Ripgrep);
        }
    }
    asked.sort();
    let mut found = BTreeMap::new();
    for words in LENGTHS {
        let questions = draw(&house.files, words, effort.questions, SEED)?;
        let mut best = vec![vec![None::<Cost>; questions.len()]; asked.len()];
        for _ in 0..effort.rounds {
            for (number, question) in questions.iter().enumerate() {
                for (asked, best) in asked.iter().zip(&mut best) {
                    let cost = cost(&mut asked.command(house, question)?)?;
                    let known = best[number].get_or_insert(cost);
                    known.cpu = known.cpu.min(cost.cpu);
                    known.wall = known.wall.min(cost.wall);
                }
            }
        }
        for (asked, best) in asked.iter().zip(&best) {
            let times = |of: fn(&Cost) -> Duration| {
                Measure::of(best.iter().flatten().map(move |cost| ms(of(cost))))
            };
            let measures = (times(|cost| cost.cpu), times(|cost| cost.wall));
            found.insert((*asked, words), measures);
        }
    }
    let found = OneShot(found);
    print(&found, &asked, report);
    if peers == Peers::Built {
        if !asked.contains(&Asked::Ripgrep) {
            report.line("  rg is not installed, so there is no scan to compare with");
        }
        hold(&found, report);
    }
    Ok(found)
}

/// Whether the peers' indexes of a set were built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Peers {
    Built,
    Absent,
}

fn print(found: &OneShot, asked: &[Asked], report: &mut Report) {
    let heads: Vec<String> = LENGTHS
        .iter()
        .map(|words| format!("{:>16}", format!("k={words}")))
        .collect();
    report.line(format!("  {:<20}{}", "", heads.concat()));
    for asked in asked {
        let cells: Vec<String> = LENGTHS
            .iter()
            .filter_map(|words| found.0.get(&(*asked, *words)))
            .map(|(cpu, wall)| {
                format!(
                    "{:>16}",
                    format!("{} ({})", three(cpu.median), three(wall.median))
                )
            })
            .collect();
        report.line(format!("  {:<20}{}", asked.name(), cells.concat()));
    }
}

fn hold(found: &OneShot, report: &mut Report) {
    for words in LENGTHS {
        let ours = found.memfold(words);
        let tantivy = ours / found.cpu(Asked::Tantivy, words);
        report.hold_one(
            &format!("k={words}: memfold / tantivy"),
            tantivy,
            Bar::AtMost(1.2),
        );
        let bar = match words {
            40 => Bar::AtMost(0.1),
            4.. => Bar::AtMost(0.5),
            _ => Bar::None,
        };
        let fts5 = ours / found.cpu(Asked::Fts5, words);
        report.hold_one(&format!("k={words}: memfold / FTS5"), fts5, bar);
    }
}

/// What a missing receipt, and a missing sidecar, cost a search.
pub(crate) fn measure_receipts(house: &House, rounds: usize, report: &mut Report) -> Result<()> {
    report.part(format!(
        "{}: what the cache folder is for, CPU ms of a search of 4 words",
        house.name
    ));
    let question = draw(&house.files, 4, 1, SEED)?.remove(0);
    let search = || cost(&mut house.search(&question, LIMIT));
    search()?;
    let share = bytes_of(&house.cache())? as f64 / house.bytes as f64;
    let what = "cache folder (receipts, tails, roll-up) / logs";
    report.hold_one(what, share, Bar::None);
    let [mut kept, mut deleted] = [Vec::new(), Vec::new()];
    for _ in 0..rounds {
        kept.push(ms(search()?.cpu));
        house.forget_receipts()?;
        deleted.push(ms(search()?.cpu));
        // The one after makes sure that the receipts are there again.
        search()?;
    }
    let [kept, deleted] = [kept, deleted].map(Measure::of);
    report.hold("cache kept", kept, Bar::None);
    report.hold(
        "cache deleted: every log is folded to prove it",
        deleted,
        Bar::None,
    );
    house.unfold()?;
    let first = ms(search()?.cpu);
    report.hold_one("nothing there: every log is folded", first, Bar::None);
    Ok(())
}

/// Puts questions to processes that stay.
pub(crate) fn measure_warm(house: &House, effort: Effort, report: &mut Report) -> Result<()> {
    report.part(format!(
        "{}: warm search, {} questions of each length, p50 in ms",
        house.name, effort.warm
    ));
    let mut questions = String::new();
    for words in LENGTHS {
        for query in draw(&house.files, words, effort.warm, SEED)? {
            questions.push_str(&query.join(" "));
            questions.push('\n');
        }
    }
    fs::write(house.queries(), questions)?;
    let mut found: BTreeMap<(&str, usize), f64> = BTreeMap::new();
    for _ in 0..effort.rounds.min(3) {
        for subject in SUBJECTS {
            for (words, micros) in ask_warm(house, subject)? {
                let time = micros / 1e3;
                let known = found.entry((subject, words)).or_insert(time);
                *known = known.min(time);
            }
        }
    }
    let heads: Vec<String> = LENGTHS
        .iter()
        .map(|k| format!("{:>10}", format!("k={k}")))
        .collect();
    report.line(format!("  {:<34}{}", "", heads.concat()));
    let of = |subject, words| found.get(&(subject, words)).copied().unwrap_or(f64::NAN);
    for subject in SUBJECTS {
        let cells: Vec<String> = LENGTHS
            .iter()
            .map(|words| format!("{:>10}", three(of(subject, *words))))
            .collect();
        report.line(format!("  {subject:<34}{}", cells.concat()));
    }
    // A peer's searcher answers of its index as it was opened. So do logs opened once; the engine looks at each log again.
    let [tantivy, _, engine, opened] = SUBJECTS;
    for words in LENGTHS {
        let bar = if words == 40 { 0.5 } else { 1.5 };
        let ratio = of(opened, words) / of(tantivy, words);
        report.hold_one(
            &format!("k={words}: {opened} / tantivy"),
            ratio,
            Bar::AtMost(bar),
        );
        let ratio = of(engine, words) / of(tantivy, words);
        report.hold_one(&format!("k={words}: {engine} / tantivy"), ratio, Bar::None);
    }
    Ok(())
}

/// The median time of each length of question, in microseconds.
fn ask_warm(house: &House, subject: &str) -> Result<Vec<(usize, f64)>> {
    let output = step("warm")?
        .arg(subject)
        .args([house.logs(), house.home(), house.queries()])
        .args([house.tantivy(), house.fts5()])
        .output()?;
    if !output.status.success() {
        let why = String::from_utf8_lossy(&output.stderr).into_owned();
        return Err(format!("{subject}: {why}").into());
    }
    String::from_utf8(output.stdout)?
        .lines()
        .map(|line| {
            let (words, micros) = line.split_once(' ').ok_or("a length and a time")?;
            Ok((words.parse()?, micros.parse()?))
        })
        .collect()
}

fn is_there(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = |folder: PathBuf| folder.join(program).is_file();
    std::env::split_paths(&path).any(found)
}
