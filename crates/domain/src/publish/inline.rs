//! The text of a comment at a line.

use crate::formats::markdown::{code, text, unescaped};
use crate::formats::shown::rule_id;
use crate::review::Finding;
use crate::words::Severity;

const FIELD_LIMIT: usize = 4_000;
const NAME_LIMIT: usize = 400;
/// More than we ever write.
const LONGEST_KEPT: usize = 24_000;

/// No line of it begins with text of unknown origin: forges take such lines for commands.
pub(super) fn comment(finding: &Finding, suggestion: Option<&str>) -> String {
    let mut body = format!(
        "**{}** {} ({}): {}\n",
        finding.severity,
        code(&rule_id(finding), NAME_LIMIT),
        finding.category.as_str(),
        text(&finding.message, FIELD_LIMIT),
    );
    for (label, said) in [("Why", &finding.impact), ("Fix", &finding.suggestion)] {
        let said = text(said, FIELD_LIMIT);
        if !said.is_empty() {
            body.push_str(&format!("\n{label}: {said}\n"));
        }
    }
    if let Some(block) = suggestion {
        body.push_str(&format!("\n{block}\n"));
    }
    body
}

/// How bad the finding of a comment is, and what its message says.
pub(super) fn said(comment: &str) -> Option<(Severity, String)> {
    let line = comment.lines().find(|line| !line.trim().is_empty())?;
    let (severity, rest) = line.strip_prefix("**")?.split_once("** ")?;
    let (_, message) = rest.split_once("): ")?;
    Some((severity.parse().ok()?, unescaped(message)))
}

/// Why a comment is done with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Settled {
    Gone,
    Accepted,
    Duplicate,
}

/// What takes the place of a comment that is done with: the reason, and below it what it said.
pub(super) fn settled(why: Settled, head: &str, before: &str) -> String {
    let reason = match why {
        Settled::Gone => format!("**Settled.** The review of `{head}` no longer finds this."),
        Settled::Accepted => format!("**Accepted.** As of `{head}` a suppression in the code says why."),
        Settled::Duplicate => return "**Duplicate.** The same is said in an earlier comment.\n".to_owned(),
    };
    let before = &before[..before.floor_char_boundary(LONGEST_KEPT)];
    format!("{reason}\n\n{}\n", without_suggestion(before).trim())
}

/// A suggestion could still be applied, to lines that are others by now. It is the last thing that a comment says.
fn without_suggestion(before: &str) -> &str {
    let mut start = 0;
    for line in before.split_inclusive('\n') {
        let fence = line.trim_start_matches('`');
        if line.len() - fence.len() >= 3 && fence.starts_with("suggestion") {
            return &before[..start];
        }
        start += line.len();
    }
    before
}

/// What the review as a whole carries, where the forge shows such a thing.
pub(super) fn batch(count: usize, head: &str) -> String {
    let remarks = if count == 1 { "1 remark".to_owned() } else { format!("{count} remarks") };
    format!("Countersign has {remarks} on `{head}`. The verdict is in its summary.\n")
}
