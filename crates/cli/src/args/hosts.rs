//! The arguments of what concerns agents' hosts: registering with them, and looking after all of it.

use clap::{Args, ValueEnum};
use memfold_hosts::Host;

/// Register memfold with an agent's host, after showing what would be written
///
/// Without a host: which hosts are here, and whether memfold is registered with each. With one: shows the file and the lines that
/// would change, and asks before each part is written: that the host starts memfold's server; that it need not ask before each
/// call of its tools, which only read; and, for Claude Code, that a hook says which conversation it runs. Everything else in the
/// file stays as it is. VS Code, Cursor and Zed are registered with for one project, in its folder.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  memfold setup                                      which hosts, and whether it is registered
  memfold setup claude                               shows, asks, writes
  memfold setup codex --yes --allow                  in a script of yours, with the allow rule
  memfold setup claude --remove                      takes away what it wrote, nothing else")]
pub(crate) struct SetupArgs {
    /// The host
    #[arg(value_name = "HOST")]
    pub(crate) host: Option<HostArg>,
    /// Take the registration away
    #[arg(long, requires = "host", conflicts_with_all = ["allow", "hook"])]
    pub(crate) remove: bool,
    /// Do not ask: register the server, or remove (a person only)
    #[arg(short, long, requires = "host")]
    pub(crate) yes: bool,
    /// With --yes: let the host call the tools without asking, too
    #[arg(long, requires = "yes")]
    pub(crate) allow: bool,
    /// With --yes: add the hook of a session's start, too
    #[arg(long, requires = "yes")]
    pub(crate) hook: bool,
}

/// A host, as it is typed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum HostArg {
    /// Claude Code
    Claude,
    /// Codex CLI
    Codex,
    /// Gemini CLI
    Gemini,
    /// opencode
    #[value(name = "opencode")]
    OpenCode,
    /// Visual Studio Code, in this project
    #[value(name = "vscode")]
    VsCode,
    /// Cursor, in this project
    Cursor,
    /// Zed, in this project
    Zed,
}

impl From<HostArg> for Host {
    fn from(host: HostArg) -> Host {
        match host {
            HostArg::Claude => Host::Claude,
            HostArg::Codex => Host::Codex,
            HostArg::Gemini => Host::Gemini,
            HostArg::OpenCode => Host::OpenCode,
            HostArg::VsCode => Host::VsCode,
            HostArg::Cursor => Host::Cursor,
            HostArg::Zed => Host::Zed,
        }
    }
}

/// Say what is here, what is registered, what is out of order, and what to do about each
///
/// Looks at agents' logs, sidecars, the roll-up, the repository's index, memfold's folders, the switch, and hosts'
/// settings; changes nothing. Quick: it reads the heads of files, and whole ones only where they changed since they
/// were written. `memfold verify` checks in full. Ends with 1 if there is something to do.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  memfold doctor
  memfold doctor --json")]
pub(crate) struct DoctorArgs {}
