use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;

use domain::change::{Oid, Scope, Side, Target};
use domain::config::{EarlyStop, LateFindings};
use domain::cycle::{Backoff, Limits};
use domain::gate::{Criterion, Decision};
use domain::ports::AuthorReport;
use domain::review::{
    Anchor, Confidence, Coverage, Finding, Fingerprint, JUDGED, Place, Review, Subject, Trouble, Usage,
    Verdict,
};
use domain::words::{Category, Severity};
use jiff::Timestamp;

use crate::story::*;

/// What the next review finds: code lines with their severities, or nothing that can be relied on.
pub(super) enum Says {
    Finds(Vec<(&'static str, Severity)>),
    /// What a model says, all of it of the same line.
    Judges(Vec<(&'static str, Severity)>),
    ProvesNothing,
}

pub(super) struct Stage {
    pub(super) reviews: RefCell<VecDeque<Says>>,
    pub(super) fixes: RefCell<VecDeque<Fixed>>,
    pub(super) checks: RefCell<VecDeque<Checked>>,
    pub(super) publications: RefCell<VecDeque<Published>>,
    pub(super) documents: RefCell<BTreeMap<u32, String>>,
    /// What was done, in order; what the fixer was given beside it.
    pub(super) done: RefCell<Vec<String>>,
    pub(super) given: RefCell<Vec<String>>,
    /// As it would be read back from disk.
    pub(super) saved: RefCell<Vec<String>>,
    pub(super) touched: RefCell<Touched>,
    /// Dies instead of the save with this number.
    pub(super) dies_at: Cell<Option<usize>>,
    clock: Cell<i64>,
}

pub(super) fn oid(number: usize) -> Oid {
    Oid::parse(&format!("{number:040x}")).unwrap()
}

pub(super) fn stage(reviews: Vec<Says>) -> Stage {
    Stage {
        reviews: RefCell::new(reviews.into()),
        fixes: RefCell::default(),
        checks: RefCell::default(),
        publications: RefCell::default(),
        documents: RefCell::default(),
        done: RefCell::default(),
        given: RefCell::default(),
        saved: RefCell::default(),
        touched: RefCell::default(),
        dies_at: Cell::new(None),
        clock: Cell::new(1_700_000_000),
    }
}

pub(super) fn finds(code: &[&'static str]) -> Says {
    Says::Finds(code.iter().map(|code| (*code, Severity::Major)).collect())
}

pub(super) fn story() -> Story {
    story_with(EarlyStop::Escalate, LateFindings::Block)
}

pub(super) fn story_with(early_stop: EarlyStop, late_findings: LateFindings) -> Story {
    let order = Order {
        story_id: "1.2".into(),
        title: "Log in".into(),
        story_file: None,
        story_text: "# Log in\n".into(),
        branch: "topic".into(),
        base: "origin/main".into(),
        base_tip: oid(0),
        reviewer: "qa".into(),
        fixer: "engineer".into(),
        documents: "docs/progress".into(),
        early_stop,
        late_findings,
    };
    let backoff = Backoff { first_seconds: 0, ceiling_seconds: 0 };
    let limits = Limits { max_retries: 1, backoff, ..Limits::default() };
    Story::begin("topic-1".into(), order, limits, Timestamp::UNIX_EPOCH).unwrap()
}

pub(super) fn report(summary: &str) -> AuthorReport {
    AuthorReport { summary: summary.into(), ..AuthorReport::default() }
}

impl Stage {
    pub(super) fn run(&self, story: &mut Story) -> Result<Ended, Halt> {
        run(story, self)
    }

    /// Goes on from what was saved last, as after a crash.
    pub(super) fn last_saved(&self) -> Story {
        serde_json::from_str(self.saved.borrow().last().unwrap()).unwrap()
    }

    pub(super) fn did(&self) -> String {
        self.done.borrow().join(" ")
    }

    fn note(&self, what: &str) {
        self.done.borrow_mut().push(what.to_owned());
    }
}

fn finding(code: &str, line: u32, severity: Severity) -> Finding {
    Finding {
        rule: "r".into(),
        severity,
        category: Category::Correctness,
        dimension: Category::Correctness.dimension(),
        confidence: Confidence::High,
        place: Place::Lines(Anchor {
            path: "src/a.rs".into(),
            side: Side::New,
            start: line,
            end: line,
            text: code.into(),
        }),
        message: format!("{code} is wrong"),
        impact: String::new(),
        suggestion: String::new(),
        fingerprint: Fingerprint::default(),
    }
}

fn judged(said: &str, severity: Severity) -> Finding {
    Finding { rule: JUDGED.into(), message: said.into(), ..finding("return a - b", 5, severity) }
}

fn review(says: &Says, at: Timestamp) -> Review {
    let (mut findings, troubles) = match says {
        Says::Finds(found) => {
            let found = found.iter().zip(1..).map(|((code, severity), line)| finding(code, line, *severity));
            (found.collect::<Vec<_>>(), vec![])
        }
        Says::Judges(said) => (said.iter().map(|(said, severity)| judged(said, *severity)).collect(), vec![]),
        Says::ProvesNothing => (vec![], vec![Trouble { kind: "cut_off".into(), message: "cut off".into() }]),
    };
    Fingerprint::assign(&mut findings);
    let verdict = if troubles.is_empty() { Verdict::Pass } else { Verdict::Inconclusive };
    let conclusive = Criterion {
        name: "conclusive".into(),
        required: "everything seen".into(),
        actual: "cut off".into(),
        met: troubles.is_empty(),
    };
    Review {
        subject: Subject {
            id: "1.2".into(),
            scope: Scope {
                base: None,
                base_name: "origin/main".into(),
                head: Target::Commit(oid(1)),
                head_name: "topic".into(),
                notes: vec![],
            },
            revision_count: 0,
        },
        reviewer: "qa".into(),
        policy: String::new(),
        reviewed_at: at,
        findings,
        suppressed: vec![],
        troubles,
        coverage: Coverage::default(),
        decision: Decision {
            verdict,
            overall_score: 0,
            dimension_scores: vec![],
            criteria: vec![conclusive],
            fail_on: Severity::Major,
            corrected: None,
        },
        remarks: vec![],
        revision_notes: None,
        usage: Some(Usage { calls: 1, ..Usage::default() }),
        posting: None,
        patches: Default::default(),
    }
}

impl World for Stage {
    fn now(&self) -> Timestamp {
        Timestamp::from_second(self.clock.get()).unwrap()
    }

    fn is_stopped(&self) -> bool {
        false
    }

    fn wait_until(&self, moment: Timestamp) {
        self.clock.set(moment.as_second().max(self.clock.get()));
    }

    fn tell(&self, _: &Moment<'_>) {}

    fn save(&self, story: &Story) -> Result<(), Halt> {
        if self.dies_at.get() == Some(self.saved.borrow().len()) {
            self.dies_at.set(None);
            return Err(Halt::Stopped);
        }
        self.saved.borrow_mut().push(serde_json::to_string(story).unwrap());
        Ok(())
    }

    fn review(&self, _: &Story) -> Result<Reviewed, Halt> {
        self.note("review");
        let says = self.reviews.borrow_mut().pop_front().expect("a review too many");
        let head = oid(self.done.borrow().len());
        Ok(Reviewed { review: review(&says, self.now()), head, took: Duration::ZERO, remarks: vec![] })
    }

    fn touched(&self, _: &Oid, _: &Oid) -> Result<Touched, Halt> {
        Ok(self.touched.borrow().clone())
    }

    fn write_document(&self, _: &Story, round: u32, text: &str) -> Result<(), Halt> {
        self.documents.borrow_mut().insert(round, text.to_owned());
        Ok(())
    }

    fn clear_document(&self, _: &Story, round: u32) -> Result<(), Halt> {
        self.documents.borrow_mut().remove(&round);
        Ok(())
    }

    fn document_path(&self, _: &Story, round: u32) -> String {
        format!("docs/{round}.md")
    }

    fn read_document(&self, _: &Story, round: u32) -> Result<Option<String>, Halt> {
        Ok(self.documents.borrow().get(&round).cloned())
    }

    fn fix(&self, _: &Story, job: &FixJob<'_>) -> Result<Fixed, Halt> {
        self.note("fix");
        let refused = job.refused.map(|reason| format!(" after {reason}")).unwrap_or_default();
        let given: Vec<_> = job.document.findings().map(|finding| finding.description.clone()).collect();
        self.given.borrow_mut().push(given.join(", ") + &refused);
        let changed = Fixed::Changed {
            start: oid(1),
            commit: oid(2),
            patch: "+ a fix\n".into(),
            report: report("Addressed: 1"),
            took: Duration::from_secs(2),
        };
        Ok(self.fixes.borrow_mut().pop_front().unwrap_or(changed))
    }

    fn check(&self, _: &Story, _: &Fix) -> Result<Checked, Halt> {
        self.note("check");
        Ok(self.checks.borrow_mut().pop_front().unwrap_or(Checked::Fine))
    }

    fn publish(&self, _: &Story, _: &Fix) -> Result<Published, Halt> {
        self.note("publish");
        Ok(self.publications.borrow_mut().pop_front().unwrap_or(Published::Done))
    }
}
