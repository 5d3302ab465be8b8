//! A reading that owns its text: for a line that had to be mended in a buffer before it could be read.

use std::borrow::Cow;

use memfold_log::event::{
    Call, Course, Effect, Elides, Event, Facts, Follows, Given, Identity, Output, Part, Reading,
    Title,
};

fn own(text: Cow<'_, str>) -> Cow<'static, str> {
    Cow::Owned(text.into_owned())
}

fn own_some(text: Option<Cow<'_, str>>) -> Option<Cow<'static, str>> {
    text.map(own)
}

/// The same reading, free of its line.
pub(crate) fn reading(reading: Reading<'_>) -> Reading<'static> {
    Reading {
        facts: facts(reading.facts),
        event: reading.event.map(event),
        boundary: reading.boundary,
        course: course(reading.course),
        elides: match reading.elides {
            Elides::AsItsKind => Elides::AsItsKind,
            Elides::All => Elides::All,
            Elides::Before(name) => Elides::Before(own(name)),
            Elides::Results(calls) => Elides::Results(calls.into_iter().map(own).collect()),
        },
    }
}

fn course(course: Course<'_>) -> Course<'static> {
    Course {
        names: course.names.into_iter().map(own).collect(),
        follows: match course.follows {
            Follows::Last => Follows::Last,
            Follows::Replaces => Follows::Replaces,
            Follows::After(name) => Follows::After(own(name)),
            Follows::Before(name) => Follows::Before(own(name)),
            Follows::Nothing => Follows::Nothing,
        },
    }
}

fn facts(facts: Facts<'_>) -> Facts<'static> {
    Facts {
        task: own_some(facts.task),
        parent: own_some(facts.parent),
        forked_from: own_some(facts.forked_from),
        helper: own_some(facts.helper),
        cwd: own_some(facts.cwd),
        title: facts.title.map(|title| match title {
            Title::Summary(text) => Title::Summary(own(text)),
            Title::Given(text) => Title::Given(own(text)),
            Title::Person(text) => Title::Person(own(text)),
        }),
        branch: own_some(facts.branch),
        time: facts.time,
    }
}

fn event(event: Event<'_>) -> Event<'static> {
    Event {
        kind: event.kind,
        helper: own_some(event.helper),
        time: event.time,
        identity: Identity {
            id: own_some(event.identity.id),
            origin: own_some(event.identity.origin),
        },
        parts: event.parts.into_iter().map(part).collect(),
    }
}

fn part(part: Part<'_>) -> Part<'static> {
    match part {
        Part::Text(text) => Part::Text(own(text)),
        Part::Call(call) => Part::Call(Call {
            id: own(call.id),
            tool: own(call.tool),
            subject: own(call.subject),
            arguments: own(call.arguments),
            names: own(call.names),
            effect: effect(call.effect),
            given: given(call.given),
        }),
        Part::Output(output) => Part::Output(Output {
            call: own(output.call),
            tool: own_some(output.tool),
            text: own(output.text),
            outcome: output.outcome,
            persisted: own_some(output.persisted),
        }),
    }
}

fn given(given: Given<'_>) -> Given<'static> {
    let strings = given.strings.into_iter();
    let numbers = given.numbers.into_iter();
    Given {
        strings: strings.map(|(name, text)| (own(name), own(text))).collect(),
        numbers: numbers.map(|(name, number)| (own(name), number)).collect(),
    }
}

fn effect(effect: Effect<'_>) -> Effect<'static> {
    match effect {
        Effect::Reads(path) => Effect::Reads(own(path)),
        Effect::Edits(path) => Effect::Edits(own(path)),
        Effect::EditsMany(paths) => Effect::EditsMany(paths.into_iter().map(own).collect()),
        Effect::Runs(command) => Effect::Runs(own(command)),
        Effect::Delegates => Effect::Delegates,
        Effect::Retrieves => Effect::Retrieves,
        Effect::Other => Effect::Other,
    }
}
