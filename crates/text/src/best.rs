//! The lines of a hit that are worth showing, and how a long one is cut.

use std::borrow::Cow;
use std::ops::Range;

use memchr::{memchr, memchr_iter, memrchr};

use crate::lines::{Line, lines};
use crate::matcher::{Matcher, Seen};
use crate::query::Query;

/// A longer line is cut to so many characters.
pub const LINE_CHARS: usize = 240;

/// A line of a text, with where the query's words are in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BestLine {
    /// Its number in the text, from 1.
    pub number: usize,
    /// The line without white space at its end; a long one cut around its matches, with an ellipsis where it was cut.
    pub text: String,
    /// The bytes of `text` that match, in order, apart from each other.
    pub matches: Vec<Range<usize>>,
}

/// The `k` lines with the most of a query's words, in line order. Different words count; of lines with as many, the earlier
/// is better; lines without any are left out.
///
/// Redact the text before: of a line that was cut, a redactor may not know the credential that was cut with it.
///
/// ```
/// use memfold_text::{Query, best_lines};
///
/// let text = "intro\nthe token\nnothing\na stale token\ntoken, token";
/// let lines: Vec<_> = best_lines(text, &Query::new("stale tokens"), 2).into_iter().map(|line| line.number).collect();
/// assert_eq!(lines, [2, 4]);
/// ```
pub fn best_lines(text: &str, query: &Query, k: usize) -> Vec<BestLine> {
    Matcher::new(query).best_lines(text, k, LINE_CHARS)
}

impl Matcher<'_> {
    /// As [`best_lines`], with one matcher for many texts, and lines cut to `chars` characters.
    pub fn best_lines(&mut self, text: &str, k: usize, chars: usize) -> Vec<BestLine> {
        // Best first. Lines come in order, so a new one goes behind its equals.
        let mut best: Vec<(usize, Line<'_>)> = Vec::new();
        let all = self.query().concepts.len();
        for stretch in stretches(text, STRETCH) {
            // None is better than one with every word.
            if best.len() >= k && best.last().is_none_or(|&(words, _)| words >= all) {
                break;
            }
            self.lines_with_words(stretch, &mut |words, line| {
                let place = best.partition_point(|&(other, _)| other >= words);
                if place < k {
                    best.insert(place, (words, line));
                    best.truncate(k);
                }
            });
        }
        best.sort_by_key(|(_, line)| line.number);
        best.into_iter()
            .map(|(_, line)| self.show(line.number, line.text, chars))
            .collect()
    }

    /// Hands to `each` the lines of a stretch that hold words of the query, and how many different ones. The stretch is cut
    /// into words at once: none goes on over a line's end, and most lines hold none of the query's.
    fn lines_with_words<'t>(&mut self, stretch: Line<'t>, each: &mut impl FnMut(usize, Line<'t>)) {
        let mut number = stretch.number;
        // What is counted of the stretch, and the line that the last word was in.
        let mut counted = 0;
        let mut within: Option<(Range<usize>, Line<'t>)> = None;
        let mut seen = Seen::default();
        self.find(stretch.text, &mut |concept, at| {
            if within
                .as_ref()
                .is_none_or(|(bytes, _)| !bytes.contains(&at.start))
            {
                if let Some((_, line)) = within.take() {
                    each(seen.take(), line);
                }
                let before = stretch.text.as_bytes().get(counted..at.start);
                let before = before.unwrap_or_default();
                number += memchr_iter(b'\n', before).count();
                let start = counted + memrchr(b'\n', before).map_or(0, |end| end + 1);
                let rest = stretch.text.get(start..).unwrap_or_default();
                if let Some(line) = lines(rest).next() {
                    let end = memchr(b'\n', rest.as_bytes()).unwrap_or(rest.len());
                    let line = Line {
                        number,
                        start: stretch.start + start,
                        ..line
                    };
                    within = Some((start..start + end, line));
                }
                counted = start;
            }
            seen.add(concept);
        });
        if let Some((_, line)) = within {
            each(seen.take(), line);
        }
    }

    /// A line as it is shown: cut to `chars` characters where it holds the most of the query's words.
    pub fn show(&mut self, number: usize, line: &str, chars: usize) -> BestLine {
        let line = line.trim_end();
        let mut hits = Vec::new();
        self.find(line, &mut |concept, at| hits.push(Hit { concept, at }));
        hits.sort_by_key(|hit| (hit.at.start, hit.at.end));
        let window = window(line, &hits, chars);
        let mut text = String::new();
        if window.start > 0 {
            text.push('…');
        }
        let shift = text.len();
        text.push_str(line.get(window.clone()).unwrap_or_default());
        let end = text.len();
        if window.end < line.len() {
            text.push('…');
        }
        let mut matches: Vec<Range<usize>> = Vec::new();
        for Hit { at, .. } in hits
            .iter()
            .filter(|hit| hit.at.start < window.end && hit.at.end > window.start)
        {
            let at = at.start.saturating_sub(window.start) + shift
                ..(at.end - window.start + shift).min(end);
            match matches.last_mut() {
                Some(last) if at.start <= last.end => last.end = last.end.max(at.end),
                _ => matches.push(at),
            }
        }
        BestLine {
            number,
            text,
            matches,
        }
    }
}

/// A text is looked through in stretches of so many bytes or more: its best lines may stand at its beginning.
const STRETCH: usize = 4 << 10;

/// A text in stretches of whole lines, each as one line with the number of its first.
fn stretches(text: &str, least: usize) -> impl Iterator<Item = Line<'_>> {
    let (mut rest, mut start, mut number) = (text, 0, 1);
    std::iter::from_fn(move || {
        let bytes = rest.as_bytes();
        let later = bytes.get(least..).unwrap_or_default();
        let end = memchr(b'\n', later).map_or(rest.len(), |end| least + end + 1);
        let (stretch, after) = rest.split_at_checked(end)?;
        let line = Line {
            number,
            start,
            text: stretch,
        };
        rest = after;
        start += stretch.len();
        number += memchr_iter(b'\n', stretch.as_bytes()).count();
        (!stretch.is_empty()).then_some(line)
    })
}

