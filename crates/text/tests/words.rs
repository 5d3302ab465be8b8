//! Words by hand: the rules' first examples, names, every script, and what is too long.

use memfold_text::{Cutter, WordKind, words};

fn named(text: &str) -> Vec<String> {
    let mut names = Vec::new();
    Cutter::new().cut(text, &mut |word| {
        if word.kind == WordKind::Name {
            names.push(word.text.to_owned());
        }
    });
    names
}

#[track_caller]
fn cuts(text: &str, expected: &[&str]) {
    assert_eq!(words(text), expected, "{text:?}");
}

#[test]
fn the_seeds_examples() {
    cuts("ScrubEnv", &["scrub", "env", "scrubenv"]);
    cuts("index-grep", &["index", "grep", "index-grep"]);
    cuts(
        "max_result_tokens",
        &["max", "result", "tokens", "max_result_tokens"],
    );
}

#[test]
fn prose() {
    cuts("", &[]);
    cuts("--- ___ -", &[]);
    cuts(
        "The quick, brown FOX's den.",
        &["the", "quick", "brown", "fox", "s", "den"],
    );
    cuts("12→\tlet x", &["12", "let", "x"]);
    cuts("│ a │ “b” …c", &["a", "b", "c"]);
}

#[test]
fn names() {
    cuts("HTTPServer", &["http", "server", "httpserver"]);
    cuts(
        "max_resultTokens",
        &["max", "result", "tokens", "max_resulttokens"],
    );
    cuts(
        "parseHTMLDoc2Text",
        &["parse", "html", "doc2", "text", "parsehtmldoc2text"],
    );
    cuts("A1B2", &["a1", "b2", "a1b2"]);
    cuts("sha256 utf8 x86 ABC1", &["sha256", "utf8", "x86", "abc1"]);
    cuts(
        "--dry-run -x a-> b__c",
        &["dry", "run", "dry-run", "x", "a", "b", "c", "b__c"],
    );
    cuts("DEC-0054", &["dec", "0054", "dec-0054"]);
    cuts("src/lib.rs", &["src", "lib", "rs"]);
}

#[test]
fn dunders_keep_their_ends() {
    cuts("__init__", &["init", "__init__"]);
    cuts(
        "__class_getItem__.py",
        &[
            "class",
            "get",
            "item",
            "class_getitem",
            "__class_getitem__",
            "py",
        ],
    );
    cuts("__init", &["init"]);
    cuts("_init_", &["init"]);
    cuts("init__ __x", &["init", "x"]);
    cuts("__Été__", &["été", "__été__"]);
    assert_eq!(named("__init__"), ["__init__"]);
}

#[test]
fn kinds() {
    let mut kinds = Vec::new();
    Cutter::new().cut("one TwoThree four_five __six__ 日本", &mut |word| {
        kinds.push(word.kind)
    });
    use WordKind::{Name, Part, Plain};
    assert_eq!(
        kinds,
        [
            Plain, Part, Part, Name, Part, Part, Name, Part, Name, Plain, Plain
        ]
    );
}

#[test]
fn ids_and_hashes_are_whole() {
    let sha256 = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08";
    cuts(sha256, &[sha256]);
    let id = "5c0375b4-57a5-4f26-b12d-d022ee4e51b7";
    cuts(
        id,
        &["5c0375b4", "57a5", "4f26", "b12d", "d022ee4e51b7", id],
    );
    cuts("3F2504E0", &["3", "f2504", "e0", "3f2504e0"]);
}

#[test]
fn long_words_are_not_words() {
    let (fits, long) = ("a".repeat(64), "a".repeat(65));
    cuts(&fits, &[&fits]);
    cuts(&long, &[]);
    cuts(&fits.to_uppercase(), &[&fits]);
    cuts(&format!("{long}_b"), &["b"]);
    cuts(&format!("{fits}_b"), &[&fits, "b"]);
    // The pieces of a part that long are dropped too, those of the others not.
    let camel = "AbcdE".repeat(13);
    cuts(&camel, &[]);
    cuts(&format!("maxOf-{camel}"), &["max", "of"]);
    let wide = "é".repeat(32);
    cuts(&wide, &[&wide]);
    cuts(&format!("{wide}a"), &[]);
    cuts(&"Éa".repeat(22), &[]);
    assert_eq!(words(&"A1b2C3d4".repeat(1 << 17)), [""; 0]);
}

