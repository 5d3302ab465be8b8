//! A value given to a secret's name, in the syntaxes that logs hold: environments, JSON (also inside a string), YAML,
//! TOML, INI, XML, headers, query strings, connection strings, flags, code.

use crate::find::{Rank, Scan};
use crate::name::{self, Name, Secret};
use crate::rule::Shape;
use crate::value::{Demand, Style, is_base64_pair, is_filled_in, is_placeholder, is_secret};
use std::ops::Range;

/// How many backslashes may stand before a quote: JSON in JSON in JSON.
const ESCAPES: usize = 7;
const SPACES: usize = 40;
/// How far a type may be between a name and the sign: `password: Option<&str> = "…"`.
const ANNOTATION: usize = 48;
/// The longest value without quotes, on a line of its own and elsewhere. What is longer has a shape of its own.
const LINE: usize = 4096;
const BARE: usize = 512;
/// How far back a connection string is read for its kind.
const LOOK_BACK: usize = 512;

/// What joins a name and its value.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sign {
    Equals,
    Colon,
    /// `"name", "value"`, a call's arguments, `name=… value=…`.
    Comma,
    Call,
    Element,
    Space,
}

fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-'
}

/// Reads forward over a text.
#[derive(Clone, Copy)]
struct Cursor<'a> {
    text: &'a [u8],
    at: usize,
}

impl<'a> Cursor<'a> {
    fn rest(&self) -> &'a [u8] {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    fn skip(&mut self, most: usize, wanted: impl Fn(u8) -> bool) -> usize {
        let len = self
            .rest()
            .iter()
            .take(most)
            .take_while(|b| wanted(**b))
            .count();
        self.at += len;
        len
    }

    fn spaces(&mut self) -> usize {
        self.skip(SPACES, |b| b == b' ' || b == b'\t')
    }

    fn eat(&mut self, word: &[u8]) -> bool {
        let found = self.rest().starts_with(word);
        self.at += if found { word.len() } else { 0 };
        found
    }

    /// A quote and the backslashes before it.
    fn quote(&mut self) -> Option<(u8, usize)> {
        let start = self.at;
        let escapes = self.skip(ESCAPES, |b| b == b'\\');
        match self.peek() {
            Some(quote @ (b'"' | b'\'' | b'`')) => {
                self.at += 1;
                Some((quote, escapes))
            }
            _ => {
                self.at = start;
                None
            }
        }
    }
}

