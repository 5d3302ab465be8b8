//! A sidecar that turns out to be damaged while it is read: the log is folded again and answers instead of it.
//! Relies on [`Ready`] to note whatever it could not read. Stat cannot see every damage; the checksums do.

use memfold_sidecar::{Need, Place, Receipts, to_the_end};

use crate::catalogue::LogEntry;
use crate::engine::Memfold;
use crate::ready::{KeptLog, Ready, is_gone};

/// What became of logs that had to be folded again.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Mended {
    /// There was one.
    pub(crate) any: bool,
    /// So many could not be folded either.
    pub(crate) lost: usize,
}

impl Memfold {
    /// Folds those logs again of whose sidecar some part could not be read, each once a call: it is in memory then. Logs
    /// that cannot be folded either are left out, with a note.
    pub(crate) fn mend(
        &self,
        logs: &mut Vec<Ready>,
        receipts: &mut Receipts,
        notes: &mut Vec<String>,
    ) -> Mended {
        let mut mended = Mended::default();
        if !logs.iter().any(Ready::is_to_be_mended) {
            return mended;
        }
        mended.any = true;
        let mut kept = Vec::with_capacity(logs.len());
        for ready in logs.drain(..) {
            if !ready.is_to_be_mended() {
                kept.push(ready);
                continue;
            }
            let Ready { entry, about, .. } = ready;
            let (path, before) = (entry.path.clone(), entry.identity);
            let KeptLog {
                entry,
                file,
                keeping,
            } = self.folded_again(entry, receipts);
            match keeping {
                Some(Ok(keeping)) => {
                    let changed = entry.identity != before;
                    if !changed {
                        notes.push(format!(
                            "{}: its sidecar was wrong, {}; {}",
                            path.display(),
                            keeping.verdict,
                            keeping.done
                        ));
                    }
                    let mut again = self.kept(entry, file, keeping, receipts, notes);
                    if !changed {
                        again.about = about;
                    }
                    again.mended = true;
                    kept.push(again);
                }
                // Deleted since it was found: as if it had been a moment earlier.
                Some(Err(_)) if is_gone(&entry) => {}
                Some(Err(error)) => {
                    mended.lost += 1;
                    notes.push(format!("{}: {error}", path.display()));
                }
                None => {}
            }
        }
        *logs = kept;
        self.save(receipts, notes);
        mended
    }

    fn folded_again(&self, entry: LogEntry, receipts: &Receipts) -> KeptLog {
        let place = match receipts.of(&entry.path) {
            Some(receipt) if receipt.place == Place::Cache => Place::Cache,
            _ => self.sidecar_place(&entry),
        };
        let file = entry.open();
        self.keep_as_it_is_now(entry, file, place, receipts, Need::Again, &to_the_end)
    }
}
