//! memfold beside its peers, on the same documents in the same run: `peers` prints the tables of what building, asking and
//! appending cost, as ratios, each beside the bar that was set for it, and at the end what falls short.
//!
//! In reading order: `house` is where a set is measured and `cost` what a process costs; `documents` reads logs for the
//! peers, `tantivy` and `fts5` are those; `building`, `asking` (with `queries` and `warm`), `growing` and `stages` measure;
//! `report` prints; `tree` measures a repository's index, a command of its own. Ratios of one run can be compared with those of another, times cannot: builds are interleaved and the
//! median of the rounds' ratios counts; of a search's rounds the cheapest counts.

mod asking;
mod building;
mod cost;
mod documents;
mod fts5;
mod growing;
mod house;
mod options;
mod parse;
mod queries;
mod report;
mod stages;
mod steps;
mod tantivy;
#[cfg(test)]
mod tests;
mod tree;
mod warm;

use std::error::Error;
use std::fs;

use self::asking::{Peers, measure_one_shot, measure_receipts, measure_warm};
use self::building::measure_building;
use self::cost::cost_alone;
use self::growing::measure_growing;
use self::house::{House, remove_folder};
use self::options::{Options, What};
use self::report::{Bar, Report, three};
use self::stages::measure_stages;
use crate::generator::{Extent, write_set};
use crate::sessions::copy_logs;

pub(crate) use self::steps::{run_step, step};
pub(crate) use self::tree::measure_tree;

pub(crate) type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// Measures what the arguments say. Says whether everything could be measured.
pub(crate) fn measure_peers(arguments: &[String]) -> Result<bool> {
    let options = Options::parse(arguments)?;
    let house = match &options.folder {
        Some(folder) => {
            fs::create_dir_all(folder)?;
            ::tempfile::tempdir_in(folder)?
        }
        None => ::tempfile::tempdir()?,
    };
    let mut report = Report::default();
    let empty = cost_alone(&step("nothing")?)?;
    report.line(format!(
        "memfold: {}\nan empty process: {} ms CPU, {} MB",
        options.memfold.display(),
        three(report::ms(empty.cpu)),
        three(empty.peak as f64 / 1e6)
    ));
    let mut known = Known::default();
    for what in &options.what {
        let root = house.path().join(what.name());
        let set = House::new(what.name(), root.clone(), &options.memfold, |logs| {
            match what {
                What::Made(size) => write_set(*size, logs)?,
                What::Given(folder) => copy_logs(folder, logs)?,
            };
            Ok(())
        })?;
        match what.extent() {
            Extent::Large => measure_large(&set, &options, what, &known, &mut report)?,
            _ => measure_set(&set, &options, what, &mut known, &mut report)?,
        }
        remove_folder(&root)?;
    }
    let rounds = options.rounds.min(5);
    measure_growing(house.path(), &options.memfold, rounds, &mut report)?;
    Ok(report.end())
}

/// What a larger set is compared with.
#[derive(Default)]
struct Known {
    /// The small set's peak of memory while it is folded, in bytes.
    small_peak: Option<f64>,
    /// What a search of the middle set costs, in milliseconds.
    middle_search: Option<f64>,
}

/// So many words has the question by which sets are compared.
const WORDS: usize = 4;

/// Everything, beside the peers.
fn measure_set(
    set: &House,
    options: &Options,
    what: &What,
    known: &mut Known,
    report: &mut Report,
) -> Result<()> {
    let rounds = options.rounds(what);
    let peak = measure_building(set, rounds, report)?.peak;
    let is_middle = what.extent() == Extent::Middle;
    if let Some(small) = known.small_peak.filter(|_| is_middle) {
        report.hold_one("fold's peak memory, M / S", peak / small, Bar::AtMost(1.25));
    }
    let effort = options.effort(what);
    let one_shot = measure_one_shot(set, effort, Peers::Built, report)?;
    measure_warm(set, effort, report)?;
    if is_middle {
        known.middle_search = Some(one_shot.memfold(WORDS));
    } else {
        known.small_peak = Some(peak);
        measure_stages(set, rounds.min(3), report)?;
    }
    measure_receipts(set, rounds.min(3), report)
}

/// A set so large that it is folded once, and not by the peers.
fn measure_large(
    set: &House,
    options: &Options,
    what: &What,
    known: &Known,
    report: &mut Report,
) -> Result<()> {
    let mb = set.bytes as f64 / 1e6;
    report.part(format!(
        "{}: build, once, {} logs, {mb:.0} MB",
        set.name,
        set.files.len()
    ));
    let fold = cost_alone(&set.fold(2))?;
    let rate = mb / fold.cpu.as_secs_f64();
    report.hold_one("fold, MB per CPU second, 2 threads", rate, Bar::None);
    report.hold_one("fold's peak memory, MB", fold.peak as f64 / 1e6, Bar::None);
    let search = measure_one_shot(set, options.effort(what), Peers::Absent, report)?;
    if let Some(middle) = known.middle_search {
        let ratio = search.memfold(WORDS) / middle;
        report.hold_one("k=4: L / M", ratio, Bar::AtMost(3.0));
    }
    Ok(())
}
