//! Whether a value satisfies a JSON Schema. Knows the keywords that our schemas have and no others. Also a part of
//! `crates/repo/tests`.

use serde_json::{Value, json};

/// Whether the value satisfies the schema.
pub(crate) fn valid(root: &Value, schema: &Value, value: &Value) -> bool {
    let Some(schema) = schema.as_object() else {
        return schema == &json!(true);
    };
    schema.iter().all(|(keyword, rule)| match keyword.as_str() {
        "$schema" | "$id" | "$defs" | "title" | "description" | "format" => true,
        "$ref" => valid(
            root,
            root.pointer(rule.as_str().unwrap().strip_prefix('#').unwrap())
                .unwrap(),
            value,
        ),
        "const" => value == rule,
        "enum" => rule.as_array().unwrap().contains(value),
        "not" => !valid(root, rule, value),
        "oneOf" => {
            rule.as_array()
                .unwrap()
                .iter()
                .filter(|one| valid(root, one, value))
                .count()
                == 1
        }
        "type" => match rule {
            Value::Array(types) => types
                .iter()
                .any(|one| has_type(value, one.as_str().unwrap())),
            one => has_type(value, one.as_str().unwrap()),
        },
        "minLength" => value
            .as_str()
            .is_none_or(|text| text.chars().count() as u64 >= rule.as_u64().unwrap()),
        "minimum" => value
            .as_f64()
            .is_none_or(|number| number >= rule.as_f64().unwrap()),
        "maximum" => value
            .as_f64()
            .is_none_or(|number| number <= rule.as_f64().unwrap()),
        "required" => value.as_object().is_none_or(|object| {
            rule.as_array()
                .unwrap()
                .iter()
                .all(|key| object.contains_key(key.as_str().unwrap()))
        }),
        "additionalProperties" => value.as_object().is_none_or(|object| {
            let named = schema.get("properties").and_then(Value::as_object);
            object
                .iter()
                .filter(|(key, _)| named.is_none_or(|named| !named.contains_key(*key)))
                .all(|(_, one)| valid(root, rule, one))
        }),
        "propertyNames" => value
            .as_object()
            .is_none_or(|object| object.keys().all(|key| valid(root, rule, &json!(key)))),
        "minItems" | "maxItems" => value.as_array().is_none_or(|all| {
            let bound = rule.as_u64().unwrap();
            match keyword.as_str() {
                "minItems" => all.len() as u64 >= bound,
                _ => all.len() as u64 <= bound,
            }
        }),
        "allOf" => rule
            .as_array()
            .unwrap()
            .iter()
            .all(|one| valid(root, one, value)),
        "pattern" => value.as_str().is_none_or(|text| is_hash(rule, text)),
        "properties" => value.as_object().is_none_or(|object| {
            rule.as_object()
                .unwrap()
                .iter()
                .all(|(key, rule)| object.get(key).is_none_or(|one| valid(root, rule, one)))
        }),
        "items" => value
            .as_array()
            .is_none_or(|all| all.iter().all(|one| valid(root, rule, one))),
        other => panic!("this checker does not know {other}"),
    })
}

fn has_type(value: &Value, name: &str) -> bool {
    match name {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_i64() || value.is_u64(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        other => panic!("this checker does not know the type {other}"),
    }
}

/// The one pattern that there is: a hash in hexadecimal digits.
fn is_hash(pattern: &Value, text: &str) -> bool {
    assert_eq!(
        pattern,
        &json!("^[0-9a-f]{64}$"),
        "this checker knows no other pattern"
    );
    text.len() == 64
        && text
            .bytes()
            .all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte))
}
