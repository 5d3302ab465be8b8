//! Measures building, size and searching on a folder of Claude Code logs (`*.jsonl`):
//! `cargo run --release -p memfold-segment --example measure -- LOGS [--one]`, `--one` for all logs as one.
//!
//! The words are cut roughly as the fold does; that and reading JSON are not in the times.

// A measuring device, not a library: it may print, and stop where something is amiss.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::print_stdout,
    clippy::expect_used
)]

use std::collections::HashMap;
use std::time::Instant;

use memfold_segment::{Bm25, Builder, Concept, Encoded, Everything, Reader, Section, Term, rank};
use serde_json::Value;

/// The words of one log, end to end, and the documents' borders.
#[derive(Default)]
struct Words {
    text: Vec<u8>,
    ends: Vec<u32>,
    documents: Vec<usize>,
}

impl Words {
    fn word(&mut self, word: &str) {
        if !word.is_empty() && word.len() <= 64 {
            self.text.extend(word.to_lowercase().bytes());
            self.ends.push(self.text.len() as u32);
        }
    }

    fn document(&mut self, text: &str) {
        for run in text.split(|c: char| !c.is_alphanumeric() && c != '_' && c != '-') {
            let run = run.trim_matches(['_', '-']);
            self.word(run);
            let mut start = 0;
            let bytes = run.as_bytes();
            let mut parts = Vec::new();
            for at in 1..bytes.len() {
                let cut = matches!(bytes[at], b'_' | b'-')
                    || bytes[at].is_ascii_uppercase() && bytes[at - 1].is_ascii_lowercase();
                if cut {
                    parts.push(&run[start..at]);
                    start = at + usize::from(matches!(bytes[at], b'_' | b'-'));
                }
            }
            if !parts.is_empty() {
                parts.push(&run[start..]);
                parts.iter().for_each(|part| self.word(part));
            }
        }
        self.documents.push(self.ends.len());
    }

    fn of_log(bytes: &[u8]) -> Self {
        let mut words = Self::default();
        let mut calls: HashMap<String, String> = HashMap::new();
        for line in bytes.split(|b| *b == b'\n') {
            let Ok(value) = serde_json::from_slice::<Value>(line) else {
                continue;
            };
            match &value["message"]["content"] {
                Value::String(text) => words.document(text),
                Value::Array(blocks) => {
                    for block in blocks {
                        match block["type"].as_str() {
                            Some("text") => words.document(block["text"].as_str().unwrap_or("")),
                            Some("tool_use") => {
                                let mut call = String::new();
                                strings(&block["input"], &mut call);
                                calls.insert(block["id"].to_string(), call);
                            }
                            Some("tool_result") => {
                                let mut text = calls
                                    .remove(&block["tool_use_id"].to_string())
                                    .unwrap_or_default();
                                strings(&block["content"], &mut text);
                                words.document(&text);
                            }
                            _ => {}
                        }
                    }
                }
                _ => {}
            }
        }
        words
    }

    /// The different words of a document, sorted: plain ones of a usual length.
    fn distinct(&self, document: usize) -> Vec<&[u8]> {
        let first = document
            .checked_sub(1)
            .map_or(0, |before| self.documents[before]);
        let start = |word: usize| {
            word.checked_sub(1)
                .map_or(0, |word| self.ends[word] as usize)
        };
        let mut words: Vec<&[u8]> = (first..self.documents[document])
            .map(|word| &self.text[start(word)..self.ends[word] as usize])
            .filter(|word| {
                (3..=30).contains(&word.len()) && word.iter().all(u8::is_ascii_alphanumeric)
            })
            .collect();
        words.sort();
        words.dedup();
        words
    }

    fn fill(&self, builder: &mut Builder) {
        let (mut word, mut start) = (0, 0);
        for &end in &self.documents {
            for &stop in &self.ends[word..end] {
                builder.add(&self.text[start..stop as usize], 1);
                start = stop as usize;
            }
            word = end;
            builder.finish_document().unwrap();
        }
    }
}

fn strings(value: &Value, out: &mut String) {
    match value {
        Value::String(text) => {
            out.push(' ');
            out.push_str(text);
        }
        Value::Array(items) => items.iter().for_each(|item| strings(item, out)),
        Value::Object(fields) => fields.values().for_each(|field| strings(field, out)),
        _ => {}
    }
}

/// Seconds that this thread ran, so that other processes do not count; where that is not told, the clock.
fn seconds(since: Instant) -> f64 {
    let ran = std::fs::read_to_string("/proc/self/schedstat").ok();
    let ran = ran.and_then(|line| line.split(' ').next().and_then(|ns| ns.parse::<f64>().ok()));
    ran.map_or(since.elapsed().as_secs_f64(), |ns| ns / 1e9)
}

fn resident_mb(name: &str) -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status
        .lines()
        .find(|line| line.starts_with(name))
        .unwrap_or_default();
    line.split_whitespace()
        .nth(1)
        .map_or(0, |kb| kb.parse::<u64>().unwrap() / 1024)
}

