use std::borrow::Cow;
use std::hash::{BuildHasher, Hasher, RandomState};

use domain::cycle::{Chain, TaskKind};
use domain::formats::qa_findings::checklist;
use domain::tasks::{Invalid, NewTask, Note, StoredTask, Task, TaskId, check_agent_name};
use domain::text::clean_line;
use jiff::Timestamp;
use serde_json::{Map, Value, json};

use super::conclude::Judgement;
use crate::lines::subject;

/// Whose queue the fixes go to.
pub const ENGINEER: &str = "engineer";
/// Where reviews go if a fix does not say who reviewed.
const REVIEWER: &str = "qa";
/// No chain of reviews is longer than this; what a task from outside claims beyond it is dropped.
const MOST_HISTORY: usize = 20;
const LONGEST_TITLE: usize = 400;

/// Context of a fix that its next review has no use for. The commit that was reviewed is not the one that comes
/// next.
const ONLY_FOR_FIXES: [&str; 7] = [
    "structured_findings",
    "review_task",
    "review_queue",
    "review_title",
    "review_description",
    "review_guidance",
    "head_commit",
];

/// Context of a review that its reviewer is not shown: what earlier reviews found, and what people told those who
/// corrected it.
const NOT_FOR_REVIEWERS: [&str; 3] = ["review_history", "review_attempt", "fix_guidance"];
/// Guidance travels with the chain up to this length; the newest stays.
const MOST_GUIDANCE: usize = 64 * 1024;

/// Who makes a task, and when.
#[derive(Debug, Clone, Copy)]
pub struct Origin<'a> {
    pub by: &'a str,
    pub at: Timestamp,
}

/// The `fix` task that a rejecting review asks for. However often it is added, there is one per review task.
pub fn fix_task(
    review: &StoredTask,
    judgement: &Judgement,
    chain: Chain,
    origin: Origin<'_>,
) -> Result<NewTask, Invalid> {
    let reviewed = &review.task;
    let title = format!("Address code review feedback for {}", subject(reviewed));
    let mut fix = follow(reviewed, "fix", ENGINEER, &title, origin)?;
    fix.description = description(judgement);
    // What people said to earlier fixers holds for this one, and so does what they said to the reviewer.
    let for_review = guidance(&reviewed.notes);
    fix.notes = guidance(&[strings(fix.context.shift_remove("fix_guidance")), for_review.clone()].concat());
    fix.context.extend(fields(json!({
        "structured_findings": judgement.findings,
        "review_task": reviewed.id,
        "review_queue": reviewed.assigned_to,
        "review_title": reviewed.title,
        "review_description": reviewed.description,
        "review_attempt": chain.review_attempt,
        "review_history": history(review, judgement),
    })));
    if !for_review.is_empty() {
        fix.context.insert("review_guidance".to_owned(), for_review.into());
    }
    let key = format!("fix-after:{}", reviewed.id);
    Ok(NewTask::in_chain(fix, review.cycle.limits().clone(), chain)?.once(key))
}

/// The review that follows a completed fix: of the same thing, by the same queue. `detail` is what the fix's
/// handler said; a `head_commit` in it is what is reviewed.
pub fn next_review_task(
    fix: &StoredTask,
    detail: &Value,
    chain: Chain,
    origin: Origin<'_>,
) -> Result<NewTask, Invalid> {
    let fixed = &fix.task;
    let text = |key: &str| fixed.context.get(key).and_then(Value::as_str);
    let queue = text("review_queue").filter(|queue| check_agent_name("queue", queue).is_ok());
    let title = text("review_title").map_or_else(|| format!("Review of: {}", fixed.title), str::to_owned);
    let mut review = follow(fixed, "review", queue.unwrap_or(REVIEWER), &title, origin)?;
    review.description = text("review_description").unwrap_or_default().to_owned();
    review.notes = guidance(&strings(fixed.context.get("review_guidance").cloned()));
    let for_fixers: Vec<String> =
        guidance(&fixed.notes).into_iter().filter(|note| !review.notes.contains(note)).collect();
    review.context.retain(|key, _| !ONLY_FOR_FIXES.contains(&key.as_str()));
    review.context.insert("review_attempt".to_owned(), chain.review_attempt.into());
    if !for_fixers.is_empty() {
        review.context.insert("fix_guidance".to_owned(), for_fixers.into());
    }
    if let Some(head) = detail.get("head_commit").and_then(Value::as_str) {
        review.context.insert("head_commit".to_owned(), head.into());
    }
    let key = format!("review-after:{}", fixed.id);
    Ok(NewTask::in_chain(review, fix.cycle.limits().clone(), chain)?.once(key))
}

