//! An event read back: a line that says what it is, its text bare so that it can be copied, and where the rest is.

use memfold::{Recalled, TurnEvent};

use super::cards::card;
use super::{Look, Page, joined, outcome};
use crate::safe;
use crate::style::{ADDRESS, FAINT, Line, PLAIN, TITLE};

/// The event as text.
pub(crate) fn recall(event: &Recalled, look: &Look) -> String {
    let mut page = Page::new(look);
    page.whole(heading(event, look));
    for numbered in &event.lines {
        page.whole(safe::line(&numbered.text).as_ref());
    }
    page.whole(position(event));
    if !event.calls.is_empty() {
        page.whole(Line::new().with(FAINT, "calls, each with the seq of its result:"));
        for call in &event.calls {
            let seq = call
                .result
                .map_or_else(|| "none".to_owned(), |seq| seq.to_string());
            page.whole(
                Line::new()
                    .with(ADDRESS, format!("{seq:>7}"))
                    .with(PLAIN, format!("  {}", safe::inline(&call.title))),
            );
        }
    }
    if let Some(turn) = &event.card {
        card(&mut page, turn);
    }
    if !event.events.is_empty() {
        page.whole(Line::new().with(FAINT, format!("events of turn {}:", event.turn)));
        for (kind, seqs) in by_kind(&event.events) {
            page.whole(
                Line::new()
                    .with(PLAIN, format!("  {kind:<10} "))
                    .with(ADDRESS, seqs),
            );
        }
    }
    page.notes(&event.notes);
    page.done()
}

/// `result 3f9a1c02:812, turn 14, Oct 2 09:14, Bash cargo test -p guard, exit 101`
fn heading(event: &Recalled, look: &Look) -> Line {
    let mut line = Line::new()
        .with(TITLE, event.kind)
        .with(PLAIN, " ")
        .with(ADDRESS, safe::inline(&event.address));
    let title = safe::inline(&event.title);
    let rest = joined([
        format!("turn {}", event.turn),
        look.clock.minute(event.time.as_deref()).unwrap_or_default(),
        event
            .helper
            .as_deref()
            .map(|helper| format!("helper {}", safe::inline(helper)))
            .unwrap_or_default(),
        if event.abandoned {
            "abandoned".to_owned()
        } else {
            String::new()
        },
        // Its own text follows: only a result's title, its call, says more.
        if event.kind == "result" || event.kind == "file" {
            title
        } else {
            String::new()
        },
        outcome(event.exit, event.failed).unwrap_or_default(),
        event
            .call
            .map(|seq| format!("call {seq}"))
            .filter(|_| look.verbose)
            .unwrap_or_default(),
    ]);
    line.push(PLAIN, format!(", {rest}"));
    if look.verbose {
        line.push(
            FAINT,
            format!(", {}, {}", event.agent, look.path(&event.log)),
        );
    }
    line
}

/// `[lines 1-80 of 412] next: --start 81`
fn position(event: &Recalled) -> Line {
    let mut line = Line::new();
    match (event.lines.first(), event.lines.last()) {
        (Some(first), Some(last)) => line.push(
            FAINT,
            format!(
                "[lines {}-{} of {}]",
                first.line, last.line, event.total_lines
            ),
        ),
        _ => line.push(FAINT, "[no text]"),
    }
    if let Some(next) = event.next {
        line.push(PLAIN, format!(" next: --start {next}"));
    }
    line
}

