//! The bytes of version 1. `formats/segment.md` prints the first of these segments; if one of them
//! changes, old sidecars cannot be read, and the container needs a new version.

// A test fails by a panic.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use memfold_segment::{Builder, DocId, Encoded, MAX_QUANTITY, Posting, Reader, Section};

fn encode(builder: &Builder) -> Encoded {
    builder.encode(0..u32::MAX, &|_| {}).unwrap()
}

/// The page's example, byte by byte.
#[test]
fn the_example_of_the_page() {
    let mut builder = Builder::new();
    for text in ["log log fold", "log"] {
        text.split(' ')
            .for_each(|word| builder.add(word.as_bytes(), 1));
        builder.finish_document().unwrap();
    }
    let encoded = encode(&builder);
    assert_eq!(encoded.lengths, [3, 1]);
    assert_eq!(encoded.postings, []);
    assert_eq!(encoded.blocks, b"\x03fold\x00\x02log\x0d\x01\x00\x00");
    assert_eq!(hex(&encoded.terms), EXAMPLE_TERMS);
    let page = include_str!("../../../formats/segment.md");
    let example = page.split("## Example").nth(1).unwrap();
    let printed: String = example
        .split("```text")
        .nth(1)
        .unwrap()
        .split("```")
        .next()
        .unwrap()
        .lines()
        .map(|line| line.get(..24).unwrap_or_default().trim_end())
        .collect::<Vec<_>>()
        .join(" ");
    assert_eq!(printed.trim(), EXAMPLE_TERMS);
}

const EXAMPLE_TERMS: &str = "02 00 00 00 02 00 00 00 04 00 00 00 00 00 00 00 \
    0e 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 \
    aa 71 f3 1d 00 00 00 00 00 00 00 00 c7 8f e3 f4 \
    4c f4 91 8f";

fn hex(bytes: &[u8]) -> String {
    bytes
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect::<Vec<_>>()
        .join(" ")
}

/// One of everything that the format can say.
fn everything() -> Builder {
    let mut builder = Builder::new();
    for doc in 0..300u32 {
        builder.add(b"in-every-document", 1);
        if doc % 2 == 0 {
            builder.add(b"in-half-of-them", 1 + doc % 5);
        }
        if doc % 50 == 7 {
            builder.add(b"\xff\x00 any bytes", 1 + doc / 100);
            (0..40).for_each(|n| builder.add(format!("block{n:02}").as_bytes(), 1));
        }
        if doc == 299 {
            builder.add(&[b'x'; 255], MAX_QUANTITY);
            builder.add(&[b"x".repeat(100), b"y".repeat(100)].concat(), 2);
        }
        builder.finish_document().unwrap();
    }
    builder
}

#[test]
fn everything_that_the_format_can_say() {
    let encoded = encode(&everything());
    for section in Section::ALL {
        let path = format!("{}/tests/golden/v1.{section}", env!("CARGO_MANIFEST_DIR"));
        // Set once to make the files anew, with a new version of the container.
        if std::env::var_os("MEMFOLD_BLESS").is_some() {
            std::fs::write(&path, encoded.section(section)).unwrap();
        }
        let golden = std::fs::read(&path).unwrap();
        assert!(
            golden == encoded.section(section),
            "{section} is not what version 1 writes"
        );
    }
    let reader = Reader::open(&encoded).unwrap();
    let stats = reader.verify().unwrap();
    assert_eq!(
        (stats.documents, stats.terms, stats.long_lists),
        (300, 45, 2)
    );
    let mut out = Vec::new();
    reader.postings(&[b'x'; 255], &mut out).unwrap();
    assert_eq!(
        out,
        [Posting {
            doc: DocId(299),
            frequency: MAX_QUANTITY
        }]
    );
}
