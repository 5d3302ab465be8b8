//! Whether memfold is registered with each host, read from the hosts' settings as they are now.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use memfold_hosts::{
    FileError, Host, Part, Place, Places, Registered, SettingsFile, holds, plugged, registered,
};
use serde::Serialize;

/// The hosts, as an answer has them.
#[derive(Debug, Serialize)]
pub(crate) struct HostList {
    /// The version of this shape.
    pub(crate) schema: u32,
    /// Every host, found or not.
    pub(crate) hosts: Vec<HostRow>,
}

/// One host.
#[derive(Debug, Serialize)]
pub(crate) struct HostRow {
    /// Its name, as it is typed.
    pub(crate) host: &'static str,
    /// Whether it is here.
    pub(crate) found: bool,
    /// How memfold stands with it.
    pub(crate) registered: Standing,
    /// The command line that it starts, or another program's under memfold's name.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) command: Vec<String>,
    /// The file that says so.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "text")]
    pub(crate) file: Option<PathBuf>,
    /// Whether it may call the tools without asking; nothing where it has no such rule of ours.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) allow: Option<bool>,
    /// Whether its hook says which conversation it runs; nothing where it needs none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) hook: Option<bool>,
    /// Why that cannot be told.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) why: Option<String>,
}

fn text<S: serde::Serializer>(path: &Option<PathBuf>, to: S) -> Result<S::Ok, S::Error> {
    match path {
        Some(path) => to.collect_str(&path.display()),
        None => to.serialize_none(),
    }
}

/// How memfold stands with a host.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Standing {
    /// It starts memfold's server.
    Yes,
    /// It does by memfold's plugin.
    Plugin,
    /// It would, but the program it names is not there.
    Gone,
    /// A person turned it off there.
    Off,
    /// It does not know memfold.
    No,
    /// Another program has memfold's name.
    Other,
    /// Its settings cannot be read.
    Unreadable,
}

/// Looks at every host.
pub(crate) fn hosts(variable: &dyn Fn(&str) -> Option<OsString>, project: &Path) -> HostList {
    let places = Places::new(variable, project);
    HostList {
        schema: 1,
        hosts: Host::ALL
            .into_iter()
            .map(|host| row(host, &places, variable("PATH")))
            .collect(),
    }
}

fn row(host: Host, places: &Places<'_>, path: Option<OsString>) -> HostRow {
    let place = places.file(host, Part::Server);
    let mut row = HostRow {
        host: host.name(),
        found: places.is_found(host),
        registered: Standing::No,
        command: Vec::new(),
        file: place.as_ref().ok().map(|place| place.path.clone()),
        allow: None,
        hook: None,
        why: None,
    };
    match place.and_then(|place| read(host, &place)) {
        Ok(standing) => (row.registered, row.command) = told(standing, path.as_deref()),
        Err(FileError::NoHome(_)) => {}
        Err(error) => {
            row.registered = Standing::Unreadable;
            row.why = Some(error.to_string());
        }
    }
    for place in places.elsewhere(host) {
        // One that cannot be read there is not what a registration stands on.
        let Ok(standing) = read(host, &place) else {
            continue;
        };
        let (registered, command) = told(standing, path.as_deref());
        let counts = match registered {
            // A project's goes before a person's own: its program is started under memfold's name.
            Standing::Other => true,
            Standing::No => false,
            _ => row.registered == Standing::No,
        };
        if counts {
            (row.registered, row.command) = (registered, command);
            row.file = Some(place.path);
        }
    }
    if row.registered == Standing::No && by_plugin(host, places).unwrap_or(false) {
        // It brings the hook along, and its tools have other names than the rule says.
        row.registered = Standing::Plugin;
        return row;
    }
    for part in host.parts() {
        let there = has(host, *part, places).ok();
        match part {
            Part::Server => {}
            Part::Allow => row.allow = there,
            Part::Hook => row.hook = there,
        }
    }
    row
}

fn told(standing: Registered, path: Option<&OsStr>) -> (Standing, Vec<String>) {
    let can_start = standing.can_start(path);
    match standing {
        Registered::No => (Standing::No, Vec::new()),
        Registered::Yes(line) if can_start => (Standing::Yes, line),
        Registered::Yes(line) => (Standing::Gone, line),
        Registered::Off(line) => (Standing::Off, line),
        Registered::Other(line) => (Standing::Other, line),
    }
}

fn read(host: Host, place: &Place) -> Result<Registered, FileError> {
    let file = SettingsFile::read(place)?;
    let text = file.text().unwrap_or_default();
    registered(host, text).map_err(|refused| file.refused(refused))
}

/// Whether a host has memfold's plugin.
pub(crate) fn by_plugin(host: Host, places: &Places<'_>) -> Result<bool, FileError> {
    let Some(place) = places.plugins(host)? else {
        return Ok(false);
    };
    let file = SettingsFile::read(&place)?;
    let text = file.text().unwrap_or_default();
    plugged(host, text).map_err(|refused| file.refused(refused))
}

fn has(host: Host, part: Part, places: &Places<'_>) -> Result<bool, FileError> {
    let file = SettingsFile::read(&places.file(host, part)?)?;
    let text = file.text().unwrap_or_default();
    holds(host, part, text).map_err(|refused| file.refused(refused))
}
