//! The turns of a log, a card each: what was asked, what was touched, what ran, how it ended.

use memfold::{Cards, TurnCard};

use super::{Look, Page, agent, joined, outcome};
use crate::numbers;
use crate::safe;
use crate::style::{ADDRESS, FAINT, Line, PLAIN, TITLE, WARNING};

/// The cards as text.
pub(crate) fn cards(cards: &Cards, look: &Look) -> String {
    let mut page = Page::new(look);
    let log = &cards.log;
    let mut line = Line::new()
        .with(ADDRESS, safe::inline(&log.short))
        .with(PLAIN, " ");
    line.push(
        PLAIN,
        joined([
            agent(log.agent).to_owned(),
            numbers::len(
                cards
                    .cards
                    .iter()
                    .filter(|card| card.turn > 0 && !card.continued)
                    .count(),
                "turn",
            ),
            log.events
                .map(|events| numbers::of(events, "event"))
                .unwrap_or_default(),
            numbers::size(log.bytes),
        ]),
    );
    if !log.title.is_empty() {
        line.push(PLAIN, ": ");
        line.push(TITLE, safe::inline(&log.title));
    }
    if log.archived {
        line.mark("archived");
    }
    page.line(line);
    if look.verbose {
        page.line(Line::new().with(FAINT, look.path(&log.path)));
    }
    for turn in &cards.cards {
        card(&mut page, turn);
    }
    page.notes(&cards.notes);
    page.done()
}

/// One card.
pub(super) fn card(page: &mut Page<'_>, card: &TurnCard) {
    let name = match card.turn {
        0 => "before turn 1".to_owned(),
        turn => format!("turn {turn}"),
    };
    let failed = if card.errors > 0 {
        format!("{} failed", numbers::count(card.errors))
    } else {
        String::new()
    };
    let facts = joined([
        if card.continued {
            "continued".to_owned()
        } else {
            String::new()
        },
        page.look
            .clock
            .span(card.started.as_deref(), card.ended.as_deref())
            .unwrap_or_default(),
        format!("seq {}-{}", card.first_seq, card.last_seq),
        if card.calls > 0 {
            numbers::of(card.calls, "call")
        } else {
            String::new()
        },
        failed,
        if card.open {
            "not whole yet".to_owned()
        } else {
            String::new()
        },
        if card.abandoned {
            "abandoned".to_owned()
        } else {
            String::new()
        },
    ]);
    let mut line = Line::new()
        .with(ADDRESS, name)
        .with(FAINT, format!(", {facts}"));
    if !card.title.is_empty() {
        line.push(PLAIN, ": ");
        line.push(TITLE, safe::inline(&card.title));
    }
    page.line(line);
    let named = |paths: &[String]| joined(paths.iter().map(|path| safe::inline(path)));
    field(page, "edited", named(&card.edited));
    field(page, "read", named(&card.read));
    for command in &card.commands {
        let ended = outcome(command.exit, command.failed)
            .map(|outcome| format!(" ({outcome})"))
            .unwrap_or_default();
        field(
            page,
            "ran",
            format!("{}{ended}", safe::inline(&command.line)),
        );
    }
    if card.more > 0 {
        field(
            page,
            "…",
            format!("{} more files and commands", numbers::count(card.more)),
        );
    }
    field(page, "said", safe::inline(&card.closing));
    for note in &card.notes {
        let line = field_name(&note.seq.to_string())
            .with(WARNING, "compaction's note")
            .with(PLAIN, format!(": {}", safe::inline(&note.text)));
        page.line(line);
    }
}

fn field(page: &mut Page<'_>, name: &str, value: String) {
    if !value.is_empty() {
        page.line(field_name(name).with(PLAIN, value));
    }
}

fn field_name(name: &str) -> Line {
    Line::new().with(FAINT, format!("  {name:<7} "))
}

#[cfg(test)]
mod tests {
    use super::super::samples::{card as sample, look, row, terminal};
    use super::*;
    use snapbox::{assert_data_eq, str};

    #[test]
    fn a_log_is_its_cards() {
        let before = TurnCard {
            turn: 0,
            title: String::new(),
            first_seq: 1,
            last_seq: 3,
            started: None,
            ended: None,
            read: Vec::new(),
            edited: Vec::new(),
            commands: Vec::new(),
            more: 0,
            calls: 0,
            errors: 0,
            closing: String::new(),
            notes: Vec::new(),
            ..sample()
        };
        let open = TurnCard {
            turn: 15,
            open: true,
            continued: true,
            edited: vec!["src/a\u{1b}.rs".into()],
            ..before.clone()
        };
        let answer = Cards {
            schema: 1,
            log: row(),
            cards: vec![before, sample(), open],
            notes: vec!["line 7 is broken".into()],
        };
        assert_data_eq!(
            cards(&answer, &look()),
            str![[r#"
3f9a1c02 claude, 1 turn, 812 events, 2.1 MB: fix the denylist test
before turn 1, seq 1-3
turn 14, Oct 2 09:10–09:31, seq 790-880, 42 calls, 3 failed: fix the denylist test
  edited  src/denylist.rs, tests/denylist.rs
  read    src/guard.rs
  ran     cargo test -p guard (exit 101)
  ran     cargo fmt
  …       2 more files and commands
  said    The denylist now resolves links first.
  850     compaction's note: The person asked for
turn 15, continued, seq 1-3, not whole yet
  edited  src/a␛.rs
note: line 7 is broken

"#]]
        );
    }

    #[test]
    fn a_card_keeps_to_the_terminal() {
        let answer = Cards {
            schema: 1,
            log: row(),
            cards: vec![sample()],
            notes: Vec::new(),
        };
        for line in cards(&answer, &terminal(30)).lines() {
            assert!(crate::style::width(line) <= 30, "{line}");
        }
    }
}
