//! A repository's files, ranked by chunks, beside peers that get the same chunks: a first build, a search in a fresh process
//! of a tree that did not change, and of one in which one file did. What a search of an unchanged tree costs is held against
//! what it costs to list the tree and look at each of its files, as git does it.
//!
//! The tree is copied (what git lists of it, else all of it), or made: nothing is written beside the original.

use std::fs;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use memfold_disk::Pinned;
use memfold_repo::listing::{Kind, Wanted, list};

use super::cost::{Cost, cost, cost_alone};
use super::documents::DocumentId;
use super::house::{bytes_of, remove_folder};
use super::report::{Bar, Measure, Report, ms, three};
use super::{Result, fts5, step, tantivy};
use crate::generator::words::{Names, Vocabulary};
use crate::random::Random;

/// What is asked: words that source text has, one of them rare.
const WORDS: [&str; 3] = ["error", "file", "parse"];
/// A file has at most so many bytes, as in the index.
const FILE: u64 = 1 << 20;

/// What the arguments say.
struct Options {
    tree: Option<PathBuf>,
    files: usize,
    rounds: usize,
    memfold: PathBuf,
}

impl Options {
    fn parse(arguments: &[String]) -> Result<Options> {
        let mut options = Options {
            tree: None,
            files: 20_000,
            rounds: 5,
            memfold: std::env::current_exe()?.with_file_name("memfold"),
        };
        let mut arguments = arguments.iter();
        while let Some(argument) = arguments.next() {
            let mut value = || arguments.next().ok_or(format!("{argument} what?"));
            match argument.as_str() {
                "--tree" => options.tree = Some(value()?.into()),
                "--files" => options.files = value()?.parse::<usize>()?.clamp(1, 20_000),
                "--rounds" => options.rounds = value()?.parse::<usize>()?.max(1),
                "--memfold" => options.memfold = value()?.into(),
                other => return Err(format!("{other} is not known").into()),
            }
        }
        Ok(options)
    }
}

/// Where a tree is measured.
struct Place {
    root: PathBuf,
    memfold: PathBuf,
}

impl Place {
    fn tree(&self) -> PathBuf {
        self.root.join("tree")
    }

    fn memfold(&self, threads: usize) -> Command {
        let mut command = Command::new(&self.memfold);
        command
            .env_clear()
            .env("HOME", self.root.join("home"))
            .env("RAYON_NUM_THREADS", threads.to_string())
            .current_dir(self.tree());
        command
    }

    fn update(&self, threads: usize) -> Result<Cost> {
        remove_folder(&self.data())?;
        let mut command = self.memfold(threads);
        cost_alone(command.args(["update", "-q", "--project"]).arg(self.tree()))
    }

    fn data(&self) -> PathBuf {
        self.root.join("home/.local/share/memfold")
    }

    fn search(&self) -> Result<Cost> {
        let mut command = self.memfold(1);
        cost(command.args(["search", "-s", "repo", "--"]).args(WORDS))
    }

    fn of_step(&self, name: &str) -> Result<Command> {
        let mut command = step(name)?;
        command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
        command.arg(self.tree());
        Ok(command)
    }
}

/// Measures a tree. Says whether everything could be measured.
pub(crate) fn measure_tree(arguments: &[String]) -> Result<bool> {
    let options = Options::parse(arguments)?;
    let house = ::tempfile::tempdir()?;
    let place = Place {
        root: fs::canonicalize(house.path())?,
        memfold: options.memfold.clone(),
    };
    match &options.tree {
        Some(tree) => copy_tree(tree, &place.tree())?,
        None => make_tree(options.files, &place.tree())?,
    }
    let is_git = Command::new("git")
        .current_dir(place.tree())
        .args(["init", "-q"])
        .status()
        .and_then(|_| {
            Command::new("git")
                .current_dir(place.tree())
                .args(["add", "-A", "-f"])
                .status()
        })
        .is_ok_and(|done| done.success());
    let mut report = Report::default();
    let (mut files, mut chunks, mut bytes) = (0, 0, 0);
    each_file(&place.tree(), &mut |_, text| {
        files += 1;
        chunks += memfold_text::chunks(text).count();
        bytes += text.len();
        Ok(())
    })?;
    let mb = bytes as f64 / 1e6;
    report.part(format!(
        "repository, {files} files, {chunks} chunks, {mb:.1} MB"
    ));
    build(&place, options.rounds, mb, &mut report)?;
    ask(&place, options.rounds, is_git, &mut report)?;
    Ok(report.end())
}

