//! What a fold, a rebuild or a verify found, log by log, and in sum.

use memfold::{FoldReport, FoldRow, KeptKind, KeptRow, Sum};

use super::{Look, Page};
use crate::numbers;
use crate::safe;
use crate::shell;
use crate::style::{FAINT, Line, PLAIN, TITLE, WARNING, WRONG};
use crate::table::{Align, Table};

/// What became of each log's sidecar. Quiet leaves out those that needed nothing.
pub(crate) fn folded(report: &FoldReport, look: &Look) -> String {
    let mut page = Page::new(look);
    let mut table = Table::new(&[
        ("DONE", Align::Cut(10)),
        ("FOUND", Align::Cut(10)),
        ("TURNS", Align::Right),
        ("EVENTS", Align::Right),
        ("SIZE", Align::Right),
        ("SIDECAR", Align::Right),
        ("LOG", Align::CutStart(24)),
    ]);
    let mut shown = 0;
    for row in report
        .logs
        .iter()
        .filter(|row| !(look.quiet && needed_nothing(row)))
    {
        shown += 1;
        table.row(cells(row, look));
    }
    if shown > 0 {
        for line in table.lines(look.width) {
            page.whole(line);
        }
    }
    // A cell may have been cut: what failed is said in full.
    if look.width.is_some() {
        for row in report.logs.iter().filter(|row| failed(row)) {
            page.whole(told(row, WRONG, &row.done, look));
        }
    }
    for row in &report.kept {
        let did_not = row.done.starts_with("failed");
        let is_news = did_not || ["left", "cleared"].contains(&row.done.as_str());
        if is_news || look.verbose {
            let style = if did_not { WRONG } else { PLAIN };
            page.whole(kept(
                row,
                style,
                &format!("{}; {}", row.found, row.done),
                look,
            ));
        }
    }
    if !look.quiet {
        page.line(sum(report));
        for line in sums(&report.sums) {
            page.whole(line);
        }
    }
    page.notes(&report.notes);
    page.done()
}

/// The sidecars that are wrong, and those that are missing or behind. Verbose names the right ones too.
pub(crate) fn verified(report: &FoldReport, look: &Look) -> String {
    let mut page = Page::new(look);
    for row in &report.logs {
        if row.wrong {
            let what = format!("WRONG: {}{}", row.found, mended(&row.mend));
            page.whole(told(row, WRONG, &what, look));
        } else if failed(row) {
            page.whole(told(row, WRONG, &row.done, look));
        } else if row.verdict != "current" && !look.quiet {
            page.whole(told(row, WARNING, &row.found, look));
        } else if look.verbose {
            page.whole(told(row, FAINT, &row.found, look));
        }
    }
    for row in &report.kept {
        if row.wrong {
            let what = format!("WRONG: {}{}", row.found, mended(&row.mend));
            page.whole(kept(row, WRONG, &what, look));
        } else if !look.quiet {
            page.whole(kept(row, WARNING, &row.found, look));
        }
    }
    if !look.quiet {
        let is_right = |row: &&FoldRow| row.verdict == "current" && !row.wrong && !failed(row);
        let right = report.logs.iter().filter(is_right).count();
        let wrong = report.logs.iter().filter(|row| row.wrong).count();
        let other = report.logs.len() - right - wrong;
        let mut line = Line::new().with(TITLE, numbers::len(report.logs.len(), "log"));
        line.push(PLAIN, format!(": {} right, ", numbers::count(right as u64)));
        line.push(
            if wrong > 0 { WRONG } else { PLAIN },
            format!("{} wrong", numbers::count(wrong as u64)),
        );
        if other > 0 {
            line.push(
                PLAIN,
                format!(
                    ", {} missing, behind or not checked",
                    numbers::count(other as u64)
                ),
            );
        }
        let others = report.kept.iter().filter(|row| row.wrong).count();
        if others > 0 {
            line.push(PLAIN, "; beside them ");
            line.push(WRONG, format!("{} wrong", numbers::len(others, "file")));
        }
        page.line(line);
    }
    page.notes(&report.notes);
    page.done()
}

