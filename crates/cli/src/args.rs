//! The command line as clap reads it, and the texts of its help. What arguments mean together is decided in `request`.

mod hosts;
mod search_line;

use std::path::PathBuf;

use clap::builder::styling::{AnsiColor, Styles};
use clap::{ArgAction, Args, Parser, Subcommand, ValueEnum, ValueHint};
use memfold::DocumentKind;

use crate::measure::MeasureArgs;
pub(crate) use hosts::{DoctorArgs, SetupArgs};

const STYLES: Styles = Styles::styled()
    .header(AnsiColor::Green.on_default().bold())
    .usage(AnsiColor::Green.on_default().bold())
    .literal(AnsiColor::Cyan.on_default().bold())
    .placeholder(AnsiColor::Cyan.on_default());

/// Search what your coding agents did, and read it back.
///
/// Agents such as Claude Code and Codex write everything they do to logs on this machine.
/// memfold ranks the events of those logs against your words and reads any of them back whole.
/// Logs are never changed. What memfold writes beside them (`x.mem` for `x.jsonl`) is derived from them:
/// it can be deleted at any time and is made again.
#[derive(Debug, Parser)]
#[command(name = "memfold", version, styles = STYLES, max_term_width = 100, arg_required_else_help = true)]
#[command(subcommand_required = true, disable_help_subcommand = true)]
#[command(after_help = MAIN_EXAMPLES)]
pub(crate) struct Arguments {
    #[command(flatten)]
    pub(crate) everywhere: Everywhere,
    #[command(subcommand)]
    pub(crate) command: Command,
}

const MAIN_EXAMPLES: &str = "\
Examples:
  memfold search denylist symlink check       which turn was that?
  memfold recall 3f9a1c02:812                 read a hit back
  memfold logs                                every task of this project
  memfold resume 3f9a1c02                     the command that continues a task

Exit status: 0 found or done, 1 nothing matched, 2 an error, 3 not allowed.";

/// Options of every command.
#[derive(Clone, Debug, Default, Args)]
// Behind each command's own options, whose orders count from 0.
#[command(next_help_heading = "Options everywhere", next_display_order = 100)]
pub(crate) struct Everywhere {
    /// The project's folder; else the repository of the working directory
    #[arg(long, global = true, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) project: Option<PathBuf>,
    /// Where memfold keeps its data; else MEMFOLD_DATA_DIR, else as XDG has it
    #[arg(long, global = true, value_name = "DIR", value_hint = ValueHint::DirPath, hide_short_help = true)]
    pub(crate) data_dir: Option<PathBuf>,
    /// Where the switches lie; else MEMFOLD_CONFIG_DIR, else as XDG has it
    #[arg(long, global = true, value_name = "DIR", value_hint = ValueHint::DirPath, hide_short_help = true)]
    pub(crate) config_dir: Option<PathBuf>,
    /// Where what can be made again lies; else MEMFOLD_CACHE_DIR, else as XDG has it
    #[arg(long, global = true, value_name = "DIR", value_hint = ValueHint::DirPath, hide_short_help = true)]
    pub(crate) cache_dir: Option<PathBuf>,
    /// Answer with one JSON object, errors too
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// When to use colours [default: auto]
    #[arg(long, global = true, value_name = "WHEN")]
    pub(crate) color: Option<ColorWhen>,
    /// No progress, and only what needs to be said
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    pub(crate) quiet: bool,
    /// Say more: files, reasons, counts
    #[arg(short, long, global = true)]
    pub(crate) verbose: bool,
}

/// When to use colours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum ColorWhen {
    /// On a terminal, unless NO_COLOR is set
    #[default]
    Auto,
    /// Even into a pipe
    Always,
    /// Never
    Never,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Search(SearchArgs),
    Recall(RecallArgs),
    Cards(CardsArgs),
    Logs(LogsArgs),
    Resume(ResumeArgs),
    Fold(FoldArgs),
    Verify(VerifyArgs),
    Rebuild(RebuildArgs),
    Update(UpdateArgs),
    Status(StatusArgs),
    Forget(ForgetArgs),
    Earlier(EarlierArgs),
    Measure(MeasureArgs),
    Mcp(McpArgs),
    Hook(HookArgs),
    Setup(SetupArgs),
    Doctor(DoctorArgs),
    Completions(CompletionsArgs),
    Man(ManArgs),
}

