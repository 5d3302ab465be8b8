//! The host: the process of the agent that started us, be it as its server or as its hook. Both have the same one, which is
//! how a hook's note finds the server it is meant for when several sessions run at once.

/// A process, told from a later one that is given the same number by when it began.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Process {
    pub(crate) number: u32,
    /// In the system's own words and unit.
    pub(crate) began: String,
}

impl Process {
    /// A name for a file, of digits and letters alone.
    pub(crate) fn file_name(&self) -> String {
        let began: String = self
            .began
            .chars()
            .filter(char::is_ascii_alphanumeric)
            .collect();
        format!("{}-{began}", self.number)
    }

    /// Whether it still runs.
    pub(crate) fn runs(&self) -> bool {
        about(self.number).is_some_and(|about| about.began == self.began)
    }
}

/// What the system says of a process.
struct About {
    parent: u32,
    name: String,
    began: String,
}

/// Hosts start hooks and servers by a shell, some of them; a shell is not the host.
const SHELLS: [&str; 8] = ["sh", "bash", "dash", "zsh", "fish", "ksh", "ash", "busybox"];
/// A shell within a shell, and no more: whoever is above is not the host but what the host runs in.
const STEPS: usize = 3;

/// The host, where the system tells.
pub(crate) fn host() -> Option<Process> {
    let mut number = parent()?;
    for _ in 0..STEPS {
        let about = about(number)?;
        let name = about.name.trim_start_matches('-');
        if !SHELLS.contains(&name) {
            return Some(Process {
                number,
                began: about.began,
            });
        }
        number = about.parent;
    }
    None
}

#[cfg(unix)]
fn parent() -> Option<u32> {
    // A process whose parent has ended is its system's own.
    Some(std::os::unix::process::parent_id()).filter(|parent| *parent > 1)
}

#[cfg(not(unix))]
fn parent() -> Option<u32> {
    None
}

/// Linux tells it in `/proc`.
#[cfg(target_os = "linux")]
fn about(number: u32) -> Option<About> {
    of_stat(&std::fs::read_to_string(format!("/proc/{number}/stat")).ok()?)
}

/// `NUMBER (NAME) STATE PARENT … BEGAN …`: the name may hold blanks and brackets.
#[cfg(any(target_os = "linux", test))]
fn of_stat(stat: &str) -> Option<About> {
    let (before, after) = stat.rsplit_once(')')?;
    let (_, name) = before.split_once('(')?;
    let mut fields = after.split_whitespace();
    let parent = fields.nth(1)?.parse().ok()?;
    // The 22nd field of all: clock ticks from the system's start.
    let began = fields.nth(17)?.to_owned();
    Some(About {
        parent,
        name: name.to_owned(),
        began,
    })
}

/// Other systems of its kind tell it by `ps`.
#[cfg(all(unix, not(target_os = "linux")))]
fn about(number: u32) -> Option<About> {
    let told = std::process::Command::new("/bin/ps")
        .args(["-o", "ppid=,lstart=,comm=", "-p", &number.to_string()])
        .env_clear()
        .env("LC_ALL", "C")
        .output()
        .ok()?;
    of_ps(&String::from_utf8_lossy(&told.stdout))
}

/// `PARENT Mon Nov 30 17:08:22 2026 /bin/zsh`
#[cfg(any(all(unix, not(target_os = "linux")), test))]
fn of_ps(line: &str) -> Option<About> {
    let mut fields = line.split_whitespace();
    let parent = fields.next()?.parse().ok()?;
    let began: Vec<&str> = fields.by_ref().take(5).collect();
    let command = fields.next()?;
    let name = command.rsplit('/').next().unwrap_or(command);
    (began.len() == 5).then(|| About {
        parent,
        name: name.to_owned(),
        began: began.join(" "),
    })
}

#[cfg(not(unix))]
fn about(_number: u32) -> Option<About> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_proc_is_read_whatever_the_program_is_called() {
        let stat = "12 (a) b (c) S 7 1 1 0 -1 4 1 0 0 0 1 1 0 0 20 0 1 0 4242 9 9";
        let about = of_stat(stat).unwrap();
        assert_eq!(
            (about.parent, about.name.as_str(), about.began.as_str()),
            (7, "a) b (c", "4242")
        );
        assert!(of_stat("12 (a) S").is_none());
    }

    #[test]
    fn a_line_of_ps_is_read() {
        let about = of_ps("  7 Mon Nov 30 17:08:22 2026 /bin/zsh\n").unwrap();
        assert_eq!((about.parent, about.name.as_str()), (7, "zsh"));
        assert!(of_ps("").is_none());
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn the_host_is_there_and_runs() {
        let host = host().unwrap();
        assert!(host.runs());
        let other = Process {
            began: "0".into(),
            ..host
        };
        assert!(!other.runs());
    }

    #[test]
    fn its_name_is_no_path() {
        let process = Process {
            number: 7,
            began: "Mon Nov 30 ../17:08".into(),
        };
        assert_eq!(process.file_name(), "7-MonNov301708");
    }
}
