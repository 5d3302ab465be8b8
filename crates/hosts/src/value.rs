//! What is read from a settings file and written there, whichever its format. Tables keep their order.

/// A value of a settings file.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Value {
    /// `true` or `false`.
    Bool(bool),
    /// A string.
    Text(String),
    /// Values in their order.
    List(Vec<Value>),
    /// Named values in their order.
    Table(Vec<(String, Value)>),
    /// Anything that memfold neither writes nor asks for: numbers, dates, null.
    Other,
}

impl Value {
    pub(crate) fn text(text: impl Into<String>) -> Value {
        Value::Text(text.into())
    }

    pub(crate) fn texts(texts: impl IntoIterator<Item = impl Into<String>>) -> Value {
        Value::List(texts.into_iter().map(Value::text).collect())
    }

    pub(crate) fn table<const N: usize>(members: [(&str, Value); N]) -> Value {
        Value::Table(
            members
                .into_iter()
                .map(|(name, value)| (name.to_owned(), value))
                .collect(),
        )
    }

    /// A table's member.
    pub(crate) fn get(&self, name: &str) -> Option<&Value> {
        match self {
            Value::Table(members) => members
                .iter()
                .find(|(known, _)| known == name)
                .map(|(_, value)| value),
            _ => None,
        }
    }

    pub(crate) fn as_text(&self) -> Option<&str> {
        match self {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }

    pub(crate) fn as_bool(&self) -> Option<bool> {
        match self {
            Value::Bool(value) => Some(*value),
            _ => None,
        }
    }

    /// A list's values; none of what is no list.
    pub(crate) fn items(&self) -> &[Value] {
        match self {
            Value::List(values) => values,
            _ => &[],
        }
    }
}
