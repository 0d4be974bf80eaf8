use domain::cycle::{Done, Effect, Event, State, Tally};
use domain::review::Verdict;
use jiff::SignedDuration;

use super::document::{self, heed};
use super::human::step_of;
use super::report::counted;
use super::world::{Checked, FixJob, Fixed, Halt, Published, Reviewed, World};
use super::{Fix, FixOutcome, Moment, Order, Round, Step, Story, Unproved, judge, read_claims};

/// Where a loop came to rest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// A review found nothing that must be fixed.
    Clean,
    /// A person took it with its findings, all of them or those that were left.
    Accepted,
    /// A human has to decide.
    Escalated,
    /// A human corrects it.
    Blocked,
}

/// Goes on with a story until it is done or a human is needed. The story is saved after each step; what is handed in has
/// to have been saved before.
pub fn run(story: &mut Story, world: &dyn World) -> Result<Ended, Halt> {
    loop {
        if world.is_stopped() {
            return Err(Halt::Stopped);
        }
        let mut next = story.clone();
        match story.step {
            Step::Review => review(&mut next, world)?,
            Step::Document => document(&mut next, world)?,
            Step::Decide => decide(&mut next, world)?,
            Step::Fix => fix(&mut next, world)?,
            Step::Check => check(&mut next, world)?,
            Step::Publish => publish(&mut next, world)?,
            Step::Escalated => return Ok(Ended::Escalated),
            Step::Blocked => return Ok(Ended::Blocked),
            Step::Done => return Ok(ended(story)),
        }
        world.save(&next)?;
        *story = next;
    }
}

fn ended(story: &Story) -> Ended {
    match story.cycle.state() {
        State::Done { outcome: Done::Accepted } => Ended::Accepted,
        State::Done { outcome: Done::Approved | Done::Unreviewed | Done::HandedOn }
        | State::Pending
        | State::Queued
        | State::Accepted
        | State::Working { .. }
        | State::Validating
        | State::Reviewing
        | State::SentBack
        | State::Failed { .. }
        | State::Blocked { .. }
        | State::Escalated { .. }
        | State::Closed => Ended::Clean,
    }
}

fn review(story: &mut Story, world: &dyn World) -> Result<(), Halt> {
    wait(story, world)?;
    // Whoever corrected the branch by hand may have ruled on findings of the last round, too.
    heed(story, world)?;
    let Order { branch, base, reviewer, .. } = &story.order;
    tell(story, world, format!("{reviewer} reviews {branch} against {base}"));
    let Reviewed { mut review, head, took, remarks } = world.review(story)?;
    // A reviewer that was ended together with us proves nothing, and costs no retry.
    if world.is_stopped() {
        return Err(Halt::Stopped);
    }
    remarks.into_iter().for_each(|remark| story.remark(remark));
    world.clear_document(story, story.cycle.round())?;
    review.recognise(story.statements());
    let unproved = take_unproved(story);
    story.rounds.push(Round {
        number: story.cycle.round(),
        head,
        review,
        took_seconds: took.as_secs(),
        unproved,
        document: None,
        written: None,
        blocking: Vec::new(),
        late: Vec::new(),
        fixes: Vec::new(),
    });
    story.step = Step::Document;
    Ok(())
}

/// A review that proved nothing makes room for the one that is made again, and is remembered in it.
fn take_unproved(story: &mut Story) -> Vec<Unproved> {
    let again = story.rounds.last().is_some_and(|round| {
        round.number == story.cycle.round() && round.review.verdict() == Verdict::Inconclusive
    });
    let Some(round) = again.then(|| story.rounds.pop()).flatten() else { return Vec::new() };
    let mut unproved = round.unproved;
    unproved.push(Unproved {
        at: round.review.reviewed_at,
        reason: round.review.troubles.first().map(|trouble| trouble.message.clone()).unwrap_or_default(),
        took_seconds: round.took_seconds,
        usage: round.review.usage,
    });
    unproved
}

fn document(story: &mut Story, world: &dyn World) -> Result<(), Halt> {
    let head = story.round().map(|round| round.head.clone());
    let touched = match (judge::compared_with(story), head) {
        (Some(from), Some(to)) => Some(world.touched(&from, &to)?),
        (_, _) => None,
    };
    let late = judge::late(story, touched.as_ref());
    if let Some(round) = story.rounds.last_mut() {
        round.late = late;
    }
    let Some(round) = story.round() else { return back_to_review(story) };
    let number = round.number;
    let written = document::of_round(story, round);
    let there = world.read_document(story, number)?;
    // Killed between writing and saving, it is there already, and somebody may have edited it since: what was there
    // before the review has been cleared away.
    if there.is_none() {
        world.write_document(story, number, &written.render())?;
    }
    let path = world.document_path(story, number);
    let blocking = judge::blocking(story, round);
    let found = Tally::of(&round.review.findings);
    if let Some(round) = story.rounds.last_mut() {
        round.blocking = blocking;
        round.document = Some(path.clone());
        round.written = Some(written);
    }
    let told = match story.round().map(|round| round.review.verdict()) {
        Some(Verdict::Inconclusive) | None => "the review proves nothing".to_owned(),
        Some(Verdict::Pass | Verdict::Fail) => format!("found {}", counted(&found)),
    };
    tell(story, world, format!("{told}; {path}"));
    story.step = Step::Decide;
    Ok(())
}

