//! A made-up session, whoever's log it becomes: turns of a person's request, thoughts, remarks, calls with their results,
//! and a reply that ends the turn.

use super::project::{File, Project};
use crate::random::Random;

/// What happens next.
pub(crate) enum Step {
    /// The person asks: a turn begins.
    Asks(String),
    /// The agent thinks; the log keeps it as data nobody reads.
    Thinks(String),
    /// The agent says something on the way.
    Remarks(String),
    /// The agent calls a tool, which returns.
    Calls(Box<Call>),
    /// The agent answers: the turn ends.
    Replies(String),
}

/// A call and its result.
pub(crate) struct Call {
    pub(crate) tool: Tool,
    pub(crate) result: String,
}

/// What is called, with what.
pub(crate) enum Tool {
    /// Reads a piece of a file.
    Read {
        path: String,
        from: usize,
        count: usize,
        total: usize,
        content: String,
    },
    /// Runs a command.
    Run {
        command: String,
        description: String,
        exit: i32,
    },
    /// Replaces a piece of a file.
    Edit {
        path: String,
        from: usize,
        old: String,
        new: String,
        /// The whole file as it was; hosts keep it for some edits.
        original: Option<String>,
    },
    /// Looks for a name.
    Grep { pattern: String },
}

/// A session on a project: its steps, one after another, without end.
pub(crate) struct Session<'p> {
    project: &'p Project<'p>,
    pub(crate) random: Random,
    /// The files it works on.
    hot: Vec<usize>,
    /// Steps of the present turn that are still to come.
    left: usize,
    thought: bool,
}

impl<'p> Session<'p> {
    pub(crate) fn new(project: &'p Project<'p>, mut random: Random) -> Session<'p> {
        let hot = (0..3 + random.below(9))
            .map(|_| random.below(project.files.len()))
            .collect();
        Session {
            project,
            random,
            hot,
            left: 0,
            thought: false,
        }
    }

    /// A turn's first step.
    pub(crate) fn ask(&mut self) -> Step {
        self.left = 2 + self.random.below(20);
        self.thought = false;
        Step::Asks(self.prose(1, 3))
    }

    /// The next step of the turn; the reply is its last.
    pub(crate) fn go_on(&mut self) -> Step {
        if self.left == 0 {
            return Step::Replies(self.prose(1, 4));
        }
        if !self.thought && self.random.chance(0.3) {
            self.thought = true;
            return Step::Thinks(self.prose(1, 2));
        }
        self.thought = false;
        self.left -= 1;
        if self.random.chance(0.22) {
            return Step::Remarks(self.prose(1, 1));
        }
        Step::Calls(Box::new(self.call()))
    }

    fn prose(&mut self, least: usize, most: usize) -> String {
        let paragraphs = least + self.random.below(most - least + 1);
        let project = self.project;
        project
            .words
            .prose(&mut self.random, &project.names, paragraphs)
    }

    fn file(&mut self) -> &'p File {
        let hot = self.random.pick(&self.hot);
        let any = self.random.below(self.project.files.len());
        let number = if self.random.chance(0.85) { hot } else { any };
        &self.project.files[number]
    }

    fn call(&mut self) -> Call {
        let file = self.file();
        match self.random.below(100) {
            0..30 => self.read(file),
            30..70 => self.run(file),
            70..88 => self.edit(file),
            _ => self.grep(),
        }
    }

    fn read(&mut self, file: &File) -> Call {
        let (from, lines) = file.piece(&mut self.random, 4200);
        Call {
            result: Project::numbered(from, lines),
            tool: Tool::Read {
                path: self.path(file),
                from,
                count: lines.len(),
                total: file.lines.len(),
                content: lines.join("\n"),
            },
        }
    }

    fn run(&mut self, file: &File) -> Call {
        let project = self.project;
        let random = &mut self.random;
        let path = &file.path;
        let name = project.names.snake(random);
        let (command, (result, exit)) = match random.below(5) {
            0 => (
                format!(
                    "cargo test --release {name} 2>&1 | tail -{}",
                    20 + random.below(70)
                ),
                project.tests(random, file),
            ),
            1 => (
                format!(
                    "cd {} && git diff HEAD~{} -- {path}",
                    project.folder,
                    1 + random.below(4)
                ),
                (project.difference(random, file), 0),
            ),
            2 => (
                "ls -la | head -50; git log --oneline | head".to_owned(),
                (project.listing(random), 0),
            ),
            3 => {
                let (from, lines) = file.piece(random, 2000);
                let to = from + lines.len();
                (
                    format!("sed -n '{},{to}p' {path}", from + 1),
                    (lines.join("\n"), 0),
                )
            }
            _ => (
                format!("cargo check -p {name} --message-format short 2>&1"),
                (project.complaints(random, file), 1),
            ),
        };
        let mut description = String::new();
        project
            .words
            .sentence(random, &project.names, &mut description);
        Call {
            tool: Tool::Run {
                command,
                description,
                exit,
            },
            result,
        }
    }

    fn edit(&mut self, file: &File) -> Call {
        let (from, lines) = file.piece(&mut self.random, 700);
        let old = lines.join("\n");
        let name = self.project.names.snake(&mut self.random);
        let new = format!("{}\n    {name}();", old.replacen('(', "_next(", 1));
        let path = self.path(file);
        Call {
            result: format!(
                "The file {path} has been updated. Here is a part of it:\n{}",
                Project::numbered(from, lines)
            ),
            tool: Tool::Edit {
                path,
                from,
                old,
                new,
                original: self.random.chance(0.4).then(|| file.lines.join("\n")),
            },
        }
    }

    fn grep(&mut self) -> Call {
        let pattern = self.project.names.snake(&mut self.random).to_owned();
        Call {
            result: self.project.matches(&pattern),
            tool: Tool::Grep { pattern },
        }
    }

    fn path(&self, file: &File) -> String {
        format!("{}/{}", self.project.folder, file.path)
    }
}
