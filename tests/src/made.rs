//! Strategies for made-up tasks and for what is asked of them. Words are drawn from few, so that queries find them.

use std::fmt;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use crate::script::{Shape, Step, Tool, write};
use crate::words::{BETWEEN, BROKEN, WORDS};

const STOP_WORDS: &[&str] = &["the", "is", "what", "of", "and"];
/// Some words in a row.
pub fn text() -> impl Strategy<Value = String> {
    let word = prop_oneof![
        12 => select(WORDS).prop_map(String::from),
        1 => "[a-zA-Z0-9_-]{1,12}",
        1 => "\\PC{1,6}",
        1 => "[a-z]{60,70}",
        1 => "[a-zA-Z0-9+/]{510,514}",
    ];
    vec((word, select(BETWEEN)), 0..14).prop_map(|words| {
        let mut text = String::new();
        for (word, between) in words {
            text.push_str(&word);
            text.push_str(between);
        }
        text
    })
}

/// What is asked: words, a stop word or several, one character, a phrase, or anything.
pub fn query() -> impl Strategy<Value = String> {
    let words = vec(select(WORDS), 1..5).prop_map(|words| words.join(" "));
    prop_oneof![
        6 => words.clone(),
        2 => select(&["scrub env", "index grep of", "max result tokens", "what is the max result"][..]).prop_map(String::from),
        1 => vec(select(STOP_WORDS), 1..4).prop_map(|words| words.join(" ")),
        1 => select(&["日", "語", "国", "ไ", "カ"][..]).prop_map(String::from),
        2 => (words, vec(select(WORDS), 1..3)).prop_map(|(words, row)| format!("{words} \"{}\"", row.join(" "))),
        1 => text(),
    ]
}

/// A step.
pub fn step() -> impl Strategy<Value = Step> {
    let tool = select(
        &[
            Tool::Shell,
            Tool::Read,
            Tool::Edit,
            Tool::Recall,
            Tool::Other,
        ][..],
    );
    // A result repeats a long call's words in part.
    let argument = prop_oneof![9 => text(), 1 => text().prop_map(|text| text.repeat(20))];
    prop_oneof![
        4 => text().prop_map(Step::Person),
        1 => text().prop_map(Step::Thinking),
        6 => (text(), vec((tool, argument), 0..3)).prop_map(|(text, calls)| Step::Reply(text, calls)),
        5 => vec(text(), 1..4).prop_map(Step::Results),
        1 => text().prop_map(Step::Stray),
        2 => Just(Step::End),
        1 => text().prop_map(Step::File),
        1 => text().prop_map(Step::Plan),
        1 => text().prop_map(Step::Summary),
        1 => text().prop_map(Step::Compaction),
        1 => (text(), any::<bool>()).prop_map(|(text, has_id)| Step::Helper(text, has_id)),
        1 => text().prop_map(Step::Title),
        1 => any::<usize>().prop_map(Step::Again),
        1 => any::<usize>().prop_map(Step::Renamed),
        1 => select(BROKEN).prop_map(Step::Broken),
        1 => any::<usize>().prop_map(Step::Back),
        1 => select(&[1u16, 59, 60, 61, 600][..]).prop_map(Step::Pause),
    ]
}

/// A log as a file.
#[derive(Clone)]
pub struct Made {
    /// Its name.
    pub name: String,
    /// Whose form it has.
    pub shape: Shape,
    /// Its bytes.
    pub bytes: Vec<u8>,
}

impl fmt::Debug for Made {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Made { name, shape, bytes } = self;
        write!(f, "{name} ({shape:?})")?;
        for line in bytes.split_inclusive(|byte| *byte == b'\n') {
            write!(f, "\n  {}", line.escape_ascii())?;
        }
        Ok(())
    }
}

/// What a log is made of.
#[derive(Clone, Debug)]
struct Recipe {
    shape: Shape,
    start: u32,
    steps: Vec<Step>,
    /// Of which log before it it is a fork, if that has its form, and how many of that one's lines it copies.
    fork: Option<(usize, usize)>,
    crlf: bool,
    mark: bool,
    open: bool,
}

fn recipe(steps: std::ops::Range<usize>) -> impl Strategy<Value = Recipe> {
    let shape = prop_oneof![
        4 => Just(Shape::Claude),
        1 => Just(Shape::ClaudeHelper),
        3 => Just(Shape::Codex),
        1 => Just(Shape::CodexHelper),
        3 => Just(Shape::Gemini),
        3 => Just(Shape::Pi),
        3 => Just(Shape::Own),
    ];
    let fork = proptest::option::weighted(0.4, (any::<usize>(), any::<usize>()));
    let odd = proptest::bool::weighted(0.1);
    (shape, 0u32..4, vec(step(), steps), fork, odd, odd, odd).prop_map(
        |(shape, start, steps, fork, crlf, mark, open)| Recipe {
            shape,
            start: start * 45,
            steps,
            fork,
            crlf,
            mark,
            open,
        },
    )
}

/// Several logs, some of them forks of others.
pub fn logs(
    count: std::ops::Range<usize>,
    steps: std::ops::Range<usize>,
) -> impl Strategy<Value = Vec<Made>> {
    vec(recipe(steps), count).prop_map(|recipes| {
        let mut written: Vec<(Shape, Vec<Vec<u8>>)> = Vec::new();
        let mut logs = Vec::new();
        for (number, recipe) in recipes.iter().enumerate() {
            let copied = recipe.fork.and_then(|(of, lines)| {
                let (shape, of) = written.get(of % number.max(1))?;
                (*shape == recipe.shape).then(|| &of[..lines % (of.len() + 1)])
            });
            let copied = copied.unwrap_or_default().to_vec();
            let lines = write(recipe.shape, number, recipe.start, &copied, &recipe.steps);
            logs.push(Made {
                name: format!("{number}.jsonl"),
                shape: recipe.shape,
                bytes: file(&lines, recipe),
            });
            written.push((recipe.shape, lines));
        }
        logs
    })
}

/// One log.
pub fn log(steps: std::ops::Range<usize>) -> impl Strategy<Value = Made> {
    logs(1..2, steps).prop_map(|mut logs| logs.remove(0))
}

fn file(lines: &[Vec<u8>], recipe: &Recipe) -> Vec<u8> {
    let end: &[u8] = if recipe.crlf { b"\r\n" } else { b"\n" };
    let mut bytes = Vec::new();
    if recipe.mark {
        bytes.extend_from_slice(b"\xEF\xBB\xBF");
    }
    bytes.extend_from_slice(&lines.join(end));
    if !recipe.open && !lines.is_empty() {
        bytes.extend_from_slice(end);
    }
    bytes
}