fn decide(story: &mut Story, world: &dyn World) -> Result<(), Halt> {
    heed(story, world)?;
    recount(story);
    let outcome = judge::outcome(story);
    let event = Event::reviewed(outcome);
    apply(story, world, &event)?;
    match story.cycle.state() {
        State::Done { .. } => {
            story.finished_at = Some(world.now());
            let word = if ended(story) == Ended::Accepted { "accepted" } else { "clean" };
            tell(story, world, word.to_owned());
        }
        State::Escalated { .. } | State::Reviewing => {
            let why = story.round().and_then(|round| round.review.troubles.first());
            let why = why.map(|trouble| trouble.message.clone()).or_else(|| story.cycle.failure_reason());
            tell(story, world, why.unwrap_or_default());
        }
        State::Pending
        | State::Queued
        | State::Accepted
        | State::Working { .. }
        | State::Validating
        | State::SentBack
        | State::Failed { .. }
        | State::Blocked { .. }
        | State::Closed => {}
    }
    Ok(())
}

fn fix(story: &mut Story, world: &dyn World) -> Result<(), Halt> {
    wait(story, world)?;
    heed(story, world)?;
    recount(story);
    let Some(round) = story.round() else { return back_to_review(story) };
    if round.blocking.is_empty() {
        tell(story, world, "nothing is left to fix".to_owned());
        return apply(story, world, &Event::Submit);
    }
    let number = round.number;
    let open = document::open(story, round);
    let sent: Vec<_> = open.findings().filter_map(|finding| finding.fingerprint.clone()).collect();
    let (fixer, must_fix) = (story.order.fixer.clone(), round.blocking.len());
    let findings = if must_fix == 1 { "1 finding".to_owned() } else { format!("{must_fix} findings") };
    tell(story, world, format!("{fixer} fixes {findings}"));
    let refused = round.fix().and_then(|fix| match &fix.outcome {
        FixOutcome::Refused { reason } | FixOutcome::Failed { reason } => Some(reason.as_str()),
        FixOutcome::Unchecked | FixOutcome::Checked | FixOutcome::Published => None,
    });
    let job = FixJob { round: number, head: &round.head, document: &open, refused };
    let fixed = world.fix(story, &job)?;
    if world.is_stopped() {
        return Err(Halt::Stopped);
    }
    let fix = attempt(fixed, sent, world.now());
    let failed = match &fix.outcome {
        FixOutcome::Failed { reason } | FixOutcome::Refused { reason } => Some(reason.clone()),
        FixOutcome::Unchecked | FixOutcome::Checked | FixOutcome::Published => None,
    };
    let crashed = matches!(fix.outcome, FixOutcome::Failed { .. }) && fix.summary.is_empty();
    if let Some(round) = story.rounds.last_mut() {
        round.fixes.push(fix);
    }
    story.step = Step::Check;
    match failed {
        Some(reason) => not_fixed(story, world, &reason, if crashed { Again::Later } else { Again::Now }),
        None => Ok(()),
    }
}

fn attempt(fixed: Fixed, sent: Vec<domain::review::Fingerprint>, at: jiff::Timestamp) -> Fix {
    let empty = Fix {
        at,
        took_seconds: 0,
        start: None,
        commit: None,
        sent,
        claims: std::collections::BTreeMap::new(),
        summary: String::new(),
        usage: None,
        remarks: Vec::new(),
        patch: String::new(),
        outcome: FixOutcome::Unchecked,
    };
    let told = |report: domain::ports::AuthorReport, took: std::time::Duration| Fix {
        took_seconds: took.as_secs(),
        claims: read_claims(&report.summary, &empty.sent),
        summary: if report.summary.is_empty() { "It said nothing.".to_owned() } else { report.summary },
        usage: report.usage,
        remarks: report.remarks,
        ..empty.clone()
    };
    match fixed {
        Fixed::Changed { start, commit, patch, report, took } => {
            Fix { start: Some(start), commit: Some(commit), patch, ..told(report, took) }
        }
        Fixed::Unchanged { report, took } => Fix {
            outcome: FixOutcome::Failed { reason: "nothing was changed".to_owned() },
            ..told(report, took)
        },
        Fixed::Refused { reason, report, took } => {
            Fix { outcome: FixOutcome::Refused { reason }, ..told(report, took) }
        }
        Fixed::Failed { reason, took } => {
            Fix { took_seconds: took.as_secs(), outcome: FixOutcome::Failed { reason }, ..empty }
        }
    }
}

