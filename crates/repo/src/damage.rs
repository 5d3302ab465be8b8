//! Manifests, packs, collections and events of which any part is anything, under right checksums: they are refused or read,
//! and nothing panics. What is read can be written, searched and put together.

use memfold_guard::TreePath;
use proptest::collection::vec;
use proptest::prelude::*;

use crate::collection::Unnamed;
use crate::content::ContentHash;
use crate::forged::Form;
use crate::journal::{Folded, LogId};
use crate::manifest::Manifest;
use crate::moment::Moment;
use crate::pack::{self, Pack, PackBuilder};
use crate::tree::{FileState, Found, Skip, Tree, Update};

fn manifest() -> Vec<u8> {
    let mut tree = Tree::new("/tree");
    for n in 0..20u8 {
        let found = match n % 3 {
            0 => Found::Skipped(Skip::Binary),
            _ => Found::Indexed {
                content: ContentHash([n; 32]),
                chunks: 1,
                words: 9,
            },
        };
        let state = FileState {
            identity: memfold_disk::Identity::from_bytes(&[n; 40]),
            read_at: Moment(5),
            found,
        };
        let path = TreePath::new(&format!("src/part{n}.rs")).unwrap();
        tree.files.insert(path, state);
    }
    let folded = Folded {
        log: LogId([1; 8]),
        end: 9,
    };
    Manifest::of(tree, folded).unwrap().encode().unwrap()
}

fn pack() -> Vec<u8> {
    let mut pack = PackBuilder::default();
    for n in 0..20 {
        let text = format!("fn part_{n}() {{}}\n").repeat(n * 9);
        pack.add(ContentHash::of(&text), &text).unwrap();
    }
    pack.finish().unwrap()
}

/// A file with one of its sections changed, and every checksum right.
fn changed(form: Form, bytes: &[u8], which: usize, at: usize, cut: usize, put: &[u8]) -> Vec<u8> {
    let mut parts = form.take_apart(bytes).unwrap();
    let number = which % parts.len();
    let part = &mut parts[number];
    let from = at % (part.len() + 1);
    let to = (from + cut).min(part.len());
    part.splice(from..to, put.iter().copied());
    form.assemble(&parts)
}

proptest! {
    #[test]
    fn of_a_manifest(which in 0..6usize, at in 0..5000usize, cut in 0..60usize, put in vec(any::<u8>(), 0..60)) {
        let bytes = changed(Form::Manifest, &manifest(), which, at, cut, &put);
        if let Ok(manifest) = Manifest::open(&bytes) {
            let again = manifest.encode().unwrap();
            prop_assert_eq!(Manifest::open(&again).unwrap().tree, manifest.tree);
            let _ = crate::manifest::verify_bytes(&bytes);
        }
    }

    #[test]
    fn of_a_pack(which in 0..6usize, at in 0..5000usize, cut in 0..60usize, put in vec(any::<u8>(), 0..60)) {
        let bytes = changed(Form::Pack, &pack(), which, at, cut, &put);
        if let Ok(pack) = Pack::open(bytes.as_slice()) {
            let is_sound = pack.verify().is_ok();
            let merged = pack::merged(&[&pack], &|_| true);
            prop_assert!(!is_sound || pack::verify_bytes(&merged.unwrap()).is_ok());
        }
    }

    #[test]
    fn of_a_collection(which in 0..2usize, at in 0..500usize, cut in 0..60usize, put in vec(any::<u8>(), 0..60)) {
        let since = (0..9).map(|n| (ContentHash([n; 32]), Moment(i64::from(n)))).collect();
        let sound = Unnamed { looked: Moment(7), since }.encode();
        let bytes = changed(Form::Collection, &sound, which, at, cut, &put);
        if let Ok(unnamed) = Unnamed::open(&bytes) {
            prop_assert_eq!(unnamed.encode(), bytes);
        }
    }

    #[test]
    fn of_an_event(at in 0..2000usize, cut in 0..30usize, put in "[ -~]{0,12}") {
        let mut update = Update { tree: "/tree".to_owned(), ..Update::default() };
        update.files = Manifest::open(&manifest()).unwrap().tree.files;
        let mut text = serde_json::to_string(&update).unwrap();
        let from = at % text.len();
        let to = (from + cut).min(text.len());
        text.replace_range(from..to, &put);
        if let Ok(update) = serde_json::from_str::<Update>(&text) {
            let mut tree = Tree::new("/tree");
            tree.apply(update);
            let bytes = Manifest::of(tree.clone(), Folded::default()).unwrap().encode().unwrap();
            prop_assert_eq!(Manifest::open(&bytes).unwrap().tree, tree);
        }
    }
}
