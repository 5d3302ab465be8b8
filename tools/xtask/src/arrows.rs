//! Which crate may depend on which. [`ALLOWED`] is the rule; what the manifests say is read from `cargo metadata`.

use std::fmt;
use std::process::Command;

use serde_json::Value;

/// Each package of the workspace with those it may depend on, for tests and build scripts too. A package stands below all
/// that it may name, so the arrows point up this page and there is no circle.
pub const ALLOWED: &[(&str, &[&str])] = &[
    // Pure, or about the disk alone.
    ("memfold-text", &[]),
    ("memfold-redact", &[]),
    ("memfold-segment", &[]),
    ("memfold-log", &[]),
    ("memfold-disk", &[]),
    // Whether a file of a repository may be read.
    ("memfold-guard", &["memfold-disk"]),
    // What a log says, and what is made of it. Neither opens a file.
    ("memfold-agents", &["memfold-log"]),
    // The agents name tables and tell rows; here the rows are read.
    ("memfold-database", &["memfold-disk", "memfold-agents"]),
    (
        "memfold-fold",
        &[
            "memfold-text",
            "memfold-redact",
            "memfold-segment",
            "memfold-log",
            "memfold-agents",
        ],
    ),
    // How agents searched, counted.
    (
        "memfold-measure",
        &["memfold-log", "memfold-agents", "memfold-fold"],
    ),
    // What is kept of it.
    (
        "memfold-sidecar",
        &[
            "memfold-segment",
            "memfold-log",
            "memfold-disk",
            "memfold-agents",
            "memfold-database",
            "memfold-fold",
        ],
    ),
    (
        "memfold-rollup",
        &["memfold-segment", "memfold-disk", "memfold-fold"],
    ),
    // A repository's files.
    (
        "memfold-repo",
        &[
            "memfold-text",
            "memfold-redact",
            "memfold-segment",
            "memfold-log",
            "memfold-disk",
            "memfold-guard",
            "memfold-agents",
        ],
    ),
    // The engine, and a front end that knows nothing else.
    (
        "memfold",
        &[
            "memfold-text",
            "memfold-redact",
            "memfold-guard",
            "memfold-repo",
            "memfold-segment",
            "memfold-log",
            "memfold-disk",
            "memfold-agents",
            "memfold-database",
            "memfold-fold",
            "memfold-measure",
            "memfold-sidecar",
            "memfold-rollup",
        ],
    ),
    ("memfold-mcp", &["memfold-disk", "memfold"]),
    // Other programs' settings: nothing of logs or of the engine.
    ("memfold-hosts", &["memfold-redact", "memfold-disk"]),
    ("memfold-cli", &["memfold", "memfold-mcp", "memfold-hosts"]),
    // The reference cuts, counts and ranks by itself: it shares none of that with what is tested against it.
    (
        "memfold-reference",
        &["memfold-redact", "memfold-log", "memfold-agents"],
    ),
    ("memfold-xtask", &[]),
    // Tests across crates and benchmarks look everywhere; nothing looks at them but the fuzzed tests, which are more of them.
    ("memfold-bench", EVERYTHING),
    ("memfold-tests", EVERYTHING),
    (
        "memfold-fuzz",
        &[
            "memfold-text",
            "memfold-redact",
            "memfold-segment",
            "memfold-log",
            "memfold-disk",
            "memfold-agents",
            "memfold-fold",
            "memfold-sidecar",
            "memfold-rollup",
            "memfold-guard",
            "memfold-repo",
            "memfold",
            "memfold-mcp",
            "memfold-reference",
            "memfold-tests",
        ],
    ),
];

const EVERYTHING: &[&str] = &[
    "memfold-text",
    "memfold-redact",
    "memfold-segment",
    "memfold-log",
    "memfold-disk",
    "memfold-guard",
    "memfold-agents",
    "memfold-database",
    "memfold-fold",
    "memfold-measure",
    "memfold-sidecar",
    "memfold-rollup",
    "memfold-repo",
    "memfold",
    "memfold-mcp",
    "memfold-hosts",
    "memfold-cli",
    "memfold-reference",
    "memfold-xtask",
];

/// One package depends on another of the workspace.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Arrow {
    /// The package whose manifest says so.
    pub from: String,
    /// What it depends on.
    pub to: String,
}

impl fmt::Display for Arrow {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{} -> {}", self.from, self.to)
    }
}

/// The workspace as its manifests have it.
#[derive(Debug, Default)]
pub struct Workspace {
    /// Its packages.
    pub packages: Vec<String>,
    /// What they depend on among themselves.
    pub arrows: Vec<Arrow>,
}

