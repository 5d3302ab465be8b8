//! A log that grows: what a search costs right after a turn was appended to a long log, beside one that finds nothing new,
//! and what it costs to fold a short log again.

use std::fs::{self, File, OpenOptions};
use std::io::{Read, Write};
use std::path::Path;

use memfold_sidecar::binding::Binder;

use super::Result;
use super::cost::{cost, cpu_of_this_thread};
use super::house::{House, SETTLED};
use super::queries::draw;
use super::report::{Bar, Measure, Report, ms};
use crate::generator::one_log;

const LONG: u64 = 100_000_000;
const SHORT: u64 = 1_300_000;
const NAME: &str = "0a1b2c3d-0000-4000-8000-000000000001.jsonl";

/// Measures a long log that grows and a short one that is folded again.
pub(crate) fn measure_growing(
    root: &Path,
    memfold: &Path,
    rounds: usize,
    report: &mut Report,
) -> Result<()> {
    let (text, turns) = one_log(LONG, 17)?;
    report.part(format!(
        "a log of {:.0} MB grows by a turn of {:.0} KB, {rounds} rounds, CPU ms",
        text.len() as f64 / 1e6,
        turns.iter().map(Vec::len).sum::<usize>() as f64 / turns.len() as f64 / 1e3
    ));
    let house = House::new("growing", root.join("growing"), memfold, |logs| {
        Ok(fs::write(logs.join(NAME), &text)?)
    })?;
    drop(text);
    let log = house.logs().join(NAME);
    let question = draw(&house.files, 4, 1, 1)?.remove(0);
    let search =
        || Ok::<f64, Box<dyn std::error::Error>>(ms(cost(&mut house.search(&question, 10))?.cpu));
    report.hold_one("the first search folds it", search()?, Bar::None);

    let [mut nothing_new, mut grown, mut proof, mut more] = [const { Vec::new() }; 4];
    for turn in turns.iter().take(rounds) {
        std::thread::sleep(SETTLED);
        // Once to renew the receipt of what was folded while the log was fresh.
        search()?;
        let still = search()?;
        OpenOptions::new()
            .append(true)
            .open(&log)?
            .write_all(turn)?;
        let after = search()?;
        let hashing = hash(&log)?;
        nothing_new.push(still);
        grown.push(after);
        proof.push(hashing);
        more.push(after - still - hashing);
    }
    report.hold(
        "a search that finds nothing new",
        Measure::of(nothing_new),
        Bar::None,
    );
    report.hold(
        "a search right after the turn",
        Measure::of(grown),
        Bar::None,
    );
    report.hold(
        "proof of the prefix: hashing it",
        Measure::of(proof),
        Bar::None,
    );
    report.hold("more than both", Measure::of(more), Bar::AtMost(25.0));
    fs::remove_dir_all(root.join("growing"))?;

    let (text, _) = one_log(SHORT, 19)?;
    let house = House::new("short", root.join("short"), memfold, |logs| {
        Ok(fs::write(logs.join(NAME), &text)?)
    })?;
    let log = house.logs().join(NAME);
    report.part(format!(
        "a log of {:.1} MB is folded again, {rounds} rounds, CPU ms",
        text.len() as f64 / 1e6
    ));
    let mut fold = Vec::new();
    let mut empty = Vec::new();
    for _ in 0..rounds.max(5) {
        empty.push(ms(cost(house.memfold().arg("--version"))?.cpu));
        fold.push(ms(
            cost(house.memfold().args(["rebuild", "-q"]).arg(&log))?.cpu
        ));
    }
    let empty = Measure::of(empty);
    report.hold("memfold --version", empty, Bar::None);
    let fold = Measure::of(fold.into_iter().map(|time| time - empty.median));
    report.hold("memfold rebuild, without that", fold, Bar::AtMost(10.0));
    Ok(())
}

/// What it costs to hash a log, in milliseconds.
fn hash(log: &Path) -> Result<f64> {
    let mut file = File::open(log)?;
    let mut piece = vec![0; 256 << 10];
    let before = cpu_of_this_thread()?;
    let mut binder = Binder::new();
    loop {
        let read = file.read(&mut piece)?;
        if read == 0 {
            break;
        }
        binder.feed(&piece[..read]);
    }
    binder.mark_here();
    std::hint::black_box(binder.binding());
    Ok(ms(cpu_of_this_thread()?.saturating_sub(before)))
}