/// Rank events against your words
///
/// Finds the events of your agents' logs that hold the most, and the rarest, of your words, and shows the lines that hold
/// them. Write what you remember: names, words of an error, words of the request. Case does not matter, names are
/// found by their parts (`scrub` finds `ScrubEnv`), and "quoted words" must stand together.
///
/// Without --log the project's earlier tasks are searched; with --log, that one conversation; with -s repo, the files of the
/// repository: what you can describe but not spell.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  memfold search denylist symlink check
  memfold search '\"permission denied\" socket' --since 2w
  memfold search -A --agent codex flaky retry        every project, Codex only
  memfold search --kind person migration             only what you asked
  memfold search -s repo where is a work tree told from its main checkout
  memfold search --log session.jsonl -- -foo         a word that begins with a dash")]
pub(crate) struct SearchArgs {
    /// Words, names and "quoted phrases" to look for
    #[arg(value_name = "QUERY", required = true)]
    pub(crate) query: Vec<String>,
    /// What to search: the project's earlier tasks, one conversation (with --log), or the repository
    #[arg(short, long, value_name = "SCOPE")]
    pub(crate) scope: Option<ScopeArg>,
    /// How many events or files to show at most [default: 8]
    #[arg(short, long, value_name = "N")]
    pub(crate) number: Option<usize>,
    /// Only turns that read or edited this file or folder, as their card says; of the repository, only what lies there
    #[arg(long, value_name = "P")]
    pub(crate) path: Option<String>,
    /// Search this one log
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) log: Option<PathBuf>,
    /// Search all logs below DIR, whatever their project; may be given several times
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) logs: Vec<PathBuf>,
    /// Search every project (a person only)
    #[arg(short = 'A', long)]
    pub(crate) all: bool,
    /// Only this agent's logs: claude, codex, …; several, with commas between
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    pub(crate) agent: Vec<String>,
    /// Only events of this kind; several, with commas between
    #[arg(long, value_name = "KIND", value_delimiter = ',')]
    pub(crate) kind: Vec<KindArg>,
    /// Only events since then: 7d, 12h, 2w, yesterday, 2026-10-02, or RFC 3339
    #[arg(long, value_name = "WHEN")]
    pub(crate) since: Option<String>,
    /// Only events until then; a day is meant to its end
    #[arg(long, value_name = "WHEN")]
    pub(crate) until: Option<String>,
}

/// A scope, as it is typed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ScopeArg {
    /// The project's earlier tasks
    Earlier,
    /// One log, named by --log
    Conversation,
    /// The repository's files
    Repo,
}

/// A kind of event, as it is typed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum KindArg {
    /// What the person asked
    Person,
    /// What the agent said, and the calls it made
    Reply,
    /// What a call returned
    Result,
    /// A file attached to the conversation
    File,
    /// A plan
    Plan,
    /// A summary written on the way
    Summary,
    /// The note a compaction left
    Compaction,
}

impl From<KindArg> for DocumentKind {
    fn from(kind: KindArg) -> DocumentKind {
        match kind {
            KindArg::Person => DocumentKind::Person,
            KindArg::Reply => DocumentKind::Reply,
            KindArg::Result => DocumentKind::Result,
            KindArg::File => DocumentKind::File,
            KindArg::Plan => DocumentKind::Plan,
            KindArg::Summary => DocumentKind::Summary,
            KindArg::Compaction => DocumentKind::Compaction,
        }
    }
}

/// Read an event back, whole or by lines
///
/// Shows one event as its log holds it, credentials taken out. A reply lists its calls with where their results are;
/// a turn's first message shows the turn's card and all of its events.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  memfold recall 3f9a1c02:812
  memfold recall 3f9a1c02:812 --start 81             the next page
  memfold recall 812 --log session.jsonl             the event on line 812 of a log")]
pub(crate) struct RecallArgs {
    /// TASK:SEQ as a search shows it (8 or more characters of the task's id), or SEQ with --log
    #[arg(value_name = "ADDRESS")]
    pub(crate) address: String,
    /// The first line to show, from 1
    #[arg(long, value_name = "L", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) start: u64,
    /// How many lines at most
    #[arg(long, value_name = "N", default_value_t = 80, value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) count: u64,
    /// The log that holds the event
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, conflicts_with = "logs")]
    pub(crate) log: Option<PathBuf>,
    /// Look for the task's log below DIR; may be given several times
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath, conflicts_with = "all")]
    pub(crate) logs: Vec<PathBuf>,
    /// Look for it in every project (a person only)
    #[arg(short = 'A', long, conflicts_with = "log")]
    pub(crate) all: bool,
}

/// Show the turns of a task, a card each
///
/// A card says what was asked, which files were read and edited, which commands ran and how they ended,
/// and the first line of the closing reply.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  memfold cards 3f9a1c02
  memfold cards --log session.jsonl")]