fn needed_nothing(row: &FoldRow) -> bool {
    row.done == "nothing" && !row.wrong
}

fn failed(row: &FoldRow) -> bool {
    row.done.starts_with("failed")
}

fn cells(row: &FoldRow, look: &Look) -> Vec<Line> {
    let style = if failed(row) {
        WRONG
    } else if row.done == "nothing" {
        FAINT
    } else {
        PLAIN
    };
    vec![
        Line::new().with(style, safe::inline(&row.done)),
        Line::new().with(style, safe::inline(&row.found)),
        row.turns.map(numbers::count).unwrap_or_default().into(),
        row.events.map(numbers::count).unwrap_or_default().into(),
        numbers::size(row.bytes).into(),
        row.sidecar_bytes
            .map(numbers::size)
            .unwrap_or_default()
            .into(),
        look.path(&row.path).into(),
    ]
}

/// `PATH: what`
fn told(row: &FoldRow, style: anstyle::Style, what: &str, look: &Look) -> Line {
    Line::new()
        .with(PLAIN, look.path(&row.path))
        .with(PLAIN, ": ")
        .with(style, safe::inline(what))
}

/// `PATH: what`, of a file that is not one log's sidecar.
fn kept(row: &KeptRow, style: anstyle::Style, what: &str, look: &Look) -> Line {
    Line::new()
        .with(PLAIN, look.path(&row.path))
        .with(PLAIN, ": ")
        .with(style, safe::inline(what))
}

/// What to do about a fault.
fn mended(command: &[String]) -> String {
    match command {
        [] => String::new(),
        _ => format!(
            "; to mend it: {}",
            shell::join(command.iter().map(String::as_str))
        ),
    }
}

/// `rebuilt: 40 sidecars, 38 receipts`, a line for each thing that was done.
fn sums(sums: &[Sum]) -> Vec<Line> {
    type Count = fn(&Sum) -> usize;
    let done: [(&str, Count); 5] = [
        ("rebuilt", |sum| sum.rebuilt),
        ("dropped", |sum| sum.dropped),
        ("swept", |sum| sum.swept),
        ("left as they are", |sum| sum.left),
        ("could not", |sum| sum.failed),
    ];
    let mut lines = Vec::new();
    for (what, count) in done {
        let kinds: Vec<String> = sums
            .iter()
            .filter(|sum| count(sum) > 0)
            .map(|sum| numbers::len(count(sum), kind(sum.kind)))
            .collect();
        if !kinds.is_empty() {
            let style = if what == "could not" { WRONG } else { TITLE };
            lines.push(
                Line::new()
                    .with(style, what)
                    .with(PLAIN, format!(": {}", kinds.join(", "))),
            );
        }
    }
    lines
}

/// One of a kind, as `numbers::len` counts it.
fn kind(kind: KeptKind) -> &'static str {
    match kind {
        KeptKind::Sidecar => "sidecar",
        KeptKind::Receipts => "receipt",
        KeptKind::Tail => "tail",
        KeptKind::Catalogue => "roll-up",
        KeptKind::Shard => "shard",
        KeptKind::Listings => "file of listings",
        KeptKind::Temporary => "temporary file",
        KeptKind::SetAside => "set-aside file",
        KeptKind::IndexLog => "index log",
        KeptKind::Manifest => "manifest",
        KeptKind::Pack => "pack",
        KeptKind::Collection => "collection",
        KeptKind::Folder => "folder",
        KeptKind::Other => "other file",
    }
}

