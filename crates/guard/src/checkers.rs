//! A person's own checkers. Each is asked about the files its patterns mean: it refuses them, or asks, or is a command whose
//! exit code says. A checker can only tighten, and one that fails refuses.

mod command;

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::budget::Budget;
use crate::decision::{Refusal, Spent};
use crate::path::TreePath;
use crate::patterns::Patterns;
use crate::rules::RuleName;

use command::{Answer, ask};

/// One checker of the person's configuration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Checker {
    /// What the person calls it.
    pub name: String,
    /// The files it is asked about; all if there are none.
    pub paths: Patterns,
    /// What it does.
    pub then: Then,
}

/// What a checker does with a file it is asked about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Then {
    /// Refuses it.
    Refuse,
    /// Asks the person. As nobody is asked here, this refuses too, and is recorded as such.
    Ask,
    /// Runs a program, without a shell, with the file's absolute path as its last argument. It runs in `/`, with `PATH`,
    /// `HOME` and `LANG` alone, without input, and its output is thrown away. Exit code 0 lets the file be read, 1 refuses,
    /// 2 would ask; anything else, and taking too long, is a failure, which refuses.
    Run {
        /// The program, by its absolute path.
        program: PathBuf,
        /// The arguments before the path.
        arguments: Vec<String>,
        /// How long it may take.
        time: Duration,
    },
}

impl Checker {
    /// How long a program may take, unless the person says otherwise.
    pub const TIME: Duration = Duration::from_secs(5);

    /// Whether it lets the file of that root be read.
    pub(crate) fn check(
        &self,
        root: &Path,
        path: &TreePath,
        budget: &Budget,
    ) -> Result<(), Refusal> {
        if !self.paths.is_empty() && !self.paths.matches(path) {
            return Ok(());
        }
        let rule = RuleName(self.name.clone().into());
        let (program, arguments, time) = match &self.then {
            Then::Refuse => return Err(Refusal::Checker { rule }),
            Then::Ask => return Err(Refusal::NotAsked { rule }),
            Then::Run {
                program,
                arguments,
                time,
            } => (program, arguments, *time),
        };
        let left = budget
            .time_left()
            .ok_or(Refusal::Budget { of: Spent::Time })?;
        match ask(program, arguments, &root.join(path), time.min(left)) {
            Answer::Yes => Ok(()),
            Answer::No => Err(Refusal::Checker { rule }),
            Answer::Ask => Err(Refusal::NotAsked { rule }),
            // Cut short by the call's own limit, not by the checker's.
            Answer::TooLong if left < time => Err(Refusal::Budget { of: Spent::Time }),
            Answer::TooLong => Err(Refusal::CheckerFailed {
                rule,
                how: format!("took more than {} s", time.as_secs_f32()),
            }),
            Answer::Failed(how) => Err(Refusal::CheckerFailed { rule, how }),
        }
    }

    /// Says all that its answers depend on, for the rules' version.
    pub(crate) fn describe(&self, say: &mut impl FnMut(&str)) {
        say(&self.name);
        self.paths.written().iter().for_each(|pattern| say(pattern));
        match &self.then {
            Then::Refuse => say("refuse"),
            Then::Ask => say("ask"),
            Then::Run {
                program, arguments, ..
            } => {
                say("run");
                say(&program.to_string_lossy());
                arguments.iter().for_each(|argument| say(argument));
            }
        }
    }
}
