//! Prints what memfold reads in a log: `cargo run -p memfold-agents --example readings LOG [WIDTH]`.

use std::error::Error;
use std::io::Write;
use std::path::Path;

use memfold_log::Form;

#[path = "../tests/render/mod.rs"]
#[allow(clippy::unwrap_used)] // Writing to a string does not fail; the file is the tests'.
mod render;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let path = arguments.next().ok_or("usage: readings LOG [WIDTH]")?;
    let width = arguments.next().map_or(Ok(120), |width| width.parse())?;
    let log = std::fs::read(&path)?;
    let form = Form::of(Path::new(&path)).unwrap_or(Form::Lines);
    let head = log.get(..log.len().min(64 << 10)).unwrap_or_default();
    let first_lines: Vec<_> = match form {
        Form::Document => vec![head],
        _ => head.split(|byte| *byte == b'\n').collect(),
    };
    let agent = memfold_agents::detect(Path::new(&path), &first_lines)
        .ok_or("no agent that memfold knows writes such a log")?;
    let mut out = std::io::stdout().lock();
    writeln!(out, "# {}", agent.name())?;
    out.write_all(render::log(agent, form, &log, width).as_bytes())?;
    Ok(())
}
