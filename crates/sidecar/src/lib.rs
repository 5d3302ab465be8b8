//! memfold-sidecar
