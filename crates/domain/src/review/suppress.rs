use std::collections::{HashMap, HashSet};
use std::ops::RangeInclusive;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Confidence, Finding, Fingerprint, Place, Suppressed};
use crate::change::{Change, FileChange, Hunk, RepoPath, Side};
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

/// Takes out the findings that a comment of the change accepts. A comment without a reason accepts nothing and becomes
/// a finding itself.
pub fn suppress(
    findings: Vec<Finding>,
    change: &Change,
    policy: &SuppressionPolicy,
) -> (Vec<Finding>, Vec<Suppressed>) {
    let comments = SuppressionComments::of(change, policy);
    let (mut kept, mut suppressed) = (Vec::new(), Vec::new());
    for finding in findings {
        match comments.reason(&finding) {
            Some(reason) => suppressed.push(Suppressed { reason: reason.to_owned(), finding }),
            None => kept.push(finding),
        }
    }
    kept.extend(change.files.iter().flat_map(|file| {
        let comments = comments.by_path.get(file.path()).map(Vec::as_slice).unwrap_or_default();
        comments.iter().filter(|c| c.added && c.reason.is_none()).map(|c| without_reason(file, c))
    }));
    (kept, suppressed)
}

/// The comments `countersign:ignore RULE -- why` of a change: behind the code such a comment speaks for its own line, alone
/// on a line for the next one.
pub struct SuppressionComments<'c> {
    policy: &'c SuppressionPolicy,
    by_path: HashMap<&'c RepoPath, Vec<Comment<'c>>>,
    deleted: HashSet<&'c RepoPath>,
}

impl<'c> SuppressionComments<'c> {
    pub fn of(change: &'c Change, policy: &'c SuppressionPolicy) -> Self {
        let files = || change.files.iter().filter(|_| policy.comments);
        let comments = files().map(|file| (file.path(), comments_in(file)));
        SuppressionComments {
            policy,
            by_path: comments.filter(|(_, comments)| !comments.is_empty()).collect(),
            deleted: files().filter(|file| file.new.is_none()).map(FileChange::path).collect(),
        }
    }

    /// Why a finding is accepted, if it is.
    pub fn reason(&self, finding: &Finding) -> Option<&'c str> {
        if !self.policy.reaches(finding) {
            return None;
        }
        match &finding.place {
            Place::Lines(anchor) if anchor.side == Side::New => {
                reason_at(self.by_path.get(&anchor.path)?, &finding.rule, anchor.start..=anchor.end)
            }
            Place::Lines(_) => None,
            Place::File { path } if !self.deleted.contains(path) => {
                reason_in(self.by_path.get(path)?, &finding.rule)
            }
            // A deleted file has no line left to say it in.
            Place::File { .. } | Place::Summary => {
                self.by_path.values().find_map(|comments| reason_in(comments, &finding.rule))
            }
        }
    }
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
    /// One or several, separated by commas.
    rules: &'a str,
    reason: Option<&'a str>,
    text: &'a str,
}

impl Comment<'_> {
    fn names(&self, rule: &str) -> bool {
        self.rules.split(',').any(|named| names(named.trim(), rule))
    }
}

/// A finding of more lines is not accepted as a whole by what is said in the middle of it.
const LONGEST_ACCEPTED: u32 = 20;

/// `comments` come sorted by line. A statement of several lines may have its comment behind any of them.
fn reason_at<'a>(comments: &[Comment<'a>], rule: &str, lines: RangeInclusive<u32>) -> Option<&'a str> {
    let first = *lines.start();
    let last = if lines.end().saturating_sub(first) < LONGEST_ACCEPTED { *lines.end() } else { first };
    let from = comments.partition_point(|comment| comment.line.saturating_add(1) < first);
    let near = comments[from..].iter().take_while(|comment| comment.line <= last);
    near.filter(|comment| comment.reach >= first && comment.names(rule)).find_map(|comment| comment.reason)
}

/// For a finding about a whole file or change: any comment that the change itself adds.
fn reason_in<'a>(comments: &[Comment<'a>], rule: &str) -> Option<&'a str> {
    comments.iter().filter(|comment| comment.added && comment.names(rule)).find_map(|comment| comment.reason)
}

fn comments_in(file: &FileChange) -> Vec<Comment<'_>> {
    file.hunks()
        .iter()
        .flat_map(Hunk::lines)
        .filter_map(|line| {
            memchr::memmem::find(line.text, MARKER.as_bytes())?;
            let text = std::str::from_utf8(line.text).ok()?;
            let (rules, reason) = parse(text)?;
            let number = line.new?;
            let begun = text.trim_start();
            // JSX has its comments in braces.
            let begun = begun.strip_prefix('{').filter(|rest| rest.starts_with("/*")).unwrap_or(begun);
            let alone = !begun.starts_with(|c: char| c.is_alphanumeric() || "_@\"(){}[]".contains(c));
            let reach = if alone { number.saturating_add(1) } else { number };
            Some(Comment { line: number, reach, added: line.old.is_none(), rules, reason, text })
        })
        .collect()
}

