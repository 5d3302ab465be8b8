//! From arguments to the engine's requests. Contradictions end here, each with a word on what to do instead.
//! Pure: who asks, and when and where, are given.

use std::path::PathBuf;

use jiff::Timestamp;
use jiff::tz::TimeZone;
use memfold::{Cause, Filter, Logs, Recall, RepoSearch, Search, Viewer};

use crate::args::{CardsArgs, LogsArgs, RecallArgs, ScopeArg, SearchArgs};
use crate::bounds;
use crate::failure::Failure;
use crate::when::{self, End};

/// What a search asks for.
pub(crate) fn search(
    args: &SearchArgs,
    viewer: Viewer,
    now: Timestamp,
    zone: impl Fn() -> TimeZone,
) -> Result<Search, Failure> {
    let logs = searched(args)?;
    if logs == Logs::Everywhere {
        everywhere(viewer)?;
    }
    let query = args.query.join(" ").trim().to_owned();
    if query.chars().all(|c| c == '"' || c.is_whitespace()) {
        return Err(Failure::usage(
            "the query is empty",
            "give the words to look for: memfold search WORD...",
        ));
    }
    let read = |typed: &Option<String>, end| {
        typed
            .as_deref()
            .map(|typed| when::moment(typed, end, now, &zone()))
            .transpose()
    };
    let (since, until) = (
        read(&args.since, End::Since)?,
        read(&args.until, End::Until)?,
    );
    if let (Some(since), Some(until)) = (since, until)
        && since >= until
    {
        return Err(Failure::usage(
            "--since is not before --until: no event can lie between",
            "swap them",
        ));
    }
    let filter = Filter {
        agents: args.agent.clone(),
        kinds: args.kind.iter().map(|kind| (*kind).into()).collect(),
        since,
        until,
        path: args.path.clone(),
    };
    Ok(Search {
        query,
        logs,
        limit: bounds::limit(args.number)?,
        filter,
    })
}

/// What a search of the repository asks for, if that is what is asked.
pub(crate) fn search_repo(args: &SearchArgs) -> Result<Option<RepoSearch>, Failure> {
    if args.scope != Some(ScopeArg::Repo) {
        return Ok(None);
    }
    if args.log.is_some() || !args.logs.is_empty() || args.all {
        searched(args)?;
    }
    let of_events = !args.agent.is_empty()
        || !args.kind.is_empty()
        || args.since.is_some()
        || args.until.is_some();
    if of_events {
        return Err(Failure::usage(
            "--agent, --kind, --since and --until are about events, -s repo is about files",
            "narrow it with --path",
        ));
    }
    Ok(Some(RepoSearch {
        query: args.query.join(" ").trim().to_owned(),
        path: args.path.clone(),
        limit: bounds::limit(args.number)?,
        cause: Cause::default(),
    }))
}

/// Which logs a search is about, if its options agree.
fn searched(args: &SearchArgs) -> Result<Logs, Failure> {
    let contradiction = |what: &str, hint: &str| Err(Failure::usage(what, hint));
    match (args.scope, &args.log, args.logs.is_empty(), args.all) {
        (Some(ScopeArg::Repo), ..) => contradiction(
            "-s repo is about files, --log, --logs and -A are about logs",
            "give one or the other",
        ),
        (_, Some(_), false, _) => contradiction(
            "--log and --logs contradict each other",
            "give one log or folders of logs",
        ),
        (_, Some(_), _, true) => contradiction(
            "--log and -A contradict each other",
            "give one log or all projects",
        ),
        (_, _, false, true) => contradiction(
            "--logs and -A contradict each other",
            "give folders of logs or all projects",
        ),
        (Some(ScopeArg::Earlier), Some(_), ..) => contradiction(
            "-s earlier and --log contradict each other",
            "leave -s out: with --log that one log is searched",
        ),
        (Some(ScopeArg::Conversation), None, true, false) => contradiction(
            "-s conversation: which one?",
            "name its log: --log FILE (memfold logs lists them)",
        ),
        (Some(ScopeArg::Conversation), None, ..) => contradiction(
            "-s conversation is one log, --logs and -A are many",
            "give --log FILE, or leave -s out",
        ),
        (_, Some(log), true, false) => Ok(Logs::File(log.clone())),
        (_, None, false, false) => Ok(Logs::Below(args.logs.clone())),
        (_, None, true, true) => Ok(Logs::Everywhere),
        (_, None, true, false) => Ok(Logs::Project),
    }
}

fn everywhere(viewer: Viewer) -> Result<(), Failure> {
    match viewer {
        Viewer::Person => Ok(()),
        Viewer::Agent => Err(Failure::persons_only("look into every project (-A)")),
    }
}

/// What a recall asks for.
pub(crate) fn recall(args: &RecallArgs) -> Result<Recall, Failure> {
    let logs = looked_for(args.log.as_ref(), &args.logs, args.all);
    let address = args.address.trim().to_owned();
    let seq = address
        .rsplit_once(':')
        .map_or(address.as_str(), |(_, seq)| seq);
    if seq.parse::<u64>().is_err() {
        return Err(Failure::usage(
            format!("{address}: no address of an event"),
            "write TASK:SEQ, as a search shows it, or SEQ with --log FILE",
        ));
    }
    if !address.contains(':') && !matches!(logs, Logs::File(_)) {
        return Err(Failure::usage(
            format!("{address}: event {address} of which log?"),
            format!("write TASK:{address}, or give --log FILE"),
        ));
    }
    Ok(Recall {
        address,
        logs,
        start: args.start,
        count: args.count,
    })
}

