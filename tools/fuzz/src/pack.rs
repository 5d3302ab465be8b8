//! A pack of a repository's index: any sections under right checksums. What is sound has one encoding, is found by a search
//! of files that have its contents, and stays what it is when packs are put together and contents taken out.

use std::collections::{BTreeMap, BTreeSet};

use memfold_guard::TreePath;
use memfold_repo::forged::{Form, Manifest, OpenPack};
use memfold_repo::{ContentHash, FileState, Found, Lines, Moment, Tree};
use memfold_segment::Reader;
use memfold_text::{Query, QueryTerm};

use crate::parts::{self, array};
use crate::{manifest, segment};

const SECTIONS: usize = 6;
/// So many documents are few enough to give each its lines.
const DOCUMENTS: u32 = 4096;

/// A whole pack, told by its name; or the sections of one, and of a second one.
pub fn run(bytes: &[u8]) {
    if bytes.starts_with(b"mempack1") {
        holds(bytes);
        return;
    }
    let parts = parts::split(bytes);
    let mut packs = parts.chunks(SECTIONS).map(assembled);
    let one = packs.next().unwrap_or_default();
    let is_sound = holds(&one);
    if let Some(other) = packs.next() {
        let both_sound = is_sound && holds(&other);
        let open = [one, other].map(|bytes| OpenPack::open(bytes).ok());
        if let [Some(one), Some(other)] = open {
            put_together(&one, &other, both_sound);
        }
    }
}

/// The pack of these sections, its words under right checksums, with lines for as many documents as it says it has.
pub fn assembled(parts: &[&[u8]]) -> Vec<u8> {
    let words = segment::words(parts, 2);
    let mut lines = parts::section(parts, 1);
    if words.documents <= DOCUMENTS {
        lines.resize(8 * words.documents as usize, 1);
    }
    manifest::with_words(Form::Pack, [parts::section(parts, 0), lines], words)
}

/// What a pack has of a content: for each of its chunks the lines, and the words with how often they count.
type Held = Vec<(Lines, BTreeMap<Vec<u8>, u32>)>;

/// Reads all of a pack in every way. Whether it is sound.
fn holds(bytes: &[u8]) -> bool {
    let Ok(pack) = OpenPack::open(bytes.to_vec()) else {
        return false;
    };
    let is_sound = pack.verify().is_ok();
    let contents = pack.contents();
    assert!(contents.is_sorted_by(|one, other| one.0 < other.0));
    if let Ok(words) = pack.words() {
        assert!(
            segment::holds(&words) || !is_sound,
            "sound with words that are not"
        );
    }
    let alone = OpenPack::merged(&[&pack], &|_| true);
    searches(&pack, is_sound);
    if !is_sound {
        let _ = alone.map(OpenPack::open);
        return false;
    }
    assert!(
        pack.encode().unwrap() == bytes,
        "another encoding of the same pack"
    );
    let alone = OpenPack::open(alone.unwrap()).unwrap();
    alone.verify().unwrap();
    assert!(
        held(&alone) == held(&pack),
        "put together alone it is another"
    );
    let again = OpenPack::merged(&[&alone], &|_| true).unwrap();
    assert!(again == alone.encode().unwrap(), "and again another");
    let kept = |content: &ContentHash| content.to_string().as_bytes()[0].is_multiple_of(2);
    let some = OpenPack::open(OpenPack::merged(&[&pack], &kept).unwrap()).unwrap();
    some.verify().unwrap();
    let mut expected = held(&pack);
    expected.retain(|content, _| kept(content));
    assert!(held(&some) == expected, "what is kept is another");
    true
}

/// What a sound pack has of each content.
fn held(pack: &OpenPack) -> BTreeMap<ContentHash, Held> {
    let lines = pack.lines().unwrap();
    let words = pack.words().unwrap();
    let mut documents: Held = lines
        .into_iter()
        .map(|lines| (lines, BTreeMap::new()))
        .collect();
    let reader = Reader::open(&words).unwrap();
    for term in reader.terms().unwrap() {
        let (term, _) = term.unwrap();
        let mut postings = Vec::new();
        reader.postings(&term, &mut postings).unwrap();
        for posting in postings {
            let document = &mut documents[posting.doc.0 as usize].1;
            document.insert(term.clone(), posting.frequency);
        }
    }
    let of = |(content, first, chunks): (ContentHash, u32, u32)| {
        let range = first as usize..(first + chunks) as usize;
        (content, documents[range].to_vec())
    };
    pack.contents().into_iter().map(of).collect()
}

/// Two packs in one: of a content that both have, the first one's words.
fn put_together(one: &OpenPack, other: &OpenPack, is_sound: bool) {
    let merged = OpenPack::merged(&[one, other], &|_| true);
    if !is_sound {
        let _ = merged.map(OpenPack::open);
        return;
    }
    // The sum of two sound ones may be more than there can be.
    let Ok(merged) = merged else { return };
    let merged = OpenPack::open(merged).unwrap();
    merged.verify().unwrap();
    let mut expected = held(other);
    expected.extend(held(one));
    assert!(held(&merged) == expected);
}