pub(crate) struct CardsArgs {
    /// The task: 8 or more characters of its id, as `memfold logs` shows it; else the one written to last
    #[arg(value_name = "TASK", conflicts_with = "log")]
    pub(crate) task: Option<String>,
    /// The log
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) log: Option<PathBuf>,
    /// Look for the task's log below DIR; may be given several times
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath, conflicts_with_all = ["all", "log"])]
    pub(crate) logs: Vec<PathBuf>,
    /// Look for it in every project (a person only)
    #[arg(short = 'A', long, conflicts_with = "log")]
    pub(crate) all: bool,
}

/// List the project's logs, newest first
///
/// When, agent, task, turns, size, the state of the sidecar, and the title. Says which logs the agent's own
/// retention will delete within a week.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  memfold logs
  memfold logs -A                                    every project
  memfold logs --logs ~/backup/claude")]
pub(crate) struct LogsArgs {
    /// All logs below DIR, whatever their project; may be given several times
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath, conflicts_with = "all")]
    pub(crate) logs: Vec<PathBuf>,
    /// Every project's (a person only)
    #[arg(short = 'A', long)]
    pub(crate) all: bool,
}

/// Print the agent's own command that continues a task
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  memfold resume 3f9a1c02
  memfold resume 3f9a1c02 --exec                     go on with it right here")]
pub(crate) struct ResumeArgs {
    /// The task: 8 or more characters of its id
    #[arg(value_name = "TASK")]
    pub(crate) task: String,
    /// Run the command instead of printing it
    #[arg(long, conflicts_with = "json")]
    pub(crate) exec: bool,
}

/// Bring sidecars up to date
///
/// A search does this by itself; this does it for many logs at once, and says for each what was found and done.
/// It can be stopped at any moment: what is folded stays.
#[derive(Debug, Args)]
pub(crate) struct FoldArgs {
    /// Logs, or folders of logs; else the project's logs
    #[arg(value_name = "LOG|DIR", value_hint = ValueHint::AnyPath)]
    pub(crate) paths: Vec<PathBuf>,
}

/// Check in full what is derived of logs against the logs
///
/// Folds every log anew and compares: its sidecar, its receipt, its kept tail and what the roll-up says of it. Names each
/// file that is wrong with the command that mends it, and then ends with 1. What is missing, or behind its log, is said but
/// is not wrong. Where no path is named, the repository's index is held against its events and the files too.
#[derive(Debug, Args)]
pub(crate) struct VerifyArgs {
    /// Logs, or folders of logs; else the project's logs
    #[arg(value_name = "LOG|DIR", value_hint = ValueHint::AnyPath)]
    pub(crate) paths: Vec<PathBuf>,
}

/// Make anew all that is derived of logs, or the repository's index
///
/// From the logs alone: sidecars, receipts, kept tails and the roll-up, whatever they are worth; what was left over in
/// memfold's folders goes. With --repo: the repository's index, from its events and files. Says what it did, and what it
/// could not. Logs are only read; what a newer memfold wrote, or what is not memfold's, is left as it is.
#[derive(Debug, Args)]
pub(crate) struct RebuildArgs {
    /// The repository's index
    #[arg(long, conflicts_with = "paths")]
    pub(crate) repo: bool,
    /// Logs, or folders of logs; else the project's logs
    #[arg(value_name = "LOG|DIR", value_hint = ValueHint::AnyPath)]
    pub(crate) paths: Vec<PathBuf>,
}

/// Bring the repository's index up to date, and say what it covers
///
/// A search does this by itself, for at most 10 seconds; this takes up to 60 and goes on from where it stopped.
/// With a folder or file, that is indexed whole from now on: ignored files too.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  memfold update
  memfold update target/doc                          what is ignored, too
  memfold update -v                                  which files are left out, and why")]
pub(crate) struct UpdateArgs {
    /// A folder or file of the repository
    #[arg(value_name = "PATH", value_hint = ValueHint::AnyPath)]
    pub(crate) path: Option<String>,
}

/// Say what memfold holds for this project, and where
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  memfold status
  memfold status -v                                  why a log is left out")]
pub(crate) struct StatusArgs {}

/// Remove what memfold wrote; logs stay
#[derive(Debug, Args)]
pub(crate) struct ForgetArgs {
    /// The sidecars of the project's logs, and what else was derived from them
    #[arg(long, required_unless_present = "repo")]
    pub(crate) sessions: bool,
    /// The index of the project's repository
    #[arg(long)]
    pub(crate) repo: bool,
    /// Do not ask
    #[arg(short, long)]
    pub(crate) yes: bool,
}

/// May an agent search this project's earlier tasks? Off, unless a person turned it on
///
/// Earlier tasks can hold what another task must not know. So an agent reads them only where a person said so.
/// In an agent's own shell this is courtesy, not a wall: whoever runs commands can also read the logs themselves.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  memfold earlier                                    what holds now
  memfold earlier on                                 asks once; a person only")]
