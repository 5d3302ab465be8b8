//! The word rules again, slow and obvious: rewrite and normalise the whole text, then go through its characters.
//! The cutter, which normalises run by run and only where it must, is held against it.

// clippy.toml lets tests unwrap and index, but not the functions that they share.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

use memfold_text::{Cutter, MAX_WORD_BYTES, WordKind, words};
use proptest::prelude::*;
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

type Words = Vec<(String, WordKind)>;

fn cut(text: &str) -> Words {
    let mut words = Vec::new();
    Cutter::new().cut(text, &mut |word| {
        words.push((word.text.to_owned(), word.kind))
    });
    words
}

fn ignorable(c: char) -> bool {
    const RANGES: [(u32, u32); 20] = [
        (0xAD, 0xAD),
        (0x34F, 0x34F),
        (0x61C, 0x61C),
        (0x115F, 0x1160),
        (0x17B4, 0x17B5),
        (0x180B, 0x180F),
        (0x200C, 0x200F),
        (0x202A, 0x202E),
        (0x2060, 0x206F),
        (0x20DD, 0x20E0),
        (0x20E2, 0x20E4),
        (0x3164, 0x3164),
        (0xFE00, 0xFE0F),
        (0xFEFF, 0xFEFF),
        (0xFFA0, 0xFFA0),
        (0xFFF0, 0xFFF8),
        (0x1BCA0, 0x1BCA3),
        (0x1D173, 0x1D17A),
        (0xE0000, 0xE0FFF),
        (0xE0FFF, 0xE0FFF),
    ];
    RANGES
        .iter()
        .any(|&(from, to)| (from..=to).contains(&(c as u32)))
}

fn rewritten(c: char) -> char {
    match c {
        '\u{2010}' | '\u{2011}' => '-',
        '\u{FF01}'..='\u{FF5E}' | '\u{FF66}'..='\u{FF9F}' => c.nfkc().next().unwrap(),
        c => c,
    }
}

fn is_join(c: char) -> bool {
    c == '-' || c == '_'
}

fn is_letter(c: char) -> bool {
    let symbol = matches!(c as u32, 0x24B6..=0x24E9 | 0x1F130..=0x1F149 | 0x1F150..=0x1F169 | 0x1F170..=0x1F189);
    c.is_alphanumeric() && !is_combining_mark(c) && !symbol
}

fn is_unspaced(c: char) -> bool {
    const RANGES: [(u32, u32); 17] = [
        (0xE00, 0x109F),
        (0x1100, 0x11FF),
        (0x1780, 0x17FF),
        (0x1950, 0x19FF),
        (0x1A20, 0x1AAF),
        (0x2E80, 0x2FDF),
        (0x3005, 0xA4CF),
        (0xA960, 0xA97F),
        (0xA9E0, 0xA9FF),
        (0xAA60, 0xAADF),
        (0xAC00, 0xD7FF),
        (0xF900, 0xFAFF),
        (0xFF66, 0xFFDC),
        (0x11700, 0x1174F),
        (0x16FE0, 0x18D8F),
        (0x1AFF0, 0x1B2FF),
        (0x20000, 0x3FFFF),
    ];
    is_letter(c)
        && RANGES
            .iter()
            .any(|&(from, to)| (from..=to).contains(&(c as u32)))
}

/// A letter, digit or join with its marks.
type Character = Vec<char>;

fn fold(characters: &[Character]) -> String {
    let mut folded = String::new();
    for c in characters.iter().flatten() {
        for f in c
            .to_lowercase()
            .flat_map(char::to_uppercase)
            .flat_map(char::to_lowercase)
        {
            if f != '\u{307}' || !folded.ends_with('i') {
                folded.push(f);
            }
        }
    }
    folded.nfc().collect()
}

