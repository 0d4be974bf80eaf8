//! A forge in memory that loses answers, hangs, refuses lines and lists late.

use std::collections::{BTreeSet, HashMap};
use std::future::pending;
use std::sync::{Mutex, MutexGuard};

use domain::change::{Change, Oid, Scope, Side, Target};
use domain::forge::{
    Branch, CommentKind, CommentRef, CommitStatus, CreatedMergeRequest, DiffRefs, Editing, Identity,
    InlineComment, MergeRequest, MergeRequestDiff, MergeRequestRef, MergeRequestState, NewMergeRequest,
    Origin, PostedComment, Project, Provider, Published, RefusedComment, ReviewPost, ThreadState, parse_diff,
};
use domain::gate::{GatePolicy, decide};
use domain::ports::{Happened, PortError, PortErrorKind, VcsPort};
use domain::publish::{Publication, PublishPolicy};
use domain::review::{
    Anchor, Confidence, Coverage, Finding, Fingerprint, JUDGED, Place, Review, Subject, score,
};
use domain::tools::McpTool;
use domain::words::{Category, Severity};
use serde_json::Value;

use crate::publish::{LocalTurns, Patience, PublishError, PublishOutcome, Publisher};

/// What goes wrong with a writing call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fault {
    /// It takes effect, and the answer never comes.
    Lost,
    /// It takes no effect.
    Down,
    /// The publisher is killed before it, or after it.
    KilledBefore,
    KilledAfter,
    /// Somebody pushes before it.
    Pushed,
    /// It is to be repeated in a minute.
    Limited,
    /// It takes long, and less than a claim lives.
    Held,
}

#[derive(Default)]
pub(crate) struct State {
    pub(crate) comments: Vec<PostedComment>,
    pub(crate) statuses: Vec<CommitStatus>,
    pub(crate) reviews: usize,
    writes: usize,
    numbered: usize,
    lists: usize,
    pub(crate) head: char,
}

pub(crate) struct Forge {
    pub(crate) provider: Provider,
    /// By the number of the writing call, from 1.
    pub(crate) faults: HashMap<usize, Fault>,
    /// New lines that are refused.
    pub(crate) bad_lines: BTreeSet<u32>,
    /// Has no tool to delete anything.
    pub(crate) keeps_everything: bool,
    /// Up to how many milliseconds every call takes, before and after its effect.
    pub(crate) slowness: u64,
    /// How many lists come before a comment is listed.
    pub(crate) lists_late_by: usize,
    state: Mutex<State>,
    posted_at: Mutex<HashMap<String, usize>>,
    dice: Mutex<u64>,
}

const DIFF: &str = "diff --git a/a.rs b/a.rs\nnew file mode 100644\n--- /dev/null\n+++ b/a.rs\n@@ -0,0 +1,5 @@\n+1\n+2\n+3\n+4\n+5\n";

pub(crate) fn oid(digit: char) -> Oid {
    Oid::parse(&digit.to_string().repeat(40)).unwrap()
}

pub(crate) fn request() -> MergeRequestRef {
    MergeRequestRef { project: Project::parse("o/r").unwrap(), number: 7 }
}

impl Forge {
    pub(crate) fn new(provider: Provider) -> Forge {
        Forge {
            provider,
            faults: HashMap::new(),
            bad_lines: BTreeSet::new(),
            keeps_everything: false,
            slowness: 0,
            lists_late_by: 0,
            dice: Mutex::new(0),
            state: Mutex::new(State { head: '2', ..State::default() }),
            posted_at: Mutex::new(HashMap::new()),
        }
    }

