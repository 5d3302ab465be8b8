//! A log on the disk, which grows, folded by the sidecar crate alone.

use std::path::{Path, PathBuf};

use memfold_agents::Agent;
use memfold_fold::{Parameters, Tail};
use memfold_log::Form;
use memfold_segment::{Builder, Reader};
use memfold_sidecar::{
    Folded, LogFile, Sidecar, encode, fold_on, fold_tail, fold_whole, to_the_end, verify_bytes,
};

use crate::house::House;
use crate::script::Shape;

/// A log on the disk, which grows.
pub struct Growing {
    house: House,
    path: PathBuf,
    agent: &'static dyn Agent,
}

impl Growing {
    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// An empty log of this shape.
    pub fn new(shape: Shape) -> Growing {
        let name = match shape {
            Shape::Claude | Shape::ClaudeHelper => "claude-code",
            Shape::Codex | Shape::CodexHelper => "codex",
            Shape::Gemini => "gemini",
            Shape::Pi => "pi",
            Shape::Own => "memfold",
        };
        let house = House::new();
        Growing {
            path: house.write("a.jsonl", b""),
            agent: memfold_agents::by_name(name).unwrap(),
            house,
        }
    }

    /// Writes the log anew.
    pub fn set(&self, bytes: &[u8]) {
        self.house.write("a.jsonl", bytes);
    }

    fn log(&self) -> LogFile {
        LogFile::open(&self.path, Form::Lines).unwrap()
    }

    /// The log, folded whole.
    pub fn fold(&self) -> Folded {
        fold_whole(&self.log(), self.agent).unwrap()
    }

    /// The sidecar of a fold, checked.
    pub fn encoded(&self, folded: &Folded) -> Vec<u8> {
        let bytes = encode(
            &folded.sealed,
            Parameters::of(self.agent),
            &folded.binding,
            Form::Lines,
        );
        let bytes = bytes.unwrap();
        verify_bytes(&bytes).unwrap();
        bytes
    }

    /// The sidecar of the log, folded whole.
    pub fn sidecar(&self) -> Vec<u8> {
        self.encoded(&self.fold())
    }

    /// The sidecar of the log, made of one that covers less.
    pub fn extended(&self, sidecar: &[u8]) -> Vec<u8> {
        let sidecar = Sidecar::open(sidecar.to_vec()).unwrap();
        let builder = Builder::resume(&Reader::open(sidecar.words().unwrap()).unwrap()).unwrap();
        let records = sidecar.decode_records().unwrap();
        let binding = sidecar.binding().unwrap();
        self.encoded(
            &fold_on(
                &self.log(),
                self.agent,
                records,
                builder,
                &binding,
                &to_the_end,
            )
            .unwrap(),
        )
    }

    /// What follows a sidecar, folded for a search.
    pub fn tail(&self, sidecar: &[u8]) -> Tail {
        let sidecar = Sidecar::open(sidecar.to_vec()).unwrap();
        let (covered, checkpoint) = (sidecar.header().covered, sidecar.checkpoint().unwrap());
        fold_tail(
            &self.log(),
            self.agent,
            covered,
            checkpoint,
            &sidecar.keys().unwrap(),
            &sidecar.waypoints().unwrap(),
            &to_the_end,
        )
        .unwrap()
        .0
    }
}
