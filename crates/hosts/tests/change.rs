//! What a registration adds to settings as people have them, and that taking it away leaves them as they were.

// A test binary whole: clippy's leave for tests ends at functions that tests share.
#![allow(clippy::unwrap_used)]

use std::path::Path;

use memfold_hosts::{
    Host, Part, Program, Refused, Registered, add, difference, holds, plugged, registered, remove,
};
use snapbox::{assert_data_eq, str};

fn program() -> Program {
    Program::new(Path::new("/opt/memfold"), None, Path::new("/home/ada/api"))
}

/// The text with all parts of a host's registration.
fn with_all(host: Host, text: &str) -> String {
    host.parts().iter().fold(text.to_owned(), |text, part| {
        let added = add(host, *part, &program(), None, &text).unwrap();
        added.unwrap_or(text)
    })
}

/// The text without any.
fn without(host: Host, text: &str) -> String {
    host.parts()
        .iter()
        .rev()
        .fold(text.to_owned(), |text, part| {
            let left = remove(host, *part, &text).unwrap();
            left.unwrap_or(text)
        })
}

fn shown(host: Host, part: Part, before: &str) -> String {
    difference(
        before,
        &add(host, part, &program(), None, before).unwrap().unwrap(),
    )
}

#[test]
fn each_host_is_given_as_few_keys_as_it_needs() {
    assert_data_eq!(
        with_all(Host::Claude, ""),
        str![[r#"
{
  "mcpServers": {
    "memfold": {
      "command": "/opt/memfold",
      "args": ["mcp"]
    }
  },
  "permissions": {
    "allow": ["mcp__memfold__*"]
  },
  "hooks": {
    "SessionStart": [
      {
        "hooks": [
          {
            "type": "command",
            "command": "/opt/memfold hook session-start"
          }
        ]
      }
    ]
  }
}

"#]]
    );
    assert_data_eq!(
        with_all(Host::Codex, ""),
        str![[r#"
[mcp_servers.memfold]
command = "/opt/memfold"
args = ["mcp"]
env_vars = ["CODEX_HOME"]
default_tools_approval_mode = "approve"

"#]]
    );
    assert_data_eq!(
        with_all(Host::Gemini, ""),
        str![[r#"
{
  "mcpServers": {
    "memfold": {
      "command": "/opt/memfold",
      "args": ["mcp"],
      "trust": true
    }
  }
}

"#]]
    );
    assert_data_eq!(
        with_all(Host::OpenCode, ""),
        str![[r#"
{
  "mcp": {
    "memfold": {
      "type": "local",
      "command": ["/opt/memfold", "mcp"]
    }
  }
}

"#]]
    );
    assert_data_eq!(
        with_all(Host::VsCode, ""),
        str![[r#"
{
  "servers": {
    "memfold": {
      "type": "stdio",
      "command": "/opt/memfold",
      "args": ["mcp", "--project", "${workspaceFolder}"]
    }
  }
}

"#]]
    );
    assert_data_eq!(
        with_all(Host::Zed, ""),
        str![[r#"
{
  "context_servers": {
    "memfold": {
      "command": "/opt/memfold",
      "args": ["mcp", "--project", "/home/ada/api"]
    }
  }
}

"#]]
    );
    assert!(with_all(Host::Cursor, "").contains("${workspaceFolder}"));
}

#[test]
fn comments_order_and_indentation_stay() {
    let zed = "// Zed settings\n{\n\t\"theme\": \"One\", // mine\n\t\"context_servers\": {\n\t\t// the other one\n\t\t\"x\": { \"command\": \"y\" },\n\t},\n\t/* the end */\n}\n";
    assert_data_eq!(
        shown(Host::Zed, Part::Server, zed),
        str![[r#"
@@ -5,4 +5,8 @@
 		// the other one
 		"x": { "command": "y" },
+		"memfold": {
+			"command": "/opt/memfold",
+			"args": ["mcp", "--project", "/home/ada/api"],
+		},
 	},
 	/* the end */

"#]]
    );
    let codex = "# mine\nmodel = \"m\"   # this one\n\n[mcp_servers.x] # the other\ncommand = 'y'\n\n[projects.\"/p\"]\ntrust_level = \"trusted\"\n# the end\n";
    assert_data_eq!(
        shown(Host::Codex, Part::Server, codex),
        str![[r#"
@@ -8,2 +8,7 @@
 trust_level = "trusted"
 # the end
+
+[mcp_servers.memfold]
+command = "/opt/memfold"
+args = ["mcp"]
+env_vars = ["CODEX_HOME"]

"#]]
    );
}

/// Settings as people have them. After the registration was added and taken away they are as they were, to the byte.
const JSON: &[&str] = &[
    "",
    "{}\n",
    "{\n  \"a\": 1\n}",
    "{\n  \"a\": 1\n}\n",
    "\u{feff}{\r\n    \"a\": [1, 2]\r\n}\r\n",
    "{\n\t\"a\": 1, // trailing\n}\n",
    "// head\n{\n  // own\n  \"a\": { \"b\": {} } // line\n  // end\n}\n// foot\n",
    "{\n  \"mcpServers\": {\n    \"x\": { \"command\": \"y\" }\n  },\n  \"mcp\": {\n    \"x\": {}\n  },\n  \"servers\": {\n    /* none */\n  },\n  \"z\": null\n}\n",
    "{\n  \"permissions\": {\n    \"allow\": [\n      \"Bash(ls:*)\",\n      \"mcp__other__*\"\n    ],\n    \"deny\": []\n  },\n  \"hooks\": {\n    \"SessionStart\": [\n      {\n        \"matcher\": \"startup\",\n        \"hooks\": [\n          { \"type\": \"command\", \"command\": \"other\" }\n        ]\n      }\n    ],\n    \"Stop\": []\n  }\n}\n",
];

const TOML: &[&str] = &[
    "",
    "a = 1\n",
    "# only a comment\n",
    "\u{feff}a = 1\n",
    "a = 1\r\n\r\n[b]\r\nc = [\r\n  1,\r\n]\r\n",
    "[mcp_servers.x]\ncommand = \"y\"\n\n[mcp_servers.x.env]\nA = \"b\"\n# after\n\n",
    "[[list]]\na = 1\n\n[[list]]\na = 2\n\n\n# far\n",
    "[mcp_servers]\n\n[other] # head\n'quoted key' = { a = 1, b = [1,2] }\nm = \"\"\"\nlines\n\"\"\"\n",
];

#[test]
fn what_is_added_is_taken_away_and_nothing_else() {
    for host in Host::ALL {
        let texts = if host == Host::Codex { TOML } else { JSON };
        for text in texts {
            let with = with_all(host, text);
            assert_ne!(with, *text);
            assert!(
                matches!(registered(host, &with), Ok(Registered::Yes(_))),
                "{with}"
            );
            for part in host.parts() {
                assert!(holds(host, *part, &with).unwrap(), "{part:?} {with}");
                assert!(!holds(host, *part, text).unwrap(), "{part:?} {text}");
            }
            let back = without(host, &with);
            // What was no text is `{}` then, and its file goes.
            let expected = if text.is_empty() && host != Host::Codex {
                "{}\n"
            } else {
                text
            };
            assert_eq!(back, expected, "{host}: {with}");
        }
    }
}

#[test]
fn a_program_that_is_gone_is_named_anew_and_one_that_is_there_stays() {
    let dir = tempfile::tempdir().unwrap();
    let there = dir.path().join("memfold");
    std::fs::write(&there, "").unwrap();
    for host in Host::ALL {
        let own = Program::new(&there, None, dir.path());
        let text = host.parts().iter().fold(String::new(), |text, part| {
            add(host, *part, &own, None, &text).unwrap().unwrap()
        });
        for part in host.parts() {
            assert_eq!(
                add(host, *part, &program(), None, &text),
                Ok(None),
                "{text}"
            );
        }
        let gone = with_all(host, "");
        let anew = add(host, Part::Server, &own, None, &gone).unwrap().unwrap();
        let same = gone.replacen("/opt/memfold", there.to_str().unwrap(), 1);
        assert_eq!(anew, same);
        let Ok(Registered::Yes(line)) = registered(host, &anew) else {
            panic!("{anew}");
        };
        assert_eq!(line[0], there.to_str().unwrap());
    }
}

#[test]
fn what_a_person_made_of_an_entry_is_theirs() {
    let off = r#"{"mcpServers":{"memfold":{"command":"memfold","args":["mcp"],"disabled":true}}}"#;
    assert!(matches!(
        registered(Host::Cursor, off),
        Ok(Registered::Off(_))
    ));
    assert_eq!(
        add(Host::Cursor, Part::Server, &program(), None, off),
        Err(Refused::TurnedOff)
    );
    assert!(remove(Host::Cursor, Part::Server, off).unwrap().is_some());
    let more = "[mcp_servers.memfold]\ncommand = \"memfold\"\nargs = [\"mcp\", \"--tools\", \"session\"]\nstartup_timeout_sec = 20\n\n[mcp_servers.memfold.env]\nTZ = \"UTC\"\n\n# of x\n[x]\na = 1\n";
    let with = add(Host::Codex, Part::Allow, &program(), None, more)
        .unwrap()
        .unwrap();
    assert_data_eq!(
        difference(more, &with),
        str![[r#"
@@ -3,4 +3,5 @@
 args = ["mcp", "--tools", "session"]
 startup_timeout_sec = 20
+default_tools_approval_mode = "approve"
 
 [mcp_servers.memfold.env]

"#]]
    );
    assert_eq!(
        remove(Host::Codex, Part::Allow, &with).unwrap().as_deref(),
        Some(more)
    );
    let left = remove(Host::Codex, Part::Server, &with).unwrap().unwrap();
    assert!(
        left.ends_with("# of x\n[x]\na = 1\n") && !left.contains("memfold"),
        "{left}"
    );
}

#[test]
fn a_hook_among_others_of_its_group_goes_alone() {
    let text = "{\n  \"hooks\": {\n    \"SessionStart\": [\n      {\n        \"hooks\": [\n          { \"type\": \"command\", \"command\": \"other\" },\n          { \"type\": \"command\", \"command\": \"memfold hook session-start\" }\n        ]\n      }\n    ]\n  }\n}\n";
    let left = remove(Host::Claude, Part::Hook, text).unwrap().unwrap();
    assert!(
        left.contains("\"other\"") && !left.contains("memfold"),
        "{left}"
    );
    assert_eq!(remove(Host::Claude, Part::Hook, &left), Ok(None));
}

#[test]
fn a_plugin_that_is_in_force_is_seen() {
    for (host, text, is) in [
        (
            Host::Claude,
            r#"{"enabledPlugins":{"memfold@memfold":true}}"#,
            true,
        ),
        (
            Host::Claude,
            r#"{"enabledPlugins":{"memfold@memfold":false,"x@memfold":true}}"#,
            false,
        ),
        (Host::Claude, "", false),
        (
            Host::Codex,
            "[plugins.\"memfold@team\"]\nenabled = true\n",
            true,
        ),
        (
            Host::Codex,
            "[plugins.\"memfold@team\"]\nenabled = false\n",
            false,
        ),
        (
            Host::Zed,
            r#"{"enabledPlugins":{"memfold@memfold":true}}"#,
            false,
        ),
    ] {
        assert_eq!(plugged(host, text), Ok(is), "{text}");
    }
}

#[test]
fn another_program_of_that_name_is_left_alone() {
    let json = r#"{"mcpServers":{"memfold":{"command":"npx","args":["-y","memfold"]}}}"#;
    let toml = "[mcp_servers.memfold]\ncommand = \"npx\"\nargs = [\"-y\", \"memfold\"]\n";
    for (host, text) in [
        (Host::Claude, json),
        (Host::Gemini, json),
        (Host::Codex, toml),
    ] {
        let foreign = Err(Refused::Foreign("npx -y memfold".to_owned()));
        assert_eq!(add(host, Part::Server, &program(), None, text), foreign);
        assert_eq!(remove(host, Part::Server, text), foreign);
        if host != Host::Claude {
            assert_eq!(remove(host, Part::Allow, &format!("{text}\n")), Ok(None));
            // Nor is it allowed what was meant for us.
            assert_eq!(add(host, Part::Allow, &program(), None, text), foreign);
        }
    }
}

#[test]
fn what_a_host_could_not_read_is_refused_with_its_line() {
    for (host, text, line) in [
        (Host::Claude, "{\n  \"a\": 1\n  \"b\": 2\n}", 2),
        (Host::Claude, "{\n  'a': 1\n}", 2),
        (Host::Claude, "[]", 1),
        (Host::Claude, "{", 1),
        (Host::Codex, "a = 1\n[b\n", 2),
        (Host::Codex, "a = 1\na = 2\n", 2),
    ] {
        for part in host.parts() {
            for refused in [
                add(host, *part, &program(), None, text),
                remove(host, *part, text),
            ] {
                let Err(Refused::Broken { line: said, what }) = refused else {
                    panic!("{text}: {refused:?}");
                };
                assert!(
                    said == line && !what.contains('\n'),
                    "{text}: {said} {what}"
                );
            }
        }
    }
    for (host, text) in [
        (Host::Claude, r#"{"mcpServers":[]}"#),
        (Host::Claude, r#"{"mcpServers":{},"mcpServers":{}}"#),
        (Host::Codex, "mcp_servers = 1\n"),
        (Host::Codex, "[[mcp_servers]]\n"),
    ] {
        let refused = add(host, Part::Server, &program(), None, text);
        assert!(
            matches!(refused, Err(Refused::Shape { .. })),
            "{text}: {refused:?}"
        );
    }
}

#[test]
fn what_would_not_be_written_back_as_it_is_is_left_alone() {
    let text = "a = 1\r\n[b]\nc = 2\r\n";
    for part in Host::Codex.parts() {
        let refused = Err(Refused::Inexact);
        assert_eq!(add(Host::Codex, *part, &program(), None, text), refused);
        assert_eq!(remove(Host::Codex, *part, text), refused);
    }
    assert_eq!(registered(Host::Codex, text), Ok(Registered::No));
}

#[test]
fn tables_in_braces_are_added_to_within_them() {
    let text = "mcp_servers = { x = { command = \"y\" } } # mine\n";
    let with = add(Host::Codex, Part::Server, &program(), None, text)
        .unwrap()
        .unwrap();
    assert!(
        matches!(registered(Host::Codex, &with), Ok(Registered::Yes(_))),
        "{with}"
    );
    assert!(
        with.contains("# mine") && with.lines().count() == 1,
        "{with}"
    );
    assert_eq!(without(Host::Codex, &with), text);
}

mod any_text {
    use super::*;
    use proptest::prelude::*;

    fn json() -> impl Strategy<Value = String> {
        let leaf = prop_oneof![
            Just("1".to_owned()),
            Just("\"a b\"".to_owned()),
            Just("null".to_owned()),
            Just("[]".to_owned()),
            Just("{}".to_owned())
        ];
        let key = prop_oneof![
            Just("a"),
            Just("mcpServers"),
            Just("hooks"),
            Just("SessionStart"),
            Just("permissions"),
            Just("allow"),
            Just("memfold")
        ];
        leaf.prop_recursive(4, 24, 4, move |inner| {
            prop_oneof![
                prop::collection::vec((key.clone(), inner.clone()), 0..4).prop_map(|members| {
                    let members: Vec<String> = members
                        .iter()
                        .map(|(key, value)| format!("\n\"{key}\": {value}"))
                        .collect();
                    format!("{{ // c{}\n}}", members.join(", "))
                }),
                prop::collection::vec(inner, 0..4)
                    .prop_map(|values| format!("[{}]", values.join(","))),
            ]
        })
    }

    proptest! {
        #[test]
        fn nothing_panics(text in "\\PC{0,40}", broken in "[\\[\\]{}\",:/*#=a\\n .]{0,30}") {
            for text in [&text, &broken] {
                for host in Host::ALL {
                    let _ = registered(host, text);
                    for part in host.parts() {
                        let _ = add(host, *part, &program(), None, text);
                        let _ = remove(host, *part, text);
                    }
                }
            }
        }

        #[test]
        fn whatever_is_there_it_is_added_or_refused_and_what_is_added_is_there(text in json()) {
            for part in Host::Claude.parts() {
                if let Ok(Some(with)) = add(Host::Claude, *part, &program(), None, &text) {
                    prop_assert!(holds(Host::Claude, *part, &with).unwrap(), "{}", with);
                    let left = remove(Host::Claude, *part, &with).unwrap().unwrap();
                    prop_assert!(!holds(Host::Claude, *part, &left).unwrap(), "{}", left);
                }
            }
        }
    }
}
