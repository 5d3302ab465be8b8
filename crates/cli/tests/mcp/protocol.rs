//! The protocol in both eras, and what a client may do to it.

use serde_json::{Value, json};

use crate::client::Client;
use crate::home::{Home, Log, id};

fn home() -> Home {
    let home = Home::new();
    home.store(&Log::turn(1, &home.at("api"), "denylist symlink").asking("toolu_now"));
    home
}

fn now() -> Value {
    json!({ "claudecode/toolUseId": "toolu_now" })
}

fn check_tools(listed: &Value) {
    let tools = listed["result"]["tools"].as_array().unwrap();
    let names: Vec<&str> = tools
        .iter()
        .map(|tool| tool["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["index-search", "index-update", "recall"]);
    for tool in tools {
        assert_eq!(tool["annotations"]["readOnlyHint"], true, "{tool}");
        let at_once = tool["_meta"]["anthropic/alwaysLoad"] == true;
        assert_eq!(at_once, tool["name"] != "index-update");
        assert_eq!(tool["inputSchema"]["type"], "object");
        assert!(tool["outputSchema"].is_null());
        assert!(tool["description"].as_str().unwrap().chars().count() < 900);
    }
    assert_eq!(
        tools[0]["inputSchema"]["properties"]["scope"]["enum"],
        json!(["repo", "conversation", "earlier"])
    );
}

#[test]
fn a_client_with_a_handshake_searches_and_reads_back() {
    let home = home();
    let mut client = Client::greet(home.command(&["mcp"]));
    check_tools(&client.ask("tools/list", json!({})));
    assert_eq!(client.ask("ping", json!({}))["result"], json!({}));
    let found = client.told(
        "index-search",
        json!({ "query": "denylist symlink", "scope": "conversation" }),
        now(),
    );
    assert!(found.starts_with("conversation: "), "{found}");
    assert!(found.contains("best 2/2 words"), "{found}");
    assert!(
        found.contains("\nturn 1 \"look at denylist symlink\"\n"),
        "{found}"
    );
    assert!(
        found.contains("\n seq 3 result, Bash grep denylist symlink, 3 lines\n  2 found"),
        "{found}"
    );
    assert!(found.contains("\nnext: recall(seq="), "{found}");
    let read = client.told("recall", json!({ "seq": 3 }), now());
    assert!(
        read.contains("\n1 first line\n2 found denylist symlink here\n3 last line\n"),
        "{read}"
    );
    let part = client.told("recall", json!({ "seq": 3, "start": 2, "count": 1 }), now());
    assert!(
        part.contains("\n2 found") && part.contains("[lines 2-2 of 3] next: recall(seq=3,start=3)"),
        "{part}"
    );
    let (status, _) = client.end();
    assert!(status.success());
}

#[test]
fn a_client_without_a_handshake_does_the_same() {
    let home = home();
    let mut client = Client::stateless(home.command(&["mcp"]));
    let about = client.ask("server/discover", json!({}));
    assert!(
        about["result"]["instructions"]
            .as_str()
            .unwrap()
            .chars()
            .count()
            < 1500,
        "{about}"
    );
    assert!(
        about["result"]["supportedVersions"]
            .as_array()
            .unwrap()
            .contains(&json!("2026-07-28")),
        "{about}"
    );
    check_tools(&client.ask("tools/list", json!({})));
    let found = client.told(
        "index-search",
        json!({ "query": "denylist symlink", "scope": "conversation" }),
        now(),
    );
    assert!(found.contains("\n seq 3 result"), "{found}");
    assert!(client.end().0.success());
}

#[test]
fn an_unknown_tool_is_the_protocols_error_and_a_wrong_argument_the_tools() {
    let home = home();
    let mut client = Client::greet(home.command(&["mcp"]));
    for name in ["SessionSearch", "index-forget", "", "../recall"] {
        let answer = client.ask("tools/call", json!({ "name": name, "arguments": {} }));
        assert_eq!(answer["error"]["code"], -32602, "{answer}");
    }
    for (name, arguments, said) in [
        ("index-search", json!({}), "query is missing"),
        (
            "index-search",
            json!({ "query": "x", "scope": "all" }),
            "none of repo, conversation, earlier",
        ),
        (
            "index-search",
            json!({ "query": "\"", "scope": "conversation" }),
            "no word",
        ),
        ("recall", json!({ "seq": 0 }), "seq is no whole number"),
        ("recall", json!({ "seq": 99999 }), "no event 99999"),
        ("recall", json!({ "seq": 3, "start": 99 }), "3 lines"),
    ] {
        let why = client.refused(name, arguments, now());
        assert!(why.contains(said), "{why}");
    }
}

#[test]
fn what_is_no_message_is_answered_as_such_and_does_no_harm() {
    let home = home();
    let mut client = Client::greet(home.command(&["mcp"]));
    let deep = "[".repeat(100_000);
    for line in [
        "",
        "{",
        "nonsense",
        "[]",
        "{\"jsonrpc\":\"2.0\"}",
        "\u{0}\u{1b}[2J",
        &deep,
        "{\"jsonrpc\":\"2.0\",\"id\":{},\"method\":\"tools/call\"}",
        "{\"jsonrpc\":\"2.0\",\"id\":900,\"result\":{}}",
        "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":77}}",
    ] {
        client.send_text(line);
    }
    let lost = client.ask("tools/call", json!({ "name": 7, "arguments": [] }));
    assert!(lost["error"].is_object(), "{lost}");
    client.send_text(&format!("{{\"long\":\"{}\"}}", "x".repeat(9 << 20)));
    assert_eq!(client.ask("ping", json!({}))["result"], json!({}));
    let codes: Vec<i64> = client
        .notifications
        .iter()
        .filter_map(|told| told["error"]["code"].as_i64())
        .collect();
    let count = |code: i64| codes.iter().filter(|told| **told == code).count();
    // Four lines that are no JSON (one of them too deep to be read as any); the others are JSON and no request, or too long.
    assert_eq!((count(-32700), count(-32600) >= 2), (4, true), "{codes:?}");
}

