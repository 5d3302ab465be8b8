//! A registration as a function of a settings file's text: whether it is there, the text with it, the text without it. Pure.

use crate::document::{Document, Format};
use crate::error::Refused;
use crate::host::{Host, Part};
use crate::program::{Program, can_start};
use crate::value::Value;
use crate::written::{self, HOOKS, Written, command_line, is_element, is_off, is_ours, server};

/// Whether a host starts memfold's server, by its settings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Registered {
    /// They do not name it.
    No,
    /// It does, by this command line.
    Yes(Vec<String>),
    /// It would by this command line, but a person turned it off there.
    Off(Vec<String>),
    /// Another program has its name, by this command line.
    Other(Vec<String>),
}

impl Registered {
    /// Whether its program is there to be started, for a host that looks programs up along `path`.
    pub fn can_start(&self, path: Option<&std::ffi::OsStr>) -> bool {
        match self {
            Registered::Yes(line) | Registered::Off(line) => {
                line.first().is_some_and(|command| can_start(command, path))
            }
            Registered::No | Registered::Other(_) => false,
        }
    }
}

fn format(host: Host) -> Format {
    match host {
        Host::Codex => Format::Toml,
        _ => Format::Json,
    }
}

/// Whether a host starts the server, by the text of the settings that hold its servers.
///
/// ```
/// use memfold_hosts::{Host, Registered, registered};
///
/// let text = r#"{ "mcp": { "memfold": { "type": "local", "command": ["memfold", "mcp"] } } } // mine"#;
/// let line = ["memfold", "mcp"].map(str::to_owned).to_vec();
/// assert_eq!(registered(Host::OpenCode, text)?, Registered::Yes(line));
/// assert_eq!(registered(Host::Cursor, text)?, Registered::No);
/// # Ok::<(), memfold_hosts::Refused>(())
/// ```
///
/// # Errors
/// If the text cannot be read.
pub fn registered(host: Host, text: &str) -> Result<Registered, Refused> {
    stands(&Document::parse(format(host), text)?, host)
}

fn stands(document: &Document, host: Host) -> Result<Registered, Refused> {
    let Some(entry) = document.get(server(host))? else {
        return Ok(Registered::No);
    };
    let line = command_line(&entry)
        .into_iter()
        .map(str::to_owned)
        .collect();
    Ok(match (is_ours(&entry), is_off(&entry)) {
        (true, false) => Registered::Yes(line),
        (true, true) => Registered::Off(line),
        (false, _) => Registered::Other(line),
    })
}

/// Whether a host has memfold's plugin, which registers the server by itself: by the text of the settings that say which
/// plugins are in force ([`Places::plugins`](crate::Places::plugins)).
///
/// # Errors
/// If the text cannot be read.
pub fn plugged(host: Host, text: &str) -> Result<bool, Refused> {
    let Some(path) = written::plugins(host) else {
        return Ok(false);
    };
    let plugins = Document::parse(format(host), text)?.get(path)?;
    Ok(plugins.is_some_and(|plugins| written::has_plugin(&plugins)))
}

/// Whether a part is in the text of the settings that it belongs to.
///
/// # Errors
/// If the text cannot be read.
pub fn holds(host: Host, part: Part, text: &str) -> Result<bool, Refused> {
    let document = Document::parse(format(host), text)?;
    part_of(&document, host, part)
}

fn part_of(document: &Document, host: Host, part: Part) -> Result<bool, Refused> {
    // As the program does not matter for whether it is there.
    let program = Program::new(std::path::Path::new(written::NAME), None, "".as_ref());
    Ok(match written::written(host, part, &program) {
        None => false,
        Some(Written::Member(path, value)) => match part {
            Part::Server => !matches!(
                stands(document, host)?,
                Registered::No | Registered::Other(_)
            ),
            Part::Allow | Part::Hook => document.get(path)? == Some(value),
        },
        Some(Written::Element(path, _)) => {
            let list = document.get(path)?.unwrap_or(Value::Other);
            elements(part, &list).any(|element| is_element(part, element))
        }
    })
}

