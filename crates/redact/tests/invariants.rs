//! What holds for every text: redacting twice is redacting once, the lines stay, findings are in order and apart, and
//! time grows with the text alone.

// The functions that the tests share are tests too; clippy sees only those marked so.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

use memfold_redact::{Finding, find, redact};
use proptest::prelude::*;

/// Pieces from which credentials, their neighbours and near misses are put together.
fn piece() -> impl Strategy<Value = String> {
    let fixed = prop::sample::select(vec![
        "password=",
        "\"password\": \"",
        "token: ",
        "api_key = '",
        "secret",
        "_key",
        "PASSWORD",
        " ",
        "\n",
        "\"",
        "'",
        "=",
        ":",
        "@",
        "/",
        "://",
        "postgres://user:",
        "https://",
        "@host",
        "-----BEGIN ",
        "RSA PRIVATE KEY-----",
        "PRIVATE KEY-----\n",
        "-----END RSA PRIVATE KEY-----",
        "\\n",
        "\\\"",
        "eyJ",
        ".",
        "-",
        "_",
        "+",
        "AKIA",
        "ghp_",
        "glpat-",
        "sk-",
        "SG.",
        "xoxb-",
        "Bearer ",
        "Basic ",
        "authorization: ",
        "curl -u ",
        "mysql -p",
        "cookie: a=",
        ";",
        ",",
        "$2b$10$",
        "+ASt",
        "AZDO",
        "=",
        "login ",
        "machine x login y password ",
        "[redacted:token]",
        "[redacted:",
        "]",
        "é",
        "密码",
        "\"kty\"",
        "\"d\":\"",
        "}",
        ":5432:",
        "db:user:",
        "oracle:thin:",
        "user/",
        "<password>",
        "%3D",
        "\u{1b}[31m",
        "value: ",
        "hunter2!",
        "dXNlcjpwYXNz",
        "${X}",
        "xxxx",
        "NRAL",
        "T3BlbkFJ",
        ":AA",
        ".atlasv1.",
        "--token ",
        "ENV ",
        "IDENTIFIED BY '",
    ]);
    prop_oneof![
        6 => fixed.prop_map(str::to_owned),
        2 => "[0-9A-Za-z]{1,40}",
        1 => "[0-9a-f]{32,64}",
        1 => "[0-9A-Za-z+/_-]{30,100}",
        1 => any::<String>(),
    ]
}

fn text() -> impl Strategy<Value = String> {
    prop::collection::vec(piece(), 0..24).prop_map(|pieces| pieces.concat())
}

fn labelled() -> impl Strategy<Value = String> {
    // Two credentials without any space between them: one's end is the other's edge.
    (text(), "[0-9A-Z]{16}", "[0-9A-Za-z]{36}", text())
        .prop_map(|(a, id, pat, b)| format!("{a}AKIA{id}/ghp_{pat}{b}-AKIA{id}"))
}

fn check(text: &str) -> Result<(), TestCaseError> {
    let once = redact(text);
    prop_assert_eq!(redact(&once), once.as_ref());
    prop_assert_eq!(text.matches('\n').count(), once.matches('\n').count());
    let mut end = 0;
    for Finding { range, kind } in find(text) {
        prop_assert!(range.start >= end && range.start < range.end && !kind.is_empty());
        prop_assert!(!text[range.clone()].contains('\n'));
        end = range.end;
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    #[test]
    fn twice_is_once(text in text()) {
        check(&text)?;
    }

    #[test]
    fn twice_is_once_beside_credentials(text in labelled()) {
        check(&text)?;
    }
}

#[test]
fn clean_text_is_borrowed() {
    assert!(matches!(
        redact("nothing of the kind, tokens: 12"),
        std::borrow::Cow::Borrowed(_)
    ));
    assert!(matches!(redact(""), std::borrow::Cow::Borrowed("")));
}

/// A megabyte of one keyword after another: minutes if any of them read on to the end each time.
#[test]
fn repeated_keywords_cost_no_more() {
    let mut pieces: Vec<String> = memfold_redact::rules()
        .flat_map(|rule| rule.keywords())
        .map(str::to_owned)
        .collect();
    pieces.sort();
    pieces.dedup();
    for glue in ["", "x", " ", "-", "=", "\"", "\\n", "@", "="] {
        pieces.extend(
            [
                "://a:b",
                "password=",
                "eyJ.eyJ",
                "curl -u",
                "-----BEGIN PRIVATE KEY-----\n",
            ]
            .map(|k| format!("{k}{glue}")),
        );
    }
    for piece in pieces {
        let text = piece.repeat(20_000 / piece.len() + 1);
        assert!(redact(&text).len() < 40 * text.len());
    }
}

// A placeholder made the value beside it one that the first pass had not told.
#[test]
fn what_a_placeholder_reveals_is_redacted_too() {
    let id = ["AKIA", "AAAA0A0AA0A00000"].concat();
    let pat = ["ghp_", "AaaA0A0aAaAAAAAaA0Aaa0AAA0aaAaAA0AAA"].concat();
    let text = format!("token: {id}/{pat}api_key = '0AA0B1a2'-{id}");
    let once = redact(&text);
    assert!(!once.contains("0AA0B1a2"), "{once}");
    assert_eq!(redact(&once), once);
}
