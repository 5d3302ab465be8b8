//! Which conversation and which project a call is about: what proves it, and what does not.

use std::fs;
use std::time::{Duration, SystemTime};

use serde_json::{Value, json};

use crate::client::Client;
use crate::home::{Home, Log, id};

fn conversation(client: &mut Client, meta: Value) -> (String, bool) {
    client.search("denylist", "conversation", meta)
}

/// Whether the conversation is the one that speaks of `words`, and no other.
#[track_caller]
fn is(answer: (String, bool), words: &str) {
    let (text, is_error) = answer;
    assert!(!is_error && text.contains(words), "{text}");
    for other in ["apple", "banana", "cherry"]
        .iter()
        .filter(|other| **other != words)
    {
        assert!(!text.contains(other), "{text}");
    }
}

#[track_caller]
fn is_unknown(answer: (String, bool)) {
    let (text, is_error) = answer;
    assert!(
        is_error && text.contains("memfold hook session-start"),
        "{text}"
    );
}

/// Three tasks of the project; the third is the newest.
fn home() -> Home {
    let home = Home::new();
    for (number, fruit) in [(1, "apple"), (2, "banana"), (3, "cherry")] {
        let log = Log::turn(number, &home.at("api"), &format!("denylist {fruit}"));
        let path = home.store(&log.asking(&format!("toolu_now{number}")));
        let file = fs::File::options().append(true).open(path).unwrap();
        let age = Duration::from_secs(u64::from(1000 - number * 100));
        file.set_modified(SystemTime::now() - age).unwrap();
    }
    home
}

#[test]
fn the_newest_log_is_not_taken_on_trust() {
    let home = home();
    let mut client = Client::greet(home.command(&["mcp"]));
    is_unknown(conversation(&mut client, json!({})));
    for meta in [
        json!({ "threadId": "../../home" }),
        json!({ "threadId": "aaaaaaaa-0000" }),
        json!({ "sessionID": 7 }),
        json!({ "claudecode/toolUseId": "toolu_nobody" }),
        // Enough to name a task in an address, and no proof.
        json!({ "threadId": &id(1)[..8] }),
    ] {
        is_unknown(conversation(&mut client, meta));
    }
    let why = client.refused("recall", json!({ "seq": 3 }), json!({}));
    assert!(why.contains("memfold hook session-start"), "{why}");
}

#[test]
fn the_log_that_makes_the_call_is_the_conversation() {
    let home = home();
    let mut client = Client::greet(home.command(&["mcp"]));
    let mut by = |call: &str| conversation(&mut client, json!({ "claudecode/toolUseId": call }));
    is(by("toolu_now1"), "apple");
    is(by("toolu_now2"), "banana");
    is(by("toolu_now1"), "apple");
    // A log that only speaks of the call does not make it.
    home.store(
        &Log::turn(4, &home.at("api"), "denylist cherry")
            .person("{\"id\":\"toolu_said\",\"type\":\"tool_use\"}"),
    );
    is_unknown(by("toolu_said"));
}

#[test]
fn a_call_that_its_host_writes_late_is_waited_for() {
    let home = home();
    let mut client = Client::greet(home.command(&["mcp"]));
    let call = client.request(
        "tools/call",
        json!({ "name": "index-search", "arguments": { "query": "denylist", "scope": "conversation" },
            "_meta": { "claudecode/toolUseId": "toolu_late" } }),
    );
    home.store(&Log::turn(2, &home.at("api"), "denylist banana").asking("toolu_late"));
    let answer = client.answer(call);
    let text = answer["result"]["content"][0]["text"].as_str().unwrap();
    assert!(text.contains("banana"), "{text}");
}

#[test]
fn a_host_names_the_conversation_by_its_id() {
    let home = home();
    let mut client = Client::greet(home.command(&["mcp"]));
    for meta in [
        json!({ "threadId": id(1) }),
        json!({ "x-codex-turn-metadata": { "session_id": id(1) } }),
        json!({ "x-codex-turn-metadata": json!({ "session_id": id(1) }).to_string() }),
        json!({ "sessionID": id(1) }),
    ] {
        is(conversation(&mut client, meta), "apple");
    }
}

#[test]
fn a_hook_notes_the_conversation_of_its_host() {
    let home = home();
    // This test's process is the host of both.
    let note = |session: &str| {
        let given = json!({ "session_id": session, "transcript_path": "/nowhere", "hook_event_name": "SessionStart",
            "cwd": home.at("api"), "source": "startup" });
        let ended = home.run(&["hook", "session-start"], &given.to_string());
        assert!(
            ended.status.success() && ended.stdout.is_empty(),
            "{ended:?}"
        );
    };
    let mut client = Client::greet(home.command(&["mcp"]));
    is_unknown(conversation(&mut client, json!({})));
    note(&id(1));
    is(conversation(&mut client, json!({})), "apple");
    // After a clear or a resume the host runs another.
    note(&id(2));
    is(conversation(&mut client, json!({})), "banana");
    // The call itself is believed before the note.
    is(
        conversation(&mut client, json!({ "claudecode/toolUseId": "toolu_now1" })),
        "apple",
    );
    // A session whose log is not there yet is not the one before it.
    note("99999999-0000-4000-8000-000000000000");
    is_unknown(conversation(&mut client, json!({})));
    // What is wrong fails no host, and is not noted.
    for given in ["{\"session_id\":\"../../x\"}", "", "nonsense"] {
        let wrong = home.run(&["hook", "session-start"], given);
        assert!(
            wrong.status.success() && wrong.stdout.is_empty() && wrong.stderr.is_empty(),
            "{wrong:?}"
        );
        let wrong = home.run(&["hook", "session-start", "-v"], given);
        assert!(
            wrong.status.success() && !wrong.stderr.is_empty(),
            "{wrong:?}"
        );
    }
    let notes = fs::read_dir(home.at("home/.local/share/memfold/hosts")).unwrap();
    assert_eq!(notes.count(), 1);
}