#[test]
fn a_long_line_is_read_back_in_parts_and_whole() {
    let home = Home::new();
    let words: Vec<String> = (0..4000).map(|n| format!("denylist{n}漢")).collect();
    let line = words.join(" ");
    home.store(
        &Log::new(1, &home.at("api"))
            .person("look")
            .call("toolu_1", "Bash", json!({ "command": "cat long" }))
            .result("toolu_1", &format!("first\n{line}\nlast"))
            .reply("Read.")
            .asking("toolu_now"),
    );
    let mut client = Client::greet(home.command(&["mcp"]));
    let (mut start, mut read, mut pages) = (1, String::new(), 0);
    loop {
        let page = client.told("recall", json!({ "seq": 3, "start": start }), now());
        assert!(page.len() <= 9000 && !page.contains("cut"), "{page}");
        for line in page.lines() {
            let numbered = line
                .split_once(' ')
                .filter(|(number, _)| number.parse::<u64>().is_ok());
            if let Some((_, text)) = numbered {
                read.push_str(text);
            }
        }
        pages += 1;
        let next = page
            .lines()
            .find_map(|line| line.split_once("next: recall(seq=3,start="));
        match next {
            Some((_, next)) => {
                assert!(page.contains("shown in parts"), "{page}");
                start = next.trim_end_matches(')').parse().unwrap();
            }
            None => break,
        }
    }
    assert!(pages > 4, "{pages}");
    assert_eq!(read, format!("first{line}last"));
    // A search's numbers are a recall's.
    let found = client.told(
        "index-search",
        json!({ "query": "denylist3999漢", "scope": "conversation" }),
        now(),
    );
    let line = found
        .lines()
        .find(|line| line.contains("denylist3999"))
        .unwrap();
    let number: u64 = line.trim().split(' ').next().unwrap().parse().unwrap();
    let there = client.told(
        "recall",
        json!({ "seq": 3, "start": number, "count": 1 }),
        now(),
    );
    assert!(there.contains("denylist3999"), "{there}");
}

#[test]
fn huge_arguments_are_refused_and_do_no_harm() {
    let home = home();
    let mut client = Client::greet(home.command(&["mcp"]));
    let long = "x ".repeat(3 << 20);
    let why = client.refused(
        "index-search",
        json!({ "query": long, "scope": "conversation" }),
        now(),
    );
    assert!(
        why.contains("longer than 1000 characters") && why.len() < 500,
        "{why}"
    );
    let why = client.refused(
        "index-search",
        json!({ "query": "x", "scope": long }),
        now(),
    );
    assert!(why.len() < 500, "{why}");
    let mut many = serde_json::Map::new();
    for number in 0..50_000 {
        many.insert(format!("argument{number}"), json!(number));
    }
    let why = client.refused("recall", Value::Object(many), now());
    assert!(why.len() < 500, "{why}");
    assert!(
        client
            .told("recall", json!({ "seq": 3 }), now())
            .contains("found denylist")
    );
}

#[test]
fn a_thousand_calls_at_once_are_each_answered() {
    let home = home();
    let mut client = Client::greet(home.command(&["mcp"]));
    let calls: Vec<u64> = (0..1000)
        .map(|number| {
            let arguments = match number % 2 {
                0 => json!({ "query": "denylist", "scope": "conversation" }),
                _ => json!({ "query": "denylist", "scope": "earlier" }),
            };
            client.request(
                "tools/call",
                json!({ "name": "index-search", "arguments": arguments, "_meta": now() }),
            )
        })
        .collect();
    for (number, call) in calls.into_iter().enumerate() {
        let answer = client.answer(call);
        let text = answer["result"]["content"][0]["text"].as_str().unwrap();
        let scope = if number % 2 == 0 {
            "conversation: "
        } else {
            "earlier: off."
        };
        assert!(text.starts_with(scope), "{text}");
    }
}

