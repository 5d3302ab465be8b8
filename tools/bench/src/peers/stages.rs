//! Where the time of a fold goes: each stage alone, over every log of a set, on one thread, by that thread's processor time.
//! A stage is fed with what the one before gave, which is kept; so their sum is about what the whole costs, and the rest of
//! the fold (pairing, keys, cards, records) is told by the difference.

use std::borrow::Cow;
use std::hint::black_box;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::Duration;

use memfold_agents::Agent;
use memfold_disk::{Mode, publish};
use memfold_fold::{Parameters, call_words, ranked};
use memfold_log::event::{Part, Reading};
use memfold_log::{Form, Lines, Offset, Position};
use memfold_redact::redact;
use memfold_segment::Builder;
use memfold_sidecar::binding::Binder;
use memfold_sidecar::{LogFile, SidecarError, encode, fold_whole, verify_bytes};
use memfold_text::{Cutter, Word, raw_space, to_dictionary_term};

use super::Result;
use super::cost::cpu_of_this_thread;
use super::documents::agent_of;
use super::house::House;
use super::report::{Report, three};

/// The stages, in their order.
const STAGES: [&str; 11] = [
    "reading the file",
    "framing its lines",
    "hashing (SHA-256)",
    "translating (JSON)",
    "redacting",
    "cutting, interning, counting",
    "encoding the words",
    "the rest of the fold",
    "encoding the sidecar",
    "verifying its bytes",
    "publishing: write, sync, rename",
];
/// The place in `STAGES` of what is told by difference.
const REST: usize = 7;

/// Prints each stage's share, the least of some rounds.
pub(crate) fn measure_stages(house: &House, rounds: usize, report: &mut Report) -> Result<()> {
    report.part(format!(
        "{}: where a fold's time goes, one thread, least of {rounds} rounds",
        house.name
    ));
    let mut least = [Duration::MAX; STAGES.len()];
    for _ in 0..rounds {
        let mut times = [Duration::ZERO; STAGES.len()];
        let mut whole = Duration::ZERO;
        for log in &house.files {
            whole += profile(log, house.home().join("stage.mem"), &mut times)?;
        }
        let told: Duration = times[..REST].iter().sum();
        times[REST] = whole.saturating_sub(told);
        for (least, time) in least.iter_mut().zip(times) {
            *least = time.min(*least);
        }
    }
    let all: Duration = least.iter().sum();
    let mb = house.bytes as f64 / 1e6;
    for (stage, time) in STAGES.iter().zip(least) {
        report.line(format!(
            "  {stage:<34} {:>6} %  {:>8} ms  {:>8} MB of log/s",
            three(100.0 * time.as_secs_f64() / all.as_secs_f64()),
            three(time.as_secs_f64() * 1e3),
            three(mb / time.as_secs_f64())
        ));
    }
    report.line(format!(
        "  {:<34} {:>6}    {:>8} ms  {:>8} MB of log/s",
        "together",
        "",
        three(all.as_secs_f64() * 1e3),
        three(mb / all.as_secs_f64())
    ));
    Ok(())
}

/// Adds what each stage of a log's fold takes, and returns what the fold takes as a whole.
fn profile(
    path: &Path,
    sidecar: PathBuf,
    times: &mut [Duration; STAGES.len()],
) -> Result<Duration> {
    let form = Form::of(path).unwrap_or(Form::Lines);
    let file = LogFile::open(path, form)?;
    let Some(agent) = agent_of(&file)? else {
        return Ok(Duration::ZERO);
    };
    words_alone(&file, agent, &mut Stages { times, next: 0 })?;

    let begun = cpu_of_this_thread()?;
    let folded = fold_whole(&file, agent)?;
    let whole = cpu_of_this_thread()?.saturating_sub(begun);
    let mut stage = Stages {
        times,
        next: REST + 1,
    };
    let encoded = stage.run(|| {
        Ok(encode(
            &folded.sealed,
            Parameters::of(agent),
            &folded.binding,
            form,
        )?)
    })?;
    stage.run(|| Ok(verify_bytes(&encoded)?))?;
    stage.run(|| {
        let write =
            |out: &mut dyn std::io::Write| out.write_all(&encoded).map_err(SidecarError::Io);
        Ok(publish(&sidecar, Mode::Private, write, |_| Ok(()))?)
    })?;
    Ok(whole)
}

