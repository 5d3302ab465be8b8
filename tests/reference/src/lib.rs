//! memfold-reference
