//! What is said of the conversation that a call belongs to, the surest first: by the call itself, by the hook that the host
//! ran, by the environment that the server was started with. Each is a claim for a log to prove.

use memfold::{Cause, Claim, HostId};
use rmcp::model::JsonObject;
use serde_json::Value;

use crate::tools::Name;

/// What a call's `_meta` says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Hints(Vec<Claim>);

impl Hints {
    /// The claims of a call's `_meta`. What has not the shape of an id is passed over.
    pub(crate) fn of(meta: &JsonObject) -> Hints {
        let id = |value: Option<&Value>| HostId::parse(value?.as_str()?);
        // Codex gives an object, or its text.
        let turn = meta.get("x-codex-turn-metadata");
        let parsed: Option<Value> = turn
            .and_then(Value::as_str)
            .and_then(|text| serde_json::from_str(text).ok());
        let codex = parsed
            .as_ref()
            .or(turn)
            .and_then(|turn| turn.get("session_id"));
        let claims = [
            id(meta.get("claudecode/toolUseId")).map(Claim::Call),
            id(meta.get("threadId")).map(Claim::Task),
            id(codex).map(Claim::Task),
            id(meta.get("sessionID")).map(Claim::Task),
        ];
        let mut hints: Vec<Claim> = Vec::new();
        for claim in claims.into_iter().flatten() {
            if !hints.contains(&claim) {
                hints.push(claim);
            }
        }
        Hints(hints)
    }

    /// Whether one of them is the call's own id, which its log may hold only a moment later.
    pub(crate) fn name_the_call(&self) -> bool {
        self.0.iter().any(|claim| matches!(claim, Claim::Call(_)))
    }

    /// What the index's events name as the cause of what the call does. Not proved, as no right follows from it.
    pub(crate) fn cause(&self) -> Cause {
        let first = |id: fn(&Claim) -> Option<&HostId>| self.0.iter().find_map(id).cloned();
        Cause {
            session: first(|claim| match claim {
                Claim::Task(id) => Some(id),
                Claim::Call(_) | Claim::TaskAtStart { .. } => None,
            }),
            call: first(|claim| match claim {
                Claim::Call(id) => Some(id),
                Claim::Task(_) | Claim::TaskAtStart { .. } => None,
            }),
        }
    }

    /// What the call itself says.
    pub(crate) fn claims(&self) -> &[Claim] {
        &self.0
    }

    /// All claims, in the order in which they are to be proved.
    pub(crate) fn with(
        &self,
        noted: Option<HostId>,
        at_start: Option<HostId>,
        began_ns: i64,
        tool: Name,
    ) -> Vec<Claim> {
        let mut claims = self.0.clone();
        // Who says it of now is believed before who said it when we began, even where no log proves it yet.
        let now = noted.is_some() || claims.iter().any(|claim| matches!(claim, Claim::Task(_)));
        let at_start = at_start.filter(|_| !now);
        claims.extend(noted.map(Claim::Task));
        claims.extend(at_start.map(|id| Claim::TaskAtStart {
            id,
            began_ns,
            tool: tool.as_str(),
        }));
        claims
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn of(meta: Value) -> Vec<Claim> {
        let Value::Object(meta) = meta else {
            panic!("no object")
        };
        Hints::of(&meta).0
    }

    fn id(text: &str) -> HostId {
        HostId::parse(text).unwrap()
    }

    #[test]
    fn each_host_has_its_own_way_to_say_it() {
        assert_eq!(
            of(json!({ "claudecode/toolUseId": "toolu_01", "progressToken": 1 })),
            [Claim::Call(id("toolu_01"))]
        );
        assert_eq!(
            of(json!({ "threadId": "aaaa", "x-codex-turn-metadata": { "session_id": "bbbb" } })),
            [Claim::Task(id("aaaa")), Claim::Task(id("bbbb"))]
        );
        assert_eq!(
            of(json!({ "x-codex-turn-metadata": "{\"session_id\":\"bbbb\"}" })),
            [Claim::Task(id("bbbb"))]
        );
        assert_eq!(
            of(json!({ "sessionID": "ses_1" })),
            [Claim::Task(id("ses_1"))]
        );
    }

    #[test]
    fn what_is_no_id_is_passed_over() {
        assert_eq!(
            of(
                json!({ "threadId": "../../etc/passwd", "sessionID": 7, "claudecode/toolUseId": "",
                "x-codex-turn-metadata": "{" })
            ),
            []
        );
    }

    #[test]
    fn a_cause_is_the_call_and_the_conversation_that_a_host_names() {
        let cause = |claims: &[Claim]| Hints(claims.to_vec()).cause();
        let [call, task, other] = ["toolu_01", "aaaa", "bbbb"].map(id);
        let claims = [
            Claim::Call(call.clone()),
            Claim::Task(task.clone()),
            Claim::Task(other),
        ];
        let named = Cause {
            session: Some(task),
            call: Some(call),
        };
        assert_eq!(cause(&claims), named);
        assert_eq!(cause(&[]), Cause::default());
    }

    #[test]
    fn the_call_is_believed_before_the_hook_and_that_before_the_environment() {
        let hints = Hints(vec![Claim::Call(id("toolu_01"))]);
        assert_eq!(
            hints.with(Some(id("aaaa")), Some(id("bbbb")), 7, Name::Recall),
            [Claim::Call(id("toolu_01")), Claim::Task(id("aaaa"))]
        );
        assert_eq!(
            hints.with(None, Some(id("bbbb")), 7, Name::Recall),
            [
                Claim::Call(id("toolu_01")),
                Claim::TaskAtStart {
                    id: id("bbbb"),
                    began_ns: 7,
                    tool: "recall"
                }
            ]
        );
    }
}
