//! What must hold of an agent and a line, whatever the line. Also a part of `tools/fuzz`.

use std::path::Path;

use memfold_agents::Agent;
use memfold_log::event::{Part, Reading};

/// Nothing panics, and no more comes out than the line justifies.
pub(crate) fn holds(agent: &dyn Agent, line: &[u8]) {
    agent.read_document(line);
    let text = std::str::from_utf8(line).unwrap_or_default();
    agent.retention(Some(text));
    let path = Path::new(text);
    agent.names(path);
    agent.facts_from_path(path);
    agent.told_by(path);
    agent.worked_in(path, path);
    for file in agent.place_files(path).iter().chain([&path.to_owned()]) {
        agent.place_in(path, file, text);
    }
    if let Ok(reading) = agent.read(line) {
        // A subject repeats an argument, indented JSON has a few blanks per byte, bytes that are not UTF-8 grow threefold.
        let most = 64 * line.len() + 256;
        assert!(
            size(&reading) <= most,
            "{} bytes of {}",
            size(&reading),
            line.len()
        );
    }
}

fn size(reading: &Reading<'_>) -> usize {
    let parts = reading.event.iter().flat_map(|event| &event.parts);
    parts
        .map(|part| match part {
            Part::Text(text) => text.len(),
            Part::Call(call) => {
                call.id.len() + call.tool.len() + call.subject.len() + call.arguments.len()
            }
            Part::Output(output) => output.call.len() + output.text.len(),
        })
        .sum()
}
