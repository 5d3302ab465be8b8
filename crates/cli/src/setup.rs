//! `memfold setup`: what would be written into a host's settings is shown first, and written only if the person says so, part
//! by part. An agent is shown it, and no more.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use memfold::Viewer;
use memfold_hosts::{
    FileError, Host, Part, Places, Program, Refused, SettingsFile, add, difference, remove,
};
use serde::Serialize;

use crate::args::SetupArgs;
use crate::ask;
use crate::exit_codes::Exit;
use crate::failure::Failure;
use crate::registered;
use crate::render;
use crate::run::Call;

/// What was done, or would be.
#[derive(Debug, Serialize)]
pub(crate) struct SetupAnswer {
    /// The version of this shape.
    pub(crate) schema: u32,
    /// The host.
    pub(crate) host: &'static str,
    #[serde(skip)]
    pub(crate) of: Host,
    /// Part by part.
    pub(crate) steps: Vec<Step>,
    /// What else is to be known.
    pub(crate) notes: Vec<String>,
}

/// One part of a registration.
#[derive(Debug, Serialize)]
pub(crate) struct Step {
    /// `server`, `allow` or `hook`.
    pub(crate) part: &'static str,
    #[serde(skip)]
    pub(crate) of: Part,
    /// Whether it is added or taken away.
    pub(crate) action: Action,
    /// The settings file.
    #[serde(serialize_with = "text")]
    pub(crate) file: PathBuf,
    /// What is replaced, where that is a link.
    #[serde(skip)]
    pub(crate) leads_to: Option<PathBuf>,
    /// The lines that change, as a unified difference.
    pub(crate) change: String,
    /// What became of it.
    pub(crate) done: Done,
}

fn text<S: serde::Serializer>(path: &Path, to: S) -> Result<S::Ok, S::Error> {
    to.collect_str(&path.display())
}

/// What is done with a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Action {
    /// It is written.
    Add,
    /// It is taken away.
    Remove,
}

/// What became of a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Done {
    /// The file was changed.
    Written,
    /// Nothing was to be done.
    Already,
    /// It is shown, and was not written.
    Shown,
    /// The person said no.
    Declined,
}

/// What may be done with what is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Consent {
    /// Each part is asked about.
    Ask,
    /// It was given beforehand.
    Given,
    /// Nothing is written.
    ShowOnly,
}

impl Call {
    /// Registers memfold with a host, or says with which it is registered.
    pub(crate) fn setup(&self, args: &SetupArgs) -> Result<Exit, Failure> {
        let variable = |name: &str| std::env::var_os(name);
        let Some(host) = args.host.map(Host::from) else {
            let list = registered::hosts(&variable, self.engine.project());
            self.show(&list, |look| render::host_list(&list, look))?;
            return Ok(Exit::Success);
        };
        let consent = match (self.viewer, args.yes, self.everywhere.json) {
            (Viewer::Agent, ..) | (_, false, true) => Consent::ShowOnly,
            (Viewer::Person, true, _) => Consent::Given,
            (Viewer::Person, false, false) => Consent::Ask,
        };
        let mut work = Work {
            host,
            places: Places::new(&variable, self.engine.project()),
            consent,
            files: BTreeMap::new(),
            steps: Vec::new(),
            notes: Vec::new(),
        };
        if args.remove {
            self.undo(&mut work)?;
        } else if registered::by_plugin(host, &work.places)? {
            // Registered twice, its tools would be there twice.
            work.notes.push(format!(
                "{} has memfold's plugin, which registers it: nothing is to be written",
                host.title()
            ));
        } else {
            let program = Program::new(
                &std::env::current_exe()?,
                variable("PATH").as_deref(),
                self.engine.project(),
            );
            let parts: Vec<Part> = host
                .parts()
                .iter()
                .copied()
                .filter(|part| match part {
                    Part::Server => true,
                    Part::Allow => args.allow || !args.yes,
                    Part::Hook => args.hook || !args.yes,
                })
                .collect();
            self.register(&mut work, &parts, &program, variable("PATH"))?;
        }
        self.ended(work)
    }

    fn register(
        &self,
        work: &mut Work<'_>,
        parts: &[Part],
        program: &Program,
        path: Option<OsString>,
    ) -> Result<(), Failure> {
        for part in parts {
            let host = work.host;
            let step = work.plan(*part, Action::Add, |text| {
                add(host, *part, program, path.as_deref(), text)
            })?;
            let step = self.decide(work, step)?;
            let goes_on = step.done != Done::Declined || *part != Part::Server;
            work.steps.push(step);
            if !goes_on {
                // What remains is about a server that the host would not know.
                break;
            }
        }
        Ok(())
    }

