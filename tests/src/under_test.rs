//! The command as the crash suite runs it: the same, and with it come the fail points that this package turns on for its
//! tests.

use std::process::ExitCode;

fn main() -> ExitCode {
    memfold_cli::main()
}
