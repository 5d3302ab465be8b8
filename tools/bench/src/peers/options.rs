//! What `peers` is told on the command line.

use std::path::PathBuf;

use super::Result;
use super::asking::Effort;
use crate::generator::{Extent, Size};

/// What is measured.
pub(crate) enum What {
    /// A set that is made here.
    Made(Size),
    /// The logs of a folder, copied.
    Given(PathBuf),
}

impl What {
    pub(crate) fn name(&self) -> &'static str {
        match self {
            What::Made(size) => size.name(),
            What::Given(_) => "given",
        }
    }

    /// A folder's logs are measured as a small set is.
    pub(crate) fn extent(&self) -> Extent {
        match self {
            What::Made(size) => size.extent,
            What::Given(_) => Extent::Small,
        }
    }
}

/// What to measure, and how thoroughly.
pub(crate) struct Options {
    pub(crate) what: Vec<What>,
    pub(crate) rounds: usize,
    pub(crate) memfold: PathBuf,
    pub(crate) folder: Option<PathBuf>,
}

impl Options {
    pub(crate) fn parse(arguments: &[String]) -> Result<Options> {
        let beside = std::env::current_exe()?.with_file_name("memfold");
        let mut options = Options {
            what: Vec::new(),
            rounds: 7,
            memfold: beside,
            folder: None,
        };
        let mut quick = false;
        let mut arguments = arguments.iter();
        while let Some(argument) = arguments.next() {
            let mut value = || arguments.next().ok_or(format!("{argument} what?"));
            match argument.as_str() {
                "--quick" => quick = true,
                "--set" => options.what.push(What::Made(Size::named(value()?)?)),
                "--logs" => options.what.push(What::Given(value()?.into())),
                "--rounds" => options.rounds = value()?.parse::<usize>()?.max(1),
                "--memfold" => options.memfold = value()?.into(),
                "--folder" => options.folder = Some(value()?.into()),
                other => return Err(format!("{other} is not known").into()),
            }
        }
        if quick {
            options.rounds = options.rounds.min(3);
        }
        if options.what.is_empty() {
            let sizes = if quick { 1 } else { Size::ALL.len() };
            options.what = Size::ALL[..sizes].iter().copied().map(What::Made).collect();
        }
        if !options.memfold.is_file() {
            return Err(format!(
                "{} is not there: build it with cargo build --release -p memfold-cli, or name another with --memfold",
                options.memfold.display()
            )
            .into());
        }
        Ok(options)
    }

    /// How often each of a set's indexes is built, and each of its questions asked.
    pub(crate) fn rounds(&self, what: &What) -> usize {
        match what.extent() {
            Extent::Small => self.rounds,
            Extent::Middle | Extent::Large => self.rounds.min(3),
        }
    }

    /// How much a set is asked.
    pub(crate) fn effort(&self, what: &What) -> Effort {
        let (questions, warm) = match what.extent() {
            Extent::Small if self.rounds > 3 => (16, 100),
            _ => (8, 40),
        };
        Effort {
            questions,
            warm,
            rounds: self.rounds(what),
        }
    }
}
