//! Reading JSON that others write: one pass, strings borrowed from the line, and no field that can fail the line. A field
//! of another type than expected counts as absent, so that a new version of an agent loses a field, not its log.
//! Relies on serde_json skipping unknown values without building or nesting ([`IgnoredAny`]).

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use memfold_log::Timestamp;
use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

/// The visits a lenient visitor does not care for: each yields the default, and a list or an object is read to its end.
macro_rules! otherwise {
    (@scalars) => {
        fn visit_unit<E>(self) -> Result<Self::Value, E> {
            Ok(Default::default())
        }
        $crate::json::otherwise!(@bool);
        $crate::json::otherwise!(@numbers);
    };
    (@bool) => {
        fn visit_bool<E>(self, _: bool) -> Result<Self::Value, E> {
            Ok(Default::default())
        }
    };
    (@numbers) => {
        fn visit_i64<E>(self, _: i64) -> Result<Self::Value, E> {
            Ok(Default::default())
        }
        fn visit_u64<E>(self, _: u64) -> Result<Self::Value, E> {
            Ok(Default::default())
        }
        fn visit_f64<E>(self, _: f64) -> Result<Self::Value, E> {
            Ok(Default::default())
        }
    };
    (@str) => {
        fn visit_str<E>(self, _: &str) -> Result<Self::Value, E> {
            Ok(Default::default())
        }
    };
    (@list) => {
        fn visit_seq<A: serde::de::SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
            while list.next_element::<serde::de::IgnoredAny>()?.is_some() {}
            Ok(Default::default())
        }
    };
    (@object) => {
        fn visit_map<A: serde::de::MapAccess<'de>>(self, mut object: A) -> Result<Self::Value, A::Error> {
            while object.next_entry::<serde::de::IgnoredAny, serde::de::IgnoredAny>()?.is_some() {}
            Ok(Default::default())
        }
    };
}
pub(crate) use otherwise;

/// Declares the fields of an object that are read. All others are skipped; a repeated key's last value counts.
macro_rules! object {
    ($(#[$meta:meta])* $name:ident<$lt:lifetime> { $($field:ident: $ty:ty = $key:pat),* $(,)? }) => {
        $(#[$meta])*
        #[derive(Debug, Default)]
        pub(crate) struct $name<$lt> {
            $(pub(crate) $field: $ty,)*
            pub(crate) lifetime: std::marker::PhantomData<&$lt ()>,
        }

        impl<'de: $lt, $lt> serde::Deserialize<'de> for $name<$lt> {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                struct Fields<$lt>(std::marker::PhantomData<&$lt ()>);
                impl<'de: $lt, $lt> serde::de::Visitor<'de> for Fields<$lt> {
                    type Value = $name<$lt>;

                    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                        f.write_str("any value")
                    }

                    fn visit_map<A: serde::de::MapAccess<'de>>(self, mut object: A) -> Result<Self::Value, A::Error> {
                        let mut read = $name::default();
                        while let Some(key) = object.next_key::<$crate::json::Key<'de>>()? {
                            match &*key.0 {
                                $($key => read.$field = object.next_value()?,)*
                                _ => {
                                    object.next_value::<serde::de::IgnoredAny>()?;
                                }
                            }
                        }
                        Ok(read)
                    }

                    $crate::json::otherwise!(@scalars);
                    $crate::json::otherwise!(@str);
                    $crate::json::otherwise!(@list);
                }
                deserializer.deserialize_any(Fields(std::marker::PhantomData))
            }
        }
    };
}
pub(crate) use object;

/// A key of an object.
pub(crate) struct Key<'a>(pub(crate) Cow<'a, str>);

impl<'de: 'a, 'a> Deserialize<'de> for Key<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Spelling;
        impl<'de> Visitor<'de> for Spelling {
            type Value = Key<'de>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a key")
            }
            fn visit_borrowed_str<E>(self, key: &'de str) -> Result<Key<'de>, E> {
                Ok(Key(Cow::Borrowed(key)))
            }
            fn visit_str<E>(self, key: &str) -> Result<Key<'de>, E> {
                Ok(Key(Cow::Owned(key.to_owned())))
            }
        }
        deserializer.deserialize_str(Spelling)
    }
}