/// The stages from a log's bytes to its words, one by one.
fn words_alone(file: &LogFile, agent: &'static dyn Agent, stage: &mut Stages<'_>) -> Result<()> {
    let bytes = stage.run(|| {
        let mut bytes = Vec::new();
        file.text(Offset(0))?.read_to_end(&mut bytes)?;
        Ok(bytes)
    })?;
    let lines = stage.run(|| framed(&bytes))?;
    stage.run(|| {
        let mut binder = Binder::new();
        binder.feed(&bytes);
        binder.mark_here();
        Ok(black_box(binder.binding()))
    })?;
    let readings = stage.run(|| Ok(translated(agent, &lines)))?;
    let texts = stage.run(|| Ok(redacted(&readings)))?;
    let builder = stage.run(|| counted(&texts))?;
    stage.run(|| {
        Ok(black_box(
            builder.encode(0..builder.documents(), &to_dictionary_term)?,
        ))
    })?;
    Ok(())
}

struct Stages<'t> {
    times: &'t mut [Duration; STAGES.len()],
    next: usize,
}

impl Stages<'_> {
    fn run<T>(&mut self, stage: impl FnOnce() -> Result<T>) -> Result<T> {
        let begun = cpu_of_this_thread()?;
        let done = stage()?;
        self.times[self.next] += cpu_of_this_thread()?.saturating_sub(begun);
        self.next += 1;
        Ok(done)
    }
}

/// The lines' texts.
fn framed(bytes: &[u8]) -> Result<Vec<&[u8]>> {
    let mut lines = Lines::new(bytes, Position::START, Offset(bytes.len() as u64));
    let mut texts = Vec::new();
    while let Some(line) = lines.next(&mut |_| {})? {
        let (from, to) = (line.start.0 as usize, line.end().0 as usize);
        if line.text().is_some() {
            texts.push(bytes[from..to].trim_ascii_end());
        }
    }
    Ok(texts)
}

fn translated<'a>(agent: &'static dyn Agent, lines: &[&'a [u8]]) -> Vec<Reading<'a>> {
    lines
        .iter()
        .filter_map(|line| agent.read(line).ok())
        .collect()
}

/// The texts of each ranked event, as the fold redacts them.
fn redacted<'a>(readings: &'a [Reading<'_>]) -> Vec<Vec<Cow<'a, str>>> {
    readings
        .iter()
        .filter_map(|reading| reading.event.as_ref())
        .filter(|event| ranked(event.kind).is_some())
        .map(|event| {
            let mut texts = Vec::new();
            for part in &event.parts {
                match part {
                    Part::Text(text) => texts.push(redact(text)),
                    Part::Call(call) => {
                        texts.push(redact(&call.arguments));
                        texts.push(redact(&call.names));
                        // Told again by its result.
                        texts.push(call_words(call).into());
                    }
                    Part::Output(output) => texts.push(redact(&output.text)),
                }
            }
            texts
        })
        .collect()
}

fn counted(events: &[Vec<Cow<'_, str>>]) -> Result<Builder> {
    let (mut builder, mut cutter) = (Builder::new(), Cutter::new());
    for texts in events {
        for text in texts {
            cutter.cut(text, &mut |word: Word<'_>| {
                let space = raw_space(word.kind);
                match word.short() {
                    Some(bytes) => builder.add_short(space, bytes, word.text.len(), 1),
                    None => builder.add_in(space, word.text.as_bytes(), 1),
                }
            });
        }
        builder.finish_document()?;
    }
    Ok(builder)
}
