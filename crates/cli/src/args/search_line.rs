//! A search's line, read without what only other commands take. Clap builds each command that it is told of, which takes
//! longer than a search of a small project. Relies on [`Arguments`] for whatever else there is to say of a line.

use std::ffi::OsString;
use std::mem::ManuallyDrop;

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};

use super::{Arguments, Command, Everywhere, SearchArgs};

/// What [`Arguments`] has of a search.
#[derive(Debug, Parser)]
#[command(name = "memfold")]
struct SearchLine {
    #[command(flatten)]
    everywhere: Everywhere,
    #[command(subcommand)]
    command: SearchOnly,
}

#[derive(Debug, Subcommand)]
enum SearchOnly {
    Search(SearchArgs),
}

impl Arguments {
    /// A line that is a search without a fault. What is wrong with any other line, and its help, clap tells of the whole.
    pub(crate) fn of_search(line: &[OsString]) -> Option<Arguments> {
        if line.get(1).is_none_or(|command| command != "search") {
            return None;
        }
        // Taking it apart again costs a search more than reading its line: it goes with the process.
        let mut command = ManuallyDrop::new(SearchLine::command());
        let matches = command.try_get_matches_from_mut(line).ok()?;
        let SearchLine {
            everywhere,
            command: SearchOnly::Search(search),
        } = SearchLine::from_arg_matches(&matches).ok()?;
        Some(Arguments {
            everywhere,
            command: Command::Search(search),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_search_is_read_as_among_all_commands() {
        for line in [
            "search x",
            "search",
            "search a b -n 3 --logs d --logs e --json",
            "search -s repo --project p a --path q",
            "search --kind reply,result --agent codex -qA x",
            "search x -q -v",
            "search --since 2d --until yesterday --color always -- -x --json",
            "search --data-dir a --config-dir b --cache-dir c x --log f",
            "search --nope x",
            "search x -n many",
            "search --help",
            "search -h x",
            "search x --version",
            "search -V",
            "--json search x",
            "recall x:1",
            "help",
        ] {
            let line: Vec<OsString> = ["memfold"]
                .into_iter()
                .chain(line.split(' '))
                .map(OsString::from)
                .collect();
            let whole = Arguments::try_parse_from(&line).ok();
            let is_search = line.get(1).is_some_and(|command| command == "search");
            let told = |arguments: Option<Arguments>| arguments.map(|a| format!("{a:?}"));
            assert_eq!(
                told(Arguments::of_search(&line)),
                told(whole.filter(|_| is_search)),
                "{line:?}"
            );
        }
    }
}
