use domain::change::Oid;
use domain::cycle::Resolution;
use domain::forge::IssueKey;
use domain::mission::{CodeReviewParams, MissionIdentity, MissionMode};
use domain::review::{Review, Verdict};
use domain::text::brief_line;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::ticket::Telling;

/// Of the stored form.
pub const VERSION: u32 = 1;

/// All there is to know about one mission. Stored whole after each step.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Mission {
    pub version: u32,
    /// Empty, unless somebody asked for the same once more: then nobody else has it.
    #[serde(default, alias = "id")]
    pub again: String,
    pub key: IssueKey,
    /// From a webhook. Empty: the ticket is asked.
    #[serde(default)]
    pub description: String,
    /// What whoever started it asked for.
    #[serde(default)]
    pub asked: Option<MissionMode>,
    pub step: Step,
    #[serde(default)]
    pub params: Option<CodeReviewParams>,
    /// What there was to review when it began, if the forge said.
    #[serde(default)]
    pub at_start: Option<Oid>,
    /// What was reviewed.
    #[serde(default)]
    pub head: Option<Oid>,
    #[serde(default)]
    pub review: Option<Review>,
    /// What the reviewer was not given, one clause each.
    #[serde(default)]
    pub limits: Vec<String>,
    /// How often a review was made anew: for a push, or for recovery.
    #[serde(default)]
    pub reviews: u32,
    /// Publishing failed once, and what came after it is the recovery.
    #[serde(default)]
    pub recovering: bool,
    #[serde(default)]
    pub posted: Option<Posted>,
    #[serde(default)]
    pub broken: Option<Broken>,
    /// Whether the ticket had to be told how it ended.
    #[serde(default)]
    pub told: Option<Telling>,
    /// Why the ticket could not be told.
    #[serde(default)]
    pub unreported: Option<String>,
    /// A review of the mission before this one that still has to be posted.
    #[serde(default)]
    pub unposted: Option<UnpostedReview>,
    /// A person decided that it goes on, and it was not started since.
    #[serde(default)]
    pub awaits_start: bool,
    pub started_at: Timestamp,
    #[serde(default)]
    pub finished_at: Option<Timestamp>,
    /// Every step that was taken, for whoever audits it.
    #[serde(default)]
    pub trace: Vec<Trace>,
}

/// What has to be done next.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Step {
    Parse,
    ReportStart,
    Validate,
    Review,
    Publish,
    Report,
    ReportFailure,
    Done,
    Failed,
}

/// What became of publishing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "is", rename_all = "snake_case")]
pub enum Posted {
    Published {
        url: String,
        comments: usize,
    },
    /// The ticket gets the review instead.
    Impossible {
        reason: String,
    },
}

/// A review that the forge did not take.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct UnpostedReview {
    pub params: CodeReviewParams,
    pub head: Oid,
    pub review: Review,
    pub limits: Vec<String>,
}

/// What went wrong, for the ticket.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Broken {
    /// `looking for the branch`
    pub step: String,
    pub reason: String,
    #[serde(default)]
    pub hint: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Trace {
    pub at: Timestamp,
    pub what: String,
}

/// How a run of a mission came out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// Reviewed, and everybody told.
    Done,
    /// There is no review, and the ticket says why.
    Failed,
    /// However it went, the ticket does not know: a human has to tell it.
    Unreported,
    /// The same mission was done before, by whoever, and the ticket knows how it ended. Nothing, if that cannot be read
    /// there any more.
    Known(Option<Verdict>),
}

impl Step {
    pub const ALL: [Step; 9] = [
        Step::Parse,
        Step::ReportStart,
        Step::Validate,
        Step::Review,
        Step::Publish,
        Step::Report,
        Step::ReportFailure,
        Step::Done,
        Step::Failed,
    ];

    pub fn as_str(self) -> &'static str {
        match self {
            Step::Parse => "parse",
            Step::ReportStart => "report_start",
            Step::Validate => "validate",
            Step::Review => "review",
            Step::Publish => "publish",
            Step::Report => "report",
            Step::ReportFailure => "report_failure",
            Step::Done => "done",
            Step::Failed => "failed",
        }
    }

    /// For people: what it is busy with.
    pub fn doing(self) -> &'static str {
        match self {
            Step::Parse => "reading the ticket",
            Step::ReportStart => "reporting the start",
            Step::Validate => "looking for the merge request",
            Step::Review => "reviewing",
            Step::Publish => "publishing the review",
            Step::Report | Step::ReportFailure => "reporting the result",
            Step::Done | Step::Failed => "working on it",
        }
    }
}

