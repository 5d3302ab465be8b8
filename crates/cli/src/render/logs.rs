//! The logs there are, a line each, and a word on those that their agent will delete soon.

use memfold::{LogList, LogRow};

use super::{Look, Page, agent};
use crate::numbers;
use crate::safe;
use crate::style::{ADDRESS, FAINT, Line, PLAIN, TITLE, WARNING};
use crate::table::{Align, Table};

/// The list as text. `elsewhere` names where logs of several projects were looked for: each then names its folder.
pub(crate) fn logs(list: &LogList, elsewhere: Option<&str>, look: &Look) -> String {
    let mut page = Page::new(look);
    if !look.quiet {
        let bytes = list
            .logs
            .iter()
            .map(|row| row.bytes)
            .fold(0, u64::saturating_add);
        let mut line = Line::new().with(TITLE, safe::inline(elsewhere.unwrap_or(&list.project)));
        line.push(
            PLAIN,
            format!(
                ": {}, {}",
                numbers::len(list.logs.len(), "log"),
                numbers::size(bytes)
            ),
        );
        page.line(line);
    }
    let mut table = Table::new(&[
        ("WHEN", Align::Left),
        ("AGENT", Align::Left),
        // A helper's id is long.
        ("TASK", Align::Cut(20)),
        ("TURNS", Align::Right),
        ("SIZE", Align::Right),
        ("SIDECAR", Align::Cut(12)),
        ("FOLDER", Align::CutStart(12)),
        ("TITLE", Align::Cut(16)),
        ("LOG", Align::CutStart(16)),
    ]);
    for row in &list.logs {
        table.row(cells(row, elsewhere.is_some(), look));
    }
    if !list.logs.is_empty() {
        for line in table.lines(look.width) {
            page.whole(line);
        }
    }
    let doomed = list
        .logs
        .iter()
        .filter(|row| row.deleted_in_days.is_some())
        .count();
    if doomed > 0 {
        let what = if doomed == 1 {
            "1 log is"
        } else {
            &format!("{} logs are", numbers::count(doomed as u64))
        };
        page.notes(&[format!(
            "{what} deleted within a week by the agent's own retention: copy what you want to keep"
        )]);
    }
    page.notes(&list.notes);
    if list.logs.is_empty() && list.notes.is_empty() {
        page.notes(&[
            "no agent's log was found here; memfold logs -A lists those of every project"
                .to_owned(),
        ]);
    }
    page.done()
}

fn cells(row: &LogRow, everywhere: bool, look: &Look) -> Vec<Line> {
    let mut title = Line::new();
    if let Some(days) = row.deleted_in_days {
        let when = match days {
            0 => "today".to_owned(),
            days => format!("in {}", numbers::of(days, "day")),
        };
        title.push(WARNING, format!("[deleted {when}]"));
    }
    if !row.title.is_empty() {
        let gap = if title.width() > 0 { " " } else { "" };
        title.push(PLAIN, format!("{gap}{}", safe::inline(&row.title)));
    }
    if let Some(helper) = &row.helper {
        title.mark(&format!("helper: {}", safe::inline(helper)));
    }
    if row.archived {
        title.mark("archived");
    }
    let sidecar = safe::inline(&row.sidecar);
    let folder = row
        .cwd
        .as_deref()
        .filter(|_| everywhere)
        .map(|cwd| look.path(cwd.as_ref()))
        .unwrap_or_default();
    vec![
        look.clock
            .minute(row.time.as_deref())
            .unwrap_or_default()
            .into(),
        agent(row.agent).into(),
        Line::new().with(ADDRESS, safe::inline(&row.short)),
        row.turns.map(numbers::count).unwrap_or_default().into(),
        numbers::size(row.bytes).into(),
        Line::new().with(if sidecar == "current" { FAINT } else { PLAIN }, sidecar),
        folder.into(),
        title,
        if look.verbose {
            look.path(&row.path).into()
        } else {
            Line::new()
        },
    ]
}

#[cfg(test)]
mod tests {
    use super::super::samples::{look, row, terminal};
    use super::*;
    use snapbox::{assert_data_eq, str};

    fn list() -> LogList {
        let old = LogRow {
            short: "77aa0011".into(),
            agent: "codex",
            time: Some("2025-10-02T09:14:03Z".into()),
            turns: None,
            sidecar: "log truncated".into(),
            title: "a title that goes on for\nlonger than a narrow terminal has room".into(),
            deleted_in_days: Some(3),
            archived: true,
            bytes: 812,
            ..row()
        };
        let helper = LogRow {
            short: "3f9a1c02/agent-1".into(),
            helper: Some("explore".into()),
            title: String::new(),
            ..row()
        };
        LogList {
            schema: 1,
            project: "api".into(),
            logs: vec![row(), helper, old],
            notes: Vec::new(),
        }
    }

    #[test]
    fn a_program_reads_whole_titles() {
        assert_data_eq!(
            logs(&list(), None, &look()),
            str![[r#"
api: 3 logs, 4.3 MB
WHEN              AGENT   TASK              TURNS    SIZE  SIDECAR        TITLE
Oct 2 09:31       claude  3f9a1c02             14  2.1 MB  current        fix the denylist test
Oct 2 09:31       claude  3f9a1c02/agent-1     14  2.1 MB  current        [helper: explore]
Oct 2 2025 09:14  codex   77aa0011                  812 B  log truncated  [deleted in 3 days] a title that goes on for longer than a narrow terminal has room [archived]
note: 1 log is deleted within a week by the agent's own retention: copy what you want to keep

"#]]
        );
    }

    #[test]
    fn a_person_sees_lines_that_fit_and_folders_of_every_project() {
        let text = logs(&list(), Some("all projects"), &terminal(100));
        assert!(text.starts_with("all projects: 3 logs"), "{text}");
        assert!(text.contains("~/api"), "{text}");
        for line in text.lines().filter(|line| !line.starts_with("note:")) {
            assert!(crate::style::width(line) <= 100, "{line}");
        }
    }

    #[test]
    fn an_empty_list_says_what_to_do() {
        let none = LogList {
            logs: Vec::new(),
            ..list()
        };
        assert_data_eq!(
            logs(&none, None, &look()),
            str![[r#"
api: 0 logs, 0 B
note: no agent's log was found here; memfold logs -A lists those of every project

"#]]
        );
    }
}
