//! A made-up home with one project and one log of Claude Code, below a temporary folder, and the command run there.
//! Nothing of the real home is seen: the environment is empty but for what is set here.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The task of the log.
pub(crate) const TASK: &str = "3f9a1c02-5d1e-4c7f-9b1a-000000000001";

/// A home, a project in it, and a log that an agent wrote about it.
pub(crate) struct House {
    folder: tempfile::TempDir,
}

/// How a call ended.
pub(crate) struct Ended {
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl House {
    pub(crate) fn new() -> House {
        let house = House {
            folder: tempfile::tempdir().unwrap(),
        };
        std::fs::create_dir_all(house.project().join(".git")).unwrap();
        std::fs::create_dir_all(house.log().parent().unwrap()).unwrap();
        std::fs::create_dir_all(house.copies()).unwrap();
        let text = house.log_text();
        std::fs::write(house.log(), &text).unwrap();
        // A copy elsewhere is a file like any other: an agent may read it whatever the switch says.
        std::fs::write(house.copy(), &text).unwrap();
        house
    }

    pub(crate) fn root(&self) -> PathBuf {
        self.folder.path().canonicalize().unwrap()
    }

    pub(crate) fn project(&self) -> PathBuf {
        self.root().join("home/api")
    }

    pub(crate) fn log(&self) -> PathBuf {
        self.root()
            .join("home/.claude/projects/-api")
            .join(format!("{TASK}.jsonl"))
    }

    pub(crate) fn copies(&self) -> PathBuf {
        self.root().join("copies")
    }

    pub(crate) fn copy(&self) -> PathBuf {
        self.copies().join(format!("{TASK}.jsonl"))
    }

    fn log_text(&self) -> String {
        let line = |uuid: &str, kind: &str, minute: u32, message: &str| {
            let cwd = self.project();
            let cwd = cwd.display();
            format!(
                r#"{{"type":"{kind}","uuid":"{uuid}","sessionId":"{TASK}","cwd":"{cwd}","timestamp":"2026-10-02T09:{minute}:03.000Z","message":{message}}}"#
            ) + "\n"
        };
        [
            line("u1", "user", 10, r#"{"role":"user","content":"fix the denylist test"}"#),
            line(
                "u2",
                "assistant",
                13,
                r#"{"id":"m1","role":"assistant","content":[{"type":"text","text":"I will run its tests."},{"type":"tool_use","id":"t1","name":"Bash","input":{"command":"cargo test -p guard"}}]}"#,
            ),
            line(
                "u3",
                "user",
                14,
                r#"{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","is_error":true,"content":"Exit code 101\nrunning 3 tests\ndenylist::symlink check FAILED\u001b[0m"}]}"#,
            ),
            line(
                "u4",
                "assistant",
                31,
                r#"{"id":"m2","role":"assistant","stop_reason":"end_turn","content":[{"type":"text","text":"Links are now resolved first."}]}"#,
            ),
        ]
        .concat()
    }

    /// The command in the project's folder, with nothing in its environment but this house.
    pub(crate) fn command(&self, program: impl AsRef<std::ffi::OsStr>) -> Command {
        let mut command = Command::new(program);
        let root = self.root();
        command
            .env_clear()
            .current_dir(self.project())
            .stdin(Stdio::null());
        command.env("HOME", root.join("home")).env("TZ", "UTC0");
        command.env("CLAUDE_CONFIG_DIR", root.join("home/.claude"));
        command.env("CODEX_HOME", root.join("home/.codex"));
        for (name, folder) in [("DATA", "data"), ("CONFIG", "config"), ("CACHE", "cache")] {
            command.env(format!("MEMFOLD_{name}_DIR"), root.join(folder));
        }
        command
    }

    /// Runs it as an agent would.
    pub(crate) fn agent(&self, arguments: &[&str]) -> Ended {
        let mut command = self.command(env!("CARGO_BIN_EXE_memfold"));
        let output = command
            .env("AI_AGENT", "test")
            .args(arguments)
            .output()
            .unwrap();
        Ended {
            code: output.status.code().unwrap(),
            out: String::from_utf8(output.stdout).unwrap(),
            err: String::from_utf8(output.stderr).unwrap(),
        }
    }

    /// Runs it as a person would, who types something: `script` gives the command a terminal of its own.
    #[cfg(target_os = "linux")]
    pub(crate) fn person(&self, arguments: &str, typed: &str) -> (i32, String) {
        let line = format!(
            "stty rows 24 cols 60; {} {arguments}",
            env!("CARGO_BIN_EXE_memfold")
        );
        let mut command = self.command("script");
        command
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("TERM", "dumb")
            .args(["-qec", &line, "/dev/null"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut input = child.stdin.take().unwrap();
        input.write_all(typed.as_bytes()).unwrap();
        drop(input);
        let output = child.wait_with_output().unwrap();
        (
            output.status.code().unwrap(),
            String::from_utf8(output.stdout).unwrap().replace('\r', ""),
        )
    }

    /// Every path written, for text that is compared.
    pub(crate) fn plain(&self, text: &str) -> String {
        text.replace(&path(&self.root()), "ROOT")
    }
}

/// A path as an argument.
pub(crate) fn path(path: &Path) -> String {
    path.to_str().unwrap().to_owned()
}
