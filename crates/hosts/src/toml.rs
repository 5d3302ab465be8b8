//! Settings in TOML. A new table is put at the text's end, where nothing has to move for it; a comment that stood there stays
//! where it was, and is given to what follows when the table is taken away again.

use toml_edit::{Array, DocumentMut, InlineTable, Item, Table, TableLike, TomlError};

use crate::document::shape;
use crate::error::Refused;
use crate::value::Value;

pub(crate) struct Toml {
    document: DocumentMut,
    /// Whether lines end as on Windows. The library prints its own.
    is_crlf: bool,
}

impl Toml {
    pub(crate) fn parse(text: &str) -> Result<Toml, Refused> {
        Ok(Toml {
            document: read(text)?,
            is_crlf: text.contains("\r\n"),
        })
    }

    pub(crate) fn text(&self) -> String {
        let text = self.document.to_string();
        match self.is_crlf {
            true => text.replace("\r\n", "\n").replace('\n', "\r\n"),
            false => text,
        }
    }

    pub(crate) fn get(&self, path: &[&str]) -> Result<Option<Value>, Refused> {
        let mut item = self.document.as_item();
        for depth in 1..=path.len() {
            let way = path.get(..depth).unwrap_or(path);
            let table = item.as_table_like().ok_or_else(|| not_a_table(way))?;
            match way.last().and_then(|name| table.get(name)) {
                Some(there) => item = there,
                None => return Ok(None),
            }
        }
        Ok(Some(value_of(item)))
    }

    pub(crate) fn set(&mut self, path: &[&str], value: &Value) -> Result<(), Refused> {
        let Some((name, above)) = path.split_last() else {
            return Err(shape(path, "is the file itself"));
        };
        if let (Value::Table(members), [_]) = (value, above)
            && self.get(path)?.is_none()
            && self.append(path, members)
        {
            return Ok(());
        }
        let table = self
            .table(above)?
            .ok_or_else(|| shape(above, "is written in a form that cannot be added to"))?;
        let mut value = inline(value);
        match table.get_mut(name) {
            Some(there) => {
                // What is said beside it stays.
                if let Some(before) = there.as_value() {
                    *value.decor_mut() = before.decor().clone();
                }
                *there = Item::Value(value);
            }
            None => _ = table.insert(name, Item::Value(value)),
        }
        Ok(())
    }

    pub(crate) fn remove(&mut self, path: &[&str]) -> Result<(), Refused> {
        let Some((name, above)) = path.split_last() else {
            return Ok(());
        };
        let Some(removed) = self.table(above)?.and_then(|table| table.remove(name)) else {
            return Ok(());
        };
        // A table above it that has no head of its own is not printed when it is empty; one that has is the person's.
        self.hand_on(&removed);
        Ok(())
    }

    /// Puts a table at the text's end. Whether that could be done.
    fn append(&mut self, path: &[&str], members: &[(String, Value)]) -> bool {
        let mut table = Table::new();
        for (name, value) in members {
            table.insert(name, Item::Value(inline(value)));
        }
        let mut added = DocumentMut::new();
        let mut holder = Table::new();
        holder.set_implicit(true);
        let [outer, inner] = path else { return false };
        holder.insert(inner, Item::Table(table));
        added.insert(outer, Item::Table(holder));
        let mut text = self.document.to_string();
        if !text.is_empty() {
            text.push_str(if text.ends_with('\n') { "\n" } else { "\n\n" });
        }
        text.push_str(&added.to_string());
        // Not where the outer table is written in braces: then it is closed.
        match read(&text) {
            Ok(document) => {
                self.document = document;
                true
            }
            Err(_) => false,
        }
    }

    /// The table that a path leads to.
    fn table(&mut self, path: &[&str]) -> Result<Option<&mut dyn TableLike>, Refused> {
        let mut table: &mut dyn TableLike = self.document.as_table_mut();
        for depth in 1..=path.len() {
            let way = path.get(..depth).unwrap_or(path);
            let Some(there) = way.last().and_then(|name| table.get_mut(name)) else {
                return Ok(None);
            };
            table = there.as_table_like_mut().ok_or_else(|| not_a_table(way))?;
        }
        Ok(Some(table))
    }

