//! A tree's manifest, and the note of what no tree names: any sections under right checksums, and made-up trees. What is read
//! is written again to the same bytes; whatever it says of words, a search answers, with files that are indexed and no others.

use arbitrary::Unstructured;
use memfold_repo::forged::{self, Form, Manifest, OpenPack};
use memfold_repo::{Found, RepoError};
use memfold_segment::Encoded;
use memfold_text::Query;

use crate::parts::{self, array};
use crate::{segment, trees};

/// A collection's sections are fewer than a manifest's.
const OF_A_COLLECTION: usize = 2;

/// A whole file, told by its name; the sections of a manifest; those of a collection; or, behind an `@`, the choices that make
/// a tree.
pub fn run(bytes: &[u8]) {
    if bytes.starts_with(b"memtree1") {
        holds(bytes);
    } else if bytes.starts_with(b"memcoll1") {
        collection(bytes);
    } else if let Some(choices) = bytes.strip_prefix(b"@") {
        made_up(&mut Unstructured::new(choices));
    } else {
        let parts = parts::split(bytes);
        match parts.len() {
            OF_A_COLLECTION => collection(&Form::Collection.assemble(&parts)),
            _ => holds(&assembled(&parts)),
        }
    }
}

/// The manifest of these sections, the words of its paths under right checksums too.
pub fn assembled(parts: &[&[u8]]) -> Vec<u8> {
    let section = |number| parts::section(parts, number);
    with_words(
        Form::Manifest,
        [section(0), section(1)],
        segment::words(parts, 2),
    )
}

/// A file of two sections and words.
pub(crate) fn with_words(form: Form, [first, second]: [Vec<u8>; 2], words: Encoded) -> Vec<u8> {
    form.assemble(&[
        first,
        second,
        words.terms,
        words.blocks,
        words.postings,
        words.lengths,
    ])
}

fn collection(bytes: &[u8]) {
    if let Ok(again) = forged::collection_again(bytes) {
        assert!(again == bytes, "another encoding of the same collection");
    }
}

fn made_up(choices: &mut Unstructured<'_>) {
    let Ok(tree) = trees::tree(choices) else {
        return;
    };
    let bytes = Manifest::of(tree.clone(), [3; 8], 9).unwrap().encode();
    let bytes = bytes.unwrap();
    let again = Manifest::open(&bytes).unwrap();
    assert_eq!(*again.tree(), tree);
    assert!(
        segment::holds(again.paths()),
        "words of paths that are not sound"
    );
    holds(&bytes);
}

fn holds(bytes: &[u8]) {
    let manifest = match Manifest::open(bytes) {
        Ok(manifest) => manifest,
        Err(RepoError::Io(error)) => panic!("bytes in memory are there: {error}"),
        Err(_) => return,
    };
    assert!(
        manifest.encode().unwrap() == bytes,
        "another encoding of the same manifest"
    );
    let anew = manifest.counted_anew().unwrap().encode().unwrap();
    let anew = Manifest::open(&anew).unwrap();
    assert_eq!(anew.tree(), manifest.tree());
    // As many documents as indexed files, whatever words they have.
    let is_sound = segment::holds(manifest.paths());
    searches(manifest, is_sound);
    searches(anew, true);
}

fn searches(manifest: Manifest, is_sound: bool) {
    let tree = manifest.tree().clone();
    // What a content's files have as chunks is made as room, and a file may be there as often as there are paths.
    let pack = OpenPack::of(&trees::TEXTS).unwrap();
    let loaded = manifest.with([OpenPack::open(pack).unwrap()]);
    for text in ["denylist", "a src part", "env line"] {
        let searched = loaded.search(&Query::new(text), usize::MAX, |_| true);
        let Ok(hits) = searched else {
            assert!(!is_sound, "{text:?} is not searched");
            continue;
        };
        let indexed = tree.indexed().count() as u64;
        assert_eq!(hits.ranked_files + hits.lacking, indexed);
        for hit in &hits.files {
            let found = &tree.files[&hit.path].found;
            assert!(
                matches!(found, Found::Indexed { .. }),
                "{}: {found:?}",
                hit.path
            );
        }
    }
}

/// The parts of a manifest or a collection that is sound.
pub fn parts_of(file: &[u8]) -> Vec<Vec<u8>> {
    let form = match array(file, 0) {
        [b'm', b'e', b'm', b'c'] => Form::Collection,
        _ => Form::Manifest,
    };
    form.take_apart(file).unwrap()
}

/// Manifests of made-up trees and a collection, whole and in parts, and choices that make trees.
pub fn seeds() -> Vec<(String, Vec<u8>)> {
    let mut seeds = Vec::new();
    for number in 0..6u32 {
        let choices = trees::noise(number, 160);
        let tree = trees::tree(&mut Unstructured::new(&choices)).unwrap();
        let manifest = Manifest::of(tree, [3; 8], 9).unwrap().encode().unwrap();
        let parts = parts_of(&manifest);
        assert!(assembled(&parts.iter().map(Vec::as_slice).collect::<Vec<_>>()) == manifest);
        seeds.push((format!("{number}-in-parts"), parts::join(&parts)));
        seeds.push((format!("{number}"), manifest));
        seeds.push((format!("choices-{number}"), [&b"@"[..], &choices].concat()));
    }
    let rows = [[1; 40], [2; 40]].concat();
    let collection = Form::Collection.assemble(&[&[7; 8][..], &rows]);
    seeds.push((
        "collection-in-parts".to_owned(),
        parts::join(&parts_of(&collection)),
    ));
    seeds.push(("collection".to_owned(), collection));
    seeds
}
