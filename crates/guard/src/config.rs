//! A person's rules, `guard.toml` in the configuration folder. A rule that was meant to protect and is passed over for a
//! spelling is worse than none, so every key is known or an error, and a file that cannot be read is not a missing one.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::Duration;

use toml_edit::{DocumentMut, Item, Table, TableLike, Value};

use crate::checkers::{Checker, Then};
use crate::error::GuardError;
use crate::patterns::Patterns;
use crate::rules::Rules;

/// The file's name.
const FILE: &str = "guard.toml";

const TOP: &str = "`deny` and `[[checker]]`";
const OF_A_CHECKER: &str = "`name`, `paths`, `then`, `command` and `seconds`";

impl Rules {
    /// The rules of a configuration folder: the standard ones where it has no `guard.toml`.
    pub fn load(config: &Path) -> Result<Self, GuardError> {
        let path = config.join(FILE);
        match std::fs::read_to_string(&path) {
            Ok(text) => Self::parse(&text),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(Self::default()),
            Err(error) => Err(GuardError::Unreadable {
                path,
                what: error.to_string(),
            }),
        }
    }

    /// The rules that a person wrote, beside the standard ones.
    ///
    /// ```
    /// use memfold_guard::{Rules, TreePath};
    ///
    /// let rules = Rules::parse(r#"
    ///     deny = ["*.secret", "/private/"]   # as in an ignore file, but never `!`
    ///
    ///     [[checker]]
    ///     name = "customers"
    ///     paths = ["/data/customers/"]
    ///     then = "ask"                       # or "refuse"
    ///
    ///     [[checker]]
    ///     name = "scanner"
    ///     paths = ["*.csv"]                  # every file, where there are none
    ///     command = ["/opt/scanner/bin/check", "--quiet"]
    ///     seconds = 2                        # 5, where it is not said
    /// "#)?;
    /// let denied = rules.denied(&TreePath::new("private/plan.md")?);
    /// assert_eq!(denied.unwrap().as_str(), "yours");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn parse(toml: &str) -> Result<Self, GuardError> {
        let document: DocumentMut = toml.parse().map_err(|error: toml_edit::TomlError| {
            GuardError::NotToml(error.message().to_owned())
        })?;
        let top: &Table = &document;
        known(top, &["deny", "checker"], TOP)?;
        let deny = patterns(top, "deny")?;
        let checkers = match top.get("checker") {
            None => Vec::new(),
            Some(item) => item
                .as_array_of_tables()
                .ok_or_else(|| wrong("checker", "written as `[[checker]]`"))?
                .iter()
                .map(|table| checker(table))
                .collect::<Result<_, _>>()?,
        };
        Ok(Self::new(deny, checkers))
    }
}

fn checker(table: &dyn TableLike) -> Result<Checker, GuardError> {
    known(
        table,
        &["name", "paths", "then", "command", "seconds"],
        OF_A_CHECKER,
    )?;
    let name = text(table, "name")?
        .filter(|name| !name.is_empty())
        .ok_or_else(|| wrong("name", "the checker's name"))?;
    let then = match (text(table, "then")?, texts(table, "command")?) {
        (Some("refuse"), None) => Then::Refuse,
        (Some("ask"), None) => Then::Ask,
        (None, Some(command)) => run(command, seconds(table)?)?,
        _ => {
            return Err(wrong(
                "then",
                "\"refuse\" or \"ask\", or else there is a `command`",
            ));
        }
    };
    if !matches!(then, Then::Run { .. }) && table.contains_key("seconds") {
        return Err(wrong("seconds", "said of a `command` alone"));
    }
    Ok(Checker {
        name: name.to_owned(),
        paths: patterns(table, "paths")?,
        then,
    })
}

fn run(command: Vec<String>, time: Duration) -> Result<Then, GuardError> {
    let mut command = command.into_iter();
    let program = command
        .next()
        .map(PathBuf::from)
        // Looked up in PATH it could be another program each time, or one that lies in the tree.
        .filter(|program| program.is_absolute())
        .ok_or_else(|| wrong("command", "a program's absolute path, then its arguments"))?;
    Ok(Then::Run {
        program,
        arguments: command.collect(),
        time,
    })
}

