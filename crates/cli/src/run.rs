//! One call of the command: arguments, the engine, the answer, the exit code.

use std::ffi::OsString;
use std::io::{IsTerminal, Write};
use std::mem::ManuallyDrop;
use std::path::PathBuf;

use clap::error::ErrorKind;
use clap::{ColorChoice, CommandFactory, FromArgMatches};
use jiff::Timestamp;
use memfold::{
    Cause, FoldReport, Forgotten, Memfold, Options, RepoReport, RepoUpdate, ResumeCommand, Viewer,
};
use serde::Serialize;

use crate::args::{
    Arguments, ColorWhen, Command, EarlierArgs, Everywhere, ForgetArgs, ManArgs, Switch,
};
use crate::ask;
use crate::clock::{self, Clock};
use crate::exit_codes::Exit;
use crate::failure::Failure;
use crate::host;
use crate::measure;
use crate::output;
use crate::progress::Bar;
use crate::render::{self, Asked, Look};
use crate::request;
use crate::style;
use crate::viewer;

/// Runs the command that `line` spells, its program's name first.
pub(crate) fn run(line: Vec<OsString>) -> Exit {
    let arguments = match read(&line) {
        Ok(arguments) => arguments,
        Err(error) => return refuse(&error, given(&line, "--json")),
    };
    let json = arguments.everywhere.json;
    match answer(arguments) {
        Ok(exit) => exit,
        Err(failure) => tell(&failure, json),
    }
}

fn read(line: &[OsString]) -> Result<Arguments, clap::Error> {
    if let Some(search) = Arguments::of_search(line) {
        return Ok(search);
    }
    // Taking it apart again costs more than reading the line: it goes with the process.
    let mut command = ManuallyDrop::new(Arguments::command().color(help_colour(line)));
    let matches = command.try_get_matches_from_mut(line)?;
    Arguments::from_arg_matches(&matches)
}

/// What clap says: a help or version that was asked for, or why the arguments cannot be read.
fn refuse(error: &clap::Error, json: bool) -> Exit {
    if !error.use_stderr() {
        // Help that nobody reads any more is no error.
        let _ = error.print();
        return Exit::Success;
    }
    if json && error.kind() != ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
        let text = error.render().to_string();
        let message = text
            .lines()
            .next()
            .unwrap_or_default()
            .trim_start_matches("error: ");
        return tell(&Failure::usage(message, "see memfold --help"), true);
    }
    let _ = error.print();
    Exit::Failure
}

/// Tells a failure: with `--json` as the answer, else on standard error.
fn tell(failure: &Failure, json: bool) -> Exit {
    if !matches!(failure, Failure::Closed) {
        // Where even this cannot be written, the exit code still says it.
        if json {
            let _ = output::print_json(&failure.object(), std::io::stdout().is_terminal());
        } else {
            let _ = writeln!(std::io::stderr().lock(), "{}", failure.line());
        }
    }
    failure.exit()
}

/// Whether an option is given, before clap has read the line.
fn given(line: &[OsString], option: &str) -> bool {
    line.iter()
        .take_while(|word| *word != "--")
        .any(|word| word == option)
}

/// Help is coloured as answers are: by `--color`, else by the terminal and `NO_COLOR`, which clap looks at itself.
fn help_colour(line: &[OsString]) -> ColorChoice {
    let mut words = line
        .iter()
        .take_while(|word| *word != "--")
        .filter_map(|word| word.to_str());
    let typed = words.find_map(|word| word.strip_prefix("--color").map(str::to_owned));
    let value = match typed.as_deref() {
        Some("") => words.next().map(str::to_owned),
        Some(value) => value.strip_prefix('=').map(str::to_owned),
        None => None,
    };
    match value.as_deref() {
        Some("always") => ColorChoice::Always,
        Some("never") => ColorChoice::Never,
        _ => ColorChoice::Auto,
    }
}