fn reference(text: &str) -> Words {
    let text: String = text
        .chars()
        .filter(|&c| !ignorable(c))
        .map(rewritten)
        .nfc()
        .collect();
    let mut found = Vec::new();
    let mut run: Vec<Character> = Vec::new();
    for c in text.chars().chain([' ']) {
        if is_combining_mark(c) {
            match run.last_mut() {
                Some(last) if !is_join(last[0]) => last.push(c),
                _ => {} // on nothing
            }
        } else if is_join(c) || is_letter(c) {
            if run
                .last()
                .is_some_and(|last| is_unspaced(last[0]) != is_unspaced(c))
            {
                cut_stretch(&run, &mut found);
                run.clear();
            }
            run.push(vec![c]);
        } else {
            cut_stretch(&run, &mut found);
            run.clear();
        }
    }
    found.retain(|(word, _)| !word.is_empty() && word.len() <= MAX_WORD_BYTES);
    found
}

fn cut_stretch(stretch: &[Character], found: &mut Words) {
    if stretch.first().is_some_and(|first| is_unspaced(first[0])) {
        for pair in stretch.windows(2) {
            found.push((pair.iter().flatten().collect(), WordKind::Plain));
        }
        found.push((stretch.last().unwrap().iter().collect(), WordKind::Plain));
        return;
    }
    let join = |c: &Character| is_join(c[0]);
    let Some(start) = stretch.iter().position(|c| !join(c)) else {
        return;
    };
    let end = stretch.iter().rposition(|c| !join(c)).unwrap() + 1;
    let name = &stretch[start..end];
    let underscores = |some: &[Character]| some.len() == 2 && some.iter().all(|c| c[0] == '_');
    let dunder = start >= 2
        && underscores(&stretch[start - 2..start])
        && stretch.get(end..end + 2).is_some_and(underscores);
    let mut pieces = Vec::new();
    let mut dropped = 0;
    for part in name.split(join).filter(|part| !part.is_empty()) {
        if fold(part).len() <= MAX_WORD_BYTES {
            pieces.extend(cut_part(part).into_iter().map(fold));
        } else {
            dropped += 1;
        }
    }
    let several = dropped + pieces.len() > 1;
    let kind = if several || dunder {
        WordKind::Part
    } else {
        WordKind::Plain
    };
    found.extend(pieces.into_iter().map(|piece| (piece, kind)));
    if several {
        found.push((fold(name), WordKind::Name));
    }
    if dunder {
        found.push((format!("__{}__", fold(name)), WordKind::Name));
    }
}

/// `(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])`, in every script.
fn cut_part(part: &[Character]) -> Vec<&[Character]> {
    let upper = |c: &Character| {
        c[0].is_uppercase() && fold(std::slice::from_ref(&vec![c[0]])) != c[0].to_string()
    };
    let lower = |c: &Character| c[0].is_lowercase();
    let number = |c: &Character| c[0].is_numeric() && !upper(c) && !lower(c);
    let mut pieces = Vec::new();
    let mut from = 0;
    for at in 1..part.len() {
        let after_small = (lower(&part[at - 1]) || number(&part[at - 1])) && upper(&part[at]);
        let last_capital =
            upper(&part[at - 1]) && upper(&part[at]) && part.get(at + 1).is_some_and(lower);
        if after_small || last_capital {
            pieces.push(&part[from..at]);
            from = at;
        }
    }
    pieces.push(&part[from..]);
    pieces
}

