//! What an index costs to make: each program in a process of its own, one after another, round after round. memfold does all
//! that it does for its user: redaction, hashes, checksums, cards, sidecars that are synced, read back and verified.

use std::fs;
use std::path::Path;

use memfold_sidecar::{Sidecar, Tag};

use super::cost::{Cost, cost_alone};
use super::house::{House, bytes_of, remove_folder};
use super::report::{Bar, Measure, Report, three};
use super::{Result, step};

/// What is built, or read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Build {
    /// The documents are read as the peers read them, and thrown away.
    Reading,
    /// The lines are parsed by serde_json, typed and borrowed, and thrown away.
    Parsing,
    Memfold {
        threads: usize,
    },
    Tantivy {
        threads: usize,
    },
    Fts5,
}

/// In the order of a round. What one thread built stays, and is searched.
const BUILDS: [Build; 7] = [
    Build::Parsing,
    Build::Reading,
    Build::Tantivy { threads: 2 },
    Build::Memfold { threads: 2 },
    Build::Tantivy { threads: 1 },
    Build::Memfold { threads: 1 },
    Build::Fts5,
];

impl Build {
    fn name(self) -> String {
        match self {
            Build::Reading => "reading alone, as the peers do".to_owned(),
            Build::Parsing => "serde_json alone, typed".to_owned(),
            Build::Memfold { threads } => format!("memfold, {}", counted(threads)),
            Build::Tantivy { threads } => format!("tantivy, {}, no positions", counted(threads)),
            Build::Fts5 => "FTS5, contentless, 1 thread".to_owned(),
        }
    }

    /// Builds anew and measures it.
    fn run(self, house: &House) -> Result<Cost> {
        match self {
            Build::Reading => cost_alone(step("read")?.arg(house.logs())),
            Build::Parsing => cost_alone(step("parse")?.arg(house.logs())),
            Build::Memfold { threads } => {
                house.unfold()?;
                cost_alone(&house.fold(threads))
            }
            Build::Tantivy { threads } => {
                remove_folder(&house.tantivy())?;
                let mut build = step("tantivy-build")?;
                build.arg(house.logs()).arg(house.tantivy());
                cost_alone(build.arg(threads.to_string()))
            }
            Build::Fts5 => {
                if house.fts5().exists() {
                    fs::remove_file(house.fts5())?;
                }
                cost_alone(step("fts5-build")?.arg(house.logs()).arg(house.fts5()))
            }
        }
    }

    /// How large what it built is.
    fn size(self, house: &House) -> Result<Option<u64>> {
        Ok(match self {
            Build::Reading | Build::Parsing => None,
            Build::Memfold { .. } => Some(
                house
                    .sidecars()
                    .map(|path| bytes_of(&path))
                    .sum::<Result<u64>>()?,
            ),
            Build::Tantivy { .. } => Some(bytes_of(&house.tantivy())?),
            Build::Fts5 => Some(bytes_of(&house.fts5())?),
        })
    }
}

fn counted(threads: usize) -> String {
    format!("{threads} thread{}", if threads == 1 { "" } else { "s" })
}

/// What the builds of a set showed that later parts ask for.
pub(crate) struct Built {
    /// memfold's peak of memory, in bytes, with one thread.
    pub(crate) peak: f64,
}

