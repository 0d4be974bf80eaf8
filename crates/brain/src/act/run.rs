//! The loop: the model says what to look at, we look, until there is a report or a reason to stop.

use std::collections::{BTreeMap, HashSet};
use std::time::Duration;

use domain::ports::ReviewRequest;
use domain::review::{Coverage, Usage};
use tokio::time::Instant;

use super::conversation::Conversation;
use super::instructions;
use super::repository::Room;
use super::seen::Seen;
use super::shares::Shares;
use super::toolbox::{Equipment, Toolbox};
use crate::answer::{Reader, Reading};
use crate::call::{Answer, CallError, Ended, Mind, ToolCall, ToolResult};
use crate::clean::Redact;
use crate::linear::{Ground, Unplannable, answer, no_answer, who_answered};
use crate::packing::{clip, count, count_call};

/// Calls of one turn that are carried out.
const MOST_CALLS: usize = 16;
/// Turns in a row that ask for nothing new.
const MOST_REPEATS: u32 = 3;
/// Turns in a row that show nothing new of the change.
const MOST_STALE: u32 = 8;
/// How often the model is shown half as much at a time because it could not take more.
const MOST_SHRINKS: u32 = 2;
/// How often a report is sent back because hunks are missing.
const MOST_DEMANDS: u32 = 2;

/// Why the loop came to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stop {
    /// The model gave its report.
    Answered,
    Iterations,
    Budget,
    Time,
    NoProgress,
    /// An answer broke off.
    CutOff,
    /// The conversation was more than the model could take.
    TooLarge,
    /// The model could not be reached or refused.
    Failed,
}

impl Stop {
    /// For the report.
    pub fn in_words(self) -> &'static str {
        match self {
            Stop::Answered => "it ended with its report",
            Stop::Iterations => "it was stopped after model.iterations turns",
            Stop::Budget => "it was stopped because the budget is used up",
            Stop::Time => "it was stopped because its time was up",
            Stop::NoProgress => "it was stopped because it made no progress",
            Stop::CutOff => "it was stopped because an answer broke off",
            Stop::TooLarge => "it was stopped because the model could not take more",
            Stop::Failed => "it ended because the model failed",
        }
    }
}

/// What came of it.
#[derive(Debug)]
pub struct Outcome {
    pub reading: Reading,
    /// Nothing counts as seen unless there is a report.
    pub coverage: Coverage,
    pub usage: Usage,
    pub stop: Stop,
    /// Questions in which tools were offered.
    pub turns: u32,
    /// Which documents did not fit whole, for people.
    pub cut: Vec<String>,
    /// How often each linter was run.
    pub lint_runs: BTreeMap<String, usize>,
}

/// How the turns ended.
pub(super) enum End {
    /// With something that may be a report.
    Said(String),
    Stopped(Stop),
    Failed(Reading),
}

pub(super) struct Act<'a, M> {
    pub(super) mind: &'a M,
    pub(super) ground: &'a Ground,
    pub(super) reader: Reader<'a>,
    pub(super) conversation: Conversation,
    pub(super) usage: Usage,
    pub(super) deadline: Instant,
    /// A report that was sent back because hunks were missing.
    pub(super) earlier: Option<String>,
    /// Who answered last.
    pub(super) model: String,
    /// What the model has been shown in a call that it answered.
    pub(super) confirmed: Seen<'a>,
    /// Tokens that may be sent with one call: as many as configured, or fewer once the model could not take that.
    pub(super) input: usize,
    toolbox: Toolbox<'a>,
    shares: Shares,
    shrinks: u32,
    asked: HashSet<String>,
    repeats: u32,
    stale: u32,
    demands: u32,
    turns: u32,
}

/// Reviews by letting the model look around, until `deadline` at most. Reads sources while it runs, and blocks
/// while it does.
///
/// Whatever ends the turns (their number, money, time, no progress), the model is asked once more for its report,
/// without tools. What is in doubt then is in the reading's troubles and in the coverage.
pub async fn run<M: Mind>(
    mind: &M,
    request: &ReviewRequest<'_>,
    equipment: &Equipment,
    redact: Redact,
    deadline: Instant,
) -> Result<Outcome, Unplannable> {
    let ground = Ground::lay(request, redact, |input| input / 4)?;
    let mut toolbox = Toolbox::new(*request, &ground.marker, redact, equipment, usize::MAX);
    let iterations = request.config.model.iterations.max(1);
    let outline = instructions::outline(request.change, &toolbox.seen, &toolbox.fence());
    let opening = ground.frame.explore(&instructions::rules(iterations), &outline, toolbox.tools());
    let shares = Shares::of(&ground, &request.config.model, count_call(&opening))?;
    toolbox.set_part_tokens(shares.part);
    let mut act = Act {
        mind,
        ground: &ground,
        reader: ground.reader(request),
        conversation: Conversation::new(opening),
        usage: Usage::default(),
        deadline,
        earlier: None,
        model: String::new(),
        confirmed: toolbox.seen.clone(),
        input: ground.input,
        toolbox,
        shares,
        shrinks: 0,
        asked: HashSet::new(),
        repeats: 0,
        stale: 0,
        demands: 0,
        turns: 0,
    };
    let end = act.turns(iterations).await;
    let stop = match &end {
        End::Said(_) => Stop::Answered,
        End::Stopped(stop) => *stop,
        End::Failed(_) => Stop::Failed,
    };
    let reading = act.report(end).await;
    let coverage = if reading.troubles.is_empty() {
        act.confirmed.coverage(&who_answered(mind, std::iter::once(&reading)))
    } else {
        Coverage::plan(request.change)
    };
    let (usage, turns, lint_runs) = (act.usage, act.turns, act.toolbox.lint_runs().clone());
    Ok(Outcome { reading, coverage, usage, stop, turns, cut: ground.frame.cut.clone(), lint_runs })
}

