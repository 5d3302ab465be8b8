//! `tools/memdump`, a reader in another language that was written from the formats' pages, reads what this one reads.

#![allow(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test is meant to panic"
)]

mod made;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use memfold_disk::{Identity, Locks, Mark};
use memfold_sidecar::{Place, Receipt, Receipts, Sidecar, Worth, dump};

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

/// Receipts of so many logs, in a folder of their own.
fn receipts(logs: u32) -> (tempfile::TempDir, Vec<u8>) {
    let folder = tempfile::tempdir().unwrap();
    let mut receipts = Receipts::load(folder.path());
    let identity = Identity {
        dev: 1,
        inode: 2,
        size: 3,
        mtime_ns: -4,
        ctime_ns: 5,
    };
    for number in 0..logs {
        let has = |of: u32, text: &str| (number % 2 == of).then(|| text.to_owned());
        let receipt = Receipt {
            agent: "claude-code".to_owned(),
            log: identity.to_bytes(),
            proved_at: 1_800_000_000_000_000_000,
            length: (number % 4 > 0).then_some(310),
            folded: 300,
            covered: 200,
            log_root: [4; 32],
            place: [Place::Beside, Place::Cache][number as usize % 2],
            sidecar: identity.to_bytes(),
            content_root: [6; 32],
            documents: number,
            turns: 1,
            task: has(0, "3f9a1c02"),
            parent: has(1, "77aa"),
            helper: has(1, "explorer"),
            cwd: has(0, "/project \u{201c}x\u{201d}"),
            title: has(1, "Fix\nit"),
            request: has(0, "fix the denylist test"),
            started: (number % 3 > 0).then_some(-5),
            ended: (number % 3 > 1).then_some(7),
        };
        receipts.put(Path::new(&format!("/logs/{number}.jsonl")), receipt);
    }
    receipts
        .save(&Locks::new(folder.path().join("locks")))
        .unwrap();
    let bytes = fs::read(Receipts::file(folder.path())).unwrap();
    (folder, bytes)
}

#[test]
fn both_readers_say_the_same_of_receipts() {
    for logs in [1, 40] {
        let (folder, bytes) = receipts(logs);
        let output = memdump(&format!("same-{logs}.receipts"), &bytes, &[]);
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
        let ours = dump::receipts(folder.path()).unwrap();
        assert_eq!(ours, String::from_utf8(output.stdout).unwrap());
    }
}

#[test]
fn both_readers_refuse_the_same_receipts() {
    let (folder, sound) = receipts(5);
    let refused = |bytes: &[u8], what: &str| {
        let output = memdump("damaged.receipts", bytes, &[]);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(1), "{what}: {said}");
        assert_eq!(said.lines().count(), 1, "{what}: {said}");
        fs::write(Receipts::file(folder.path()), bytes).unwrap();
        Receipts::worth(folder.path())
    };
    for at in [0, 7, 9, 13, 17, 30]
        .into_iter()
        .chain((40..sound.len()).step_by(sound.len() / 6))
    {
        let mut bytes = sound.clone();
        bytes[at] ^= 1;
        let worth = refused(&bytes, &format!("byte {at}"));
        assert!(matches!(worth, Worth::Damaged(_)), "byte {at}: {worth}");
    }
    let worth = refused(&[&sound[..], b"x"].concat(), "longer");
    assert!(matches!(worth, Worth::Damaged(_)));
    let newer = [Mark::new(b"memrcpt5").bytes(), &sound[12..]].concat();
    assert_eq!(refused(&newer, "newer"), Worth::Newer);
}
