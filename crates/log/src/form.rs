//! Which of the three forms a log file has, told by its name.

use std::path::Path;

/// The form of a log file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Form {
    /// `.jsonl`: an event a line.
    Lines,
    /// `.jsonl.zst` (`.jsonl.zstd`): the same, compressed. Its places are those of its decompressed text.
    CompressedLines,
    /// `.json`: one document that holds an array of messages.
    Document,
}

impl Form {
    /// The form that the file's name tells, if it is a log's name.
    ///
    /// ```
    /// use std::path::Path;
    /// use memfold_log::Form;
    ///
    /// assert_eq!(Form::of(Path::new("a.jsonl.zst")), Some(Form::CompressedLines));
    /// assert_eq!(Form::of(Path::new("a.mem")), None);
    /// ```
    pub fn of(path: &Path) -> Option<Form> {
        let name = path.file_name()?.as_encoded_bytes();
        let ends = |end: &str| name.len() > end.len() && name.ends_with(end.as_bytes());
        if ends(".jsonl") {
            Some(Form::Lines)
        } else if ends(".jsonl.zst") || ends(".jsonl.zstd") {
            Some(Form::CompressedLines)
        } else if ends(".json") {
            Some(Form::Document)
        } else {
            None
        }
    }
}
