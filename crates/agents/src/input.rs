//! The arguments of a call, whatever their shape: every string in its order, and the few that have a known name.
//! Relies on [`crate::json`]; nesting past [`DEEPEST`] is skipped, so that no line can exhaust the stack.

use std::borrow::Cow;
use std::fmt;

use serde::de::{
    Deserialize, DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor,
};

use memfold_log::event::Given;

use crate::json::Key;
use crate::scan;

/// How deep arguments are read. Real ones nest three or four deep; serde_json itself stops at 128.
const DEEPEST: usize = 48;
/// How many names of arguments are kept. No tool has more; data under made-up keys has.
const MOST_NAMES: usize = 64;

/// How many numbers of arguments are kept, likewise.
const MOST_NUMBERS: usize = 64;

/// A call's arguments, each value under the top-level key that holds it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Input<'a> {
    strings: Vec<(Cow<'a, str>, Cow<'a, str>)>,
    numbers: Vec<(Cow<'a, str>, i64)>,
    names: Vec<Cow<'a, str>>,
}

impl<'a> Input<'a> {
    /// Arguments that are one text without names, such as a patch.
    pub(crate) fn text(text: Cow<'a, str>) -> Self {
        Input {
            strings: vec![(Cow::Borrowed(""), text)],
            ..Input::default()
        }
    }

    /// One argument.
    pub(crate) fn of(name: &'static str, text: Cow<'a, str>) -> Self {
        Input {
            strings: vec![(Cow::Borrowed(name), text)],
            names: vec![Cow::Borrowed(name)],
            ..Input::default()
        }
    }

    /// Arguments that stand under names, in order.
    pub(crate) fn of_all(pairs: Vec<(String, String)>) -> Input<'static> {
        let mut input = Input::default();
        for (name, text) in pairs {
            let name = Cow::<str>::Owned(name);
            if input.names.len() < MOST_NAMES && !input.names.contains(&name) {
                input.names.push(name.clone());
            }
            input.strings.push((name, Cow::Owned(text)));
        }
        input
    }

    /// Arguments written as JSON inside a string. What is no JSON is taken as text.
    pub(crate) fn from_json(json: Cow<'a, str>) -> Self {
        let parsed = match &json {
            Cow::Borrowed(json) => scan::read::<Input<'a>>(json.as_bytes()).ok(),
            Cow::Owned(json) => scan::read::<Input<'_>>(json.as_bytes())
                .ok()
                .map(Input::into_owned),
        };
        parsed.unwrap_or_else(|| Input::text(json))
    }

    /// The text, where the arguments are one text without a name.
    pub(crate) fn only_unnamed(&self) -> Option<Cow<'a, str>> {
        match self.strings.as_slice() {
            [(name, text)] if name.is_empty() => Some(text.clone()),
            _ => None,
        }
    }

    /// Without what stands under a name.
    pub(crate) fn without(mut self, name: &str) -> Self {
        self.strings.retain(|(key, _)| key != name);
        self.numbers.retain(|(key, _)| key != name);
        self
    }

    fn into_owned<'b>(self) -> Input<'b> {
        let own = |text: Cow<'_, str>| Cow::Owned(text.into_owned());
        Input {
            strings: self
                .strings
                .into_iter()
                .map(|(key, text)| (own(key), own(text)))
                .collect(),
            numbers: self
                .numbers
                .into_iter()
                .map(|(key, number)| (own(key), number))
                .collect(),
            names: self.names.into_iter().map(own).collect(),
        }
    }

    /// The values as they were given.
    pub(crate) fn given(self) -> Given<'a> {
        Given {
            strings: self.strings,
            numbers: self.numbers,
        }
    }

    /// The first string that stands under the first of these names that has one.
    pub(crate) fn named(&self, names: &[&str]) -> Option<&Cow<'a, str>> {
        names.iter().find_map(|name| self.all_named(name).next())
    }

    /// Every string under this name.
    pub(crate) fn all_named<'s>(&'s self, name: &str) -> impl Iterator<Item = &'s Cow<'a, str>> {
        self.strings
            .iter()
            .filter(move |(key, text)| key == name && !text.is_empty())
            .map(|(_, text)| text)
    }

    /// The first string.
    pub(crate) fn first(&self) -> Option<&Cow<'a, str>> {
        self.strings
            .iter()
            .map(|(_, text)| text)
            .find(|text| !text.is_empty())
    }

    /// The first string of several words, which says more than a state or a mode (`in_progress`); else the first.
    pub(crate) fn first_saying(&self) -> Option<&Cow<'a, str>> {
        self.strings
            .iter()
            .map(|(_, text)| text)
            .find(|text| text.trim().contains(' '))
            .or_else(|| self.first())
    }

    /// The names at every depth, each once, a line each.
    pub(crate) fn names(&self) -> String {
        self.names.join("\n")
    }

    /// Every string, a line each.
    pub(crate) fn lines(&self) -> Cow<'a, str> {
        match self.strings.as_slice() {
            [] => Cow::Borrowed(""),
            [(_, only)] => only.clone(),
            several => {
                let length = several.iter().fold(0_usize, |sum, (_, text)| {
                    sum.saturating_add(text.len()).saturating_add(1)
                });
                let mut lines = String::with_capacity(length);
                for (index, (_, text)) in several.iter().enumerate() {
                    if index > 0 {
                        lines.push('\n');
                    }
                    lines.push_str(text);
                }
                Cow::Owned(lines)
            }
        }
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Input<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut input = Input::default();
        Strings {
            under: None,
            depth: 0,
            into: &mut input,
        }
        .deserialize(deserializer)?;
        Ok(input)
    }
}

