//! How a log is stored, told by its file's name.

use std::path::{Path, is_separator};

/// How a log is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Form {
    /// `.jsonl`: an event a line.
    Lines,
    /// `.jsonl.zst` (`.jsonl.zstd`): the same, compressed. Its places are those of its decompressed text.
    CompressedLines,
    /// `.json`: one document that holds an array of messages.
    Document,
    /// A session of a database, `.db`: its rows are told as lines, and places are those of the text that they make. Such a
    /// log's path is the database's with the session's id below it.
    Rows,
    /// A chat in Markdown, `.chat.history.md`: its sections, each numbered by its first line.
    Markdown,
}

impl Form {
    /// The form that the file's name tells, if it is a log's name.
    ///
    /// ```
    /// use std::path::{Path, is_separator};
    /// use memfold_log::Form;
    ///
    /// assert_eq!(Form::of(Path::new("a.jsonl.zst")), Some(Form::CompressedLines));
    /// assert_eq!(Form::of(Path::new("a.mem")), None);
    /// ```
    pub fn of(path: &Path) -> Option<Form> {
        let path = path.as_os_str().as_encoded_bytes();
        // A name that is nothing but an ending is hidden, and no log's.
        let ends = |end: &str| {
            let before = path.strip_suffix(end.as_bytes());
            before
                .and_then(<[u8]>::last)
                .is_some_and(|last| !is_separator(char::from(*last)))
        };
        if ends(".jsonl") {
            Some(Form::Lines)
        } else if ends(".jsonl.zst") || ends(".jsonl.zstd") {
            Some(Form::CompressedLines)
        } else if ends(".json") {
            Some(Form::Document)
        } else if ends(".chat.history.md") {
            Some(Form::Markdown)
        } else if ends(".db") {
            Some(Form::Rows)
        } else {
            None
        }
    }

    /// Whether what is appended can be folded onto what was folded before: the log's text is read at any place of it, and
    /// what follows its last whole turn is no turn yet.
    pub fn grows(self) -> bool {
        match self {
            Form::Lines | Form::Rows | Form::Markdown => true,
            Form::CompressedLines | Form::Document => false,
        }
    }
}