/// Files that have the pack's contents, each twice, are found by the words that they hold, and no other file is.
fn searches(pack: &OpenPack, is_sound: bool) {
    let contents = pack.contents();
    // Files of many chunks cost as much as they have, and say no more.
    if contents.len() > 64 || contents.iter().any(|(.., chunks)| *chunks > 256) {
        return;
    }
    let mut tree = Tree::new("/tree");
    for (number, (content, _, chunks)) in contents.iter().enumerate() {
        for folder in ["a", "b"] {
            let state = FileState {
                identity: memfold_disk::Identity::from_bytes(&array(&[1], 0)),
                read_at: Moment(0),
                found: Found::Indexed {
                    content: *content,
                    chunks: *chunks,
                    words: 7,
                },
            };
            let path = TreePath::new(&format!("{folder}/part{number}.rs")).unwrap();
            tree.files.insert(path, state);
        }
    }
    let manifest = Manifest::of(tree, [1; 8], 0).unwrap();
    let paths = manifest.paths().clone();
    let words = pack.words();
    let again = OpenPack::open(pack.encode().unwrap_or_default());
    let (Ok(words), Ok(again)) = (words, again) else {
        return;
    };
    let files: Vec<String> = manifest
        .tree()
        .files
        .keys()
        .map(ToString::to_string)
        .collect();
    let loaded = manifest.with([again]);
    let mut asked = vec!["denylist part1 symlink".to_owned(), "a".to_owned()];
    asked.extend(first_words(&words));
    for text in asked {
        let query = Query::new(&text);
        let Ok(hits) = loaded.search(&query, usize::MAX, |_| true) else {
            assert!(!is_sound, "{text:?} is not searched");
            continue;
        };
        assert!(
            hits.files
                .iter()
                .all(|hit| files.contains(&hit.path.to_string()))
        );
        assert_eq!(hits.files.len() as u64, hits.matched);
        if is_sound {
            let mut found: Vec<_> = hits.files.iter().map(|hit| hit.path.to_string()).collect();
            found.sort();
            let by_path = holding(&paths, &query);
            let by_words = holding(&words, &query);
            // In the order of their paths the files are the documents of their paths.
            let has = |number: &usize| {
                let (_, first, chunks) = contents[content_of(&files[*number])];
                chunks > 0
                    && (by_path.contains(&(*number as u32))
                        || by_words.range(first..first + chunks).next().is_some())
            };
            let expected: Vec<_> = (0..files.len()).filter(has).collect();
            let expected: Vec<_> = expected.into_iter().map(|at| files[at].clone()).collect();
            assert_eq!(found, expected, "{text:?}");
        }
    }
}

fn content_of(path: &str) -> usize {
    let digits: String = path.chars().filter(char::is_ascii_digit).collect();
    digits.parse().unwrap()
}

/// The first words of a dictionary that a query can ask for.
fn first_words(words: &memfold_segment::Encoded) -> Vec<String> {
    let Ok(reader) = Reader::open(words) else {
        return Vec::new();
    };
    let terms = reader.terms().into_iter().flatten().flatten();
    terms
        .filter_map(|(term, _)| String::from_utf8(term.get(1..)?.to_vec()).ok())
        .take(3)
        .collect()
}

/// The documents that hold any word of a query.
fn holding(words: &memfold_segment::Encoded, query: &Query) -> BTreeSet<u32> {
    let reader = Reader::open(words).unwrap();
    let mut documents = BTreeSet::new();
    for term in query.concepts.iter().flat_map(|concept| &concept.terms) {
        match term {
            QueryTerm::Exact(term) => {
                let mut postings = Vec::new();
                reader.postings(term, &mut postings).unwrap();
                documents.extend(postings.iter().map(|posting| posting.doc.0));
            }
            QueryTerm::Prefix(prefix) => {
                let all = |_: &[u8], postings: &[memfold_segment::Posting]| {
                    documents.extend(postings.iter().map(|posting| posting.doc.0));
                };
                reader.prefix(prefix, usize::MAX, all).unwrap();
            }
        }
    }
    documents
}

/// Packs of a few texts, whole and in parts, and two at once.
pub fn seeds() -> Vec<(String, Vec<u8>)> {
    let long = "fn denied() {\n    // a symlink, denied\n}\n\n".repeat(40);
    let packs: Vec<Vec<u8>> = [
        &[][..],
        &[""],
        &["# Design\n\nThe denylist is a list.\n", "part1 of it\n"],
        &[&long, "日本語 text ScrubEnv index-grep\n"],
    ]
    .map(|texts| OpenPack::of(texts).unwrap())
    .into();
    let in_parts = |pack: &Vec<u8>| Form::Pack.take_apart(pack).unwrap();
    let mut seeds = Vec::new();
    for (number, pack) in packs.iter().enumerate() {
        let parts = in_parts(pack);
        assert!(assembled(&parts.iter().map(Vec::as_slice).collect::<Vec<_>>()) == *pack);
        seeds.push((format!("{number}"), pack.clone()));
        seeds.push((format!("{number}-in-parts"), parts::join(&parts)));
        let both = [parts, in_parts(&packs[2])].concat();
        seeds.push((format!("{number}-and-2"), parts::join(&both)));
    }
    seeds
}
