//! Measures framing: `cargo run --release -p memfold-log --example framing -- FILE...` frames the files as one stream,
//! five times over, and prints the best rate beside that of a plain scan for newlines.

use std::fs::File;
use std::hint::black_box;
use std::io::{Read, Write};
use std::time::Instant;

use memfold_log::{Lines, Offset, Position};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let paths: Vec<_> = std::env::args_os().skip(1).collect();
    let mut whole = Vec::new();
    for path in &paths {
        File::open(path)?.read_to_end(&mut whole)?;
    }
    let mut best = [f64::MAX; 3];
    let mut lines = 0u64;
    for _ in 0..5 {
        let begun = Instant::now();
        black_box(memchr::memchr_iter(b'\n', &whole).count());
        best[0] = best[0].min(begun.elapsed().as_secs_f64());

        let begun = Instant::now();
        lines = count(&whole[..], whole.len() as u64)?;
        best[1] = best[1].min(begun.elapsed().as_secs_f64());

        let begun = Instant::now();
        for path in &paths {
            let file = File::open(path)?;
            let length = file.metadata()?.len();
            black_box(count(file, length)?);
        }
        best[2] = best[2].min(begun.elapsed().as_secs_f64());
    }
    let mut out = std::io::stdout().lock();
    let rate = |seconds: f64| whole.len() as f64 / seconds / 1e9;
    writeln!(
        out,
        "{} files, {} bytes, {lines} lines",
        paths.len(),
        whole.len()
    )?;
    writeln!(
        out,
        "newlines counted in memory  {:6.2} GB/s",
        rate(best[0])
    )?;
    writeln!(
        out,
        "framed out of memory        {:6.2} GB/s",
        rate(best[1])
    )?;
    writeln!(
        out,
        "framed out of the files     {:6.2} GB/s",
        rate(best[2])
    )?;
    Ok(())
}

fn count(reader: impl Read, length: u64) -> Result<u64, memfold_log::Error> {
    let mut lines = Lines::new(reader, Position::START, Offset(length));
    let mut watched = 0;
    let mut count = 0;
    while let Some(line) = lines.next(&mut |run| watched += run.len())? {
        black_box(line.text());
        count += 1;
    }
    black_box(watched);
    Ok(count)
}
