//! Any text, and text put together of keywords, credentials' alphabets and what stands between: redacting twice is redacting
//! once, the lines stay, findings are in order and apart, and a placeholder is no finding.

use std::sync::OnceLock;

use memfold_redact::{Finding, find, redact};

/// The first byte says how the rest is read: as text, or as pieces.
pub fn run(bytes: &[u8]) {
    match bytes.split_first() {
        Some((0, text)) => holds(&String::from_utf8_lossy(text)),
        Some((_, pieces)) => holds(&put_together(pieces)),
        None => {}
    }
}

fn holds(text: &str) {
    let mut end = 0;
    for Finding { range, kind } in find(text) {
        assert!(range.start >= end && range.start < range.end && !kind.is_empty());
        assert!(
            !text[range.clone()].contains('\n'),
            "a finding of two lines"
        );
        end = range.end;
    }
    let once = redact(text);
    assert_eq!(redact(&once), once.as_ref(), "twice is not once");
    assert_eq!(text.matches('\n').count(), once.matches('\n').count());
    assert!(once.len() <= 40 * text.len());
}

/// What stands between and around credentials.
const BETWEEN: &[&str] = &[
    "=",
    ": ",
    "\": \"",
    "\"",
    "'",
    " ",
    "\n",
    "\\n",
    "\\\"",
    "://",
    "://user:",
    "@host/",
    "@",
    "/",
    "-",
    "_",
    ".",
    ",",
    ";",
    "}",
    "[redacted:token]",
    "[redacted:",
    "]",
    "é",
    "密码",
    "-----\n",
    "-----BEGIN RSA PRIVATE KEY-----",
    "-----END RSA PRIVATE KEY-----",
    "%3D",
    "\u{1b}[31m",
    "${X}",
    "xxxx",
    "<",
    ">",
    "curl -u ",
    "mysql -p",
    "--token ",
    "password",
    "secret",
    "_key",
    "api_key",
    "TOKEN",
    "Bearer ",
    "authorization: ",
    "cookie: ",
    "hunter2!",
    "\t",
    "\r\n",
];

/// Alphabets of credentials.
const ALPHABETS: &[&[u8]] = &[
    b"0123456789abcdef",
    b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ",
    b"0123456789abcdefghijklmnopqrstuvwxyz",
    b"0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ",
    b"0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-_",
    b"0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ+/",
    b"0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ!#$%^&*~",
    b"01",
];

/// Three bytes a piece: of which sort, and which one.
fn put_together(bytes: &[u8]) -> String {
    static KEYWORDS: OnceLock<Vec<&str>> = OnceLock::new();
    let of_all_rules = || memfold_redact::rules().flat_map(|rule| rule.keywords());
    let keywords = KEYWORDS.get_or_init(|| of_all_rules().collect());
    let mut text = String::new();
    for piece in bytes.chunks(3) {
        let [sort, which, more] = crate::parts::array(piece, 0);
        match sort % 4 {
            0 => text.push_str(
                keywords[usize::from(u16::from_le_bytes([which, more])) % keywords.len()],
            ),
            1 => text.push_str(BETWEEN[usize::from(which) % BETWEEN.len()]),
            2 => {
                let alphabet = ALPHABETS[usize::from(sort / 4) % ALPHABETS.len()];
                let mut state = u32::from(more);
                for _ in 0..which % 120 {
                    state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                    text.push(char::from(
                        alphabet[(state >> 16) as usize % alphabet.len()],
                    ));
                }
            }
            _ => text.push_str(&String::from_utf8_lossy(&[which, more])),
        }
    }
    text
}
