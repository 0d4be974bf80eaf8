use std::collections::{BTreeMap, VecDeque};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicUsize, Ordering};
use std::time::Duration;

use domain::change::{Oid, Scope, Target};
use domain::cycle::{Backoff, Limits};
use domain::epic::TicketId;
use domain::epic::run::{EpicOrder, EpicRun, Merging, StoredEpic, TicketOrder, TicketRun};
use domain::formats::contexts::TestSuiteStatus;
use domain::gate::{GatePolicy, decide};
use domain::ports::AuthorReport;
use domain::review::{
    Confidence, Coverage, Finding, Fingerprint, Place, Review, Subject, Trouble, Usage, Verdict, score,
};
use domain::words::{Category, Dimension, Severity};
use jiff::Timestamp;

use crate::epic::*;

/// What a reviewer says next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Says {
    Pass,
    Fail,
    ProvesNothing,
    /// It fails the work and gives no reason.
    FailsWithoutReason,
    OfAnotherCommit,
}

/// A world in which everything happens as it was written down, and then well.
pub(super) struct Stage {
    pub(super) bases: Mutex<VecDeque<Based>>,
    pub(super) builds: Mutex<VecDeque<Built>>,
    pub(super) validations: Mutex<VecDeque<Validated>>,
    pub(super) reviews: Mutex<VecDeque<Says>>,
    pub(super) merges: Mutex<VecDeque<MergeMade>>,
    /// Chosen for whatever was not written down: nothing but good if empty.
    pub(super) luck: Mutex<VecDeque<u8>>,
    /// What people were told of tickets.
    pub(super) told: Mutex<Vec<String>>,
    /// What was done, in order.
    pub(super) done: Mutex<Vec<String>>,
    /// As a store would have it.
    pub(super) stored: Mutex<Option<StoredEpic>>,
    /// Functions that were agreed on and are nowhere.
    pub(super) undefined: Mutex<Vec<String>>,
    /// What is wrong with the epic branch, once.
    pub(super) branch_stop: Mutex<Option<String>>,
    pub(super) dies_at: Option<usize>,
    pub(super) stop: AtomicBool,
    saves: AtomicUsize,
    clock: AtomicI64,
    commits: AtomicUsize,
}

pub(super) fn oid(number: usize) -> Oid {
    Oid::parse(&format!("{number:040x}")).unwrap()
}

pub(super) fn report(said: &str) -> AuthorReport {
    let usage = Usage { calls: 1, input_tokens: 60, output_tokens: 40, cost_micro_usd: Some(1000) };
    AuthorReport { summary: said.to_owned(), usage: Some(usage), ..AuthorReport::default() }
}

pub(super) const TOOK: Duration = Duration::from_secs(1);

impl Stage {
    pub(super) fn new() -> Stage {
        Stage {
            bases: Mutex::default(),
            builds: Mutex::default(),
            validations: Mutex::default(),
            reviews: Mutex::default(),
            merges: Mutex::default(),
            luck: Mutex::default(),
            told: Mutex::default(),
            done: Mutex::default(),
            stored: Mutex::default(),
            undefined: Mutex::default(),
            branch_stop: Mutex::default(),
            dies_at: None,
            stop: AtomicBool::new(false),
            saves: AtomicUsize::new(0),
            clock: AtomicI64::new(1_700_000_000),
            commits: AtomicUsize::new(100),
        }
    }

    pub(super) fn reviewed(says: &[Says]) -> Stage {
        let stage = Stage::new();
        *stage.reviews.lock().unwrap() = says.iter().copied().collect();
        stage
    }

    /// Goes round and round.
    fn luck(&self) -> u8 {
        let mut luck = self.luck.lock().unwrap();
        let Some(next) = luck.pop_front() else { return 0 };
        luck.push_back(next);
        next
    }

    pub(super) fn commit(&self) -> Oid {
        oid(self.commits.fetch_add(1, Ordering::SeqCst))
    }

    fn did(&self, ticket: &TicketRun, what: &str) {
        self.done.lock().unwrap().push(format!("{} {what}", ticket.id));
    }

    pub(super) fn count(&self, what: &str) -> usize {
        self.done.lock().unwrap().iter().filter(|done| done.ends_with(what)).count()
    }

    /// Runs what is stored, or what is handed in.
    pub(super) fn run(&self, ground: &Ground) -> (StoredEpic, Result<Ended, Halt>) {
        let fresh = begin(ground, oid(1), Timestamp::from_second(1_700_000_000).unwrap()).unwrap();
        let mut stored = self.stored.lock().unwrap().get_or_insert(fresh).clone();
        let ended = run(&mut stored, ground, self);
        (stored, ended)
    }

