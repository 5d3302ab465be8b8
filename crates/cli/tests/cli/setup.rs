//! Registering with hosts in a made-up home: what is shown, to whom, what is written and what is left.

use std::fs;
use std::path::PathBuf;

use crate::house::{House, path};
use snapbox::{assert_data_eq, str};

const SETTINGS: &str = "{\n  // mine\n  \"model\": \"opus\",\n  \"permissions\": {\n    \"allow\": [\n      \"Bash(ls:*)\"\n    ]\n  }\n}\n";
const SERVERS: &str = "{\n  \"numStartups\": 3,\n  \"mcpServers\": {}\n}\n";
const CODEX: &str = "model = \"m\" # mine\n\n[mcp_servers.other]\ncommand = \"x\"\n# the end\n";

impl House {
    fn file(&self, below_home: &str) -> PathBuf {
        self.root().join("home").join(below_home)
    }

    /// Settings of hosts, as a person has them.
    fn with_hosts() -> House {
        let house = House::new();
        for (file, text) in [
            (".claude/.claude.json", SERVERS),
            (".claude/settings.json", SETTINGS),
            (".codex/config.toml", CODEX),
        ] {
            fs::create_dir_all(house.file(file).parent().unwrap()).unwrap();
            fs::write(house.file(file), text).unwrap();
        }
        house
    }

    fn text(&self, below_home: &str) -> String {
        fs::read_to_string(self.file(below_home)).unwrap()
    }

    /// With the command's own place, which is another in each build, by name.
    fn shown(&self, text: &str) -> String {
        self.plain(text)
            .replace(env!("CARGO_BIN_EXE_memfold"), "BIN/memfold")
    }
}

