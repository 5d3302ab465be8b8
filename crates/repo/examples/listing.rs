//! Lists a tree as `git ls-files -z` does, and says on stderr how, what is missing, and what the guard says of it:
//! `cargo run -p memfold-repo --example listing DIR [read]`.

#![allow(clippy::print_stderr)]

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::time::{Duration, Instant};

use memfold_disk::Dirs;
use memfold_guard::{Budget, Guard, Limits, Rules};
use memfold_repo::listing::{Hardened, Kind, Listing, Wanted, fit, list, program};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args_os().skip(1);
    let root = arguments.next().ok_or("name a folder")?;
    let reads = arguments.next().is_some_and(|word| word == "read");
    let dirs = Dirs::from_env(|name| std::env::var_os(name))?;
    let begun = Instant::now();
    let guard = Guard::new(root, Rules::load(&dirs.config)?, &dirs)?;
    let path = std::env::var_os("PATH").unwrap_or_default();
    let git = program("git", &path, guard.root().path()).map(Hardened::new);
    let wanted = Wanted {
        git: git.as_ref(),
        ..Wanted::default()
    };
    let listing = list(guard.root(), wanted)?;
    let took = begun.elapsed();
    show(&listing)?;
    let (count, by, cut) = (listing.entries.len(), &listing.by, &listing.cut);
    eprintln!("{count} entries, by {by:?}, cut {cut:?}, {took:?}");
    for left in listing.left.named.iter().take(20) {
        eprintln!("left out {:?}: {}", left.path, left.why);
    }
    check_names(&guard, &listing);
    if reads {
        read(&guard, &listing);
    }
    Ok(())
}

fn show(listing: &Listing) -> io::Result<()> {
    let mut out = io::BufWriter::new(io::stdout().lock());
    for entry in &listing.entries {
        let end = match entry.kind {
            Kind::Repository => "/\0",
            Kind::File | Kind::Link => "\0",
        };
        write!(out, "{}{end}", entry.path)?;
    }
    out.flush()
}

fn check_names(guard: &Guard, listing: &Listing) {
    let begun = Instant::now();
    let allowed = |path| guard.check_name(path).is_ok();
    let names = listing.entries.iter().filter(|entry| allowed(&entry.path));
    let count = names.count();
    eprintln!("{count} names allowed, {:?}", begun.elapsed());
}

fn read(guard: &Guard, listing: &Listing) {
    let budget = Budget::new(Limits {
        file_bytes: Limits::FILE_BYTES,
        bytes: 128 << 20,
        time: Duration::from_secs(60),
    });
    let begun = Instant::now();
    let fit = fit(
        &listing.entries,
        memfold_repo::listing::Limits::default(),
        |_| true,
    );
    let mut outcomes: BTreeMap<String, usize> = BTreeMap::new();
    for entry in &fit.taken {
        let outcome = match guard.read(&entry.path, &budget) {
            Ok(content) => format!("{:?}", content.text().map(|_| "text")),
            Err(refusal) => refusal.to_string(),
        };
        *outcomes.entry(outcome).or_default() += 1;
    }
    eprintln!("{:?}, read in {:?}", fit.extent, begun.elapsed());
    eprintln!("{outcomes:?}; {} too large", fit.too_large.len());
}
