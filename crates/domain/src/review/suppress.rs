use std::collections::HashMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Confidence, Finding, Fingerprint, Place, Suppressed};
use crate::change::{Change, FileChange, Hunk, Side};
use crate::words::{Category, Dimension, Severity};

/// The rule id of the finding about a suppression comment that gives no reason.
pub const BARE_SUPPRESSION_RULE: &str = "suppression-without-reason";

/// The rule id of findings about changes to the policy itself. The change under review cannot accept those.
pub const POLICY_RULE: &str = "policy-changed";

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

/// Takes out the findings that a comment `countersign:ignore RULE -- why` accepts: behind the code it speaks
/// for its own line, alone on a line for the next one. A comment without a reason accepts nothing and becomes
/// a finding itself.
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

    let reason = |finding: &Finding| match &finding.place {
        Place::Lines(anchor) if anchor.side == Side::New && policy.reaches(finding) => {
            comments.get(&anchor.path).and_then(|comments| reason_for(comments, &finding.rule, anchor.start))
        }
        Place::Lines(_) | Place::File { .. } | Place::Summary => None,
    };
    let (mut kept, mut suppressed) = (Vec::new(), Vec::new());
    for finding in findings {
        match reason(&finding) {
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

impl SuppressionPolicy {
    fn reaches(&self, finding: &Finding) -> bool {
        finding.rule != POLICY_RULE && (self.secrets || !finding.is_secret())
    }
}

struct Comment<'a> {
    line: u32,
    /// The last line it speaks for: its own, or the next one if it stands alone.
    reach: u32,
    added: bool,
    rule: &'a str,
    reason: Option<&'a str>,
    text: &'a str,
}

/// `comments` come sorted by line.
fn reason_for<'a>(comments: &[Comment<'a>], rule: &str, line: u32) -> Option<&'a str> {
    let from = comments.partition_point(|comment| comment.line + 1 < line);
    comments[from..]
        .iter()
        .take_while(|comment| comment.line <= line)
        .filter(|comment| comment.reach >= line && comment.rule == rule)
        .find_map(|comment| comment.reason)
}

fn comments_in(file: &FileChange) -> Vec<Comment<'_>> {
    file.hunks()
        .iter()
        .flat_map(Hunk::lines)
        .filter_map(|line| {
            memchr::memmem::find(line.text, MARKER.as_bytes())?;
            let text = std::str::from_utf8(line.text).ok()?;
            let (rule, reason) = parse(text)?;
            let number = line.new?;
            let alone =
                !text.trim_start().starts_with(|c: char| c.is_alphanumeric() || "_@\"(){}[]".contains(c));
            let reach = if alone { number + 1 } else { number };
            Some(Comment { line: number, reach, added: line.old.is_none(), rule, reason, text })
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
    // Only what can be a rule's id: anything else would be quoted in reports.
    let well_formed =
        !rule.is_empty() && rule.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-');
    (well_formed && rule.len() <= 64).then_some((rule, reason.filter(|reason| !reason.is_empty())))
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
            ("// countersign:ignore Stub! -- x", None),
            ("// countersign:ignored stub -- x", None),
            ("let s = \"countersign:ignore stub -- x\";", None),
        ];
        for (line, expected) in cases {
            assert_eq!(parse(line), expected, "{line}");
        }
    }
}