/// Each kind's seqs, runs drawn together, kinds in the order of their first.
fn by_kind(events: &[TurnEvent]) -> Vec<(&'static str, String)> {
    let mut kinds: Vec<(&'static str, Vec<(u64, u64)>)> = Vec::new();
    for event in events {
        let runs = match kinds
            .iter()
            .position(|(kind, _)| *kind == event.kind)
            .and_then(|at| kinds.get_mut(at))
        {
            Some((_, runs)) => runs,
            None => {
                kinds.push((event.kind, vec![(event.seq, event.seq)]));
                continue;
            }
        };
        match runs.last_mut() {
            Some((_, last)) if last.checked_add(1) == Some(event.seq) => *last = event.seq,
            _ => runs.push((event.seq, event.seq)),
        }
    }
    let written = |(first, last): (u64, u64)| {
        if first == last {
            first.to_string()
        } else {
            format!("{first}-{last}")
        }
    };
    kinds
        .into_iter()
        .map(|(kind, runs)| (kind, joined(runs.into_iter().map(written))))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::samples::{card as sample_card, hit, look};
    use super::*;
    use memfold::{NumberedLine, RecalledCall};
    use snapbox::{assert_data_eq, str};

    fn event() -> Recalled {
        let hit = hit();
        let lines = [
            (1, "running 3 tests"),
            (2, "\tdenylist::symlink … FAILED\u{1b}[0m"),
        ];
        Recalled {
            schema: 1,
            task: hit.task,
            address: hit.address,
            agent: hit.agent,
            log: hit.log,
            seq: 812,
            turn: 14,
            kind: "result",
            time: hit.time,
            title: hit.title,
            exit: Some(101),
            failed: true,
            helper: None,
            abandoned: false,
            call: Some(811),
            calls: Vec::new(),
            lines: lines
                .map(|(line, text)| NumberedLine {
                    line,
                    text: text.into(),
                })
                .to_vec(),
            total_lines: 412,
            next: Some(3),
            card: None,
            events: Vec::new(),
            notes: Vec::new(),
            provenance: "external:log",
        }
    }

    #[test]
    fn a_result_goes_by_its_call_and_says_where_the_rest_is() {
        assert_data_eq!(
            recall(&event(), &look()),
            str![[r#"
result 3f9a1c02:812, turn 14, Oct 2 09:14, Bash cargo test -p guard, exit 101
running 3 tests
	denylist::symlink … FAILED␛[0m
[lines 1-2 of 412] next: --start 3

"#]]
        );
    }

    #[test]
    fn a_reply_lists_its_calls() {
        let calls = [("Bash cargo test", Some(812)), ("Read\nsrc/lib.rs", None)];
        let reply = Recalled {
            kind: "reply",
            title: "I will look".into(),
            exit: None,
            failed: false,
            helper: Some("explore".into()),
            lines: Vec::new(),
            total_lines: 0,
            next: None,
            calls: calls
                .map(|(title, result)| RecalledCall {
                    title: title.into(),
                    result,
                })
                .to_vec(),
            notes: vec!["a string of 9 MB was left out".into()],
            ..event()
        };
        assert_data_eq!(
            recall(&reply, &look()),
            str![[r#"
reply 3f9a1c02:812, turn 14, Oct 2 09:14, helper explore
[no text]
calls, each with the seq of its result:
    812  Bash cargo test
   none  Read src/lib.rs
note: a string of 9 MB was left out

"#]]
        );
    }

    #[test]
    fn a_turns_first_message_shows_the_card_and_every_event() {
        let seqs = [
            (790, "person"),
            (791, "reply"),
            (792, "result"),
            (793, "reply"),
            (794, "reply"),
            (796, "result"),
        ];
        let person = Recalled {
            kind: "person",
            exit: None,
            failed: false,
            lines: vec![NumberedLine {
                line: 1,
                text: "fix the denylist test".into(),
            }],
            total_lines: 1,
            next: None,
            card: Some(sample_card()),
            events: seqs.map(|(seq, kind)| TurnEvent { seq, kind }).to_vec(),
            ..event()
        };
        assert_data_eq!(
            recall(&person, &look()),
            str![[r#"
person 3f9a1c02:812, turn 14, Oct 2 09:14
fix the denylist test
[lines 1-1 of 1]
turn 14, Oct 2 09:10–09:31, seq 790-880, 42 calls, 3 failed: fix the denylist test
  edited  src/denylist.rs, tests/denylist.rs
  read    src/guard.rs
  ran     cargo test -p guard (exit 101)
  ran     cargo fmt
  …       2 more files and commands
  said    The denylist now resolves links first.
  850     compaction's note: The person asked for
events of turn 14:
  person     790
  reply      791, 793-794
  result     792, 796

"#]]
        );
    }
}
