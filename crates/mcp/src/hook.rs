//! A host's hook at the start of a session: `memfold hook session-start` reads what the host gives it and notes which
//! conversation runs in that host from now on. It says nothing, since a host may show a hook's words to the model.

use std::io::{BufReader, Read};
use std::path::Path;

use memfold::HostId;
use serde::Deserialize;
use serde::de::Error as _;
use serde_json::Deserializer;

use crate::error::Error;
use crate::host;
use crate::noted::{self, Host, Note};

/// A host's JSON is short.
const LARGEST: u64 = 1 << 20;
/// A path or a word of a host's is no longer.
const LONGEST: usize = 4096;

/// What a host gives a hook. It gives more, which is passed over.
#[derive(Debug, Deserialize)]
struct Given {
    session_id: String,
    cwd: Option<String>,
    source: Option<String>,
}

/// Notes the session that a host tells of, below memfold's data directory. Reads no further than the object's end: a host need
/// not close the stream.
///
/// # Errors
/// If what is given is no hook's JSON, or cannot be noted.
pub fn session_start(input: impl Read, data: &Path) -> Result<(), Error> {
    let input = BufReader::new(input.take(LARGEST));
    let given: Given = Deserializer::from_reader(input)
        .into_iter()
        .next()
        .unwrap_or_else(|| Err(serde_json::Error::custom("nothing was given")))
        .map_err(|error| Error::Hook(format!("no hook's JSON: {error}")))?;
    if HostId::parse(&given.session_id).is_none() {
        return Err(Error::Hook("session_id has not the shape of an id".into()));
    }
    // Where the system does not tell which process the host is, nothing could find the note again.
    let Some(host) = host::host() else {
        return Ok(());
    };
    let short = |text: &String| text.len() <= LONGEST;
    let note = Note {
        schema: 1,
        host: Host {
            number: host.number,
            began: host.began.clone(),
        },
        session: given.session_id,
        cwd: given.cwd.filter(short),
        source: given.source.filter(short),
    };
    noted::write(data, &host, &note).map(|_| ())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    #[test]
    fn a_hooks_json_is_noted_for_this_host() {
        let data = tempfile::tempdir().unwrap();
        let given = r#"{"session_id":"3f9a1c02-5d1e","transcript_path":"/x.jsonl","cwd":"/p","hook_event_name":"SessionStart","source":"clear"}"#;
        session_start(given.as_bytes(), data.path()).unwrap();
        if let Some(host) = host::host() {
            let noted = noted::read(data.path(), &host).unwrap();
            assert_eq!(noted.as_str(), "3f9a1c02-5d1e");
        }
    }

    #[test]
    fn a_stream_that_stays_open_is_not_waited_for() {
        let data = tempfile::tempdir().unwrap();
        let (ours, mut theirs) = std::io::pipe().unwrap();
        theirs.write_all(b"{\"session_id\":\"3f9a1c02\"}").unwrap();
        session_start(ours, data.path()).unwrap();
        drop(theirs);
    }

    #[test]
    fn what_is_none_is_refused_and_not_noted() {
        let data = tempfile::tempdir().unwrap();
        for given in [
            "",
            "{}",
            "[1]",
            "{\"session_id\":7}",
            "{\"session_id\":\"../../x\"}",
        ] {
            assert!(
                matches!(
                    session_start(given.as_bytes(), data.path()),
                    Err(Error::Hook(_))
                ),
                "{given}"
            );
        }
        assert_eq!(std::fs::read_dir(data.path()).unwrap().count(), 0);
    }
}
