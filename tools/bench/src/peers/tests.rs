//! The peers are given the documents that memfold ranks: held against the reference, which reads the logs by itself.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use memfold_reference::{Kind, Reference, Term, words};

use super::Result;
use super::documents::{DocumentId, logs_below, read_documents};
use super::fts5::{self, Fts5};
use super::tantivy::{self, Tantivy};
use crate::generator::{Extent, Size, write_set};

const TINY: Size = Size {
    extent: Extent::Small,
    logs: 20,
    bytes: 1_000_000,
    seed: 5,
};

/// Words that stand in the logs in one form alone, each with the documents that hold it.
fn rare_words(logs: &[PathBuf]) -> BTreeMap<String, BTreeSet<DocumentId>> {
    let mut forms: BTreeMap<Term, BTreeSet<(String, bool)>> = BTreeMap::new();
    let mut held: BTreeMap<Term, BTreeSet<DocumentId>> = BTreeMap::new();
    read_documents(logs, &mut |id, text| {
        for word in words(text) {
            let plain =
                word.kind == Kind::Plain && word.text.bytes().all(|b| b.is_ascii_lowercase());
            held.entry(word.term()).or_default().insert(id);
            forms
                .entry(word.term())
                .or_default()
                .insert((word.text, plain));
        }
        Ok(())
    })
    .unwrap();
    let mut rare = BTreeMap::new();
    for (term, forms) in forms {
        let documents = held.remove(&term).unwrap();
        let mut forms = forms.into_iter();
        if let (Some((word, true)), None) = (forms.next(), forms.next())
            && word.len() > 4
            && documents.len() <= 4
        {
            rare.insert(word, documents);
        }
    }
    rare
}

#[test]
fn peers_find_what_the_reference_finds() {
    let folder = ::tempfile::tempdir().unwrap();
    let logs = folder.path().join("logs");
    write_set(TINY, &logs).unwrap();
    let logs = logs_below(&logs).unwrap();
    let (index, table) = (folder.path().join("tantivy"), folder.path().join("fts5.db"));
    let mut read = |each: &mut dyn FnMut(DocumentId, &str) -> Result<()>| {
        read_documents(&logs, &mut |id, text| each(id, text))
    };
    tantivy::build(&index, 1, &mut read).unwrap();
    fts5::build(&table, &mut read).unwrap();
    let (tantivy, fts5) = (Tantivy::open(&index).unwrap(), Fts5::open(&table).unwrap());

    let reference = Reference::read(&logs);
    let number = |path: &PathBuf| u32::try_from(logs.binary_search(path).unwrap()).unwrap();
    let rare = rare_words(&logs);
    assert!(rare.len() > 200, "{} rare words", rare.len());
    let mut of_several = 0;
    for (word, _) in rare.iter().step_by(7) {
        let term = words(word)[0].term();
        // A fork's copies too: the peers do not know that they are.
        let expected: BTreeSet<DocumentId> = reference
            .logs()
            .iter()
            .flat_map(|log| {
                log.documents
                    .iter()
                    .map(|document| (number(&log.path), document))
            })
            .filter(|(_, document)| document.terms.contains_key(&term))
            .map(|(log, document)| DocumentId {
                log,
                seq: u32::try_from(document.seq).unwrap(),
            })
            .collect();
        of_several += usize::from(expected.len() > 1);
        let asked = std::slice::from_ref(word);
        let found = |found: Vec<DocumentId>| found.into_iter().collect::<BTreeSet<_>>();
        assert_eq!(
            found(tantivy.search(asked, 100).unwrap()),
            expected,
            "{word}"
        );
        assert_eq!(found(fts5.search(asked, 100).unwrap()), expected, "{word}");
    }
    assert!(of_several > 5, "{of_several} words of several documents");
}

#[test]
fn as_many_documents_as_the_reference_has() {
    let folder = ::tempfile::tempdir().unwrap();
    write_set(TINY, folder.path()).unwrap();
    let logs = logs_below(folder.path()).unwrap();
    let mut ours = BTreeSet::new();
    read_documents(&logs, &mut |id, _| {
        ours.insert((logs[id.log as usize].clone(), id.seq as usize));
        Ok(())
    })
    .unwrap();
    let reference = Reference::read(&logs);
    let theirs: BTreeSet<_> = reference
        .logs()
        .iter()
        .flat_map(|log| {
            log.documents
                .iter()
                .map(|document| (log.path.clone(), document.seq))
        })
        .collect();
    assert_eq!(
        ours.difference(&theirs).collect::<Vec<_>>(),
        Vec::<&_>::new()
    );
    assert_eq!(
        theirs.difference(&ours).collect::<Vec<_>>(),
        Vec::<&_>::new()
    );
}
