//! The answer of a search: what was ranked, then turn by turn the events that hold the words and their best lines.

use std::path::{Path, PathBuf};

use memfold::{Answer, Hit, Logs};

use super::{Look, Page, agent, highlight, outcome};
use crate::numbers;
use crate::safe;
use crate::shell;
use crate::style::{ADDRESS, FAINT, Line, PLAIN, TITLE, WARNING, width};

/// Events of one turn that are shown; the rest are counted.
const SHOWN: usize = 3;
/// Where the text of a best line begins: two of a margin, the number to the right, a blank.
const NUMBERED: usize = 8;

/// What the text needs to know of the request.
pub(crate) struct Asked {
    /// The one log that was searched.
    log: Option<PathBuf>,
    /// The logs lie where their agent looks for them, so that it can go on with a task.
    resumable: bool,
}

impl From<&Logs> for Asked {
    fn from(logs: &Logs) -> Asked {
        match logs {
            Logs::Project
            | Logs::Everywhere
            | Logs::Conversation(_)
            | Logs::Others(_)
            | Logs::Allowed(_) => Asked {
                log: None,
                resumable: true,
            },
            Logs::Below(_) => Asked {
                log: None,
                resumable: false,
            },
            Logs::File(log) => Asked {
                log: Some(log.clone()),
                resumable: false,
            },
        }
    }
}

/// The answer as text.
pub(crate) fn search(answer: &Answer, asked: &Asked, look: &Look) -> String {
    let mut page = Page::new(look);
    page.line(heading(answer, asked));
    for turn in turns(&answer.results) {
        show_turn(&mut page, answer, &turn);
    }
    if let Some(best) = answer.results.first() {
        page.whole(onward(best, asked));
    }
    if look.verbose && answer.matched > answer.results.len() as u64 {
        page.hint(&format!(
            "{} match, the best {} are shown",
            numbers::of(answer.matched, "event"),
            answer.results.len()
        ));
    }
    page.notes(&answer.notes);
    if answer.results.is_empty() && answer.notes.is_empty() && !answer.words.is_empty() {
        page.notes(&[format!("no event holds any of: {}", answer.words.join(" "))]);
    }
    page.done()
}

/// `api: 78 logs, 17,663 events, best 3/3 words, 12 ms`
fn heading(answer: &Answer, asked: &Asked) -> Line {
    let what = match &asked.log {
        Some(log) => answer
            .results
            .first()
            .map_or_else(|| stem(log), |hit| task(hit).to_owned()),
        None => answer.project.clone(),
    };
    let mut line = Line::new().with(TITLE, safe::inline(&what));
    let ranked = &answer.ranked;
    line.push(
        PLAIN,
        format!(
            ": {}, {}, ",
            numbers::len(ranked.logs, "log"),
            numbers::of(ranked.events, "event")
        ),
    );
    let words = format!("best {}/{} words", answer.best_words, answer.words.len());
    match (answer.results.is_empty(), answer.weak) {
        (true, _) => line.push(WARNING, "nothing matched"),
        (false, true) => line.push(WARNING, format!("WEAK: {words}")),
        (false, false) => line.push(PLAIN, words),
    }
    line.push(PLAIN, format!(", {}", numbers::span(answer.micros)));
    if !answer.complete {
        line.push(WARNING, ", incomplete");
    }
    line
}

fn stem(log: &Path) -> String {
    let name = log.file_name().unwrap_or(log.as_os_str()).to_string_lossy();
    let bare = [".jsonl.zst", ".jsonl", ".json"]
        .into_iter()
        .find_map(|form| name.strip_suffix(form));
    bare.unwrap_or(&name).to_owned()
}

/// As much of the task's id as its address holds.
fn task(hit: &Hit) -> &str {
    hit.address
        .rsplit_once(':')
        .map_or(hit.task.as_str(), |(task, _)| task)
}