fn main() {
    let mut args = std::env::args().skip(1);
    let folder = args.next().expect("a folder of logs");
    let one = args.next().is_some();
    let mut paths: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|e| e.unwrap().path())
        .collect();
    paths.sort();
    let mut bytes = 0;
    let logs: Vec<Words> = paths
        .iter()
        .map(|path| {
            let log = std::fs::read(path).unwrap();
            bytes += log.len();
            Words::of_log(&log)
        })
        .collect();
    let count: usize = logs.iter().map(|log| log.ends.len()).sum();

    let before = resident_mb("RssAnon");
    let (mut adding, mut encoding) = (f64::MAX, f64::MAX);
    let mut segments: Vec<Encoded> = Vec::new();
    let start = Instant::now();
    for _ in 0..if one { 1 } else { 5 } {
        let (mut add, mut encode) = (0.0, 0.0);
        segments.clear();
        let mut builder = Builder::new();
        for (at, log) in logs.iter().enumerate() {
            let ran = seconds(start);
            log.fill(&mut builder);
            add += seconds(start) - ran;
            if one && at + 1 < logs.len() {
                continue;
            }
            if one {
                println!("builder: {} MB", resident_mb("RssAnon") - before);
            }
            let ran = seconds(start);
            segments.push(builder.encode(0..u32::MAX, &|_| {}).unwrap());
            encode += seconds(start) - ran;
            builder.clear();
        }
        (adding, encoding) = (f64::min(adding, add), f64::min(encoding, encode));
    }
    println!(
        "{count} words: CPU: added in {:.1} ms ({:.1} M/s, {:.1} ns each), encoded in {:.1} ms; resident {} MB more at most",
        adding * 1e3,
        count as f64 / adding / 1e6,
        adding * 1e9 / count as f64,
        encoding * 1e3,
        resident_mb("VmHWM") - before
    );

    let readers: Vec<_> = segments
        .iter()
        .map(|segment| Reader::open(segment).unwrap())
        .collect();
    let start = Instant::now();
    let stats: Vec<_> = readers
        .iter()
        .map(|reader| reader.verify().unwrap())
        .collect();
    println!("verified in {:.1} ms", start.elapsed().as_secs_f64() * 1e3);
    let start = Instant::now();
    readers
        .iter()
        .for_each(|reader| drop(Builder::resume(reader).unwrap()));
    println!("resumed in {:.1} ms", start.elapsed().as_secs_f64() * 1e3);
    let sum = |section| {
        segments
            .iter()
            .map(|segment| segment.section(section).len())
            .sum::<usize>()
    };
    let all: usize = Section::ALL.into_iter().map(sum).sum();
    let postings: u64 = stats.iter().map(|stats| stats.postings).sum();
    for section in Section::ALL {
        println!(
            "{section}: {:.4} of the logs",
            sum(section) as f64 / bytes as f64
        );
    }
    println!(
        "all: {all} bytes, {:.4} of {bytes}; {} segments, {} documents, {} terms, {} long lists, {postings} postings, {:.2} bytes each",
        all as f64 / bytes as f64,
        segments.len(),
        stats
            .iter()
            .map(|stats| u64::from(stats.documents))
            .sum::<u64>(),
        stats
            .iter()
            .map(|stats| u64::from(stats.terms))
            .sum::<u64>(),
        stats
            .iter()
            .map(|stats| u64::from(stats.long_lists))
            .sum::<u64>(),
        all as f64 / postings as f64
    );

    let start = Instant::now();
    for _ in 0..20 {
        segments
            .iter()
            .for_each(|segment| drop(Reader::open(segment).unwrap()));
    }
    println!(
        "open: {:.2} us a segment",
        start.elapsed().as_secs_f64() * 1e6 / 20.0 / segments.len() as f64
    );
    let borrowed: Vec<_> = readers.iter().collect();
    let mut seed = 7u64;
    let mut below = |bound: usize| {
        seed = seed
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (seed >> 33) as usize % bound
    };
    for k in [1, 4, 8, 40] {
        let mut times = Vec::new();
        while times.len() < 100 {
            // Different words of one document, as a question about it has.
            let log = &logs[below(logs.len())];
            let mut words = log.distinct(below(log.documents.len()));
            if words.len() < k {
                continue;
            }
            let concepts: Vec<Concept> = (0..k)
                .map(|_| words.swap_remove(below(words.len())).to_vec())
                .map(|word| Concept {
                    weight: 1.0,
                    terms: vec![Term::Exact(word)],
                })
                .collect();
            // The best of nine: the machine is shared.
            let tries = (0..9).map(|_| {
                let start = Instant::now();
                let ranked = rank(
                    &borrowed,
                    &concepts,
                    &Bm25::default(),
                    &Everything,
                    &Everything,
                    10,
                );
                assert!(ranked.failures.is_empty());
                start.elapsed().as_secs_f64() * 1e3
            });
            times.push(tries.fold(f64::MAX, f64::min));
        }
        times.sort_by(f64::total_cmp);
        println!(
            "{k} words: p50 {:.3} ms, p95 {:.3} ms",
            times[50], times[95]
        );
    }
}
