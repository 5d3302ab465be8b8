//! Steps that run in a process of their own, so that what they cost is theirs alone: `memfold-bench step NAME …`.

use std::io::Write;
use std::process::Command;

use super::asking::LIMIT;
use super::documents::{DocumentId, logs_below, read_documents};
use super::{Result, cost, fts5, parse, tantivy, tree, warm};

/// A step, started without the caller's environment.
pub(crate) fn step(name: &str) -> Result<Command> {
    let mut command = Command::new(std::env::current_exe()?);
    command.env_clear().args(["step", name]);
    Ok(command)
}

/// The other side of [`step`].
pub(crate) fn run_step(words: &[String]) -> Result<()> {
    let (name, rest) = words.split_first().ok_or("which step?")?;
    match (name.as_str(), rest) {
        ("nothing", []) => Ok(()),
        ("measured", command) => cost::measured(command),
        ("read", [logs]) => read_documents(&logs_below(logs.as_ref())?, &mut |_, _| Ok(())),
        ("parse", [logs]) => parse::parse(&logs_below(logs.as_ref())?).map(|_| ()),
        ("tantivy-build", [logs, index, threads]) => {
            let logs = logs_below(logs.as_ref())?;
            tantivy::build(index.as_ref(), threads.parse()?, &mut |each| {
                read_documents(&logs, &mut |id, text| each(id, text))
            })
        }
        ("fts5-build", [logs, index]) => {
            let logs = logs_below(logs.as_ref())?;
            fts5::build(index.as_ref(), &mut |each| {
                read_documents(&logs, &mut |id, text| each(id, text))
            })
        }
        ("tantivy-search", [index, words @ ..]) => {
            print(&tantivy::Tantivy::open(index.as_ref())?.search(words, LIMIT)?)
        }
        ("fts5-search", [index, words @ ..]) => {
            print(&fts5::Fts5::open(index.as_ref())?.search(words, LIMIT)?)
        }
        ("warm", [subject, folders @ ..]) => warm::answer(subject, folders),
        _ => match tree::run_tree_step(name, rest)? {
            true => Ok(()),
            false => Err(format!("no such step: {name}").into()),
        },
    }
}

fn print(found: &[DocumentId]) -> Result<()> {
    let mut out = std::io::stdout().lock();
    for id in found {
        writeln!(out, "{}:{}", id.log, id.seq)?;
    }
    Ok(())
}
