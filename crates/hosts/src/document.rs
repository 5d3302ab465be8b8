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

/// A mark that some editors put before a text.
const BYTE_ORDER_MARK: char = '\u{feff}';

/// A text that was read.
pub(crate) struct Document {
    tree: Tree,
    is_marked: bool,
}

enum Tree {
    Json(Json),
    Toml(Box<Toml>),
}

impl Document {
    pub(crate) fn parse(format: Format, text: &str) -> Result<Document, Refused> {
        let unmarked = text.strip_prefix(BYTE_ORDER_MARK);
        let is_marked = unmarked.is_some();
        let text = unmarked.unwrap_or(text);
        let tree = match format {
            Format::Json => Tree::Json(Json::parse(text)?),
            Format::Toml => Tree::Toml(Box::new(Toml::parse(text)?)),
        };
        Ok(Document { tree, is_marked })
    }

    /// What stands at a path, if anything does.
    pub(crate) fn get(&self, path: &[&str]) -> Result<Option<Value>, Refused> {
        match &self.tree {
            Tree::Json(json) => json.get(path),
            Tree::Toml(toml) => toml.get(path),
        }
    }

    /// Puts a value at a path, in tables that are made where they are missing.
    pub(crate) fn set(&mut self, path: &[&str], value: &Value) -> Result<(), Refused> {
        match &mut self.tree {
            Tree::Json(json) => json.set(path, value),
            Tree::Toml(toml) => toml.set(path, value),
        }
    }

    /// Adds an element at the end of the list at a path.
    pub(crate) fn push(&mut self, path: &[&str], value: &Value) -> Result<(), Refused> {
        match &mut self.tree {
            Tree::Json(json) => json.push(path, value),
            Tree::Toml(_) => Err(no_list(path)),
        }
    }

    /// Takes away what stands at a path, and the tables above it that are empty then.
    pub(crate) fn remove(&mut self, path: &[&str]) -> Result<(), Refused> {
        match &mut self.tree {
            Tree::Json(json) => json.remove(path),
            Tree::Toml(toml) => toml.remove(path),
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
        match &mut self.tree {
            Tree::Json(json) => json.remove_elements(path, below, is_meant),
            Tree::Toml(_) => Err(no_list(path)),
        }
    }

    /// The text as it is now.
    pub(crate) fn text(&self) -> String {
        let text = match &self.tree {
            Tree::Json(json) => json.text(),
            Tree::Toml(toml) => toml.text(),
        };
        match self.is_marked {
            true => format!("{BYTE_ORDER_MARK}{text}"),
            false => text,
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