/// Results by turn, turns in the order of their best.
fn turns(results: &[Hit]) -> Vec<Vec<&Hit>> {
    let mut turns: Vec<Vec<&Hit>> = Vec::new();
    for hit in results {
        let same = |turn: &Vec<&Hit>| {
            turn.first()
                .is_some_and(|first| (&first.log, first.turn) == (&hit.log, hit.turn))
        };
        match turns.iter_mut().find(|turn| same(turn)) {
            Some(turn) => turn.push(hit),
            None => turns.push(vec![hit]),
        }
    }
    turns
}

fn show_turn(page: &mut Page<'_>, answer: &Answer, turn: &[&Hit]) {
    let Some(best) = turn.first() else { return };
    let look = page.look;
    let mut line = Line::new();
    // A turn can go on past midnight: its line has the day of its best event.
    if let Some(day) = look.clock.day(best.time.as_deref()) {
        line.push(PLAIN, format!("{day} "));
    }
    line.push(PLAIN, format!("{} ", agent(best.agent)));
    line.push(ADDRESS, safe::inline(task(best)));
    line.push(
        PLAIN,
        if best.turn == 0 {
            " before turn 1 ".to_owned()
        } else {
            format!(" turn {} ", best.turn)
        },
    );
    line.push(TITLE, safe::inline(&best.turn_title));
    if best.archived {
        line.mark("archived");
    }
    page.line(line);
    if look.verbose {
        page.line(Line::new().with(FAINT, format!("  {}", look.path(&best.log))));
    }
    for hit in turn.iter().take(SHOWN) {
        show_event(page, answer, hit);
    }
    if let Some(more) = turn.len().checked_sub(SHOWN).filter(|more| *more > 0) {
        page.line(Line::new().with(FAINT, format!("  +{more} more in this turn")));
    }
}

fn show_event(page: &mut Page<'_>, answer: &Answer, hit: &Hit) {
    let mut line = Line::new()
        .with(PLAIN, "  ")
        .with(ADDRESS, safe::inline(&hit.address))
        .with(PLAIN, "  ");
    line.push(PLAIN, what(hit.kind, &hit.title));
    if let Some(outcome) = outcome(hit.exit, hit.failed) {
        line.push(PLAIN, format!(", {outcome}"));
    }
    if let Some(helper) = &hit.helper {
        line.mark(&format!("helper: {}", safe::inline(helper)));
    }
    if hit.abandoned {
        line.mark("abandoned");
    }
    page.line(line);
    for numbered in &hit.lines {
        let mut line = Line::new().with(FAINT, format!("{:>7} ", numbered.line));
        line.append(best_line(&numbered.text, &answer.words, page.look));
        page.line(line);
    }
}

/// What an event is: a result goes by its call, all else is named.
fn what(kind: &str, title: &str) -> String {
    let title = safe::inline(title);
    let name = if kind == "compaction" {
        "compaction's note"
    } else {
        kind
    };
    if kind == "result" && !title.is_empty() || says_its_kind(kind, &title) {
        title
    } else if title.is_empty() {
        name.to_owned()
    } else {
        format!("{name}: {title}")
    }
}

fn says_its_kind(kind: &str, title: &str) -> bool {
    let title = title.to_lowercase();
    title.starts_with(kind) || kind == "compaction" && title.contains(kind)
}

/// A line with its words seen: where the terminal is too narrow for all of it, the part around the first of them.
pub(super) fn best_line(text: &str, words: &[String], look: &Look) -> Line {
    let text = safe::line(text);
    let Some(terminal) = look.width else {
        return if look.paint {
            highlight::painted(&text, words)
        } else {
            Line::from(text.into_owned())
        };
    };
    let text = text.trim_start().replace('\t', "    ");
    let room = terminal.saturating_sub(NUMBERED);
    let first = highlight::matches(&text, words).first().copied();
    let Some((start, _)) =
        first.filter(|(_, end)| width(text.get(..*end).unwrap_or_default()) + 1 > room)
    else {
        return highlight::painted(&text, words);
    };
    // A third of the room goes to what stands before the first match.
    let before = text.get(..start).unwrap_or_default();
    let shown = before.char_indices().rev().map(|(at, _)| at);
    let from = shown
        .take_while(|at| width(before.get(*at..).unwrap_or_default()) <= room / 3)
        .last()
        .unwrap_or(start);
    let mut line = Line::new().with(FAINT, "…");
    line.append(highlight::painted(
        text.get(from..).unwrap_or_default(),
        words,
    ));
    line
}

