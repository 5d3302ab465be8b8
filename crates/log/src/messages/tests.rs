use proptest::prelude::*;
use serde_json::Value as Json;

use super::*;
use crate::reread::read_message;

/// Gives a document a few bytes at a time.
struct Slowly<'a>(&'a [u8], usize);

impl Read for Slowly<'_> {
    fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
        let count = self.0.len().min(self.1).min(into.len());
        into[..count].copy_from_slice(&self.0[..count]);
        self.0 = &self.0[count..];
        Ok(count)
    }
}

/// The messages, the rest of the document, and the error at the end.
fn read(
    document: &[u8],
    path: &[&str],
    step: usize,
    limits: Limits,
) -> (Vec<Vec<u8>>, Vec<u8>, Option<Error>) {
    let end = Offset(document.len() as u64);
    let mut messages = Messages::with_limits(Slowly(document, step), path, end, limits);
    let (mut all, mut watched, mut places) = (Vec::new(), Vec::new(), Vec::new());
    let error = loop {
        // Sought or not, every other time.
        let mut sought = None;
        if all.len() % 2 == 1 {
            match messages.seek(&mut |run| watched.extend_from_slice(run)) {
                Ok(_) => sought = Some(watched.len() as u64),
                Err(error) => break Some(error),
            }
        }
        match messages.next(&mut |run| watched.extend_from_slice(run)) {
            Ok(Some(line)) => {
                assert!(sought.is_none_or(|at| at == line.start.0));
                assert_eq!(line.seq.get(), all.len() as u64 + 1);
                assert_eq!(watched.len() as u64, line.end().0);
                all.push(line.text().unwrap_or_default().to_vec());
                places.push((line.start, line.length));
            }
            Ok(None) => break None,
            Err(error) => break Some(error),
        }
    };
    assert!(matches!(messages.next(&mut |_| {}), Ok(None)));
    if error.is_none() {
        assert_eq!(watched, document);
    }
    for (text, (start, length)) in all.iter().zip(places) {
        let line = read_message(&document[start.0 as usize..], start, length, limits).unwrap();
        assert_eq!(line.content().text().unwrap_or_default(), text);
    }
    (
        all,
        messages.document().text().unwrap_or_default().to_vec(),
        error,
    )
}

fn strings(document: &str, path: &[&str]) -> Vec<String> {
    let (all, _, error) = read(document.as_bytes(), path, 3, Limits::DEFAULT);
    assert!(error.is_none(), "{error:?}");
    all.into_iter()
        .map(|text| String::from_utf8(text).unwrap())
        .collect()
}

