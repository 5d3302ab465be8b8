#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| memfold_fuzz::git_index::run(bytes));
