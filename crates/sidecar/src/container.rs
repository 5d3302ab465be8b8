//! A fold's records as the bytes of a sidecar. Deterministic: the same records give the same bytes (under one zstd library;
//! under another, the same content root).

use memfold_fold::Parameters;
use memfold_fold::checkpoint::Sealed;
use memfold_fold::document::Keys;
use memfold_log::Form;

use crate::binding::Binding;
use crate::error::SidecarError;
use crate::header::{ALIGNMENT, Content, ContentRoot, Head, Header, Row, Tag};
use crate::records;

/// The bytes of one document's keys.
pub(crate) const KEYS: usize = 16;

/// The sidecar of a log of the given form: what a fold with the given parameters made of its whole turns, and what binds
/// that to the log.
///
/// # Errors
/// If the records contradict one another or the binding, or are too large for the format.
pub fn encode(
    sealed: &Sealed,
    fold: Parameters,
    binding: &Binding,
    form: Form,
) -> Result<Vec<u8>, SidecarError> {
    check(sealed, binding)?;
    let count = |count: usize| {
        u32::try_from(count).map_err(|_| SidecarError::Unwritable(format!("{count} records")))
    };
    let mut header = Header {
        fold,
        covered: sealed.covered,
        documents: count(sealed.documents.len())?,
        cards: count(sealed.cards.len())?,
        words: sealed.segment.total_length,
        form,
        log_root: binding.root,
        content_root: [0; 32],
    };
    let has = |tag: &Tag| *tag != Tag::PAST || !sealed.waypoints.is_empty();
    let tags: Vec<Tag> = Tag::ALL.into_iter().filter(has).collect();
    let mut file = File::new(&header, tags.len());
    for tag in tags {
        match tag {
            Tag::BLKH => file.plain(tag, binding.blocks.as_flattened()),
            Tag::CARD => file.section(tag, records::write(&sealed.cards)?),
            Tag::CKPT => file.section(
                tag,
                records::write(std::slice::from_ref(&sealed.checkpoint))?,
            ),
            Tag::DLEN => file.plain(tag, &sealed.segment.lengths),
            Tag::DOCS => file.section(tag, records::write(&sealed.documents)?),
            Tag::KEYS => file.plain(tag, &keys(&sealed.keys)),
            Tag::LINK => file.section(tag, records::write(&sealed.links)?),
            Tag::PAST => file.section(tag, records::write(&sealed.waypoints)?),
            Tag::POST => file.plain(tag, &sealed.segment.postings),
            Tag::TBLK => file.plain(tag, &sealed.segment.blocks),
            _ => file.plain(tag, &sealed.segment.terms),
        }
    }
    header.content_root = file.root.finish();
    let head = Head {
        header,
        rows: file.rows,
    }
    .write(file.length)?;
    let mut bytes = head;
    bytes.append(&mut file.body);
    Ok(bytes)
}

/// What would make a sidecar that no reader takes.
fn check(sealed: &Sealed, binding: &Binding) -> Result<(), SidecarError> {
    let refuse = |what: String| Err(SidecarError::Unwritable(what));
    if binding.covered != sealed.covered.end.0 {
        return refuse(format!(
            "{} bytes are bound of {}",
            binding.covered, sealed.covered.end.0
        ));
    }
    let documents = sealed.documents.len();
    if documents != sealed.keys.len() {
        return refuse(format!(
            "{documents} documents with {} keys",
            sealed.keys.len()
        ));
    }
    if u32::try_from(documents) != Ok(sealed.segment.documents) {
        return refuse(format!(
            "{documents} documents, of which the words of {}",
            sealed.segment.documents
        ));
    }
    Ok(())
}

/// The keys' section.
fn keys(keys: &[Keys]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(keys.len().saturating_mul(KEYS));
    for key in keys {
        bytes.extend(key.id.to_le_bytes());
        bytes.extend(key.origin.to_le_bytes());
    }
    bytes
}

/// The sections so far.
struct File {
    root: ContentRoot,
    rows: Vec<Row>,
    body: Vec<u8>,
    /// The file's length so far, its head to come included.
    length: u64,
}

impl File {
    fn new(header: &Header, sections: usize) -> File {
        let head = u64::try_from(Head::length(sections)).unwrap_or(u64::MAX);
        File {
            root: ContentRoot::new(header),
            rows: Vec::new(),
            body: Vec::new(),
            length: head,
        }
    }

    fn plain(&mut self, tag: Tag, bytes: &[u8]) {
        self.add(tag, bytes, Content::of(bytes));
    }

    fn section(&mut self, tag: Tag, (bytes, content): (Vec<u8>, Content)) {
        self.add(tag, &bytes, content);
    }

    fn add(&mut self, tag: Tag, bytes: &[u8], content: Content) {
        let length = u64::try_from(bytes.len()).unwrap_or(u64::MAX);
        self.rows.push(Row {
            tag,
            offset: self.length,
            length,
            crc: crc32fast::hash(bytes),
        });
        self.root.add(tag, content);
        self.body.extend_from_slice(bytes);
        let padded = length.next_multiple_of(ALIGNMENT);
        self.body.resize(
            self.body
                .len()
                .saturating_add(usize::try_from(padded - length).unwrap_or(0)),
            0,
        );
        self.length = self.length.saturating_add(padded);
    }
}