#[test]
fn calls_can_be_taken_back_at_any_point() {
    let home = home();
    let mut client = Client::greet(home.command(&["mcp"]));
    let calls: Vec<u64> = (0..200)
        .map(|_| {
            client.request(
                "tools/call",
                json!({ "name": "index-search", "arguments": { "query": "denylist", "scope": "conversation" }, "_meta": now() }),
            )
        })
        .collect();
    for call in calls.iter().skip(100) {
        client.send(&json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": call } }));
    }
    assert_eq!(client.ask("ping", json!({}))["result"], json!({}));
    for call in calls.iter().take(100) {
        assert!(client.answer(*call)["result"].is_object());
    }
    assert!(
        client
            .told("recall", json!({ "seq": 3 }), now())
            .contains("found denylist")
    );
}

#[test]
fn the_end_of_the_input_ends_the_process() {
    let home = home();
    // Before a word, after a handshake, and with calls under way.
    let (status, said) = Client::start(home.command(&["mcp"])).end();
    assert!(status.success() && said.is_empty());
    assert!(Client::greet(home.command(&["mcp"])).end().0.success());
    let mut client = Client::greet(home.command(&["mcp"]));
    for _ in 0..20 {
        client.request(
            "tools/call",
            json!({ "name": "index-search", "arguments": { "query": "denylist", "scope": "conversation" }, "_meta": now() }),
        );
    }
    let (status, said) = client.end();
    assert!(status.success());
    // What is answered still is answered whole.
    assert!(said.iter().all(|answer| answer["result"].is_object()));
}

#[test]
fn a_structure_is_there_where_it_was_asked_for() {
    let home = home();
    home.earlier(true);
    home.store(&Log::turn(2, &home.at("api"), "denylist"));
    let mut client = Client::greet(home.command(&["mcp", "--structured"]));
    let listed = client.ask("tools/list", json!({}));
    assert_eq!(
        listed["result"]["tools"][0]["outputSchema"]["type"],
        "object"
    );
    let mut call = |name: &str, arguments: Value| {
        let answer = client.ask(
            "tools/call",
            json!({ "name": name, "arguments": arguments, "_meta": now() }),
        );
        assert!(
            !answer["result"]["content"][0]["text"]
                .as_str()
                .unwrap()
                .is_empty()
        );
        answer["result"]["structuredContent"].clone()
    };
    let found = call(
        "index-search",
        json!({ "query": "denylist", "scope": "earlier" }),
    );
    assert_eq!(found["results"][0]["task"], id(2).as_str(), "{found}");
    assert_eq!(found["results"][0]["provenance"], "external:log");
    let read = call("recall", json!({ "seq": 3 }));
    assert_eq!(
        read["events"][0]["lines"][1]["text"], "found denylist symlink here",
        "{read}"
    );
    home.earlier(false);
    let off = call(
        "index-search",
        json!({ "query": "denylist", "scope": "earlier" }),
    );
    assert_eq!(off["results"], json!([]));
    assert!(
        off["notes"][0]
            .as_str()
            .unwrap()
            .contains("memfold earlier on")
    );
}

#[test]
fn a_first_fold_tells_how_far_it_is() {
    let home = home();
    home.earlier(true);
    for number in 2..40 {
        home.store(&Log::turn(number, &home.at("api"), "denylist"));
    }
    let mut client = Client::greet(home.command(&["mcp"]));
    let found = client.told(
        "index-search",
        json!({ "query": "denylist", "scope": "earlier" }),
        json!({ "claudecode/toolUseId": "toolu_now", "progressToken": "p" }),
    );
    assert!(found.starts_with("earlier: 38 tasks, "), "{found}");
    let told = &client.notifications[0];
    assert_eq!(told["method"], "notifications/progress", "{told}");
    assert_eq!(told["params"]["progressToken"], "p");
    assert!(
        told["params"]["message"].as_str().unwrap().contains("of 3"),
        "{told}"
    );
}

#[test]
fn the_folders_of_memfold_are_no_arguments() {
    let home = home();
    for option in ["--config-dir", "--data-dir", "--cache-dir"] {
        let ended = home.run(&["mcp", option, "evil"], "");
        assert_eq!(ended.status.code(), Some(2));
        assert!(ended.stdout.is_empty());
        let said = String::from_utf8(ended.stderr).unwrap();
        assert!(said.contains(option), "{said}");
    }
}
