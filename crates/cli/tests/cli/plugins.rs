//! The plugins in `tools/plugins` against what they speak of: the skill's tools are those that the server offers, and what is
//! registered is what `memfold setup` registers. The hosts' own validators were run by hand; `tools/plugins/README.md` says how.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::Stdio;

use crate::house::House;
use serde_json::{Value, json};

fn text(path: &str) -> String {
    let plugins = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tools/plugins");
    std::fs::read_to_string(plugins.join(path)).unwrap()
}

fn read(path: &str) -> Value {
    serde_json::from_str(&text(path)).unwrap()
}

const SKILL: &str = "claude-code/skills/memfold/SKILL.md";

#[test]
fn both_skills_are_one_text_that_hosts_can_read() {
    let skill = text(SKILL);
    assert_eq!(text("codex/skills/memfold/SKILL.md"), skill);
    let (_, rest) = skill.split_once("---\n").unwrap();
    let (head, body) = rest.split_once("---\n").unwrap();
    let fields: Vec<(&str, &str)> = head
        .lines()
        .map(|line| line.split_once(": ").unwrap())
        .collect();
    assert_eq!(fields[0], ("name", "memfold"));
    let (name, description) = fields[1];
    assert!(name == "description" && description.len() < 1024 && !description.contains(": "));
    assert!(body.lines().count() < 150);
}

#[test]
fn what_is_registered_is_what_setup_registers() {
    let house = House::new();
    // A command that is found by its name, as a plugin names it.
    for (host, file, key) in [
        ("claude", "claude-code/.mcp.json", "mcpServers"),
        ("codex", "codex/.mcp.json", "mcp_servers"),
    ] {
        let mut command = house.command(env!("CARGO_BIN_EXE_memfold"));
        let bin = Path::new(env!("CARGO_BIN_EXE_memfold")).parent().unwrap();
        command.env("AI_AGENT", "test").env("PATH", bin);
        let shown = command.args(["setup", host, "--json"]).output().unwrap();
        let answer: Value = serde_json::from_slice(&shown.stdout).unwrap();
        let change = answer["steps"][0]["change"].as_str().unwrap().to_owned();
        let entry = &read(file)["mcpServers"]["memfold"];
        for (name, value) in entry.as_object().unwrap() {
            let said = match host {
                "claude" => format!("\"{name}\": {value}"),
                _ => format!("{name} = {value}"),
            };
            assert!(
                change.contains(key) && change.contains(&said),
                "{said}: {change}"
            );
        }
    }
    let hooks = read("claude-code/hooks/hooks.json");
    let hook = &hooks["hooks"]["SessionStart"][0]["hooks"][0];
    assert_eq!(hook["command"], "memfold hook session-start");
    for manifest in [
        "claude-code/.claude-plugin/plugin.json",
        "codex/.codex-plugin/plugin.json",
    ] {
        assert_eq!(
            read(manifest)["version"],
            env!("CARGO_PKG_VERSION"),
            "{manifest}"
        );
    }
}

#[test]
fn the_skill_tells_of_every_tool_that_the_server_offers_and_of_all_its_arguments() {
    let house = House::new();
    let mut server = house.command(env!("CARGO_BIN_EXE_memfold"));
    server
        .arg("mcp")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped());
    let mut server = server.spawn().unwrap();
    let mut input = server.stdin.take().unwrap();
    for message in [
        json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
            "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "test", "version": "1" } } }),
        json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }),
        json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/list" }),
    ] {
        writeln!(input, "{message}").unwrap();
    }
    let mut answers = BufReader::new(server.stdout.take().unwrap()).lines();
    let listed: Value = serde_json::from_str(&answers.nth(1).unwrap().unwrap()).unwrap();
    drop(input);
    server.wait().unwrap();
    let skill = text(SKILL);
    let tools = listed["result"]["tools"].as_array().unwrap();
    assert!(!tools.is_empty(), "{listed}");
    for tool in tools {
        let name = tool["name"].as_str().unwrap();
        let start = format!("- `{name}(");
        let line = skill.lines().find(|line| line.starts_with(&start));
        let (_, line) = line
            .unwrap_or_else(|| panic!("{name}"))
            .split_once('(')
            .unwrap();
        let (arguments, _) = line.split_once(')').unwrap();
        let said: Vec<&str> = arguments.split(", ").collect();
        for argument in tool["inputSchema"]["properties"]
            .as_object()
            .unwrap()
            .keys()
        {
            assert!(said.contains(&argument.as_str()), "{name}: {argument}");
        }
    }
}
