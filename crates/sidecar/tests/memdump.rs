//! `tools/memdump`, a reader in another language that was written from the formats' pages, reads what this one reads.

#![allow(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test is meant to panic"
)]

mod made;

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};

use memfold_sidecar::{Sidecar, dump};

const MEMDUMP: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../tools/memdump/memdump.py"
);

/// Runs memdump on bytes, in a file of this name.
fn memdump(name: &str, bytes: &[u8], options: &[&str]) -> Output {
    let file = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::write(&file, bytes).unwrap();
    Command::new("python3")
        .arg("-B")
        .arg(MEMDUMP)
        .args(options)
        .arg(&file)
        .output()
        .unwrap_or_else(|error| panic!("this test needs Python 3.11 as `python3`: {error}"))
}

#[test]
fn both_readers_say_the_same() {
    let plain = [0, 1, 30, 400].map(|lines| (lines, made::sidecar(lines)));
    let with_past = [1, 90].map(|lines| (lines, made::sidecar_with_past(lines)));
    for (lines, bytes) in plain.into_iter().chain(with_past) {
        let output = memdump(&format!("same-{}.mem", bytes.len()), &bytes, &[]);
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
        let text = dump::text(&Sidecar::open(bytes).unwrap()).unwrap();
        let other = String::from_utf8(output.stdout).unwrap();
        for (number, (ours, theirs)) in text.lines().zip(other.lines()).enumerate() {
            assert_eq!(
                ours,
                theirs,
                "line {} of a log of {lines} lines",
                number + 1
            );
        }
        assert_eq!(text.lines().count(), other.lines().count());
    }
}

#[test]
fn json_is_the_same_in_another_form() {
    let output = memdump("json.mem", &made::sidecar(30), &["--json"]);
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let json = String::from_utf8(output.stdout).unwrap();
    assert!(
        json.contains("\"title\": \"Fold the “log”\\nwell\""),
        "{json}"
    );
    assert!(json.contains("\"words\": \"Bash\\ncargo test\""), "{json}");
}

#[test]
fn both_readers_refuse_the_same() {
    let sound = made::sidecar(9);
    // One in so many bytes: each refusal takes the start of a Python.
    for at in (0..sound.len()).step_by(sound.len() / 12) {
        let mut bytes = sound.clone();
        bytes[at] ^= 4;
        let output = memdump("damaged.mem", &bytes, &[]);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(1), "byte {at}: {said}");
        assert!(
            said.starts_with("memdump: ") && said.lines().count() == 1,
            "byte {at}: {said}"
        );
        assert!(memfold_sidecar::verify_bytes(&bytes).is_err());
    }
}
