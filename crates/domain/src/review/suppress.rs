use std::collections::{HashMap, HashSet};
use std::ops::RangeInclusive;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::continued::{Continued, FARTHEST, continued};
use super::{Confidence, Finding, Fingerprint, Place, Suppressed};
use crate::change::{Change, FileChange, Line, Lines, RepoPath, Side};
use crate::words::{Category, Dimension, Severity};

/// The rule id of the finding about a suppression comment that gives no reason.
pub const BARE_SUPPRESSION_RULE: &str = "suppression-without-reason";

/// The rule id of findings about changes to the policy itself. The change under review cannot accept those.
pub const POLICY_RULE: &str = "policy-changed";

/// The rule id of findings about files that steer agents or run code. The change under review cannot accept those either.
pub const STEERING_RULE: &str = "agent-steering";

pub(super) const MARKER: &str = "countersign:ignore";

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
/// on a line for the next one. A reason may go on in the comment lines below; then that is the one behind them.
pub struct SuppressionComments<'c> {
    policy: &'c SuppressionPolicy,
    by_path: HashMap<&'c RepoPath, Vec<Comment<'c>>>,
    /// What the change says of whole files, and of itself.
    of_file: HashMap<&'c RepoPath, Reasons>,
    of_change: Reasons,
    deleted: HashSet<&'c RepoPath>,
}

impl<'c> SuppressionComments<'c> {
    pub fn of(change: &'c Change, policy: &'c SuppressionPolicy) -> Self {
        let files = || change.files.iter().filter(|_| policy.comments);
        let (mut by_path, mut of_file) = (HashMap::new(), HashMap::new());
        let mut of_change = Reasons::default();
        for file in files() {
            let comments = comments_in(file);
            if comments.is_empty() {
                continue;
            }
            of_change.learn(&comments);
            let mut reasons = Reasons::default();
            reasons.learn(&comments);
            of_file.insert(file.path(), reasons);
            by_path.insert(file.path(), comments);
        }
        SuppressionComments {
            policy,
            by_path,
            of_file,
            of_change,
            deleted: files().filter(|file| file.new.is_none()).map(FileChange::path).collect(),
        }
    }

    /// Why a finding is accepted, if it is.
    pub fn reason(&self, finding: &Finding) -> Option<&str> {
        if !self.policy.reaches(finding) {
            return None;
        }
        match &finding.place {
            Place::Lines(anchor) if anchor.side == Side::New => {
                reason_at(self.by_path.get(&anchor.path)?, &finding.rule, anchor.start..=anchor.end)
            }
            Place::Lines(_) => None,
            Place::File { path } if !self.deleted.contains(path) => {
                self.of_file.get(path)?.get(&finding.rule)
            }
            // A deleted file has no line left to say it in.
            Place::File { .. } | Place::Summary => self.of_change.get(&finding.rule),
        }
    }
}

impl SuppressionPolicy {
    fn reaches(&self, finding: &Finding) -> bool {
        let is_of_the_gate = [POLICY_RULE, STEERING_RULE].contains(&finding.rule.as_str());
        !is_of_the_gate && (self.secrets || !finding.is_secret())
    }
}

struct Comment<'a> {
    line: u32,
    /// The last line it speaks for: its own, or the next one if it stands alone.
    reach: u32,
    /// The line behind a reason of several lines, for which it speaks instead of those.
    behind: Option<u32>,
    added: bool,
    /// One or several, separated by commas.
    rules: &'a str,
    reason: Option<String>,
    text: &'a str,
}

impl Comment<'_> {
    /// Whether it is meant for what begins at a line and ends at or behind its own.
    fn is_for(&self, first: u32) -> bool {
        self.reach >= first || self.behind == Some(first)
    }

    fn names(&self, rule: &str) -> bool {
        self.rules.split(',').any(|named| names(named.trim(), rule))
    }
}

/// A finding of more lines is not accepted as a whole by what is said in the middle of it.
const LONGEST_ACCEPTED: u32 = 20;

