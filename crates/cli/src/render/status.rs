//! What memfold holds for a project, and where.

use memfold::{RepoReport, Status};

use super::{Look, Page, agent, joined};
use crate::numbers;
use crate::safe;
use crate::style::{ADDRESS, FAINT, Line, PLAIN, TITLE, WARNING};

/// The status as text. Verbose says of each log that is left out why.
pub(crate) fn status(status: &Status, look: &Look) -> String {
    let mut page = Page::new(look);
    page.line(
        Line::new()
            .with(TITLE, safe::inline(&status.project))
            .with(PLAIN, format!("  {}", look.path(&status.root))),
    );
    let agents = joined(
        status
            .agents
            .iter()
            .map(|(name, logs)| format!("{} {}", agent(name), numbers::count(*logs as u64))),
    );
    let newest = look
        .clock
        .minute(status.newest.as_deref())
        .map(|time| format!("newest {time}"))
        .unwrap_or_default();
    let logs = numbers::count(status.logs as u64);
    let logs = if agents.is_empty() {
        logs
    } else {
        format!("{logs} ({agents})")
    };
    field(
        &mut page,
        "logs",
        joined([logs, numbers::size(status.log_bytes), newest]),
    );
    let sidecars = [
        numbers::count(status.sidecars as u64),
        numbers::size(status.sidecar_bytes),
        numbers::of(status.turns, "turn"),
        numbers::of(status.events, "event"),
    ];
    field(&mut page, "sidecars", joined(sidecars));
    match &status.repository {
        Some(report) => repository(&mut page, report),
        None => page.line(
            name("repo")
                .with(PLAIN, "not indexed ")
                .with(FAINT, "(the first search does it: memfold search -s repo)"),
        ),
    }
    let mut line = name("earlier");
    if status.earlier {
        line.push(WARNING, "on");
        line.push(PLAIN, ": agents may search this project's earlier tasks ");
        line.push(FAINT, "(off: memfold earlier off)");
    } else {
        line.push(
            PLAIN,
            "off: agents may not search this project's earlier tasks ",
        );
        line.push(FAINT, "(on: memfold earlier on)");
    }
    page.line(line);
    let record = match (status.records, status.record_bytes) {
        (true, 0) => "nothing yet of what agents ask".to_owned(),
        (true, bytes) => format!("{} of what agents asked", numbers::size(bytes)),
        (false, 0) => "off".to_owned(),
        (false, bytes) => format!("off; {} of what agents asked", numbers::size(bytes)),
    };
    field(&mut page, "record", record);
    field(&mut page, "data", look.path(&status.data_dir));
    field(&mut page, "config", look.path(&status.config_dir));
    field(&mut page, "cache", look.path(&status.cache_dir));
    if !status.left_out.is_empty() {
        let count = numbers::len(status.left_out.len(), "log");
        let mut line = name("left out").with(WARNING, count);
        if look.verbose {
            page.line(line);
            for reason in &status.left_out {
                page.whole(Line::new().with(PLAIN, format!("    {}", safe::inline(reason))));
            }
        } else {
            line.push(FAINT, " (why: memfold status -v)");
            page.line(line);
        }
    }
    if let Some(report) = &status.repository {
        repository_left_out(&mut page, report);
    }
    page.done()
}

/// `712 files, 4,298 chunks, 6.5 MB, 2 trees, changed Oct 2 09:14`, and how far behind it is.
fn repository(page: &mut Page<'_>, report: &RepoReport) {
    let when = page.look.clock.minute(report.changed.as_deref());
    let held = joined([
        numbers::of(report.files, "file"),
        numbers::of(report.chunks, "chunk"),
        numbers::size(report.bytes),
        numbers::of(report.trees, "tree"),
        when.map(|time| format!("changed {time}"))
            .unwrap_or_default(),
    ]);
    let mut line = name("repo").with(PLAIN, held);
    let behind = [
        (report.not_reached, "to be read"),
        (report.gone, "gone since"),
    ];
    for (count, what) in behind.into_iter().filter(|(count, _)| *count > 0) {
        line.push(
            WARNING,
            format!(", {} {what}", numbers::count(count as u64)),
        );
    }
    page.line(line);
}

