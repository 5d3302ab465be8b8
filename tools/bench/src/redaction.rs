//! Measures the redaction: `redaction FILE…` gives MB/s over the files' text, findings of each kind, and what the first
//! call costs; `redaction` alone does it over text made here. `redaction --show FILE…` prints what is found, to judge it;
//! `redaction --hard` times texts that repeat one keyword.

use memfold_redact::{find, redact, rules};
use std::collections::BTreeMap;
use std::hint::black_box;
use std::time::Instant;

/// Measures the redaction as the arguments say.
pub(crate) fn measure_redaction(mut arguments: Vec<String>) -> std::io::Result<()> {
    let start = Instant::now();
    black_box(find("password=S3cure!pw and a line of text"));
    println!("first call: {:.1} µs", start.elapsed().as_secs_f64() * 1e6);
    if arguments.first().is_some_and(|a| a == "--hard") {
        hard();
        return Ok(());
    }
    let show = arguments.first().is_some_and(|a| a == "--show");
    if show {
        arguments.remove(0);
    }
    let mut text = String::new();
    for path in &arguments {
        text.push_str(&String::from_utf8_lossy(&std::fs::read(path)?));
    }
    if arguments.is_empty() {
        measure("clean code and prose", &clean(8 << 20));
        measure("numbers and hashes", &hashes(8 << 20));
    } else {
        measure("files", &text);
    }
    if show {
        for finding in find(&text) {
            let from = text[..finding.range.start]
                .char_indices()
                .rev()
                .nth(60)
                .map_or(0, |(at, _)| at);
            let to = text[finding.range.end..]
                .char_indices()
                .nth(20)
                .map_or(text.len(), |(at, _)| finding.range.end + at);
            println!("{}: {}", finding.kind, text[from..to].replace('\n', "⏎"));
        }
    }
    Ok(())
}

fn measure(name: &str, text: &str) {
    let mut best = f64::MAX;
    let mut findings = Vec::new();
    for _ in 0..7 {
        let start = Instant::now();
        findings = find(black_box(text));
        best = best.min(start.elapsed().as_secs_f64());
    }
    let rate = text.len() as f64 / best / 1e6;
    let start = Instant::now();
    black_box(redact(text));
    let whole = text.len() as f64 / start.elapsed().as_secs_f64() / 1e6;
    println!(
        "{name}: {:.1} MB, find {rate:.0} MB/s, redact {whole:.0} MB/s, {} findings",
        text.len() as f64 / 1e6,
        findings.len()
    );
    let mut kinds = BTreeMap::new();
    for finding in findings {
        *kinds.entry(finding.kind).or_insert(0) += 1;
    }
    for (kind, count) in kinds {
        println!("  {count:6} {kind}");
    }
}

/// Text as agents write it: code, prose, JSON with escapes, words that hold keywords.
fn clean(len: usize) -> String {
    let lines = [
        "pub fn parse(input: &str) -> Result<Vec<Token>, Error> {\\n    let mut tokens = Vec::new();\\n",
        "{\"type\":\"assistant\",\"uuid\":\"0b5fd9b2-2f1c-4c29-a1f0-0d4c5c0d9a3e\",\"message\":{\"usage\":{\"input_tokens\":1234}}}\n",
        "The parser reads one line at a time and passes it on; nothing is kept but the offset of the line.\n",
        "  if (!this.cache.has(key)) { this.cache.set(key, await load(key, options)); }\n",
        "    at Object.<anonymous> (/srv/app/node_modules/jest-circus/build/run.js:121:9)\n",
        "test result: ok. 212 passed; 0 failed; 3 ignored; finished in 4.21s\n",
        "| name | bytes | lines | traits |\n|---|---|---|---|\n",
        "commit 3f786850e387550fdab836ed7e6dc881de23001b\nAuthor: Someone <someone@example.org>\n",
    ];
    lines
        .iter()
        .cycle()
        .flat_map(|line| line.chars())
        .take(len)
        .collect()
}

fn hashes(len: usize) -> String {
    let mut state = 1u64;
    let mut text = String::with_capacity(len + 80);
    while text.len() < len {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        text.push_str(&format!("{state:016x}"));
        if state >> 62 == 0 {
            text.push('\n');
        }
    }
    text
}

/// The slowest repeated keywords.
fn hard() {
    let mut rates = Vec::new();
    let mut keywords: Vec<_> = rules().flat_map(|rule| rule.keywords()).collect();
    keywords.sort_unstable();
    keywords.dedup();
    for keyword in keywords {
        for glue in ["", " ", "x", "=", "-", "/", "\"", ":a@", ".eyJ", "='"] {
            let text = format!("{keyword}{glue}").repeat(20_000 / keyword.len());
            let start = Instant::now();
            black_box(find(&text));
            rates.push((
                text.len() as f64 / start.elapsed().as_secs_f64() / 1e6,
                keyword,
                glue,
            ));
        }
    }
    rates.sort_by(|a, b| a.0.total_cmp(&b.0));
    for (rate, keyword, glue) in rates.iter().take(25) {
        println!("{rate:8.1} MB/s  {keyword:?} + {glue:?}");
    }
}