/// `78 logs: 3 folded, 75 nothing; 312 MB of logs, 31 MB of sidecars`
fn sum(report: &FoldReport) -> Line {
    let mut kinds: Vec<(&str, usize)> = Vec::new();
    for row in &report.logs {
        // What follows a colon is the row's own reason.
        let done = row.done.split(':').next().unwrap_or_default();
        match kinds.iter_mut().find(|(kind, _)| *kind == done) {
            Some((_, count)) => *count += 1,
            None => kinds.push((done, 1)),
        }
    }
    kinds.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let named = |(kind, count): (&str, usize)| {
        let kind = if kind == "nothing" {
            "up to date"
        } else {
            kind
        };
        format!("{} {}", numbers::count(count as u64), safe::inline(kind))
    };
    let bytes = report
        .logs
        .iter()
        .map(|row| row.bytes)
        .fold(0, u64::saturating_add);
    let sidecars = report
        .logs
        .iter()
        .filter_map(|row| row.sidecar_bytes)
        .fold(0, u64::saturating_add);
    let mut line = Line::new().with(TITLE, numbers::len(report.logs.len(), "log"));
    if !kinds.is_empty() {
        line.push(
            PLAIN,
            format!(
                ": {}",
                kinds.into_iter().map(named).collect::<Vec<_>>().join(", ")
            ),
        );
        line.push(
            PLAIN,
            format!(
                "; {} of logs, {} of sidecars",
                numbers::size(bytes),
                numbers::size(sidecars)
            ),
        );
    }
    line
}

/// How many logs, or files that are not one's, could not be done.
pub(crate) fn failures(report: &FoldReport) -> usize {
    let kept = report.kept.iter();
    report.logs.iter().filter(|row| failed(row)).count()
        + kept.filter(|row| row.done.starts_with("failed")).count()
}

#[cfg(test)]
mod tests {
    use super::super::samples::{look, terminal};
    use super::*;
    use snapbox::{assert_data_eq, str};

    fn row(path: &str, verdict: &'static str, found: &str, done: &str) -> FoldRow {
        FoldRow {
            path: path.into(),
            verdict,
            found: found.into(),
            done: done.into(),
            wrong: false,
            bytes: 2_149_000,
            sidecar_bytes: Some(310_000),
            events: Some(1812),
            turns: Some(14),
            mend: Vec::new(),
        }
    }

    fn kept_row(path: &str, kind: KeptKind, found: &str) -> KeptRow {
        KeptRow {
            path: path.into(),
            kind,
            found: found.into(),
            done: "nothing".into(),
            wrong: false,
            mend: Vec::new(),
        }
    }

