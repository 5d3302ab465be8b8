//! Why a sidecar cannot be written or believed. An upgrade and a damage are never the same error.

use std::io;

use crate::header::Tag;
use crate::stop::Stopped;

/// Why a sidecar cannot be written or believed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SidecarError {
    /// The file does not begin as a sidecar does.
    #[error("not a sidecar")]
    NotASidecar,
    /// A later program wrote it, in a way that this one cannot read. It is not to be overwritten.
    #[error("written in a newer format: {what}")]
    NewerFormat {
        /// What is not known here.
        what: String,
    },
    /// An earlier program wrote it, in a format that is no longer read.
    #[error("written in format {version}, which is no longer read")]
    OlderFormat {
        /// Its format's version.
        version: u32,
    },
    /// It is not as it was written.
    #[error("damaged in {section}: {what}")]
    Damaged {
        /// Where.
        section: Tag,
        /// What was found.
        what: String,
    },
    /// It cannot be read at all.
    #[error("cannot be read: {0}")]
    Io(#[from] io::Error),
    /// The log cannot be read.
    #[error("the log cannot be read: {0}")]
    Log(String),
    /// The log was changed while it was folded.
    #[error("the log changed while it was read; try again")]
    LogChanged,
    /// The log cannot be folded.
    #[error("the log cannot be folded: {0}")]
    Fold(#[from] memfold_fold::FoldError),
    /// The call had its time before the log was read to its end.
    #[error("not read to its end in time")]
    Stopped,
    /// A fold's records cannot be written as a sidecar.
    #[error("cannot be written: {0}")]
    Unwritable(String),
}

impl SidecarError {
    /// Whether it is the log that cannot be read or folded; else it is about a sidecar, which can be made again.
    pub fn is_of_the_log(&self) -> bool {
        matches!(
            self,
            SidecarError::Log(_)
                | SidecarError::LogChanged
                | SidecarError::Fold(_)
                | SidecarError::Stopped
        )
    }

    /// What went wrong while a log was read: a log that changed meanwhile is told from one that cannot be read.
    pub(crate) fn of_log(error: &(dyn std::error::Error + 'static)) -> SidecarError {
        let mut cause = Some(error);
        while let Some(error) = cause {
            let io = error.downcast_ref::<io::Error>();
            let inner = io.and_then(io::Error::get_ref);
            if inner.is_some_and(|inner| inner.is::<Stopped>()) {
                return SidecarError::Stopped;
            }
            let is_replaced = inner.is_some_and(|inner| inner.is::<Replaced>());
            let is_cut = matches!(
                error.downcast_ref(),
                Some(memfold_log::Error::Shrunk { .. })
            );
            if is_replaced || is_cut {
                return SidecarError::LogChanged;
            }
            cause = error.source();
        }
        SidecarError::Log(error.to_string())
    }

    /// Damage in a section.
    pub(crate) fn damaged(section: Tag, what: impl Into<String>) -> SidecarError {
        SidecarError::Damaged {
            section,
            what: what.into(),
        }
    }
}

/// The file at a log's path is another than the one that was looked at, or shorter.
#[derive(Debug, thiserror::Error)]
#[error("the file was replaced or cut since it was looked at")]
pub(crate) struct Replaced;