/// All reviews of the chain so far, this one included, the oldest first.
pub(super) fn history(review: &StoredTask, judgement: &Judgement) -> Vec<Value> {
    let told = review.task.context.get("review_history").and_then(Value::as_array);
    let earlier = told.map(Vec::as_slice).unwrap_or_default();
    let earlier = &earlier[earlier.len().saturating_sub(MOST_HISTORY)..];
    let this = judgement.record(review.task.id.as_str(), review.cycle.review_attempt());
    earlier.iter().cloned().chain([this]).collect()
}

/// What a handler gets to see: a reviewer looks with fresh eyes, so earlier reviews are kept from it.
pub(super) fn as_shown(task: &Task) -> Cow<'_, Task> {
    match task.cycle_kind() {
        TaskKind::Review => {
            let mut fresh = task.clone();
            NOT_FOR_REVIEWERS.iter().for_each(|key| _ = fresh.context.shift_remove(*key));
            Cow::Owned(fresh)
        }
        TaskKind::Fix | TaskKind::Other => Cow::Borrowed(task),
    }
}

/// A task about the same thing as `task`, as urgent and with the same criteria.
fn follow(task: &Task, kind: &str, agent: &str, title: &str, origin: Origin<'_>) -> Result<Task, Invalid> {
    let epoch_ms = u64::try_from(origin.at.as_millisecond()).unwrap_or_default();
    let id = TaskId::generate(kind, agent, epoch_ms, chance() as u32)?;
    let mut follower = Task::new(id, kind, agent, &title_of(title));
    follower.created_by = origin.by.to_owned();
    follower.priority = task.priority;
    follower.max_review_cycles = task.max_review_cycles;
    follower.acceptance_criteria = task.acceptance_criteria.clone();
    follower.context = task.context.clone();
    Ok(follower)
}

fn description(judgement: &Judgement) -> String {
    let mut text = format!("Fix issues identified in review:\n\n{}", checklist(&judgement.findings));
    if judgement.left_out > 0 {
        text += &format!("\n{} more findings did not fit here.\n", judgement.left_out);
    }
    if judgement.findings.is_empty() {
        judgement.unmet.iter().for_each(|criterion| text += &format!("\n- {criterion}\n"));
    }
    text
}

/// Of some notes, those that people gave as guidance, each once. What would make a task too long is left behind, the
/// oldest first.
fn guidance(notes: &[String]) -> Vec<String> {
    let mut kept: Vec<String> = Vec::new();
    let mut room = MOST_GUIDANCE;
    for note in notes.iter().rev().filter(|note| Note::is_guidance(note)) {
        match room.checked_sub(note.len()) {
            Some(left) if !kept.contains(note) => {
                room = left;
                kept.push(note.clone());
            }
            Some(_) => {}
            None => break,
        }
    }
    kept.reverse();
    kept
}

fn strings(value: Option<Value>) -> Vec<String> {
    value.and_then(|value| serde_json::from_value(value).ok()).unwrap_or_default()
}

fn title_of(text: &str) -> String {
    let line = clean_line(text);
    let end = line.floor_char_boundary(LONGEST_TITLE);
    line[..end].trim_end().to_owned()
}

fn fields(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(fields) => fields,
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => Map::new(),
    }
}

/// Good enough to tell ids apart and to spread waits; nothing secret hangs on it.
pub(super) fn chance() -> u64 {
    RandomState::new().build_hasher().finish()
}
