use super::*;
use proptest::prelude::*;
use serde::de::IgnoredAny;
use serde_json::Value;

/// What the scan is sure of is what serde_json says. (Fractions may differ in their last bit; nobody reads them.)
fn agrees(json: &[u8]) -> bool {
    fn whole(value: Value) -> Value {
        match value {
            Value::Number(number) if number.is_f64() => Value::Null,
            Value::Array(list) => list.into_iter().map(whole).collect(),
            Value::Object(object) => {
                Value::Object(object.into_iter().map(|(k, v)| (k, whole(v))).collect())
            }
            other => other,
        }
    }
    let read = scanned::<Value>(json);
    let sure = read.is_some();
    if let Some(value) = read {
        let serdes = serde_json::from_slice(json).map(whole);
        assert_eq!(serdes.ok(), Some(whole(value)), "{}", json.escape_ascii());
    }
    if scanned::<IgnoredAny>(json).is_some() {
        let serdes = serde_json::from_slice::<IgnoredAny>(json);
        assert!(serdes.is_ok(), "{}", json.escape_ascii());
    }
    sure
}

#[test]
fn ordinary_json_leaves_no_doubt() {
    for json in [
        r#"{"a":"x","b":[1,-2,0,3.5,true,false,null],"c":{"d":{}},"e":[]}"#,
        r#" { "a" : [ "x" , { } ] , "b" : [ ] } "#,
        r#"["\"quoted\" \\ \/ \b\f\n\r\t \u00e9 \ud83d\ude00","日本語 and more than sixteen bytes","\\"]"#,
        r#""""#,
    ] {
        assert!(agrees(json.as_bytes()), "{json}");
        assert!(scanned::<IgnoredAny>(json.as_bytes()).is_some(), "{json}");
    }
}

#[test]
fn what_is_no_json_is_never_read() {
    for json in [
        "",
        "{",
        "{\"a\"",
        "{\"a\":",
        "{\"a\":1",
        "{\"a\":1,",
        "{\"a\":1,}",
        "{,}",
        "{\"a\" 1}",
        "{1:2}",
        "[",
        "[1",
        "[1,",
        "[1,]",
        "[,]",
        "[1 2]",
        "[1}",
        "{\"a\":1]",
        "[]]",
        "[] []",
        "01",
        "-",
        "1.",
        ".5",
        "1e",
        "1e+",
        "+1",
        "tru",
        "nulll",
        "\"a",
        "\"\\\"",
        "\"\\x\"",
        "\"\\u12\"",
        "\"\\u12g4\"",
        "\"\\ud83d\"",
        "\"\\ude00\"",
        "\"\\ud83d\\ud83d\"",
        "\"tab\there\"",
        "\"\0\"",
        "\u{feff}[]",
        "'a'",
        "NaN",
        "1e999",
        "-1e999",
    ] {
        assert!(!agrees(json.as_bytes()), "{json}");
    }
}

#[test]
fn strings_without_escapes_are_borrowed() {
    let plain = "a string of more than sixteen bytes, é";
    let json = format!("[\"{plain}\"]");
    assert_eq!(scanned::<Vec<&str>>(json.as_bytes()), Some(vec![plain]));
}

#[test]
fn nesting_is_bounded() {
    for deep in [10, 64, 65, 200, 100_000] {
        let json = format!("{}{}", "[".repeat(deep), "]".repeat(deep));
        assert_eq!(scanned::<IgnoredAny>(json.as_bytes()).is_some(), deep <= 64);
        assert!(read::<IgnoredAny>(json.as_bytes()).is_ok());
    }
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        "[ -~]{0,40}".prop_map(Value::from),
        "\\PC{0,24}".prop_map(Value::from),
        "[\\n\\t\"\\\\é]{0,12}".prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 32, 6, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            proptest::collection::btree_map("[a-z\"é]{0,6}", inner, 0..6)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn reads_what_serde_json_reads(value in value()) {
        agrees(value.to_string().as_bytes());
        agrees(serde_json::to_string_pretty(&value).unwrap().as_bytes());
    }

    #[test]
    fn a_changed_byte_misleads_it_nowhere(value in value(), at in any::<prop::sample::Index>(), byte in any::<u8>(), cut in any::<bool>()) {
        let mut json = value.to_string().into_bytes();
        let at = at.index(json.len());
        if cut {
            json.truncate(at);
        } else {
            json[at] = byte;
        }
        agrees(&json);
    }

    #[test]
    fn any_bytes_are_read_alike(json in r#"[\[\]{}:,"\\u0-9a-fnrtel \.+\-]{0,24}"#) {
        agrees(json.as_bytes());
    }
}
