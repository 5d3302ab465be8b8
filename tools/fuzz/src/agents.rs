//! A line of any agent's log: no translation panics, or gives more than the line justifies, or reads other JSON by our own
//! scan than serde_json does.

#[path = "../../../crates/agents/tests/bounded/mod.rs"]
mod bounded;

use std::path::Path;

use memfold_agents::{Agent, all, detect};

/// The first byte says whose line the rest is.
pub fn run(bytes: &[u8]) {
    let Some((agent, line)) = bytes.split_first() else {
        return;
    };
    let agents = all();
    let agent = agents[usize::from(*agent) % agents.len()];
    bounded::holds(agent, line);
    reads_json_as_serde_does(agent, line);
    detect(Path::new("x.jsonl"), &[line]);
}

/// Deeper than the scan goes; serde_json skips it like any value that nobody asks for.
const DEPTH: usize = 70;

/// The same object with one more member, which the scan leaves to serde_json: the reading is the same.
fn reads_json_as_serde_does(agent: &dyn Agent, line: &[u8]) {
    // A chat in Markdown.
    if agent.read(b"no JSON").is_ok() {
        return;
    }
    let line = line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line);
    let Some(members) = without_space(line).strip_prefix(b"{") else {
        return;
    };
    let comma: &[u8] = match without_space(members).first() {
        Some(b'}') => b"",
        _ => b",",
    };
    let deep = format!("{{\"~\":{}{}", "[".repeat(DEPTH), "]".repeat(DEPTH));
    let longer = [deep.as_bytes(), comma, members].concat();
    let (scanned, left) = (agent.read(line), agent.read(&longer));
    assert_eq!(
        scanned,
        left,
        "the scan reads {} otherwise",
        line.escape_ascii()
    );
}

/// The line from where JSON's white space ends: a form feed, which ASCII counts as such, is none.
fn without_space(line: &[u8]) -> &[u8] {
    let is_space = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\n' | b'\r');
    let begins = line.iter().position(|byte| !is_space(byte));
    &line[begins.unwrap_or(line.len())..]
}
