//! Answers of a line: the command that continues a task, the switch, what was removed.

use memfold::{EarlierSwitch, Forgotten, ResumeCommand};

use super::{Look, Page};
use crate::numbers;
use crate::safe;
use crate::shell;
use crate::style::{FAINT, Line, PLAIN, TITLE};

/// A command line to paste.
pub(crate) fn resume(command: &ResumeCommand) -> String {
    let line = shell::join(command.command.iter().map(String::as_str));
    match &command.directory {
        Some(directory) => format!("cd {} && {line}\n", shell::quote(directory)),
        None => format!("{line}\n"),
    }
}

/// What the switch says.
pub(crate) fn earlier(switch: &EarlierSwitch, look: &Look) -> String {
    let mut page = Page::new(look);
    let name = switch
        .project
        .file_name()
        .unwrap_or(switch.project.as_os_str())
        .to_string_lossy();
    let mut line = Line::new()
        .with(TITLE, safe::inline(&name))
        .with(PLAIN, ": earlier tasks are ");
    line.push(TITLE, if switch.on { "on" } else { "off" });
    line.push(
        PLAIN,
        if switch.on {
            ": agents may search and read them"
        } else {
            " for agents; a person may always search them"
        },
    );
    page.whole(line);
    if look.verbose {
        page.whole(Line::new().with(FAINT, look.path(&switch.file)));
    }
    page.done()
}

/// What is gone.
pub(crate) fn forgotten(forgotten: &Forgotten, look: &Look) -> String {
    let mut page = Page::new(look);
    let mut line = Line::new().with(
        TITLE,
        format!("removed {}", numbers::len(forgotten.sidecars, "sidecar")),
    );
    if forgotten.files > 0 {
        line.push(
            PLAIN,
            format!(" and {}", numbers::len(forgotten.files, "other file")),
        );
    }
    line.push(
        PLAIN,
        format!(", {}; the logs stay", numbers::size(forgotten.bytes)),
    );
    page.whole(line);
    page.notes(&forgotten.notes);
    page.done()
}

#[cfg(test)]
mod tests {
    use super::super::samples::look;
    use super::*;

    #[test]
    fn a_resumed_task_can_be_pasted() {
        let mut command = ResumeCommand {
            task: "3f9a1c02".into(),
            agent: "claude-code",
            command: ["claude", "--resume", "3f9a1c02"]
                .map(str::to_owned)
                .to_vec(),
            directory: Some("/home/ada/my api".into()),
        };
        assert_eq!(
            resume(&command),
            "cd '/home/ada/my api' && claude --resume 3f9a1c02\n"
        );
        command.directory = None;
        assert_eq!(resume(&command), "claude --resume 3f9a1c02\n");
    }

    #[test]
    fn the_switch_says_for_whom() {
        let mut switch = EarlierSwitch {
            project: "/home/ada/api".into(),
            on: false,
            file: "/c/projects.toml".into(),
        };
        assert_eq!(
            earlier(&switch, &look()),
            "api: earlier tasks are off for agents; a person may always search them\n"
        );
        switch.on = true;
        assert_eq!(
            earlier(&switch, &look()),
            "api: earlier tasks are on: agents may search and read them\n"
        );
    }

    #[test]
    fn what_was_removed_is_counted() {
        let gone = Forgotten {
            schema: 1,
            sidecars: 1,
            files: 2,
            bytes: 310_000,
            notes: vec!["/x.mem: permission denied".into()],
        };
        assert_eq!(
            forgotten(&gone, &look()),
            "removed 1 sidecar and 2 other files, 310 kB; the logs stay\nnote: /x.mem: permission denied\n"
        );
    }
}
