//! Which fold made a record: everything that, changed, changes what the same log folds to.

use memfold_agents::Agent;
use sha2::{Digest, Sha256};

/// The version of the fold's own rules: turns, cards, what is ranked, how words are weighed. Versions are ordered.
pub const VERSION: u32 = 2;

/// The parameters of a fold, as a sidecar records them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parameters {
    /// The sum of the versions of the fold, the agent's translation, the words and the redactor. Each of them only rises, so
    /// a later program has the greater sum, and two programs never take turns to overwrite each other's sidecars.
    pub version: u32,
    /// SHA-256 over the agent's name, its translation's version, the versions of the words and of the redactor, and the
    /// versions of Unicode by which letters are told: a new toolchain can change them.
    pub hash: [u8; 32],
}

impl Parameters {
    /// The parameters with which this program folds the logs of `agent`.
    pub fn of(agent: &dyn Agent) -> Parameters {
        let mut hash = Sha256::new();
        hash.update(b"memfold fold parameters\0");
        hash.update(agent.name().as_bytes());
        let mut sum = VERSION;
        for version in [
            agent.version(),
            memfold_text::VERSION,
            memfold_redact::VERSION,
        ] {
            sum = sum.saturating_add(version);
            hash.update([0]);
            hash.update(version.to_le_bytes());
        }
        Parameters {
            version: sum,
            hash: hash.finalize().into(),
        }
    }
}