struct Hit {
    concept: usize,
    at: Range<usize>,
}

/// A line of at most `chars` characters: itself, or its start and an ellipsis.
///
/// ```
/// assert_eq!(memfold_text::shorten("as it is", 20), "as it is");
/// assert_eq!(memfold_text::shorten("cut to ten characters", 10), "cut to te…");
/// ```
pub fn shorten(line: &str, chars: usize) -> Cow<'_, str> {
    let window = window(line, &[], chars);
    match line.get(..window.end) {
        Some(start) if window.end < line.len() => Cow::Owned(format!("{start}…")),
        _ => Cow::Borrowed(line),
    }
}

/// The bytes of a line to show in `chars` characters, ellipses among them: all of it, or the stretch with the most concepts (the
/// earliest of equals) with what fits around it.
fn window(line: &str, hits: &[Hit], chars: usize) -> Range<usize> {
    if line.char_indices().nth(chars).is_none() {
        return 0..line.len();
    }
    let inside = chars.saturating_sub(2);
    let core = core(line, hits, inside);
    let used = line
        .get(core.clone())
        .map_or(0, |core| core.chars().count());
    if used == 0 && core.start == 0 {
        return 0..forward(line, 0, chars.saturating_sub(1));
    }
    let start = backward(line, core.start, inside.saturating_sub(used) / 2);
    if start == 0 {
        return 0..forward(line, 0, chars.saturating_sub(1));
    }
    let end = forward(line, start, inside);
    if end == line.len() {
        return backward(line, end, chars.saturating_sub(1))..end;
    }
    start..end
}

/// The densest stretch of hits that fits in `chars` characters; the line's start if there are none.
fn core(line: &str, hits: &[Hit], chars: usize) -> Range<usize> {
    let mut best = (0, 0..0);
    let mut from = 0;
    let mut within = Within::default();
    // Characters from the first hit of the stretch to the end of the last; counted forward only, so the whole is linear.
    let mut starts = Vec::with_capacity(hits.len());
    let (mut at, mut count) = (0, 0);
    for hit in hits {
        count += line
            .get(at..hit.at.start)
            .map_or(0, |between| between.chars().count());
        at = hit.at.start;
        starts.push(count);
    }
    for (hit, &start) in hits.iter().zip(&starts) {
        within.add(hit.concept);
        let length = line
            .get(hit.at.clone())
            .map_or(0, |hit| hit.chars().count().min(chars));
        while let (Some(first), Some(&first_start)) = (hits.get(from), starts.get(from)) {
            if start + length - first_start <= chars || std::ptr::eq(first, hit) {
                break;
            }
            within.remove(first.concept);
            from += 1;
        }
        if within.different > best.0 {
            let first = hits.get(from).map_or(hit.at.start, |first| first.at.start);
            best = (within.different, first..hit.at.end);
        }
    }
    best.1
}

/// How often each concept is in a stretch.
#[derive(Default)]
struct Within {
    counts: Vec<usize>,
    different: usize,
}

impl Within {
    fn add(&mut self, concept: usize) {
        if self.counts.len() <= concept {
            self.counts.resize(concept + 1, 0);
        }
        if let Some(count) = self.counts.get_mut(concept) {
            self.different += usize::from(*count == 0);
            *count += 1;
        }
    }

    fn remove(&mut self, concept: usize) {
        if let Some(count) = self.counts.get_mut(concept) {
            *count = count.saturating_sub(1);
            self.different -= usize::from(*count == 0);
        }
    }
}

fn forward(line: &str, from: usize, chars: usize) -> usize {
    let rest = line.get(from..).unwrap_or_default();
    rest.char_indices()
        .nth(chars)
        .map_or(line.len(), |(at, _)| from + at)
}

