//! A diagnosis as text: a line a finding, what is to be done below it.

use super::{Look, Page};
use crate::doctor::{Diagnosis, Finding, Level};
use crate::safe;
use crate::style::{ADDRESS, FAINT, Line, PLAIN, TITLE, WARNING, WRONG};

/// The findings. What is well needs no path unless it is asked for.
pub(crate) fn doctor(diagnosis: &Diagnosis, look: &Look) -> String {
    let mut page = Page::new(look);
    for finding in &diagnosis.findings {
        if look.quiet && finding.level != Level::Todo {
            continue;
        }
        page.whole(headline(finding, look));
        let logs = finding.logs.iter().filter(|_| look.verbose);
        for log in logs {
            let path = look.path(log.as_ref());
            page.whole(Line::new().with(PLAIN, format!("{}{path}", " ".repeat(WIDTH + 8))));
        }
        if !finding.hint.is_empty() {
            page.whole(
                Line::new()
                    .with(PLAIN, " ".repeat(WIDTH + 8))
                    .with(FAINT, safe::inline(&finding.hint)),
            );
        }
    }
    let todo = |finding: &&Finding| finding.level == Level::Todo;
    let count = diagnosis.findings.iter().filter(todo).count();
    page.whole(match count {
        0 => Line::new().with(TITLE, "all is well"),
        count => Line::new().with(WRONG, format!("{count} to do")),
    });
    page.done()
}

/// The longest name of what findings are about, but for some agents' longer ones.
const WIDTH: usize = 11;

fn headline(finding: &Finding, look: &Look) -> Line {
    let (style, mark) = match finding.level {
        Level::Ok => (FAINT, "ok"),
        Level::May => (WARNING, "may"),
        Level::Todo => (WRONG, "TO DO"),
    };
    let mut line = Line::new()
        .with(style, format!("{mark:<6}"))
        .with(ADDRESS, format!("{:<WIDTH$}", safe::inline(&finding.about)))
        .with(
            PLAIN,
            format!("  {}", safe::inline(&finding.what).trim_end()),
        );
    let path = finding.path.as_deref().map(|path| look.path(path.as_ref()));
    if let Some(path) = path.filter(|path| !finding.what.contains(path.as_str())) {
        line.push(FAINT, format!("  {path}"));
    }
    line
}
