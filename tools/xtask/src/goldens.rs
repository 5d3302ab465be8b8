//! Writes every golden file anew, each by the test that holds it. The difference is for a person to read.

use std::process::Command;

/// A test that writes its goldens if asked in its own way.
struct Golden {
    variable: Option<&'static str>,
    arguments: &'static [&'static str],
}

const GOLDENS: [Golden; 4] = [
    // corpus/<agent>/*.readings
    Golden {
        variable: Some("UPDATE_READINGS"),
        arguments: &["-p", "memfold-agents", "--test", "corpus"],
    },
    // crates/segment/tests/golden/
    Golden {
        variable: Some("MEMFOLD_BLESS"),
        arguments: &["-p", "memfold-segment", "--test", "golden"],
    },
    // corpus/golden/v1/, the sidecar and what is in it
    Golden {
        variable: None,
        arguments: &[
            "-p",
            "memfold-sidecar",
            "--test",
            "golden",
            "--",
            "--ignored",
        ],
    },
    // The command's help and answers
    Golden {
        variable: Some("SNAPSHOTS"),
        arguments: &["-p", "memfold-cli"],
    },
];

/// Runs them all, and then shows what changed.
///
/// # Errors
/// If one of them fails.
pub fn write() -> Result<(), String> {
    for golden in &GOLDENS {
        let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        cargo.args(["test", "--locked"]).args(golden.arguments);
        if let Some(variable) = golden.variable {
            cargo.env(variable, "overwrite");
        }
        run(&mut cargo)?;
    }
    run(Command::new("git").args(["status", "--short", "corpus", "crates"]))
}

fn run(command: &mut Command) -> Result<(), String> {
    let status = command
        .current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
        .status()
        .map_err(|error| format!("{command:?} does not start: {error}"))?;
    if status.success() {
        Ok(())
    } else {
        Err(format!("{command:?}: {status}"))
    }
}
