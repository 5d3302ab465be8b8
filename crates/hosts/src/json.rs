//! Settings in JSON, as people write it: comments, trailing commas, and any indentation are kept. Relies on the concrete syntax
//! tree of `jsonc-parser`, which prints what it was not asked to change as it read it.

use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{CstArray, CstInputValue, CstNode, CstObject, CstObjectProp, CstRootNode};

use crate::document::shape;
use crate::error::Refused;
use crate::value::Value;

const OPTIONS: ParseOptions = ParseOptions {
    allow_comments: true,
    allow_loose_object_property_names: false,
    allow_trailing_commas: true,
    allow_missing_commas: false,
    allow_single_quoted_strings: false,
    allow_hexadecimal_numbers: false,
    allow_unary_plus_numbers: false,
    allow_bare_decimal_point_numbers: false,
    allow_non_finite_numbers: false,
    allow_extended_string_escapes: false,
};

pub(crate) struct Json {
    root: CstRootNode,
}

impl Json {
    pub(crate) fn parse(text: &str) -> Result<Json, Refused> {
        let root = CstRootNode::parse(text, &OPTIONS).map_err(|error| Refused::Broken {
            line: error.line_display(),
            what: error.kind().to_string(),
        })?;
        let json = Json { root };
        match json.root.value() {
            Some(value) if value.as_object().is_none() => Err(Refused::Broken {
                line: 1,
                what: "the file is not an object".to_owned(),
            }),
            _ => Ok(json),
        }
    }

    pub(crate) fn text(&self) -> String {
        self.root.to_string()
    }

    pub(crate) fn get(&self, path: &[&str]) -> Result<Option<Value>, Refused> {
        let found = self.find(path)?;
        Ok(found
            .and_then(|found| found.value())
            .map(|node| read(&node)))
    }

    pub(crate) fn set(&mut self, path: &[&str], value: &Value) -> Result<(), Refused> {
        let Some((name, above)) = path.split_last() else {
            return Err(shape(path, "is the file itself"));
        };
        let object = self.made(above)?;
        match member(&object, path)? {
            Some(there) => there.set_value(input(value)),
            None => _ = object.append(name, input(value)),
        }
        Ok(())
    }

    pub(crate) fn push(&mut self, path: &[&str], value: &Value) -> Result<(), Refused> {
        let Some((name, above)) = path.split_last() else {
            return Err(shape(path, "is the file itself"));
        };
        let object = self.made(above)?;
        member(&object, path)?;
        let list = object
            .array_value_or_create(name)
            .ok_or_else(|| shape(path, "is not a list"))?;
        list.append(input(value));
        Ok(())
    }

    pub(crate) fn remove(&mut self, path: &[&str]) -> Result<(), Refused> {
        if let Some(there) = self.find(path)? {
            there.remove();
            self.prune(path)?;
        }
        Ok(())
    }

    pub(crate) fn remove_elements(
        &mut self,
        path: &[&str],
        below: Option<&str>,
        is_meant: &dyn Fn(&Value) -> bool,
    ) -> Result<(), Refused> {
        let Some(list) = self.find(path)?.and_then(|there| there.array_value()) else {
            return Ok(());
        };
        match below {
            None => drop_elements(&list, is_meant),
            Some(name) => {
                for element in list.elements() {
                    let Some(group) = element.as_object() else {
                        continue;
                    };
                    let Some(inner) = group.array_value(name) else {
                        continue;
                    };
                    let before = inner.elements().len();
                    drop_elements(&inner, is_meant);
                    if inner.elements().len() < before && is_empty(&inner.children()) {
                        element.remove();
                    }
                }
            }
        }
        if is_empty(&list.children())
            && let Some(there) = self.find(path)?
        {
            there.remove();
            self.prune(path)?;
        }
        Ok(())
    }

    /// The member that a path leads to.
    fn find(&self, path: &[&str]) -> Result<Option<CstObjectProp>, Refused> {
        let Some(mut object) = self.root.object_value() else {
            return Ok(None);
        };
        for depth in 1..path.len() {
            let way = path.get(..depth).unwrap_or(path);
            let Some(there) = member(&object, way)? else {
                return Ok(None);
            };
            object = there
                .object_value()
                .ok_or_else(|| shape(way, "is not an object"))?;
        }
        member(&object, path)
    }

    /// The object that a path leads to, made where it is missing.
    fn made(&self, path: &[&str]) -> Result<CstObject, Refused> {
        let mut object = self
            .root
            .object_value_or_create()
            .ok_or_else(|| shape(&[], "is not an object"))?;
        for depth in 1..=path.len() {
            let way = path.get(..depth).unwrap_or(path);
            member(&object, way)?;
            let name = way.last().copied().unwrap_or_default();
            object = object
                .object_value_or_create(name)
                .ok_or_else(|| shape(way, "is not an object"))?;
        }
        Ok(object)
    }

    /// Takes the objects above a path away that hold nothing any more, not even a comment.
    fn prune(&self, path: &[&str]) -> Result<(), Refused> {
        for depth in (1..path.len()).rev() {
            let way = path.get(..depth).unwrap_or(path);
            let Some(there) = self.find(way)? else {
                return Ok(());
            };
            if !there
                .object_value()
                .is_some_and(|object| is_empty(&object.children()))
            {
                return Ok(());
            }
            there.remove();
        }
        Ok(())
    }
}

/// The member that a path's last name has in an object. Two of one name are refused: readers differ in which of them counts.
fn member(object: &CstObject, path: &[&str]) -> Result<Option<CstObjectProp>, Refused> {
    let mut named = object
        .properties()
        .into_iter()
        .filter(|there| there.decoded_name().as_deref() == path.last().copied());
    let first = named.next();
    match named.next() {
        Some(_) => Err(shape(path, "stands there twice")),
        None => Ok(first),
    }
}

fn drop_elements(list: &CstArray, is_meant: &dyn Fn(&Value) -> bool) {
    for element in list.elements() {
        if is_meant(&read(&element)) {
            element.remove();
        }
    }
}

/// Whether an object or a list holds nothing but blanks within its brackets.
fn is_empty(children: &[CstNode]) -> bool {
    children
        .iter()
        .all(|child| child.is_token() || child.is_whitespace() || child.is_newline())
}

fn read(node: &CstNode) -> Value {
    if let Some(object) = node.as_object() {
        let members = object.properties().into_iter().filter_map(|there| {
            let value = there.value().map_or(Value::Other, |value| read(&value));
            Some((there.decoded_name()?, value))
        });
        return Value::Table(members.collect());
    }
    if let Some(list) = node.as_array() {
        return Value::List(list.elements().iter().map(read).collect());
    }
    if let Some(text) = node.as_string_lit() {
        return text.decoded_value().map_or(Value::Other, Value::Text);
    }
    match node.as_boolean_lit() {
        Some(boolean) => Value::Bool(boolean.value()),
        None => Value::Other,
    }
}

fn input(value: &Value) -> CstInputValue {
    match value {
        Value::Bool(value) => CstInputValue::Bool(*value),
        Value::Text(text) => CstInputValue::String(text.clone()),
        Value::List(values) => CstInputValue::Array(values.iter().map(input).collect()),
        Value::Table(members) => CstInputValue::Object(
            members
                .iter()
                .map(|(name, value)| (name.clone(), input(value)))
                .collect(),
        ),
        Value::Other => CstInputValue::Null,
    }
}
