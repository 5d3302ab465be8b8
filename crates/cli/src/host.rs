//! What an agent's host starts: the MCP server, and the hook of a session's start. Neither takes memfold's own folders from its
//! arguments: a clone's settings may hold those arguments.

use std::io::{IsTerminal, Write};
use std::path::PathBuf;
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::Duration;

use memfold::{Memfold, Options, Viewer};
use memfold_mcp::{Form, Setup, ToolSet, Variables};

use crate::args::{Everywhere, HookEvent, McpArgs, ToolsArg};
use crate::failure::Failure;

/// Serves an agent until its host closes our standard input.
pub(crate) fn serve(args: &McpArgs, everywhere: &Everywhere) -> Result<(), Failure> {
    own_folders_only("mcp", everywhere)?;
    memfold_mcp::serve(Setup {
        project: everywhere.project.clone(),
        tools: match args.tools {
            ToolsArg::Memfold => ToolSet::Memfold,
            ToolsArg::Session => ToolSet::Session,
        },
        form: if args.structured {
            Form::Structured
        } else {
            Form::Text
        },
        working_directory: working_directory()?,
        variables: variables(),
    })?;
    Ok(())
}

/// How long a hook waits for what its host gives it. A host waits for its hooks.
const PATIENCE: Duration = Duration::from_secs(3);

/// Runs a hook. Whatever goes wrong with it is no reason for a host to fail, or to show anything to its model: the note is
/// then missing, and a search of the conversation says what to do. Verbose, it is said.
pub(crate) fn hook(event: HookEvent, everywhere: &Everywhere) -> Result<(), Failure> {
    own_folders_only("hook", everywhere)?;
    if std::io::stdin().is_terminal() {
        return Err(Failure::usage(
            "hook: an agent's host runs this, and gives its JSON on standard input",
            "register it: memfold setup claude",
        ));
    }
    match noted(event) {
        Err(failure) if everywhere.verbose => {
            // Nobody to tell is no failure either.
            let _ = writeln!(std::io::stderr().lock(), "{}", failure.line());
        }
        Err(_) | Ok(()) => {}
    }
    Ok(())
}

fn noted(event: HookEvent) -> Result<(), Failure> {
    let variables = variables();
    let engine = Memfold::open(Options {
        project: None,
        working_directory: working_directory()?,
        data_dir: None,
        config_dir: None,
        cache_dir: None,
        viewer: Viewer::Agent,
        variables: Box::new(move |name| variables(name)),
        roll_from: memfold::ROLL_FROM,
    })?;
    let HookEvent::SessionStart = event;
    let data = engine.data_dir().to_owned();
    let (done, wait) = mpsc::channel();
    // What never comes is not waited for: the thread ends with the process.
    thread::spawn(move || {
        let _ = done.send(memfold_mcp::session_start(std::io::stdin().lock(), &data));
    });
    match wait.recv_timeout(PATIENCE) {
        Ok(noted) => Ok(noted?),
        Err(_) => Err(Failure::Command {
            what: "hook: nothing came on standard input".to_owned(),
            hint: "a host gives its hook's JSON there".to_owned(),
        }),
    }
}

fn own_folders_only(command: &str, everywhere: &Everywhere) -> Result<(), Failure> {
    let given = [
        ("--config-dir", &everywhere.config_dir),
        ("--data-dir", &everywhere.data_dir),
        ("--cache-dir", &everywhere.cache_dir),
    ];
    match given.into_iter().find(|(_, folder)| folder.is_some()) {
        None => Ok(()),
        Some((option, _)) => Err(Failure::usage(
            format!("{command} takes no {option}: a clone's settings could hold it"),
            "memfold's folders are your account's own, or those of MEMFOLD_CONFIG_DIR and the like",
        )),
    }
}

fn variables() -> Variables {
    Arc::new(|name| std::env::var_os(name))
}

fn working_directory() -> Result<PathBuf, Failure> {
    std::env::current_dir().map_err(|error| {
        Failure::Engine(memfold::Error::File {
            path: PathBuf::from("."),
            what: format!("no working directory: {error}"),
            hint: "start it in a folder that exists".to_owned(),
        })
    })
}
