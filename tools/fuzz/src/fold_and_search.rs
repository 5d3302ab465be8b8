//! A made-up task, all the way: written as an agent writes it, folded in one pass and by turns to the same bytes, verified,
//! written again, and searched as the reference searches it, with and without a sidecar, whole and with a tail.

use arbitrary::{Result, Unstructured};
use memfold_sidecar::{Sidecar, encode};
use memfold_tests::words::{BETWEEN, BROKEN, WORDS};
use memfold_tests::{Growing, House, Shape, Step, Tool, write};

/// The choices that make the task.
pub fn run(bytes: &[u8]) {
    let mut choices = Unstructured::new(bytes);
    if let Ok(made) = Made::of(&mut choices) {
        made.folds_by_turns();
        made.is_searched();
    }
}

const SHAPES: &[Shape] = &[
    Shape::Claude,
    Shape::ClaudeHelper,
    Shape::Codex,
    Shape::CodexHelper,
    Shape::Gemini,
    Shape::Pi,
    Shape::Own,
];
const TOOLS: &[Tool] = &[
    Tool::Shell,
    Tool::Read,
    Tool::Edit,
    Tool::Recall,
    Tool::Other,
];
const PAUSES: &[u16] = &[1, 59, 60, 61, 600];

struct Made {
    shape: Shape,
    log: Vec<u8>,
    /// Of a second log, a fork of the first.
    fork: Option<Vec<u8>>,
    cut: usize,
    queries: Vec<String>,
}

impl Made {
    fn of(choices: &mut Unstructured<'_>) -> Result<Made> {
        let shape = *choices.choose(SHAPES)?;
        let start = u32::from(choices.int_in_range(0..=3u8)?) * 45;
        let end = *choices.choose(&["\n", "\n", "\n", "\r\n"])?;
        let queries = (0..choices.int_in_range(1..=3u8)?)
            .map(|_| query(choices))
            .collect::<Result<_>>()?;
        let cut = choices.arbitrary::<u16>()?;
        let forked: Option<u8> = choices.arbitrary()?;
        let steps = steps(choices)?;
        let lines = write(shape, 0, start, &[], &steps);
        let file = |lines: &[Vec<u8>]| {
            let mut file = lines.join(end.as_bytes());
            // Its last line may be open.
            if cut % 4 > 0 && !lines.is_empty() {
                file.extend_from_slice(end.as_bytes());
            }
            file
        };
        let log = file(&lines);
        let fork = forked.map(|copied| {
            let copied = &lines[..usize::from(copied) % (lines.len() + 1)];
            file(&write(shape, 1, start, copied, &steps[steps.len() / 2..]))
        });
        Ok(Made {
            shape,
            cut: usize::from(cut) % (log.len() + 1),
            log,
            fork,
            queries,
        })
    }

    fn folds_by_turns(&self) {
        let growing = Growing::new(self.shape);
        growing.set(&self.log[..self.cut]);
        let part = growing.sidecar();
        let mut by_turns = {
            growing.set(b"");
            growing.sidecar()
        };
        let ends = (1..=self.log.len()).filter(|end| self.log[end - 1] == b'\n');
        for end in ends {
            growing.set(&self.log[..end]);
            by_turns = growing.extended(&by_turns);
        }
        growing.set(&self.log);
        let whole = growing.sidecar();
        assert!(
            growing.extended(&by_turns) == whole,
            "folded line by line it is another"
        );
        assert!(
            growing.extended(&part) == whole,
            "folded in two parts it is another"
        );

        let sidecar = Sidecar::open(&whole[..]).unwrap();
        let sealed = sidecar.decode_sealed().unwrap();
        let header = sidecar.header();
        let binding = sidecar.binding().unwrap();
        let again = encode(&sealed, header.fold, &binding, header.form).unwrap();
        assert!(again == whole, "written again it is another");
        crate::segment::holds(&sealed.segment);
    }

    fn is_searched(&self) {
        let house = House::new();
        house.write("0.jsonl", &self.log[..self.cut]);
        if let Some(fork) = &self.fork {
            house.write("1.jsonl", fork);
        }
        self.answers(&house, "cold");
        house.write("0.jsonl", &self.log);
        self.answers(&house, "grown");
        house.fold();
        self.answers(&house, "folded");
    }

    fn answers(&self, house: &House, when: &str) {
        let reference = house.reference();
        for query in &self.queries {
            if let Err(why) = house.compare(&reference, query) {
                panic!("{when}: {why}");
            }
        }
    }
}

fn steps(choices: &mut Unstructured<'_>) -> Result<Vec<Step>> {
    let mut steps = Vec::new();
    while !choices.is_empty() && steps.len() < 24 {
        steps.push(step(choices)?);
    }
    Ok(steps)
}

fn step(choices: &mut Unstructured<'_>) -> Result<Step> {
    Ok(match choices.int_in_range(0..=19u8)? {
        0..=2 => Step::Person(text(choices)?),
        3..=5 => {
            let calls = (0..choices.int_in_range(0..=2u8)?)
                .map(|_| Ok((*choices.choose(TOOLS)?, text(choices)?)))
                .collect::<Result<_>>()?;
            Step::Reply(text(choices)?, calls)
        }
        6..=7 => Step::Results(
            (0..choices.int_in_range(1..=3u8)?)
                .map(|_| text(choices))
                .collect::<Result<_>>()?,
        ),
        8 => Step::Thinking(text(choices)?),
        9 => Step::Stray(text(choices)?),
        10 => Step::End,
        11 => Step::File(text(choices)?),
        12 => Step::Plan(text(choices)?),
        13 => Step::Summary(text(choices)?),
        14 => Step::Compaction(text(choices)?),
        15 => Step::Helper(text(choices)?, choices.arbitrary()?),
        16 => Step::Title(text(choices)?),
        17 => match choices.arbitrary::<u8>()? {
            place @ ..128 => Step::Again(place.into()),
            place => Step::Renamed(place.into()),
        },
        18 => match choices.arbitrary::<u8>()? {
            place @ ..200 => Step::Back(place.into()),
            _ => Step::Broken(choices.choose(BROKEN)?),
        },
        _ => Step::Pause(*choices.choose(PAUSES)?),
    })
}

/// Some words in a row, most of them of few, so that queries find them.
fn text(choices: &mut Unstructured<'_>) -> Result<String> {
    let mut text = String::new();
    for _ in 0..choices.int_in_range(0..=9u8)? {
        match choices.arbitrary::<u8>()? {
            word @ ..240 => text.push_str(WORDS[usize::from(word) % WORDS.len()]),
            _ => text.push_str(choices.arbitrary()?),
        }
        text.push_str(choices.choose(BETWEEN)?);
    }
    Ok(text)
}

fn query(choices: &mut Unstructured<'_>) -> Result<String> {
    let words = text(choices)?;
    Ok(match choices.arbitrary::<u8>()? {
        ..64 => format!("{words} \"{}\"", text(choices)?),
        _ => words,
    })
}
