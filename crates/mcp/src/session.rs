//! Which conversation: the first of the claims that a log proves. What was proved last is tried first, so that a warm call
//! reads the end of one log.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use memfold::{Claim, Conversation, HostId, Memfold, Proof};

use crate::Setup;
use crate::claims::Hints;
use crate::host::{self, Process};
use crate::noted;
use crate::tools::Name;

/// A host may write a call to its log a moment after it makes it.
const LOOKS: u32 = 6;
const BETWEEN: Duration = Duration::from_millis(80);
/// A host that never does is not waited for again.
const IN_VAIN: u32 = 2;

/// What is known of the conversations that call.
pub(crate) struct Sessions {
    /// The process that started us.
    host: Option<Process>,
    began_ns: i64,
    last: Mutex<Option<Conversation>>,
    in_vain: AtomicU32,
}

impl Sessions {
    pub(crate) fn new() -> Sessions {
        Sessions {
            host: host::host(),
            began_ns: SystemTime::now()
                .duration_since(UNIX_EPOCH)
                .ok()
                .and_then(|since| i64::try_from(since.as_nanos()).ok())
                .unwrap_or(i64::MAX),
            last: Mutex::default(),
            in_vain: AtomicU32::new(0),
        }
    }

    /// The conversation that a call belongs to, if a log proves it.
    pub(crate) fn of_call(
        &self,
        setup: &Setup,
        engine: &Memfold,
        hints: &Hints,
        tool: Name,
        stop: &dyn Fn() -> bool,
    ) -> Proof {
        let noted = self
            .host
            .as_ref()
            .and_then(|host| noted::read(engine.data_dir(), host));
        let at_start =
            (setup.variables)("CLAUDE_CODE_SESSION_ID").and_then(|id| HostId::parse(id.to_str()?));
        let claims = hints.with(noted, at_start, self.began_ns, tool);
        let proof = self.first_proved(engine, &claims);
        let waits = hints.name_the_call() && self.in_vain.load(Ordering::Relaxed) < IN_VAIN;
        if proof != Proof::Unproved || !waits {
            return proof;
        }
        for _ in 0..LOOKS {
            if stop() {
                return Proof::Unproved;
            }
            thread::sleep(BETWEEN);
            let proof = self.first_proved(engine, &claims);
            if proof != Proof::Unproved {
                return proof;
            }
        }
        self.in_vain.fetch_add(1, Ordering::Relaxed);
        Proof::Unproved
    }

    fn first_proved(&self, engine: &Memfold, claims: &[Claim]) -> Proof {
        let last = self.last.lock().ok().and_then(|last| last.clone());
        let proved = claims
            .iter()
            .map(|claim| engine.prove(claim, last.as_ref()))
            .find(|proof| *proof != Proof::Unproved)
            .unwrap_or(Proof::Unproved);
        if let (Proof::Proved(conversation), Ok(mut last)) = (&proved, self.last.lock()) {
            *last = Some(conversation.clone());
        }
        proved
    }
}