fn answer(arguments: Arguments) -> Result<Exit, Failure> {
    let Arguments {
        everywhere,
        command,
    } = arguments;
    match &command {
        // These need no project.
        Command::Completions(args) => {
            let mut script = Vec::new();
            clap_complete::generate(
                args.shell,
                &mut Arguments::command(),
                "memfold",
                &mut script,
            );
            return output::print(&String::from_utf8_lossy(&script)).map(|()| Exit::Success);
        }
        Command::Man(args) => return output::print(&manual(args)?).map(|()| Exit::Success),
        // An agent's host starts these. Each asks which project it is about by itself, if at all.
        Command::Mcp(args) => return host::serve(args, &everywhere).map(|()| Exit::Success),
        Command::Hook(args) => return host::hook(args.event, &everywhere).map(|()| Exit::Success),
        _ => {}
    }
    // What it opened and read goes with the process.
    ManuallyDrop::new(Call::new(everywhere)?).answer(&command)
}

/// A page for one command: clap_mangen writes one a command, as git has them.
fn manual(args: &ManArgs) -> Result<String, Failure> {
    let mut command = Arguments::command();
    command.build();
    let page = match &args.command {
        None => command,
        Some(name) => {
            let found = command.find_subcommand(name).cloned();
            found.ok_or_else(|| {
                Failure::usage(format!("{name}: no such command"), "see memfold --help")
            })?
        }
    };
    let mut text = Vec::new();
    let source = concat!("memfold ", env!("CARGO_PKG_VERSION"));
    clap_mangen::Man::new(page)
        .source(source)
        .manual("memfold manual")
        .render(&mut text)?;
    Ok(String::from_utf8_lossy(&text).into_owned())
}

/// A call: the options of every command, and who makes it.
pub(crate) struct Call {
    pub(crate) everywhere: Everywhere,
    pub(crate) viewer: Viewer,
    pub(crate) engine: Memfold,
}

impl Call {
    fn new(everywhere: Everywhere) -> Result<Call, Failure> {
        let viewer = viewer::viewer(|name| std::env::var_os(name), viewer::terminal_opens);
        let working_directory = std::env::current_dir().map_err(|error| memfold::Error::File {
            path: PathBuf::from("."),
            what: format!("no working directory: {error}"),
            hint: "go to a folder that exists".to_owned(),
        })?;
        let engine = Memfold::open(Options {
            project: everywhere.project.clone(),
            working_directory,
            data_dir: everywhere.data_dir.clone(),
            config_dir: everywhere.config_dir.clone(),
            cache_dir: everywhere.cache_dir.clone(),
            viewer,
            variables: Box::new(|name| std::env::var_os(name)),
            roll_from: memfold::ROLL_FROM,
        })?;
        Ok(Call {
            everywhere,
            viewer,
            engine,
        })
    }