pub(crate) struct EarlierArgs {
    /// Turn it on or off; without it, say what holds
    #[arg(value_name = "on|off", hide_possible_values = true)]
    pub(crate) to: Option<Switch>,
}

/// On or off.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Switch {
    /// Agents may
    On,
    /// Agents may not
    Off,
}

/// Serve an agent over MCP, on standard input and output
///
/// An agent's host starts it. Its tools search the repository's files, the conversation that calls and, where
/// `memfold earlier on` allows it, the project's earlier tasks, and read any event of these back. It reads the switch from
/// your account's configuration alone.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  memfold setup claude                               registers it; so do:
  claude mcp add --scope user memfold -- memfold mcp
  codex mcp add memfold -- memfold mcp
  memfold mcp --project ~/src/api                    for hosts that do not say where they work")]
pub(crate) struct McpArgs {
    /// Which tools: index-search, index-update and recall, or SessionSearch and SessionRead
    #[arg(long, value_name = "SET", default_value = "memfold")]
    pub(crate) tools: ToolsArg,
    /// Answer with JSON beside the text
    #[arg(long)]
    pub(crate) structured: bool,
}

/// A set of tools, as it is typed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ToolsArg {
    /// index-search, index-update, recall
    Memfold,
    /// SessionSearch, SessionRead
    Session,
}

/// What a host's hook runs
///
/// For hosts that do not say with each call which conversation it belongs to.
#[derive(Debug, Args)]
pub(crate) struct HookArgs {
    #[command(subcommand)]
    pub(crate) event: HookEvent,
}

/// An event of a host's.
#[derive(Clone, Copy, Debug, Subcommand)]
pub(crate) enum HookEvent {
    /// Note which conversation a host runs: reads the hook's JSON on standard input, says nothing
    ///
    /// It never keeps a host from going on: whatever goes wrong, it ends with 0 and is silent, unless -v is given.
    #[command(after_help = "\
In Claude Code's settings.json:
  { \"hooks\": { \"SessionStart\": [ { \"hooks\": [
      { \"type\": \"command\", \"command\": \"memfold hook session-start\" } ] } ] } }
or: memfold setup claude")]
    SessionStart,
}

/// Print a completion script for a shell
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  memfold completions bash > ~/.local/share/bash-completion/completions/memfold
  memfold completions zsh > ~/.zfunc/_memfold
  memfold completions fish > ~/.config/fish/completions/memfold.fish")]
pub(crate) struct CompletionsArgs {
    /// The shell
    #[arg(value_name = "SHELL", action = ArgAction::Set)]
    pub(crate) shell: clap_complete::Shell,
}

/// Print a manual page
#[derive(Debug, Args)]
#[command(hide = true)]
pub(crate) struct ManArgs {
    /// The command whose page it is; else memfold's own
    #[arg(value_name = "COMMAND")]
    pub(crate) command: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn clap_finds_no_fault() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn a_word_may_begin_with_a_dash_and_options_may_follow_words() {
        let read = |line: &[&str]| match Arguments::try_parse_from(line).unwrap().command {
            Command::Search(search) => search,
            other => panic!("{other:?}"),
        };
        assert_eq!(read(&["memfold", "search", "--", "-foo"]).query, ["-foo"]);
        let search = read(&[
            "memfold",
            "search",
            "a b",
            "c",
            "-n",
            "3",
            "--kind",
            "person,plan",
            "--json",
        ]);
        assert_eq!(
            (search.query, search.number),
            (vec!["a b".to_owned(), "c".to_owned()], Some(3))
        );
        assert_eq!(search.kind, [KindArg::Person, KindArg::Plan]);
    }

    #[test]
    fn options_everywhere_stand_before_or_after_the_command() {
        for line in [["memfold", "--json", "logs"], ["memfold", "logs", "--json"]] {
            assert!(Arguments::try_parse_from(line).unwrap().everywhere.json);
        }
    }

    #[test]
    fn what_cannot_be_is_refused() {
        for line in [
            &["memfold"][..],
            &["memfold", "search"],
            &["memfold", "logs", "-q", "-v"],
            &["memfold", "logs", "-A", "--logs", "d"],
            &["memfold", "cards", "3f9a1c02", "--log", "x"],
            &["memfold", "recall", "812", "--start", "0"],
            &["memfold", "recall", "812", "--log", "x", "--logs", "d"],
            &["memfold", "forget", "--yes"],
            &["memfold", "earlier", "maybe"],
        ] {
            assert!(Arguments::try_parse_from(line).is_err(), "{line:?}");
        }
    }
}