impl Scan<'_> {
    /// A keyword of a name, from `at` to `end`.
    pub(crate) fn name(&mut self, at: usize, end: usize) {
        if at < self.names_read {
            return;
        }
        let keyword = self.text.get(at..end).unwrap_or_default();
        let letters = keyword
            .iter()
            .rposition(|b| is_name_byte(*b))
            .map_or(0, |last| last + 1);
        let mut cursor = Cursor {
            text: self.text,
            at: at + letters,
        };
        cursor.skip(name::MAX, is_name_byte);
        self.names_read = cursor.at;
        let before = self
            .text
            .get(at.saturating_sub(name::MAX)..at)
            .unwrap_or_default();
        let start = at
            - before
                .iter()
                .rev()
                .take_while(|b| is_name_byte(**b) || **b == b'.')
                .count();
        let written = self.text.get(start..cursor.at).unwrap_or_default();
        let Some((sign, spaced)) = sign(&mut cursor, self.text.get(..start).unwrap_or_default())
        else {
            return;
        };
        if written.len() > name::MAX
            || self.is_in_placeholder(at)
            || self.is_after_placeholder(start)
        {
            return;
        }
        let name = Name::new(written);
        let Some(secret) = name.secret() else { return };
        if sign == Sign::Space && !self.may_be_spaced(&name, written, start, &cursor) {
            return;
        }
        if secret.rule.kind() == "authorization-header" {
            return self.authorization(cursor, secret);
        }
        let Some((range, style)) = value(cursor, sign, spaced, self.begins_line(start)) else {
            return;
        };
        self.judge(range, style, &name, secret, start);
    }

    /// A name and its value with nothing but space between them: a flag, an environment of a Dockerfile, SQL, netrc.
    fn may_be_spaced(
        &mut self,
        name: &Name,
        written: &[u8],
        start: usize,
        cursor: &Cursor,
    ) -> bool {
        let before = self.text.get(..start).unwrap_or_default();
        let quoted = { *cursor }.quote().is_some();
        if written.starts_with(b"-") || before.ends_with(b"ENV ") || before.ends_with(b"setx ") {
            return cursor.peek() != Some(b'-');
        }
        if quoted && (name.is("password") || name.is("identifiedby")) {
            return true;
        }
        let Some(login) = self.login.filter(|_| name.is("password")) else {
            return false;
        };
        self.login = None;
        self.text.get(login..start).is_some_and(|between| {
            between
                .split(u8::is_ascii_whitespace)
                .filter(|w| !w.is_empty())
                .count()
                == 1
        })
    }

    /// Whether only space and `export`, `set`, `-e` and the like stand before `at` on its line.
    fn begins_line(&self, at: usize) -> bool {
        let before = self.text.get(at.saturating_sub(24)..at).unwrap_or_default();
        let line = before
            .rsplit(|b| *b == b'\n')
            .next()
            .unwrap_or_default()
            .trim_ascii();
        line.is_empty() || [&b"export"[..], b"set", b"-", b"env", b"declare -x"].contains(&line)
    }

    fn judge(
        &mut self,
        range: Range<usize>,
        style: Style,
        name: &Name,
        secret: Secret,
        start: usize,
    ) {
        let Some(value) = self.text.get(range.clone()) else {
            return;
        };
        if secret.word == "auth" {
            if is_base64_pair(value) && value.len() >= 8 {
                self.push(range, secret.rule.kind(), Rank::Place);
            }
            return;
        }
        let named = named(name, value, secret, style);
        // `--- PASS: TestFoo2` is a result, not a password.
        let result = secret.word == "pass" && style == Style::Listed;
        if named.is_some() || (!result && is_secret(value, secret.demand, style)) {
            let kind = named
                .or_else(|| self.marked(start))
                .unwrap_or(secret.rule.kind());
            self.push(range, kind, Rank::Place);
        }
    }

    /// The kind of the connection string that `at` is a part of.
    fn marked(&self, at: usize) -> Option<&'static str> {
        let before = self
            .text
            .get(at.saturating_sub(LOOK_BACK)..at)
            .unwrap_or_default();
        let line = before
            .rsplit(|b| *b == b'\n' || *b == b'"')
            .next()
            .unwrap_or_default();
        crate::rules::GENERIC.iter().find_map(|rule| {
            let Shape::Marked(marks) = rule.shape() else {
                return None;
            };
            marks
                .iter()
                .any(|mark| memchr::memmem::find(line, mark.as_bytes()).is_some())
                .then_some(rule.kind())
        })
    }

    /// `Authorization: Token …`; Bearer and Basic have keywords of their own.
    fn authorization(&mut self, mut cursor: Cursor, secret: Secret) {
        cursor.quote();
        let start = cursor;
        let scheme = cursor.skip(24, |b| b.is_ascii_alphanumeric() || b == b'-');
        let word = self
            .text
            .get(start.at..start.at + scheme)
            .unwrap_or_default();
        if word.eq_ignore_ascii_case(b"bearer") || word.eq_ignore_ascii_case(b"basic") {
            return;
        }
        if scheme == 0 || cursor.spaces() == 0 {
            cursor = start;
        }
        let range = bare(cursor, false);
        let Some(value) = self.text.get(range.clone()) else {
            return;
        };
        let known = crate::pattern::values().find(|p| {
            matches!(p.rule.shape(), Shape::Named { names: [], .. }) && p.is_all_of(value)
        });
        if known.is_some() || is_secret(value, Demand::Random, Style::Tight) {
            self.push(
                range,
                known.map_or(secret.rule.kind(), |p| p.rule.kind()),
                Rank::Place,
            );
        }
    }
}

/// The kind of a provider whose name is in `name` and whose shape `value` has.
fn named(name: &Name, value: &[u8], secret: Secret, style: Style) -> Option<&'static str> {
    if secret.demand != Demand::Random && !name.holds(&["password"])
        || value.len() < 8
        || is_filled_in(value)
        || is_placeholder(value)
    {
        return None;
    }
    let random = is_secret(value, Demand::Random, style);
    crate::pattern::values().find_map(|pattern| {
        let Shape::Named { names, .. } = pattern.rule.shape() else {
            return None;
        };
        // A value that could be a word needs its provider's name.
        ((random
            || (style != Style::Loose
                && !names.is_empty()
                && value.iter().any(u8::is_ascii_digit)))
            && name.holds(names)
            && pattern.is_all_of(value))
        .then_some(pattern.rule.kind())
    })
}

/// Reads what stands between a name and its value: the sign, and whether there is space around it.
fn sign(cursor: &mut Cursor, before: &[u8]) -> Option<(Sign, bool)> {
    let name_end = cursor.at;
    let quoted = cursor.quote().is_some();
    cursor.skip(2, |b| b == b']' || b == b'?' || b == b')');
    let spaces = cursor.spaces();
    let next = cursor.peek()?;
    let sign = match next {
        b'=' => {
            cursor.skip(3, |b| b == b'=');
            cursor.eat(b">");
            Sign::Equals
        }
        b':' => {
            cursor.at += 1;
            match cursor.peek() {
                Some(b':') => return None,
                // A field of an ARN or a path.
                _ if before.ends_with(b":") => return None,
                Some(b'=') => {
                    cursor.at += 1;
                    Sign::Equals
                }
                _ => Sign::Colon,
            }
        }
        b'>' if before.ends_with(b"<") || before.ends_with(b":") => {
            cursor.at += 1;
            Sign::Element
        }
        b'(' if spaces == 0 && !quoted => {
            cursor.at += 1;
            Sign::Call
        }
        b',' if quoted => {
            cursor.at += 1;
            cursor.spaces();
            value_label(cursor);
            Sign::Comma
        }
        b'\n' | b'\\' | b'v' if quoted || next != b'v' => {
            // `- name: DB_PASSWORD`, then `value: …` on the next line; `name="…" value="…"`.
            cursor.skip(ESCAPES, |b| b == b'\\');
            if cursor.eat(b"\n") || cursor.eat(b"n") || spaces > 0 {
                cursor.spaces();
            } else {
                return None;
            }
            if !value_label(cursor) {
                return None;
            }
            return Some((if quoted { Sign::Comma } else { Sign::Colon }, true));
        }
        _ if spaces > 0 && cursor.at > name_end => return Some((Sign::Space, true)),
        _ => return None,
    };
    let after = cursor.spaces();
    Some((sign, spaces + after > 0))
}

