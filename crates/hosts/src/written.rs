//! What is written into which host's settings, and how it is known again there. The forms are those of the hosts'
//! documentation, as few keys as each of them needs.

use crate::host::{Host, Part};
use crate::program::{self, Program};
use crate::value::Value;

/// The name under which hosts know the server.
pub(crate) const NAME: &str = "memfold";

/// Claude Code's name for all of a server's tools.
const CLAUDE_TOOLS: &str = "mcp__memfold__*";

/// Where a part stands in a host's settings, and as what.
#[derive(Debug)]
pub(crate) enum Written {
    /// A member of the tables that the names lead through, the last of them its own.
    Member(&'static [&'static str], Value),
    /// An element of the list that the names lead to.
    Element(&'static [&'static str], Value),
}

/// What a part is, in a host's settings. Nothing where the host has no such part.
pub(crate) fn written(host: Host, part: Part, program: &Program) -> Option<Written> {
    Some(match (part, host) {
        (Part::Server, _) => Written::Member(server(host), entry(host, program)),
        (Part::Allow, Host::Claude) => {
            Written::Element(&["permissions", "allow"], Value::text(CLAUDE_TOOLS))
        }
        (Part::Allow, Host::Codex) => Written::Member(
            &["mcp_servers", NAME, "default_tools_approval_mode"],
            Value::text("approve"),
        ),
        (Part::Allow, Host::Gemini) => {
            Written::Member(&["mcpServers", NAME, "trust"], Value::Bool(true))
        }
        (Part::Hook, Host::Claude) => {
            let hook = Value::table([
                ("type", Value::text("command")),
                ("command", Value::text(program.hook())),
            ]);
            let group = Value::table([("hooks", Value::List(vec![hook]))]);
            Written::Element(HOOKS, group)
        }
        (Part::Allow | Part::Hook, _) => return None,
    })
}

/// Where Claude Code keeps the groups of hooks of a session's start.
pub(crate) const HOOKS: &[&str] = &["hooks", "SessionStart"];

/// Where a host keeps the server's entry.
pub(crate) fn server(host: Host) -> &'static [&'static str] {
    match host {
        Host::Claude | Host::Gemini | Host::Cursor => &["mcpServers", NAME],
        Host::Codex => &["mcp_servers", NAME],
        Host::OpenCode => &["mcp", NAME],
        Host::VsCode => &["servers", NAME],
        Host::Zed => &["context_servers", NAME],
    }
}

const IN_WORKSPACE: &[&str] = &["mcp", "--project", "${workspaceFolder}"];

/// Where a host says which plugins are in force.
pub(crate) fn plugins(host: Host) -> Option<&'static [&'static str]> {
    match host {
        Host::Claude => Some(&["enabledPlugins"]),
        Host::Codex => Some(&["plugins"]),
        _ => None,
    }
}

/// Whether memfold's plugin is among them, from whichever marketplace: `"memfold@…": true`, or with `enabled = true` in it.
pub(crate) fn has_plugin(plugins: &Value) -> bool {
    let Value::Table(members) = plugins else {
        return false;
    };
    members.iter().any(|(name, value)| {
        let is_ours = name
            .split_once('@')
            .is_some_and(|(plugin, _)| plugin == NAME);
        let says = value.as_bool().or_else(|| value.get("enabled")?.as_bool());
        is_ours && says == Some(true)
    })
}

fn entry(host: Host, program: &Program) -> Value {
    let command = program.command();
    let started = |arguments: &[&str]| {
        [
            ("command", Value::text(command)),
            ("args", Value::texts(arguments.iter().copied())),
        ]
    };
    match host {
        // They tell the project by the environment, by roots or by the call, and all of these better than an argument would:
        // Claude Code puts `${CLAUDE_PROJECT_DIR:-.}` in place before it sets that variable for the server.
        Host::Claude | Host::Gemini => Value::table(started(&["mcp"])),
        Host::Codex => {
            let [command, arguments] = started(&["mcp"]);
            // It starts servers with an environment of a few variables.
            Value::table([
                command,
                arguments,
                ("env_vars", Value::texts(["CODEX_HOME"])),
            ])
        }
        Host::OpenCode => Value::table([
            ("type", Value::text("local")),
            ("command", Value::texts([command, "mcp"])),
        ]),
        Host::VsCode => {
            let [command, arguments] = started(IN_WORKSPACE);
            Value::table([("type", Value::text("stdio")), command, arguments])
        }
        Host::Cursor => Value::table(started(IN_WORKSPACE)),
        // It has no variable for it.
        Host::Zed => {
            let project = program.project().to_string_lossy();
            Value::table(started(&["mcp", "--project", &project]))
        }
    }
}

/// The command line of a server's entry.
pub(crate) fn command_line(entry: &Value) -> Vec<&str> {
    let arguments = entry.get("args").map(Value::items).unwrap_or_default();
    let command = match entry.get("command") {
        Some(Value::Text(command)) => vec![command.as_str()],
        Some(list) => list.items().iter().filter_map(Value::as_text).collect(),
        None => Vec::new(),
    };
    let arguments = arguments.iter().filter_map(Value::as_text);
    command.into_iter().chain(arguments).collect()
}

/// Whether a server's entry starts memfold's.
pub(crate) fn is_ours(entry: &Value) -> bool {
    match *command_line(entry) {
        [command, "mcp", ..] => program::is_ours(command),
        _ => false,
    }
}

/// Whether a person turned a server's entry off, in one of the ways of hosts.
pub(crate) fn is_off(entry: &Value) -> bool {
    let says = |key, value| entry.get(key).and_then(Value::as_bool) == Some(value);
    says("enabled", false) || says("disabled", true)
}

/// Whether an element of a list is the one that this part writes.
pub(crate) fn is_element(part: Part, element: &Value) -> bool {
    match part {
        Part::Allow => element.as_text() == Some(CLAUDE_TOOLS),
        Part::Hook => {
            let command = element.get("command").and_then(Value::as_text);
            command.is_some_and(program::is_hook)
        }
        Part::Server => false,
    }
}
