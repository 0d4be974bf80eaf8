//! One question, asked until there is an answer or a reason why there is none.

use std::borrow::Cow;
use std::collections::BTreeSet;

use domain::review::{Usage, Verdict};
use tokio::time::{Instant, timeout_at};

use crate::answer::{Reader, Reading};
use crate::call::{Answer, Call, CallError, Ended, Mind};
use crate::packing::{Bundle, count_call};
use crate::prompt::Part;

use super::plan::Plan;

/// What became of the question about one bundle.
#[derive(Debug, Default)]
pub(super) struct Outcome {
    /// Of each call that it took: more than one if the model could not take the bundle whole.
    pub(super) readings: Vec<Reading>,
    pub(super) usage: Usage,
}

/// How often a bundle is made smaller because the model cannot take it.
const MOST_SPLITS: u32 = 3;

/// A question whose answer was not in the right form.
struct Asked<'a> {
    call: &'a Call,
    answer: &'a str,
    errors: &'a [String],
}

/// Longer than any answer that was not cut off, in bytes for each token that fits.
const BYTES_PER_TOKEN: usize = 8;

/// Asks about one bundle. If it is more than the model can take, its halves are asked about instead, and theirs, as
/// far as that is sensible; once even the smallest is too much, the rest is not asked.
pub(super) async fn ask<M: Mind>(
    mind: &M,
    (part, bundle): (Part, &Bundle),
    plan: &Plan,
    reader: &Reader<'_>,
    deadline: Instant,
) -> Outcome {
    let mut outcome = Outcome::default();
    let mut left = vec![(part, Cow::Borrowed(bundle), 0)];
    while let Some((part, bundle, splits)) = left.pop() {
        let call = plan.question(part, &bundle);
        let error = match ask_once(mind, &call, plan, reader, deadline, &mut outcome.usage).await {
            Ok(reading) => {
                outcome.readings.push(reading);
                continue;
            }
            Err(error) => error,
        };
        let is_too_large = matches!(error, CallError::TooLarge { .. }) && splits < MOST_SPLITS;
        match bundle.halved().filter(|_| is_too_large) {
            Some(halves) => {
                let of = halves.len();
                let halves = halves.into_iter().enumerate().rev();
                left.extend(halves.map(|(at, half)| (part.part(at, of), Cow::Owned(half), splits + 1)));
            }
            None => {
                outcome.readings.push(no_answer(&error, reader));
                break;
            }
        }
    }
    outcome
}

/// Asks the models there are until one says something that can be read.
async fn ask_once<M: Mind>(
    mind: &M,
    call: &Call,
    plan: &Plan,
    reader: &Reader<'_>,
    deadline: Instant,
    usage: &mut Usage,
) -> Result<Reading, CallError> {
    let mut call = Cow::Borrowed(call);
    let mut unread: Option<Reading> = None;
    loop {
        let asked = ask_in_form(mind, &call, plan, reader, deadline, usage).await;
        let reading = match (asked, unread.take()) {
            (Ok(reading), None) => reading,
            (Ok(reading), Some(before)) if reading.is_unreadable() => {
                before.and(reading.clone()).by(&reading.model)
            }
            (Ok(reading), Some(_)) => reading,
            (Err(error), None) => return Err(error),
            (Err(error), Some(before)) => return Ok(before.and(no_answer(&error, reader))),
        };
        if !reading.is_unreadable() || !is_other_left(mind, &call, &reading.model) {
            return Ok(reading);
        }
        call.to_mut().passing_over.push(reading.model.clone());
        unread = Some(reading);
    }
}

/// Whether somebody has not been asked yet once `model` is passed over too.
pub(crate) fn is_other_left<M: Mind>(mind: &M, call: &Call, model: &str) -> bool {
    let models = mind.models();
    let is_left = |name: &String| name != model && !call.passing_over.contains(name);
    models.iter().any(|name| name == model) && models.iter().any(is_left)
}

/// Asks, and once more for the right form if the answer is not in it.
async fn ask_in_form<M: Mind>(
    mind: &M,
    call: &Call,
    plan: &Plan,
    reader: &Reader<'_>,
    deadline: Instant,
    usage: &mut Usage,
) -> Result<Reading, CallError> {
    let answer = answer(mind, call, deadline).await?;
    *usage += answer.usage;
    let errors = match first_reading(&answer, reader) {
        Ok(reading) => return Ok(reading.by(&answer.model)),
        Err(errors) => errors,
    };
    let asked = Asked { call, answer: &answer.text, errors: &errors };
    if let Some(repaired) = repaired(mind, plan, reader, &asked, deadline, usage).await {
        return Ok(repaired);
    }
    let mut reading = reader.lenient(&answer.text).by(&answer.model);
    if mind.models().len() > 1 {
        for trouble in &mut reading.troubles {
            trouble.message = format!("{}: {}", answer.model, trouble.message);
        }
    }
    Ok(reading)
}

