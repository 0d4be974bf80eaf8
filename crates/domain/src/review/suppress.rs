use std::collections::HashMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Confidence, Finding, Fingerprint, Place, Suppressed};
use crate::change::{Change, FileChange, Hunk, Side};
use crate::words::{Category, Dimension, Severity};

/// The rule id of the finding about a suppression comment that gives no reason.
pub const BARE_SUPPRESSION_RULE: &str = "suppression-without-reason";

const MARKER: &str = "countersign:ignore";

/// Who may silence findings from inside the code.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct SuppressionPolicy {
    /// Whether `countersign:ignore` comments count at all.
    pub comments: bool,
    /// Whether they count for secrets, too.
    pub secrets: bool,
}

impl Default for SuppressionPolicy {
    fn default() -> Self {
        SuppressionPolicy { comments: true, secrets: false }
    }
}

/// Takes out the findings that a comment `countersign:ignore RULE -- why` on the same line or the line
/// above accepts. A comment without a reason accepts nothing and becomes a finding itself.
pub fn suppress(
    findings: Vec<Finding>,
    change: &Change,
    policy: &SuppressionPolicy,
) -> (Vec<Finding>, Vec<Suppressed>) {
    if !policy.comments {
        return (findings, Vec::new());
    }
    let comments: HashMap<_, _> = change
        .files
        .iter()
        .map(|file| (file.path(), comments_in(file)))
        .filter(|(_, comments)| !comments.is_empty())
        .collect();

    let (mut kept, mut suppressed) = (Vec::new(), Vec::new());
    for finding in findings {
        let reason = match &finding.place {
            Place::Lines(anchor) if anchor.side == Side::New && (policy.secrets || !finding.is_secret()) => {
                comments
                    .get(&anchor.path)
                    .and_then(|comments| reason_for(comments, &finding.rule, anchor.start))
            }
            Place::Lines(_) | Place::File { .. } | Place::Summary => None,
        };
        match reason {
            Some(reason) => suppressed.push(Suppressed { reason: reason.to_owned(), finding }),
            None => kept.push(finding),
        }
    }
    kept.extend(change.files.iter().flat_map(|file| {
        let comments = comments.get(file.path()).map(Vec::as_slice).unwrap_or_default();
        comments.iter().filter(|c| c.added && c.reason.is_none()).map(|c| without_reason(file, c))
    }));
    (kept, suppressed)
}

struct Comment<'a> {
    line: u32,
    added: bool,
    rule: &'a str,
    reason: Option<&'a str>,
    text: &'a str,
}

fn reason_for<'a>(comments: &[Comment<'a>], rule: &str, line: u32) -> Option<&'a str> {
    comments
        .iter()
        .filter(|comment| comment.rule == rule && (comment.line == line || comment.line + 1 == line))
        .find_map(|comment| comment.reason)
}

fn comments_in(file: &FileChange) -> Vec<Comment<'_>> {
    file.hunks()
        .iter()
        .flat_map(Hunk::lines)
        .filter_map(|line| {
            let text = std::str::from_utf8(line.text).ok()?;
            let (rule, reason) = parse(text)?;
            Some(Comment { line: line.new?, added: line.old.is_none(), rule, reason, text })
        })
        .collect()
}

/// `countersign:ignore RULE -- reason`, anywhere behind something that looks like the start of a comment.
fn parse(line: &str) -> Option<(&str, Option<&str>)> {
    let at = line.find(MARKER)?;
    let opens_comment = ["//", "#", "--", "/*", "<!--", ";", "%", "*", "'"];
    if !opens_comment.iter().any(|opening| line[..at].trim_end().ends_with(opening)) {
        return None;
    }
    let rest = line[at + MARKER.len()..].strip_prefix([' ', '\t'])?.trim_start();
    let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
    let (rule, rest) = rest.split_at(end);
    let reason = rest
        .trim_start()
        .strip_prefix("--")
        .map(|reason| reason.trim().trim_end_matches("*/").trim_end_matches("-->").trim());
    (!rule.is_empty()).then_some((rule, reason.filter(|reason| !reason.is_empty())))
}

fn without_reason(file: &FileChange, comment: &Comment<'_>) -> Finding {
    Finding {
        rule: BARE_SUPPRESSION_RULE.into(),
        severity: Severity::Low,
        category: Category::BestPractices,
        dimension: Dimension::PATTERN_CONSISTENCY,
        confidence: Confidence::High,
        place: Place::Lines(super::Anchor {
            path: file.path().clone(),
            side: Side::New,
            start: comment.line,
            end: comment.line,
            text: comment.text.to_owned(),
        }),
        message: format!(
            "This comment asks to ignore `{}` but gives no reason, so it is not honoured",
            comment.rule
        ),
        impact: "Nobody can tell later whether the exception was justified".into(),
        suggestion: format!(
            "Write `{MARKER} {} -- why this is fine here`, or remove the comment",
            comment.rule
        ),
        fingerprint: Fingerprint::default(),
    }
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn reads_rule_and_reason() {
        let cases = [
            (
                "x(); // countersign:ignore debug-leftover -- the CLI prints here",
                Some(("debug-leftover", Some("the CLI prints here"))),
            ),
            ("# countersign:ignore stub -- next ticket", Some(("stub", Some("next ticket")))),
            ("/* countersign:ignore stub -- later */", Some(("stub", Some("later")))),
            ("// countersign:ignore stub", Some(("stub", None))),
            ("// countersign:ignore stub -- ", Some(("stub", None))),
            ("// countersign:ignore", None),
            ("// countersign:ignored stub -- x", None),
            ("let s = \"countersign:ignore stub -- x\";", None),
        ];
        for (line, expected) in cases {
            assert_eq!(parse(line), expected, "{line}");
        }
    }
}