/// `comments` come sorted by line. A statement of several lines may have its comment behind any of them.
fn reason_at<'a>(comments: &'a [Comment<'_>], rule: &str, lines: RangeInclusive<u32>) -> Option<&'a str> {
    let first = *lines.start();
    let last = if lines.end().saturating_sub(first) < LONGEST_ACCEPTED { *lines.end() } else { first };
    let from = comments.partition_point(|comment| comment.line.saturating_add(FARTHEST) < first);
    let near = comments[from..].iter().take_while(|comment| comment.line <= last);
    near.filter(|comment| comment.is_for(first) && comment.names(rule))
        .find_map(|comment| comment.reason.as_deref())
}

/// For findings about a whole file or change: the first reason that the change itself adds, wherever it stands, by what it
/// names. There may be thousands of such comments, and as many findings.
#[derive(Default)]
struct Reasons {
    by_name: HashMap<String, (usize, String)>,
}

impl Reasons {
    fn learn(&mut self, comments: &[Comment<'_>]) {
        for comment in comments.iter().filter(|comment| comment.added) {
            let Some(reason) = &comment.reason else { continue };
            for named in comment.rules.split(',') {
                let order = self.by_name.len();
                self.by_name.entry(in_one_case(named.trim())).or_insert_with(|| (order, reason.clone()));
            }
        }
    }

    fn get(&self, rule: &str) -> Option<&str> {
        let name = in_one_case(rule);
        let all = name.split_once('/').and_then(|(tool, _)| self.by_name.get(&format!("{tool}/*")));
        let found = self.by_name.get(&name).into_iter().chain(all).min_by_key(|(order, _)| *order)?;
        Some(&found.1)
    }
}

/// A rule's name with that of its program in small letters, as `names` compares them.
fn in_one_case(rule: &str) -> String {
    match rule.split_once('/') {
        Some((tool, one)) => format!("{}/{one}", tool.to_ascii_lowercase()),
        None => rule.to_owned(),
    }
}

fn comments_in(file: &FileChange) -> Vec<Comment<'_>> {
    let mut found = Vec::new();
    for hunk in file.hunks() {
        let mut lines = hunk.lines();
        while let Some(line) = lines.next() {
            found.extend(comment_on(&line, &lines));
        }
    }
    found
}

/// `below` is what follows in the hunk.
fn comment_on<'a>(line: &Line<'a>, below: &Lines<'a>) -> Option<Comment<'a>> {
    memchr::memmem::find(line.text, MARKER.as_bytes())?;
    let text = std::str::from_utf8(line.text).ok()?;
    let Parsed { rules, begun: first, opening } = parse(text)?;
    let number = line.new?;
    let begun = text.trim_start();
    // JSX has its comments in braces.
    let begun = begun.strip_prefix('{').filter(|rest| rest.starts_with("/*")).unwrap_or(begun);
    let alone = !begun.starts_with(|c: char| c.is_alphanumeric() || "_@\"(){}[]".contains(c));
    let reach = if alone { number.saturating_add(1) } else { number };
    let Continued { texts, last } = match first {
        Some(first) if !first.is_empty() => continued(text, opening.sign, opening.at, below.clone()),
        // Whoever may not write such a comment shall not give one its reason, either.
        Some(_) | None => Continued::default(),
    };
    let whole: Vec<&str> = first.into_iter().chain(texts).filter(|text| !text.is_empty()).collect();
    let behind = last.filter(|_| alone).map(|last| last.saturating_add(1));
    let reason = Some(whole.join(" ")).filter(|reason| !reason.is_empty());
    Some(Comment { line: number, reach, behind, added: line.old.is_none(), rules, reason, text })
}

/// The rules that the comment on a line asks to ignore; none where there is no such comment.
pub fn rules_named(line: &str) -> impl Iterator<Item = &str> {
    parse(line).into_iter().flat_map(|parsed| parsed.rules.split(',').map(str::trim))
}

/// `countersign:ignore RULE[, RULE] -- reason`, behind something that opens a comment and is not in a string.
fn parse(line: &str) -> Option<Parsed<'_>> {
    const OPENINGS: [&str; 8] = ["//", "#", "<!--", "--", "/*", ";", "%", "*"];
    let at = line.find(MARKER)?;
    let (before, rest) = (line[..at].trim_end(), line[at + MARKER.len()..].strip_prefix([' ', '\t'])?);
    let (code, sign) = OPENINGS.iter().find_map(|opening| Some((before.strip_suffix(opening)?, *opening)))?;
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
    let begun = reason.map(|reason| reason.trim().trim_end_matches("*/").trim_end_matches("-->").trim());
    Some(Parsed { rules, begun, opening: Opening { sign, at: code.len() } })
}

