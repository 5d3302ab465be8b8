//! memfold-tests
