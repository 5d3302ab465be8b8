//! The labelled set: for every kind a credential of its shape in a natural place, made here from a generator, and text
//! that must stay as it is. No credential is written down: `labelled/*.txt` hold shapes (`{hex:40}`), `<<` and `>>`
//! around what must go.

// The functions that the tests share are tests too; clippy sees only those marked so.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

use memfold_redact::{find, redact, rules};
use std::collections::BTreeSet;

/// How many credentials are made of each line.
const SEEDS: u64 = 24;

/// SplitMix64: small, and the same everywhere.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn pick(&mut self, alphabet: &str) -> char {
        let at = self.next() as usize % alphabet.len();
        alphabet.as_bytes()[at] as char
    }

    fn string(&mut self, alphabet: &str, len: usize) -> String {
        (0..len).map(|_| self.pick(alphabet)).collect()
    }
}

fn alphabet(name: &str) -> &'static str {
    match name {
        "an" => "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789",
        "url" => "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_",
        "b64" => "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/",
        "slack" => "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-",
        "b58" => "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz",
        "hex" => "0123456789abcdef",
        "dig" => "0123456789",
        "up" => "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789",
        "low" => "abcdefghijklmnopqrstuvwxyz0123456789",
        "b32" => "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567",
        "low32" => "abcdefghijklmnopqrstuvwxyz234567",
        _ => panic!("no alphabet {name}"),
    }
}

/// A line of a shapes file with its fields filled in.
fn expand(shape: &str, random: &mut Random) -> String {
    let mut out = String::new();
    let mut rest = shape;
    while let Some(open) = rest.find('{') {
        out.push_str(&rest[..open]);
        rest = &rest[open..];
        let close = rest.find('}').unwrap_or(1);
        let field = &rest[1..close];
        let made = match field.split_once(':') {
            Some((name, len)) if len.parse::<usize>().is_ok() && name == "pw" => {
                let len: usize = len.parse().unwrap();
                let head = random.string(alphabet("an"), len - 3);
                format!(
                    "{head}{}{}x",
                    random.pick("!%*^+~"),
                    random.pick("0123456789")
                )
            }
            // The end may be any character of a token, the edge a word's.
            Some((name, len))
                if len.parse::<usize>().is_ok()
                    && name.chars().all(|c| c.is_ascii_alphanumeric()) =>
            {
                random.string(alphabet(name), len.parse().unwrap())
            }
            _ => match field {
                "nl" => "\n".to_owned(),
                "dashes" => "-----".to_owned(),
                "uuid" => [8, 4, 4, 4, 12]
                    .map(|len| random.string(alphabet("hex"), len))
                    .join("-"),
                "pair" => base64(&format!("user:{}", random.string(alphabet("an"), 15))),
                _ => {
                    out.push('{');
                    rest = &rest[1..];
                    continue;
                }
            },
        };
        out.push_str(&made);
        rest = &rest[close + 1..];
    }
    out + rest
}

fn base64(plain: &str) -> String {
    let digits = [alphabet("an"), "+/"].concat().into_bytes();
    let mut out = String::new();
    for three in plain.as_bytes().chunks(3) {
        let bits = (0..3).fold(0u32, |bits, at| {
            bits << 8 | u32::from(three.get(at).copied().unwrap_or(0))
        });
        for at in 0..4 {
            out.push(if at <= three.len() {
                digits[(bits >> (18 - 6 * at)) as usize & 63] as char
            } else {
                '='
            });
        }
    }
    out
}

/// The text without its marks, and the secrets that were between them.
fn unmark(text: &str) -> (String, Vec<String>) {
    let mut parts = text.split("<<");
    let mut plain = parts.next().unwrap().to_owned();
    let mut secrets = Vec::new();
    for part in parts {
        let (secret, after) = part.split_once(">>").unwrap();
        secrets.push(secret.to_owned());
        plain.push_str(secret);
        plain.push_str(after);
    }
    (plain, secrets)
}

fn lines(file: &'static str) -> impl Iterator<Item = (&'static str, &'static str)> {
    file.lines()
        .filter(|l| !l.starts_with('#') && !l.is_empty())
        .map(|l| l.split_once(" | ").expect(l))
}

const SHAPES: &str = include_str!("labelled/shapes.txt");
const PLACES: &str = include_str!("labelled/places.txt");
const NEGATIVES: &str = include_str!("labelled/negatives.txt");

#[test]
fn every_credential_goes() {
    let (mut missed, mut total_missed) = (Vec::new(), 0);
    let (mut made, mut renamed) = (0, BTreeSet::new());
    for (nth, (kind, shape)) in lines(SHAPES).chain(lines(PLACES)).enumerate() {
        let mut seeds_missed = 0;
        let mut sample = String::new();
        for seed in 0..SEEDS {
            let (plain, secrets) = unmark(&expand(shape, &mut Random(nth as u64 * 1000 + seed)));
            let clean = redact(&plain);
            made += 1;
            assert_eq!(plain.lines().count(), clean.lines().count());
            if secrets
                .iter()
                .any(|s| !s.is_empty() && clean.contains(s.as_str()))
                || find(&plain).is_empty()
            {
                seeds_missed += 1;
                sample = plain;
            } else if !clean.contains(&format!("[redacted:{kind}]")) {
                renamed.insert(format!("{kind}: {shape} → {clean}"));
            }
        }
        total_missed += seeds_missed;
        // A random value may look like a word: of a few shapes one in twenty does.
        if seeds_missed > SEEDS / 8 {
            missed.push(format!("{kind} {seeds_missed}/{SEEDS}: {sample}"));
        }
    }
    assert!(
        missed.is_empty(),
        "{} lines of {made} texts missed:\n{}",
        missed.len(),
        missed.join("\n")
    );
    assert!(
        total_missed * 500 <= made,
        "{total_missed} of {made} missed"
    );
    assert!(
        renamed.is_empty(),
        "named otherwise:\n{}",
        renamed.into_iter().collect::<Vec<_>>().join("\n")
    );
}

#[test]
fn every_kind_has_a_line() {
    let labelled: BTreeSet<_> = lines(SHAPES)
        .chain(lines(PLACES))
        .map(|(kind, _)| kind)
        .collect();
    let kinds: BTreeSet<_> = rules().map(|rule| rule.kind()).collect();
    assert_eq!(
        kinds.difference(&labelled).collect::<Vec<_>>(),
        Vec::<&&str>::new(),
        "rules without a line"
    );
    assert_eq!(
        labelled.difference(&kinds).collect::<Vec<_>>(),
        Vec::<&&str>::new(),
        "lines without a rule"
    );
    assert!(kinds.len() >= 150, "{}", kinds.len());
    assert!(rules().all(|rule| rule.source().len() > 5 && !rule.keywords().is_empty()));
}

#[test]
fn what_is_no_credential_stays() {
    let mut alarms = Vec::new();
    let mut texts = 0;
    for (nth, shape) in NEGATIVES
        .lines()
        .filter(|l| !l.is_empty() && !l.starts_with('#'))
        .enumerate()
    {
        let seeds = if shape.contains(":") && shape.contains('{') {
            SEEDS
        } else {
            1
        };
        for seed in 0..seeds {
            let text = expand(shape, &mut Random(nth as u64 * 7919 + seed));
            texts += 1;
            if redact(&text) != text {
                alarms.push(format!("{text} → {}", redact(&text)));
                break;
            }
        }
    }
    assert!(
        alarms.is_empty(),
        "{} lines of {texts} texts:\n{}",
        alarms.len(),
        alarms.join("\n")
    );
}