/// Which of the repository's files are left out, and verbosely why.
fn repository_left_out(page: &mut Page<'_>, report: &RepoReport) {
    if !report.left_out.is_empty() {
        let count = numbers::len(report.left_out.len(), "file");
        let mut line = name("left out").with(WARNING, format!("{count} of the repository"));
        if !page.look.verbose {
            line.push(FAINT, " (why: memfold status -v)");
        }
        page.line(line);
    }
    if page.look.verbose {
        for reason in &report.left_out {
            page.whole(Line::new().with(PLAIN, format!("    {}", safe::inline(reason))));
        }
    }
    page.notes(&report.notes);
}

fn name(name: &str) -> Line {
    Line::new().with(ADDRESS, format!("  {name:<9} "))
}

fn field(page: &mut Page<'_>, label: &str, value: String) {
    page.line(name(label).with(PLAIN, value));
}

#[cfg(test)]
mod tests {
    use super::super::samples::{look, terminal};
    use super::*;
    use snapbox::{assert_data_eq, str};

    fn sample() -> Status {
        Status {
            schema: 1,
            project: "api".into(),
            root: "/home/ada/api".into(),
            earlier: false,
            logs: 78,
            log_bytes: 312_000_000,
            agents: vec![("claude-code".into(), 70), ("codex".into(), 8)],
            sidecars: 76,
            sidecar_bytes: 31_000_000,
            events: 17_663,
            turns: 1204,
            newest: Some("2026-10-02T09:14:03Z".into()),
            records: true,
            record_bytes: 12_300,
            data_dir: "/home/ada/.local/share/memfold".into(),
            config_dir: "/home/ada/.config/memfold".into(),
            cache_dir: "/home/ada/.cache/memfold".into(),
            left_out: vec![
                "/logs/x.jsonl: permission denied".into(),
                "/logs/y.jsonl: 2 turns behind".into(),
            ],
            repository: Some(RepoReport {
                schema: 1,
                project: "api".into(),
                root: "/home/ada/api".into(),
                files: 712,
                chunks: 4298,
                read: 0,
                skipped: 1,
                refused: 1,
                gone: 0,
                not_reached: 3,
                complete: false,
                left_out: vec![
                    "logo.png: binary".into(),
                    "keys/id_rsa: on the denylist (ssh-key)".into(),
                ],
                notes: Vec::new(),
                gaps: Vec::new(),
                trees: 2,
                packs: 1,
                bytes: 6_500_000,
                changed: Some("2026-10-02T09:14:03Z".into()),
                micros: 9000,
            }),
        }
    }

    #[test]
    fn what_there_is_and_where() {
        assert_data_eq!(
            status(&sample(), &terminal(100)),
            str![[r#"
api  ~/api
  logs      78 (claude 70, codex 8), 312 MB, newest Oct 2 09:14
  sidecars  76, 31 MB, 1,204 turns, 17,663 events
  repo      712 files, 4,298 chunks, 6.5 MB, 2 trees, changed Oct 2 09:14, 3 to be read
  earlier   off: agents may not search this project's earlier tasks (on: memfold earlier on)
  record    12 kB of what agents asked
  data      ~/.local/share/memfold
  config    ~/.config/memfold
  cache     ~/.cache/memfold
  left out  2 logs (why: memfold status -v)
  left out  2 files of the repository (why: memfold status -v)

"#]]
        );
    }

    #[test]
    fn a_repository_without_an_index_is_said_to_have_none() {
        let status = Status {
            repository: None,
            ..sample()
        };
        assert!(super::status(&status, &look()).contains("  repo      not indexed ("));
    }

    #[test]
    fn verbose_says_why() {
        let text = status(
            &Status {
                earlier: true,
                ..sample()
            },
            &Look {
                verbose: true,
                ..look()
            },
        );
        assert!(text.contains("  earlier   on: agents may search"), "{text}");
        assert!(text.contains("  left out  2 logs\n    /logs/x.jsonl: permission denied\n    /logs/y.jsonl: 2 turns behind\n"), "{text}");
        assert!(text.ends_with("  left out  2 files of the repository\n    logo.png: binary\n    keys/id_rsa: on the denylist (ssh-key)\n"), "{text}");
    }
}