fn backward(line: &str, from: usize, chars: usize) -> usize {
    let Some(before) = line.get(..from) else {
        return 0;
    };
    chars.checked_sub(1).map_or(from, |last| {
        before.char_indices().nth_back(last).map_or(0, |(at, _)| at)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn numbers(text: &str, query: &str, k: usize) -> Vec<usize> {
        let best = best_lines(text, &Query::new(query), k);
        best.into_iter().map(|line| line.number).collect()
    }

    fn shown(line: &str, query: &str, chars: usize) -> BestLine {
        Matcher::new(&Query::new(query)).show(1, line, chars)
    }

    fn marked(line: &BestLine) -> Vec<&str> {
        line.matches
            .iter()
            .map(|at| &line.text[at.clone()])
            .collect()
    }

    #[test]
    fn lines_with_the_most_different_words() {
        let text =
            "a token\nnone\ntoken token token\nstale token\nthe stale cache of tokens\nstale";
        assert_eq!(numbers(text, "stale token cache", 1), [5]);
        assert_eq!(numbers(text, "stale token cache", 2), [4, 5]);
        assert_eq!(numbers(text, "stale token cache", 3), [1, 4, 5]);
        assert_eq!(numbers(text, "stale token cache", 9), [1, 3, 4, 5, 6]);
        assert_eq!(numbers(text, "stale token cache", 0), [0; 0]);
        assert_eq!(numbers(text, "absent", 3), [0; 0]);
    }

    #[test]
    fn matches_are_marked_once() {
        let line = shown("\tfn ScrubEnv() { scrub(env) }  \r", "ScrubEnv", 80);
        assert_eq!(line.text, "\tfn ScrubEnv() { scrub(env) }");
        assert_eq!(marked(&line), ["ScrubEnv", "scrub", "env"]);
        assert_eq!(marked(&shown("日本語text", "本語", 80)), ["本語"]);
        assert_eq!(marked(&shown("日本語text", "日本語", 80)), ["日本語"]);
    }

    #[test]
    fn a_long_line_is_cut_around_its_matches() {
        let (left, right) = ("a ".repeat(100), " z".repeat(100));
        let line = shown(&format!("{left}stale token{right}"), "stale token", 21);
        assert_eq!(line.text, "…a a stale token z z…");
        assert_eq!(marked(&line), ["stale", "token"]);
        let line = shown(&format!("stale token{right}"), "stale token", 20);
        assert_eq!(line.text, "stale token z z z z…");
        let line = shown(&format!("{left}stale token"), "stale token", 20);
        assert_eq!(line.text, "…a a a a stale token");
        // Where most of the words are, not where the first is.
        let line = shown(
            &format!("token {left}stale token{right}"),
            "stale token",
            20,
        );
        assert_eq!(marked(&line), ["stale", "token"]);
        let line = shown(&left, "absent", 10);
        assert_eq!(line.text, "a a a a a…");
    }

    #[test]
    fn a_megabyte_in_one_line_is_cut() {
        let text = format!(
            "{}stale{}",
            "é ".repeat(1 << 18),
            "token x ".repeat(1 << 17)
        );
        let line = &best_lines(&text, &Query::new("stale token"), 3)[0];
        assert_eq!(line.text.chars().count(), LINE_CHARS);
        assert_eq!(line.number, 1);
    }

    proptest! {
        #[test]
        fn a_stretch_has_the_words_of_its_lines(
            text in "([ab]{1,3}|é|e\u{301}|\u{301}|日本|語|[ \n\n\r_-]|xY|\u{200d}|ﬀ|→|ส|วั|a{70}){0,60}",
            query in "(a|ab|xY|日本|é|ff|วั|a_b| ){1,6}", least in 0usize..40,
        ) {
            let query = Query::new(&query);
            let mut matcher = Matcher::new(&query);
            let expected: Vec<_> = lines(&text)
                .map(|line| (matcher.distinct(line.text), line))
                .filter(|(words, _)| *words > 0)
                .collect();
            let mut found = Vec::new();
            for stretch in stretches(&text, least) {
                matcher.lines_with_words(stretch, &mut |words, line| found.push((words, line)));
            }
            prop_assert_eq!(found, expected);
        }

        #[test]
        fn a_shown_line_fits_and_its_matches_lie_in_it(
            line in "([ab]{1,3}|é|日本|[ -]|xY){0,60}", query in "(a|ab|xY|日本|é| ){1,6}", chars in 0usize..40,
        ) {
            let shown = shown(&line, &query, chars);
            let most = chars.max(if line.trim_end().is_empty() { 0 } else { 2 });
            prop_assert!(shown.text.chars().count() <= most);
            let mut before = None;
            for at in &shown.matches {
                prop_assert!(!shown.text[at.clone()].contains('…') && Some(at.start) > before);
                before = Some(at.end);
            }
            prop_assert!(line.contains(shown.text.trim_matches('…')));
            prop_assert!(shorten(&line, chars).chars().count() <= chars.max(1));
        }
    }
}
