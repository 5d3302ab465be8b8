//! Readings as text, a line of the log at a time, for the expected readings in `corpus/` and for looking at a log.

use std::fmt::Write;

use memfold_agents::{Agent, NotALine};
use memfold_log::event::{
    Boundary, Course, Effect, Elides, Event, Facts, Follows, Outcome, Part, Reading, Title,
};
use memfold_log::{Form, Messages, Offset, Position, Sections};

/// All lines of a log, as the agent reads them. Long texts are cut after `width` characters.
pub(crate) fn log(agent: &dyn Agent, form: Form, log: &[u8], width: usize) -> String {
    let mut out = String::new();
    if form == Form::Document {
        let mut messages = Messages::new(log, agent.messages(), Offset(log.len() as u64));
        while let Some(message) = messages.next(&mut |_| {}).unwrap() {
            write!(out, "{}", message.seq).unwrap();
            reading(
                &mut out,
                agent.read(message.text().unwrap_or_default()),
                width,
            );
        }
        out.push_str("around\n");
        said(
            &mut out,
            &agent.read_document(messages.document().text().unwrap_or_default()),
        );
        return out;
    }
    if form == Form::Markdown {
        let mut sections = Sections::new(log, Position::START, Offset(log.len() as u64));
        while let Some(section) = sections.next(&mut |_| {}).unwrap() {
            write!(out, "{}", section.seq).unwrap();
            reading(
                &mut out,
                agent.read(section.text().unwrap_or_default()),
                width,
            );
        }
        return out;
    }
    for (index, line) in log.split(|byte| *byte == b'\n').enumerate() {
        if !line.is_empty() {
            write!(out, "{}", index + 1).unwrap();
            reading(&mut out, agent.read(line), width);
        }
    }
    out
}

fn reading(out: &mut String, reading: Result<Reading<'_>, NotALine>, width: usize) {
    let Reading {
        facts,
        event,
        boundary,
        course,
        elides,
    } = match reading {
        Ok(reading) => reading,
        Err(error) => return writeln!(out, " {error}").unwrap(),
    };
    match boundary {
        Boundary::Within => {}
        Boundary::Begins => out.push_str(" [begins]"),
        Boundary::Ends => out.push_str(" [ends]"),
    }
    let parts = event
        .as_ref()
        .map(|event| event.parts.clone())
        .unwrap_or_default();
    if let Some(event) = &event {
        head(out, event);
    }
    went(out, &course, event.as_ref());
    match elides {
        Elides::AsItsKind => {}
        Elides::All => out.push_str(" (all before left the window)"),
        Elides::Before(name) => write!(out, " (all before {name} left the window)").unwrap(),
        Elides::Results(calls) => write!(out, " (cleared: {})", calls.join(" ")).unwrap(),
    }
    out.push('\n');
    said(out, &facts);
    for part in parts {
        show(out, &part, width);
    }
}

fn head(out: &mut String, event: &Event<'_>) {
    write!(out, " {:?}", event.kind).unwrap();
    if let Some(helper) = &event.helper {
        write!(out, " of {helper}").unwrap();
    }
    if let Some(id) = &event.identity.id {
        write!(out, " id={id}").unwrap();
    }
    if let Some(origin) = &event.identity.origin {
        write!(out, " origin={origin:?}").unwrap();
    }
}

fn went(out: &mut String, course: &Course<'_>, event: Option<&Event<'_>>) {
    let own = event.and_then(|event| event.identity.id.as_ref());
    if !course.names.iter().eq(own) {
        let names: Vec<_> = course.names.iter().map(|name| name.to_string()).collect();
        if !names.is_empty() {
            write!(out, " named {}", names.join(" ")).unwrap();
        }
    }
    match &course.follows {
        Follows::Last => {}
        Follows::Replaces => out.push_str(" (may be again)"),
        Follows::After(name) => write!(out, " after {name}").unwrap(),
        Follows::Before(name) => write!(out, " before {name}").unwrap(),
        Follows::Nothing => out.push_str(" after nothing"),
    }
}

fn said(out: &mut String, facts: &Facts<'_>) {
    let title = facts.title.as_ref().map(|title| match title {
        Title::Summary(text) => ("title (summary)", text),
        Title::Given(text) => ("title (given)", text),
        Title::Person(text) => ("title (person)", text),
    });
    let named = [
        ("task", &facts.task),
        ("parent", &facts.parent),
        ("forked from", &facts.forked_from),
        ("helper", &facts.helper),
        ("cwd", &facts.cwd),
        ("branch", &facts.branch),
    ];
    let facts: Vec<_> = named
        .iter()
        .filter_map(|(name, value)| Some((*name, value.as_ref()?)))
        .chain(title)
        .collect();
    if !facts.is_empty() {
        let facts: Vec<_> = facts
            .iter()
            .map(|(name, value)| format!("{name} {value:?}"))
            .collect();
        writeln!(out, "    facts: {}", facts.join(", ")).unwrap();
    }
}

fn show(out: &mut String, part: &Part<'_>, width: usize) {
    match part {
        Part::Text(text) => writeln!(out, "    text: {}", cut(text, width)).unwrap(),
        Part::Call(call) => {
            let effect = match &call.effect {
                Effect::Reads(path) => format!("reads {path:?}"),
                Effect::Edits(path) => format!("edits {path:?}"),
                Effect::EditsMany(paths) => format!("edits {paths:?}"),
                Effect::Runs(command) => format!("runs {}", cut(command, width)),
                other => format!("{other:?}").to_lowercase(),
            };
            writeln!(
                out,
                "    call {}: {} {:?}, {effect}",
                call.id, call.tool, call.subject
            )
            .unwrap();
            writeln!(out, "      arguments: {}", cut(&call.arguments, width)).unwrap();
        }
        Part::Output(output) => {
            let outcome = match output.outcome {
                Outcome::Unknown => String::new(),
                Outcome::Exit(code) => format!(", exit {code}"),
                Outcome::Failed => ", failed".to_owned(),
            };
            let tool = output
                .tool
                .as_ref()
                .map(|tool| format!(" of {tool}"))
                .unwrap_or_default();
            let file = output
                .persisted
                .as_ref()
                .map(|path| format!(", whole in {path:?}"))
                .unwrap_or_default();
            writeln!(
                out,
                "    result {}{tool}{outcome}{file}: {}",
                output.call,
                cut(&output.text, width)
            )
            .unwrap();
        }
    }
}

fn cut(text: &str, width: usize) -> String {
    let mut shown: String = text.chars().take(width).collect();
    if shown.len() < text.len() {
        write!(shown, "… ({} bytes)", text.len()).unwrap();
    }
    format!("{shown:?}")
}