impl<M: Mind> Act<'_, M> {
    async fn turns(&mut self, iterations: u32) -> End {
        // What is left after this is for the report.
        let left = self.deadline.saturating_duration_since(Instant::now());
        let until = self.deadline - (left / 5).min(Duration::from_secs(120));
        while self.turns < iterations {
            if Instant::now() >= until {
                return End::Stopped(Stop::Time);
            }
            self.turns += 1;
            self.conversation.fit(self.input, 1);
            let answer = match answer(self.mind, self.conversation.call(), until).await {
                Ok(answer) => answer,
                Err(CallError::OverBudget(_)) => return End::Stopped(Stop::Budget),
                Err(CallError::TimedOut { .. }) => return End::Stopped(Stop::Time),
                Err(CallError::TooLarge { .. }) if self.shrinks < MOST_SHRINKS => {
                    self.shrink();
                    continue;
                }
                Err(CallError::TooLarge { .. }) => return End::Stopped(Stop::TooLarge),
                Err(
                    error @ (CallError::RateLimited { .. }
                    | CallError::Unauthorised { .. }
                    | CallError::Failed { .. }
                    | CallError::NotConfigured(_)),
                ) => return End::Failed(no_answer(&error, &self.reader)),
            };
            self.usage += answer.usage;
            self.model.clone_from(&answer.model);
            self.confirm();
            if let Some(end) = self.take(answer, iterations - self.turns, until).await {
                return end;
            }
        }
        End::Stopped(Stop::Iterations)
    }

    /// The model could not take a call. What it was shown in it was not seen, and from now on it is shown half as
    /// much at a time.
    fn shrink(&mut self) {
        self.shrinks += 1;
        self.turns -= 1;
        self.input /= 2;
        self.shares = self.shares.halved();
        self.conversation.take_out_results();
        self.toolbox.seen = self.confirmed.clone();
        self.toolbox.set_part_tokens(self.shares.part);
        self.asked.clear();
    }

    /// Goes on with an answer, or says how it ended.
    async fn take(&mut self, answer: Answer, turns_left: u32, until: Instant) -> Option<End> {
        match answer.ended {
            Ended::Refused => {
                let reading = crate::linear::first_reading(&answer, &self.reader).unwrap_or_default();
                return Some(End::Failed(reading));
            }
            Ended::CutOff => {
                let words = self.words(&answer.text);
                self.conversation
                    .reply(words, "Your answer was too long and broke off. Be brief.".to_owned());
                self.earlier = Some(answer.text);
                return Some(End::Stopped(Stop::CutOff));
            }
            Ended::Complete => {}
        }
        if answer.tool_calls.is_empty() {
            return self.finish(answer.text, turns_left);
        }
        self.act(answer, turns_left, until).await;
        (self.repeats >= MOST_REPEATS || self.stale >= MOST_STALE).then_some(End::Stopped(Stop::NoProgress))
    }

    /// The model wants to end. It may, unless it has not seen everything and there are turns left to do so.
    fn finish(&mut self, text: String, turns_left: u32) -> Option<End> {
        let seen = &self.toolbox.seen;
        if seen.missing().next().is_none() || turns_left == 0 || self.demands >= MOST_DEMANDS {
            return Some(End::Said(text));
        }
        self.demands += 1;
        let demand = instructions::demand(self.reader.change, seen, &self.toolbox.fence());
        let words = self.words(&text);
        self.conversation.reply(words, demand);
        self.earlier = Some(text);
        None
    }

    async fn act(&mut self, answer: Answer, turns_left: u32, until: Instant) {
        let calls: Vec<ToolCall> = answer.tool_calls.iter().take(MOST_CALLS).cloned().collect();
        let seen_before = self.toolbox.seen.progress();
        let mut room = Room { tokens: self.shares.turn, deadline: until };
        let mut results = Vec::new();
        let mut is_new = false;
        for call in &calls {
            is_new |= self.asked.insert(format!("{} {}", call.name, call.arguments));
            let content = self.toolbox.execute(call, room).await;
            room.tokens = room.tokens.saturating_sub(count(&content));
            results.push(ToolResult { id: call.id.clone(), content });
        }
        if let Some(last) = results.last_mut() {
            if calls.len() < answer.tool_calls.len() {
                last.content.push_str(&format!("\n{}\n", instructions::TOO_MANY));
            }
            let status = instructions::status(
                self.reader.change,
                &self.toolbox.seen,
                &self.toolbox.fence(),
                turns_left,
            );
            last.content.push_str(&status);
        }
        let words = self.words(&answer.text);
        self.conversation.turn(words, &calls, results);
        let shows_more = self.toolbox.seen.progress() > seen_before;
        self.repeats = if is_new { 0 } else { self.repeats + 1 };
        self.stale = if shows_more { 0 } else { self.stale + 1 };
    }

    /// The model has answered a call that held everything it was shown.
    pub(super) fn confirm(&mut self) {
        self.confirmed = self.toolbox.seen.clone();
    }

    /// What the model said, as it is repeated to it.
    pub(super) fn words(&self, text: &str) -> String {
        clip(&self.toolbox.fence().scrub(text), self.shares.words).to_owned()
    }
}
