//! The other side of a warm measurement: a process that opens an index once and answers every question, twice, the second
//! time against the clock. memfold's engine is asked as a front end asks it, so each search looks at the logs' folders
//! again. Beside it its gathering and ranking alone, over the logs' own sidecars, all open and no roll-up of them: what a
//! peer's search does.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Instant;

use memfold::ranking::{EventId, Places, concepts, rank};
use memfold::{Filter, Logs, Memfold, Options, Quiet, Search, Viewer};
use memfold_disk::{Links, Snapshot};
use memfold_segment::{DocId, Everything, Matches, Reader};
use memfold_sidecar::{Sidecar, beside};
use memfold_text::Query;

use super::Result;
use super::asking::LIMIT;
use super::documents::logs_below;
use super::fts5::Fts5;
use super::report::Measure;
use super::tantivy::Tantivy;

/// Who can be asked.
pub(crate) const SUBJECTS: [&str; 4] = [
    "tantivy",
    "FTS5",
    "memfold, its engine open",
    "memfold, ranking open sidecars",
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
        _ => rank_alone(logs.as_ref(), &questions),
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

/// Sidecars alone: whole turns, of which each is its own sitting, and every copy of an event counts.
fn rank_alone(logs: &Path, questions: &[Vec<String>]) -> Result<()> {
    let sidecars: Vec<Sidecar<Snapshot>> = logs_below(logs)?
        .iter()
        .map(|log| beside(log))
        .filter(|path| path.exists())
        .map(|path: PathBuf| Ok(Sidecar::open(Snapshot::open(path, Links::Refuse)?)?))
        .collect::<Result<_>>()?;
    let readers = sidecars
        .iter()
        .map(|sidecar| Ok(Reader::open(sidecar.words()?)?))
        .collect::<Result<Vec<_>>>()?;
    let readers: Vec<_> = readers.iter().collect();
    let places = Whole(readers.iter().map(|reader| reader.documents()).collect());
    time(questions, |words| {
        let query = Query::new(&words.join(" "));
        let matches = Matches::gather(&readers, &concepts(&query), &Everything);
        rank(&query, &matches, &places, &Everything, &Everything, LIMIT);
        Ok(())
    })
}

/// A log is a segment.
struct Whole(Vec<u32>);

impl Places for Whole {
    fn event(&self, segment: usize, document: DocId) -> EventId {
        EventId {
            log: segment,
            number: document.0,
        }
    }

    fn document(&self, event: EventId) -> Option<(usize, DocId)> {
        let documents = *self.0.get(event.log)?;
        (event.number < documents).then_some((event.log, DocId(event.number)))
    }

    fn group(&self, event: EventId) -> Option<u32> {
        (event.number < *self.0.get(event.log)?).then_some(0)
    }
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
