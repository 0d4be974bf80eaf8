//! What the loop says to people.

use super::{Cause, Cycle, Resolution, State, Tally};
use crate::text::{brief_line, short_line};

/// What a human has to know to choose.
#[derive(Debug, Clone, Copy)]
pub struct EscalationNotice<'a> {
    pub cycle: &'a Cycle,
    pub story_id: &'a str,
    /// Of the last round.
    pub tally: Tally,
    /// Path of the last round's findings document.
    pub findings_document: &'a str,
}

/// The question put to a human. Options that would be refused are not listed.
pub fn escalation_message(notice: &EscalationNotice<'_>) -> String {
    let Tally { critical, important, minor } = notice.tally;
    let options: Vec<_> = notice.cycle.options().into_iter().filter_map(option_line).collect();
    format!(
        "\u{26a0}\u{fe0f} Story {} Review Blocked\n\n\
         {}\n\
         - Critical: {critical}\n\
         - Important: {important}\n\
         - Minor: {minor}\n\n\
         Findings document: {}\n\n\
         Options:\n\
         {}\n\n\
         Your choice:",
        short_line(notice.story_id),
        why(notice.cycle),
        short_line(notice.findings_document),
        options.join("\n"),
    )
}

fn why(cycle: &Cycle) -> String {
    let round = cycle.round();
    let stuck = |reason: String| {
        format!("{}. Found in round {round} so far:", brief_line(&reason).trim_end_matches('.'))
    };
    match cycle.state() {
        State::Escalated {
            cause:
                Cause::Stuck { .. }
                | Cause::Inconclusive { .. }
                | Cause::Validation { .. }
                | Cause::Execution { .. }
                | Cause::Merge { .. },
        } => stuck(cycle.failure_reason().unwrap_or_default()),
        State::Escalated { cause: Cause::ReviewLimit }
        | State::Pending
        | State::Queued
        | State::Accepted
        | State::Working { .. }
        | State::Validating
        | State::Reviewing
        | State::SentBack
        | State::Done { .. }
        | State::Failed { .. }
        | State::Blocked { .. }
        | State::Closed => {
            let rounds = if round == 1 { "round" } else { "rounds" };
            format!("After {round} review {rounds}, issues remain:")
        }
    }
}

fn option_line(resolution: Resolution) -> Option<&'static str> {
    match resolution {
        Resolution::Block => Some("a) Manual review and fix (pause autonomous workflow)"),
        Resolution::Accept => Some("b) Accept findings and mark story complete (not recommended)"),
        Resolution::OneMore => Some("c) Continue with 1 more review round (override limit)"),
        Resolution::Close => None,
    }
}

pub fn dry_run_reviewer(story_id: &str, round: u32) -> String {
    format!("[DRY-RUN] Would spawn epic-reviewer for Story {} round {round}", short_line(story_id))
}

pub fn dry_run_fixer(story_id: &str, round: u32) -> String {
    format!("[DRY-RUN] Would spawn epic-fixer for Story {} round {round}", short_line(story_id))
}
