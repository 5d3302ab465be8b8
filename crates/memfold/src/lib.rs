//! memfold
