//! The other side of a warm measurement: a process that opens an index once and answers every question, twice, the second
//! time against the clock. memfold's engine is asked as a front end asks it, so each search looks at the logs' folders
//! again. Beside it a search of logs that were opened once, ranked as they were then: what a peer's search does.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::io::Write;
use std::path::Path;
use std::time::Instant;

use memfold::{Filter, Logs, Memfold, Options, Quiet, Search, Viewer};

use super::Result;
use super::asking::LIMIT;
use super::fts5::Fts5;
use super::report::Measure;
use super::tantivy::Tantivy;

/// Who can be asked.
pub(crate) const SUBJECTS: [&str; 4] = [
    "tantivy",
    "FTS5",
    "memfold, its engine open",
    "memfold, its logs opened",
];

/// Answers the questions of a file, and prints the median time of each length in microseconds.
pub(crate) fn answer(subject: &str, folders: &[String]) -> Result<()> {
    let [logs, home, queries, tantivy, fts5] = folders else {
        return Err("warm: subject, logs, home, questions, two indexes".into());
    };
    let questions: Vec<Vec<String>> = fs::read_to_string(queries)?
        .lines()
        .map(|line| line.split(' ').map(str::to_owned).collect())
        .collect();
    match subject {
        "tantivy" => {
            let index = Tantivy::open(tantivy.as_ref())?;
            time(&questions, |words| {
                index.search(words, LIMIT)?;
                Ok(())
            })
        }
        "FTS5" => {
            let index = Fts5::open(fts5.as_ref())?;
            time(&questions, |words| {
                index.search(words, LIMIT)?;
                Ok(())
            })
        }
        "memfold, its engine open" => {
            let engine = engine(home.as_ref())?;
            time(&questions, |words| {
                let search = Search {
                    query: words.join(" "),
                    logs: Logs::Below(vec![logs.into()]),
                    limit: LIMIT,
                    filter: Filter::default(),
                };
                engine.search(&search, &Quiet)?;
                Ok(())
            })
        }
        _ => {
            let engine = engine(home.as_ref())?;
            let logs = Logs::Below(vec![logs.into()]);
            engine.with_opened(&logs, &Quiet, |logs| {
                time(&questions, |words| {
                    logs.rank(&words.join(" "), LIMIT)?;
                    Ok(())
                })
            })?
        }
    }
}

fn engine(home: &Path) -> Result<Memfold> {
    let home = OsString::from(home);
    Ok(Memfold::open(Options {
        project: None,
        working_directory: home.clone().into(),
        data_dir: None,
        config_dir: None,
        cache_dir: None,
        viewer: Viewer::Person,
        roll_from: memfold::ROLL_FROM,
        variables: Box::new(move |name: &str| (name == "HOME").then(|| home.clone())),
    })?)
}

fn time(questions: &[Vec<String>], mut ask: impl FnMut(&[String]) -> Result<()>) -> Result<()> {
    for question in questions {
        ask(question)?;
    }
    let mut times: BTreeMap<usize, Vec<f64>> = BTreeMap::new();
    for question in questions {
        let begun = Instant::now();
        ask(question)?;
        let micros = begun.elapsed().as_secs_f64() * 1e6;
        times.entry(question.len()).or_default().push(micros);
    }
    let mut out = std::io::stdout().lock();
    for (words, times) in times {
        writeln!(out, "{words} {}", Measure::of(times).median)?;
    }
    Ok(())
}
