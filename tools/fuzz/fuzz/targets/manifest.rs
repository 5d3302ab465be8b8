#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| memfold_fuzz::manifest::run(bytes));
