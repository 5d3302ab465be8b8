//! A client of either era: lines of JSON-RPC to the server, and its answers by their ids.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, ExitStatus};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use serde_json::{Value, json};

/// A server that does not answer within this never will.
const PATIENCE: Duration = Duration::from_secs(120);

pub(crate) struct Client {
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
    next: u64,
    /// Answers that came before they were waited for.
    early: HashMap<u64, Value>,
    /// What each request carries.
    meta: Value,
    pub(crate) notifications: Vec<Value>,
    /// What the client answers to a request for its roots.
    pub(crate) roots: Vec<String>,
}

impl Client {
    pub(crate) fn start(mut command: Command) -> Client {
        let mut child = command.spawn().unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        let (tell, lines) = channel();
        std::thread::spawn(move || {
            for line in output.lines() {
                let Ok(line) = line else { return };
                if tell.send(line).is_err() {
                    return;
                }
            }
        });
        Client {
            input: child.stdin.take(),
            child,
            lines,
            next: 1,
            early: HashMap::new(),
            meta: json!({}),
            notifications: Vec::new(),
            roots: Vec::new(),
        }
    }

    /// A client of the handshake's era.
    pub(crate) fn greet(command: Command) -> Client {
        Client::greet_with(command, json!({}))
    }

    pub(crate) fn greet_with(command: Command, capabilities: Value) -> Client {
        let mut client = Client::start(command);
        let greeting = client.ask(
            "initialize",
            json!({ "protocolVersion": "2025-11-25", "capabilities": capabilities,
                "clientInfo": { "name": "test", "version": "1" } }),
        );
        assert_eq!(greeting["result"]["protocolVersion"], "2025-11-25");
        client.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        client
    }

    /// A client that makes no handshake and says with each request what it speaks.
    pub(crate) fn stateless(command: Command) -> Client {
        let mut client = Client::start(command);
        client.meta = json!({ "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "1" },
            "io.modelcontextprotocol/clientCapabilities": {} });
        client
    }

    pub(crate) fn send(&mut self, message: &Value) {
        self.send_text(&message.to_string());
    }

    pub(crate) fn send_text(&mut self, line: &str) {
        let input = self.input.as_mut().unwrap();
        input.write_all(line.as_bytes()).unwrap();
        input.write_all(b"\n").unwrap();
        input.flush().unwrap();
    }

    /// Sends a request and does not wait.
    pub(crate) fn request(&mut self, method: &str, mut params: Value) -> u64 {
        let id = self.next;
        self.next += 1;
        let mut meta = self.meta.clone();
        for (name, value) in params["_meta"].as_object().into_iter().flatten() {
            meta[name] = value.clone();
        }
        if meta.as_object().is_some_and(|meta| !meta.is_empty()) {
            params["_meta"] = meta;
        }
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        id
    }

    /// The answer to a request, whole.
    pub(crate) fn answer(&mut self, id: u64) -> Value {
        loop {
            if let Some(answer) = self.early.remove(&id) {
                return answer;
            }
            let line = self
                .lines
                .recv_timeout(PATIENCE)
                .unwrap_or_else(|_| panic!("no answer to {id}"));
            self.sort(&line);
        }
    }

    fn sort(&mut self, line: &str) {
        let message: Value =
            serde_json::from_str(line).unwrap_or_else(|_| panic!("no JSON: {line}"));
        match (&message["method"], message["id"].as_u64()) {
            (Value::String(method), Some(id)) if method == "roots/list" => {
                let roots: Vec<Value> = self
                    .roots
                    .iter()
                    .map(|root| json!({ "uri": root }))
                    .collect();
                self.send(&json!({ "jsonrpc": "2.0", "id": id, "result": { "roots": roots } }));
            }
            (Value::String(_), _) => self.notifications.push(message),
            (_, Some(id)) => {
                assert!(
                    self.early.insert(id, message).is_none(),
                    "answered twice: {id}"
                );
            }
            (_, None) => self.notifications.push(message),
        }
    }

    pub(crate) fn ask(&mut self, method: &str, params: Value) -> Value {
        let id = self.request(method, params);
        self.answer(id)
    }

    /// Calls a tool: its text, and whether it is an error.
    pub(crate) fn tool(&mut self, name: &str, arguments: Value, meta: Value) -> (String, bool) {
        let answer = self.ask(
            "tools/call",
            json!({ "name": name, "arguments": arguments, "_meta": meta }),
        );
        let result = &answer["result"];
        let text = result["content"][0]["text"].as_str();
        let text = text
            .unwrap_or_else(|| panic!("no text: {answer}"))
            .to_owned();
        (text, result["isError"].as_bool().unwrap_or(false))
    }

    /// Calls a tool that answers.
    #[track_caller]
    pub(crate) fn told(&mut self, name: &str, arguments: Value, meta: Value) -> String {
        let (text, is_error) = self.tool(name, arguments, meta);
        assert!(!is_error, "{text}");
        text
    }

    /// Calls a tool that refuses.
    #[track_caller]
    pub(crate) fn refused(&mut self, name: &str, arguments: Value, meta: Value) -> String {
        let (text, is_error) = self.tool(name, arguments, meta);
        assert!(is_error, "{text}");
        text
    }

    pub(crate) fn search(&mut self, query: &str, scope: &str, meta: Value) -> (String, bool) {
        self.tool(
            "index-search",
            json!({ "query": query, "scope": scope }),
            meta,
        )
    }

    /// Closes the server's input and waits for its end. What it still said is read.
    pub(crate) fn end(mut self) -> (ExitStatus, Vec<Value>) {
        drop(self.input.take());
        let mut rest = Vec::new();
        while let Ok(line) = self.lines.recv_timeout(PATIENCE) {
            rest.push(serde_json::from_str(&line).unwrap());
        }
        (self.child.wait().unwrap(), rest)
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        drop(self.input.take());
        // Whatever a test found, nothing of it is left behind.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
