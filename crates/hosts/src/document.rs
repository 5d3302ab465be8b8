//! A settings file's text, of either format, as it is looked at and changed by paths of names. A change leaves every other
//! byte as it is, but for the commas and the line breaks that it needs itself.

use crate::error::Refused;
use crate::json::Json;
use crate::toml::Toml;
use crate::value::Value;

/// The format of a settings file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    /// JSON, with comments and trailing commas: every host but one, and more lenient than some of them.
    Json,
    /// TOML.
    Toml,
}

/// A text that was read.
pub(crate) enum Document {
    Json(Json),
    Toml(Box<Toml>),
}

impl Document {
    pub(crate) fn parse(format: Format, text: &str) -> Result<Document, Refused> {
        match format {
            Format::Json => Json::parse(text).map(Document::Json),
            Format::Toml => Toml::parse(text).map(Box::new).map(Document::Toml),
        }
    }

    /// What stands at a path, if anything does.
    pub(crate) fn get(&self, path: &[&str]) -> Result<Option<Value>, Refused> {
        match self {
            Document::Json(json) => json.get(path),
            Document::Toml(toml) => toml.get(path),
        }
    }

    /// Puts a value at a path, in tables that are made where they are missing.
    pub(crate) fn set(&mut self, path: &[&str], value: &Value) -> Result<(), Refused> {
        match self {
            Document::Json(json) => json.set(path, value),
            Document::Toml(toml) => toml.set(path, value),
        }
    }

    /// Adds an element at the end of the list at a path.
    pub(crate) fn push(&mut self, path: &[&str], value: &Value) -> Result<(), Refused> {
        match self {
            Document::Json(json) => json.push(path, value),
            Document::Toml(_) => Err(no_list(path)),
        }
    }

    /// Takes away what stands at a path, and the tables above it that are empty then.
    pub(crate) fn remove(&mut self, path: &[&str]) -> Result<(), Refused> {
        match self {
            Document::Json(json) => json.remove(path),
            Document::Toml(toml) => toml.remove(path),
        }
    }

    /// Takes away the elements of the list at a path that are meant; where `below` is a name, those of the lists of that name in
    /// its elements. What is empty then goes, too.
    pub(crate) fn remove_elements(
        &mut self,
        path: &[&str],
        below: Option<&str>,
        is_meant: &dyn Fn(&Value) -> bool,
    ) -> Result<(), Refused> {
        match self {
            Document::Json(json) => json.remove_elements(path, below, is_meant),
            Document::Toml(_) => Err(no_list(path)),
        }
    }

    /// The text as it is now.
    pub(crate) fn text(&self) -> String {
        match self {
            Document::Json(json) => json.text(),
            Document::Toml(toml) => toml.text(),
        }
    }
}

/// No host with TOML has anything of ours in a list.
fn no_list(path: &[&str]) -> Refused {
    Refused::Shape {
        key: path.join("."),
        what: "is not a list that memfold writes to",
    }
}

/// That something on the way along a path is not what it must be.
pub(crate) fn shape(path: &[&str], what: &'static str) -> Refused {
    Refused::Shape {
        key: path.join("."),
        what,
    }
}