    fn answer(&self, command: &Command) -> Result<Exit, Failure> {
        let quiet = self.everywhere.quiet || self.everywhere.json;
        let bar = Bar::new(quiet);
        match command {
            Command::Search(args) => {
                if let Some(search) = request::search_repo(args)? {
                    let answer = self.engine.search_repo(&search, &Bar::reading(quiet))?;
                    self.show(&answer, |look| render::files(&answer, look))?;
                    return Ok(Exit::found(!answer.results.is_empty()));
                }
                let zone = || clock::local_zone(|name| std::env::var_os(name));
                let search = request::search(args, self.viewer, Timestamp::now(), zone)?;
                let answer = self.engine.search(&search, &bar)?;
                self.show(&answer, |look| {
                    render::search(&answer, &Asked::from(&search.logs), look)
                })?;
                Ok(Exit::found(!answer.results.is_empty()))
            }
            Command::Recall(args) => {
                let event = self.engine.recall(&request::recall(args)?, &bar)?;
                self.show(&event, |look| render::recall(&event, look))?;
                Ok(Exit::Success)
            }
            Command::Cards(args) => {
                let cards = self
                    .engine
                    .cards(args.task.as_deref(), &request::cards(args))?;
                self.show(&cards, |look| render::cards(&cards, look))?;
                Ok(Exit::found(!cards.cards.is_empty()))
            }
            Command::Logs(args) => {
                let list = self.engine.logs(&request::logs(args, self.viewer)?)?;
                let folders: Vec<_> = args.logs.iter().map(|dir| dir.to_string_lossy()).collect();
                let elsewhere = match (args.all, folders.is_empty()) {
                    (true, _) => Some("all projects".to_owned()),
                    (false, false) => Some(folders.join(", ")),
                    (false, true) => None,
                };
                self.show(&list, |look| {
                    render::logs(&list, elsewhere.as_deref(), look)
                })?;
                Ok(Exit::found(!list.logs.is_empty()))
            }
            Command::Resume(args) => {
                let resume = self.engine.resume(&args.task)?;
                if args.exec {
                    return execute(&resume);
                }
                self.show(&resume, |_| render::resume(&resume))?;
                Ok(Exit::Success)
            }
            Command::Fold(args) => self.folded(&self.engine.fold(&args.paths, &bar)?),
            Command::Rebuild(args) if args.repo => {
                let report = self.engine.rebuild_repo()?;
                self.covers(&report)
            }
            Command::Update(args) => {
                let bar = Bar::reading(quiet);
                let update = RepoUpdate {
                    path: args.path.clone(),
                    cause: Cause::default(),
                };
                let report = self.engine.update_repo(&update, &bar)?;
                self.covers(&report)
            }
            Command::Rebuild(args) => self.folded(&self.engine.rebuild(&args.paths, &bar)?),
            Command::Verify(args) => {
                let report = self.engine.verify(&args.paths, &bar)?;
                self.show(&report, |look| render::verified(&report, look))?;
                if report.wrong > 0 {
                    Ok(Exit::Nothing)
                } else {
                    Ok(ended(&report))
                }
            }
            Command::Status(_) => {
                let status = self.engine.status()?;
                self.show(&status, |look| render::status(&status, look))?;
                Ok(Exit::Success)
            }
            Command::Forget(args) => self.forget(args),
            Command::Earlier(args) => self.earlier(args),
            Command::Measure(args) => {
                let report = self.engine.measure(&measure::request(args), &bar)?;
                if let Some(file) = &args.html {
                    measure::write_page(file, &report)?;
                }
                self.show(&report, |look| render::measure(&report, look))?;
                Ok(Exit::found(report.total.logs > 0))
            }
            Command::Setup(args) => self.setup(args),
            Command::Doctor(_) => self.doctor(),
            Command::Mcp(_) | Command::Hook(_) | Command::Completions(_) | Command::Man(_) => {
                Ok(Exit::Success)
            }
        }
    }

    fn folded(&self, report: &FoldReport) -> Result<Exit, Failure> {
        self.show(report, |look| render::folded(report, look))?;
        Ok(ended(report))
    }

    /// What the repository's index covers.
    fn covers(&self, report: &RepoReport) -> Result<Exit, Failure> {
        self.show(report, |look| render::coverage(report, look))?;
        Ok(Exit::Success)
    }

    fn forget(&self, args: &ForgetArgs) -> Result<Exit, Failure> {
        if !args.yes {
            if !viewer::terminal_opens() {
                return Err(Failure::usage(
                    "forget: there is no terminal to ask on",
                    "add --yes",
                ));
            }
            let what = match (args.sessions, args.repo) {
                (true, true) => "the sidecars of this project's logs, the repository's index",
                (true, false) => "the sidecars of this project's logs",
                (false, _) => "the repository's index",
            };
            let record = "and the record of what agents asked";
            if !ask::yes(&format!("Remove {what}, {record}? Logs and files stay."))? {
                return Ok(Exit::Nothing);
            }
        }
        let mut gone = match args.sessions {
            true => self.engine.forget_sessions()?,
            false => Forgotten {
                schema: 1,
                sidecars: 0,
                files: 0,
                bytes: 0,
                notes: Vec::new(),
            },
        };
        if args.repo {
            let index = self.engine.forget_repo()?;
            gone.files += usize::try_from(index.files).unwrap_or(usize::MAX);
            gone.bytes += index.bytes;
        }
        self.engine.forget_record(&mut gone);
        self.show(&gone, |look| render::forgotten(&gone, look))?;
        Ok(Exit::Success)
    }

