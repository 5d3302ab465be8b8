//! TEXT by hand, on a few files: what the formula says is what a search answers.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

mod made;

use memfold_disk::{Dirs, Locks};
use memfold_guard::{Guard, Rules};
use memfold_repo::{Index, Moment, Refresh};
use memfold_text::Query;

use made::Made;

/// The paths that a query finds, best first, and their scores.
fn ranked(made: &Made, query: &str) -> Vec<(String, f64)> {
    let dirs = Dirs::from_env(|_| Some(made.beside("data").into())).unwrap();
    let guard = Guard::new(made.at(""), Rules::default(), &dirs).unwrap();
    let locks = Locks::new(made.beside("data/locks"));
    let index = Index::new(made.beside("data/index"), locks);
    let refreshed = index.refresh(&guard, Refresh::at(Moment::now())).unwrap();
    let hits = refreshed.loaded.search(&Query::new(query), 10, |_| true);
    let hits = hits.unwrap().files.into_iter();
    hits.map(|hit| (hit.path.to_string(), hit.score)).collect()
}

fn idf(chunks: f64, holding: f64) -> f64 {
    (1.0 + (chunks - holding + 0.5) / (holding + 0.5)).ln()
}

fn bm25(idf: f64, frequency: f64, length: f64, average: f64) -> f64 {
    idf * (frequency * 2.6) / (frequency + 1.6 * (0.25 + 0.75 * length / average))
}

#[test]
fn a_word_of_a_path_counts_once_a_file_however_many_chunks_it_has() {
    let made = Made::tree();
    // Two chunks of 80 and 10 lines of one word each, below `gate`; one chunk elsewhere.
    made.put("gate/a.rs", "one\n".repeat(90))
        .put("b.rs", "the gate\n");
    // Lengths: the first line counts three times; the path of each chunk six times: gate, a, rs and b, rs.
    let lengths = [82.0 + 18.0, 12.0 + 18.0, 6.0 + 12.0];
    let average = lengths.iter().sum::<f64>() / 3.0;
    // Of three chunks one holds it in its text, and one file in its path alone.
    let idf = idf(3.0, 2.0);
    let far = bm25(idf, 6.0, lengths[0], average);
    let near = bm25(idf, 6.0, lengths[1], average);
    let expected = [
        ("gate/a.rs".to_owned(), near + 0.2 * far),
        ("b.rs".to_owned(), bm25(idf, 3.0, lengths[2], average)),
    ];
    let found = ranked(&made, "gate");
    assert_eq!(found.len(), 2);
    for ((path, score), (file, by_hand)) in found.iter().zip(&expected) {
        assert_eq!(path, file);
        assert!((score - by_hand).abs() < 1e-12, "{path}: {score} {by_hand}");
    }
}

#[test]
fn a_file_whose_path_is_written_comes_before_one_whose_name_is_said() {
    let made = Made::tree();
    for file in ["lib/utils.js", "lib/util.md", "lib/other.md"] {
        made.put(file, "helpers of the tests\n");
    }
    let order = |query: &str| -> Vec<String> {
        let found = ranked(&made, query).into_iter();
        found.map(|(path, _)| path).collect()
    };
    assert_eq!(
        order("helpers in utils.js"),
        ["lib/utils.js", "lib/util.md", "lib/other.md"]
    );
    assert_eq!(
        order("helpers of other"),
        ["lib/other.md", "lib/util.md", "lib/utils.js"]
    );
}