#[test]
fn the_hosts_that_are_here_are_listed() {
    let house = House::with_hosts();
    fs::write(house.file(".claude/.claude.json"), "{ broken").unwrap();
    fs::write(
        house.file(".codex/config.toml"),
        "[mcp_servers.memfold]\ncommand = \"/gone/memfold\"\nargs = [\"mcp\"]\n",
    )
    .unwrap();
    fs::create_dir_all(house.file(".config/zed")).unwrap();
    let listed = house.agent(&["setup"]);
    assert_eq!((listed.code, listed.err.as_str()), (0, ""));
    assert_data_eq!(
        house.shown(&listed.out),
        str![[r#"
claude    unreadable      ROOT/home/.claude/.claude.json
          ROOT/home/.claude/.claude.json: line 1: Expected string for object property
codex     program is gone ROOT/home/.codex/config.toml
zed       not registered  memfold setup zed
not found: gemini, opencode, vscode, cursor

"#]]
    );
    let json = house.agent(&["setup", "--json"]);
    let list: serde_json::Value = serde_json::from_str(&json.out).unwrap();
    assert_eq!(list["schema"], 1);
    let codex = &list["hosts"][1];
    assert_eq!(
        (
            &codex["host"],
            &codex["found"],
            &codex["registered"],
            &codex["allow"]
        ),
        (&"codex".into(), &true.into(), &"gone".into(), &false.into())
    );
    assert_eq!(codex["command"][0], "/gone/memfold");
}

#[test]
fn an_agent_is_shown_what_would_be_written_and_no_more() {
    let house = House::with_hosts();
    for arguments in [
        &["setup", "claude"][..],
        &["setup", "claude", "--yes", "--allow", "--hook"],
    ] {
        let shown = house.agent(arguments);
        assert_eq!(shown.code, 3, "{}", shown.out);
        assert_data_eq!(
            house.shown(&shown.out),
            str![[r#"
Claude Code is to start memfold's server in each session
ROOT/home/.claude/.claude.json
@@ -1,4 +1,9 @@
 {
   "numStartups": 3,
-  "mcpServers": {}
+  "mcpServers": {
+    "memfold": {
+      "command": "BIN/memfold",
+      "args": ["mcp"]
+    }
+  }
 }
Claude Code is to call memfold's tools without asking each time: they only read
The rule is for any server named memfold: do not approve one of that name that a project brings.
ROOT/home/.claude/settings.json
@@ -4,5 +4,6 @@
   "permissions": {
     "allow": [
-      "Bash(ls:*)"
+      "Bash(ls:*)",
+      "mcp__memfold__*"
     ]
   }
Claude Code is to tell memfold at a session's start which conversation it runs
ROOT/home/.claude/settings.json
@@ -7,4 +7,16 @@
       "mcp__memfold__*"
     ]
+  },
+  "hooks": {
+    "SessionStart": [
+      {
+        "hooks": [
+          {
+            "type": "command",
+            "command": "BIN/memfold hook session-start"
+          }
+        ]
+      }
+    ]
   }
 }
not written: server ROOT/home/.claude/.claude.json
not written: allow ROOT/home/.claude/settings.json
not written: hook ROOT/home/.claude/settings.json

"#]]
        );
        assert_data_eq!(
            shown.err,
            str![[r#"
memfold: only a person may change the settings of Claude Code; run it in a terminal, outside of an agent's shell

"#]]
        );
    }
    let json = house.agent(&["setup", "codex", "--yes", "--json"]);
    assert_eq!((json.code, json.err.as_str()), (3, ""));
    let answer: serde_json::Value = serde_json::from_str(&json.out).unwrap();
    assert_eq!(answer["steps"][0]["part"], "server");
    assert_eq!(answer["steps"][0]["done"], "shown");
    assert_eq!(house.text(".claude/.claude.json"), SERVERS);
    assert_eq!(house.text(".claude/settings.json"), SETTINGS);
    assert_eq!(house.text(".codex/config.toml"), CODEX);
}

#[test]
fn a_file_that_its_host_could_not_read_is_one_line_and_nothing_is_written() {
    let house = House::with_hosts();
    let broken = "{\n  \"mcpServers\": {\n    \"x\" 1\n";
    fs::write(house.file(".claude/.claude.json"), broken).unwrap();
    for arguments in [
        &["setup", "claude", "--yes"][..],
        &["setup", "claude", "--remove"],
    ] {
        let ended = house.agent(arguments);
        assert_eq!(
            (ended.code, ended.err.lines().count()),
            (2, 1),
            "{}",
            ended.err
        );
        assert!(
            ended.err.contains(".claude.json: line 3: ")
                && ended.err.contains("nothing was written"),
            "{}",
            ended.err
        );
    }
    assert_eq!(house.text(".claude/.claude.json"), broken);
    assert_eq!(house.text(".claude/settings.json"), SETTINGS);
    let foreign = "[mcp_servers.memfold]\ncommand = \"npx\"\n";
    fs::write(house.file(".codex/config.toml"), foreign).unwrap();
    let ended = house.agent(&["setup", "codex"]);
    assert!(
        ended.code == 2 && ended.err.contains("another server"),
        "{}",
        ended.err
    );
    assert_eq!(house.agent(&["setup", "emacs"]).code, 2);
    assert_eq!(house.agent(&["setup", "--remove"]).code, 2);
}

#[cfg(target_os = "linux")]
#[test]
fn a_person_is_asked_part_by_part_and_takes_all_of_it_back() {
    let house = House::with_hosts();
    // The server: no. Nothing more is asked.
    let (code, text) = house.person("setup claude", "n\n");
    assert!(code == 1 && text.matches("[y/N]").count() == 1, "{text}");
    assert_eq!(house.text(".claude/.claude.json"), SERVERS);
    // The server and the hook, not the rule.
    let (code, text) = house.person("setup claude", "y\nn\ny\n");
    assert!(code == 1 && text.matches("[y/N]").count() == 3, "{text}");
    assert!(house.text(".claude/.claude.json").contains("\"memfold\""));
    let settings = house.text(".claude/settings.json");
    assert!(
        settings.contains("hook session-start")
            && !settings.contains("mcp__")
            && settings.contains("// mine"),
        "{settings}"
    );
    // What is there is not asked about again.
    let (code, text) = house.person("setup claude", "y\n");
    assert!(code == 0 && text.matches("[y/N]").count() == 1, "{text}");
    let (code, text) = house.person("setup claude", "");
    assert!(code == 0 && !text.contains("[y/N]"), "{text}");
    let (code, text) = house.person("setup claude --remove", "n\n");
    assert!(
        code == 1
            && house
                .text(".claude/settings.json")
                .contains("mcp__memfold__*"),
        "{text}"
    );
    let (code, text) = house.person("setup claude --remove", "y\n");
    assert!(code == 0 && text.matches("[y/N]").count() == 1, "{text}");
    assert_eq!(house.text(".claude/settings.json"), SETTINGS);
    // An empty table that is left is not told from one that was made.
    assert_eq!(
        house.text(".claude/.claude.json"),
        "{\n  \"numStartups\": 3\n}\n"
    );
}

#[cfg(target_os = "linux")]
#[test]
fn a_script_of_a_person_is_not_asked_and_a_file_that_was_made_goes_again() {
    let house = House::with_hosts();
    let (code, text) = house.person("setup codex --yes", "");
    assert!(code == 0 && !text.contains("[y/N]"), "{text}");
    let config = house.text(".codex/config.toml");
    assert!(
        config.starts_with(CODEX) && !config.contains("approve"),
        "{config}"
    );
    let (code, text) = house.person("setup codex --yes --allow", "");
    assert!(
        code == 0 && house.text(".codex/config.toml").contains("approve"),
        "{text}"
    );
    let (code, _) = house.person("setup codex --yes --remove", "");
    assert_eq!(
        (code, house.text(".codex/config.toml").as_str()),
        (0, CODEX)
    );
    // Programs see what would be done, until --yes is given.
    let (code, text) = house.person("setup gemini --json", "");
    assert!(
        code == 0 && text.contains("\"shown\"") && !house.file(".gemini").exists(),
        "{text}"
    );
    for host in ["gemini", "opencode", "vscode", "cursor", "zed"] {
        let (code, text) = house.person(&format!("setup {host} --yes --json"), "");
        assert!(code == 0 && text.contains("\"written\""), "{text}");
        let (code, text) = house.person(&format!("setup {host} --yes"), "");
        assert!(code == 0 && text.contains("as it should be"), "{text}");
    }
    let made = [
        house.file(".gemini/settings.json"),
        house.file(".config/opencode/opencode.json"),
        house.project().join(".vscode/mcp.json"),
        house.project().join(".cursor/mcp.json"),
        house.project().join(".zed/settings.json"),
    ];
    assert!(made.iter().all(|file| file.is_file()));
    assert!(
        fs::read_to_string(&made[4])
            .unwrap()
            .contains(&path(&house.project()))
    );
    for host in ["gemini", "opencode", "vscode", "cursor", "zed"] {
        assert_eq!(
            house.person(&format!("setup {host} --yes --remove"), "").0,
            0
        );
    }
    assert!(!made.iter().any(|file| file.exists()));
}

#[test]
fn what_a_project_brings_under_memfolds_name_is_said() {
    let house = House::with_hosts();
    let clones = r#"{"mcpServers":{"memfold":{"command":"./evil","args":["mcp"]}}}"#;
    fs::write(house.project().join(".mcp.json"), clones).unwrap();
    let listed = house.shown(&house.agent(&["setup"]).out);
    assert!(
        listed.starts_with("claude    another program ROOT/home/api/.mcp.json\n"),
        "{listed}"
    );
    let found = house.shown(&house.agent(&["doctor"]).out);
    assert!(
        found.contains("TO DO claude       another program has the name memfold: ./evil mcp"),
        "{found}"
    );
    let ours = r#"{"mcpServers":{"memfold":{"command":"memfold","args":["mcp"]}}}"#;
    fs::write(house.project().join(".mcp.json"), ours).unwrap();
    let listed = house.shown(&house.agent(&["setup"]).out);
    assert!(
        listed.starts_with("claude    program is gone ROOT/home/api/.mcp.json\n"),
        "{listed}"
    );
}

#[test]
fn a_plugin_that_registers_it_is_enough() {
    let house = House::with_hosts();
    let settings = r#"{"enabledPlugins":{"memfold@memfold":true}}"#;
    fs::write(house.file(".claude/settings.json"), settings).unwrap();
    let ended = house.agent(&["setup", "claude"]);
    assert!(
        ended.code == 0 && ended.out.contains("has memfold's plugin"),
        "{}",
        ended.out
    );
    let listed = house.agent(&["setup"]);
    assert!(
        listed.out.starts_with("claude    by its plugin "),
        "{}",
        listed.out
    );
}

#[test]
fn a_clone_cannot_lead_a_registration_out_of_its_folder() {
    let house = House::new();
    let target = house.root().join("home/.bashrc");
    fs::write(&target, "").unwrap();
    fs::create_dir(house.project().join(".vscode")).unwrap();
    std::os::unix::fs::symlink(&target, house.project().join(".vscode/mcp.json")).unwrap();
    let ended = house.agent(&["setup", "vscode", "--yes"]);
    assert!(
        ended.code == 2 && ended.err.contains("leads out of the project"),
        "{}",
        ended.err
    );
}