fn build(place: &Place, rounds: usize, mb: f64, report: &mut Report) -> Result<()> {
    let tantivy = place.root.join("tantivy");
    let fts5 = place.root.join("fts5.db");
    let names = [
        "reading alone",
        "tantivy",
        "FTS5",
        "memfold, 2 threads",
        "memfold",
    ];
    let mut costs: [Vec<Cost>; 5] = Default::default();
    for _ in 0..rounds {
        remove_folder(&tantivy)?;
        if fts5.exists() {
            fs::remove_file(&fts5)?;
        }
        let mut to_tantivy = place.of_step("tree-tantivy")?;
        let mut to_fts5 = place.of_step("tree-fts5")?;
        costs[0].push(cost_alone(&place.of_step("tree-read")?)?);
        costs[1].push(cost_alone(to_tantivy.arg(&tantivy))?);
        costs[2].push(cost_alone(to_fts5.arg(&fts5))?);
        costs[3].push(place.update(2)?);
        costs[4].push(place.update(1)?);
    }
    let sizes = [
        None,
        Some(bytes_of(&tantivy)?),
        Some(bytes_of(&fts5)?),
        None,
        Some(bytes_of(&place.data())?),
    ];
    for ((name, costs), size) in names.iter().zip(&costs).zip(sizes) {
        let rate = Measure::of(costs.iter().map(|cost| mb / cost.cpu.as_secs_f64()));
        let wall = Measure::of(costs.iter().map(|cost| ms(cost.wall)));
        let size = size.map_or(String::new(), |size| {
            format!(", {} MB", three(size as f64 / 1e6))
        });
        report.line(format!(
            "  {name:<20} {:>8} MB per CPU second, {} ms wall, peak {} MB{size}",
            three(rate.median),
            three(wall.median),
            three(Measure::of(costs.iter().map(|cost| cost.peak as f64 / 1e6)).median),
        ));
    }
    let ratio = |peer: usize| {
        let pairs = costs[peer].iter().zip(&costs[4]);
        Measure::of(pairs.map(|(peer, ours)| peer.cpu.as_secs_f64() / ours.cpu.as_secs_f64()))
    };
    report.hold(
        "first build's rate / tantivy's",
        ratio(1),
        Bar::AtLeast(3.0),
    );
    let beyond_reading = |cost: &Cost, reading: &Cost| {
        let more = cost.cpu.saturating_sub(reading.cpu);
        more.as_secs_f64().max(f64::EPSILON)
    };
    let indexing = costs[0].iter().zip(costs[1].iter().zip(&costs[4]));
    let indexing = indexing.map(|(reading, (peer, ours))| {
        beyond_reading(peer, reading) / beyond_reading(ours, reading)
    });
    report.hold(
        "the same, reading alone taken off both",
        Measure::of(indexing),
        Bar::None,
    );
    report.hold("first build's rate / FTS5's", ratio(2), Bar::None);
    Ok(())
}

fn ask(place: &Place, rounds: usize, is_git: bool, report: &mut Report) -> Result<()> {
    let rounds = rounds.max(7);
    let changing = first_file(&place.tree())?;
    let mut costs: [Vec<f64>; 7] = Default::default();
    place.search()?;
    for _ in 0..rounds {
        let mut push = |at: usize, cost: Cost| costs[at].push(ms(cost.cpu));
        if is_git {
            push(0, cost(&mut place.of_step("tree-list")?)?);
        }
        push(1, cost(&mut place.of_step("tree-list-own")?)?);
        push(2, place.search()?);
        let mut file = fs::OpenOptions::new().append(true).open(&changing)?;
        file.write_all(b"\n")?;
        drop(file);
        push(3, place.search()?);
        let mut tantivy = step("tantivy-search")?;
        push(
            4,
            cost(tantivy.arg(place.root.join("tantivy")).args(WORDS))?,
        );
        let mut fts5 = step("fts5-search")?;
        push(5, cost(fts5.arg(place.root.join("fts5.db")).args(WORDS))?);
        let mut rg = Command::new("rg");
        rg.args(["-c", &WORDS.join("|")])
            .current_dir(place.tree())
            .stdin(Stdio::null());
        if let Ok(of_rg) = cost(&mut rg) {
            push(6, of_rg);
        }
    }
    let least = |at: usize| Measure::of(costs[at].iter().copied()).least;
    let names = [
        "git ls-files and stat",
        "listing alone",
        "search, nothing changed",
        "search, a file changed",
        "tantivy, opened (no listing)",
        "FTS5, opened (no listing)",
        "rg -c (no ranking)",
    ];
    for (at, name) in names
        .iter()
        .enumerate()
        .filter(|(at, _)| !costs[*at].is_empty())
    {
        report.line(format!("  {name:<30} {:>8} ms CPU", three(least(at))));
    }
    let listed = least(usize::from(!is_git));
    report.hold_one(
        "unchanged search / listing and stat",
        least(2) / listed,
        Bar::AtMost(2.0),
    );
    report.hold_one(
        "changed search / unchanged search",
        least(3) / least(2),
        Bar::AtMost(1.1),
    );
    Ok(())
}

