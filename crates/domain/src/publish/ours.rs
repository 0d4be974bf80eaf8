use std::collections::BTreeMap;

use super::Stage;
use super::finder::Found;
use super::inline::said;
use super::marker::{Mark, MarkKind, MarkState, Seal};
use crate::change::Oid;
use crate::forge::{Editing, PostedComment};
use crate::review::{Fingerprint, Statement};
use crate::words::Severity;

/// Our comments, read. Of several that say the same the oldest counts, so that publishers that did not know of each
/// other agree on which it is.
pub(super) struct Ours<'a> {
    pub(super) findings: BTreeMap<Fingerprint, OurFinding<'a>>,
    pub(super) duplicates: Vec<(&'a PostedComment, Mark)>,
    pub(super) settled: Vec<(&'a PostedComment, Oid)>,
    pub(super) summary: Option<OurSummary<'a>>,
    pub(super) refused: Vec<Fingerprint>,
    /// Where comments cannot be edited, the newest summary counts.
    editing: Editing,
}

pub(super) struct OurFinding<'a> {
    pub(super) comment: &'a PostedComment,
    pub(super) text: &'a str,
    pub(super) said: Option<(Severity, String)>,
    pub(super) found: Found,
}

pub(super) struct OurSummary<'a> {
    pub(super) comment: &'a PostedComment,
    pub(super) text: &'a str,
    pub(super) content: String,
    pub(super) head: Oid,
    /// Who reviewed.
    pub(super) by: String,
}

impl<'a> Ours<'a> {
    pub(super) fn of(stage: &Stage<'a>, seal: &Seal) -> Self {
        let mut ours = Ours {
            findings: BTreeMap::new(),
            duplicates: Vec::new(),
            settled: Vec::new(),
            summary: None,
            refused: Vec::new(),
            editing: stage.editing,
        };
        let mut comments: Vec<&PostedComment> = stage.comments.iter().collect();
        comments.sort_by(|a, b| a.reference.age().cmp(&b.reference.age()));
        for comment in comments {
            if let Some((mark, text)) = seal.read(&stage.request.reference, comment) {
                ours.take(comment, mark, text);
            }
        }
        if let Some(summary) = &ours.summary
            && summary.head != stage.diff.refs.head
        {
            ours.refused.clear();
        }
        ours
    }

    fn take(&mut self, comment: &'a PostedComment, mark: Mark, text: &'a str) {
        match &mark.kind {
            MarkKind::Finding { fingerprint, state: MarkState::Open, found } => {
                if self.findings.contains_key(fingerprint) {
                    self.duplicates.push((comment, mark));
                } else {
                    let ours = OurFinding { comment, text, said: said(text), found: found.clone() };
                    self.findings.insert(fingerprint.clone(), ours);
                }
            }
            MarkKind::Finding { state: MarkState::Settled, .. } => self.settled.push((comment, mark.head)),
            MarkKind::Summary { state: MarkState::Open, content, unplaced, by } => {
                if self.summary.is_some() && self.editing == Editing::Possible {
                    self.duplicates.push((comment, mark));
                } else {
                    self.refused.clone_from(unplaced);
                    let (content, by, head) = (content.clone(), by.clone(), mark.head.clone());
                    self.summary = Some(OurSummary { comment, text, content, head, by });
                }
            }
            MarkKind::Finding { state: MarkState::Duplicate, .. }
            | MarkKind::Summary { state: MarkState::Settled | MarkState::Duplicate, .. }
            | MarkKind::Batch
            | MarkKind::Claim { .. } => {}
        }
    }

    /// What our open comments say, for recognising it in other words.
    pub(super) fn statements(&self) -> impl Iterator<Item = Statement<'_>> {
        self.findings.iter().filter_map(|(fingerprint, ours)| {
            let (severity, message) = ours.said.as_ref()?;
            Some(Statement { fingerprint, severity: *severity, message, code: "" })
        })
    }

    pub(super) fn settled_by(&self, head: &Oid) -> usize {
        self.settled.iter().filter(|(_, by)| by == head).count()
    }
}
