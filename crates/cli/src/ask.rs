//! One question to the person, on the terminal itself: neither a pipe nor a file can answer it.

use std::fs::OpenOptions;
use std::io::{self, BufRead, BufReader, Write};

use crate::safe;

/// Asks. Only a plain yes is a yes.
pub(crate) fn yes(question: &str) -> io::Result<bool> {
    let (input, output) = if cfg!(windows) {
        ("CONIN$", "CONOUT$")
    } else {
        ("/dev/tty", "/dev/tty")
    };
    let input = OpenOptions::new().read(true).open(input)?;
    let mut output = OpenOptions::new().write(true).open(output)?;
    write!(output, "{} [y/N] ", safe::inline(question))?;
    output.flush()?;
    let mut answer = String::new();
    BufReader::new(input).read_line(&mut answer)?;
    Ok(is_yes(&answer))
}

fn is_yes(answer: &str) -> bool {
    matches!(answer.trim().to_ascii_lowercase().as_str(), "y" | "yes")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_yes_is_yes() {
        assert!(["y\n", "Y", " yes \n", "YES"].into_iter().all(is_yes));
        assert!(!["", "\n", "n", "yep", "ja", "y y"].into_iter().any(is_yes));
    }
}
