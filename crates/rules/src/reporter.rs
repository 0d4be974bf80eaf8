use domain::change::{FileChange, Side};
use domain::review::{Anchor, Confidence, Finding, Fingerprint, Place};
use domain::text::clean_line;
use domain::words::Severity;

use crate::context::AddedLine;
use crate::redact::redact;
use crate::rule::RuleInfo;
use crate::source::Source;

/// Longer lines are cut: they are minified or hostile, and nobody reads them in a report. In characters.
const LONGEST_TEXT: usize = 500;

/// So much of a line is searched for secrets before it is cut; more than any of them takes. In bytes.
const LONGEST_SEARCHED: usize = 16 * 1024;

/// Collects what one rule has to say. All text leaves through here, with secrets masked.
#[derive(Debug)]
pub struct Reporter<'a> {
    info: &'a RuleInfo,
    /// The policy's severity for this rule, which beats the rule's and the finding's own.
    severity: Option<Severity>,
    file: Option<&'a FileChange>,
    findings: Vec<Finding>,
}

/// A finding in the making: what differs from the rule's own metadata.
#[derive(Debug, Clone)]
pub struct Draft {
    spot: Spot,
    message: String,
    severity: Option<Severity>,
    confidence: Option<Confidence>,
    fix: Option<String>,
}

#[derive(Debug, Clone)]
enum Spot {
    Lines { side: Side, start: u32, end: u32, text: Vec<u8> },
    File,
    Summary,
}

impl Draft {
    /// About one added line.
    pub fn line(line: &AddedLine<'_>, message: impl Into<String>) -> Self {
        let (start, end, text) = (line.number, line.number, beginning(line.text));
        let spot = Spot::Lines { side: Side::New, start, end, text };
        Draft::new(spot, message.into())
    }

    /// About a range of lines of the new side.
    pub fn lines(source: &Source, start: u32, end: u32, message: impl Into<String>) -> Self {
        Draft::on(Side::New, source, start, end, message.into())
    }

    /// About a line of the old side, which the change took away.
    pub fn removed(base: &Source, line: u32, message: impl Into<String>) -> Self {
        Draft::on(Side::Old, base, line, line, message.into())
    }

    fn on(side: Side, source: &Source, start: u32, end: u32, message: String) -> Self {
        let spot = Spot::Lines { side, start, end: end.max(start), text: beginning(source.line(start)) };
        Draft::new(spot, message)
    }

    /// About the file that is being checked.
    pub fn file(message: impl Into<String>) -> Self {
        Draft::new(Spot::File, message.into())
    }

    /// About the change as a whole.
    pub fn summary(message: impl Into<String>) -> Self {
        Draft::new(Spot::Summary, message.into())
    }

    fn new(spot: Spot, message: String) -> Self {
        Draft { spot, message, severity: None, confidence: None, fix: None }
    }

    pub fn severity(mut self, severity: Severity) -> Self {
        self.severity = Some(severity);
        self
    }

    pub fn confidence(mut self, confidence: Confidence) -> Self {
        self.confidence = Some(confidence);
        self
    }

    pub(crate) fn has_fix(&self) -> bool {
        self.fix.is_some()
    }

    pub fn fix(mut self, fix: impl Into<String>) -> Self {
        self.fix = Some(fix.into());
        self
    }
}

impl<'a> Reporter<'a> {
    pub(crate) fn new(info: &'a RuleInfo, severity: Option<Severity>, file: Option<&'a FileChange>) -> Self {
        Reporter { info, severity, file, findings: Vec::new() }
    }

    pub fn add(&mut self, draft: Draft) {
        let file = self.file;
        self.push(file, draft);
    }

    /// For rules about the whole change, which have no file of their own.
    pub fn add_in(&mut self, file: &FileChange, draft: Draft) {
        self.push(Some(file), draft);
    }

    fn push(&mut self, file: Option<&FileChange>, draft: Draft) {
        let place = match (draft.spot, file) {
            (Spot::Lines { side, start, end, text }, Some(file)) => Place::Lines(Anchor {
                path: file.path().clone(),
                side,
                start,
                end,
                text: shorten(&redact(&String::from_utf8_lossy(&text))),
            }),
            (Spot::File, Some(file)) => Place::File { path: file.path().clone() },
            (Spot::Summary | Spot::Lines { .. } | Spot::File, _) => Place::Summary,
        };
        self.findings.push(Finding {
            rule: self.info.id.to_string(),
            severity: self.severity.or(draft.severity).unwrap_or(self.info.severity),
            category: self.info.category,
            dimension: self.info.dimension.clone(),
            confidence: draft.confidence.unwrap_or(self.info.confidence),
            place,
            message: presentable(&draft.message),
            impact: presentable(&self.info.why),
            suggestion: presentable(draft.fix.as_deref().unwrap_or(&self.info.fix)),
            fingerprint: Fingerprint::default(),
        });
    }

    pub(crate) fn finish(self) -> Vec<Finding> {
        self.findings
    }
}

/// Sentences are ours, but may quote names, paths and tickets: no secret gets through, nothing invisible and
/// no terminal sequence.
fn presentable(text: &str) -> String {
    clean_line(&redact(text))
}

fn beginning(line: &[u8]) -> Vec<u8> {
    line[..line.len().min(LONGEST_SEARCHED)].to_vec()
}

fn shorten(text: &str) -> String {
    match text.char_indices().nth(LONGEST_TEXT) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