    pub(crate) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap()
    }

    pub(crate) fn push(&self, head: char) {
        self.state().head = head;
    }

    fn error(kind: PortErrorKind) -> PortError {
        PortError::new(kind, "write", "as the test wants it", "")
    }

    /// Makes for another order of events, and always the same one.
    pub(crate) fn shuffled(self, seed: u64) -> Forge {
        *self.dice.lock().unwrap() = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
        self
    }

    async fn dawdle(&self) {
        if self.slowness == 0 {
            return;
        }
        let time = {
            let mut dice = self.dice.lock().unwrap();
            *dice ^= *dice << 13;
            *dice ^= *dice >> 7;
            *dice ^= *dice << 17;
            *dice % self.slowness
        };
        tokio::time::sleep(std::time::Duration::from_millis(time)).await;
    }

    async fn write<A>(&self, effect: impl FnOnce(&mut State) -> A) -> Result<A, PortError> {
        self.dawdle().await;
        let written = self.write_now(effect).await;
        self.dawdle().await;
        written
    }

    async fn write_now<A>(&self, effect: impl FnOnce(&mut State) -> A) -> Result<A, PortError> {
        let fault = {
            let mut state = self.state();
            state.writes += 1;
            self.faults.get(&state.writes).copied()
        };
        match fault {
            None => Ok(effect(&mut self.state())),
            Some(Fault::Lost) => {
                effect(&mut self.state());
                Err(Forge::error(PortErrorKind::Unavailable(Happened::Maybe)))
            }
            Some(Fault::Limited) => {
                let retry_after = Some(std::time::Duration::from_secs(60));
                Err(Forge::error(PortErrorKind::RateLimited { retry_after }))
            }
            Some(Fault::Held) => {
                tokio::time::sleep(std::time::Duration::from_secs(15)).await;
                Ok(effect(&mut self.state()))
            }
            Some(Fault::Down) => Err(Forge::error(PortErrorKind::Unavailable(Happened::Not))),
            Some(Fault::KilledBefore) => pending().await,
            Some(Fault::KilledAfter) => {
                effect(&mut self.state());
                pending().await
            }
            Some(Fault::Pushed) => {
                self.push('9');
                Err(Forge::error(PortErrorKind::Rejected))
            }
        }
    }

    fn post(&self, state: &mut State, kind: CommentKind, body: &str) {
        let thread = match kind {
            CommentKind::Inline => ThreadState::Open,
            CommentKind::Conversation | CommentKind::Review => ThreadState::NotResolvable,
        };
        state.numbered += 1;
        let id = state.numbered.to_string();
        self.posted_at.lock().unwrap().insert(id.clone(), state.lists);
        let reference = CommentRef { id, kind, thread: None };
        state.comments.push(PostedComment { reference, author: "bot".into(), body: body.into(), thread });
    }

    fn is_bad(&self, comment: &InlineComment) -> bool {
        self.bad_lines.contains(&comment.place.end.new)
    }

    /// Of what a publisher left: open comments on findings, and open summaries.
    pub(crate) fn open(&self, kind: &str) -> usize {
        let marker = format!("<!-- countersign:{kind} ");
        let is_open =
            |body: &str| body.starts_with(&marker) && body.lines().next().unwrap().contains("state=open");
        self.state().comments.iter().filter(|comment| is_open(&comment.body)).count()
    }

    pub(crate) async fn publish(&self, lines: &[u32]) -> Result<PublishOutcome, PublishError> {
        self.publish_as(lines, &LocalTurns::default()).await
    }

    pub(crate) async fn publish_as(
        &self,
        lines: &[u32],
        turns: &LocalTurns,
    ) -> Result<PublishOutcome, PublishError> {
        let review = review(self.state().head, lines);
        self.publish_review(&review, turns).await
    }

    /// What a model says that sees what the rules see.
    pub(crate) async fn publish_model(&self, lines: &[u32]) -> Result<PublishOutcome, PublishError> {
        let mut review = review(self.state().head, lines);
        review.findings.iter_mut().for_each(|finding| finding.rule = JUDGED.into());
        review.coverage.files.iter_mut().for_each(|file| file.see("claude"));
        self.publish_review(&review, &LocalTurns::default()).await
    }

    async fn publish_review(
        &self,
        review: &Review,
        turns: &LocalTurns,
    ) -> Result<PublishOutcome, PublishError> {
        let publisher = Publisher {
            vcs: self,
            turns,
            policy: PublishPolicy { check_name: "countersign".into(), most_inline: 50 },
            key: None,
            patience: Patience::default(),
            waits: &|_, _| {},
        };
        publisher.publish(&request(), Publication { review, patches: &HashMap::new() }).await
    }
}

