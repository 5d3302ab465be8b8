//! The sidecars of earlier programs are read as they were written, and a program of the same fold writes the same content.

#![allow(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test is meant to panic"
)]

mod made;

use std::fs;
use std::path::PathBuf;

use memfold_sidecar::{Sidecar, dump, verify_bytes};

/// The lines of the golden sidecar's log.
const LINES: u64 = 150;

fn golden(name: &str) -> PathBuf {
    PathBuf::from(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../corpus/golden/v1"
    ))
    .join(name)
}

#[test]
fn the_golden_is_read_and_written_again() {
    let bytes = fs::read(golden("small.mem")).unwrap();
    verify_bytes(&bytes).unwrap();
    let golden_text = fs::read_to_string(golden("small.txt")).unwrap();
    let text = dump::text(&Sidecar::open(bytes.as_slice()).unwrap()).unwrap();
    assert!(
        text == golden_text,
        "small.mem is not what small.txt says:\n{text}"
    );
    let again = dump::text(&Sidecar::open(made::sidecar(LINES)).unwrap()).unwrap();
    assert!(
        again == golden_text,
        "the same records are written as other content"
    );
}

/// Makes the golden: `cargo test -p memfold-sidecar --test golden -- --ignored`. Only for a format that has not been released.
#[test]
#[ignore = "writes the golden"]
fn make() {
    let bytes = made::sidecar(LINES);
    fs::create_dir_all(golden("")).unwrap();
    fs::write(
        golden("small.txt"),
        dump::text(&Sidecar::open(bytes.as_slice()).unwrap()).unwrap(),
    )
    .unwrap();
    fs::write(golden("small.mem"), bytes).unwrap();
}