/// Collects the strings of a value below the key `under`.
struct Strings<'k, 'v, 'de> {
    under: Option<&'k Cow<'de, str>>,
    depth: usize,
    into: &'v mut Input<'de>,
}

impl<'de> Strings<'_, '_, 'de> {
    fn push(self, text: Cow<'de, str>) {
        self.into
            .strings
            .push((self.under.cloned().unwrap_or_default(), text));
    }

    fn count(self, number: i64) {
        if self.into.numbers.len() < MOST_NUMBERS {
            let under = self.under.cloned().unwrap_or_default();
            self.into.numbers.push((under, number));
        }
    }
}

impl<'de> DeserializeSeed<'de> for Strings<'_, '_, 'de> {
    type Value = ();
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        if self.depth >= DEEPEST {
            return IgnoredAny::deserialize(deserializer).map(|_| ());
        }
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Strings<'_, '_, 'de> {
    type Value = ();
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any value")
    }
    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<(), E> {
        self.push(Cow::Borrowed(text));
        Ok(())
    }
    fn visit_str<E>(self, text: &str) -> Result<(), E> {
        self.push(Cow::Owned(text.to_owned()));
        Ok(())
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        let depth = self.depth.saturating_add(1);
        while list
            .next_element_seed(Strings {
                under: self.under,
                depth,
                into: &mut *self.into,
            })?
            .is_some()
        {}
        Ok(())
    }
    fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<(), A::Error> {
        let depth = self.depth.saturating_add(1);
        while let Some(Key(key)) = object.next_key::<Key<'de>>()? {
            let names = &mut self.into.names;
            if names.len() < MOST_NAMES && !names.contains(&key) {
                names.push(key.clone());
            }
            let under = Some(self.under.unwrap_or(&key));
            object.next_value_seed(Strings {
                under,
                depth,
                into: &mut *self.into,
            })?;
        }
        Ok(())
    }
    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }
    fn visit_bool<E>(self, switch: bool) -> Result<(), E> {
        self.count(i64::from(switch));
        Ok(())
    }
    fn visit_i64<E>(self, number: i64) -> Result<(), E> {
        self.count(number);
        Ok(())
    }
    fn visit_u64<E>(self, number: u64) -> Result<(), E> {
        self.count(i64::try_from(number).unwrap_or(i64::MAX));
        Ok(())
    }
    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_string_in_order() {
        let input: Input<'_> =
            serde_json::from_str(r#"{"a":"one","n":3,"b":["two",{"c":"three"}],"d":null}"#)
                .unwrap();
        assert_eq!(input.lines(), "one\ntwo\nthree");
        assert_eq!(input.names(), "a\nn\nb\nc\nd");
        assert_eq!(input.named(&["x", "b"]).map(|text| &**text), Some("two"));
        assert_eq!(input.all_named("b").count(), 2);
        let given = input.given();
        assert_eq!(given.number("n"), Some(3));
        assert_eq!(given.text(&["x", "b"]), Some("two"));
    }

    #[test]
    fn json_in_a_string_or_plain_text() {
        assert_eq!(
            Input::from_json(Cow::Borrowed(r#"{"cmd":"ls"}"#))
                .named(&["cmd"])
                .unwrap(),
            "ls"
        );
        assert_eq!(
            Input::from_json(Cow::Owned("not json".into())).lines(),
            "not json"
        );
    }

    #[test]
    fn deep_arguments_are_cut_not_fatal() {
        let deep = format!(
            r#"{{"a":{}"x"{},"b":"kept"}}"#,
            "[".repeat(5000),
            "]".repeat(5000)
        );
        let input: Input<'_> = serde_json::from_str(&deep).unwrap();
        assert_eq!(input.lines(), "kept");
    }
}