fn seconds(table: &dyn TableLike) -> Result<Duration, GuardError> {
    let Some(item) = table.get("seconds") else {
        return Ok(Checker::TIME);
    };
    item.as_float()
        .or_else(|| {
            item.as_integer()
                .and_then(|whole| u32::try_from(whole).ok())
                .map(f64::from)
        })
        .filter(|seconds| *seconds > 0.0 && *seconds <= 600.0)
        .map(Duration::from_secs_f64)
        .ok_or_else(|| wrong("seconds", "a number above 0 and at most 600"))
}

fn patterns(table: &dyn TableLike, key: &str) -> Result<Patterns, GuardError> {
    Ok(Patterns::new(texts(table, key)?.unwrap_or_default())?)
}

fn texts(table: &dyn TableLike, key: &str) -> Result<Option<Vec<String>>, GuardError> {
    let Some(item) = table.get(key) else {
        return Ok(None);
    };
    let all: Option<Vec<String>> = item.as_array().and_then(|array| {
        array
            .iter()
            .map(|value| value.as_str().map(str::to_owned))
            .collect()
    });
    all.map(Some).ok_or_else(|| wrong(key, "an array of texts"))
}

fn text<'a>(table: &'a dyn TableLike, key: &str) -> Result<Option<&'a str>, GuardError> {
    match table.get(key) {
        None => Ok(None),
        Some(Item::Value(Value::String(text))) => Ok(Some(text.value())),
        Some(_) => Err(wrong(key, "a text")),
    }
}

fn known(table: &dyn TableLike, keys: &[&str], known: &'static str) -> Result<(), GuardError> {
    match table.iter().find(|(key, _)| !keys.contains(key)) {
        None => Ok(()),
        Some((key, _)) => Err(GuardError::UnknownKey {
            key: key.to_owned(),
            known,
        }),
    }
}

fn wrong(key: &str, wanted: &'static str) -> GuardError {
    GuardError::WrongValue {
        key: key.to_owned(),
        wanted,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_passed_over() {
        for toml in [
            "dney = []",
            "deny = \"*.x\"",
            "deny = [1]",
            "deny = [\"!x\"]",
            "deny = [\"\"]",
            "checker = 1",
            "[[checker]]",
            "[[checker]]\nname = \"\"\nthen = \"ask\"",
            "[[checker]]\nname = \"a\"",
            "[[checker]]\nname = \"a\"\nthen = \"allow\"",
            "[[checker]]\nname = \"a\"\nthen = \"ask\"\nseconds = 1",
            "[[checker]]\nname = \"a\"\nthen = \"ask\"\ncommand = [\"/bin/true\"]",
            "[[checker]]\nname = \"a\"\ncommand = []",
            "[[checker]]\nname = \"a\"\ncommand = [\"true\"]",
            "[[checker]]\nname = \"a\"\ncommand = [\"/bin/true\"]\nseconds = 0",
            "[[checker]]\nname = \"a\"\ncommand = [\"/bin/true\"]\nseconds = \"2\"",
            "[[checker]]\nname = \"a\"\nthen = \"ask\"\npath = [\"x\"]",
            "deny = [",
        ] {
            let error = Rules::parse(toml).expect_err(toml);
            assert!(!error.to_string().contains('\n'), "{error}");
        }
    }

    #[test]
    fn no_file_is_no_fault_and_an_unreadable_one_is() {
        let config = tempfile::tempdir().unwrap();
        let rules = Rules::load(config.path()).unwrap();
        assert_eq!(rules.version(), Rules::default().version());
        std::fs::create_dir(config.path().join(FILE)).unwrap();
        Rules::load(config.path()).unwrap_err();
        std::fs::remove_dir(config.path().join(FILE)).unwrap();
        std::fs::write(config.path().join(FILE), "deny = ['x']").unwrap();
        assert_ne!(
            Rules::load(config.path()).unwrap().version(),
            rules.version()
        );
    }
}
