//! Measures sessions: `sessions DIR` folds a copy of the logs below a folder, in one process and with one thread, and then
//! searches them, each search as its own process would: receipts read, sidecars opened, the best events read again.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Instant;

use memfold::{Filter, Logs, Memfold, Options, Quiet, Search, Viewer};

/// How often a search is repeated.
const SEARCHES: usize = 21;

/// Measures folding and searching the logs below `logs`. With `words`, searches those; else words of the logs' own sort.
pub(crate) fn measure_sessions(logs: &Path, words: &[String]) -> io::Result<()> {
    let house = tempfile::tempdir()?;
    let copy = house.path().join("logs");
    let bytes = copy_logs(logs, &copy)?;
    let open = || {
        Memfold::open(Options {
            project: None,
            working_directory: house.path().to_owned(),
            data_dir: Some(house.path().join("data")),
            config_dir: Some(house.path().join("config")),
            cache_dir: Some(house.path().join("cache")),
            viewer: Viewer::Person,
            variables: Box::new(|_: &str| -> Option<OsString> { None }),
            roll_from: memfold::ROLL_FROM,
        })
        .map_err(io::Error::other)
    };
    let one_thread = rayon::ThreadPoolBuilder::new()
        .num_threads(1)
        .build()
        .map_err(io::Error::other)?;
    let begun = Instant::now();
    let report = one_thread.install(|| {
        open()?
            .fold(std::slice::from_ref(&copy), &Quiet)
            .map_err(io::Error::other)
    })?;
    let seconds = begun.elapsed().as_secs_f64();
    let sidecars: u64 = report.logs.iter().filter_map(|row| row.sidecar_bytes).sum();
    println!("{} logs, {:.1} MB", report.logs.len(), bytes as f64 / 1e6);
    println!(
        "fold, one thread: {:.2} s, {:.0} MB/s",
        seconds,
        bytes as f64 / 1e6 / seconds
    );
    println!(
        "sidecars: {:.1} MB, {:.4} of the logs",
        sidecars as f64 / 1e6,
        sidecars as f64 / bytes as f64
    );

    let all: Vec<&str> = match words {
        [] => "error parse config file test path result build function value"
            .split(' ')
            .collect(),
        words => words.iter().map(String::as_str).collect(),
    };
    for count in [1, 2, 4, 8].into_iter().filter(|count| *count <= all.len()) {
        let query = all
            .iter()
            .take(count)
            .copied()
            .collect::<Vec<_>>()
            .join(" ");
        let mut times = Vec::new();
        for _ in 0..SEARCHES {
            let search = Search {
                query: query.clone(),
                logs: Logs::Below(vec![copy.clone()]),
                limit: 8,
                filter: Filter::default(),
            };
            let begun = Instant::now();
            open()?.search(&search, &Quiet).map_err(io::Error::other)?;
            times.push(begun.elapsed().as_secs_f64() * 1e3);
        }
        times.sort_by(f64::total_cmp);
        println!(
            "search, {count} words: {:.2} ms, best {:.2}",
            times[SEARCHES / 2],
            times[0]
        );
    }
    Ok(())
}

/// Copies the logs, so that no sidecar is written beside the originals. Returns how many bytes they have.
pub(crate) fn copy_logs(from: &Path, to: &Path) -> io::Result<u64> {
    fs::create_dir_all(to)?;
    let mut bytes = 0;
    for entry in fs::read_dir(from)? {
        let path: PathBuf = entry?.path();
        let target = to.join(path.file_name().unwrap_or_default());
        if path.is_dir() {
            bytes += copy_logs(&path, &target)?;
        } else if path
            .extension()
            .is_some_and(|end| end == "jsonl" || end == "zst")
        {
            bytes += fs::copy(&path, &target)?;
        }
    }
    Ok(bytes)
}
