//! The command itself, as processes: killed at random moments, with files that may not grow, with few files that may be open,
//! and in folders that may not be written.

use std::fs;
use std::io::Read;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::rounds::{AGE, Random, rounds, turn};
use crate::site::{Event, QUERIES, Site};

const COMMAND: &str = env!("CARGO_BIN_EXE_memfold-under-test");
/// A tool call takes so many events at most.
const EVENTS: usize = 20;
const NOBODY: u32 = 65534;

/// A site in which an agent may search.
fn site() -> Site {
    let site = Site::of_many();
    begin(&site);
    site
}

fn begin(site: &Site) {
    site.begin();
    site.engine().set_earlier(true).unwrap();
}

/// The command in a site, with nothing of this process's environment; `before` is what a shell does first.
fn command(site: &Site, before: &str, arguments: &[&str]) -> Command {
    let mut command = Command::new("sh");
    command
        .args(["-c", &format!(r#"{before} exec "$0" "$@""#), COMMAND])
        .args(arguments)
        .env_clear()
        .env("HOME", site.root().join("home"))
        .env("AI_AGENT", "test")
        .env("MEMFOLD_FAIL_AGE", AGE.to_string())
        .current_dir(site.root().join("project"))
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

const SEARCH: [&str; 5] = ["search", "--json", "-n", "20", QUERIES[0]];

/// An answer as the command gave it: the events, and what it says beside them.
fn answer(output: &Output, when: &str) -> (Vec<Event>, Vec<String>, bool) {
    let text = String::from_utf8_lossy(&output.stdout);
    let Ok(answer) = serde_json::from_str::<Value>(&text) else {
        panic!(
            "{when}: {} {text} {}",
            output.status,
            String::from_utf8_lossy(&output.stderr)
        );
    };
    assert!(output.status.success(), "{when}: {answer}");
    let event = |hit: &Value| {
        let log = hit["log"].as_str().unwrap().into();
        let score = hit["score"].as_f64().unwrap().to_bits();
        (log, hit["seq"].as_u64().unwrap(), score)
    };
    let events = answer["results"].as_array().unwrap().iter().map(event);
    let notes = answer["notes"].as_array().unwrap().iter();
    let notes = notes.map(|note| note.as_str().unwrap().to_owned());
    let is_complete = answer["complete"].as_bool().unwrap();
    (events.collect(), notes.collect(), is_complete)
}

/// A search of a fresh process answers as the reference does; what it says beside that.
fn search(site: &Site, before: &str, when: &str) -> Vec<String> {
    let output = command(site, before, &SEARCH).output().unwrap();
    let (events, notes, is_complete) = answer(&output, when);
    let truth = site.truth(0);
    assert!(
        is_complete && events == truth[..EVENTS.min(truth.len())],
        "{when}: {notes:?}\nfound {events:?}\ninstead of {truth:?}"
    );
    notes
}

/// How long a whole first fold takes, so that a kill comes at any moment of it.
fn longest(site: &Site) -> Duration {
    let begun = Instant::now();
    let status = command(site, "", &["fold", "-q"]).status().unwrap();
    assert!(status.success());
    begun.elapsed()
}

/// Starts a call and kills it at a moment that is drawn, unless it ended before.
fn killed(site: &Site, arguments: &[&str], within: Duration, random: &mut Random) -> bool {
    let mut child = command(site, "", arguments).spawn().unwrap();
    // Sooner more often than later: most calls are shorter than the longest.
    let moment = within / 1000 * random.below(1000) as u32 / (1 << random.below(4));
    std::thread::sleep(moment);
    child.kill().unwrap();
    let mut said = String::new();
    // Nothing is waited for: whoever could write is dead.
    let _ = child.stderr.take().unwrap().read_to_string(&mut said);
    let status = child.wait().unwrap();
    assert!(
        status.signal() == Some(9) || status.success(),
        "{arguments:?}: {status} {said}"
    );
    !status.success()
}

#[test]
fn killed_at_random_moments() {
    const KILLS: usize = 24;
    let _turn = turn();
    let site = site();
    let within = longest(&site);
    let calls: [&[&str]; 4] = [
        &["fold"],
        &SEARCH,
        &["rebuild"],
        &["forget", "--sessions", "--yes"],
    ];
    for mut random in rounds() {
        begin(&site);
        let mut kills = 0;
        for number in 0..KILLS {
            let call = calls[random.below(calls.len())];
            let was_killed = killed(&site, call, within, &mut random);
            kills += usize::from(was_killed);
            let when = format!("{call:?}, killed: {was_killed}, the {number}th");
            site.logs_are_unchanged(&when);
            let notes = search(&site, "", &when);
            assert_eq!(notes, Vec::<String>::new(), "{when}");
            if number % 3 == 2 {
                site.is_whole(&when);
                // From the beginning again.
                if random.below(2) == 0 {
                    begin(&site);
                }
            }
        }
        site.is_whole("after all of it");
        println!("{kills} of {KILLS} were killed before their end");
    }
}

/// Two at once, one of which is killed: the other answers, and finds no lock and no half of a file.
#[test]
fn one_of_two_is_killed() {
    let _turn = turn();
    let site = site();
    let within = longest(&site);
    for mut random in rounds() {
        for _ in 0..3 {
            begin(&site);
            let other = command(&site, "", &SEARCH).spawn().unwrap();
            killed(&site, &["fold"], within, &mut random);
            let output = other.wait_with_output().unwrap();
            let (events, _, is_complete) = answer(&output, "beside one that was killed");
            assert!(is_complete && events == site.truth(0)[..EVENTS.min(events.len())]);
            site.is_whole("one of two was killed");
        }
    }
}

/// No file may grow beyond a few hundred bytes or kilobytes: EFBIG, from the system itself.
#[test]
fn files_that_may_not_grow() {
    let _turn = turn();
    let site = site();
    for blocks in [0, 1, 4, 8, 16, 64] {
        begin(&site);
        let before = format!("trap '' XFSZ; ulimit -f {blocks};");
        let when = format!("files of {blocks} blocks");
        let notes = search(&site, &before, &when);
        assert!(!notes.is_empty() || blocks > 4, "{when}: {notes:?}");
        assert!(notes.iter().all(|note| !note.contains('\n')), "{notes:?}");
        let output = command(&site, &before, &["fold"]).output().unwrap();
        assert!(output.status.success(), "{when}: {output:?}");
        site.is_whole(&when);
    }
}

/// From too few open files for a process to begin with, to enough: what cannot be opened is said, nothing is harmed, and with
/// enough all is well.
#[test]
fn few_files_may_be_open() {
    let _turn = turn();
    let site = site();
    let (mut answered, mut whole) = (0, 0);
    for files in (5..14).chain([20, 32, 48, 128]) {
        for is_new in [true, false] {
            begin(&site);
            if !is_new {
                site.fold();
            }
            let when = format!("{files} open files");
            let output = command(&site, &format!("ulimit -n {files};"), &SEARCH).output();
            let output = output.unwrap();
            // Too few to read the switch: then no, in a line.
            if output.status.success() {
                let (events, notes, is_complete) = answer(&output, &when);
                answered += 1;
                if is_complete {
                    whole += 1;
                    assert!(
                        events == site.truth(0)[..EVENTS.min(events.len())],
                        "{when}"
                    );
                } else {
                    assert!(!notes.is_empty(), "{when}");
                }
            } else {
                assert!(output.status.code().is_some(), "{when}: {output:?}");
            }
            site.is_whole(&when);
        }
    }
    assert!(
        answered > 8 && whole > 4,
        "{answered} answered, {whole} whole"
    );
}

fn chown(path: &Path, user: u32) {
    std::os::unix::fs::chown(path, Some(user), Some(user)).unwrap();
}

/// Gives everything below a folder to a user whom modes bind.
fn give(path: &Path, user: u32) {
    if path.is_dir() {
        for entry in fs::read_dir(path).unwrap() {
            give(&entry.unwrap().path(), user);
        }
    }
    chown(path, user);
}

fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

/// Each folder may be read only: the logs', the cache, the data, the config, and all of them.
#[test]
fn folders_that_may_not_be_written() {
    let _turn = turn();
    let site = site();
    let is_root = fs::metadata("/proc/self").is_ok_and(|meta| {
        use std::os::unix::fs::MetadataExt;
        meta.uid() == 0
    });
    // The command where whoever it is may reach it.
    let place = tempfile::tempdir().unwrap();
    set_mode(place.path(), 0o755);
    let copy = place.path().join("memfold");
    fs::copy(COMMAND, &copy).unwrap();
    let dirs = site.dirs();
    let logs = site.logs().next().unwrap().parent().unwrap().to_owned();
    let folders = [&logs, &dirs.cache, &dirs.data, &dirs.config];
    let all = [1, 2, 4, 8, 15].map(|set| -> Vec<&Path> {
        let in_set = folders
            .iter()
            .enumerate()
            .filter(|(n, _)| set >> n & 1 == 1);
        in_set.map(|(_, folder)| folder.as_path()).collect()
    });
    for read_only in all {
        for is_new in [true, false] {
            begin(&site);
            folders
                .iter()
                .for_each(|folder| fs::create_dir_all(folder).unwrap());
            if !is_new {
                site.fold();
            }
            set_mode(site.root(), 0o755);
            if is_root {
                give(site.root(), NOBODY);
            }
            read_only.iter().for_each(|folder| set_mode(folder, 0o555));
            let when = format!("{read_only:?} may not be written, new: {is_new}");
            let run = |arguments: &[&str]| {
                let mut command = command(&site, "", &[]);
                command.env("COMMAND", &copy);
                let mut command_as = Command::new(&copy);
                command_as
                    .args(arguments)
                    .env_clear()
                    .envs(
                        command
                            .get_envs()
                            .filter_map(|(name, value)| Some((name, value?))),
                    )
                    .current_dir(site.root().join("project"))
                    .stdin(Stdio::null());
                if is_root {
                    command_as.uid(NOBODY).gid(NOBODY);
                }
                command_as.output().unwrap()
            };
            for _ in 0..2 {
                let (events, notes, is_complete) = answer(&run(&SEARCH), &when);
                let truth = site.truth(0);
                assert!(
                    is_complete && events == truth[..EVENTS.min(truth.len())],
                    "{when}"
                );
                assert!(notes.iter().all(|note| !note.contains('\n')), "{notes:?}");
                if is_new && read_only.len() == 1 && *read_only[0] == dirs.cache {
                    assert!(!notes.is_empty(), "{when}");
                }
            }
            let folded = run(&["fold"]);
            assert!(folded.status.success(), "{when}: {folded:?}");
            read_only.iter().for_each(|folder| set_mode(folder, 0o700));
            if is_root {
                give(site.root(), 0);
            }
            site.logs_are_unchanged(&when);
            site.answers(&when);
        }
    }
}
