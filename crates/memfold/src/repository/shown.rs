//! What a search of the repository shows of a file: the lines of its best chunk as the file has them now, read through the guard.

use memfold_guard::{Budget, Guard, Refusal};
use memfold_repo::{Hit, Lines};
use memfold_text::{Matcher, Query, lines::lines, shorten};

use crate::answer::{NumberedLine, RepoHit};
use crate::visible::visible;

/// How many lines of a chunk a search shows, each cut to so many characters.
const BEST_LINES: usize = 3;
const LINE_CHARS: usize = 200;

/// A hit's best chunk as the file has it now. Nothing if those lines are gone; a refusal if it may not be read.
pub(super) fn shown(
    guard: &Guard,
    budget: &Budget,
    hit: &Hit,
    query: &Query,
    matcher: &mut Matcher<'_>,
) -> Result<Option<RepoHit>, Refusal> {
    let content = match guard.read(&hit.path, budget) {
        Err(Refusal::Gone) => return Ok(None),
        read => read?,
    };
    let (Ok(text), Some(best)) = (content.text(), hit.chunks.first()) else {
        return Ok(None);
    };
    let redacted = memfold_redact::redact(text);
    let best = match query.phrases.is_empty() {
        true => Some(*best),
        false => holding(&redacted, *best, matcher),
    };
    let Some((best, chunk)) = best.and_then(|best| Some((best, between(&redacted, best)?))) else {
        return Ok(None);
    };
    let title = chunk.lines().next().unwrap_or_default();
    let numbered = |line: memfold_text::BestLine| NumberedLine {
        line: (line.number as u64).saturating_add(u64::from(best.start) - 1),
        text: visible(&line.text).into_owned(),
    };
    let missing = query.concepts.iter().zip(&hit.held);
    Ok(Some(RepoHit {
        rank: 0,
        score: hit.score,
        path: visible(hit.path.as_str()).into_owned(),
        start: best.start,
        end: best.end,
        title: visible(&shorten(title.trim(), LINE_CHARS)).into_owned(),
        lines: matcher
            .best_lines(chunk, BEST_LINES, LINE_CHARS)
            .into_iter()
            .map(numbered)
            .collect(),
        missing: missing
            .filter(|(_, held)| !**held)
            .map(|(concept, _)| concept.word.clone())
            .collect(),
        also: hit
            .chunks
            .iter()
            .filter(|lines| **lines != best)
            .map(|lines| (lines.start, lines.end))
            .collect(),
        provenance: "external:file",
    }))
}

/// Which lines to show of a text that holds every quoted phrase: those of its best chunk that holds them all, else of the first
/// one, else of the best. Nothing if the text does not hold them.
fn holding(text: &str, best: Lines, matcher: &mut Matcher<'_>) -> Option<Lines> {
    let mut holds = |text: &str| matcher.phrases(text).iter().all(|found| *found > 0);
    if !holds(text) {
        return None;
    }
    if between(text, best).is_some_and(&mut holds) {
        return Some(best);
    }
    let line = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
    let first = memfold_text::chunks(text)
        .find(|chunk| text.get(chunk.bytes.clone()).is_some_and(&mut holds))
        .map(|chunk| Lines {
            start: line(chunk.lines.start),
            end: line(chunk.lines.end.saturating_sub(1)),
        });
    Some(first.unwrap_or(best))
}

/// The lines of a chunk; nothing if the text does not reach there.
fn between(text: &str, chunk: Lines) -> Option<&str> {
    let number = |n: u32| usize::try_from(n).unwrap_or(usize::MAX);
    let mut all = lines(text).skip(number(chunk.start.checked_sub(1)?));
    let start = all.next()?.start;
    let length = number(chunk.end.saturating_sub(chunk.start));
    let end = all.nth(length).map_or(text.len(), |line| line.start);
    text.get(start..end)
}