impl Workspace {
    /// Asks cargo. Needs no network: only the manifests are read.
    ///
    /// # Errors
    /// If cargo does not answer, in its own words.
    pub fn read() -> Result<Workspace, String> {
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let output = Command::new(cargo)
            .args(["metadata", "--format-version=1", "--no-deps", "--offline"])
            .current_dir(env!("CARGO_MANIFEST_DIR"))
            .output()
            .map_err(|error| format!("cargo does not start: {error}"))?;
        if !output.status.success() {
            return Err(String::from_utf8_lossy(&output.stderr).into_owned());
        }
        let metadata = serde_json::from_slice(&output.stdout)
            .map_err(|error| format!("cargo metadata is not JSON: {error}"))?;
        Ok(Workspace::of(&metadata))
    }

    /// Takes the packages of the workspace, and the arrows between them, out of what `cargo metadata` says.
    pub fn of(metadata: &Value) -> Workspace {
        let packages = list(metadata, "packages");
        let names: Vec<String> = packages
            .iter()
            .map(|package| text(package, "name"))
            .collect();
        let mut arrows: Vec<Arrow> = packages
            .iter()
            .flat_map(|package| {
                list(package, "dependencies")
                    .iter()
                    .map(|dependency| Arrow {
                        from: text(package, "name"),
                        to: text(dependency, "name"),
                    })
            })
            .filter(|arrow| names.contains(&arrow.to))
            .collect();
        arrows.sort();
        arrows.dedup();
        Workspace {
            packages: names,
            arrows,
        }
    }

    /// What breaks the rule, in words; nothing if all is well.
    pub fn broken(&self) -> Vec<String> {
        let unknown = self
            .packages
            .iter()
            .filter(|package| allowed(package).is_none())
            .map(|package| format!("{package} has no place in tools/xtask/src/arrows.rs"));
        let gone = ALLOWED
            .iter()
            .filter(|(name, _)| !self.packages.iter().any(|package| package == name))
            .map(|(name, _)| format!("{name} has a place but is not in the workspace"));
        let upward = self
            .arrows
            .iter()
            .filter(|arrow| {
                allowed(&arrow.from).is_some_and(|allowed| !allowed.contains(&arrow.to.as_str()))
            })
            .map(|arrow| format!("{arrow} is not allowed"));
        unknown.chain(gone).chain(upward).collect()
    }
}

fn allowed(package: &str) -> Option<&'static [&'static str]> {
    ALLOWED
        .iter()
        .find(|(name, _)| *name == package)
        .map(|(_, allowed)| *allowed)
}

fn list<'v>(value: &'v Value, key: &str) -> &'v [Value] {
    value
        .get(key)
        .and_then(Value::as_array)
        .map_or(&[], Vec::as_slice)
}

fn text(value: &Value, key: &str) -> String {
    value
        .get(key)
        .and_then(Value::as_str)
        .unwrap_or_default()
        .to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_rule_itself_points_one_way() {
        for (at, (name, allowed)) in ALLOWED.iter().enumerate() {
            for to in *allowed {
                assert!(
                    ALLOWED[..at].iter().any(|(above, _)| above == to),
                    "{name} -> {to}"
                );
            }
        }
    }

    /// A workspace of all the packages, in which one depends on another.
    fn with(from: &str, to: &str, kind: &str) -> Workspace {
        let packages: Vec<Value> = ALLOWED
            .iter()
            .map(|(name, _)| {
                let foreign = json!({"name": "serde", "kind": null});
                let dependencies = if *name == from {
                    vec![foreign, json!({"name": to, "kind": kind})]
                } else {
                    vec![foreign]
                };
                json!({"name": name, "dependencies": dependencies})
            })
            .collect();
        Workspace::of(&json!({ "packages": packages }))
    }

    #[test]
    fn an_arrow_down_is_fine() {
        let workspace = with("memfold-fold", "memfold-text", "normal");
        assert_eq!(workspace.arrows.len(), 1);
        assert_eq!(workspace.broken(), Vec::<String>::new());
    }

    #[test]
    fn an_arrow_up_or_past_the_engine_is_said() {
        for (from, to) in [
            ("memfold-text", "memfold-fold"),
            ("memfold-cli", "memfold-disk"),
            ("memfold-reference", "memfold-segment"),
        ] {
            for kind in ["normal", "dev", "build"] {
                assert_eq!(
                    with(from, to, kind).broken(),
                    [format!("{from} -> {to} is not allowed")]
                );
            }
        }
    }

    #[test]
    fn a_package_without_a_place_and_a_place_without_a_package_are_said() {
        let mut workspace = with("", "", "");
        workspace
            .packages
            .retain(|package| package != "memfold-log");
        workspace.packages.push("memfold-new".to_owned());
        assert_eq!(
            workspace.broken(),
            [
                "memfold-new has no place in tools/xtask/src/arrows.rs",
                "memfold-log has a place but is not in the workspace",
            ]
        );
    }
}
