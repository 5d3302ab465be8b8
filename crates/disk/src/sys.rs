//! The calls that differ between systems, behind one set of names. A port is one more file here.

#[cfg(unix)]
mod unix;
#[cfg(unix)]
pub(crate) use unix::*;

#[cfg(not(unix))]
compile_error!("memfold-disk knows Unix only: another system is one file beside src/sys/unix.rs");
