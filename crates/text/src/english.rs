//! Snowball's stemmer for English (Porter 2), in place, for words of small ASCII letters. The rules are those of
//! <https://snowballstem.org/algorithms/english/stemmer.html> by their names there; the tests compare it with `rust-stemmers`,
//! which takes ten times as long: a fold stems each word of each log once, and spent more on it than on the rest of encoding.

/// The stem of a word that is no case of the rules.
fn exception(word: &[u8]) -> Option<&'static [u8]> {
    Some(match word {
        b"andes" => b"andes",
        b"atlas" => b"atlas",
        b"bias" => b"bias",
        b"cosmos" => b"cosmos",
        b"dying" => b"die",
        b"early" => b"earli",
        b"gently" => b"gentl",
        b"howe" => b"howe",
        b"idly" => b"idl",
        b"lying" => b"lie",
        b"news" => b"news",
        b"only" => b"onli",
        b"singly" => b"singl",
        b"skies" => b"sky",
        b"skis" => b"ski",
        b"sky" => b"sky",
        b"tying" => b"tie",
        b"ugly" => b"ugli",
        _ => return None,
    })
}

/// Whether a word is a stem once step 1a is done.
fn is_whole(word: &[u8]) -> bool {
    matches!(
        word,
        b"canning"
            | b"earring"
            | b"exceed"
            | b"herring"
            | b"inning"
            | b"outing"
            | b"proceed"
            | b"succeed"
    )
}

/// Beginnings after which R1 starts.
const BEGINNINGS: &[&[u8]] = &[b"arsen", b"commun", b"gener"];

/// Puts the stem of a word of small ASCII letters in its place.
pub(crate) fn stem(word: &mut Vec<u8>) {
    if word.len() < 3 || !may_change(word) {
        return;
    }
    if let Some(stem) = exception(word) {
        word.clear();
        word.extend_from_slice(stem);
        return;
    }
    mark_consonant_y(word);
    let r1 = BEGINNINGS
        .iter()
        .find(|beginning| word.starts_with(beginning))
        .map_or_else(|| region(word, 0), |beginning| beginning.len());
    let r2 = region(word, r1);
    let mut stemming = Stemming { word, r1, r2 };
    stemming.step_1a();
    if !is_whole(stemming.word) {
        stemming.step_1b();
        stemming.step_1c();
        stemming.step_2();
        stemming.step_3();
        stemming.step_4();
        stemming.step_5();
    }
    word.make_ascii_lowercase();
}

/// Whether any rule may apply: each asks for one of these endings, and half of all words have none.
pub(crate) fn may_change(word: &[u8]) -> bool {
    match word {
        [.., b's' | b'y' | b'e'] => true,
        [.., a, b] => matches!(
            [*a, *b],
            [b'e', b'd']
                | [b'n', b'g']
                | [b'a', b'l']
                | [b'c' | b'g' | b'l' | b't', b'i']
                | [b'e' | b'o', b'r']
                | [b'o', b'n']
                | [b's', b'm']
                | [b'u' | b'l', b'l']
                | [b'i', b'c']
                | [b'n', b't']
        ),
        _ => false,
    }
}

fn is_vowel(letter: u8) -> bool {
    matches!(letter, b'a' | b'e' | b'i' | b'o' | b'u' | b'y')
}

fn has_vowel(letters: &[u8]) -> bool {
    letters.iter().copied().any(is_vowel)
}

/// Writes `Y` for a y that is a consonant: the first letter, or after a vowel.
fn mark_consonant_y(word: &mut [u8]) {
    let mut after_vowel = true;
    for letter in word {
        if *letter == b'y' && after_vowel {
            *letter = b'Y';
        }
        after_vowel = is_vowel(*letter);
    }
}

/// Where the part after the first consonant that follows a vowel starts, from `start` on: the end if there is none.
fn region(word: &[u8], start: usize) -> usize {
    let letters = word.get(start..).unwrap_or_default();
    letters
        .windows(2)
        .position(|pair| matches!(pair, [a, b] if is_vowel(*a) && !is_vowel(*b)))
        .map_or(word.len(), |at| start + at + 2)
}

/// Whether letters end in a short syllable.
fn is_short(letters: &[u8]) -> bool {
    match letters {
        [a, b] => is_vowel(*a) && !is_vowel(*b),
        [.., a, b, c] => {
            !is_vowel(*a) && is_vowel(*b) && !is_vowel(*c) && !matches!(c, b'w' | b'x' | b'Y')
        }
        _ => false,
    }
}

struct Stemming<'w> {
    word: &'w mut Vec<u8>,
    r1: usize,
    r2: usize,
}

