//! The hosts by name, and the parts of a registration that each of them has.

use std::fmt;

/// A program that starts MCP servers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Host {
    /// Claude Code.
    Claude,
    /// Codex CLI.
    Codex,
    /// Gemini CLI.
    Gemini,
    /// opencode.
    OpenCode,
    /// Visual Studio Code.
    VsCode,
    /// Cursor.
    Cursor,
    /// Zed.
    Zed,
}

/// A part of a registration. Each is written, and asked about, by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Part {
    /// That the host starts the server.
    Server,
    /// That the host does not ask before each call of its tools, all of which only read.
    Allow,
    /// That the host says at a session's start which conversation it runs.
    Hook,
}

impl Host {
    /// Every host, in the order they are listed.
    pub const ALL: [Host; 7] = [
        Host::Claude,
        Host::Codex,
        Host::Gemini,
        Host::OpenCode,
        Host::VsCode,
        Host::Cursor,
        Host::Zed,
    ];

    /// Its name, as it is typed: `claude`.
    pub fn name(self) -> &'static str {
        match self {
            Host::Claude => "claude",
            Host::Codex => "codex",
            Host::Gemini => "gemini",
            Host::OpenCode => "opencode",
            Host::VsCode => "vscode",
            Host::Cursor => "cursor",
            Host::Zed => "zed",
        }
    }

    /// Its name, as its makers write it: `Claude Code`.
    pub fn title(self) -> &'static str {
        match self {
            Host::Claude => "Claude Code",
            Host::Codex => "Codex",
            Host::Gemini => "Gemini CLI",
            Host::OpenCode => "opencode",
            Host::VsCode => "VS Code",
            Host::Cursor => "Cursor",
            Host::Zed => "Zed",
        }
    }

    /// The parts that a registration with it can have, in the order they are offered. opencode and the editors ask, or do not
    /// ask, by settings that are not a server's own; only Claude Code needs to say which conversation it runs, and says it by a
    /// hook.
    pub fn parts(self) -> &'static [Part] {
        match self {
            Host::Claude => &[Part::Server, Part::Allow, Part::Hook],
            Host::Codex | Host::Gemini => &[Part::Server, Part::Allow],
            Host::OpenCode | Host::VsCode | Host::Cursor | Host::Zed => &[Part::Server],
        }
    }

    /// Whether its registration is of one project and lies in that project's folder: these hosts tell a server where they work
    /// by an argument alone, or not at all.
    pub fn is_by_project(self) -> bool {
        matches!(self, Host::VsCode | Host::Cursor | Host::Zed)
    }

    /// What a person should know before a part is written.
    pub fn caution(self, part: Part) -> Option<&'static str> {
        match (self, part) {
            (Host::Claude, Part::Allow) => Some(
                "The rule is for any server named memfold: do not approve one of that name that a project brings.",
            ),
            (Host::VsCode | Host::Cursor, Part::Server) => {
                Some("This is for this project alone, and lies in its folder.")
            }
            (Host::Zed, Part::Server) => Some(
                "This is for this project alone, and lies in its folder; it names that folder, so do not commit it.",
            ),
            _ => None,
        }
    }

    /// The commands that start it.
    pub(crate) fn commands(self) -> &'static [&'static str] {
        match self {
            Host::Claude => &["claude"],
            Host::Codex => &["codex"],
            Host::Gemini => &["gemini"],
            Host::OpenCode => &["opencode"],
            Host::VsCode => &["code", "codium"],
            Host::Cursor => &["cursor", "cursor-agent"],
            Host::Zed => &["zed", "zeditor"],
        }
    }
}

impl Part {
    /// A word for it, as answers have it.
    pub fn name(self) -> &'static str {
        match self {
            Part::Server => "server",
            Part::Allow => "allow",
            Part::Hook => "hook",
        }
    }

    /// What the host does then, as it follows "is to".
    pub fn does(self) -> &'static str {
        match self {
            Part::Server => "start memfold's server in each session",
            Part::Allow => "call memfold's tools without asking each time: they only read",
            Part::Hook => "tell memfold at a session's start which conversation it runs",
        }
    }
}

impl fmt::Display for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
