//! Passwords given to commands by a flag: `curl -u user:password`, `mysql -ppassword`.

use crate::find::{Rank, Scan};
use crate::rule::{Argument, Rule, Shape};
use crate::value::{Demand, Style, is_secret};
use std::ops::Range;

impl Scan<'_> {
    /// A command's name from `at` to `end`: its words are read up to the end of the line or of the command.
    pub(crate) fn command(&mut self, rule: &'static Rule, at: usize, end: usize) {
        let Shape::Flag { flag, part, .. } = rule.shape() else {
            return;
        };
        let apart = at
            .checked_sub(1)
            .and_then(|i| self.text.get(i))
            .is_none_or(|b| !crate::edge::is_word(*b));
        let escaped = at.checked_sub(2).and_then(|i| self.text.get(i)) == Some(&b'\\');
        let known = self
            .commands_read
            .iter()
            .position(|(known, _)| std::ptr::eq(*known, rule));
        let read = known
            .and_then(|nth| self.commands_read.get(nth))
            .map_or(0, |(_, read)| *read);
        if !(apart || escaped) || at < read {
            return;
        }
        let stop = self.line_end(end);
        match known.and_then(|nth| self.commands_read.get_mut(nth)) {
            Some((_, read)) => *read = stop,
            None => self.commands_read.push((rule, stop)),
        }
        let mut found = Vec::new();
        let mut wanted = false;
        let words = Words {
            text: self.text,
            at: end,
            end: stop,
        };
        for word in words {
            let argument = self.text.get(word.clone()).unwrap_or_default();
            if matches!(argument, b"|" | b"||" | b"&&" | b";") {
                break;
            }
            if std::mem::take(&mut wanted) {
                found.extend(secret(self.text, word, part));
            } else if argument == flag.as_bytes() {
                wanted = part != Argument::Glued;
            } else if argument.starts_with(flag.as_bytes()) {
                let glued = word.start + flag.len()..word.end;
                let joined = argument.get(flag.len()) == Some(&b'=');
                match part {
                    Argument::Word if !joined => {}
                    _ if flag.starts_with("--") && !joined => {}
                    _ => found.extend(secret(
                        self.text,
                        glued.start + usize::from(joined)..glued.end,
                        part,
                    )),
                }
            }
        }
        for range in found {
            self.push(range, rule.kind(), Rank::Place);
        }
    }
}

/// The secret in an argument.
fn secret(text: &[u8], word: Range<usize>, part: Argument) -> Option<Range<usize>> {
    let argument = text.get(word.clone())?;
    let open = argument.iter().take_while(|b| b"\"'\\".contains(b)).count();
    let close = argument
        .iter()
        .rev()
        .take_while(|b| b"\"'\\,".contains(b))
        .count();
    let inner = word.start + open..word.end.saturating_sub(close);
    let inner = match part {
        Argument::After(sign) => {
            inner.start + memchr::memchr(sign, text.get(inner.clone())?)? + 1..inner.end
        }
        Argument::Word | Argument::Glued => inner,
    };
    let value = text.get(inner.clone())?;
    // A user's and a group's number.
    let number = value.iter().all(u8::is_ascii_digit);
    (!number && is_secret(value, Demand::Chosen, Style::Tight)).then_some(inner)
}

/// The words of a command; an escaped line end ends it.
struct Words<'a> {
    text: &'a [u8],
    at: usize,
    end: usize,
}

impl Iterator for Words<'_> {
    type Item = Range<usize>;

    fn next(&mut self) -> Option<Range<usize>> {
        let rest = self.text.get(self.at..self.end)?;
        let start = self.at + rest.iter().position(|b| !b.is_ascii_whitespace())?;
        let word = self.text.get(start..self.end)?;
        let mut len = word
            .iter()
            .position(u8::is_ascii_whitespace)
            .unwrap_or(word.len());
        self.at = start + len;
        let line_end = word
            .get(..len)
            .and_then(|word| memchr::memmem::find(word, b"\\n"));
        if let Some(cut) = line_end {
            len = cut;
            self.at = self.end;
        }
        (len > 0).then_some(start..start + len)
    }
}
