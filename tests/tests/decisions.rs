//! A guard's decision as a line of the index's log: what the page says of it is what is written, and it is read back.

// In a test a failure is a panic; clippy excuses test functions alone, not what they call.
#![allow(clippy::unwrap_used, clippy::panic)]

use std::borrow::Cow;

use memfold_guard::{
    Action, Decision, Denylist, Guard, Refusal, Rules, Special, Spent, TreePath, Verdict,
};
use memfold_log::own::{Body, Record, Unranked};

const PAGE: &str = include_str!("../../formats/events.md");

/// A refusal of each reason.
fn refusals() -> Vec<Refusal> {
    let dirs = memfold_disk::Dirs::from_env(|_| Some("/nowhere".into())).unwrap();
    let guard = Guard::new("/", Rules::default(), &dirs).unwrap();
    let denied = guard
        .check_name(&TreePath::new(".env").unwrap())
        .unwrap_err();
    let Refusal::Denylist { rule } = denied else {
        panic!("{denied}");
    };
    let how = "took more than 5 s".to_owned();
    vec![
        Refusal::Denylist { rule: rule.clone() },
        Refusal::Checker { rule: rule.clone() },
        Refusal::NotAsked { rule: rule.clone() },
        Refusal::CheckerFailed {
            rule,
            how: how.clone(),
        },
        Refusal::LeadsOut,
        Refusal::NotRegular { is: Special::Pipe },
        Refusal::TooLarge { limit: 1 << 20 },
        Refusal::Budget { of: Spent::Time },
        Refusal::Gone,
        Refusal::Unreadable { how },
    ]
}

#[test]
fn a_decision_is_an_event_and_comes_back() {
    let verdicts = refusals().into_iter().map(Verdict::Refuse);
    for verdict in verdicts.chain([Verdict::Allow]) {
        let decision = Decision {
            path: TreePath::new("a \"b\"/\n.env").unwrap(),
            action: Action::Read,
            verdict,
            rules: Rules::default().version().clone(),
        };
        let data = serde_json::value::to_raw_value(&decision).unwrap();
        let record = Record::new(Body::Unranked {
            kind: Unranked::GuardDecision,
            text: Some(decision.to_string().into()),
            data: Some(Cow::Owned(data)),
        });
        let mut line = Vec::new();
        record.write_json(&mut line).unwrap();
        // The seed allows about this much for each.
        assert!(line.len() < 300 && !line.contains(&b'\n'));
        let line = String::from_utf8(line).unwrap();
        let Body::Unranked { kind, data, .. } = Record::parse(&line).unwrap().body else {
            panic!("{line}");
        };
        assert_eq!(kind, Unranked::GuardDecision);
        let read: Decision = serde_json::from_str(data.unwrap().get()).unwrap();
        assert_eq!(read, decision);
    }
}

#[test]
fn the_page_names_every_reason_and_its_fields() {
    for refusal in refusals() {
        let fields = serde_json::to_value(&refusal).unwrap();
        let reason = fields["reason"].as_str().unwrap();
        let row = PAGE
            .lines()
            .find(|line| line.starts_with(&format!("| `{reason}` |")))
            .unwrap_or_else(|| panic!("{reason}"));
        for (field, _) in fields
            .as_object()
            .unwrap()
            .iter()
            .filter(|(field, _)| *field != "reason")
        {
            assert!(row.contains(&format!("`{field}`")), "{reason} {field}");
        }
    }
    assert!(Denylist::standard().any(|(rule, _)| PAGE.contains(&format!("({rule})"))));
}