    fn earlier(&self, args: &EarlierArgs) -> Result<Exit, Failure> {
        let switch = match args.to {
            None => self.engine.earlier()?,
            Some(Switch::Off) => self.engine.set_earlier(false)?,
            Some(Switch::On) => {
                if self.viewer == Viewer::Agent {
                    return Err(Failure::persons_only("turn earlier tasks on"));
                }
                let now = self.engine.earlier()?;
                let name = now
                    .project
                    .file_name()
                    .unwrap_or(now.project.as_os_str())
                    .to_string_lossy()
                    .into_owned();
                if !now.on
                    && !ask::yes(&format!(
                        "May agents search and read the earlier tasks of {name}?"
                    ))?
                {
                    return Ok(Exit::Nothing);
                }
                self.engine.set_earlier(true)?
            }
        };
        self.show(&switch, |look| render::earlier(&switch, look))?;
        Ok(Exit::Success)
    }

    /// Writes an answer, as JSON or as text.
    pub(crate) fn show(
        &self,
        answer: &impl Serialize,
        text: impl FnOnce(&Look) -> String,
    ) -> Result<(), Failure> {
        let terminal = std::io::stdout().is_terminal();
        if self.everywhere.json {
            return output::print_json(answer, terminal);
        }
        let variable = |name: &str| std::env::var_os(name);
        let size = if terminal {
            terminal_size::terminal_size_of(std::io::stdout())
        } else {
            None
        };
        output::print(&text(&Look {
            paint: style::wanted(
                self.everywhere.color.unwrap_or(ColorWhen::Auto),
                terminal,
                variable,
            ),
            width: size
                .map(|(width, _)| usize::from(width.0))
                .filter(|width| *width > 0),
            clock: Clock::new(clock::local_zone(variable), Timestamp::now()),
            home: variable("HOME").map(PathBuf::from),
            verbose: self.everywhere.verbose,
            quiet: self.everywhere.quiet,
        }))
    }
}

/// A log that could not be folded is an error, whatever became of the others.
fn ended(report: &FoldReport) -> Exit {
    if render::failures(report) > 0 {
        Exit::Failure
    } else {
        Exit::Success
    }
}

/// Becomes the agent's command.
fn execute(resume: &ResumeCommand) -> Result<Exit, Failure> {
    let Some((program, arguments)) = resume.command.split_first() else {
        return Err(Failure::Command {
            what: "this task has no command that continues it".to_owned(),
            hint: String::new(),
        });
    };
    let mut command = std::process::Command::new(program);
    command.args(arguments);
    if let Some(directory) = &resume.directory {
        command.current_dir(directory);
    }
    let wrong = |error: std::io::Error| Failure::Command {
        what: format!("{program}: {error}"),
        hint: format!(
            "is {} installed, and is the task's folder still there?",
            resume.agent
        ),
    };
    #[cfg(unix)]
    {
        use std::os::unix::process::CommandExt;
        Err(wrong(command.exec()))
    }
    #[cfg(not(unix))]
    {
        let status = command.status().map_err(wrong)?;
        if status.success() {
            Ok(Exit::Success)
        } else {
            Ok(Exit::Failure)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &[&str]) -> Vec<OsString> {
        line.iter().map(OsString::from).collect()
    }

    #[test]
    fn the_line_is_scanned_only_before_the_dashes() {
        assert!(given(
            &words(&["memfold", "search", "x", "--json"]),
            "--json"
        ));
        assert!(!given(
            &words(&["memfold", "search", "--", "--json"]),
            "--json"
        ));
    }

    #[test]
    fn help_takes_its_colour_from_the_option() {
        assert_eq!(
            help_colour(&words(&["memfold", "--color", "never", "--help"])),
            ColorChoice::Never
        );
        assert_eq!(
            help_colour(&words(&["memfold", "--help", "--color=always"])),
            ColorChoice::Always
        );
        assert_eq!(
            help_colour(&words(&["memfold", "--help"])),
            ColorChoice::Auto
        );
    }
}