    #[test]
    fn a_rebuild_says_what_it_did_by_kind() {
        let sum = |kind, rebuilt, dropped, swept| Sum {
            kind,
            rebuilt,
            dropped,
            swept,
            left: 0,
            failed: 0,
        };
        let mut report = report();
        report.logs.truncate(2);
        report.notes.clear();
        report.sums = vec![
            sum(KeptKind::Sidecar, 2, 1, 0),
            sum(KeptKind::Receipts, 2, 0, 0),
            Sum {
                failed: 1,
                ..sum(KeptKind::Catalogue, 0, 0, 0)
            },
            sum(KeptKind::SetAside, 0, 0, 1),
        ];
        report.kept = vec![
            KeptRow {
                done: "failed: another process makes it; try again".into(),
                ..kept_row(
                    "/cache/rollup/catalogue",
                    KeptKind::Catalogue,
                    "the roll-up",
                )
            },
            KeptRow {
                done: "swept".into(),
                ..kept_row("/logs/a.mem.damaged", KeptKind::SetAside, "set aside")
            },
        ];
        assert_data_eq!(
            folded(&report, &look()),
            str![[r#"
DONE     FOUND           TURNS  EVENTS    SIZE  SIDECAR  LOG
nothing  current            14   1,812  2.1 MB   310 kB  /logs/a.jsonl
folded   no sidecar yet     14   1,812  2.1 MB   310 kB  /logs/b.jsonl
/cache/rollup/catalogue: the roll-up; failed: another process makes it; try again
2 logs: 1 up to date, 1 folded; 4.3 MB of logs, 620 kB of sidecars
rebuilt: 2 sidecars, 2 receipts
dropped: 1 sidecar
swept: 1 set-aside file
could not: 1 roll-up

"#]]
        );
        assert_eq!(failures(&report), 1);
    }

    fn report() -> FoldReport {
        let mut unreadable = row(
            "/logs/d.jsonl",
            "unreadable",
            "cannot be read",
            "failed: permission denied",
        );
        (
            unreadable.events,
            unreadable.turns,
            unreadable.sidecar_bytes,
        ) = (None, None, None);
        FoldReport {
            schema: 1,
            logs: vec![
                row("/logs/a.jsonl", "current", "current", "nothing"),
                row("/logs/b.jsonl", "missing", "no sidecar yet", "folded"),
                row(
                    "/logs/c.jsonl",
                    "damaged",
                    "damaged: postings, block 3",
                    "set aside, folded again",
                ),
                unreadable,
            ],
            kept: Vec::new(),
            sums: Vec::new(),
            notes: vec!["/logs/e.jsonl was not reached".into()],
            wrong: 0,
        }
    }

    #[test]
    fn each_log_has_its_verdict() {
        assert_data_eq!(
            folded(&report(), &look()),
            str![[r#"
DONE                       FOUND                       TURNS  EVENTS    SIZE  SIDECAR  LOG
nothing                    current                        14   1,812  2.1 MB   310 kB  /logs/a.jsonl
folded                     no sidecar yet                 14   1,812  2.1 MB   310 kB  /logs/b.jsonl
set aside, folded again    damaged: postings, block 3     14   1,812  2.1 MB   310 kB  /logs/c.jsonl
failed: permission denied  cannot be read                             2.1 MB           /logs/d.jsonl
4 logs: 1 up to date, 1 folded, 1 set aside, folded again, 1 failed; 8.6 MB of logs, 930 kB of sidecars
note: /logs/e.jsonl was not reached

"#]]
        );
        assert_eq!(failures(&report()), 1);
    }

    #[test]
    fn quiet_says_only_what_changed() {
        let text = folded(
            &report(),
            &Look {
                quiet: true,
                ..look()
            },
        );
        assert!(
            !text.contains("/logs/a.jsonl")
                && text.contains("/logs/b.jsonl")
                && !text.contains("4 logs"),
            "{text}"
        );
    }

    #[test]
    fn on_a_terminal_a_failure_is_still_whole() {
        let text = folded(&report(), &terminal(70));
        assert!(
            text.contains("\n/logs/d.jsonl: failed: permission denied\n"),
            "{text}"
        );
    }

    #[test]
    fn verify_names_what_is_wrong() {
        let mut report = report();
        let mut wrong = row(
            "/logs/f.jsonl",
            "forged",
            "differs from a fresh fold",
            "left",
        );
        wrong.wrong = true;
        wrong.mend = ["memfold", "rebuild", "/logs/f.jsonl"]
            .map(String::from)
            .into();
        report.logs.push(wrong);
        let shard = "/cache/rollup/a1.shard";
        report.kept = vec![
            kept_row(
                "/cache/receipts",
                KeptKind::Receipts,
                "written in a newer format; left as it is",
            ),
            KeptRow {
                wrong: true,
                mend: ["memfold", "rebuild"].map(String::from).into(),
                ..kept_row(
                    shard,
                    KeptKind::Shard,
                    "damaged: a checksum that does not match",
                )
            },
        ];
        assert_data_eq!(
            verified(&report, &look()),
            str![[r#"
/logs/b.jsonl: no sidecar yet
/logs/c.jsonl: damaged: postings, block 3
/logs/d.jsonl: failed: permission denied
/logs/f.jsonl: WRONG: differs from a fresh fold; to mend it: memfold rebuild /logs/f.jsonl
/cache/receipts: written in a newer format; left as it is
/cache/rollup/a1.shard: WRONG: damaged: a checksum that does not match; to mend it: memfold rebuild
5 logs: 1 right, 1 wrong, 3 missing, behind or not checked; beside them 1 file wrong
note: /logs/e.jsonl was not reached

"#]]
        );
        let quiet = verified(
            &report,
            &Look {
                quiet: true,
                ..look()
            },
        );
        assert!(
            quiet.starts_with("/logs/d.jsonl: failed")
                && quiet.contains("WRONG")
                && !quiet.contains("right"),
            "{quiet}"
        );
    }
}
