//! Armoured blocks: private keys in PEM and its kin, over many lines or, escaped, in one. Each line of the body is a
//! finding of its own, so the lines stay countable; a block that is torn off is redacted as far as it goes.

use crate::find::{OPENING, Rank, Scan};
use crate::rule::Shape;

const DASHES: &[u8] = b"-----";
/// A line of a body has a run of at least this many characters of base64.
const BODY: usize = 16;

fn is_base64(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"+/=".contains(&byte)
}

impl Scan<'_> {
    /// The keyword of a block's first line ends at `end`.
    pub(crate) fn block(&mut self, end: usize) {
        if end <= self.blocks_read {
            return;
        }
        let line = self.text.get(end..).unwrap_or_default();
        let putty = self
            .text
            .get(..end)
            .is_some_and(|before| before.ends_with(b"Lines:"));
        let label = line
            .iter()
            .take(64)
            .take_while(|b| b.is_ascii_alphanumeric() || b" -_".contains(b) && !putty)
            .count();
        let label = line.get(..label).unwrap_or_default();
        let name = memchr::memmem::find(label, b"----")
            .and_then(|at| label.get(..at))
            .unwrap_or(b"");
        let name = if putty {
            b"Private-Lines"
        } else {
            name.trim_ascii()
        };
        let Some(kind) = kind_of(name) else { return };
        let stop = self.line_end(end);
        let body = if putty { stop } else { end + label.len() };
        self.blocks_read = body;
        let begin = self.skip_escapes(body, stop);
        if begin < stop {
            self.one_line(begin, stop, kind);
        } else {
            self.lines(stop, kind);
        }
    }

    /// The first place that is neither space nor an escaped line end.
    fn skip_escapes(&self, mut at: usize, stop: usize) -> usize {
        while let Some(rest) = self.text.get(at..stop) {
            let backslashes = rest.iter().take_while(|b| **b == b'\\').count();
            match rest.get(backslashes) {
                Some(b'n' | b'r') if backslashes > 0 => at += backslashes + 1,
                Some(b' ' | b'\t' | b'\r') if backslashes == 0 => at += 1,
                // A backslash that continues a line.
                None if backslashes > 0 => return stop,
                _ => break,
            }
        }
        at
    }

    /// A body in one line, its line ends escaped or lost.
    fn one_line(&mut self, begin: usize, stop: usize, kind: &'static str) {
        let rest = self.text.get(begin..stop).unwrap_or_default();
        let mut dashes = 0;
        let mut body = rest.iter().take_while(|b| {
            dashes = if **b == b'-' { dashes + 1 } else { 0 };
            dashes < DASHES.len() && (is_base64(**b) || b"\\ :,-.\t".contains(b))
        });
        let len = body.by_ref().count();
        let body = rest.get(..len).unwrap_or_default();
        let body = body
            .get(..len - body.iter().rev().take_while(|b| **b == b'-').count())
            .unwrap_or_default();
        self.blocks_read = begin + body.len();
        if body.split(|b| !is_base64(*b)).any(|run| run.len() >= BODY) {
            // The escaped line end before the last line stays.
            let tail = body
                .iter()
                .rev()
                .take_while(|b| **b == b' ' || **b == b'\\')
                .count();
            let mut len = body.len() - tail;
            let kept = body.get(..len).unwrap_or_default();
            if kept.ends_with(b"n") {
                let slashes = kept
                    .iter()
                    .rev()
                    .skip(1)
                    .take_while(|b| **b == b'\\')
                    .count();
                len -= if slashes > 0 { slashes + 1 } else { 0 };
            }
            self.push(begin..begin + len, kind, Rank::Shape);
        }
    }

    /// A body of many lines, the first of which follows the line end at `at`.
    fn lines(&mut self, mut at: usize, kind: &'static str) {
        let mut in_body = false;
        while at < self.text.len() {
            let start = at + 1;
            let stop = self.line_end(start);
            let line = self.text.get(start..stop).unwrap_or_default();
            // A body that was redacted before ends here: what follows it was not part of it then.
            if memchr::memmem::find(line, DASHES).is_some()
                || memchr::memmem::find(line, OPENING.as_bytes()).is_some()
            {
                break;
            }
            let last = in_body && is_short_last_line(line);
            let mut place = start;
            let mut found = false;
            for run in line.split(|b| !is_base64(*b)) {
                if run.len() >= BODY || (last && !run.is_empty()) {
                    self.push(place..place + run.len(), kind, Rank::Shape);
                    found = true;
                }
                place += run.len() + 1;
            }
            if last && found {
                self.blocks_read = stop;
                break;
            }
            if !found && (in_body || !(is_blank(line) || memchr::memchr(b':', line).is_some())) {
                break;
            }
            in_body |= found;
            self.blocks_read = stop;
            at = stop;
        }
    }
}

/// The last line of a body is short: nothing but a number, a mark of a diff or a quote stands beside its letters.
fn is_short_last_line(line: &[u8]) -> bool {
    let mut runs = line
        .split(|b| !is_base64(*b))
        .filter(|run| run.iter().any(u8::is_ascii_alphabetic));
    runs.next()
        .is_some_and(|run| run.len() < BODY && line.len() - run.len() < BODY)
        && runs.next().is_none()
}

fn is_blank(line: &[u8]) -> bool {
    line.iter().all(|b| !b.is_ascii_alphabetic())
}

fn kind_of(label: &[u8]) -> Option<&'static str> {
    let of = |wanted: &[u8]| {
        crate::rules().find_map(|rule| match rule.shape() {
            Shape::Block(labels) => labels
                .iter()
                .any(|label| label.as_bytes() == wanted)
                .then_some(rule.kind()),
            _ => None,
        })
    };
    of(label).or_else(|| {
        if label.ends_with(b"PRIVATE KEY") {
            of(b"PRIVATE KEY")
        } else {
            None
        }
    })
}