    /// Shows a part, asks, and writes.
    fn decide(&self, work: &mut Work<'_>, mut step: Step) -> Result<Step, Failure> {
        if step.done == Done::Already {
            return Ok(step);
        }
        self.tell(work.host, &step)?;
        let may = match work.consent {
            Consent::ShowOnly => return Ok(step),
            Consent::Given => true,
            Consent::Ask => ask::yes(&format!("Write this to {}?", step.file.display()))?,
        };
        step.done = match may {
            true => {
                work.write(&step.file)?;
                Done::Written
            }
            false => {
                work.forget(&step.file);
                Done::Declined
            }
        };
        Ok(step)
    }

    /// Takes all parts away, after one question.
    fn undo(&self, work: &mut Work<'_>) -> Result<(), Failure> {
        let host = work.host;
        for part in host.parts().iter().rev() {
            let planned = work.plan(*part, Action::Remove, |text| remove(host, *part, text));
            match planned {
                Ok(step) => {
                    if step.done == Done::Shown {
                        self.tell(host, &step)?;
                    }
                    work.steps.push(step);
                }
                // The other parts may still be ours.
                Err(Failure::Settings(FileError::Refused {
                    path,
                    source: source @ Refused::Foreign(_),
                })) => work
                    .notes
                    .push(format!("{}: {source}; left as it is", path.display())),
                Err(error) => return Err(error),
            }
        }
        let shown = work
            .steps
            .iter()
            .filter(|step| step.done == Done::Shown)
            .count();
        let may = match work.consent {
            _ if shown == 0 => return Ok(()),
            Consent::ShowOnly => return Ok(()),
            Consent::Given => true,
            Consent::Ask => ask::yes(&format!("Take this away from {}?", host.title()))?,
        };
        let done = if may { Done::Written } else { Done::Declined };
        let mut files = Vec::new();
        for step in work
            .steps
            .iter_mut()
            .filter(|step| step.done == Done::Shown)
        {
            step.done = done;
            files.push(step.file.clone());
        }
        if may {
            files.iter().try_for_each(|file| work.write(file))?;
        }
        Ok(())
    }

    /// Shows one part, before its question. Programs get all parts at the end.
    fn tell(&self, host: Host, step: &Step) -> Result<(), Failure> {
        match self.everywhere.json {
            true => Ok(()),
            false => self.show(step, |look| render::setup_step(host, step, look)),
        }
    }

    fn ended(&self, work: Work<'_>) -> Result<Exit, Failure> {
        let mut answer = SetupAnswer {
            schema: 1,
            host: work.host.name(),
            of: work.host,
            steps: work.steps,
            notes: work.notes,
        };
        let any = |done| answer.steps.iter().any(|step| step.done == done);
        let (shown, declined) = (any(Done::Shown), any(Done::Declined));
        let is_agent = self.viewer == Viewer::Agent;
        if shown && self.everywhere.json {
            answer.notes.push(match is_agent {
                true => "nothing was written: only a person may do that, in their own terminal"
                    .to_owned(),
                false => "nothing was written: add --yes".to_owned(),
            });
        }
        self.show(&answer, |look| render::setup_end(&answer, look))?;
        match (shown, declined) {
            (true, _) if is_agent && self.everywhere.json => Ok(Exit::NotAllowed),
            (true, _) if is_agent => Err(Failure::persons_only(format!(
                "change the settings of {}",
                answer.of.title()
            ))),
            (_, true) => Ok(Exit::Nothing),
            _ => Ok(Exit::Success),
        }
    }
}

/// A registration under way: the files it is about, each with the text that was agreed to so far.
struct Work<'a> {
    host: Host,
    places: Places<'a>,
    consent: Consent,
    files: BTreeMap<PathBuf, (SettingsFile, Option<String>)>,
    steps: Vec<Step>,
    notes: Vec<String>,
}

impl Work<'_> {
    /// What a part changes, on top of what was planned before it.
    fn plan(
        &mut self,
        part: Part,
        action: Action,
        change: impl Fn(&str) -> Result<Option<String>, Refused>,
    ) -> Result<Step, Failure> {
        let place = self.places.file(self.host, part)?;
        let (file, planned) = match self.files.remove(&place.path) {
            Some(known) => known,
            None => (SettingsFile::read(&place)?, None),
        };
        let before = planned.as_deref().or(file.text()).unwrap_or_default();
        let after = change(before).map_err(|refused| file.refused(refused))?;
        let step = Step {
            part: part.name(),
            of: part,
            action,
            file: place.path.clone(),
            leads_to: file.leads_to().map(PathBuf::from),
            change: after
                .as_deref()
                .map(|after| difference(before, after))
                .unwrap_or_default(),
            done: match after {
                Some(_) => Done::Shown,
                None => Done::Already,
            },
        };
        self.files.insert(place.path, (file, after.or(planned)));
        Ok(step)
    }

    /// Puts in place what is planned for a file, if it was not before.
    fn write(&mut self, path: &Path) -> Result<(), Failure> {
        // Read anew for the next part: it is another file now.
        if let Some((file, Some(text))) = self.files.remove(path) {
            file.write(&text)?;
        }
        Ok(())
    }

    /// Drops what is planned for a file.
    fn forget(&mut self, path: &Path) {
        self.files.remove(path);
    }
}
