//! An independent oracle of the patterns: the matcher is written by hand and its tables are made by the compiler, so
//! every pattern is also run as a regular expression, in both directions.

// The functions that the tests share are tests too; clippy sees only those marked so.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

use memfold_redact::{Shape, find, rules};
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::TestRunner;
use regex::Regex;

/// `\w` and `\d` written out, in a set or as one.
fn classes(pattern: &str) -> String {
    let mut out = String::new();
    for (nth, piece) in pattern.split('\\').enumerate() {
        let (class, rest) = match piece.chars().next() {
            Some('w') if nth > 0 => ("0-9A-Za-z_", &piece[1..]),
            Some('d') if nth > 0 => ("0-9", &piece[1..]),
            _ => ("", piece),
        };
        let in_set = out.rfind('[') > out.rfind(']');
        out.push_str(&if in_set || class.is_empty() {
            class.to_owned()
        } else {
            format!("[{class}]")
        });
        out.push_str(rest);
    }
    out
}

/// The pattern in the notation of the `regex` crate: outside of sets, dots and signs stand for themselves.
fn expression(pattern: &str) -> String {
    let mut out = String::new();
    let (mut in_set, mut in_count, mut last) = (false, false, ' ');
    for c in classes(pattern).chars() {
        match c {
            '[' => in_set = true,
            ']' => in_set = false,
            // A count follows a set; any other brace is itself.
            '{' if !in_set && last == ']' => in_count = true,
            '}' if in_count => in_count = false,
            '.' | '$' | '+' | '?' | '*' | '(' | ')' | '|' | '^' | '{' | '}' if !in_set => {
                out.push('\\')
            }
            _ => {}
        }
        out.push(c);
        last = c;
    }
    out
}

#[test]
fn what_an_expression_makes_is_found_whole() {
    let mut runner = TestRunner::deterministic();
    for rule in rules() {
        let Shape::Token(patterns) = rule.shape() else {
            continue;
        };
        for pattern in patterns {
            let made = proptest::string::string_regex(&expression(pattern));
            let strategy = made.unwrap_or_else(|error| panic!("{pattern}: {error}"));
            let mut missed = Vec::new();
            for _ in 0..16 {
                let token = strategy.new_tree(&mut runner).unwrap().current();
                let text = format!("it is \"{token}\" and so on");
                let whole = 7..7 + token.len();
                if !find(&text).iter().any(|f| f.range == whole) {
                    missed.push(token);
                }
            }
            // A few random bodies look filled in by hand, or end in a sign.
            assert!(missed.len() <= 3, "{}: {pattern}: {missed:?}", rule.kind());
        }
    }
}

#[test]
fn what_is_found_is_what_the_expression_finds() {
    let mut runner = TestRunner::deterministic();
    for rule in rules() {
        let Shape::Token(patterns) = rule.shape() else {
            continue;
        };
        let expressions: Vec<_> = patterns
            .iter()
            .map(|p| Regex::new(&format!("^(?-u:{})$", expression(p))).unwrap())
            .collect();
        for keyword in rule.keywords() {
            for _ in 0..16 {
                let around =
                    proptest::string::string_regex("[0-9A-Za-z]{1,90}[-_./ ]{0,2}[0-9a-f]{1,70}")
                        .unwrap();
                let (a, b) = (
                    around.new_tree(&mut runner).unwrap(),
                    around.new_tree(&mut runner).unwrap(),
                );
                let text = format!(
                    "{} {keyword}{}{keyword}{}",
                    a.current(),
                    b.current(),
                    a.current()
                );
                for found in find(&text).iter().filter(|f| f.kind == rule.kind()) {
                    let token = &text[found.range.clone()];
                    assert!(
                        expressions.iter().any(|e| e.is_match(token)),
                        "{}: {token}",
                        rule.kind()
                    );
                }
            }
        }
    }
}