/// A string, if it is one.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Text<'a>(pub(crate) Option<Cow<'a, str>>);

impl<'a> Text<'a> {
    /// The string, or an empty one.
    pub(crate) fn or_empty(self) -> Cow<'a, str> {
        self.0.unwrap_or_default()
    }

    /// The string if it holds more than white space.
    pub(crate) fn filled(self) -> Option<Cow<'a, str>> {
        self.0.filter(|text| !text.trim().is_empty())
    }

    /// The string as written, empty where there is none.
    pub(crate) fn as_str(&self) -> &str {
        self.0.as_deref().unwrap_or_default()
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Text<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Words;
        impl<'de> Visitor<'de> for Words {
            type Value = Text<'de>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("any value")
            }
            fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Text<'de>, E> {
                Ok(Text(Some(Cow::Borrowed(text))))
            }
            fn visit_str<E>(self, text: &str) -> Result<Text<'de>, E> {
                Ok(Text(Some(Cow::Owned(text.to_owned()))))
            }
            fn visit_string<E>(self, text: String) -> Result<Text<'de>, E> {
                Ok(Text(Some(Cow::Owned(text))))
            }
            otherwise!(@scalars);
            otherwise!(@list);
            otherwise!(@object);
        }
        deserializer.deserialize_any(Words)
    }
}

/// `true`, or anything else.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Flag(pub(crate) Option<bool>);

impl Flag {
    /// The line says yes.
    pub(crate) fn on(self) -> bool {
        self.0 == Some(true)
    }
}

impl<'de> Deserialize<'de> for Flag {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Yes;
        impl<'de> Visitor<'de> for Yes {
            type Value = Flag;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("any value")
            }
            fn visit_bool<E>(self, yes: bool) -> Result<Flag, E> {
                Ok(Flag(Some(yes)))
            }
            fn visit_unit<E>(self) -> Result<Flag, E> {
                Ok(Flag(None))
            }
            otherwise!(@numbers);
            otherwise!(@str);
            otherwise!(@list);
            otherwise!(@object);
        }
        deserializer.deserialize_any(Yes)
    }
}

/// A whole number that fits, if it is one.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Number(pub(crate) Option<i64>);

impl<'de> Deserialize<'de> for Number {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Whole;
        impl<'de> Visitor<'de> for Whole {
            type Value = Number;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("any value")
            }
            fn visit_i64<E>(self, number: i64) -> Result<Number, E> {
                Ok(Number(Some(number)))
            }
            fn visit_u64<E>(self, number: u64) -> Result<Number, E> {
                Ok(Number(i64::try_from(number).ok()))
            }
            fn visit_f64<E>(self, _: f64) -> Result<Number, E> {
                Ok(Number(None))
            }
            fn visit_unit<E>(self) -> Result<Number, E> {
                Ok(Number(None))
            }
            otherwise!(@bool);
            otherwise!(@str);
            otherwise!(@list);
            otherwise!(@object);
        }
        deserializer.deserialize_any(Whole)
    }
}

/// A moment: a text, or a number since 1970 with or without a fraction.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Moment(pub(crate) Option<Timestamp>);

impl<'de> Deserialize<'de> for Moment {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct When;
        impl<'de> Visitor<'de> for When {
            type Value = Moment;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("any value")
            }
            fn visit_str<E>(self, text: &str) -> Result<Moment, E> {
                Ok(Moment(Timestamp::parse(text)))
            }
            fn visit_i64<E>(self, number: i64) -> Result<Moment, E> {
                Ok(Moment(Some(Timestamp::from_epoch(number))))
            }
            fn visit_u64<E>(self, number: u64) -> Result<Moment, E> {
                Ok(Moment(
                    i64::try_from(number).ok().map(Timestamp::from_epoch),
                ))
            }
            fn visit_f64<E>(self, number: f64) -> Result<Moment, E> {
                Ok(Moment(Timestamp::from_epoch_fraction(number)))
            }
            fn visit_unit<E>(self) -> Result<Moment, E> {
                Ok(Moment(None))
            }
            otherwise!(@bool);
            otherwise!(@list);
            otherwise!(@object);
        }
        deserializer.deserialize_any(When)
    }
}