/// A file in the middle of the tree, of a usual size.
fn first_file(tree: &Path) -> Result<PathBuf> {
    let mut files = Vec::new();
    each_file(tree, &mut |path, text| {
        if (1000..40_000).contains(&text.len()) {
            files.push(tree.join(path));
        }
        Ok(())
    })?;
    let middle = files.len() / 2;
    files
        .into_iter()
        .nth(middle)
        .ok_or_else(|| "the tree has no file of a usual size".into())
}

/// Each text of a tree that may be indexed, by path.
fn each_file(tree: &Path, each: &mut dyn FnMut(&str, &str) -> Result<()>) -> Result<()> {
    let listing = list(&Pinned::open(tree)?, Wanted::default())?;
    for entry in listing
        .entries
        .iter()
        .filter(|entry| entry.kind == Kind::File && entry.identity.size <= FILE)
    {
        let mut bytes = Vec::new();
        fs::File::open(tree.join(entry.path.as_str()))?.read_to_end(&mut bytes)?;
        let head = bytes.get(..bytes.len().min(8000)).unwrap_or_default();
        if let (Ok(text), false) = (std::str::from_utf8(&bytes), head.contains(&0)) {
            each(entry.path.as_str(), text)?;
        }
    }
    Ok(())
}

/// Each chunk of a tree's files, its file's path before it, as one document.
fn each_chunk(tree: &Path, each: &mut dyn FnMut(DocumentId, &str) -> Result<()>) -> Result<()> {
    let (mut number, mut document) = (0, String::new());
    each_file(tree, &mut |path, text| {
        for chunk in memfold_text::chunks(text) {
            document.clear();
            document.push_str(path);
            document.push('\n');
            document.push_str(text.get(chunk.bytes).unwrap_or_default());
            each(DocumentId::of(number), &document)?;
            number += 1;
        }
        Ok(())
    })
}

/// The steps of this part.
pub(crate) fn run_tree_step(name: &str, rest: &[String]) -> Result<bool> {
    match (name, rest) {
        ("tree-read", [tree]) => each_chunk(tree.as_ref(), &mut |_, _| Ok(()))?,
        ("tree-tantivy", [tree, index]) => tantivy::build(index.as_ref(), 1, &mut |each| {
            each_chunk(tree.as_ref(), each)
        })?,
        ("tree-fts5", [tree, index]) => {
            fts5::build(index.as_ref(), &mut |each| each_chunk(tree.as_ref(), each))?
        }
        ("tree-list-own", [tree]) => drop(list(&Pinned::open(tree)?, Wanted::default())?),
        ("tree-list", [tree]) => git_list(tree.as_ref())?,
        _ => return Ok(false),
    }
    Ok(true)
}

/// What git lists, each looked at.
fn git_list(tree: &Path) -> Result<()> {
    let mut git = Command::new("git");
    git.args([
        "ls-files",
        "-z",
        "--cached",
        "--others",
        "--exclude-standard",
    ]);
    let output = git.current_dir(tree).stderr(Stdio::inherit()).output()?;
    for path in output
        .stdout
        .split(|byte| *byte == 0)
        .filter(|path| !path.is_empty())
    {
        fs::symlink_metadata(tree.join(std::str::from_utf8(path)?))?;
    }
    Ok(())
}

fn copy_tree(from: &Path, to: &Path) -> Result<()> {
    let listing = list(&Pinned::open(from)?, Wanted::default())?;
    for entry in listing
        .entries
        .iter()
        .filter(|entry| entry.kind == Kind::File)
    {
        let target = to.join(entry.path.as_str());
        fs::create_dir_all(target.parent().unwrap_or(to))?;
        fs::copy(from.join(entry.path.as_str()), target)?;
    }
    Ok(())
}

/// Source files of a made-up project: mostly short, in folders of some dozens.
fn make_tree(files: usize, to: &Path) -> Result<()> {
    let random = Random::new(6);
    let vocabulary = Vocabulary::new(random.of(1), 6000);
    let names = Names::new(random.of(2), &vocabulary, 8000);
    for number in 0..files {
        let mut random = random.of(3 + number as u64);
        let folder = to.join(format!("{}/{}", number / 1600, number / 40));
        fs::create_dir_all(&folder)?;
        let mut text = String::new();
        for _ in 0..2 + random.below(12) {
            text += &format!(
                "/// {}\nfn {}(",
                WORDS[random.below(WORDS.len())],
                names.snake(&mut random)
            );
            text += &format!(
                "{}: &{}) {{\n",
                names.snake(&mut random),
                names.camel(&mut random)
            );
            for _ in 0..3 + random.below(24) {
                let (one, other) = (names.snake(&mut random), names.camel(&mut random));
                text += &format!(
                    "    let {one} = {other}::new(self.{});\n",
                    names.snake(&mut random)
                );
            }
            text += "}\n\n";
        }
        fs::write(
            folder.join(format!("{}_{number}.rs", names.snake(&mut random))),
            text,
        )?;
    }
    Ok(())
}
