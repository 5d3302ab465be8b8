//! memfold-fold
