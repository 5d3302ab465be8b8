//! Crashes in the middle of a publish, each in a process of its own that aborts at a named point:
//! what is there afterwards is the old file or the new one.

use std::fs;
use std::io;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, ExitStatus, Output, Stdio};
use std::time::Duration;

use crate::testing::{child, folder, job, names};
use crate::{Locks, Mode, PublishError, publish};

const BEFORE_RENAME: [&str; 4] = [
    "publish.created",
    "publish.written",
    "publish.synced",
    "publish.verified",
];
const ABORTED: i32 = 6;

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
            let published = publish(&path, Mode::Private, |out| out.write_all(&content), check);
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

/// Runs a publish that is to end at that point, and gives what it printed.
fn publish_until(point: &str, target: &Path) -> (ExitStatus, String) {
    let mut command = child("publish", target);
    let output = command
        .env("MEMFOLD_FAIL_AT", point)
        .stdout(Stdio::piped())
        .output()
        .unwrap();
    (output.status, String::from_utf8(output.stdout).unwrap())
}

#[test]
fn a_crash_leaves_the_old_file_or_the_new_one() {
    for before in [Some(&b"old"[..]), None] {
        for point in BEFORE_RENAME.into_iter().chain(["publish.renamed"]) {
            let folder = folder();
            let target = folder.path().join("x.mem");
            if let Some(old) = before {
                fs::write(&target, old).unwrap();
            }
            let (status, _) = publish_until(point, &target);
            assert_eq!(status.signal(), Some(ABORTED), "{point} was not reached");

            let (now, left) = (fs::read(&target).ok(), names(folder.path()).len());
            if point == "publish.renamed" {
                assert_eq!(now, Some(new_content()), "{point}");
                assert_eq!(left, 1, "{point}");
            } else {
                assert_eq!(now.as_deref(), before, "{point}");
                assert_eq!(left, 1 + usize::from(before.is_some()), "{point}");
            }
            // What a crash left is in nobody's way.
            assert!(child("publish", &target).status().unwrap().success());
            assert_eq!(fs::read(&target).unwrap(), new_content());
        }
    }
}

#[test]
fn a_full_disk_leaves_the_old_file_and_nothing_else() {
    for point in BEFORE_RENAME {
        let folder = folder();
        let target = folder.path().join("x.mem");
        fs::write(&target, b"old").unwrap();
        let (status, said) = publish_until(&format!("{point}:enospc"), &target);
        assert!(
            status.success() && said.contains("no space"),
            "{point}: {said}"
        );
        assert_eq!(fs::read(&target).unwrap(), b"old");
        assert_eq!(names(folder.path()), ["x.mem"]);
    }
}

#[test]
fn once_renamed_it_is_published() {
    let folder = folder();
    let target = folder.path().join("x.mem");
    let (status, said) = publish_until("publish.renamed:enospc", &target);
    assert!(
        status.success() && said.contains("published, durable: false"),
        "{said}"
    );
    assert_eq!(fs::read(&target).unwrap(), new_content());
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
