//! Queries of a known number of words, drawn from the documents themselves: a random log, a random document of it, and of
//! that document's distinct words so many at random. So every query has an answer, and its words are as mixed as a
//! document's are: some stand in nearly all documents, most in a few, some in that one alone.

use std::collections::BTreeSet;
use std::path::PathBuf;

use super::Result;
use super::documents::read_log;
use crate::random::Random;

/// How many words a query has.
pub(crate) const LENGTHS: [usize; 5] = [1, 2, 4, 8, 40];

/// A query's words.
pub(crate) type Query = Vec<String>;

/// Draws `count` queries of `words` words. The same logs and the same seed give the same queries.
pub(crate) fn draw(logs: &[PathBuf], words: usize, count: usize, seed: u64) -> Result<Vec<Query>> {
    let mut random = Random::new(seed).of(words as u64);
    let mut queries = Vec::new();
    let mut tries = 0;
    while queries.len() < count {
        tries += 1;
        if tries > 100 * count + 1000 {
            return Err(format!("the logs hold too few documents of {words} words").into());
        }
        let log = &logs[random.below(logs.len())];
        let mut documents = Vec::new();
        read_log(0, log, &mut |_, text| {
            documents.push(text.to_owned());
            Ok(())
        })?;
        if documents.is_empty() {
            continue;
        }
        // Several of one log, which is read whole for them.
        for _ in 0..4 {
            let mut held: Vec<String> = words_of(&documents[random.below(documents.len())])
                .into_iter()
                .collect();
            if held.len() >= words && queries.len() < count {
                queries.push(
                    (0..words)
                        .map(|_| held.swap_remove(random.below(held.len())))
                        .collect(),
                );
            }
        }
    }
    Ok(queries)
}

/// The distinct words of a text that every tokenizer cuts alike: ASCII letters and digits, a letter first, 3 to 30 of them.
fn words_of(text: &str) -> BTreeSet<String> {
    text.split(|c: char| !c.is_alphanumeric())
        .filter(|word| (3..=30).contains(&word.len()) && word.is_ascii())
        .filter(|word| word.starts_with(|c: char| c.is_ascii_alphabetic()))
        .map(str::to_ascii_lowercase)
        .collect()
}
