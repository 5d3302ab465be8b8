//! `memfold doctor`: what is here, what is registered where, what is out of order; for each finding what to do about it. It
//! looks, and changes nothing.

use std::path::Path;

use memfold::{Health, KeptHealth, SidecarHealth, SidecarState, Viewer};
use memfold_mcp::Noted;
use serde::Serialize;

use crate::exit_codes::Exit;
use crate::failure::Failure;
use crate::numbers;
use crate::registered::{self, HostRow, Standing};
use crate::render;
use crate::run::Call;

/// Everything that was found.
#[derive(Debug, Serialize)]
pub(crate) struct Diagnosis {
    /// The version of this shape.
    pub(crate) schema: u32,
    /// The project's name.
    pub(crate) project: String,
    /// Whether there is nothing to do.
    pub(crate) well: bool,
    /// By what they are about.
    pub(crate) findings: Vec<Finding>,
}

/// One finding.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Finding {
    /// What it is about: an agent, a host, `sidecars`, `data`, `earlier`, …
    pub(crate) about: String,
    /// Whether something is to be done.
    pub(crate) level: Level,
    /// What was found.
    pub(crate) what: String,
    /// The file or folder.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) path: Option<String>,
    /// The logs that it is about, where they are several.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) logs: Vec<String>,
    /// What to do about it, or what can be done.
    #[serde(rename = "do", skip_serializing_if = "String::is_empty")]
    pub(crate) hint: String,
}

/// Whether something is to be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Level {
    /// All is well.
    Ok,
    /// All is well; something can be done.
    May,
    /// Something is to be done.
    Todo,
}

impl Finding {
    fn new(about: impl Into<String>, level: Level, what: impl Into<String>) -> Finding {
        Finding {
            about: about.into(),
            level,
            what: what.into(),
            path: None,
            logs: Vec::new(),
            hint: String::new(),
        }
    }

    fn at(self, path: &Path) -> Finding {
        Finding {
            path: Some(path.display().to_string()),
            ..self
        }
    }

    fn hint(self, hint: impl Into<String>) -> Finding {
        Finding {
            hint: hint.into(),
            ..self
        }
    }
}

impl Call {
    /// Looks at everything, and ends with 1 if there is something to do.
    pub(crate) fn doctor(&self) -> Result<Exit, Failure> {
        let health = self.engine.health();
        let hosts = registered::hosts(&|name| std::env::var_os(name), self.engine.project()).hosts;
        let noted = memfold_mcp::noted(self.engine.data_dir());
        let diagnosis = diagnose(&health, &hosts, noted, self.viewer);
        self.show(&diagnosis, |look| render::doctor(&diagnosis, look))?;
        Ok(match diagnosis.well {
            true => Exit::Success,
            false => Exit::Nothing,
        })
    }
}

/// The findings, in the order of the way from an agent's log to a model's question.
fn diagnose(health: &Health, hosts: &[HostRow], noted: Noted, viewer: Viewer) -> Diagnosis {
    let mut findings = agents(health);
    findings.extend(sidecars(&health.sidecars, viewer));
    findings.extend(health.kept.iter().map(kept));
    findings.extend(health.folders.iter().map(|folder| match &folder.refused {
        None => Finding::new(folder.name, Level::Ok, "can be written").at(&folder.path),
        Some(why) => Finding::new(folder.name, Level::Todo, why)
            .at(&folder.path)
            .hint("see who owns it and its mode, or name another folder: MEMFOLD_DATA_DIR and the like"),
    }));
    findings.extend(registrations(hosts));
    findings.extend(notes(hosts, noted));
    findings.push(match &health.earlier {
        Ok(true) => Finding::new(
            "earlier",
            Level::Ok,
            "on: agents may search this project's earlier tasks",
        )
        .hint("memfold earlier off"),
        Ok(false) => Finding::new(
            "earlier",
            Level::May,
            "off: agents may not search this project's earlier tasks",
        )
        .hint("memfold earlier on"),
        Err(why) => Finding::new("earlier", Level::Todo, why)
            .hint("mend or remove that file; until then it is off"),
    });
    Diagnosis {
        schema: 1,
        project: health.project.clone(),
        well: !findings.iter().any(|finding| finding.level == Level::Todo),
        findings,
    }
}

fn agents(health: &Health) -> Vec<Finding> {
    let mut findings: Vec<Finding> = health
        .agents
        .iter()
        .map(|agent| {
            let what = format!(
                "{}, {} of this project",
                numbers::len(agent.logs, "log"),
                numbers::count(agent.of_project as u64)
            );
            let finding = Finding::new(agent.agent, Level::Ok, what);
            match agent.folders.first() {
                Some(folder) => finding.at(folder),
                None => finding,
            }
        })
        .collect();
    if findings.is_empty() {
        findings.push(
            Finding::new("agents", Level::May, "no agent's logs were found").hint(
                "README's table says where each agent keeps them; any other folder: --logs DIR",
            ),
        );
    }
    findings.extend(health.unreadable.iter().map(|why| {
        Finding::new("agents", Level::Todo, why)
            .hint("see who owns it and its mode; what is in it is not searched")
    }));
    findings
}