/// The answer, or `CallError::TimedOut` once the time of the review is up.
pub(crate) async fn answer<M: Mind>(mind: &M, call: &Call, deadline: Instant) -> Result<Answer, CallError> {
    match timeout_at(deadline, mind.ask(call)).await {
        Ok(answer) => answer,
        Err(_) => Err(CallError::TimedOut { model: mind.name() }),
    }
}

/// What an answer says, or what is wrong with its form.
pub(crate) fn first_reading(answer: &Answer, reader: &Reader<'_>) -> Result<Reading, Vec<String>> {
    match answer.ended {
        Ended::Refused => {
            let said = crate::clean::line(&domain::text::short_line(&answer.text), reader.redact);
            let said = if said.is_empty() { said } else { format!(": {said}") };
            Ok(Reading::trouble("refused", format!("{} would not answer{said}", answer.model)))
        }
        Ended::Complete | Ended::CutOff if answer.text.trim().is_empty() => {
            Ok(Reading::trouble("empty", format!("the answer of {} was empty", answer.model)))
        }
        Ended::CutOff => Ok(reader.cut_off(&answer.text)),
        Ended::Complete => reader.strict(&answer.text),
    }
}

/// A second answer in the right form. `None` if there is none: then the first has to do.
///
/// Where there is room the model is shown its question again, so that it can answer anew. Where there is not, it
/// gets its answer alone and may only change the form of that: then "nothing found" counts only if the first
/// answer said so itself.
async fn repaired<M: Mind>(
    mind: &M,
    plan: &Plan,
    reader: &Reader<'_>,
    asked: &Asked<'_>,
    deadline: Instant,
    usage: &mut Usage,
) -> Option<Reading> {
    if asked.answer.len() > plan.ground.input.saturating_mul(BYTES_PER_TOKEN) {
        return None;
    }
    let fence = plan.ground.fence();
    let errors: Vec<_> = asked.errors.iter().map(|error| fence.scrub(error)).collect();
    let again = plan.ground.frame.ask_again(asked.call, &fence.scrub(asked.answer), &errors);
    let (mut call, knows_the_change) = if count_call(&again) <= plan.ground.input {
        (again, true)
    } else {
        (plan.ground.frame.repair(&fence.scrub(asked.answer), &errors), false)
    };
    if count_call(&call) > plan.ground.input {
        return None;
    }
    call.passing_over.clone_from(&asked.call.passing_over);
    let second = answer(mind, &call, deadline).await.ok()?;
    *usage += second.usage;
    if second.ended != Ended::Complete {
        return None;
    }
    let first = reader.lenient(asked.answer);
    let Ok(repaired) = reader.strict(&second.text) else {
        let loose = reader.lenient(&second.text).by(&second.model);
        return (first.findings.is_empty() && !loose.findings.is_empty()).then_some(loose);
    };
    let lost_some = repaired.findings.len() < first.findings.len();
    let invented_calm =
        !knows_the_change && repaired.findings.is_empty() && first.claimed != Some(Verdict::Pass);
    (!lost_some && !invented_calm).then(|| repaired.by(&second.model))
}

/// Who answered: of several models those that did, and all if none did.
pub(crate) fn who_answered<'a, M: Mind>(mind: &M, readings: impl Iterator<Item = &'a Reading>) -> String {
    let models: BTreeSet<&str> =
        readings.map(|reading| reading.model.as_str()).filter(|model| !model.is_empty()).collect();
    if mind.models().len() < 2 || models.is_empty() {
        return mind.name();
    }
    models.into_iter().collect::<Vec<_>>().join(", ")
}

pub(crate) fn no_answer(error: &CallError, reader: &Reader<'_>) -> Reading {
    let kind = match error {
        CallError::RateLimited { .. } => "rate_limited",
        CallError::TimedOut { .. } => "timed_out",
        CallError::Unauthorised { .. } => "unauthorised",
        CallError::TooLarge { .. } => "too_large",
        CallError::Failed { .. } => "failed",
        CallError::OverBudget(_) => "over_budget",
        CallError::NotConfigured(_) => "not_configured",
    };
    Reading::trouble(kind, crate::clean::line(&error.to_string(), reader.redact))
}
