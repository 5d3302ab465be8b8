//! `cargo xtask NAME`.

use std::io::{self, Write};
use std::process::ExitCode;

use memfold_xtask::arrows::Workspace;
use memfold_xtask::goldens;

const USAGE: &str = "\
cargo xtask arrows     which crate depends on which; fails where one may not
cargo xtask goldens    writes every golden file anew and shows which changed";

fn main() -> ExitCode {
    let name = std::env::args().nth(1).unwrap_or_default();
    let done = match name.as_str() {
        "arrows" => arrows(),
        "goldens" => goldens::write(),
        _ => Err(USAGE.to_owned()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // Nowhere to tell that stderr is closed.
            let _ = writeln!(io::stderr(), "{error}");
            ExitCode::FAILURE
        }
    }
}

fn arrows() -> Result<(), String> {
    let workspace = Workspace::read()?;
    let mut out = io::stdout().lock();
    for arrow in &workspace.arrows {
        writeln!(out, "{arrow}").map_err(|error| error.to_string())?;
    }
    let broken = workspace.broken();
    if broken.is_empty() {
        Ok(())
    } else {
        Err(broken.join("\n"))
    }
}
