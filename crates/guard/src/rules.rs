//! By which rules a guard decides: the standard denylist, what the person adds to it, and the person's checkers. Their
//! version is a hash of all of it, so that a decision kept from other rules is told from one of today's.

use std::borrow::Cow;
use std::fmt;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::checkers::{Checker, Then};
use crate::denylist::{Above, Denylist};
use crate::path::TreePath;
use crate::patterns::Patterns;

/// The name of a rule: one of the standard denylist's, `yours` for a pattern of the person's, or a checker's name.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct RuleName(pub(crate) Cow<'static, str>);

/// Which rules they are: the standard list's version, and a hash of the person's where there are any.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct RulesVersion(pub(crate) Cow<'static, str>);

/// The rules of a guard.
#[derive(Debug, Clone)]
pub struct Rules {
    pub(crate) denylist: Denylist,
    pub(crate) checkers: Vec<Checker>,
    version: RulesVersion,
}

impl RuleName {
    /// Its text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl RulesVersion {
    /// The version of this text, as one was told before.
    pub fn known(text: &str) -> Self {
        Self(Cow::Owned(text.to_owned()))
    }

    /// Its text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for RuleName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Default for Rules {
    /// The standard denylist alone.
    fn default() -> Self {
        Self::new(Patterns::default(), Vec::new())
    }
}

impl Rules {
    /// The standard denylist, with the person's patterns and checkers.
    pub fn new(deny: Patterns, checkers: Vec<Checker>) -> Self {
        let version = version(&deny, &checkers);
        Self {
            denylist: Denylist::new(deny),
            checkers,
            version,
        }
    }

    /// Which rules these are.
    pub fn version(&self) -> &RulesVersion {
        &self.version
    }

    /// Whether a checker runs a program.
    pub fn runs_programs(&self) -> bool {
        let mut checkers = self.checkers.iter();
        checkers.any(|checker| matches!(checker.then, Then::Run { .. }))
    }

    /// The rule of the denylist that a path falls under, wherever its tree begins. By name alone: no file is touched.
    pub fn denied(&self, path: &TreePath) -> Option<RuleName> {
        self.denied_in(&Above::default(), path)
    }

    /// The same for a tree whose root lies there.
    pub(crate) fn denied_in(&self, above: &Above, path: &TreePath) -> Option<RuleName> {
        self.denylist.rule(above, path)
    }
}

fn version(deny: &Patterns, checkers: &[Checker]) -> RulesVersion {
    let standard = Denylist::VERSION;
    if deny.is_empty() && checkers.is_empty() {
        return RulesVersion(Cow::Owned(standard.to_string()));
    }
    let mut hash = Sha256::new();
    let mut add = |text: &str| {
        // With its length, so that two texts are not one.
        hash.update((text.len() as u64).to_le_bytes());
        hash.update(text);
    };
    deny.written().iter().for_each(|pattern| add(pattern));
    checkers.iter().for_each(|checker| {
        add("checker");
        checker.describe(&mut add);
    });
    let hash: [u8; 32] = hash.finalize().into();
    let mut text = format!("{standard}.");
    for byte in hash.iter().take(8) {
        text.push_str(&format!("{byte:02x}"));
    }
    RulesVersion(Cow::Owned(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_rules_have_another_version() {
        let rules = |patterns: &[&str]| {
            let rules = Rules::new(Patterns::new(patterns).unwrap(), Vec::new());
            rules.version().clone()
        };
        assert_eq!(rules(&[]), *Rules::default().version());
        assert_eq!(rules(&["a", "b"]), rules(&["a", "b"]));
        assert_ne!(rules(&["a", "b"]), rules(&["ab"]));
        assert_ne!(rules(&["a", "b"]), rules(&["b", "a"]));
        assert!(rules(&["a"]).as_str().starts_with("3."));
    }
}