/// The commands that go on from here.
fn onward(best: &Hit, asked: &Asked) -> Line {
    let mut line = Line::new().with(FAINT, "read: ");
    line.push(ADDRESS, shell::join(best.read.iter().map(String::as_str)));
    if asked.resumable {
        // A helper has no conversation of its own to go on with: its parent's is.
        let task = task(best).split('/').next().unwrap_or_default();
        line.push(FAINT, "   continue: ");
        line.push(ADDRESS, shell::join(["memfold", "resume", task]));
    }
    line
}

#[cfg(test)]
mod tests {
    use super::super::samples::{answer, hit, look, terminal};
    use super::*;
    use snapbox::{assert_data_eq, str};

    fn project() -> Asked {
        Asked::from(&Logs::Project)
    }

    #[test]
    fn the_contracts_own_example() {
        let text = search(&answer(vec![hit()]), &project(), &look());
        assert_data_eq!(
            text,
            str![[r#"
api: 78 logs, 17,663 events, best 3/3 words, 12 ms
Oct 2 claude 3f9a1c02 turn 14 fix the denylist test
  3f9a1c02:812  Bash cargo test -p guard, exit 101
     31 denylist::symlink … FAILED
read: memfold recall 3f9a1c02:812   continue: memfold resume 3f9a1c02

"#]]
        );
    }

    #[test]
    fn events_are_grouped_by_turn_in_the_order_of_the_best() {
        let at = |turn: u32, seq: u64, kind: &'static str, title: &str| Hit {
            turn,
            seq,
            kind,
            address: format!("3f9a1c02:{seq}"),
            title: title.into(),
            exit: None,
            failed: false,
            lines: Vec::new(),
            ..hit()
        };
        let mut other = at(14, 5, "person", "fix it");
        other.log = "/logs/other.jsonl".into();
        other.address = "77aa0011/agent-1:5".into();
        other.helper = Some("explore".into());
        other.archived = true;
        other.time = Some("2025-10-02T09:14:03Z".into());
        other.turn = 0;
        let mut failed = at(14, 815, "result", "Read src/lib.rs");
        failed.failed = true;
        let results = vec![
            at(14, 812, "reply", "The test fails"),
            other,
            failed,
            at(14, 820, "compaction", "what was done"),
            at(14, 821, "plan", ""),
            at(14, 822, "plan", ""),
        ];
        assert_data_eq!(
            search(&answer(results), &project(), &look()),
            str![[r#"
api: 78 logs, 17,663 events, best 3/3 words, 12 ms
Oct 2 claude 3f9a1c02 turn 14 fix the denylist test
  3f9a1c02:812  reply: The test fails
  3f9a1c02:815  Read src/lib.rs, failed
  3f9a1c02:820  compaction's note: what was done
  +2 more in this turn
Oct 2 2025 claude 77aa0011/agent-1 before turn 1 fix the denylist test [archived]
  77aa0011/agent-1:5  person: fix it [helper: explore]
read: memfold recall 3f9a1c02:812   continue: memfold resume 3f9a1c02

"#]]
        );
    }

    #[test]
    fn a_weak_answer_and_an_incomplete_one_say_so() {
        let mut weak = answer(vec![hit()]);
        weak.weak = true;
        weak.best_words = 1;
        weak.complete = false;
        weak.notes = vec!["2 logs could not be read:\n/logs/x.jsonl: permission denied".into()];
        let text = search(&weak, &project(), &look());
        assert!(
            text.starts_with(
                "api: 78 logs, 17,663 events, WEAK: best 1/3 words, 12 ms, incomplete\n"
            ),
            "{text}"
        );
        assert!(
            text.ends_with("\nnote: 2 logs could not be read: /logs/x.jsonl: permission denied\n"),
            "{text}"
        );
    }

    #[test]
    fn an_empty_answer_says_why() {
        assert_data_eq!(
            search(&answer(Vec::new()), &project(), &look()),
            str![[r#"
api: 78 logs, 17,663 events, nothing matched, 12 ms
note: no event holds any of: denylist symlink check

"#]]
        );
    }

    #[test]
    fn one_conversation_is_named_by_its_task_and_is_not_continued() {
        let asked = Asked::from(&Logs::File("/copy/session.jsonl.zst".into()));
        let mut found = hit();
        found.read = ["memfold", "recall", "812", "--log", "/copy/a b.jsonl"]
            .map(str::to_owned)
            .to_vec();
        let text = search(&answer(vec![found]), &asked, &look());
        assert!(text.starts_with("3f9a1c02: 78 logs"), "{text}");
        assert!(
            text.ends_with("\nread: memfold recall 812 --log '/copy/a b.jsonl'\n"),
            "{text}"
        );
        assert!(search(&answer(Vec::new()), &asked, &look()).starts_with("session: "));
    }

    #[test]
    fn what_a_terminal_would_obey_is_seen_instead() {
        let mut odd = hit();
        odd.title = "Bash printf '\u{1b}]0;x\u{7}'\nrm".into();
        odd.turn_title = "\u{202e}txt".into();
        odd.lines = vec![memfold::NumberedLine {
            line: 1,
            text: "a\u{1b}[2Jb".into(),
        }];
        odd.helper = Some("\u{9b}x".into());
        let text = search(&answer(vec![odd]), &project(), &look());
        assert!(
            text.contains("printf '␛]0;x␇' rm")
                && text.contains("<202E>txt")
                && text.contains("a␛[2Jb")
                && text.contains("<009B>x")
        );
        assert!(!text.chars().any(|c| c != '\n' && safe::is_hidden(c)));
    }

    #[test]
    fn on_a_terminal_nothing_wraps_and_the_match_is_in_sight() {
        let mut long = hit();
        long.lines = vec![memfold::NumberedLine {
            line: 7,
            text: format!(
                "\t{} then the symlink failed {}",
                "x ".repeat(80),
                "y".repeat(80)
            ),
        }];
        let text = search(&answer(vec![long]), &project(), &terminal(40));
        for line in text.lines().filter(|line| !line.starts_with("read:")) {
            assert!(width(line) <= 40, "{line}");
        }
        assert_data_eq!(
            text,
            str![[r#"
api: 78 logs, 17,663 events, best 3/3 w…
Oct 2 claude 3f9a1c02 turn 14 fix the d…
  3f9a1c02:812  Bash cargo test -p guar…
      7 … then the symlink failed yyyyy…
read: memfold recall 3f9a1c02:812   continue: memfold resume 3f9a1c02

"#]]
        );
    }

    #[test]
    fn paint_changes_no_text() {
        let painted = search(
            &answer(vec![hit()]),
            &project(),
            &Look {
                paint: true,
                ..look()
            },
        );
        assert!(
            painted.contains("\u{1b}[31m") || painted.contains("\u{1b}[1m"),
            "{painted:?}"
        );
        let plain = search(&answer(vec![hit()]), &project(), &look());
        let mut stripped = String::new();
        let mut inside = false;
        for c in painted.chars() {
            match c {
                '\u{1b}' => inside = true,
                'm' if inside => inside = false,
                c if !inside => stripped.push(c),
                _ => {}
            }
        }
        assert_eq!(stripped, plain);
    }
}