    fn survives(&self) -> Result<(), Halt> {
        match self.dies_at == Some(self.saves.fetch_add(1, Ordering::SeqCst)) {
            true => Err(Halt::Failed { what: "killed".to_owned(), hint: String::new() }),
            false => Ok(()),
        }
    }
}

impl World for Stage {
    fn now(&self) -> Timestamp {
        Timestamp::from_second(self.clock.fetch_add(1, Ordering::SeqCst)).unwrap()
    }

    fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::SeqCst)
    }

    fn tell(&self, moment: &TicketMoment<'_>) {
        let about = moment.ticket.map_or("epic", |ticket| ticket.id.as_str());
        self.told.lock().unwrap().push(format!("{about} {}", moment.text));
    }

    fn save(&self, ticket: &TicketRun, _: &str) -> Result<(), Halt> {
        self.survives()?;
        // As read back.
        let text = serde_json::to_string(ticket).unwrap();
        let read: TicketRun = serde_json::from_str(&text).unwrap();
        assert_eq!(&read, ticket, "it is stored as it is");
        let mut stored = self.stored.lock().unwrap();
        let place = stored.as_mut().unwrap().tickets.iter_mut().find(|known| known.id == ticket.id).unwrap();
        assert_eq!(ticket.version, place.version + 1, "nobody else changed it");
        *place = read;
        Ok(())
    }

    fn save_epic(&self, run: &EpicRun, _: &str) -> Result<(), Halt> {
        self.survives()?;
        self.stored.lock().unwrap().as_mut().unwrap().run = run.clone();
        Ok(())
    }

    fn branch_stop(&self) -> Result<Option<String>, Halt> {
        Ok(self.branch_stop.lock().unwrap().take())
    }

    fn base(&self, ticket: &TicketRun, _: &[Oid]) -> Result<Based, Halt> {
        self.did(ticket, "base");
        Ok(self.bases.lock().unwrap().pop_front().unwrap_or(Based::At(oid(1))))
    }

    fn build(&self, job: &BuildJob<'_>) -> Result<Built, Halt> {
        self.did(job.ticket, "build");
        if let Some(built) = self.builds.lock().unwrap().pop_front() {
            return Ok(built);
        }
        let (report, took) = (report("Done."), TOOK);
        Ok(match self.luck() % 6 {
            1 => Built::Unchanged { report, took },
            2 => Built::Failed { reason: "it crashed".to_owned(), took },
            3 => Built::Refused { reason: "it did what it may not".to_owned(), report, took },
            _ => Built::Changed { base: job.base.clone(), commit: self.commit(), report, took },
        })
    }

    fn place_branch(&self, _: &TicketRun) -> Result<Placed, Halt> {
        Ok(match self.luck() % 8 {
            1 => Placed::Lost,
            _ => Placed::AtTheWork,
        })
    }

    fn validate(&self, ticket: &TicketRun) -> Result<Validated, Halt> {
        self.did(ticket, "validate");
        if let Some(validated) = self.validations.lock().unwrap().pop_front() {
            return Ok(validated);
        }
        Ok(match self.luck() % 6 {
            1 => Validated::Failed { reason: "red".to_owned() },
            _ => Validated::Passed { tests: TestSuiteStatus::Passing },
        })
    }

    fn review(&self, ticket: &TicketRun) -> Result<Reviewed, Halt> {
        self.did(ticket, "review");
        let says = self.reviews.lock().unwrap().pop_front().unwrap_or(match self.luck() % 8 {
            1 | 5 => Says::Fail,
            2 => Says::ProvesNothing,
            3 => Says::FailsWithoutReason,
            4 => Says::OfAnotherCommit,
            _ => Says::Pass,
        });
        Ok(Reviewed { review: review(says, ticket, self.now()), took: TOOK })
    }

    fn undefined(&self, _: &[TicketRun]) -> Result<Vec<String>, Halt> {
        Ok(self.undefined.lock().unwrap().clone())
    }

    fn make_merge(&self, ticket: &TicketRun, _: &Oid) -> Result<MergeMade, Halt> {
        self.did(ticket, "merge");
        if let Some(made) = self.merges.lock().unwrap().pop_front() {
            return Ok(made);
        }
        Ok(match self.luck() % 8 {
            4 => MergeMade::Moved { what: "it was moved".to_owned() },
            1 => MergeMade::Conflict { files: vec!["a".to_owned()] },
            2 => MergeMade::Refused { reason: "red".to_owned() },
            3 => MergeMade::AlreadyIn { tip: oid(7) },
            _ => MergeMade::Made { from: oid(1), commit: self.commit() },
        })
    }

    fn publish_merge(&self, _: &Oid, _: &Oid) -> Result<MergePublished, Halt> {
        Ok(MergePublished::Done)
    }
}

