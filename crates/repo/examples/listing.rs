//! Lists a tree as `git ls-files -z` does, and says on stderr how, and what is missing:
//! `cargo run -p memfold-repo --example listing DIR`.

#![allow(clippy::print_stderr)]

use std::io::{self, Write};
use std::time::Instant;

use memfold_disk::Pinned;
use memfold_repo::listing::{Hardened, Kind, Wanted, list, program};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let root = std::env::args_os().nth(1).ok_or("name a folder")?;
    let begun = Instant::now();
    let root = Pinned::open(root)?;
    let path = std::env::var_os("PATH").unwrap_or_default();
    let git = program("git", &path, root.path()).map(Hardened::new);
    let wanted = Wanted {
        git: git.as_ref(),
        ..Wanted::default()
    };
    let listing = list(&root, wanted)?;
    let took = begun.elapsed();
    let mut out = io::BufWriter::new(io::stdout().lock());
    for entry in &listing.entries {
        let end = match entry.kind {
            Kind::Repository => "/\0",
            Kind::File | Kind::Link => "\0",
        };
        write!(out, "{}{end}", entry.path)?;
    }
    let (count, by, cut) = (listing.entries.len(), &listing.by, &listing.cut);
    eprintln!("{count} entries, by {by:?}, cut {cut:?}, {took:?}");
    for left in listing.left.named.iter().take(20) {
        eprintln!("left out {:?}: {}", left.path, left.why);
    }
    Ok(())
}
