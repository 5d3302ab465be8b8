//! tantivy as a peer: documents in, an index on disk, the best documents for some words out. Its default tokenizer, word
//! frequencies without positions (memfold keeps none either), 100 MB of memory for all writing threads (its own examples use 50 to 100), merged as its
//! default policy does.

use std::fs;
use std::path::Path;

use tantivy::collector::TopDocs;
use tantivy::query::{BooleanQuery, Occur, Query, TermQuery};
use tantivy::schema::{
    Field, IndexRecordOption, STORED, Schema, TextFieldIndexing, TextOptions, Value,
};
use tantivy::{Index, IndexReader, IndexWriter, ReloadPolicy, TantivyDocument, Term};

use super::Result;
use super::documents::{DocumentId, Reading};

/// The memory of all writing threads.
const BUDGET: usize = 100_000_000;

/// Makes an index of the documents that `read` gives one by one.
pub(crate) fn build(folder: &Path, threads: usize, read: &mut Reading<'_>) -> Result<()> {
    fs::create_dir_all(folder)?;
    let mut schema = Schema::builder();
    let id = schema.add_u64_field("id", STORED);
    let text = schema.add_text_field(
        "text",
        TextOptions::default().set_indexing_options(
            TextFieldIndexing::default().set_index_option(IndexRecordOption::WithFreqs),
        ),
    );
    let index = Index::create_in_dir(folder, schema.build())?;
    let mut writer: IndexWriter = index.writer_with_num_threads(threads, BUDGET)?;
    read(&mut |number, words| {
        let mut document = TantivyDocument::default();
        document.add_u64(id, number.number());
        document.add_text(text, words);
        writer.add_document(document)?;
        Ok(())
    })?;
    writer.commit()?;
    writer.wait_merging_threads()?;
    Ok(())
}

/// An opened index.
pub(crate) struct Tantivy {
    reader: IndexReader,
    id: Field,
    text: Field,
}

impl Tantivy {
    pub(crate) fn open(folder: &Path) -> Result<Tantivy> {
        let index = Index::open_in_dir(folder)?;
        let field = |name| index.schema().get_field(name);
        Ok(Tantivy {
            id: field("id")?,
            text: field("text")?,
            reader: index
                .reader_builder()
                .reload_policy(ReloadPolicy::Manual)
                .try_into()?,
        })
    }

    /// The documents that hold any of the words, best first.
    pub(crate) fn search(&self, words: &[String], limit: usize) -> Result<Vec<DocumentId>> {
        let searcher = self.reader.searcher();
        let clauses = words
            .iter()
            .map(|word| -> (Occur, Box<dyn Query>) {
                let term = Term::from_field_text(self.text, word);
                let query = TermQuery::new(term, IndexRecordOption::WithFreqs);
                (Occur::Should, Box::new(query))
            })
            .collect();
        let best = searcher.search(
            &BooleanQuery::new(clauses),
            &TopDocs::with_limit(limit).order_by_score(),
        )?;
        best.into_iter()
            .map(|(_, address)| {
                let document: TantivyDocument = searcher.doc(address)?;
                let number = document.get_first(self.id).and_then(|value| value.as_u64());
                Ok(DocumentId::of(
                    number.ok_or("a document without its number")?,
                ))
            })
            .collect()
    }
}
