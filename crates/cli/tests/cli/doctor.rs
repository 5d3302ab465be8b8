//! The doctor in a made-up home: what it finds, what it says to do, and how it ends.

use std::fs;

use crate::house::House;
use snapbox::{assert_data_eq, str};

fn agent_finding(house: &House, about: &str) -> serde_json::Value {
    let json = house.agent(&["doctor", "--json"]);
    assert_eq!(json.err, "");
    let diagnosis: serde_json::Value = serde_json::from_str(&json.out).unwrap();
    assert_eq!(diagnosis["well"], json.code == 0);
    let findings = diagnosis["findings"].as_array().unwrap();
    let mut of = findings.iter().filter(|finding| finding["about"] == about);
    // The last word on it is what is out of order.
    of.next_back().cloned().unwrap_or_default()
}

#[test]
fn a_home_where_nothing_was_done_yet() {
    let house = House::new();
    let before = house.agent(&["doctor"]);
    assert_eq!((before.code, before.err.as_str()), (1, ""));
    assert_data_eq!(
        house.plain(&before.out),
        str![[r#"
ok    claude-code  1 log, 1 of this project  ROOT/home/.claude/projects
may   sidecars     this project's: 1 not made yet
                   a search does what is needed; now: memfold fold
ok    receipts     none yet: a search makes it where it pays
ok    roll-up      none yet: a search makes it where it pays
ok    repository   none yet: a search makes it where it pays
ok    data         can be written  ROOT/data
ok    config       can be written  ROOT/config
ok    cache        can be written  ROOT/cache
TO DO claude       not registered
                   memfold setup claude
may   earlier      off: agents may not search this project's earlier tasks
                   memfold earlier on
1 to do

"#]]
    );
    let verbose = house.agent(&["doctor", "-v"]).out;
    assert!(
        house
            .plain(&verbose)
            .contains("\n                   ROOT/home/.claude/projects/-api/3f9a1c02"),
        "{verbose}"
    );
    // It has changed nothing.
    assert!(!house.root().join("data").exists() && !house.root().join("cache").exists());
}

#[test]
fn a_home_where_all_is_well() {
    let house = House::new();
    assert_eq!(house.agent(&["fold"]).code, 0);
    let program = serde_json::json!(env!("CARGO_BIN_EXE_memfold"));
    let servers =
        serde_json::json!({"mcpServers": {"memfold": {"command": program, "args": ["mcp"]}}});
    fs::write(
        house.root().join("home/.claude/.claude.json"),
        servers.to_string(),
    )
    .unwrap();
    let well = house.agent(&["doctor"]);
    assert_eq!((well.code, well.err.as_str()), (0, ""), "{}", well.out);
    assert_data_eq!(
        house.plain(&well.out),
        str![[r#"
ok    claude-code  1 log, 1 of this project  ROOT/home/.claude/projects
ok    sidecars     this project's: 1 up to date
ok    receipts     logs known: 1  ROOT/cache/receipts
ok    roll-up      none yet: a search makes it where it pays
ok    repository   none yet: a search makes it where it pays
ok    data         can be written  ROOT/data
ok    config       can be written  ROOT/config
ok    cache        can be written  ROOT/cache
may   claude       registered; asks before each call, no hook of a session's start  ROOT/home/.claude/.claude.json
                   memfold setup claude
may   earlier      off: agents may not search this project's earlier tasks
                   memfold earlier on
all is well

"#]]
    );
}

#[test]
fn a_sidecar_that_is_stale_damaged_or_a_later_programs_is_told_from_the_others() {
    let house = House::new();
    assert_eq!(house.agent(&["fold"]).code, 0);
    let sidecar = house.log().with_extension("mem");
    let right = fs::read(&sidecar).unwrap();
    let finding = |what: &str, code: &str| {
        let finding = agent_finding(&house, "sidecars");
        let said = finding["what"].as_str().unwrap();
        assert!(said.contains(what) && finding["level"] == code, "{finding}");
    };
    finding("1 up to date", "ok");
    let mut log = fs::read_to_string(house.log()).unwrap();
    log.push_str(&log.lines().next().unwrap().replace("u1", "u9").to_owned());
    log.push('\n');
    fs::write(house.log(), &log).unwrap();
    finding("1 behind", "may");
    for at in [right.len() / 2, 20, right.len() - 1] {
        let mut wrong = right.clone();
        wrong[at] ^= 1;
        fs::write(&sidecar, wrong).unwrap();
        finding("damaged", "todo");
    }
    fs::write(&sidecar, "").unwrap();
    assert_eq!(agent_finding(&house, "sidecars")["level"], "todo");
    let mut newer = right.clone();
    newer[8] = 2;
    let header = u32::from_le_bytes(newer[12..16].try_into().unwrap()) as usize;
    let checksum = crc32(&newer[..header - 4]).to_le_bytes();
    newer[header - 4..header].copy_from_slice(&checksum);
    fs::write(&sidecar, newer).unwrap();
    finding("later version", "todo");
    // What a fold mends is well again.
    fs::remove_file(&sidecar).unwrap();
    assert_eq!(house.agent(&["fold"]).code, 0);
    finding("1 up to date", "ok");
}

#[test]
fn each_thing_that_is_out_of_order_is_said_with_what_to_do() {
    let house = House::new();
    let at = |path: &str| house.root().join(path);
    assert_eq!(house.agent(&["fold"]).code, 0);
    assert_eq!(house.agent(&["search", "-s", "repo", "zzz"]).code, 1);

    let receipts = at("cache/receipts");
    let mut wrong = fs::read(&receipts).unwrap();
    let middle = wrong.len() / 2;
    wrong[middle] ^= 1;
    fs::write(&receipts, wrong).unwrap();
    assert_eq!(agent_finding(&house, "receipts")["do"], "memfold rebuild");

    fs::create_dir_all(at("cache/rollup")).unwrap();
    fs::write(at("cache/rollup/catalogue"), "nonsense").unwrap();
    assert_eq!(agent_finding(&house, "roll-up")["level"], "todo");

    assert_eq!(agent_finding(&house, "repository")["level"], "ok");

    fs::create_dir_all(at("config")).unwrap();
    fs::write(at("config/workspaces.toml"), "[workspaces").unwrap();
    let switch = agent_finding(&house, "earlier");
    assert!(
        switch["level"] == "todo" && switch["do"].as_str().unwrap().contains("off"),
        "{switch}"
    );

    fs::write(at("home/.claude/.claude.json"), "{").unwrap();
    assert_eq!(agent_finding(&house, "claude")["level"], "todo");

    fs::remove_dir_all(at("data")).unwrap();
    fs::write(at("data"), "a file").unwrap();
    let data = agent_finding(&house, "data");
    assert!(
        data["level"] == "todo" && data["do"].as_str().unwrap().contains("MEMFOLD_DATA_DIR"),
        "{data}"
    );
}

/// The checksum of a sidecar's header (`formats/mem.md`).
fn crc32(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(u32::MAX, |crc, byte| {
        (0..8).fold(crc ^ u32::from(*byte), |crc, _| {
            (crc >> 1) ^ (0xEDB8_8320 & (crc & 1).wrapping_neg())
        })
    })
}