/// `countersign:ignore RULE[, RULE] -- reason`, behind something that opens a comment and is not in a string.
fn parse(line: &str) -> Option<(&str, Option<&str>)> {
    const OPENINGS: [&str; 8] = ["//", "#", "--", "/*", "<!--", ";", "%", "*"];
    let at = line.find(MARKER)?;
    let (before, rest) = (line[..at].trim_end(), line[at + MARKER.len()..].strip_prefix([' ', '\t'])?);
    let code = OPENINGS.iter().find_map(|opening| before.strip_suffix(opening))?;
    if in_string(code, rest) {
        return None;
    }
    let (rules, reason) = match rest.split_once("--") {
        Some((rules, reason)) => (rules.trim(), Some(reason)),
        None => (rest.split_whitespace().next()?, None),
    };
    // Only what can be a rule's id: anything else would be quoted in reports.
    if rules.is_empty() || rules.len() > 200 || !rules.split(',').all(|named| can_be_rule(named.trim())) {
        return None;
    }
    let reason = reason.map(|reason| reason.trim().trim_end_matches("*/").trim_end_matches("-->").trim());
    Some((rules, reason.filter(|reason| !reason.is_empty())))
}

/// An id of ours, or the one of another program behind its name.
fn can_be_rule(named: &str) -> bool {
    let ours = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b"- ".contains(&b);
    let theirs = |b: u8| b.is_ascii_alphanumeric() || b"-_./@:*+#".contains(&b);
    named.bytes().all(ours) || (named.contains('/') && named.bytes().all(theirs))
}

/// Whether what a comment or a policy says means a rule. Of another program's, `tool/*` means all, and how its name is
/// capitalised does not matter: programs themselves do not agree on theirs.
pub fn names(named: &str, rule: &str) -> bool {
    if named == rule {
        return true;
    }
    let (Some((tool, one)), Some((its_tool, its))) = (named.split_once('/'), rule.split_once('/')) else {
        return false;
    };
    tool.eq_ignore_ascii_case(its_tool) && (one == "*" || one == its)
}

/// Whether a quote is open after `code`. An apostrophe may be a lifetime or a word's, so it counts only if
/// it is closed again.
fn in_string(code: &str, rest: &str) -> bool {
    let odd = |quote: char| code.matches(quote).count() % 2 == 1;
    odd('"') || odd('`') || (odd('\'') && rest.contains('\''))
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
            comment.rules
        ),
        impact: "Nobody can tell later whether the exception was justified".into(),
        suggestion: format!(
            "Write `{MARKER} {} -- why this is fine here`, or remove the comment",
            comment.rules
        ),
        fingerprint: Fingerprint::default(),
    }
}

#[cfg(test)]
mod tests {
    use super::{names, parse};

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
            (
                "x # countersign:ignore stub, debug-leftover -- both",
                Some(("stub, debug-leftover", Some("both"))),
            ),
            (
                "x # countersign:ignore ruff/F401, unused-import -- later",
                Some(("ruff/F401, unused-import", Some("later"))),
            ),
            ("// countersign:ignore eslint/@scope/no-x -- y", Some(("eslint/@scope/no-x", Some("y")))),
            ("# countersign:ignore ruff/I001", Some(("ruff/I001", None))),
            ("# countersign:ignore F401 -- x", None),
            ("# countersign:ignore ruff/<b> -- x", None),
            ("let s = \"countersign:ignore stub -- x\";", None),
            ("stop(); x = \"# countersign:ignore stub -- x\"", None),
            ("stop(); x = '# countersign:ignore stub -- x'", None),
            ("fn f<'a>() // countersign:ignore stub -- x", Some(("stub", Some("x")))),
        ];
        for (line, expected) in cases {
            assert_eq!(parse(line), expected, "{line}");
        }
    }

    #[test]
    fn a_rule_of_another_program_is_meant_by_its_name_or_by_all_of_them() {
        for (named, rule, means) in [
            ("stub", "stub", true),
            ("ruff/F401", "ruff/F401", true),
            ("Ruff/F401", "ruff/F401", true),
            ("ruff/*", "ruff/F401", true),
            ("ruff/F401", "ruff/F4010", false),
            ("ruff/F401", "pyflakes/F401", false),
            ("*", "stub", false),
            ("*/*", "ruff/F401", false),
        ] {
            assert_eq!(names(named, rule), means, "{named} {rule}");
        }
    }
}