#[test]
fn the_environment_is_believed_until_another_session_was_written_to() {
    let home = home();
    let start = |id: &str| {
        let mut command = home.command(&["mcp"]);
        command.env("CLAUDE_CODE_SESSION_ID", id);
        Client::greet(command)
    };
    is_unknown(conversation(
        &mut start("99999999-0000-4000-8000-000000000000"),
        json!({}),
    ));
    is_unknown(conversation(&mut start("../../x"), json!({})));
    let mut client = start(&id(1));
    is(conversation(&mut client, json!({})), "apple");
    // Cleared: the session goes on in another log, and the call is made there.
    let api = home.at("api");
    home.store(&Log::turn(1, &api, "denylist apple"));
    home.store(&Log::turn(5, &api, "denylist cherry").asking("toolu_now5"));
    is_unknown(conversation(&mut client, json!({})));
    // Another task beside it: the call is made in the one that the environment names.
    home.store(&Log::turn(1, &api, "denylist apple").asking("toolu_now9"));
    is(conversation(&mut client, json!({})), "apple");
}

#[test]
fn the_running_task_is_found_in_conversation_and_left_out_of_earlier() {
    let home = home();
    home.earlier(true);
    let mut client = Client::greet(home.command(&["mcp"]));
    let meta = json!({ "claudecode/toolUseId": "toolu_now2" });
    is(conversation(&mut client, meta.clone()), "banana");
    let (earlier, _) = client.search("denylist", "earlier", meta.clone());
    assert!(earlier.starts_with("earlier: 2 tasks, "), "{earlier}");
    assert!(!earlier.contains("banana") && earlier.contains("apple") && earlier.contains("cherry"));
    // Its own task, named, is its to read.
    let own = client.told("recall", json!({ "seq": 3, "task": id(2) }), meta.clone());
    assert!(own.contains("banana"), "{own}");
    let other = client.told("recall", json!({ "seq": 3, "task": &id(1)[..8] }), meta);
    assert!(
        other.contains("apple") && other.contains("task 3f9a1c01"),
        "{other}"
    );
}

#[test]
fn a_sub_agents_log_is_part_of_its_conversation() {
    let home = home();
    let api = home.at("api");
    let helper = Log::helper(2, &api, "x1")
        .person("explore")
        .reply("The denylist of figs is empty.")
        .asking("toolu_helper");
    home.store(&helper);
    let mut client = Client::greet(home.command(&["mcp"]));
    for call in ["toolu_now2", "toolu_helper"] {
        let (text, is_error) = conversation(&mut client, json!({ "claudecode/toolUseId": call }));
        assert!(
            !is_error && text.contains("banana") && text.contains("figs"),
            "{text}"
        );
        assert!(!text.contains("apple"), "{text}");
    }
    // A seq alone is of the log that asks; the other is named.
    let meta = json!({ "claudecode/toolUseId": "toolu_helper" });
    let own = client.told("recall", json!({ "seq": 2 }), meta.clone());
    assert!(own.contains("figs"), "{own}");
    let parent = client.told("recall", json!({ "seq": 1, "task": id(2) }), meta);
    assert!(parent.contains("banana"), "{parent}");
    let meta = json!({ "claudecode/toolUseId": "toolu_now2" });
    let found = client.told(
        "index-search",
        json!({ "query": "figs", "scope": "conversation" }),
        meta.clone(),
    );
    let task = format!("{}/x1", &id(2)[..8]);
    assert!(
        found.contains(&format!("next: recall(seq=2,task=\"{task}\")")),
        "{found}"
    );
    let read = client.told("recall", json!({ "seq": 2, "task": task }), meta);
    assert!(read.contains("figs"), "{read}");
}

#[test]
fn the_project_is_told_by_who_registered_it_or_by_the_host() {
    let home = home();
    let meta = json!({ "claudecode/toolUseId": "toolu_now1" });
    // The server's own place says nothing where the host says more.
    let mut command = home.command(&["mcp"]);
    command
        .current_dir(home.at("other"))
        .env("CLAUDE_PROJECT_DIR", home.at("api"));
    is(
        conversation(&mut Client::greet(command), meta.clone()),
        "apple",
    );
    let mut command = home.command(&["mcp"]);
    command.current_dir(home.at("other"));
    let mut client = Client::greet_with(command, json!({ "roots": {} }));
    client.roots = vec![format!("file://{}", home.at("api").display())];
    is(conversation(&mut client, meta.clone()), "apple");
    // Where nobody says it: where the session works.
    let mut command = home.command(&["mcp"]);
    command.current_dir("/");
    is(
        conversation(&mut Client::greet(command), meta.clone()),
        "apple",
    );
    // A server for one project does not serve a conversation of another.
    let other = home.at("other").display().to_string();
    let (why, is_error) = conversation(
        &mut Client::greet(home.command(&["mcp", "--project", &other])),
        meta,
    );
    assert!(
        is_error && why.contains("another folder") && !why.contains("apple"),
        "{why}"
    );
}

#[test]
fn folders_that_are_no_project_are_refused_with_what_to_pass() {
    let home = home();
    for folder in ["/", "home"] {
        let mut command = home.command(&["mcp"]);
        command.current_dir(home.at(folder));
        let (why, is_error) = Client::greet(command).search("denylist", "earlier", json!({}));
        assert!(is_error && why.contains("--project DIR"), "{why}");
    }
}
