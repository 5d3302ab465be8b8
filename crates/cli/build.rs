//! Links the unwinder in. A program that is started for each search is slow to load a library for it: mapping, binding and
//! the library's own start cost a twentieth of a search of a small project.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

/// What the linker reads in place of the shared library, which Rust's standard library asks for by name.
const SCRIPT: &str = "INPUT(-lgcc_eh -lgcc)\n";

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-env-changed=RUSTC_LINKER");
    if let Some(folder) = instead_of_the_shared_library() {
        println!("cargo:rustc-link-search=native={}", folder.display());
    }
}

/// A folder to be looked in first. Nothing where the target has other libraries, or the compiler has no unwinder to link in:
/// the program then loads the shared one.
fn instead_of_the_shared_library() -> Option<PathBuf> {
    let variable = |name: &str| env::var(name).ok();
    let is_own = variable("TARGET")? == variable("HOST")?;
    let is_gnu = variable("CARGO_CFG_TARGET_OS")? == "linux"
        && variable("CARGO_CFG_TARGET_ENV")? == "gnu"
        && !variable("CARGO_CFG_TARGET_FEATURE")
            .is_some_and(|features| features.split(',').any(|feature| feature == "crt-static"));
    if !is_own || !is_gnu {
        return None;
    }
    let compiler = variable("RUSTC_LINKER").unwrap_or_else(|| "cc".to_owned());
    if !["libgcc_eh.a", "libgcc.a"]
        .iter()
        .all(|library| has(&compiler, library))
    {
        return None;
    }
    let folder = PathBuf::from(variable("OUT_DIR")?).join("unwinder");
    fs::create_dir_all(&folder).ok()?;
    fs::write(folder.join("libgcc_s.so"), SCRIPT).ok()?;
    Some(folder)
}

/// Whether the compiler finds a library of its own: asked for one that it does not have, it says the name alone.
fn has(compiler: &str, library: &str) -> bool {
    let asked = Command::new(compiler)
        .arg(format!("-print-file-name={library}"))
        .output();
    asked.is_ok_and(|asked| {
        let path = String::from_utf8_lossy(&asked.stdout);
        Path::new(path.trim()).is_absolute() && Path::new(path.trim()).is_file()
    })
}