/// The elements of a list among which a part would be.
fn elements<'v>(part: Part, list: &'v Value) -> Box<dyn Iterator<Item = &'v Value> + 'v> {
    match part {
        Part::Hook => Box::new(
            list.items()
                .iter()
                .filter_map(|group| group.get(HANDLERS))
                .flat_map(Value::items),
        ),
        Part::Server | Part::Allow => Box::new(list.items().iter()),
    }
}

/// The name of the list of hooks in a group of them.
const HANDLERS: &str = "hooks";

/// The text with a part of the registration; nothing if that is there already.
///
/// An entry of ours stays as a person changed it, but for a program that is not there any more along `path`.
///
/// # Errors
/// If the text cannot be read, or something else stands where it belongs.
pub fn add(
    host: Host,
    part: Part,
    program: &Program,
    path: Option<&std::ffi::OsStr>,
    text: &str,
) -> Result<Option<String>, Refused> {
    let mut document = to_change(host, text)?;
    let Some(written) = written::written(host, part, program) else {
        return Ok(None);
    };
    match (part, stands(&document, host)) {
        (Part::Server, standing) => match standing? {
            Registered::Other(line) => return Err(Refused::Foreign(line.join(" "))),
            Registered::Off(_) => return Err(Refused::TurnedOff),
            there @ Registered::Yes(_) => {
                if there.can_start(path) {
                    return Ok(None);
                }
                name_anew(&mut document, host, program)?;
                return changed(text, &document);
            }
            Registered::No => {}
        },
        (Part::Allow | Part::Hook, _) if part_of(&document, host, part)? => return Ok(None),
        // It is a key of the server's own entry, and of no other program's.
        (Part::Allow, standing) if matches!(written, Written::Member(..)) => match standing? {
            Registered::No => return Ok(None),
            Registered::Other(line) => return Err(Refused::Foreign(line.join(" "))),
            Registered::Yes(_) | Registered::Off(_) => {}
        },
        (Part::Allow | Part::Hook, _) => {}
    }
    match written {
        Written::Member(path, value) => document.set(path, &value)?,
        Written::Element(path, value) => document.push(path, &value)?,
    }
    changed(text, &document)
}

/// Puts our program in the place of one that is gone; the rest of the entry is the person's.
fn name_anew(document: &mut Document, host: Host, program: &Program) -> Result<(), Refused> {
    let command = Value::text(program.command());
    let path = [server(host), &["command"]].concat();
    let value = match document.get(&path)? {
        Some(Value::List(line)) => {
            let arguments = line.into_iter().skip(1);
            Value::List(std::iter::once(command).chain(arguments).collect())
        }
        _ => command,
    };
    document.set(&path, &value)
}

/// The text without a part of the registration; nothing if it is not there.
///
/// # Errors
/// If the text cannot be read, or what has the server's name is another program's.
pub fn remove(host: Host, part: Part, text: &str) -> Result<Option<String>, Refused> {
    let mut document = to_change(host, text)?;
    let program = Program::new(std::path::Path::new(written::NAME), None, "".as_ref());
    let written = written::written(host, part, &program);
    if matches!(written, Some(Written::Member(..)))
        && let Registered::Other(line) = stands(&document, host)?
    {
        // What is in another program's entry is its person's.
        return match part {
            Part::Server => Err(Refused::Foreign(line.join(" "))),
            Part::Allow | Part::Hook => Ok(None),
        };
    }
    if !part_of(&document, host, part)? {
        return Ok(None);
    }
    match written {
        None => return Ok(None),
        Some(Written::Member(path, _)) => document.remove(path)?,
        Some(Written::Element(path, _)) => {
            let below = (path == HOOKS).then_some(HANDLERS);
            document.remove_elements(path, below, &|element| is_element(part, element))?;
        }
    }
    changed(text, &document)
}

/// A text that can be changed: as it is read it is written back, to the byte. Lines that end in two ways are not, where the
/// format's library writes its own.
fn to_change(host: Host, text: &str) -> Result<Document, Refused> {
    let document = Document::parse(format(host), text)?;
    match document.text() == text {
        true => Ok(document),
        false => Err(Refused::Inexact),
    }
}

fn changed(before: &str, document: &Document) -> Result<Option<String>, Refused> {
    let after = document.text();
    Ok((after != before).then_some(after))
}
