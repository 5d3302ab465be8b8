//! Hosts as text: with which of them memfold is registered, and what a registration changes.

use memfold_hosts::Host;

use super::{Look, Page};
use crate::registered::{HostList, HostRow, Standing};
use crate::safe;
use crate::setup::{Action, Done, SetupAnswer, Step};
use crate::shell;
use crate::style::{ADDRESS, FAINT, Line, PLAIN, TITLE, WARNING, WRONG};

/// The hosts that are here, and how memfold stands with each.
pub(crate) fn host_list(list: &HostList, look: &Look) -> String {
    let mut page = Page::new(look);
    let (here, elsewhere): (Vec<&HostRow>, Vec<&HostRow>) = list
        .hosts
        .iter()
        .partition(|row| row.found || row.registered != Standing::No);
    for row in &here {
        let mut line = Line::new().with(TITLE, format!("{:<9} ", row.host));
        let (style, says) = standing(row);
        line.push(style, format!("{says:<15} "));
        match (row.registered, &row.file) {
            (Standing::No, _) => line.push(FAINT, format!("memfold setup {}", row.host)),
            (_, Some(file)) => line.push(PLAIN, look.path(file)),
            _ => {}
        }
        page.line(line);
        if look.verbose && !row.command.is_empty() {
            let command = shell::join(row.command.iter().map(String::as_str));
            page.whole(Line::new().with(FAINT, format!("          {command}")));
        }
        if let Some(why) = &row.why {
            page.whole(Line::new().with(PLAIN, format!("          {}", safe::inline(why))));
        }
    }
    if !elsewhere.is_empty() {
        let names: Vec<&str> = elsewhere.iter().map(|row| row.host).collect();
        page.hint(&format!("not found: {}", names.join(", ")));
    }
    page.done()
}

/// How memfold stands with a host, in a word or two.
pub(super) fn standing(row: &HostRow) -> (anstyle::Style, &'static str) {
    match row.registered {
        Standing::Yes => (PLAIN, "registered"),
        Standing::Plugin => (PLAIN, "by its plugin"),
        Standing::Gone => (WRONG, "program is gone"),
        Standing::Off => (WARNING, "turned off"),
        Standing::No => (WARNING, "not registered"),
        Standing::Other => (WRONG, "another program"),
        Standing::Unreadable => (WRONG, "unreadable"),
    }
}

/// A part of a registration before it is asked about: the file, and what would change in it.
pub(crate) fn setup_step(host: Host, step: &Step, look: &Look) -> String {
    let mut page = Page::new(look);
    let is = match step.action {
        Action::Add => "is to",
        Action::Remove => "is no longer to",
    };
    let title = format!("{} {is} {}", host.title(), step.of.does());
    page.whole(Line::new().with(TITLE, title));
    if let (Action::Add, Some(caution)) = (step.action, host.caution(step.of)) {
        page.whole(Line::new().with(WARNING, caution));
    }
    let mut file = Line::new().with(PLAIN, look.path(&step.file));
    if let Some(real) = &step.leads_to {
        file.push(FAINT, format!(" -> {}", look.path(real)));
    }
    page.whole(file);
    for line in step.change.lines() {
        let style = match line.chars().next() {
            Some('+') => ADDRESS,
            Some('-') => WRONG,
            Some('@') => FAINT,
            _ => PLAIN,
        };
        page.whole(Line::new().with(style, safe::line(line)));
    }
    page.done()
}

/// What became of each part, and what to do next.
pub(crate) fn setup_end(answer: &SetupAnswer, look: &Look) -> String {
    let mut page = Page::new(look);
    for step in &answer.steps {
        let says = match step.done {
            Done::Written => "written",
            Done::Already => "as it should be",
            Done::Shown | Done::Declined => "not written",
        };
        let style = if step.done == Done::Declined {
            WARNING
        } else {
            PLAIN
        };
        page.line(
            Line::new()
                .with(style, says)
                .with(PLAIN, format!(": {} ", step.part))
                .with(FAINT, look.path(&step.file)),
        );
    }
    page.notes(&answer.notes);
    let is_written = answer.steps.iter().any(|step| step.done == Done::Written);
    if is_written && !look.quiet {
        page.hint(&format!(
            "{} reads it when a session begins. How all of it stands: memfold doctor",
            answer.of.title()
        ));
    }
    page.done()
}