    /// What stood before a table's head belongs to the table that follows, else to the text's end: all but the blank line that
    /// [`Toml::append`] put there.
    fn hand_on(&mut self, removed: &Item) {
        let Some(table) = removed.as_table() else {
            return;
        };
        let prefix = table.decor().prefix().and_then(|raw| raw.as_str());
        let before = prefix.unwrap_or_default();
        let before = before.strip_suffix('\n').unwrap_or(before);
        let before = before.strip_suffix('\r').unwrap_or(before).to_owned();
        if before.is_empty() {
            return;
        }
        let position = table.position().unwrap_or(isize::MAX);
        let root = self.document.as_table_mut();
        match next_position(root, position).and_then(|next| table_at(root, next)) {
            Some(next) => {
                let own = next.decor().prefix().and_then(|raw| raw.as_str());
                let prefix = before + own.unwrap_or_default();
                next.decor_mut().set_prefix(prefix);
            }
            None => {
                let own = self.document.trailing().as_str().unwrap_or_default();
                let trailing = before + own;
                self.document.set_trailing(trailing);
            }
        }
    }
}

fn read(text: &str) -> Result<DocumentMut, Refused> {
    text.parse().map_err(|error: TomlError| Refused::Broken {
        line: error.span().map_or(1, |span| {
            let before = text.get(..span.start).unwrap_or(text);
            before.matches('\n').count() + 1
        }),
        what: error.message().trim().replace('\n', " "),
    })
}

fn not_a_table(path: &[&str]) -> Refused {
    shape(path, "is not a table")
}

/// Where the first table after a place in the text stands.
fn next_position(table: &Table, after: isize) -> Option<isize> {
    let own = table.position().filter(|position| *position > after);
    let below = tables(table).filter_map(|table| next_position(table, after));
    below.chain(own).min()
}

fn tables(table: &Table) -> impl Iterator<Item = &Table> {
    table.iter().flat_map(|(_, item)| {
        let listed = item
            .as_array_of_tables()
            .into_iter()
            .flat_map(|list| list.iter());
        item.as_table().into_iter().chain(listed)
    })
}

fn table_at(table: &mut Table, position: isize) -> Option<&mut Table> {
    if table.position() == Some(position) {
        return Some(table);
    }
    table.iter_mut().find_map(|(_, item)| match item {
        Item::Table(table) => table_at(table, position),
        Item::ArrayOfTables(list) => list.iter_mut().find_map(|table| table_at(table, position)),
        _ => None,
    })
}

fn value_of(item: &Item) -> Value {
    if let Some(table) = item.as_table_like() {
        let members = table.iter();
        return Value::Table(
            members
                .map(|(name, item)| (name.to_owned(), value_of(item)))
                .collect(),
        );
    }
    item.as_value().map_or(Value::Other, plain)
}

fn plain(value: &toml_edit::Value) -> Value {
    match value {
        toml_edit::Value::String(text) => Value::text(text.value()),
        toml_edit::Value::Boolean(value) => Value::Bool(*value.value()),
        toml_edit::Value::Array(values) => Value::List(values.iter().map(plain).collect()),
        toml_edit::Value::InlineTable(table) => Value::Table(
            table
                .iter()
                .map(|(name, value)| (name.to_owned(), plain(value)))
                .collect(),
        ),
        _ => Value::Other,
    }
}

fn inline(value: &Value) -> toml_edit::Value {
    match value {
        Value::Bool(value) => (*value).into(),
        Value::Text(text) => text.as_str().into(),
        Value::List(values) => {
            toml_edit::Value::Array(values.iter().map(inline).collect::<Array>())
        }
        Value::Table(members) => toml_edit::Value::InlineTable(
            members
                .iter()
                .map(|(name, value)| (name.as_str(), inline(value)))
                .collect::<InlineTable>(),
        ),
        // Nothing of ours is of another sort.
        Value::Other => "".into(),
    }
}