/// Skips `"value":`, `value:` or `value=`.
fn value_label(cursor: &mut Cursor) -> bool {
    let start = cursor.at;
    cursor.quote();
    if cursor.eat(b"value") || cursor.eat(b"Value") {
        cursor.quote();
        cursor.spaces();
        if cursor.eat(b":") || cursor.eat(b"=") {
            cursor.spaces();
            return true;
        }
    }
    cursor.at = start;
    false
}

/// The value behind a sign, and how it is written.
fn value(
    mut cursor: Cursor,
    sign: Sign,
    spaced: bool,
    begins_line: bool,
) -> Option<(Range<usize>, Style)> {
    if sign == Sign::Colon {
        skip_annotation(&mut cursor);
    }
    let start = cursor;
    // `b"…"`, `f'…'`, `@"…"`.
    if cursor.peek().is_some_and(|b| b"brfuL@$".contains(&b)) {
        cursor.at += 1;
    }
    let mut opened = cursor.quote();
    if opened.is_none() {
        cursor = start;
        opened = cursor.quote();
    }
    if let Some((quote, escapes)) = opened {
        return quoted(cursor, quote, escapes).map(|range| (range, Style::Quoted));
    }
    let style = match sign {
        Sign::Comma | Sign::Call => return None,
        Sign::Equals | Sign::Element if spaced => Style::Loose,
        Sign::Colon if spaced => Style::Listed,
        _ => Style::Tight,
    };
    let range = bare(start, begins_line && sign == Sign::Equals && !spaced);
    (!range.is_empty()).then_some((range, style))
}

/// `: Option<&str> = ` and the like: a type between the name and the value.
fn skip_annotation(cursor: &mut Cursor) {
    let near = cursor
        .rest()
        .get(..ANNOTATION.min(cursor.rest().len()))
        .unwrap_or_default();
    let is_type = |b: &u8| b.is_ascii_alphanumeric() || b"_.<>[]|&:? *".contains(b);
    let len = near.iter().take_while(|b| is_type(b)).count();
    if let Some([b'=', after @ ..]) = near.get(len..)
        && len > 0
    {
        let spaces = after.iter().take_while(|b| **b == b' ').count();
        if after.get(spaces).is_some_and(|b| b"\"'`\\".contains(b)) {
            cursor.at += len + 1 + spaces;
        }
    }
}

/// Up to the quote that closes: the same one, behind no more backslashes than the opening one.
fn quoted(cursor: Cursor, quote: u8, escapes: usize) -> Option<Range<usize>> {
    let mut backslashes = 0;
    for (len, byte) in cursor.rest().iter().enumerate() {
        match *byte {
            b'\\' => backslashes += 1,
            b'\n' => return None,
            byte if byte == quote && backslashes <= escapes => {
                return Some(cursor.at..cursor.at + len - backslashes);
            }
            _ => backslashes = 0,
        }
        // No secret is so long; what is longer is not read twice.
        if len > 4096 {
            return None;
        }
    }
    None
}

/// Up to what ends a bare value. A line of an environment file ends at space alone; elsewhere an `=` is padding, or it
/// joins the next name to its value.
fn bare(cursor: Cursor, line: bool) -> Range<usize> {
    let stops: &[u8] = if line {
        b"\"'`<>\\"
    } else {
        b"\"'`<>\\,;&|)]}"
    };
    let rest = cursor.rest();
    let mut padded = false;
    let len = rest
        .iter()
        .take(if line { LINE } else { BARE })
        .take_while(|b| {
            let joins = padded && !line && is_name_byte(**b);
            padded = **b == b'=';
            !joins && !b.is_ascii_whitespace() && !stops.contains(b)
        })
        .count();
    if len == BARE && !line {
        return cursor.at..cursor.at;
    }
    let value = rest.get(..len).unwrap_or_default();
    let trimmed = value
        .iter()
        .rev()
        .take_while(|b| b".:,".contains(b))
        .count();
    cursor.at..cursor.at + len - trimmed
}
