//! English function words: what a question is made of and nothing is about.

/// Sorted. The list that the conversation benchmark was measured with: articles, pronouns, auxiliaries, prepositions and
/// conjunctions, and what the apostrophe leaves of contractions. Verbs of commit messages are not among them: leaving
/// them out helps that benchmark only.
#[rustfmt::skip]
const STOP_WORDS: [&str; 138] = [
    "a", "about", "above", "after", "again", "against", "all", "am", "an", "and", "any", "are", "as", "at", "be",
    "because", "been", "before", "being", "below", "between", "both", "but", "by", "can", "could", "d", "did", "didn",
    "do", "does", "doesn", "doing", "don", "down", "during", "each", "few", "for", "from", "further", "had", "has",
    "have", "having", "he", "her", "here", "hers", "herself", "him", "himself", "his", "how", "i", "if", "in", "into",
    "is", "isn", "it", "its", "itself", "just", "ll", "m", "me", "more", "most", "my", "myself", "no", "nor", "not",
    "now", "of", "off", "on", "once", "only", "or", "other", "our", "ours", "ourselves", "out", "over", "own", "re",
    "s", "same", "she", "should", "so", "some", "such", "t", "than", "that", "the", "their", "theirs", "them",
    "themselves", "then", "there", "these", "they", "this", "those", "through", "to", "too", "under", "until", "up",
    "ve", "very", "was", "wasn", "we", "were", "what", "when", "where", "which", "while", "who", "whom", "why",
    "will", "with", "would", "you", "your", "yours", "yourself", "yourselves",
];

/// Whether a query is better off without this word. Only where it stands as a plain word: as a part of a name it counts.
///
/// ```
/// use memfold_text::is_stop_word;
///
/// assert!(is_stop_word("the") && is_stop_word("doesn"));
/// assert!(!is_stop_word("fix"));
/// ```
pub fn is_stop_word(word: &str) -> bool {
    STOP_WORDS.binary_search(&word).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_sorted_and_its_own_words() {
        assert!(STOP_WORDS.windows(2).all(|pair| pair[0] < pair[1]));
        for word in STOP_WORDS {
            assert_eq!(crate::words(word), [word]);
        }
    }
}
