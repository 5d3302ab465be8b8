//! Crashes in the middle of a publish, each in a process of its own that dies at one of its steps:
//! what is there afterwards is the old file or the new one.

use std::fs;
use std::io;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, ExitStatus, Output, Stdio};
use std::time::Duration;

use crate::fail::{Fault, Kind, Plan};
use crate::testing::{child, folder, job, names};
use crate::{Locks, Mode, PublishError, publish};

const KILLED: i32 = 9;
const NO_SPACE: i32 = 28;

/// More than one buffer of the sink, and not a whole number of them.
fn new_content() -> Vec<u8> {
    (0..400_001u32).map(|n| (n % 251) as u8).collect()
}

/// Not a test of its own: what the children of the other tests do.
#[test]
fn child_does_its_job() {
    let Some((job, path)) = job() else { return };
    match job.as_str() {
        "publish" => {
            let content = new_content();
            let check = |bytes: &[u8]| {
                (bytes == content)
                    .then_some(())
                    .ok_or_else(|| io::Error::other("not as written"))
            };
            let write = |out: &mut dyn io::Write| {
                content
                    .chunks(150_000)
                    .try_for_each(|part| out.write_all(part))
            };
            let published = publish(&path, Mode::Private, write, check);
            match published {
                Ok(published) => println!("published, durable: {}", published.durable),
                Err(PublishError::Disk(error)) if error.is_no_space() => println!("no space"),
                Err(error) => panic!("{error}"),
            }
        }
        "publish carelessly" => {
            let write = |out: &mut dyn io::Write| {
                let _ = out.write_all(&new_content());
                Ok::<(), io::Error>(())
            };
            match publish(&path, Mode::Private, write, |_| Ok(())) {
                Err(PublishError::Disk(error)) => println!("refused: {error}"),
                other => panic!("{other:?}"),
            }
        }
        "lock" => {
            let _held = Locks::new(path).lock("key", Duration::ZERO).unwrap();
            // On a line of its own, wherever the test program's own words end.
            println!("\nheld");
            // Until the parent closes its end.
            io::copy(&mut io::stdin(), &mut io::sink()).unwrap();
        }
        other => panic!("no such job: {other}"),
    }
}

/// Runs a publish with a plan, and gives what it printed.
fn publish_with(plan: Plan, target: &Path) -> (ExitStatus, String) {
    let mut command = child("publish", target);
    let output = command
        .env("MEMFOLD_FAIL_AT", plan.text())
        .stdout(Stdio::piped())
        .output()
        .unwrap();
    (output.status, String::from_utf8(output.stdout).unwrap())
}

fn at(at: usize, fault: Fault) -> Plan {
    Plan {
        kind: Kind::Change,
        at,
        fault,
    }
}

#[test]
fn a_crash_at_any_step_leaves_the_old_file_or_the_new_one() {
    for (before, fault) in [
        (Some(&b"old"[..]), Fault::Die),
        (None, Fault::Die),
        (Some(&b"old"[..]), Fault::DieHalfway),
    ] {
        let mut seen_new = false;
        for step in 1.. {
            let folder = folder();
            let target = folder.path().join("x.mem");
            if let Some(old) = before {
                fs::write(&target, old).unwrap();
            }
            let (status, _) = publish_with(at(step, fault), &target);
            if status.success() {
                // Made, written three times, synced, renamed, its folder synced.
                assert_eq!(step, 8);
                break;
            }
            assert_eq!(status.signal(), Some(KILLED), "step {step}");

            let (now, left) = (fs::read(&target).ok(), names(folder.path()).len());
            let there = usize::from(now.is_some());
            if now.as_deref() == before && !seen_new {
                assert!(left == there || left == there + 1, "step {step}");
            } else {
                seen_new = true;
                assert!(now == Some(new_content()), "step {step}");
                assert_eq!(left, 1, "step {step}");
            }
            // What a crash left is in nobody's way.
            assert!(child("publish", &target).status().unwrap().success());
            assert!(fs::read(&target).unwrap() == new_content());
        }
        assert!(seen_new);
    }
}

#[test]
fn a_full_disk_at_any_step_leaves_the_old_file_and_nothing_else() {
    for step in 1.. {
        let folder = folder();
        let target = folder.path().join("x.mem");
        fs::write(&target, b"old").unwrap();
        let (status, said) = publish_with(at(step, Fault::Once(NO_SPACE)), &target);
        assert!(status.success(), "step {step}: {said}");
        assert_eq!(names(folder.path()), ["x.mem"]);
        if said.contains("published") {
            // Once renamed it is published.
            assert!(said.contains("durable: false"), "step {step}: {said}");
            assert!(step == 7 && fs::read(&target).unwrap() == new_content());
            break;
        }
        assert!(said.contains("no space"), "step {step}: {said}");
        assert_eq!(fs::read(&target).unwrap(), b"old");
    }
}

/// A real limit of the system instead of a point of ours: no file may grow past some 50 KiB.
fn limited(job: &str, target: &Path, before: &str) -> Output {
    let plain = child(job, target);
    let mut command = Command::new("sh");
    command.args(["-c", &format!(r#"{before} ulimit -f 100; exec "$@""#), "sh"]);
    command.arg(plain.get_program()).args(plain.get_args());
    command.envs(
        plain
            .get_envs()
            .filter_map(|(name, value)| Some((name, value?))),
    );
    command.output().unwrap()
}

#[test]
fn killed_in_the_middle_of_a_write() {
    const FILE_TOO_LARGE: i32 = 25;
    let folder = folder();
    let target = folder.path().join("x.mem");
    fs::write(&target, b"old").unwrap();
    let output = limited("publish", &target, "");
    assert_eq!(output.status.signal(), Some(FILE_TOO_LARGE));
    assert_eq!(fs::read(&target).unwrap(), b"old");
    assert_eq!(names(folder.path()).len(), 2);
}

#[test]
fn an_error_that_the_writing_side_drops_is_still_one() {
    let folder = folder();
    let target = folder.path().join("x.mem");
    fs::write(&target, b"old").unwrap();
    let output = limited("publish carelessly", &target, "trap '' XFSZ;");
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(said.contains("refused: cannot write"), "{said}");
    assert_eq!(fs::read(&target).unwrap(), b"old");
    assert_eq!(names(folder.path()), ["x.mem"]);
}
