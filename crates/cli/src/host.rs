//! What an agent's host starts: the MCP server, and the hook of a session's start. Neither takes memfold's own folders from its
//! arguments: a clone's settings may hold those arguments.

use std::path::PathBuf;
use std::sync::Arc;

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

/// Runs a hook.
pub(crate) fn hook(event: HookEvent, everywhere: &Everywhere) -> Result<(), Failure> {
    own_folders_only("hook", everywhere)?;
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
    match event {
        HookEvent::SessionStart => {
            memfold_mcp::session_start(std::io::stdin().lock(), engine.data_dir())?;
        }
    }
    Ok(())
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
