//! What agents say in their logs.

use std::time::Duration;

use domain::cycle::{ReviewMark, TaskStatus, review_log_line};
use domain::ports::{ActivityLog, LogLevel, LogLine, StoreError};
use domain::tasks::{Expired, Settled, StoredTask, Task};
use domain::text::clean_line;
use serde_json::Value;

/// Whose log the watchdog writes to.
pub(crate) const WATCHDOG: &str = "watchdog";

pub(crate) fn polling(agent: &str, queue: &str) -> LogLine {
    info(agent, &format!("Polling queue: {queue}"))
}

pub(crate) fn paused(agent: &str) -> LogLine {
    info(agent, &format!("Agent {agent} paused"))
}

pub(crate) fn resumed(agent: &str) -> LogLine {
    info(agent, &format!("Agent {agent} resumed"))
}

pub(crate) fn stopped(agent: &str, replica: &str) -> LogLine {
    info(agent, &format!("Agent {replica} stopped"))
}

pub(crate) fn found(agent: &str, task: &Task) -> LogLine {
    info(agent, &format!("Found task: {}", task.id)).about(&task.id)
}

pub(crate) fn starting(agent: &str, task: &Task) -> LogLine {
    let kind = &task.kind;
    let message = match (kind.as_str(), pull_request(task)) {
        ("review", Some(number)) => format!("Starting review of PR #{number}"),
        _ => format!("Starting {kind}: {}", task.title),
    };
    about(agent, LogLevel::Info, task, &message)
}

pub(crate) fn completed(agent: &str, task: &Task, took: Duration) -> LogLine {
    let message = format!("{} completed ({:.1}s)", capitalised(&task.kind), took.as_secs_f64());
    about(agent, LogLevel::Info, task, &message)
}

/// `was` is the task as it was claimed, and `settled` where it has gone.
pub(crate) fn tried_again(agent: &str, was: &StoredTask, reason: &str, settled: &Settled) -> LogLine {
    let (wait, retry) = (settled.retry_after.as_secs_f64(), settled.cycle.retry_count());
    let next = match retry > was.cycle.retry_count() {
        true => format!("waiting {wait:.0} s, retry {retry} of {}", was.cycle.limits().max_retries),
        // A review that proves nothing is no crash.
        false => format!("waiting {wait:.0} s"),
    };
    let message = format!("{} did not work out, {next}: {reason}", capitalised(&was.task.kind));
    about(agent, LogLevel::Warning, &was.task, &message)
}

pub(crate) fn failed(agent: &str, task: &Task, reason: &str) -> LogLine {
    let message = format!("{} failed: {reason}", capitalised(&task.kind));
    about(agent, LogLevel::Error, task, &message)
}

pub(crate) fn given_back(agent: &str, task: &Task) -> LogLine {
    about(agent, LogLevel::Info, task, "Gave the task back")
}

pub(crate) fn locked(agent: &str, task: &Task, wait: Duration) -> LogLine {
    let message = format!("Locked by another program; looking again in {}s", wait.as_secs_f64());
    about(agent, LogLevel::Info, task, &message)
}

pub(crate) fn postponed(agent: &str, task: &Task, reason: &str, wait: Duration) -> LogLine {
    let message = format!("Put back for {} s: {reason}", wait.as_secs());
    about(agent, LogLevel::Warning, task, &message)
}

pub(crate) fn lock_unknown(agent: &str, task: &Task, reason: &str) -> LogLine {
    let message = format!("Whether another program has locked the task is not known: {reason}");
    about(agent, LogLevel::Warning, task, &message)
}

pub(crate) fn lost(agent: &str, task: &Task) -> LogLine {
    about(agent, LogLevel::Warning, task, "The task is no longer ours; the work on it was dropped")
}

/// Somebody else was quicker, or it was us and the answer was lost.
pub(crate) fn too_late(agent: &str, task: &Task) -> LogLine {
    about(agent, LogLevel::Warning, task, "The task is no longer ours; what the store has of it stands")
}

pub(crate) fn left_to_watchdog(agent: &str, task: &Task, error: &StoreError) -> LogLine {
    let message = format!("Could not finish the task, the watchdog will free it: {error}");
    about(agent, LogLevel::Error, task, &message)
}

/// `review` is the task as it was claimed.
pub(crate) fn reviewed(agent: &str, mark: ReviewMark, review: &StoredTask, feedback: &str) -> LogLine {
    let StoredTask { task, cycle, .. } = review;
    let what = format!("task {}", task.id);
    let line = review_log_line(mark, &what, cycle.review_attempt(), cycle.max_reviews(), feedback);
    let level = match mark {
        ReviewMark::Approved | ReviewMark::Rejected => LogLevel::Info,
        ReviewMark::Escalation => LogLevel::Warning,
    };
    about(agent, level, task, &line)
}

pub(crate) fn freed(expired: &Expired) -> LogLine {
    let Expired { task, holder, status } = expired;
    let now = match status {
        TaskStatus::Pending => "it is pending again",
        TaskStatus::Failed => "that happened too often, it has failed",
        other => other.as_str(),
    };
    let message = format!("Freed task {task}: {holder} stopped answering; {now}");
    LogLine::new(WATCHDOG, LogLevel::Warning, &message).about(task)
}

