//! A tool's arguments and what a host says of a call, whatever they are: each call is answered, in what a host shows and in text
//! that nobody can hide in; and with the switch off no byte of another task is in any answer, but of the one that the host itself
//! says is calling, nor of another project ever.

use std::cell::OnceCell;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use memfold::Quiet;
use memfold_mcp::{Form, Setup, ToolSet, Tools};
use serde_json::{Value, json};
use tempfile::TempDir;

/// What the project's other task holds.
const OTHER_TASK: &str = "zanzibar";
/// What another project's task holds, and every file that is kept out.
const KEPT_OUT: &str = "mafia";
const RUNNING: &str = "3f9a1c01-5d1e-4c7a-9b60-000000000001";
const EARLIER: &str = "3f9a1c02-5d1e-4c7a-9b60-000000000002";
const ELSEWHERE: &str = "3f9a1c03-5d1e-4c7a-9b60-000000000003";
/// A host shows no more.
const PAGE: usize = 9000;

/// The first byte says which tool, and how the rest is taken: as JSON, or as a text that stands in every argument.
pub fn run(bytes: &[u8]) {
    let Some((&which, rest)) = bytes.split_first() else {
        return;
    };
    let text = String::from_utf8_lossy(rest);
    HOUSE.with(|house| {
        let house = house.get_or_init(House::new);
        let tool = TOOLS[usize::from(which) % TOOLS.len()];
        for (arguments, meta) in calls(tool, which, &text) {
            house.holds(tool, &arguments, &meta);
        }
    });
}

thread_local! {
    static HOUSE: OnceCell<House> = const { OnceCell::new() };
}

const TOOLS: [&str; 5] = [
    "index-search",
    "index-update",
    "recall",
    "SessionSearch",
    "SessionRead",
];

/// What the rest may mean: arguments, or arguments and what a host says, or a text within arguments that are right.
fn calls(tool: &str, which: u8, text: &str) -> Vec<(Value, Value)> {
    let now = json!({ "claudecode/toolUseId": "toolu_now" });
    match serde_json::from_str::<Value>(text) {
        Ok(Value::Array(both)) if both.len() == 2 => vec![(both[0].clone(), both[1].clone())],
        Ok(arguments) if arguments.is_object() => {
            vec![(arguments.clone(), now), (arguments, json!({}))]
        }
        _ => {
            let seq = u64::from(which) / 5 % 8 + 1;
            let scope = ["repo", "conversation", "earlier"][usize::from(which) / 5 % 3];
            let arguments = match tool {
                "index-search" if scope == "repo" => {
                    json!({ "query": "denylist", "scope": scope, "path": text })
                }
                "index-search" => json!({ "query": text, "scope": scope, "limit": 20 }),
                "index-update" => json!({ "path": text }),
                "recall" => json!({ "seq": seq, "task": text }),
                "SessionSearch" => json!({ "query": text, "limit": 50 }),
                _ => json!({ "id": text, "offset": seq, "limit": 50 }),
            };
            let meta = json!({ "threadId": text, "sessionID": text, "claudecode/toolUseId": text,
                "x-codex-turn-metadata": text });
            vec![(arguments.clone(), now), (arguments, meta)]
        }
    }
}

struct House {
    _folder: TempDir,
    memfold: Tools,
    session: Tools,
}

