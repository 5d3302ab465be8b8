//! Answers as text, one module for each. All of them are functions from an answer and a look to a string.

mod cards;
mod doctor;
mod fold;
mod highlight;
mod hosts;
mod logs;
mod measure;
mod recall;
mod repository;
mod search;
mod small;
mod status;

use std::path::{Path, PathBuf};

pub(crate) use cards::cards;
pub(crate) use doctor::doctor;
pub(crate) use fold::{failures, folded, verified};
pub(crate) use hosts::{host_list, setup_end, setup_step};
pub(crate) use logs::logs;
pub(crate) use measure::{measure, page as measure_page};
pub(crate) use recall::recall;
pub(crate) use repository::{coverage, files};
pub(crate) use search::{Asked, search};
pub(crate) use small::{earlier, forgotten, resume};
pub(crate) use status::status;

use crate::clock::Clock;
use crate::safe;
use crate::style::{FAINT, Line, PLAIN, WARNING};

/// How text is to look.
pub(crate) struct Look {
    /// Paint it.
    pub(crate) paint: bool,
    /// The terminal's columns, where there is a terminal: lines are then cut to them.
    pub(crate) width: Option<usize>,
    /// Dates.
    pub(crate) clock: Clock,
    /// The home directory, written `~` on a terminal.
    pub(crate) home: Option<PathBuf>,
    /// Say more.
    pub(crate) verbose: bool,
    /// Say less.
    pub(crate) quiet: bool,
}

impl Look {
    /// A path: short on a terminal, whole for a program.
    fn path(&self, path: &Path) -> String {
        if self.width.is_some()
            && let Some(home) = &self.home
            && home.parent().is_some()
            && let Ok(below) = path.strip_prefix(home)
        {
            return safe::path(&Path::new("~").join(below));
        }
        safe::path(path)
    }
}

/// Text in the making.
struct Page<'a> {
    look: &'a Look,
    text: String,
}

impl<'a> Page<'a> {
    fn new(look: &'a Look) -> Page<'a> {
        Page {
            look,
            text: String::new(),
        }
    }

    /// Adds a line, cut to the terminal.
    fn line(&mut self, line: impl Into<Line>) {
        let line = line.into();
        let line = match self.look.width {
            Some(width) => line.fit(width),
            None => line,
        };
        self.whole(line);
    }

    /// Adds a line that must not be cut: a terminal may wrap it.
    fn whole(&mut self, line: impl Into<Line>) {
        line.into().write(&mut self.text, self.look.paint);
        self.text.push('\n');
    }

    /// Adds notes, a line each.
    fn notes(&mut self, notes: &[String]) {
        for note in notes {
            self.whole(
                Line::new()
                    .with(WARNING, "note: ")
                    .with(PLAIN, safe::inline(note)),
            );
        }
    }

    /// Adds a hint, a line.
    fn hint(&mut self, hint: &str) {
        self.whole(Line::new().with(FAINT, hint));
    }

    fn done(self) -> String {
        self.text
    }
}

/// An agent's name where space is short: `claude` for `claude-code`.
fn agent(name: &str) -> &str {
    name.split_once('-').map_or(name, |(short, _)| short)
}

/// Words between commas, the empty ones left out.
fn joined(words: impl IntoIterator<Item = String>) -> String {
    words
        .into_iter()
        .filter(|word| !word.is_empty())
        .collect::<Vec<_>>()
        .join(", ")
}

/// How a result ended: `exit 101`, `failed`, or nothing to say.
fn outcome(exit: Option<i32>, failed: bool) -> Option<String> {
    exit.map(|code| format!("exit {code}"))
        .or_else(|| failed.then(|| "failed".to_owned()))
}

#[cfg(test)]
mod samples;