/// Which log cards are asked for.
pub(crate) fn cards(args: &CardsArgs) -> Logs {
    looked_for(args.log.as_ref(), &args.logs, args.all)
}

/// Where a task is looked for. The arguments' conflicts leave one of these.
fn looked_for(log: Option<&PathBuf>, logs: &[PathBuf], all: bool) -> Logs {
    match log {
        Some(log) => Logs::File(log.clone()),
        None if all => Logs::Everywhere,
        None if logs.is_empty() => Logs::Project,
        None => Logs::Below(logs.to_vec()),
    }
}

/// Which logs are to be listed.
pub(crate) fn logs(args: &LogsArgs, viewer: Viewer) -> Result<Logs, Failure> {
    if args.all {
        everywhere(viewer)?;
        return Ok(Logs::Everywhere);
    }
    Ok(if args.logs.is_empty() {
        Logs::Project
    } else {
        Logs::Below(args.logs.clone())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::{Arguments, Command};
    use crate::exit_codes::Exit;
    use clap::Parser;
    use memfold::DocumentKind;

    fn asked(line: &str, viewer: Viewer) -> Result<Search, Failure> {
        let words = ["memfold", "search"]
            .into_iter()
            .chain(line.split(' ').filter(|word| !word.is_empty()));
        let Command::Search(args) = Arguments::try_parse_from(words).unwrap().command else {
            panic!("{line}")
        };
        search(
            &args,
            viewer,
            "2026-10-02T09:14:03Z".parse().unwrap(),
            || TimeZone::UTC,
        )
    }

    fn logs_of(line: &str) -> Logs {
        asked(line, Viewer::Person).unwrap().logs
    }

    fn refusal(line: &str) -> String {
        asked(line, Viewer::Person).unwrap_err().line()
    }

    #[test]
    fn the_scope_follows_from_what_is_given() {
        assert_eq!(logs_of("x"), Logs::Project);
        assert_eq!(logs_of("x -s earlier"), Logs::Project);
        assert_eq!(logs_of("x --log f.jsonl"), Logs::File("f.jsonl".into()));
        assert_eq!(
            logs_of("x -s conversation --log f.jsonl"),
            Logs::File("f.jsonl".into())
        );
        assert_eq!(
            logs_of("x --logs a --logs b"),
            Logs::Below(vec!["a".into(), "b".into()])
        );
        assert_eq!(
            logs_of("x -s earlier --logs a"),
            Logs::Below(vec!["a".into()])
        );
        assert_eq!(logs_of("x -A"), Logs::Everywhere);
    }

    #[test]
    fn contradictions_are_errors_that_say_what_to_do() {
        for (line, what) in [
            ("x -s conversation", "-s conversation: which one?"),
            ("x -s conversation -A", "-s conversation is one log"),
            ("x -s conversation --logs d", "-s conversation is one log"),
            ("x -s earlier --log f", "-s earlier and --log"),
            ("x --log f --logs d", "--log and --logs"),
            ("x --log f -A", "--log and -A"),
            ("x --logs d -A", "--logs and -A"),
            ("x -s repo --logs d", "-s repo is about files"),
            ("x --since 1d --until 2d", "--since is not before --until"),
            ("\"\"", "the query is empty"),
        ] {
            let told = refusal(line);
            assert!(
                told.starts_with(&format!("memfold: {what}"))
                    && (told.contains("; ") || told.contains("? ")),
                "{line}: {told}"
            );
        }
    }

    #[test]
    fn every_project_is_for_persons() {
        let refused = asked("x -A", Viewer::Agent).unwrap_err();
        assert_eq!(refused.exit(), Exit::NotAllowed);
        assert!(asked("x --logs d", Viewer::Agent).is_ok());
    }

    #[test]
    fn words_are_joined_and_filters_kept() {
        let search = asked(
            "fix the \"deny list\" --agent claude,codex --kind reply --path src --since 7d -n 3",
            Viewer::Agent,
        )
        .unwrap();
        assert_eq!(
            (search.query.as_str(), search.limit),
            ("fix the \"deny list\"", 3)
        );
        assert_eq!(search.filter.agents, ["claude", "codex"]);
        assert_eq!(search.filter.kinds, [DocumentKind::Reply]);
        assert_eq!(search.filter.path.as_deref(), Some("src"));
        assert_eq!(
            search.filter.since.map(|since| since.0),
            Some(1_790_327_643_000)
        );
        assert!(search.filter.until.is_none());
    }

    #[test]
    fn an_address_is_checked_before_logs_are_looked_for() {
        let ask = |line: &[&str]| {
            let Command::Recall(args) =
                Arguments::try_parse_from([&["memfold", "recall"], line].concat())
                    .unwrap()
                    .command
            else {
                panic!()
            };
            recall(&args)
        };
        assert_eq!(ask(&["3f9a1c02:812"]).unwrap().logs, Logs::Project);
        assert_eq!(
            ask(&["812", "--log", "f"]).unwrap().logs,
            Logs::File("f".into())
        );
        assert_eq!(
            ask(&["parent/agent-1:5", "--logs", "d"]).unwrap().logs,
            Logs::Below(vec!["d".into()])
        );
        assert!(ask(&["812"]).unwrap_err().line().contains("of which log?"));
        for odd in ["", "3f9a1c02", "3f9a1c02:", "3f9a1c02:x", "a:-1"] {
            assert!(
                ask(&["--", odd]).unwrap_err().line().contains("no address"),
                "{odd}"
            );
        }
    }
}