/// Text with what makes the rules meet: joins, capitals, marks, jamo, scripts, long stretches.
fn mixed() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        8 => "[a-zA-Z0-9_-]{1,12}",
        2 => "[ \n.,/]{1,3}",
        2 => "__",
        2 => "[→“”│…·✅🚀🅰]",
        2 => "[\u{300}\u{301}\u{307}\u{308}\u{30c}\u{323}\u{327}\u{331}\u{345}\u{338}\u{3099}\u{309a}]{1,3}",
        2 => "[éÉßẞſςΣİıIiǰŉΐῼᾳǅﬁÅ𝐀Ⅷ½ªẖHTJ]{1,4}",
        2 => "[あカガハ日本語々ー한글ㄱ]{1,5}",
        1 => "[ᄀ-ᄒ][ᅡ-ᅵ][ᆨ-ᇂ]?",
        1 => "[กำเ่ัလာ་ཀཁក្ខ]{1,5}",
        1 => "[नमस्ते קָטָן عَرَبِي]{1,6}",
        1 => "[ＡａＢ０－＿ｶﾞﾊﾟｱｰ]{1,4}",
        1 => "[\u{ad}\u{200b}\u{200c}\u{200d}\u{2011}\u{fe0f}\u{feff}\u{20e3}\u{34f}]",
        1 => "[a-zA-Zé]{60,70}",
        1 => "\\PC{1,6}",
        1 => any::<char>().prop_map(String::from),
    ];
    proptest::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_cutter_cuts_as_the_reference(text in mixed()) {
        prop_assert_eq!(cut(&text), reference(&text));
    }

    #[test]
    fn any_text_is_cut_as_the_reference_cuts_it(text in any::<String>()) {
        prop_assert_eq!(cut(&text), reference(&text));
    }

    #[test]
    fn canonical_forms_give_the_same_words(text in mixed()) {
        prop_assert_eq!(cut(&text), cut(&text.nfd().collect::<String>()));
        prop_assert_eq!(cut(&text), cut(&text.nfc().collect::<String>()));
    }

    #[test]
    fn a_plain_word_is_its_own_word(text in mixed()) {
        for (word, kind) in cut(&text) {
            prop_assert!(!word.is_empty() && word.len() <= MAX_WORD_BYTES);
            prop_assert!(word.nfc().eq(word.chars()), "{:?} is not NFC", word);
            if kind != WordKind::Name {
                prop_assert_eq!(&words(&word)[0], &word);
            }
        }
    }

    #[test]
    fn words_lie_where_they_are_said_to(text in mixed()) {
        let mut cutter = Cutter::new();
        cutter.cut_placed(&text, &mut |word, at| {
            let own = text.get(at).expect("on characters' borders");
            assert!(cut(own).iter().any(|(other, _)| other == word.text), "{:?} is not in {own:?}", word.text);
        });
    }

    // Blocks and stretches start elsewhere.
    #[test]
    fn words_do_not_hang_on_where_the_text_lies(text in mixed(), spaces in 0usize..130, pages in 0usize..2) {
        let before = " ".repeat(spaces + pages * 8100);
        prop_assert_eq!(cut(&format!("{before}{text}")), cut(&text));
    }

    #[test]
    fn a_separator_parts_words(left in mixed(), right in mixed()) {
        let mut apart = cut(&left);
        apart.extend(cut(&right));
        prop_assert_eq!(cut(&format!("{left}\n{right}")), apart);
    }

    #[test]
    fn every_stretch_of_a_run_is_found(
        before in "[一-龥ぁ-んァ-ン가-힣]{0,9}",
        stretch in "[一-龥ぁ-んァ-ン가-힣]{2,20}",
        after in "[一-龥ぁ-んァ-ン가-힣]{0,9}",
    ) {
        let has = words(&format!("{before}{stretch}{after}"));
        for concept in memfold_text::Query::new(&stretch).concepts {
            prop_assert!(has.contains(&concept.word));
        }
    }

    #[test]
    fn every_character_of_a_run_begins_a_word(run in "[一-龥ぁ-んァ-ン가-힣]{1,20}") {
        let has = words(&run);
        for c in run.chars() {
            prop_assert!(has.iter().any(|word| word.starts_with(c)));
        }
    }
}

#[test]
fn every_character_is_cut_as_the_reference_cuts_it() {
    for c in '\0'..=char::MAX {
        for text in [
            format!("{c}"),
            format!("aB{c}Bb-"),
            format!("日{c}\u{301}語"),
        ] {
            assert_eq!(cut(&text), reference(&text), "{c:?}");
        }
    }
}
