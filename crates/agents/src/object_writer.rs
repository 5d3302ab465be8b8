//! Writes a line of JSON: the rows of a database as the lines of a log's text. The same row gives the same bytes.

use serde_json::value::RawValue;

/// A JSON object on a line of its own.
pub(crate) struct ObjectWriter<'t> {
    text: &'t mut Vec<u8>,
    fields: usize,
}

impl<'t> ObjectWriter<'t> {
    /// Begins one; `kind` says which row it tells.
    pub(crate) fn begin(text: &'t mut Vec<u8>, kind: &str) -> ObjectWriter<'t> {
        text.push(b'{');
        let mut object = ObjectWriter { text, fields: 0 };
        object.text("row", Some(kind));
        object
    }

    fn key(&mut self, key: &str) {
        if self.fields > 0 {
            self.text.push(b',');
        }
        self.fields = self.fields.saturating_add(1);
        quote(self.text, key);
        self.text.push(b':');
    }

    /// A text, if there is one.
    pub(crate) fn text(&mut self, key: &str, value: Option<&str>) {
        if let Some(value) = value {
            self.key(key);
            quote(self.text, value);
        }
    }

    /// A whole number, if there is one.
    pub(crate) fn number(&mut self, key: &str, value: Option<i64>) {
        if let Some(value) = value {
            self.key(key);
            self.text.extend_from_slice(value.to_string().as_bytes());
        }
    }

    /// A yes. A no is left out.
    pub(crate) fn yes(&mut self, key: &str) {
        self.key(key);
        self.text.extend_from_slice(b"true");
    }

    /// JSON as it stands. A line end in it stands between tokens, where a blank is as good.
    pub(crate) fn raw(&mut self, key: &str, value: Option<&RawValue>) {
        if let Some(value) = value {
            self.key(key);
            let blank = |byte: u8| match byte {
                b'\n' | b'\r' => b' ',
                byte => byte,
            };
            self.text.extend(value.get().bytes().map(blank));
        }
    }

    /// Ends the object and its line.
    pub(crate) fn end(self) {
        self.text.extend_from_slice(b"}\n");
    }
}

fn quote(text: &mut Vec<u8>, value: &str) {
    // Writing to a vector cannot fail.
    let _ = serde_json::to_writer(text, value);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_line_whatever_stands_in_it() {
        let raw: &RawValue = serde_json::from_str("{\"a\":\n[1,\r\n2]}").unwrap();
        let mut text = Vec::new();
        let mut object = ObjectWriter::begin(&mut text, "part");
        object.text("id", Some("a\n\"b\u{2028}"));
        object.text("none", None);
        object.number("time", Some(-3));
        object.yes("yes");
        object.raw("data", Some(raw));
        object.end();
        let line = String::from_utf8(text).unwrap();
        assert_eq!(line.matches('\n').count(), 1);
        let read: serde_json::Value = serde_json::from_str(&line).unwrap();
        assert_eq!(
            read,
            serde_json::json!({ "row": "part", "id": "a\n\"b\u{2028}", "time": -3, "yes": true, "data": { "a": [1, 2] } })
        );
    }
}
