//! What a log's first lines tell: whose it is, which task, where it worked. That the system refuses to read them is told from
//! what is wrong with the lines: no log is left out without a word.

use std::path::Path;

use memfold_agents::Agent;
use memfold_disk::{Identity, Links};
use memfold_fold::facts::LogFacts;
use memfold_log::{Form, Position, ZstdError};
use memfold_sidecar::{Enough, LogFile, Receipt};

use crate::ready::LOOKS;

/// How much of a log is read to learn where it worked, if no receipt says.
const PEEK: u64 = 4 << 20;

/// Looks into a log, and again where it changed since it was found. Nothing if it is gone; an error if the system refuses.
pub(crate) fn look<T>(
    path: &Path,
    form: Form,
    mut identity: Identity,
    into: impl Fn(&LogFile) -> Result<T, String>,
) -> Result<Option<T>, String> {
    let mut looks = 0;
    loop {
        let why = match into(&LogFile::at(path, form, identity)) {
            Ok(seen) => return Ok(Some(seen)),
            Err(why) => why,
        };
        looks += 1;
        match Identity::at(path, Links::Follow) {
            Ok(now) if now != identity && looks < LOOKS => identity = now,
            Err(error) if error.is_not_found() => return Ok(None),
            _ => return Err(why),
        }
    }
}

/// The facts that a log's first lines tell, until they are enough; an error if they cannot be read. What is wrong with the
/// form of a log is none.
pub(crate) fn peek(
    log: &LogFile,
    agent: &'static dyn Agent,
    enough: impl Fn(&LogFacts) -> bool,
) -> Result<LogFacts, String> {
    let mut facts = LogFacts::default();
    let around = log.about(agent, |around| {
        facts.add(around);
        if enough(&facts) {
            Enough::Yes
        } else {
            Enough::No
        }
    });
    let lines = around.and_then(|()| log.frames(agent, Position::START));
    let mut lines = match lines {
        Ok(lines) => lines,
        Err(error) if ZstdError::within(&error).is_some() => return Ok(facts),
        Err(error) => return Err(error.to_string()),
    };
    loop {
        let line = match lines.next(&mut |_| {}) {
            Ok(Some(line)) => line,
            Ok(None) => break,
            Err(error) if error.is_of_the_form() => break,
            Err(error) => return Err(error.to_string()),
        };
        if enough(&facts) || line.start.0 > PEEK {
            break;
        }
        if let Some(Ok(reading)) = line.text().map(|text| agent.read(text)) {
            facts.add(&reading.facts);
        }
    }
    Ok(facts)
}

/// Whose log it is: as its receipt says if the log is unchanged since, else as its first lines and its name do, and if they
/// do not tell (it was cut to nothing), as its receipt says all the same. An error if they cannot be read.
pub(crate) fn detect(
    path: &Path,
    form: Form,
    identity: Identity,
    receipt: Option<&Receipt>,
) -> Result<Option<&'static dyn Agent>, String> {
    let known = receipt.and_then(|receipt| memfold_agents::by_name(&receipt.agent));
    match receipt {
        Some(receipt) if receipt.holds_for(&identity) && known.is_some() => Ok(known),
        _ => Ok(look(path, form, identity, detect_by_content)?
            .flatten()
            .or(known)),
    }
}

fn detect_by_content(log: &LogFile) -> Result<Option<&'static dyn Agent>, String> {
    let head = match log.head() {
        Ok(head) => head,
        Err(error) if ZstdError::within(&error).is_some() => return Ok(None),
        Err(error) => return Err(error.to_string()),
    };
    if log.form() == Form::Document {
        return Ok(memfold_agents::detect(log.path(), &[&head]));
    }
    let lines: Vec<&[u8]> = head
        .split(|byte| *byte == b'\n')
        .filter(|line| !line.is_empty())
        .collect();
    Ok(memfold_agents::detect(log.path(), &lines))
}