pub(crate) fn review(head: char, lines: &[u32]) -> Review {
    let mut findings: Vec<_> = lines
        .iter()
        .map(|line| Finding {
            rule: "stub".into(),
            severity: Severity::High,
            category: Category::Correctness,
            dimension: Category::Correctness.dimension(),
            confidence: Confidence::High,
            place: Place::Lines(Anchor {
                path: "a.rs".into(),
                side: Side::New,
                start: *line,
                end: *line,
                text: line.to_string(),
            }),
            message: format!("line {line} is a stub"),
            impact: String::new(),
            suggestion: String::new(),
            fingerprint: Fingerprint::default(),
        })
        .collect();
    Fingerprint::assign(&mut findings);
    let policy = GatePolicy::default();
    let dimensions: Vec<_> = policy.dimensions().into_iter().map(|(dimension, ..)| dimension).collect();
    let decision = decide(&policy, &findings, &score(&dimensions, &findings, policy.fail_on), &[], None);
    let scope = Scope {
        base: Some(oid('1')),
        base_name: "main".into(),
        head: Target::Commit(oid(head)),
        head_name: "topic".into(),
        notes: vec![],
    };
    let change = Change { scope: scope.clone(), files: parse_diff(DIFF).unwrap() };
    let mut coverage = Coverage::plan(&change);
    coverage.files.iter_mut().for_each(|file| file.see("rules"));
    Review {
        subject: Subject { id: "topic".into(), scope, revision_count: 0 },
        reviewer: "rules".into(),
        policy: "default".into(),
        reviewed_at: "2026-02-03T10:00:00Z".parse().unwrap(),
        findings,
        suppressed: vec![],
        troubles: vec![],
        coverage,
        decision,
        remarks: vec![],
        revision_notes: None,
        usage: None,
        posting: None,
        patches: Default::default(),
    }
}

impl VcsPort for Forge {
    fn provider(&self) -> Provider {
        self.provider
    }

    fn editing(&self) -> Editing {
        Editing::Possible
    }

    async fn get_identity(&self) -> Result<Option<Identity>, PortError> {
        Ok(Some(Identity { login: "bot".into() }))
    }

    async fn get_branch(&self, _: &Project, name: &str) -> Result<Option<Branch>, PortError> {
        Ok((name == "topic").then(|| Branch { name: name.to_owned(), head: oid(self.state().head) }))
    }

    async fn get_merge_request(
        &self,
        reference: &MergeRequestRef,
    ) -> Result<Option<MergeRequest>, PortError> {
        Ok(Some(MergeRequest {
            reference: reference.clone(),
            title: String::new(),
            description: String::new(),
            state: MergeRequestState::Open,
            is_draft: false,
            url: "https://forge.example.com/o/r/-/merge_requests/7".into(),
            author: "dev".into(),
            source_branch: "topic".into(),
            target_branch: "main".into(),
            head: Some(oid(self.state().head)),
            origin: Origin::SameProject,
            diff_refs: None,
            labels: vec![],
        }))
    }

    async fn find_merge_request(&self, _: &Project, _: &str) -> Result<Option<MergeRequest>, PortError> {
        Ok(None)
    }

    async fn get_merge_request_diff(&self, _: &MergeRequestRef) -> Result<MergeRequestDiff, PortError> {
        let refs = DiffRefs { base: oid('1'), start: oid('1'), head: oid(self.state().head) };
        Ok(MergeRequestDiff { refs, files: parse_diff(DIFF).unwrap(), withheld: vec![] })
    }