fn check(story: &mut Story, world: &dyn World) -> Result<(), Halt> {
    let Some(fix) = story.round().and_then(Round::fix) else { return back_to_review(story) };
    tell(story, world, "checking the correction".to_owned());
    let checked = world.check(story, fix)?;
    if world.is_stopped() {
        return Err(Halt::Stopped);
    }
    match checked {
        Checked::Fine => {
            set_outcome(story, FixOutcome::Checked);
            story.step = Step::Publish;
            Ok(())
        }
        Checked::Refused { reason } => {
            set_outcome(story, FixOutcome::Refused { reason: reason.clone() });
            not_fixed(story, world, &reason, Again::Now)
        }
        Checked::Lost => {
            set_outcome(story, FixOutcome::Failed { reason: "its commit is gone".to_owned() });
            story.step = Step::Fix;
            Ok(())
        }
    }
}

fn publish(story: &mut Story, world: &dyn World) -> Result<(), Halt> {
    let Some(fix) = story.round().and_then(Round::fix) else { return back_to_review(story) };
    if world.publish(story, fix)? == Published::Moved {
        let reason = format!("{} was moved by somebody else meanwhile", story.order.branch);
        set_outcome(story, FixOutcome::Refused { reason: reason.clone() });
        return not_fixed(story, world, &reason, Again::Now);
    }
    let commit = fix.commit.as_ref().map(|commit| commit.short().to_owned()).unwrap_or_default();
    set_outcome(story, FixOutcome::Published);
    tell(story, world, format!("{} is at {commit} now", story.order.branch));
    apply(story, world, &Event::Submit)
}

/// Whether waiting could make a difference.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Again {
    Now,
    Later,
}

fn not_fixed(story: &mut Story, world: &dyn World, reason: &str, again: Again) -> Result<(), Halt> {
    tell(story, world, format!("not fixed: {reason}"));
    apply(story, world, &Event::ExecutionFailed { reason: reason.to_owned() })?;
    if again == Again::Now {
        story.not_before = None;
    }
    Ok(())
}

/// Takes the event, and lets the machine say what comes next and when.
fn apply(story: &mut Story, world: &dyn World, event: &Event) -> Result<(), Halt> {
    let (cycle, effects) = story.cycle.apply(event).map_err(|illegal| Halt::Failed {
        what: illegal.to_string(),
        hint: "this is a fault in Countersign: please report it".to_owned(),
    })?;
    let seconds = effects.iter().find_map(|effect| match effect {
        Effect::SpawnReviewer { after_seconds, .. } | Effect::SpawnFixer { after_seconds, .. } => {
            Some(*after_seconds).filter(|seconds| *seconds > 0)
        }
        _ => None,
    });
    story.not_before = seconds
        .and_then(|seconds| world.now().checked_add(SignedDuration::from_secs(i64::from(seconds))).ok());
    story.step = step_of(cycle.state());
    story.cycle = cycle;
    Ok(())
}

fn wait(story: &mut Story, world: &dyn World) -> Result<(), Halt> {
    if let Some(moment) = story.not_before.take() {
        let seconds = super::report::seconds_between(world.now(), moment);
        if seconds > 0 {
            let (counters, limits) = (story.cycle.counters(), story.cycle.limits());
            let (retry, most) = match story.step {
                Step::Fix => (counters.execution_failures, limits.max_retries),
                _ => (counters.inconclusive, limits.inconclusive_retries),
            };
            tell(story, world, format!("waiting {seconds} s, retry {retry} of {most}"));
        }
        world.wait_until(moment);
    }
    if world.is_stopped() { Err(Halt::Stopped) } else { Ok(()) }
}

fn recount(story: &mut Story) {
    if let Some(blocking) = story.round().map(|round| judge::blocking(story, round))
        && let Some(round) = story.rounds.last_mut()
    {
        round.blocking = blocking;
    }
}

fn set_outcome(story: &mut Story, outcome: FixOutcome) {
    if let Some(fix) = story.rounds.last_mut().and_then(|round| round.fixes.last_mut()) {
        fix.outcome = outcome;
    }
}

/// For a stored story that somebody cut a piece out of.
fn back_to_review(story: &mut Story) -> Result<(), Halt> {
    story.step = Step::Review;
    Ok(())
}

fn tell(story: &Story, world: &dyn World, text: String) {
    world.tell(&Moment::of(story, world.now(), text));
}
