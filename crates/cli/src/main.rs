//! The command, `memfold`.

use std::process::ExitCode;

fn main() -> ExitCode {
    memfold_cli::main()
}