impl House {
    fn new() -> House {
        let folder = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(folder.path()).unwrap();
        let (home, api, other) = (root.join("home"), root.join("api"), root.join("other"));
        let store = home.join(".claude/projects/-folder");
        for folder in [&store, &api.join("src"), &other] {
            fs::create_dir_all(folder).unwrap();
        }
        fs::write(api.join("src/guard.rs"), "fn denylist() {}\n").unwrap();
        fs::write(api.join(".env"), format!("DENYLIST={KEPT_OUT}\n")).unwrap();
        fs::write(
            api.join(".aider.chat.history.md"),
            format!("#### denylist {KEPT_OUT}\n"),
        )
        .unwrap();
        fs::write(other.join("notes.md"), format!("denylist {KEPT_OUT}\n")).unwrap();
        std::os::unix::fs::symlink(&store, api.join("logs")).unwrap();
        std::os::unix::fs::symlink(&other, api.join("linked")).unwrap();
        for (task, cwd, words) in [
            (RUNNING, &api, "denylist"),
            (EARLIER, &api, OTHER_TASK),
            (ELSEWHERE, &other, KEPT_OUT),
        ] {
            let log = log(task, cwd, &format!("denylist {words}"));
            fs::write(store.join(task).with_extension("jsonl"), log).unwrap();
        }
        let tools = |tools: ToolSet| {
            let home = home.clone();
            Tools::new(Setup {
                project: Some(api.clone()),
                tools,
                form: Form::Structured,
                working_directory: api.clone(),
                variables: Arc::new(move |name| (name == "HOME").then(|| home.clone().into())),
            })
        };
        House {
            memfold: tools(ToolSet::Memfold),
            session: tools(ToolSet::Session),
            _folder: folder,
        }
    }

    fn holds(&self, tool: &str, arguments: &Value, meta: &Value) {
        let tools = match tool.starts_with("Session") {
            true => &self.session,
            false => &self.memfold,
        };
        let told = tools
            .call(tool, arguments, meta, &Quiet)
            .expect("the tool is offered");
        assert!(
            !told.text.is_empty() && told.text.len() <= PAGE,
            "{}",
            told.text
        );
        let hidden = |c: char| {
            (c.is_control() && !matches!(c, '\n' | '\t'))
                || matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
                || matches!(c, '\u{2028}' | '\u{2029}')
        };
        assert!(!told.text.contains(hidden), "{:?}", told.text);
        let answer = format!("{}{}", told.text, told.structure.unwrap_or_default());
        // Who has a word already learns nothing by hearing it again.
        let is_told =
            |word: &str| !format!("{arguments}{meta}").contains(word) && answer.contains(word);
        assert!(!is_told(KEPT_OUT), "{answer}");
        // Which conversation calls is the host's to say, and no model's.
        assert!(
            meta.to_string().contains(EARLIER) || !is_told(OTHER_TASK),
            "{answer}"
        );
    }
}

/// A log of Claude Code's: a request, a call, its result, a reply; in the running task, the call that is being made.
fn log(task: &str, cwd: &Path, words: &str) -> String {
    let mut lines = Vec::new();
    let mut line = |kind: &str, message: Value| {
        let number = lines.len();
        let line = json!({
            "parentUuid": null, "isSidechain": false, "userType": "external", "cwd": cwd, "sessionId": task,
            "version": "2.1.100", "type": kind, "uuid": format!("{task}-{number}"), "requestId": format!("req_{task}_{number}"),
            "timestamp": format!("2026-10-02T09:{number:02}:00.000Z"), "message": message,
        });
        lines.push(line.to_string());
    };
    let reply = |number: u32, content: Value| json!({ "id": format!("msg_{task}_{number}"), "role": "assistant", "content": [content] });
    let call = |id: &str, name: &str| json!({ "type": "tool_use", "id": id, "name": name, "input": { "command": format!("grep {words}") } });
    line(
        "user",
        json!({ "role": "user", "content": format!("look at {words}") }),
    );
    line(
        "assistant",
        reply(1, call(&format!("toolu_{task}"), "Bash")),
    );
    line(
        "user",
        json!({ "role": "user", "content": [
            { "type": "tool_result", "tool_use_id": format!("toolu_{task}"), "content": format!("first\nfound {words}\nlast") }] }),
    );
    line(
        "assistant",
        reply(
            2,
            json!({ "type": "text", "text": format!("That was {words}.") }),
        ),
    );
    if task == RUNNING {
        line(
            "assistant",
            reply(3, call("toolu_now", "mcp__memfold__index-search")),
        );
    }
    lines.join("\n") + "\n"
}