fn review(says: Says, ticket: &TicketRun, now: Timestamp) -> Review {
    let findings = match says {
        Says::Fail => vec![finding()],
        Says::Pass | Says::ProvesNothing | Says::FailsWithoutReason | Says::OfAnotherCommit => vec![],
    };
    let trouble = |kind: &str| vec![Trouble { kind: kind.to_owned(), message: format!("it is {kind}") }];
    let troubles = match says {
        Says::ProvesNothing => trouble("cut_off"),
        Says::FailsWithoutReason => trouble("unexplained"),
        Says::Pass | Says::Fail | Says::OfAnotherCommit => vec![],
    };
    let head = match says {
        Says::OfAnotherCommit => oid(0xbad),
        Says::Pass | Says::Fail | Says::ProvesNothing | Says::FailsWithoutReason => {
            ticket.final_commit.clone().unwrap()
        }
    };
    let gate = GatePolicy::default();
    let dimensions: Vec<Dimension> = gate.dimensions().into_iter().map(|(dimension, ..)| dimension).collect();
    let scores = score(&dimensions, &findings, gate.fail_on);
    let decision = decide(&gate, &findings, &scores, &troubles, Some(Verdict::Pass));
    Review {
        subject: Subject {
            id: ticket.id.to_string(),
            scope: Scope {
                base: ticket.base_commit.clone(),
                base_name: "epic/e".to_owned(),
                head: Target::Commit(head),
                head_name: ticket.branch(),
                notes: vec![],
            },
            revision_count: ticket.cycle.revision_count(),
        },
        reviewer: "qa".to_owned(),
        policy: "the default policy".to_owned(),
        reviewed_at: now,
        findings,
        suppressed: vec![],
        troubles,
        coverage: Coverage::default(),
        decision,
        remarks: vec![],
        revision_notes: None,
        usage: Some(Usage { calls: 1, input_tokens: 100, output_tokens: 0, cost_micro_usd: Some(500) }),
        posting: None,
        patches: Default::default(),
    }
}

fn finding() -> Finding {
    Finding {
        rule: "qa".to_owned(),
        severity: Severity::Critical,
        category: Category::Correctness,
        dimension: Dimension::REQUIREMENT_ADHERENCE,
        confidence: Confidence::High,
        place: Place::Summary,
        message: "it is wrong".to_owned(),
        impact: String::new(),
        suggestion: "correct it".to_owned(),
        fingerprint: Fingerprint::default(),
    }
}

/// An epic whose tickets depend on each other as said: `b` on `a` is `("b", "a")`.
pub(super) fn ground(tickets: &[(&str, &str)], merging: Merging, more: &str) -> Ground {
    let mut text = format!("id: e\ntitle: E\n{more}tickets:\n");
    for (id, before) in tickets {
        text.push_str(&format!("  - {{id: {id}, path: {id}.md, depends_on: [{before}]}}\n"));
    }
    let order = |id: &&str| TicketOrder {
        id: TicketId::parse(id).unwrap(),
        path: format!("{id}.md"),
        text: format!("# {id}\n\n## Acceptance criteria\n\n- [ ] one\n- [ ] two\n"),
    };
    let order = EpicOrder {
        id: TicketId::parse("e").unwrap(),
        file: "/e/epic.yaml".to_owned(),
        path: "epic.yaml".to_owned(),
        text,
        tickets: tickets.iter().map(|(id, _)| order(id)).collect(),
        base_branch: "main".to_owned(),
        base_commit: oid(1),
        branch: "epic/e".to_owned(),
        builder: "engineer".to_owned(),
        reviewer: "qa".to_owned(),
        parallel: 3,
        merging,
    };
    let limits = Limits {
        inconclusive_retries: 1,
        max_validation_failures: 2,
        max_retries: 2,
        backoff: Backoff { first_seconds: 0, ceiling_seconds: 0 },
        ..Limits::default()
    };
    Ground::of(order, &limits).unwrap()
}

pub(super) fn statuses(stored: &StoredEpic) -> BTreeMap<&str, &'static str> {
    stored.tickets.iter().map(|ticket| (ticket.id.as_str(), ticket.status().as_str())).collect()
}