#[test]
fn arrays_where_they_lie() {
    assert_eq!(strings("[]", &[]), [""; 0]);
    assert_eq!(
        strings(" [ {\"a\": [1]} , 2,\"x]\" ,null]\n", &[]),
        ["{\"a\": [1]}", "2", "\"x]\"", "null"]
    );
    assert_eq!(strings("\u{feff}{\"history\":[1]}", &["history"]), ["1"]);
    assert_eq!(
        strings(
            r#"{"a":{"messages":[0]},"b":["messages",[1]],"messages":[2],"messages":[3]}"#,
            &["messages"]
        ),
        ["2"]
    );
    assert_eq!(
        strings(
            r#"{"messages":"x","c":{"d":[1],"e":{"m":[7,8]}}}"#,
            &["c", "e", "m"]
        ),
        ["7", "8"]
    );
    assert_eq!(
        strings(r#"{"c":{"d":[1]},"e":{"m":[7]}}"#, &["c", "m"]),
        [""; 0]
    );
    assert_eq!(
        strings(r#"{"messages":{"messages":[1]}}"#, &["messages"]),
        [""; 0]
    );
    assert_eq!(strings(r#"["messages",[1]]"#, &["messages"]), [""; 0]);
    assert_eq!(strings("7", &["messages"]), [""; 0]);
    assert_eq!(strings("", &["messages"]), [""; 0]);
}

#[test]
fn the_document_is_left_without_its_messages() {
    let document = br#"{"id":"s[1]","messages":[{"n":"]"},{}],"summary":"a \"b\""}"#;
    for step in 1..document.len() {
        let (_, rest, _) = read(document, &["messages"], step, Limits::DEFAULT);
        assert_eq!(rest, br#"{"id":"s[1]","messages":[],"summary":"a \"b\""}"#);
    }
}

#[test]
fn a_cut_document_gives_its_whole_messages() {
    let document = br#"{"messages":[{"n":1},{"n":2}],"x":1}"#;
    for cut in 1..document.len() {
        let (all, _, error) = read(&document[..cut], &["messages"], 5, Limits::DEFAULT);
        assert!(
            matches!(error, Some(Error::DocumentCut { at }) if at.0 == cut as u64),
            "cut at {cut}: {error:?}"
        );
        assert_eq!(
            all.len(),
            usize::from(cut >= 20) + usize::from(cut >= 28),
            "cut at {cut}"
        );
    }
}

#[test]
fn no_document() {
    assert!(matches!(
        read(b"]", &[], 9, Limits::DEFAULT).2,
        Some(Error::NotADocument { at: Offset(0) })
    ));
    assert!(matches!(
        read(b"[1]]", &[], 9, Limits::DEFAULT).2,
        Some(Error::NotADocument { at: Offset(3) })
    ));
    assert!(matches!(
        read(b"[}]", &[], 1, Limits::DEFAULT).2,
        None | Some(_)
    ));
}

#[test]
fn long_strings_in_messages_are_clipped() {
    let limits = Limits {
        string: 10,
        line: 100,
        buffer: 4,
    };
    let document = br#"[{"text":"0123456789abcdef","n":1},{"n":2}]"#;
    let (all, _, _) = read(document, &[], 7, limits);
    assert_eq!(
        all,
        [
            br#"{"text":"0123456789","n":1}"#.to_vec(),
            br#"{"n":2}"#.to_vec()
        ]
    );
}

fn json() -> impl Strategy<Value = Json> {
    let leaf = prop_oneof![
        Just(Json::Null),
        any::<i32>().prop_map(Json::from),
        "[a-z\\[\\]{},:\"\\\\ é]{0,12}".prop_map(Json::from),
    ];
    leaf.prop_recursive(3, 24, 4, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Json::from),
            proptest::collection::vec(("[a-c\"\\\\]{0,2}|messages", inner), 0..4)
                .prop_map(|pairs| Json::Object(pairs.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn messages_are_the_arrays_elements(
        before in json(), elements in proptest::collection::vec(json(), 0..6), after in json(), pretty: bool, step in 1usize..40,
    ) {
        let document = serde_json::json!({ "a": before, "messages": elements, "z": after });
        let bytes = if pretty { serde_json::to_vec_pretty(&document) } else { serde_json::to_vec(&document) }.unwrap();
        let limits = Limits { buffer: 16, ..Limits::DEFAULT };
        let (all, rest, error) = read(&bytes, &["messages"], step, limits);
        prop_assert!(error.is_none(), "{:?}", error);
        let parsed: Vec<Json> = all.iter().map(|text| serde_json::from_slice(text).unwrap()).collect();
        prop_assert_eq!(parsed, elements);
        let rest: Json = serde_json::from_slice(&rest).unwrap();
        prop_assert_eq!(rest, serde_json::json!({ "a": before, "messages": [], "z": after }));
    }

    #[test]
    fn any_bytes_end(
        bytes in proptest::collection::vec(prop_oneof![
            proptest::sample::select(b"[]{}\",:\\ ".to_vec()), any::<u8>()], 0..80),
        step in 1usize..9,
    ) {
        let limits = Limits { string: 5, line: 20, buffer: 3 };
        for path in [&[][..], &["a"], &["a", "b"]] {
            let whole = read(&bytes, path, 100, limits);
            let parts = read(&bytes, path, step, limits);
            prop_assert_eq!(&whole.0, &parts.0);
            prop_assert_eq!(&whole.1, &parts.1);
            prop_assert_eq!(whole.2.map(|e| e.to_string()), parts.2.map(|e| e.to_string()));
        }
    }
}
