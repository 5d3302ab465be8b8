//! The tools without a protocol: for an agent that links them and speaks to its model itself. What they answer, and to whom, is
//! what the server answers.

use memfold::Progress;
use rmcp::model::JsonObject;
use serde_json::Value;

use crate::Setup;
use crate::arguments::Asked;
use crate::call::{Call, Desk, Reply};
use crate::claims::Hints;

/// The tools of a set, for one project or for that of whoever calls.
///
/// ```
/// use std::sync::Arc;
/// use memfold_mcp::{Form, Setup, ToolSet, Tools};
/// use serde_json::json;
///
/// # let dir = tempfile::tempdir()?;
/// # let home = dir.path().join("home");
/// # let project = dir.path().join("api");
/// # std::fs::create_dir_all(&home)?;
/// # std::fs::create_dir_all(&project)?;
/// std::fs::write(project.join("guard.rs"), "fn denied_symlink() {}")?;
/// let tools = Tools::new(Setup {
///     project: Some(project.clone()),
///     tools: ToolSet::Memfold,
///     form: Form::Text,
///     working_directory: project,
///     variables: Arc::new(move |name| (name == "HOME").then(|| home.clone().into())),
/// });
/// let arguments = json!({ "query": "symlink denied", "scope": "repo" });
/// let told = tools.call("index-search", &arguments, &json!({}), &memfold::Quiet).unwrap();
/// assert!(told.text.contains("guard.rs:1-1: fn denied_symlink() {}"));
/// assert!(tools.call("rm", &json!({}), &json!({}), &memfold::Quiet).is_none());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Tools {
    desk: Desk,
}

/// What a call is answered with.
#[derive(Clone, Debug, PartialEq)]
pub struct Told {
    /// The text, as a model reads it.
    pub text: String,
    /// The command's JSON; none where the call failed.
    pub structure: Option<Value>,
}

impl Told {
    /// Whether the call failed: the text says why, and what to do.
    pub fn is_failure(&self) -> bool {
        self.structure.is_none()
    }
}

impl Tools {
    /// Tools as a server would offer them.
    pub fn new(setup: Setup) -> Tools {
        Tools {
            desk: Desk::new(setup),
        }
    }

    /// Calls a tool. `meta` is what a host says of the conversation that calls, as in the protocol's `_meta`. None if the set
    /// has no such tool.
    pub fn call(
        &self,
        tool: &str,
        arguments: &Value,
        meta: &Value,
        progress: &dyn Progress,
    ) -> Option<Told> {
        let tool = self.desk.setup.tools.named(tool)?;
        let object = |value: &Value| match value {
            Value::Object(object) => Some(object.clone()),
            Value::Null => Some(JsonObject::new()),
            _ => None,
        };
        let asked = match object(arguments) {
            Some(arguments) => Asked::read(tool, arguments),
            None => Err("arguments are no object".to_owned()),
        };
        let reply = match asked {
            Err(wrong) => Reply::Failure(wrong),
            Ok(asked) => self.desk.answer(
                &Call::new(
                    asked,
                    Hints::of(&object(meta).unwrap_or_default()),
                    Vec::new(),
                ),
                progress,
            ),
        };
        Some(match reply {
            Reply::Answer(text, structure) => Told {
                text,
                structure: Some(structure),
            },
            Reply::Failure(text) => Told {
                text,
                structure: None,
            },
        })
    }
}