fn sidecars(sidecars: &SidecarHealth, viewer: Viewer) -> Vec<Finding> {
    let whose = match viewer {
        Viewer::Person => "all logs'",
        Viewer::Agent => "this project's",
    };
    let stale = [
        (&sidecars.behind, "behind their logs"),
        (&sidecars.missing, "not made yet"),
        (&sidecars.unproved, "not proved here yet"),
    ];
    let counted = stale.map(|(logs, what)| (logs.len(), what));
    let counts: Vec<String> = std::iter::once((sidecars.current, "up to date"))
        .chain(counted)
        .filter(|(count, _)| *count > 0)
        .map(|(count, what)| format!("{} {what}", numbers::count(count as u64)))
        .collect();
    let mut findings = Vec::new();
    if !counts.is_empty() {
        let what = format!("{whose}: {}", counts.join(", "));
        let logs: Vec<String> = stale
            .iter()
            .flat_map(|(logs, _)| logs.iter())
            .map(|log| log.display().to_string())
            .collect();
        findings.push(match logs.is_empty() {
            true => Finding::new("sidecars", Level::Ok, what),
            false => Finding {
                logs,
                ..Finding::new("sidecars", Level::May, what)
                    .hint("a search does what is needed; now: memfold fold")
            },
        });
    }
    findings.extend(sidecars.wrong.iter().map(|(path, state)| {
        let (level, what, hint) = match state {
            SidecarState::Older => (
                Level::May,
                "made by an earlier version of memfold".to_owned(),
                "a search makes it anew; now: memfold fold",
            ),
            SidecarState::Newer => (
                Level::Todo,
                "made by a later version of memfold, and left as it is".to_owned(),
                "update this memfold, or start the agent's session anew if its server is the older one",
            ),
            SidecarState::Damaged(what) if what.starts_with("damaged") => {
                (Level::Todo, what.clone(), "memfold fold")
            }
            SidecarState::Damaged(what) => {
                (Level::Todo, format!("damaged: {what}"), "memfold fold")
            }
            SidecarState::Unreadable(why) => {
                (Level::Todo, why.clone(), "see who owns it and its mode")
            }
        };
        Finding::new("sidecars", level, what).at(path).hint(hint)
    }));
    findings
}

fn kept(kept: &KeptHealth) -> Finding {
    let finding = match (&kept.wrong, &kept.holds) {
        (Some(wrong), _) => Finding::new(kept.name, Level::Todo, wrong).hint(match kept.name {
            "repository" => "memfold rebuild --repo",
            _ => "memfold rebuild",
        }),
        (None, _) if kept.is_newer => Finding::new(
            kept.name,
            Level::Todo,
            "written by a later version of memfold, and left as it is",
        )
        .hint("update this memfold"),
        (None, Some(holds)) => Finding::new(kept.name, Level::Ok, holds),
        (None, None) => Finding::new(
            kept.name,
            Level::Ok,
            "none yet: a search makes it where it pays",
        ),
    };
    match kept.holds {
        Some(_) => finding.at(&kept.path),
        None => finding,
    }
}

fn registrations(hosts: &[HostRow]) -> Vec<Finding> {
    let any = hosts
        .iter()
        .any(|row| matches!(row.registered, Standing::Yes | Standing::Plugin));
    let mut findings: Vec<Finding> = hosts
        .iter()
        .filter(|row| row.found || row.registered != Standing::No)
        .map(|row| {
            let setup = format!("memfold setup {}", row.host);
            let finding = match row.registered {
                Standing::Yes => registered(row),
                Standing::Plugin => Finding::new(row.host, Level::Ok, "registered by its plugin"),
                Standing::Gone => Finding::new(
                    row.host,
                    Level::Todo,
                    format!(
                        "registered, but its program is gone: {}",
                        row.command.join(" ")
                    ),
                )
                .hint(setup),
                Standing::Off => {
                    Finding::new(row.host, Level::May, "registered, and turned off there")
                        .hint(format!("turn it on there, or: {setup} --remove"))
                }
                // One is enough: which others a person wants is theirs to say.
                Standing::No if any => {
                    Finding::new(row.host, Level::May, "not registered").hint(setup)
                }
                Standing::No => Finding::new(row.host, Level::Todo, "not registered").hint(setup),
                Standing::Other => Finding::new(
                    row.host,
                    Level::Todo,
                    format!(
                        "another program has the name memfold: {}",
                        row.command.join(" ")
                    ),
                )
                .hint("rename or remove that entry"),
                Standing::Unreadable => {
                    Finding::new(row.host, Level::Todo, row.why.clone().unwrap_or_default())
                        .hint("mend that file: the host cannot read it either")
                }
            };
            match &row.file {
                Some(file) if row.registered != Standing::No => finding.at(file),
                _ => finding,
            }
        })
        .collect();
    if findings.is_empty() {
        findings.push(
            Finding::new("hosts", Level::May, "no host of agents was found")
                .hint("memfold setup HOST registers with one that is elsewhere"),
        );
    }
    findings
}

/// A host that starts the server, with what else could be allowed it.
fn registered(row: &HostRow) -> Finding {
    let missing: Vec<&str> = [
        (row.allow == Some(false)).then_some("asks before each call"),
        (row.hook == Some(false)).then_some("no hook of a session's start"),
    ]
    .into_iter()
    .flatten()
    .collect();
    match missing.is_empty() {
        true => Finding::new(row.host, Level::Ok, "registered"),
        false => Finding::new(
            row.host,
            Level::May,
            format!("registered; {}", missing.join(", ")),
        )
        .hint(format!("memfold setup {}", row.host)),
    }
}

/// What hooks have noted: worth a line where one is registered.
fn notes(hosts: &[HostRow], noted: Noted) -> Option<Finding> {
    let is_hooked = hosts.iter().any(|row| row.hook == Some(true));
    let what = format!(
        "{} of sessions, {} of them running",
        numbers::len(noted.hosts, "note"),
        numbers::count(noted.running as u64)
    );
    match (is_hooked, noted.hosts) {
        (false, 0) => None,
        (true, 0) => Some(
            Finding::new(
                "hook",
                Level::May,
                "registered; no session has begun with it yet",
            )
            .hint("start a session of that host; then look again"),
        ),
        (_, _) => Some(Finding::new("hook", Level::Ok, what)),
    }
}
