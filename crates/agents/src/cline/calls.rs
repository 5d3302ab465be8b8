//! Calls that stand as tags in a reply's text: `<read_file><path>a.rs</path></read_file>`. One pass over the text; a tag that
//! never closes takes all that follows.

use std::borrow::Cow;

use memfold_log::event::Part;

use crate::call::call;
use crate::input::Input;

/// Tools whose tags are looked for. Others are of servers, which one tool calls for all.
const TOOLS: &[&str] = &[
    "execute_command",
    "read_file",
    "write_to_file",
    "replace_in_file",
    "apply_diff",
    "insert_content",
    "search_and_replace",
    "search_files",
    "list_files",
    "list_code_definition_names",
    "codebase_search",
    "browser_action",
    "web_fetch",
    "use_mcp_tool",
    "access_mcp_resource",
    "new_task",
    "switch_mode",
    "update_todo_list",
    "fetch_instructions",
    "load_mcp_documentation",
    "attempt_completion",
    "ask_followup_question",
    "plan_mode_respond",
    "plan_mode_response",
];
/// How deep arguments nest in tags.
const DEEPEST: usize = 4;

/// What a reply says, and the calls that it makes.
pub(super) fn parts(text: &str) -> Vec<Part<'static>> {
    let mut parts = Vec::new();
    let mut rest = without_thinking(text);
    let mut from = 0;
    while let Some(open) = rest.get(from..).and_then(|text| text.find('<')) {
        let at = from.saturating_add(open);
        let tagged = rest.get(at.saturating_add(1)..).unwrap_or_default();
        let Some((tool, inside)) = TOOLS
            .iter()
            .find_map(|tool| Some((*tool, tagged.strip_prefix(tool)?.strip_prefix('>')?)))
        else {
            from = at.saturating_add(1);
            continue;
        };
        say(&mut parts, rest.get(..at).unwrap_or_default());
        let (inside, after) = inside
            .split_once(format!("</{tool}>").as_str())
            .unwrap_or((inside, ""));
        parts.extend(told(tool, arguments(inside)));
        rest = after;
        from = 0;
    }
    say(&mut parts, rest);
    parts
}

fn say(parts: &mut Vec<Part<'static>>, words: &str) {
    let words = words.trim();
    if !words.is_empty() {
        parts.push(Part::Text(Cow::Owned(words.to_owned())));
    }
}

/// A call; or the words of a tool by which the agent speaks to the person.
pub(super) fn told(tool: &str, arguments: Input<'static>) -> Option<Part<'static>> {
    let words = match tool {
        "attempt_completion" => Some(arguments.named(&["result"])),
        "ask_followup_question" => Some(arguments.named(&["question"])),
        "plan_mode_respond" | "plan_mode_response" => Some(arguments.named(&["response"])),
        _ => None,
    };
    if let Some(words) = words {
        return words.cloned().map(Part::Text);
    }
    let name = match (
        tool,
        arguments.named(&["server_name"]),
        arguments.named(&["tool_name"]),
    ) {
        ("use_mcp_tool", Some(server), Some(tool)) => format!("{server}__{tool}"),
        _ => tool.to_owned(),
    };
    Some(Part::Call(call(
        Cow::Borrowed(""),
        Cow::Owned(name),
        arguments
            .without("server_name")
            .without("tool_name")
            .without("requires_approval"),
    )))
}

/// Whether a reply says that the task is done, or waits for the person's answer.
pub(super) fn hands_over(tool: &str) -> bool {
    matches!(
        tool,
        "attempt_completion" | "ask_followup_question" | "plan_mode_respond" | "plan_mode_response"
    )
}

/// Whether a reply's text holds a tag of a tool that hands over.
pub(super) fn text_hands_over(text: &str) -> bool {
    TOOLS
        .iter()
        .filter(|tool| hands_over(tool))
        .any(|tool| text.contains(format!("<{tool}>").as_str()))
}

fn arguments(inside: &str) -> Input<'static> {
    let mut pairs = Vec::new();
    collect(inside, DEEPEST, &mut pairs);
    if pairs.is_empty() && !inside.trim().is_empty() {
        return Input::text(Cow::Owned(inside.trim().to_owned()));
    }
    Input::of_all(pairs)
}

fn collect(inside: &str, depth: usize, pairs: &mut Vec<(String, String)>) {
    let mut rest = inside;
    while let Some((_, tagged)) = rest.split_once('<') {
        let name: &str = tagged.split('>').next().unwrap_or_default();
        let plain = |byte: u8| byte.is_ascii_lowercase() || byte == b'_';
        let Some(value) = tagged
            .strip_prefix(name)
            .and_then(|value| value.strip_prefix('>'))
            .filter(|_| !name.is_empty() && name.len() < 40 && name.bytes().all(plain))
        else {
            rest = tagged;
            continue;
        };
        let close = format!("</{name}>");
        // What is written into a file may hold tags of its own: the last one closes.
        let split = match name {
            "content" | "diff" | "result" | "arguments" => value.rsplit_once(close.as_str()),
            _ => value.split_once(close.as_str()),
        };
        let (value, after) = split.unwrap_or((value, ""));
        let nested = matches!(name, "args" | "file" | "files") && depth > 0;
        if nested {
            collect(value, depth.saturating_sub(1), pairs);
        } else {
            pairs.push((name.to_owned(), value.trim_matches('\n').to_owned()));
        }
        rest = after;
    }
}

/// Thinking that stands in the text, at its start.
fn without_thinking(text: &str) -> &str {
    let trimmed = text.trim_start();
    match trimmed.strip_prefix("<thinking>") {
        Some(inside) => inside
            .split_once("</thinking>")
            .map_or("", |(_, after)| after),
        None => trimmed,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use memfold_log::event::Effect;

    #[test]
    fn words_and_calls() {
        let parts = parts(
            "<thinking>hm</thinking>I run it.\n<execute_command>\n<command>cargo test</command>\n</execute_command>\n\
             <write_to_file><path>a.html</path><content>\n<path>x</path>\n</content></write_to_file>and a < b",
        );
        let [
            Part::Text(first),
            Part::Call(run),
            Part::Call(write),
            Part::Text(last),
        ] = &parts[..]
        else {
            panic!("{parts:?}")
        };
        assert_eq!((&**first, &**last), ("I run it.", "and a < b"));
        assert_eq!(run.effect, Effect::Runs("cargo test".into()));
        assert_eq!(write.effect, Effect::Edits("a.html".into()));
        assert_eq!(write.arguments, "a.html\n<path>x</path>");
    }

    #[test]
    fn odd_ones() {
        let read = parts(
            "<read_file><args><file><path>a.rs</path></file><file><path>b.rs</path></file></args>",
        );
        let [Part::Call(read)] = &read[..] else {
            panic!("{read:?}")
        };
        assert_eq!((&*read.subject, &*read.arguments), ("a.rs", "a.rs\nb.rs"));
        let server = parts(
            "<use_mcp_tool><server_name>memfold</server_name><tool_name>search</tool_name><arguments>{}</arguments></use_mcp_tool>",
        );
        assert!(matches!(&server[..], [Part::Call(call)] if call.effect == Effect::Retrieves));
        let done = parts("<attempt_completion><result>It holds.</result></attempt_completion>");
        assert!(matches!(&done[..], [Part::Text(words)] if words == "It holds."));
        let many = "<read_file><path>".repeat(50_000);
        assert!(parts(&many).len() < 3);
    }
}