/// Says of a store that does not answer once what is wrong, and is silent until it is something else.
#[derive(Debug, Default)]
pub(crate) struct Trouble(Option<String>);

impl Trouble {
    pub(crate) fn say_once(
        &mut self,
        log: &(impl ActivityLog + ?Sized),
        agent: &str,
        speaker: &str,
        error: &StoreError,
    ) {
        let message = error.to_string();
        if self.0.as_ref() != Some(&message) {
            log.write(&LogLine::new(agent, LogLevel::Error, &message).said_by(speaker));
            self.0 = Some(message);
        }
    }

    pub(crate) fn is_over(&mut self) {
        self.0 = None;
    }
}

/// What people call the thing: its Jira key, its pull request or its title.
pub(crate) fn subject(task: &Task) -> String {
    let pull_request = || pull_request(task).map(|number| format!("PR #{number}"));
    jira_key(task).or_else(pull_request).unwrap_or_else(|| clean_line(&task.title))
}

fn info(agent: &str, message: &str) -> LogLine {
    LogLine::new(agent, LogLevel::Info, message)
}

fn about(agent: &str, level: LogLevel, task: &Task, message: &str) -> LogLine {
    let line = match jira_key(task) {
        Some(key) => LogLine::new(agent, level, &format!("[{key}] {message}")),
        None => LogLine::new(agent, level, message),
    };
    line.about(&task.id)
}

fn jira_key(task: &Task) -> Option<String> {
    let key = clean_line(task.context.get("jira_key")?.as_str()?);
    (!key.is_empty() && key.len() <= 64).then_some(key)
}

fn pull_request(task: &Task) -> Option<u64> {
    match task.context.get("pr_number")? {
        Value::Number(number) => number.as_u64(),
        Value::String(text) => text.parse().ok(),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
    }
}

fn capitalised(word: &str) -> String {
    let mut chars = word.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::cycle::Limits;
    use domain::tasks::{NewTask, TaskId};
    use jiff::Timestamp;
    use serde_json::json;

    fn task(kind: &str, context: Value) -> Task {
        let mut task = Task::new(TaskId::parse("t-1").unwrap(), kind, "qa", "Add authentication");
        task.context = context.as_object().unwrap().clone();
        task
    }

    fn said(line: &LogLine) -> String {
        line.at("2026-02-03T16:17:23Z".parse::<Timestamp>().unwrap())
    }

    #[test]
    fn the_log_reads_as_published() {
        let review = task("review", json!({"jira_key": "PROJ-123", "pr_number": 456}));
        insta::assert_snapshot!(
            [
                polling("qa", "qa"),
                found("qa", &review),
                starting("qa", &review),
                completed("qa", &review, Duration::from_millis(82_310)),
            ]
            .iter()
            .map(said)
            .collect::<Vec<_>>()
            .join("\n"),
            @r"
        16:17:23Z INFO [qa] Polling queue: qa
        16:17:23Z INFO [qa] Found task: t-1
        16:17:23Z INFO [qa] [PROJ-123] Starting review of PR #456 [t-1]
        16:17:23Z INFO [qa] [PROJ-123] Review completed (82.3s) [t-1]
        "
        );
    }

    #[test]
    fn without_key_and_pull_request_the_title_stands_in() {
        let fix = task("fix", json!({"jira_key": 5, "pr_number": -1}));
        assert_eq!(
            said(&starting("engineer", &fix)),
            "16:17:23Z INFO [engineer] Starting fix: Add authentication [t-1]"
        );
        assert_eq!(subject(&fix), "Add authentication");
        assert_eq!(subject(&task("fix", json!({"pr_number": "7"}))), "PR #7");
    }

    #[test]
    fn reviews_carry_their_marks_and_attempts() {
        let new = NewTask::new(task("review", json!({"jira_key": "P-1"})), Limits::default()).unwrap();
        let review = StoredTask {
            task: new.task().clone(),
            cycle: new.cycle().clone(),
            held: None,
            reason: None,
            not_before: None,
            updated_at: Timestamp::UNIX_EPOCH,
            waits_for: vec![],
        };
        let line = |mark| said(&reviewed("qa", mark, &review, "2 findings"));
        insta::assert_snapshot!(
            [ReviewMark::Approved, ReviewMark::Rejected, ReviewMark::Escalation].map(line).join("\n"),
            @r"
        16:17:23Z INFO [qa] [P-1] [REVIEW-APPROVED] task t-1 approved on attempt 1/3: 2 findings
        16:17:23Z INFO [qa] [P-1] [REVIEW-REJECTED] task t-1 needs rework, attempt 1/3: 2 findings
        16:17:23Z WARNING [qa] [P-1] [REVIEW-ESCALATION] task t-1 escalated to human review on attempt 1/3: 2 findings
        "
        );
    }

    #[test]
    fn hostile_words_stay_in_their_line() {
        let line =
            said(&failed("qa", &task("fix", json!({"jira_key": "A\n16:00:00 INFO [qa]"})), "a\u{1b}[2Jb\nc"));
        assert_eq!(line.lines().count(), 1);
        assert!(!line.contains('\u{1b}'), "{line}");
    }
}