impl Stemming<'_> {
    /// The letters before an ending, if the word has it.
    fn before(&self, ending: &[u8]) -> Option<&[u8]> {
        self.word.strip_suffix(ending)
    }

    /// Writes `new` for what follows the first `kept` letters.
    fn put(&mut self, kept: usize, new: &[u8]) {
        self.word.truncate(kept);
        self.word.extend_from_slice(new);
    }

    /// The first of the endings that the word has, what it becomes, and how many letters are before it.
    fn ending(&self, endings: &[Ending]) -> Option<(Ending, usize)> {
        endings
            .iter()
            .find_map(|ending| Some((*ending, self.before(ending.0)?.len())))
    }

    fn step_1a(&mut self) {
        if let Some(before) = self.before(b"sses") {
            self.put(before.len(), b"ss");
        } else if let Some(before) = self.before(b"ied").or_else(|| self.before(b"ies")) {
            let new: &[u8] = if before.len() > 1 { b"i" } else { b"ie" };
            self.put(before.len(), new);
        } else if self.before(b"us").is_none()
            && self.before(b"ss").is_none()
            && let Some([before @ .., _]) = self.before(b"s")
            && has_vowel(before)
        {
            self.put(before.len() + 1, b"");
        }
    }

    fn step_1b(&mut self) {
        let eed = [&b"eedly"[..], b"eed"];
        if let Some(before) = eed.iter().find_map(|ending| self.before(ending)) {
            if before.len() >= self.r1 {
                self.put(before.len(), b"ee");
            }
            return;
        }
        let endings = [&b"ingly"[..], b"edly", b"ing", b"ed"];
        let Some(before) = endings.iter().find_map(|ending| self.before(ending)) else {
            return;
        };
        if !has_vowel(before) {
            return;
        }
        self.put(before.len(), b"");
        match self.word.as_slice() {
            [.., b'a', b't'] | [.., b'b', b'l'] | [.., b'i', b'z'] => self.word.push(b'e'),
            [.., a, b] if a == b && b"bdfgmnprt".contains(a) => {
                self.word.pop();
            }
            letters if letters.len() == self.r1 && is_short(letters) => self.word.push(b'e'),
            _ => {}
        }
    }

    fn step_1c(&mut self) {
        if let [_, .., before, last @ (b'y' | b'Y')] = self.word.as_mut_slice()
            && !is_vowel(*before)
        {
            *last = b'i';
        }
    }

    fn step_2(&mut self) {
        let endings: &[Ending] = match self.word.last() {
            Some(b'l') => &[(b"ational", b"ate"), (b"tional", b"tion")],
            Some(b'n') => &[(b"ization", b"ize"), (b"ation", b"ate")],
            Some(b'r') => &[(b"izer", b"ize"), (b"ator", b"ate")],
            Some(b'm') => &[(b"alism", b"al")],
            Some(b's') => &[
                (b"iveness", b"ive"),
                (b"fulness", b"ful"),
                (b"ousness", b"ous"),
            ],
            Some(b'i') => &[
                (b"lessli", b"less"),
                (b"biliti", b"ble"),
                (b"entli", b"ent"),
                (b"ousli", b"ous"),
                (b"fulli", b"ful"),
                (b"aliti", b"al"),
                (b"iviti", b"ive"),
                (b"enci", b"ence"),
                (b"anci", b"ance"),
                (b"abli", b"able"),
                (b"alli", b"al"),
                (b"bli", b"ble"),
                (b"ogi", b"og"),
                (b"li", b""),
            ],
            _ => return,
        };
        let Some(((ending, new), kept)) = self.ending(endings) else {
            return;
        };
        let last = self.word.get(..kept).and_then(|before| before.last());
        let may_go = match ending {
            b"ogi" => last == Some(&b'l'),
            b"li" => last.is_some_and(|letter| b"cdeghkmnrt".contains(letter)),
            _ => true,
        };
        if kept >= self.r1 && may_go {
            self.put(kept, new);
        }
    }

    fn step_3(&mut self) {
        let endings: &[Ending] = match self.word.last() {
            Some(b'l') => &[
                (b"ational", b"ate"),
                (b"tional", b"tion"),
                (b"ical", b"ic"),
                (b"ful", b""),
            ],
            Some(b'e') => &[(b"alize", b"al"), (b"icate", b"ic"), (b"ative", b"")],
            Some(b'i') => &[(b"iciti", b"ic")],
            Some(b's') => &[(b"ness", b"")],
            _ => return,
        };
        if let Some(((ending, new), kept)) = self.ending(endings)
            && kept >= self.r1
            && (ending != b"ative" || kept >= self.r2)
        {
            self.put(kept, new);
        }
    }

    fn step_4(&mut self) {
        let endings: &[Ending] = match self.word.last() {
            Some(b'l') => &[(b"al", b"")],
            Some(b'e') => &[
                (b"ance", b""),
                (b"ence", b""),
                (b"able", b""),
                (b"ible", b""),
                (b"ate", b""),
                (b"ive", b""),
                (b"ize", b""),
            ],
            Some(b'r') => &[(b"er", b"")],
            Some(b'c') => &[(b"ic", b"")],
            Some(b't') => &[
                (b"ement", b""),
                (b"ment", b""),
                (b"ent", b""),
                (b"ant", b""),
            ],
            Some(b'm') => &[(b"ism", b"")],
            Some(b'i') => &[(b"iti", b"")],
            Some(b's') => &[(b"ous", b"")],
            Some(b'n') => &[(b"ion", b"")],
            _ => return,
        };
        if let Some(((ending, _), kept)) = self.ending(endings)
            && kept >= self.r2
            && (ending != b"ion" || matches!(self.word.get(..kept), Some([.., b's' | b't'])))
        {
            self.put(kept, b"");
        }
    }

    fn step_5(&mut self) {
        let goes = match self.word.as_slice() {
            [before @ .., b'e'] => {
                before.len() >= self.r2 || (before.len() >= self.r1 && !is_short(before))
            }
            [before @ .., b'l'] => before.len() >= self.r2 && before.last() == Some(&b'l'),
            _ => false,
        };
        if goes {
            self.word.pop();
        }
    }
}

