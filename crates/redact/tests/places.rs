//! Where findings begin and end, and which rule names them: cases that a table of shapes does not show.

use memfold_redact::{find, redact};

fn kinds(text: &str) -> Vec<&'static str> {
    find(text).into_iter().map(|f| f.kind).collect()
}

/// A token of the shape of GitHub's, made here.
fn pat() -> String {
    format!("ghp_{}", "a1B2c3D4e5F6".repeat(3))
}

#[test]
fn the_particular_kind_names_what_two_rules_found() {
    let text = format!("GITHUB_TOKEN={}", pat());
    assert_eq!(redact(&text), "GITHUB_TOKEN=[redacted:github-pat]");
    let text = format!("Authorization: Bearer {}", pat());
    assert_eq!(redact(&text), "Authorization: Bearer [redacted:github-pat]");
}

#[test]
fn the_leftmost_finding_names_all_that_meet() {
    let text = format!("password=\"{}!x9\"", pat());
    assert_eq!(redact(&text), "password=\"[redacted:password]\"");
}

#[test]
fn several_on_a_line_stay_apart() {
    let text = "postgres://app:S3cure!pw@db/app redis://:0ther-pw@cache curl -u me:Th1rd%pw https://x.example.org";
    assert_eq!(
        kinds(text),
        [
            "postgres-url-password",
            "redis-url-password",
            "curl-user-password"
        ]
    );
    assert_eq!(
        redact(text),
        "postgres://app:[redacted:postgres-url-password]@db/app redis://:[redacted:redis-url-password]@cache \
         curl -u me:[redacted:curl-user-password] https://x.example.org"
    );
}

#[test]
fn a_key_is_redacted_line_by_line() {
    let dashes = "-----";
    let line = "MIIEow1BAAKCAQEAx5".repeat(3);
    let text = format!(
        "a\n{dashes}BEGIN RSA PRIVATE KEY{dashes}\n{line}\n{line}\nQw==\n{dashes}END RSA PRIVATE KEY{dashes}\nb\n"
    );
    let gone = "[redacted:rsa-private-key]";
    assert_eq!(
        redact(&text),
        format!(
            "a\n{dashes}BEGIN RSA PRIVATE KEY{dashes}\n{gone}\n{gone}\n{gone}\n{dashes}END RSA PRIVATE KEY{dashes}\nb\n"
        )
    );
}

#[test]
fn an_escaped_key_is_one_finding_and_its_string_stays_closed() {
    let dashes = "-----";
    let line = "MIIEow1BAAKCAQEAx5".repeat(3);
    let text = format!(
        "{{\"k\":\"{dashes}BEGIN PRIVATE KEY{dashes}\\n{line}\\n{line}\\n{dashes}END PRIVATE KEY{dashes}\\n\"}}"
    );
    assert_eq!(
        redact(&text),
        format!(
            "{{\"k\":\"{dashes}BEGIN PRIVATE KEY{dashes}\\n[redacted:private-key]\\n{dashes}END PRIVATE KEY{dashes}\\n\"}}"
        )
    );
}

#[test]
fn what_is_inside_a_string_ends_with_it() {
    let text = r#"{"cmd":"{\"password\":\"S3cure!pw\",\"user\":\"me\"}"}"#;
    assert_eq!(
        redact(text),
        r#"{"cmd":"{\"password\":\"[redacted:password]\",\"user\":\"me\"}"}"#
    );
    let text = r#"{"out":"password: S3cure!pw\nuser: me"}"#;
    assert_eq!(
        redact(text),
        r#"{"out":"password: [redacted:password]\nuser: me"}"#
    );
}

#[test]
fn a_word_around_a_token_is_no_token() {
    assert_eq!(kinds(&format!("x{}", pat())), Vec::<&str>::new());
    assert_eq!(kinds(&format!("{}é", pat())), ["github-pat"]);
    assert_eq!(kinds(&format!("密码{}", pat())), ["github-pat"]);
}

#[test]
fn placeholders_are_left_alone() {
    for text in [
        "password=[redacted:password]",
        "[redacted:token] = hunter2!",
        "https://u:[redacted:http-url-password]@h",
    ] {
        assert_eq!(redact(text), text);
    }
}
