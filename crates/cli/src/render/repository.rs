//! What a search of the repository answers, and what its index covers.

use memfold::{RepoAnswer, RepoHit, RepoReport};

use super::search::best_line;
use super::{Look, Page};
use crate::numbers;
use crate::safe;
use crate::style::{ADDRESS, FAINT, Line, PLAIN, TITLE, WARNING};

/// So many files that are left out are named where nobody asked for all.
const LEFT_OUT: usize = 5;

/// The answer as text.
pub(crate) fn files(answer: &RepoAnswer, look: &Look) -> String {
    let mut page = Page::new(look);
    page.line(heading(answer));
    for hit in &answer.results {
        file(&mut page, answer, hit);
    }
    if look.verbose && answer.matched > answer.results.len() as u64 {
        page.hint(&format!(
            "{} match, the best {} are shown",
            numbers::of(answer.matched, "file"),
            answer.results.len()
        ));
    }
    page.notes(&answer.notes);
    page.done()
}

/// `api: 4,298 chunks of 712 files, best 3/3 words, 12 ms`
fn heading(answer: &RepoAnswer) -> Line {
    let mut line = Line::new().with(TITLE, safe::inline(&answer.project));
    line.push(
        PLAIN,
        format!(
            ": {} of {}, ",
            numbers::of(answer.ranked.chunks, "chunk"),
            numbers::of(answer.ranked.files, "file")
        ),
    );
    let words = format!("best {}/{} words", answer.best_words, answer.words.len());
    match (answer.results.is_empty(), answer.weak) {
        (true, _) => line.push(WARNING, "nothing matched"),
        (false, true) => line.push(WARNING, format!("WEAK: {words}")),
        (false, false) => line.push(PLAIN, words),
    }
    line.push(PLAIN, format!(", {}", numbers::span(answer.micros)));
    if !answer.complete {
        line.push(WARNING, ", partial");
    }
    line
}

/// `src/guard.rs:41-88: fn denied(path: &Path) -> bool {` and its best lines.
fn file(page: &mut Page<'_>, answer: &RepoAnswer, hit: &RepoHit) {
    let mut line = Line::new();
    line.push(
        ADDRESS,
        format!("{}:{}-{}:", safe::inline(&hit.path), hit.start, hit.end),
    );
    line.push(PLAIN, format!(" {}", safe::inline(&hit.title)));
    page.line(line);
    for numbered in &hit.lines {
        let mut line = Line::new().with(FAINT, format!("{:>7} ", numbered.line));
        line.append(best_line(&numbered.text, &answer.words, page.look));
        page.line(line);
    }
    if page.look.verbose && !hit.also.is_empty() {
        let also: Vec<String> = hit
            .also
            .iter()
            .map(|(start, end)| format!("{start}-{end}"))
            .collect();
        page.hint(&format!("        also {}", also.join(", ")));
    }
}

/// What the index covers, and what it does not.
pub(crate) fn coverage(report: &RepoReport, look: &Look) -> String {
    let mut page = Page::new(look);
    let mut line = Line::new().with(TITLE, safe::inline(&report.project));
    line.push(
        PLAIN,
        format!(
            ": {} of {} indexed",
            numbers::of(report.chunks, "chunk"),
            numbers::of(report.files, "file")
        ),
    );
    let mut did = Vec::new();
    let mut count = |n: u64, what: &str| {
        if n > 0 {
            did.push(format!("{} {what}", numbers::count(n)));
        }
    };
    count(report.read, "read now");
    count(report.gone as u64, "gone");
    count(report.skipped, "no text");
    count(report.refused, "refused");
    count(report.not_reached as u64, "not reached");
    if !did.is_empty() {
        line.push(PLAIN, format!(" ({})", did.join(", ")));
    }
    line.push(PLAIN, format!(", {}", numbers::span(report.micros)));
    page.line(line);
    let shown = if look.verbose {
        usize::MAX
    } else if look.quiet {
        0
    } else {
        LEFT_OUT
    };
    for left in report.left_out.iter().take(shown) {
        page.line(Line::new().with(FAINT, format!("  {}", safe::inline(left))));
    }
    if let Some(more) = report
        .left_out
        .len()
        .checked_sub(shown)
        .filter(|more| *more > 0)
    {
        page.hint(&format!("  +{more} more are left out: -v names them"));
    }
    page.notes(&report.notes);
    page.done()
}