/// An ending, and what is put in its place.
type Ending = (&'static [u8], &'static [u8]);

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use rust_stemmers::{Algorithm, Stemmer};

    fn compare(word: &str) {
        let mut stemmed = word.as_bytes().to_vec();
        stem(&mut stemmed);
        let expected = Stemmer::create(Algorithm::English).stem(word);
        assert_eq!(stemmed, expected.as_bytes(), "{word}");
    }

    #[test]
    fn every_ending_of_three_letters() {
        let letters = || b'a'..=b'z';
        let endings =
            letters().flat_map(|a| letters().flat_map(move |b| letters().map(move |c| [a, b, c])));
        for ending in endings {
            let ending = std::str::from_utf8(&ending).unwrap();
            for start in ["", "y", "ay", "hop", "rational", "commun", "generous"] {
                compare(&format!("{start}{ending}"));
            }
        }
    }

    #[test]
    fn words_of_note() {
        let words = "skis skies dying lying tying idly gently ugly early only singly sky news howe atlas cosmos bias andes \
            inning outing canning herring earring proceed exceed succeed innings proceeded cries ties gas gaps kiwis \
            luxuriated hoping hopped falling bled feed agreed agreedly sayly crying by say enjoy youth boyish flying happily \
            conditional rationalization digitizer vietnamization operator feudalism decisiveness hopefulness callousness \
            formaliti sensitiviti sensibiliti apologi geologist bli possibly apologetic triplicate formative electriciti \
            electrical hopeful goodness revival allowance inference airliner adjustable defensible irritant replacement \
            adjustment dependent adoption homologou communism activate angulariti homologous effective bowdlerize probate \
            rate cease controll roll arsenal communal generally generate yyyyy eyed ayeying";
        words.split_whitespace().for_each(compare);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4096))]

        #[test]
        fn as_snowball_has_it(
            start in "(|gener|commun|arsen|[a-z]{0,3}|[bcdlnrsty]{0,2}[aeiouy]{0,2}[bcdlnrstwxy]{0,2})",
            middle in "[a-z]{0,3}",
            endings in proptest::collection::vec(prop::sample::select(ENDINGS), 0..4),
        ) {
            compare(&format!("{start}{middle}{}", endings.concat()));
        }
    }

    const ENDINGS: &[&str] = &[
        "sses", "ied", "ies", "s", "us", "ss", "eed", "ed", "ing", "eedly", "edly", "ingly", "at",
        "bl", "iz", "bb", "tt", "y", "tional", "enci", "anci", "abli", "entli", "izer", "ization",
        "ational", "ation", "ator", "alism", "aliti", "alli", "fulness", "ousli", "ousness",
        "iveness", "iviti", "biliti", "bli", "ogi", "fulli", "lessli", "li", "alize", "icate",
        "iciti", "ical", "ful", "ness", "ative", "al", "ance", "ence", "er", "ic", "able", "ible",
        "ant", "ement", "ment", "ent", "ism", "ate", "iti", "ous", "ive", "ize", "ion", "e", "l",
    ];
}
