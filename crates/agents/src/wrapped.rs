//! Text that a host wraps in tags around a person's words (`<system-reminder>…</system-reminder>`), taken off at both ends.
//! What stands inside a person's own words stays: they may be writing about the tags.

use std::borrow::Cow;

/// The text without wrappers of these tags at its start and end, trimmed. A wrapper that never closes takes all that follows.
pub(crate) fn strip<'t>(text: &'t str, tags: &[&str]) -> &'t str {
    let mut rest = text.trim();
    while let Some(after) = rest
        .strip_prefix('<')
        .and_then(|inside| after_wrapper(inside, tags))
    {
        rest = after.trim_start();
    }
    strip_end(rest, tags)
}

/// The text without wrappers of these tags at its end, trimmed there.
pub(crate) fn strip_end<'t>(text: &'t str, tags: &[&str]) -> &'t str {
    let mut rest = text.trim_end();
    while let Some(before) = rest
        .strip_suffix('>')
        .and_then(|inside| before_wrapper(inside, tags))
    {
        rest = before.trim_end();
    }
    rest
}

/// What follows the wrapper that `inside` opens, its `<` already taken.
fn after_wrapper<'t>(inside: &'t str, tags: &[&str]) -> Option<&'t str> {
    let tag = tags.iter().find(|tag| {
        inside
            .strip_prefix(**tag)
            .is_some_and(|rest| rest.starts_with(['>', ' ']))
    })?;
    let close = format!("</{tag}>");
    Some(
        inside
            .split_once(close.as_str())
            .map_or("", |(_, after)| after),
    )
}

/// What precedes the wrapper that `inside` closes, its last `>` already taken.
fn before_wrapper<'t>(inside: &'t str, tags: &[&str]) -> Option<&'t str> {
    let (tag, body) = tags
        .iter()
        .find_map(|tag| Some((tag, inside.strip_suffix(*tag)?.strip_suffix("</")?)))?;
    let open = format!("<{tag}");
    let (before, after) = body.rsplit_once(open.as_str())?;
    after.starts_with(['>', ' ']).then_some(before)
}

/// What stands between a tag and its end, trimmed.
pub(crate) fn between<'t>(text: &'t str, tag: &str) -> Option<&'t str> {
    let (_, after) = text.split_once(format!("<{tag}>").as_str())?;
    let (inside, _) = after.split_once(format!("</{tag}>").as_str())?;
    Some(inside.trim())
}

/// Narrows a text to a part of itself, whether it is borrowed or owned.
pub(crate) fn narrow<'a>(
    text: Cow<'a, str>,
    to: impl for<'t> FnOnce(&'t str) -> &'t str,
) -> Cow<'a, str> {
    match text {
        Cow::Borrowed(text) => Cow::Borrowed(to(text)),
        Cow::Owned(text) => {
            let part = to(&text);
            if part.len() == text.len() {
                Cow::Owned(text)
            } else {
                Cow::Owned(part.to_owned())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TAGS: &[&str] = &["note", "note-two"];

    #[test]
    fn both_ends_and_no_middle() {
        assert_eq!(
            strip(
                " <note>a</note>\n<note-two x=1>b</note-two> words <note>c</note>",
                TAGS
            ),
            "words"
        );
        assert_eq!(
            strip("why <note>x</note> there?", TAGS),
            "why <note>x</note> there?"
        );
        assert_eq!(strip("<other>x</other>", TAGS), "<other>x</other>");
        assert_eq!(strip("<note>never closed", TAGS), "");
        assert_eq!(strip("never opened</note>", TAGS), "never opened</note>");
        assert_eq!(strip("<notes>x</notes>", TAGS), "<notes>x</notes>");
    }

    #[test]
    fn the_end_alone() {
        assert_eq!(
            strip_end("<note>a</note> x\n\n<note>b</note>\n", TAGS),
            "<note>a</note> x"
        );
    }

    #[test]
    fn what_a_tag_holds() {
        assert_eq!(between("a <note> b </note>", "note"), Some("b"));
        assert_eq!(between("a <note> b", "note"), None);
    }

    #[test]
    fn many_wrappers_take_linear_time() {
        let many = format!("{}words", "<note></note>".repeat(200_000));
        assert_eq!(strip(&many, TAGS), "words");
        let unopened = format!("{}x</note-two>", "<note></note>".repeat(200_000));
        assert_eq!(strip(&unopened, TAGS), "x</note-two>");
    }
}
