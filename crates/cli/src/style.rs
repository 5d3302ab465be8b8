//! Colours, with restraint: a title stands out, an address can be spotted, a match is seen, a warning is yellow.
//! Text is kept as spans so that it can be measured and cut before it is painted.

use std::ffi::OsString;

use anstyle::{AnsiColor, Style};
use unicode_width::UnicodeWidthChar;

use crate::args::ColorWhen;

/// As it is.
pub(crate) const PLAIN: Style = Style::new();
/// What a person reads first.
pub(crate) const TITLE: Style = Style::new().bold();
/// What can be typed: addresses, tasks, commands.
pub(crate) const ADDRESS: Style = AnsiColor::Cyan.on_default();
/// What is read last.
pub(crate) const FAINT: Style = Style::new().dimmed();
/// A word that was asked for.
pub(crate) const MATCH: Style = AnsiColor::Red.on_default().bold();
/// Worth a second look.
pub(crate) const WARNING: Style = AnsiColor::Yellow.on_default();
/// Wrong.
pub(crate) const WRONG: Style = AnsiColor::Red.on_default();

/// Whether to paint: as asked, else on a terminal that can, unless `NO_COLOR` is set (no-color.org).
pub(crate) fn wanted(
    when: ColorWhen,
    terminal: bool,
    variable: impl Fn(&str) -> Option<OsString>,
) -> bool {
    match when {
        ColorWhen::Always => true,
        ColorWhen::Never => false,
        ColorWhen::Auto => {
            let no_color = variable("NO_COLOR").is_some_and(|value| !value.is_empty());
            terminal && !no_color && variable("TERM").is_none_or(|term| term != "dumb")
        }
    }
}

/// A line of text in spans of one style each.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Line(Vec<(Style, String)>);

impl Line {
    /// An empty line.
    pub(crate) fn new() -> Line {
        Line::default()
    }

    /// With more text at its end.
    pub(crate) fn with(mut self, style: Style, text: impl Into<String>) -> Line {
        self.push(style, text);
        self
    }

    /// Adds text at the end.
    pub(crate) fn push(&mut self, style: Style, text: impl Into<String>) {
        let text = text.into();
        if !text.is_empty() {
            self.0.push((style, text));
        }
    }

    /// Adds what makes it special, in brackets.
    pub(crate) fn mark(&mut self, text: &str) {
        self.push(PLAIN, if self.0.is_empty() { "" } else { " " });
        self.push(WARNING, format!("[{text}]"));
    }

    /// Adds another line's text at the end.
    pub(crate) fn append(&mut self, other: Line) {
        self.0.extend(other.0);
    }

    /// With each span's text replaced.
    pub(crate) fn map_text(self, change: impl Fn(String) -> String) -> Line {
        Line(
            self.0
                .into_iter()
                .map(|(style, text)| (style, change(text)))
                .collect(),
        )
    }

    /// How many columns it takes.
    pub(crate) fn width(&self) -> usize {
        self.0.iter().map(|(_, text)| width(text)).sum()
    }

    /// Cut to `width` columns, the last of which is then an ellipsis.
    pub(crate) fn fit(self, width: usize) -> Line {
        if self.width() <= width {
            return self;
        }
        let mut left = width.saturating_sub(1);
        let mut out = Line::new();
        for (style, text) in self.0 {
            let all = self::width(&text);
            if all <= left {
                left -= all;
                out.push(style, text);
                continue;
            }
            let mut kept = cut(&text, left).to_owned();
            if width > 0 {
                kept.push('…');
            }
            out.push(style, kept);
            break;
        }
        out
    }

    /// Writes it at the end of `out`.
    pub(crate) fn write(&self, out: &mut String, paint: bool) {
        for (style, text) in &self.0 {
            if paint && *style != PLAIN {
                out.push_str(&format!("{style}{text}{style:#}"));
            } else {
                out.push_str(text);
            }
        }
    }
}

impl From<String> for Line {
    fn from(text: String) -> Line {
        Line::new().with(PLAIN, text)
    }
}

impl From<&str> for Line {
    fn from(text: &str) -> Line {
        Line::new().with(PLAIN, text)
    }
}

/// How many columns a text takes: never less than a terminal gives it, so that what is cut to a width fits.
pub(crate) fn width(text: &str) -> usize {
    text.chars().map(columns).sum()
}

fn columns(c: char) -> usize {
    // This selector makes a narrow sign before it a wide emoji.
    if c == '\u{fe0f}' {
        1
    } else {
        c.width().unwrap_or(0)
    }
}

/// The longest start of `text` that takes at most `width` columns.
fn cut(text: &str, width: usize) -> &str {
    let mut left = width;
    for (at, c) in text.char_indices() {
        let columns = columns(c);
        if columns > left {
            return text.get(..at).unwrap_or(text);
        }
        left -= columns;
    }
    text
}

/// `text` cut at its start to `width` columns: a path's end says more than its start.
pub(crate) fn fit_end(text: &str, width: usize) -> String {
    if self::width(text) <= width {
        return text.to_owned();
    }
    let mut left = width.saturating_sub(1);
    let mut from = text.len();
    for (at, c) in text.char_indices().rev() {
        let columns = columns(c);
        if columns > left {
            break;
        }
        left -= columns;
        from = at;
    }
    format!("…{}", text.get(from..).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn plain(line: &Line) -> String {
        let mut out = String::new();
        line.write(&mut out, false);
        out
    }

    #[test]
    fn colours_are_for_terminals_that_want_them() {
        let none = |_: &str| None;
        assert!(wanted(ColorWhen::Auto, true, none));
        assert!(!wanted(ColorWhen::Auto, false, none));
        assert!(wanted(ColorWhen::Always, false, none));
        assert!(!wanted(ColorWhen::Never, true, none));
        assert!(!wanted(ColorWhen::Auto, true, |name| (name == "NO_COLOR")
            .then(|| "1".into())));
        assert!(wanted(ColorWhen::Auto, true, |name| (name == "NO_COLOR")
            .then(|| "".into())));
        assert!(!wanted(ColorWhen::Auto, true, |name| (name == "TERM")
            .then(|| "dumb".into())));
    }

    #[test]
    fn a_cut_keeps_styles_and_says_that_it_cut() {
        let line = Line::new().with(TITLE, "fix").with(PLAIN, " the test");
        assert_eq!(plain(&line.clone().fit(7)), "fix th…");
        assert_eq!(plain(&line.clone().fit(12)), "fix the test");
        let mut painted = String::new();
        line.fit(3).write(&mut painted, true);
        assert_eq!(painted, "\u{1b}[1mfi…\u{1b}[0m");
    }

    #[test]
    fn wide_characters_take_two_columns() {
        assert_eq!(plain(&Line::from("日本語").fit(5)), "日本…");
        assert_eq!(plain(&Line::from("日本語").fit(4)), "日…");
        assert_eq!(fit_end("/a/日本語", 5), "…本語");
    }

    proptest! {
        #[test]
        fn nothing_is_wider_than_asked(text in "\\PC{0,40}", width in 1_usize..30) {
            prop_assert!(Line::from(text.as_str()).fit(width).width() <= width.max(1));
            prop_assert!(super::width(&fit_end(&text, width)) <= width.max(1));
        }
    }
}
