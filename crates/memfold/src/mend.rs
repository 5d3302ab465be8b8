//! A sidecar that turns out to be damaged while it is read: the log is folded again and answers instead of it.
//! Relies on [`Ready`] to note whatever it could not read. Stat cannot see every damage; the checksums do.

use std::collections::HashMap;

use memfold_sidecar::{Keeping, Need, Place, Receipts, SidecarError};

use crate::catalogue::place_of;
use crate::engine::Memfold;
use crate::ready::Ready;

impl Memfold {
    /// Folds those logs again of whose sidecar some part could not be read, each once a call: it is in memory then. Whether
    /// there was any. Logs that cannot be folded either are left out, with a note.
    pub(crate) fn mend(
        &self,
        logs: &mut Vec<Ready>,
        receipts: &mut Receipts,
        notes: &mut Vec<String>,
    ) -> bool {
        if !logs.iter().any(Ready::is_to_be_mended) {
            return false;
        }
        let mut kept = Vec::with_capacity(logs.len());
        for ready in logs.drain(..) {
            if !ready.is_to_be_mended() {
                kept.push(ready);
                continue;
            }
            match self.folded_again(&ready, receipts) {
                Ok(keeping) => {
                    notes.push(format!(
                        "{}: its sidecar was wrong, {}; {}",
                        ready.entry.path.display(),
                        keeping.verdict,
                        keeping.done
                    ));
                    let mut mended = self.kept(ready.entry, ready.file, keeping, receipts, notes);
                    mended.about = ready.about;
                    mended.mended = true;
                    kept.push(mended);
                }
                Err(error) => notes.push(format!("{}: {error}", ready.entry.path.display())),
            }
        }
        *logs = kept;
        self.save(receipts, notes);
        true
    }

    fn folded_again(&self, ready: &Ready, receipts: &Receipts) -> Result<Keeping, SidecarError> {
        let place = match receipts.of(&ready.entry.path) {
            Some(receipt) if receipt.place == Place::Cache => Place::Cache,
            _ => place_of(&ready.entry.path, &mut HashMap::new()),
        };
        self.keeper()
            .keep(&ready.file, ready.entry.agent, place, receipts, Need::Again)
    }
}
