//! A forge in memory, as far as planning needs one.

use std::collections::HashMap;

use crate::change::{Change, Oid};
use crate::forge::{
    CommentKind, CommentRef, CommitStatus, DiffRefs, Editing, Identity, MergeRequest, MergeRequestDiff,
    MergeRequestRef, MergeRequestState, Origin, PostedComment, Project, Provider, ThreadState, parse_diff,
};
use crate::formats::fixture;
use crate::publish::{
    CannotPublish, Memory, Publication, PublishKey, PublishPlan, PublishPolicy, Seal, Stage, SummaryStep,
    ThreadStep, plan,
};
use crate::review::{Claim, Finding, Fingerprint, Review};

pub(super) fn oid(digit: char) -> Oid {
    Oid::parse(&digit.to_string().repeat(40)).unwrap()
}

pub(super) struct Forge {
    pub(super) provider: Provider,
    pub(super) editing: Editing,
    pub(super) request: MergeRequest,
    pub(super) diff: MergeRequestDiff,
    pub(super) comments: Vec<PostedComment>,
    pub(super) statuses: Vec<CommitStatus>,
    pub(super) policy: PublishPolicy,
    pub(super) memory: Memory,
    pub(super) patches: HashMap<Fingerprint, crate::review::Patch>,
    next: u64,
}

pub(super) const DIFF: &str = "diff --git a/src/a.rs b/src/a.rs\n--- a/src/a.rs\n+++ b/src/a.rs\n\
    @@ -1,3 +1,4 @@\n one\n+    dbg!(two);\n three\n-four\n+FOUR\n@@ -20,2 +21,3 @@\n twenty\n+more\n end\n";

impl Forge {
    pub(super) fn new(provider: Provider, diff: &str) -> Forge {
        let refs = DiffRefs { base: oid('1'), start: oid('3'), head: oid('2') };
        Forge {
            provider,
            editing: Editing::Possible,
            request: MergeRequest {
                reference: MergeRequestRef { project: Project::parse("o/r").unwrap(), number: 7 },
                title: "A change".into(),
                description: String::new(),
                state: MergeRequestState::Open,
                is_draft: false,
                url: "https://forge.example.com/o/r/7".into(),
                author: "dev".into(),
                source_branch: "topic".into(),
                target_branch: "main".into(),
                head: Some(oid('2')),
                origin: Origin::SameProject,
                diff_refs: Some(refs.clone()),
                labels: vec![],
            },
            diff: MergeRequestDiff { refs, files: parse_diff(diff).unwrap(), withheld: vec![] },
            comments: vec![],
            statuses: vec![],
            policy: PublishPolicy { check_name: "countersign".into(), most_inline: 50 },
            memory: Memory::default(),
            patches: HashMap::new(),
            next: 8,
        }
    }

    pub(super) fn push(&mut self, head: char) {
        self.request.head = Some(oid(head));
        self.diff.refs.head = oid(head);
        self.statuses.clear();
    }

    pub(super) fn plan(&self, review: &Review) -> Result<PublishPlan, CannotPublish> {
        self.plan_as(review, &ourselves())
    }

    pub(super) fn plan_as(&self, review: &Review, seal: &Seal) -> Result<PublishPlan, CannotPublish> {
        let stage = Stage {
            provider: self.provider,
            editing: self.editing,
            request: &self.request,
            diff: &self.diff,
            comments: &self.comments,
            statuses: &self.statuses,
        };
        plan(Publication { review, patches: &self.patches }, stage, seal, &self.policy, &self.memory)
    }

    pub(super) fn say(&mut self, author: &str, kind: CommentKind, body: &str) {
        let thread = match kind {
            CommentKind::Inline => ThreadState::Open,
            CommentKind::Conversation | CommentKind::Review => ThreadState::NotResolvable,
        };
        self.next += 1;
        let reference = CommentRef { id: self.next.to_string(), kind, thread: None };
        self.comments.push(PostedComment { reference, author: author.into(), body: body.into(), thread });
    }

    /// Does what is planned, up to `steps` steps of it.
    pub(super) fn apply(&mut self, plan: &PublishPlan, mut steps: usize) {
        let mut next = || {
            steps = steps.saturating_sub(1);
            steps > 0
        };
        if let Some(post) = &plan.review {
            for comment in &post.comments {
                if !next() {
                    return;
                }
                self.say("bot", CommentKind::Inline, &comment.body);
            }
            self.say("bot", CommentKind::Review, &post.body);
        }
        for settle in &plan.settle {
            let at = self.comments.iter().position(|c| c.reference == settle.comment).unwrap();
            if !next() {
                return;
            }
            if let Some(body) = &settle.body {
                self.comments[at].body.clone_from(body);
            }
            if !next() {
                return;
            }
            if settle.thread == ThreadStep::Resolve {
                self.comments[at].thread = ThreadState::Resolved;
            }
        }
        for twice in &plan.take_back {
            if !next() {
                return;
            }
            self.comments.retain(|comment| comment.reference != twice.comment);
        }
        if !next() {
            return;
        }
        match &plan.summary {
            Some(SummaryStep::Add { body }) => self.say("bot", CommentKind::Conversation, body),
            Some(SummaryStep::Edit { comment, body }) => {
                let at = self.comments.iter().position(|c| c.reference == *comment).unwrap();
                self.comments[at].body.clone_from(body);
            }
            None => {}
        }
        if next()
            && let Some(status) = &plan.status
        {
            self.statuses.retain(|there| there.name != status.name);
            self.statuses.push(status.clone());
        }
    }

    pub(super) fn publish(&mut self, review: &Review) -> PublishPlan {
        let plan = self.plan(review).unwrap();
        self.apply(&plan, usize::MAX);
        plan
    }

    /// A review of the present head that found something at these lines.
    pub(super) fn review(&self, found: &[(&str, u32)]) -> Review {
        let change = Change { scope: fixture::review().subject.scope, files: self.diff.files.clone() };
        let findings: Vec<_> = found
            .iter()
            .map(|(quote, line)| {
                let claim = Claim {
                    path: Some("src/a.rs".into()),
                    line: Some(*line),
                    quote: Some((*quote).to_owned()),
                };
                finding(claim.resolve(&change))
            })
            .collect();
        self.review_of(findings)
    }

    pub(super) fn review_of(&self, mut findings: Vec<Finding>) -> Review {
        Fingerprint::assign(&mut findings);
        let mut review = if findings.is_empty() { fixture::clean_review() } else { fixture::review() };
        review.findings = findings;
        review.suppressed.clear();
        review.subject.scope.head = crate::change::Target::Commit(self.diff.refs.head.clone());
        review
    }
}

pub(super) fn finding(place: crate::review::Place) -> Finding {
    let mut finding = fixture::review().findings.remove(0);
    finding.place = place;
    finding
}

pub(super) fn ourselves() -> Seal {
    Seal::new(Some(Identity { login: "Bot".into() }), None).unwrap()
}

pub(super) fn by_key() -> Seal {
    Seal::new(None, PublishKey::new("a key that is long enough")).unwrap()
}
