//! Reading on: the events of a task from one of its lines, each as [`Memfold::recall`] shows it.

use crate::address::Address;
use crate::answer::Recalled;
use crate::engine::Memfold;
use crate::error::Error;
use crate::progress::Progress;
use crate::request::Recall;

/// So many events are read at once.
const MOST: usize = 200;

impl Memfold {
    /// The first `events` events at or after the line that is named, each paged as `recall` says.
    ///
    /// # Errors
    /// As [`Memfold::recall`], but a line that is no event means the next one that is.
    pub fn read_on(
        &self,
        recall: &Recall,
        events: usize,
        progress: &dyn Progress,
    ) -> Result<Vec<Recalled>, Error> {
        if events == 0 || events > MOST {
            return Err(Error::Usage {
                what: format!("1 to {MOST} events are read at once"),
                hint: "give a number in between".to_owned(),
            });
        }
        let Address {
            task: Some(task),
            seq,
        } = Address::parse(&recall.address)?
        else {
            return Err(Error::Usage {
                what: format!("`{}` names a line, but no task", recall.address),
                hint: "give TASK:SEQ".to_owned(),
            });
        };
        let mut receipts = self.receipts();
        let entry = self.log_of(task, &recall.logs, &receipts)?;
        let mut notes = Vec::new();
        let mut ready = self.one(entry, &mut receipts, progress, &mut notes)?;
        if ready.all_documents().is_err() {
            ready = self.again(ready, &mut receipts, &mut notes)?;
        }
        let all = ready.all_documents().map_err(|error| Error::File {
            path: ready.entry.path.clone(),
            what: error.to_string(),
            hint: "try: memfold rebuild".to_owned(),
        })?;
        let from = all.partition_point(|document| document.seq < seq);
        let last = all.last().map_or(0, |document| document.seq);
        if from == all.len() {
            return Err(Error::NotFound {
                what: format!("the last event of {task} is {last}, so none from {seq} on"),
                hint: "give a smaller number".to_owned(),
            });
        }
        let read: Vec<Recalled> = all
            .iter()
            .skip(from)
            .take(events)
            .map(|document| self.page(&ready, document.seq, recall, notes.clone()))
            .collect::<Result<_, Error>>()?;
        if let Some(first) = read.first() {
            self.record_recall(&recall.logs, first);
        }
        Ok(read)
    }
}