    async fn create_merge_request(&self, _: &NewMergeRequest) -> Result<CreatedMergeRequest, PortError> {
        Err(Forge::error(PortErrorKind::MissingTool))
    }

    async fn get_comments(&self, _: &MergeRequestRef) -> Result<Vec<PostedComment>, PortError> {
        self.dawdle().await;
        let listed = {
            let mut state = self.state();
            state.lists += 1;
            let posted_at = self.posted_at.lock().unwrap();
            let listed = |comment: &&PostedComment| {
                posted_at[&comment.reference.id] + self.lists_late_by < state.lists
            };
            state.comments.iter().filter(listed).cloned().collect()
        };
        self.dawdle().await;
        Ok(listed)
    }

    async fn publish_review(&self, _: &MergeRequestRef, post: &ReviewPost) -> Result<Published, PortError> {
        let (bad, good): (Vec<_>, Vec<_>) = post.comments.iter().partition(|comment| self.is_bad(comment));
        if self.provider == Provider::Github && !bad.is_empty() {
            return Err(Forge::error(PortErrorKind::Rejected));
        }
        self.write(|state| {
            good.iter().for_each(|comment| self.post(state, CommentKind::Inline, &comment.body));
            self.post(state, CommentKind::Review, &post.body);
            state.reviews += 1;
        })
        .await?;
        let refused = bad.iter().map(|comment| RefusedComment {
            fingerprint: comment.fingerprint.clone(),
            reason: "line_code".into(),
        });
        Ok(Published { refused: refused.collect() })
    }

    async fn add_inline_comment(
        &self,
        _: &MergeRequestRef,
        _: &DiffRefs,
        comment: &InlineComment,
    ) -> Result<(), PortError> {
        if self.is_bad(comment) {
            return Err(Forge::error(PortErrorKind::Rejected));
        }
        self.write(|state| self.post(state, CommentKind::Inline, &comment.body)).await
    }

    async fn add_comment(&self, _: &MergeRequestRef, body: &str) -> Result<(), PortError> {
        self.write(|state| self.post(state, CommentKind::Conversation, body)).await
    }

    async fn edit_comment(
        &self,
        _: &MergeRequestRef,
        comment: &CommentRef,
        body: &str,
    ) -> Result<(), PortError> {
        let edited = self.write(|state| {
            let found = state.comments.iter_mut().find(|there| there.reference == *comment);
            found.map(|found| body.clone_into(&mut found.body))
        });
        edited.await?.ok_or_else(|| Forge::error(PortErrorKind::NotFound))
    }

    async fn delete_comment(&self, _: &MergeRequestRef, comment: &CommentRef) -> Result<(), PortError> {
        if self.keeps_everything {
            return Err(Forge::error(PortErrorKind::MissingTool));
        }
        self.write(|state| state.comments.retain(|there| there.reference != *comment)).await
    }

    async fn resolve_thread(&self, _: &MergeRequestRef, comment: &CommentRef) -> Result<(), PortError> {
        self.write(|state| {
            let found = state.comments.iter_mut().find(|there| there.reference == *comment).unwrap();
            found.thread = ThreadState::Resolved;
        })
        .await
    }

    async fn get_statuses(&self, _: &Project, commit: &Oid) -> Result<Vec<CommitStatus>, PortError> {
        Ok(self.state().statuses.iter().filter(|status| status.commit == *commit).cloned().collect())
    }

    async fn set_status(&self, _: &Project, status: &CommitStatus) -> Result<(), PortError> {
        self.write(|state| state.statuses.push(status.clone())).await
    }

    async fn get_mcp_tools(&self) -> Result<Vec<McpTool>, PortError> {
        Ok(vec![])
    }

    async fn execute_tool(&self, _: &str, _: &Value) -> Result<String, PortError> {
        Err(Forge::error(PortErrorKind::MissingTool))
    }
}