impl UnpostedReview {
    pub(super) fn fits(&self, mission: &Mission, head: Option<&Oid>) -> bool {
        mission.params.as_ref() == Some(&self.params) && head == Some(&self.head) && mission.asked.is_none()
    }
}

impl Mission {
    pub fn begin(key: IssueKey, now: Timestamp) -> Mission {
        Mission {
            version: VERSION,
            again: String::new(),
            key,
            description: String::new(),
            asked: None,
            step: Step::Parse,
            params: None,
            at_start: None,
            head: None,
            review: None,
            limits: Vec::new(),
            reviews: 0,
            recovering: false,
            posted: None,
            broken: None,
            told: None,
            unreported: None,
            unposted: None,
            awaits_start: false,
            started_at: now,
            finished_at: None,
            trace: Vec::new(),
        }
    }

    /// The mode that is demanded. Nothing leaves the choice to the size of the change.
    pub fn mode(&self) -> Option<MissionMode> {
        if self.recovering {
            return Some(MissionMode::AgenticActLoop);
        }
        self.asked.or(self.params.as_ref().and_then(|params| params.mode))
    }

    pub fn is_over(&self) -> bool {
        matches!(self.step, Step::Done | Step::Failed)
    }

    /// What can be decided about one that waits for a person.
    pub const OPTIONS: [Resolution; 2] = [Resolution::Accept, Resolution::OneMore];

    /// It is over, and its ticket does not know how it ended.
    pub fn is_unreported(&self) -> bool {
        self.is_over() && self.unreported.is_some()
    }

    /// Its ticket knows that it began, and it is not over. If no process works on it, it was interrupted.
    pub fn is_under_way(&self) -> bool {
        !self.is_over() && !matches!(self.step, Step::Parse | Step::ReportStart) && !self.awaits_start
    }

    /// What the next mission of the same ticket posts, if it is about the same commit.
    pub fn into_unposted(self) -> Option<UnpostedReview> {
        let refused = self.is_over() && matches!(self.posted, Some(Posted::Impossible { .. }));
        let review = self.review.filter(|review| refused && review.verdict() != Verdict::Inconclusive)?;
        Some(UnpostedReview { params: self.params?, head: self.head?, review, limits: self.limits })
    }

    /// A person's word: they have told the ticket, or the next run goes on.
    pub fn resolve(&mut self, resolution: Resolution, by: &str, note: &str, now: Timestamp) {
        match (resolution, self.is_over()) {
            (Resolution::OneMore, true) => {
                self.step = if self.broken.is_some() { Step::ReportFailure } else { Step::Report };
                self.finished_at = None;
                self.awaits_start = true;
            }
            (Resolution::OneMore, false) => self.awaits_start = true,
            (Resolution::Accept | Resolution::Close | Resolution::Block, true) => {}
            (Resolution::Accept | Resolution::Close | Resolution::Block, false) => {
                self.broke(self.step.doing(), format!("{by} ended it"), "");
                self.step = Step::Failed;
                self.finished_at = Some(now);
            }
        }
        self.unreported = None;
        self.note(now, brief_line(&format!("{by} decided: {} {note}", resolution.as_str())));
    }

    /// Before it is reviewed. A push makes another one of it.
    pub(super) fn as_begun(&self) -> MissionIdentity<'_> {
        MissionIdentity {
            key: &self.key,
            params: self.params.as_ref(),
            head: self.at_start.as_ref(),
            again: &self.again,
        }
    }

    /// By what was reviewed in the end.
    pub(super) fn as_ended(&self) -> MissionIdentity<'_> {
        MissionIdentity { head: self.head.as_ref().or(self.at_start.as_ref()), ..self.as_begun() }
    }

    pub(super) fn note(&mut self, at: Timestamp, what: impl Into<String>) {
        self.trace.push(Trace { at, what: what.into() });
    }

    pub(super) fn broke(&mut self, step: &str, reason: impl Into<String>, hint: impl Into<String>) {
        self.broken = Some(Broken { step: step.to_owned(), reason: reason.into(), hint: hint.into() });
        self.step = Step::ReportFailure;
    }
}