/// Builds every index of a set, some times over, and leaves each in place.
pub(crate) fn measure_building(house: &House, rounds: usize, report: &mut Report) -> Result<Built> {
    report.part(format!("{}: build, {rounds} rounds", house.name));
    let mb = house.bytes as f64 / 1e6;
    report.line(format!("  {} logs, {mb:.1} MB", house.files.len()));
    let mut costs: Vec<Vec<Cost>> = vec![Vec::new(); BUILDS.len()];
    let mut sizes = [None; BUILDS.len()];
    for _ in 0..rounds {
        for (place, build) in BUILDS.into_iter().enumerate() {
            costs[place].push(build.run(house)?);
            sizes[place] = build.size(house)?;
        }
    }
    report.line(format!(
        "  {:<32} {:>24} {:>10} {:>10} {:>9}",
        "", "MB per CPU second", "MB/s wall", "index/log", "peak MB"
    ));
    for ((build, costs), size) in BUILDS.into_iter().zip(&costs).zip(sizes) {
        let rate = Measure::of(costs.iter().map(|cost| mb / cost.cpu.as_secs_f64()));
        let wall = Measure::of(costs.iter().map(|cost| mb / cost.wall.as_secs_f64()));
        let share = size.map_or(String::new(), |size| {
            three(size as f64 / house.bytes as f64)
        });
        report.line(format!(
            "  {:<32} {:>8} {:>15} {:>10} {share:>10} {:>9}",
            build.name(),
            three(rate.median),
            format!("({} to {})", three(rate.least), three(rate.most)),
            three(wall.median),
            three(Measure::of(costs.iter().map(|cost| cost.peak as f64 / 1e6)).median),
        ));
    }

    let of = |build: Build| {
        let place = BUILDS.iter().position(|known| *known == build);
        place.map_or(&[][..], |place| &costs[place])
    };
    let (parsing, reading) = (of(Build::Parsing), of(Build::Reading));
    let ours = of(Build::Memfold { threads: 1 });
    for (name, peer) in [
        ("tantivy", Build::Tantivy { threads: 1 }),
        ("FTS5", Build::Fts5),
    ] {
        let ratios = of(peer)
            .iter()
            .zip(ours)
            .zip(parsing.iter().zip(reading))
            .map(|((peer, ours), (parsing, reading))| {
                // The peer is charged the cheaper of the two ways to read the logs.
                let spared = reading.cpu.saturating_sub(parsing.cpu);
                peer.cpu.saturating_sub(spared).as_secs_f64() / ours.cpu.as_secs_f64()
            });
        let what = format!("fold's rate / {name}'s, 1 thread");
        report.hold(&what, Measure::of(ratios), Bar::AtLeast(2.0));
    }
    let gain = ours
        .iter()
        .zip(of(Build::Memfold { threads: 2 }))
        .map(|(one, two)| one.wall.as_secs_f64() / two.wall.as_secs_f64());
    // Of what an idle machine takes: others at work on it show here.
    let what = "fold's wall time, 1 thread / 2 threads";
    report.hold(what, Measure::of(gain), Bar::AtLeast(1.7));
    let peak = |costs: &[Cost]| Measure::of(costs.iter().map(|cost| cost.peak as f64)).median;
    let share = peak(ours) / peak(of(Build::Fts5));
    report.hold_one("fold's peak memory / FTS5's", share, Bar::AtMost(0.5));

    let (all, cards) = sidecar_bytes(house)?;
    let share = |bytes: u64| bytes as f64 / house.bytes as f64;
    report.hold_one("sidecars / logs", share(all), Bar::AtMost(0.08));
    let without = share(all - cards);
    report.hold_one("sidecars without cards / logs", without, Bar::AtMost(0.065));
    Ok(Built { peak: peak(ours) })
}

/// The bytes of all sidecars, and of their cards.
fn sidecar_bytes(house: &House) -> Result<(u64, u64)> {
    let (mut all, mut cards) = (0, 0);
    for path in house.sidecars() {
        let (bytes, of_cards) = sections(&path)?;
        all += bytes;
        cards += of_cards;
    }
    Ok((all, cards))
}

fn sections(path: &Path) -> Result<(u64, u64)> {
    let bytes = fs::read(path)?;
    let length = bytes.len() as u64;
    let sidecar = Sidecar::open(bytes)?;
    let cards = sidecar.sections().find(|(tag, _)| *tag == Tag::CARD);
    Ok((length, cards.map_or(0, |(_, bytes)| bytes)))
}
