//! The arrows between crates point down: `tools/xtask/src/arrows.rs` is the rule, `cargo metadata` what is.

use memfold_xtask::arrows::Workspace;

#[test]
fn dependencies_point_down() {
    let workspace = Workspace::read().unwrap();
    assert!(workspace.arrows.len() > workspace.packages.len());
    assert_eq!(workspace.broken(), Vec::<String>::new());
}