/// Whether a key is there with a value other than null. The value is skipped.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Seen(pub(crate) bool);

impl<'de> Deserialize<'de> for Seen {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Seen(
            Option::<IgnoredAny>::deserialize(deserializer)?.is_some(),
        ))
    }
}

/// A value as it is written, if it is one other than null.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Raw<'a>(pub(crate) Option<&'a RawValue>);

impl<'de: 'a, 'a> Deserialize<'de> for Raw<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = <&RawValue>::deserialize(deserializer)?;
        Ok(Raw(Some(raw).filter(|raw| raw.get() != "null")))
    }
}

/// A string, or a list of blocks: how every agent writes what was said.
#[derive(Debug, Default)]
pub(crate) enum Content<'a, T> {
    /// Nothing, or neither.
    #[default]
    Nothing,
    /// The words themselves.
    Words(Cow<'a, str>),
    /// Blocks, each with its type.
    Blocks(Vec<T>),
}

impl<'de: 'a, 'a, T: Deserialize<'de>> Deserialize<'de> for Content<'a, T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Either<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for Either<T> {
            type Value = Content<'de, T>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("any value")
            }
            fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
                Ok(Content::Words(Cow::Borrowed(text)))
            }
            fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
                Ok(Content::Words(Cow::Owned(text.to_owned())))
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
                let mut blocks = Vec::new();
                while let Some(block) = list.next_element()? {
                    blocks.push(block);
                }
                Ok(Content::Blocks(blocks))
            }
            fn visit_map<A: MapAccess<'de>>(self, object: A) -> Result<Self::Value, A::Error> {
                // A block without its list.
                let block = T::deserialize(serde::de::value::MapAccessDeserializer::new(object))?;
                Ok(Content::Blocks(vec![block]))
            }
            otherwise!(@scalars);
        }
        deserializer.deserialize_any(Either(PhantomData))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    object! {
        /// For the tests.
        Sample<'a> {
            name: Text<'a> = "name",
            yes: Flag = "yes",
            count: Number = "count",
            there: Seen = "there",
            list: Content<'a, Text<'a>> = "list",
        }
    }

    #[test]
    fn fields_of_another_type_are_absent() {
        let odd =
            r#"{"name":{"a":[1]},"yes":"true","count":1.5,"there":null,"list":"x","more":[[[]]]}"#;
        let read: Sample<'_> = serde_json::from_str(odd).unwrap();
        assert_eq!(read.name.0, None);
        assert!(!read.yes.on() && !read.there.0);
        assert_eq!(read.count.0, None);
        assert!(matches!(read.list, Content::Words(Cow::Borrowed("x"))));
    }

    #[test]
    fn strings_without_escapes_are_borrowed() {
        let line = r#"{"name":"plain","list":["a","b\n",3]}"#;
        let read: Sample<'_> = serde_json::from_str(line).unwrap();
        assert!(matches!(read.name.0, Some(Cow::Borrowed("plain"))));
        let Content::Blocks(list) = read.list else {
            panic!("a list")
        };
        assert!(matches!(
            list.as_slice(),
            [
                Text(Some(Cow::Borrowed("a"))),
                Text(Some(Cow::Owned(_))),
                Text(None)
            ]
        ));
    }

    #[test]
    fn a_repeated_key_is_no_error() {
        let read: Sample<'_> =
            serde_json::from_str(r#"{"name":"a","name":"b","count":3,"yes":true,"there":0}"#)
                .unwrap();
        assert_eq!(
            (
                read.name.as_str(),
                read.count.0,
                read.yes.on(),
                read.there.0
            ),
            ("b", Some(3), true, true)
        );
    }

    #[test]
    fn what_is_skipped_may_nest_deep() {
        let deep = format!(
            r#"{{"x":{}{},"name":"a"}}"#,
            "[".repeat(100_000),
            "]".repeat(100_000)
        );
        let read: Sample<'_> = serde_json::from_str(&deep).unwrap();
        assert_eq!(read.name.as_str(), "a");
    }
}