/// What a comment says on its first line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Parsed<'a> {
    rules: &'a str,
    /// The reason, or its beginning.
    begun: Option<&'a str>,
    opening: Opening,
}

/// The sign that opens a comment, and its column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Opening {
    sign: &'static str,
    at: usize,
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
    use super::{Reasons, comment_on, names, parse};
    use crate::change::Hunk;

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
            ("// countersign:ignore stub -- ", Some(("stub", Some("")))),
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
            assert_eq!(parse(line).map(|parsed| (parsed.rules, parsed.begun)), expected, "{line}");
        }
    }

    #[test]
    fn a_rule_of_another_program_is_meant_by_its_name_or_by_all_of_them() {
        let whole_file = |named: &str, rule: &str| {
            let text = format!("// countersign:ignore {named} -- why");
            let hunk = Hunk::whole_file(text.as_bytes()).unwrap();
            let mut lines = hunk.lines();
            let comment = lines.next().and_then(|line| comment_on(&line, &lines));
            let mut reasons = Reasons::default();
            reasons.learn(comment.as_slice());
            reasons.get(rule).is_some()
        };
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
            assert_eq!(whole_file(named, rule), means, "{named} {rule}");
        }
    }

    #[test]
    fn the_first_reason_counts_for_a_whole_file() {
        let text =
            "// countersign:ignore ruff/*, stub -- first\n// countersign:ignore stub, ruff/F401 -- then\n";
        let hunk = Hunk::whole_file(text.as_bytes()).unwrap();
        let mut lines = hunk.lines();
        let mut reasons = Reasons::default();
        while let Some(line) = lines.next() {
            reasons.learn(comment_on(&line, &lines).as_slice());
        }
        assert_eq!((reasons.get("stub"), reasons.get("ruff/F401")), (Some("first"), Some("first")));
        assert_eq!((reasons.get("secret"), reasons.get("eslint/x")), (None, None));
    }

    /// The comment of a new file, as `(reason, line behind the reason)`.
    fn read(text: &str) -> (Option<String>, Option<u32>) {
        let hunk = Hunk::whole_file(text.as_bytes()).unwrap();
        let mut below = hunk.lines();
        while let Some(line) = below.next() {
            if let Some(comment) = comment_on(&line, &below) {
                return (comment.reason, comment.behind);
            }
        }
        (None, None)
    }

    #[test]
    fn a_reason_goes_on_in_the_comment_lines_below() {
        let whole = |text: &str| Some(text.to_owned());
        for (text, expected) in [
            (
                "  // countersign:ignore stub -- the next ticket\n  // brings it\n  todo!()",
                (whole("the next ticket brings it"), Some(3)),
            ),
            ("# countersign:ignore stub -- the\n# next ticket\nx", (whole("the next ticket"), Some(3))),
            ("/* countersign:ignore stub -- the\n * next one\n */\nx", (whole("the next one"), Some(4))),
            ("<!-- countersign:ignore stub -- the\n next one -->\nx", (whole("the next one"), Some(3))),
            ("x; // countersign:ignore stub -- a\n   // b\ny;", (whole("a b"), None)),
        ] {
            assert_eq!(read(text), expected, "{text}");
        }
    }

    #[test]
    fn what_is_no_comment_of_the_same_kind_and_place_ends_a_reason() {
        let alone = |reason: &str| (Some(reason.to_owned()), None);
        for text in [
            "// countersign:ignore stub -- a\nx; // b",
            "// countersign:ignore stub -- a\n\n// b",
            "// countersign:ignore stub -- a\n//\n// b",
            "// countersign:ignore stub -- a\n/// b",
            "// countersign:ignore stub -- a\n    // b",
            "x; // countersign:ignore stub -- a\n// b",
            "// countersign:ignore stub -- a\n// countersign:ignore other -- b",
            "/* countersign:ignore stub -- a */\n/* b */",
            "/* countersign:ignore stub -- a\n b */ x();",
        ] {
            assert_eq!(read(text), alone("a"), "{text}");
        }
        assert_eq!(read("// countersign:ignore stub\n// b"), (None, None));
        assert_eq!(read("// countersign:ignore stub --\nx"), (None, None));
        assert_eq!(read("// countersign:ignore stub --\n// b\nx"), (None, None));
        let long = format!("// countersign:ignore stub -- a\n{}", "// b\n".repeat(20));
        assert_eq!(read(&long), alone("a"));
    }
}