#[test]
fn a_megabyte_in_one_run_without_spaces_is_cut() {
    assert_eq!(words(&"日本".repeat(1 << 17)).len(), 1 << 18);
}

#[test]
fn letters_of_every_case() {
    cuts("Straße STRASSE", &["strasse", "strasse"]);
    cuts("ΟΔΟΣ οδος", &["οδοσ", "οδοσ"]);
    cuts(
        "İstanbul ISTANBUL ıstanbul i\u{307}stanbul",
        &["istanbul"; 4],
    );
    cuts("ПриветМир", &["привет", "мир", "приветмир"]);
    cuts("ﬁle", &["file"]);
    cuts("Übergröße", &["übergrösse"]);
}

#[test]
fn one_spelling_of_accents() {
    cuts("café cafe\u{301} CAFE\u{301}", &["café"; 3]);
    cuts("cafe\u{301}Bar", &["café", "bar", "cafébar"]);
    cuts(" \u{301}a =\u{338} b-\u{301}c", &["a", "b", "c", "b-c"]);
}

#[test]
fn marks_belong_to_their_letter() {
    cuts("हिन्दी में", &["हिन्दी", "में"]);
    cuts("عَرَبِيّ", &["عَرَبِيّ"]);
    cuts("שָׁלוֹם", &["שָׁלוֹם"]);
    cuts("தமிழ்", &["தமிழ்"]);
}

#[test]
fn scripts_without_spaces_give_pairs() {
    cuts("日本語", &["日本", "本語", "語"]);
    cuts("日", &["日"]);
    cuts(
        "ひらがなカタカナ",
        &["ひら", "らが", "がな", "なカ", "カタ", "タカ", "カナ", "ナ"],
    );
    cuts("データ", &["デー", "ータ", "タ"]);
    cuts("한국어", &["한국", "국어", "어"]);
    cuts(
        "\u{1112}\u{1161}\u{11AB}\u{1100}\u{1173}\u{11AF}",
        &["한글", "글"],
    );
    cuts("น้ำดี", &["น้ำ", "ำดี", "ดี"]);
    cuts("ພາສາ", &["ພາ", "າສ", "ສາ", "າ"]);
    cuts("ខ្មែរ", &["ខ្មែ", "មែរ", "រ"]);
    cuts("မြန်မာ", &["မြန်", "န်မာ", "မာ"]);
    cuts("བོད་ཡིག", &["བོད", "ད", "ཡིག", "ག"]);
    cuts("か\u{3099}か\u{309A}", &["がか\u{309A}", "か\u{309A}"]);
}

#[test]
fn runs_are_cut_at_the_border_of_scripts() {
    cuts("日本語text", &["日本", "本語", "語", "text"]);
    cuts(
        "useStateを使う",
        &["use", "state", "usestate", "を使", "使う", "う"],
    );
    cuts("foo_日本-bar", &["foo", "日本", "本", "bar"]);
    cuts("第3章", &["第", "3", "章"]);
    cuts("__init__を", &["init", "__init__", "を"]);
}

#[test]
fn widths_and_typographic_hyphens() {
    cuts("ＡｂｃＤ１２", &["abc", "d12", "abcd12"]);
    cuts("ﾃﾞｰﾀ", &["デー", "ータ", "タ"]);
    cuts("index\u{2011}grep", &["index", "grep", "index-grep"]);
}

#[test]
fn ignorable_characters_are_not_there() {
    cuts(
        "co\u{AD}op zero\u{200D}width \u{FEFF}bom",
        &["coop", "zerowidth", "bom"],
    );
    cuts("葛\u{E0100}城", &["葛城", "城"]);
    cuts("می\u{200C}خواهم", &["میخواهم"]);
    cuts("1\u{FE0F}\u{20E3} 👩\u{200D}💻 ok", &["1", "ok"]);
    cuts("zero\u{200B}width", &["zero", "width"]);
}
