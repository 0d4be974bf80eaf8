//! What agents say in their logs.

use std::time::Duration;

use domain::cycle::{ReviewMark, TaskStatus, review_log_line};
use domain::ports::{ActivityLog, LogLevel, LogLine, StoreError};
use domain::tasks::{Expired, StoredTask, Task};
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
    info(agent, &format!("Found task: {}", task.id))
}

pub(crate) fn starting(agent: &str, task: &Task) -> LogLine {
    let kind = &task.kind;
    let message = match (kind.as_str(), pull_request(task)) {
        ("review", Some(number)) => format!("Starting review of PR #{number}"),
        _ => format!("Starting {kind}: {}", task.title),
    };
    info(agent, &about(task, &message))
}

pub(crate) fn completed(agent: &str, task: &Task, took: Duration) -> LogLine {
    let message = format!("{} completed ({:.1}s)", capitalised(&task.kind), took.as_secs_f64());
    info(agent, &about(task, &message))
}

pub(crate) fn tried_again(agent: &str, task: &Task, reason: &str) -> LogLine {
    let message = format!("{} did not work out and is tried again: {reason}", capitalised(&task.kind));
    LogLine::new(agent, LogLevel::Warning, &about(task, &message))
}

pub(crate) fn failed(agent: &str, task: &Task, reason: &str) -> LogLine {
    let message = format!("{} failed: {reason}", capitalised(&task.kind));
    LogLine::new(agent, LogLevel::Error, &about(task, &message))
}

pub(crate) fn given_back(agent: &str, task: &Task) -> LogLine {
    info(agent, &about(task, &format!("Gave task {} back", task.id)))
}

pub(crate) fn locked(agent: &str, task: &Task, wait: Duration) -> LogLine {
    let message =
        format!("Task {} is locked by another program; looking again in {}s", task.id, wait.as_secs_f64());
    info(agent, &about(task, &message))
}

pub(crate) fn postponed(agent: &str, task: &Task, reason: &str, wait: Duration) -> LogLine {
    let message = format!("Task {} is put back for {} s: {reason}", task.id, wait.as_secs());
    LogLine::new(agent, LogLevel::Warning, &about(task, &message))
}

pub(crate) fn lock_unknown(agent: &str, task: &Task, reason: &str) -> LogLine {
    let message = format!("Whether another program has locked task {} is not known: {reason}", task.id);
    LogLine::new(agent, LogLevel::Warning, &about(task, &message))
}

pub(crate) fn lost(agent: &str, task: &Task) -> LogLine {
    let message = format!("Task {} is no longer ours; the work on it was dropped", task.id);
    LogLine::new(agent, LogLevel::Warning, &about(task, &message))
}

/// Somebody else was quicker, or it was us and the answer was lost.
pub(crate) fn too_late(agent: &str, task: &Task) -> LogLine {
    let message = format!("Task {} is no longer ours; what the store has of it stands", task.id);
    LogLine::new(agent, LogLevel::Warning, &about(task, &message))
}

pub(crate) fn left_to_watchdog(agent: &str, task: &Task, error: &StoreError) -> LogLine {
    let message = format!("Could not finish task {}, the watchdog will free it: {error}", task.id);
    LogLine::new(agent, LogLevel::Error, &about(task, &message))
}

/// `review` is the task as it was claimed.
pub(crate) fn reviewed(agent: &str, mark: ReviewMark, review: &StoredTask, feedback: &str) -> LogLine {
    let StoredTask { task, cycle, .. } = review;
    let line = review_log_line(mark, task.id.as_str(), cycle.review_attempt(), cycle.max_reviews(), feedback);
    let level = match mark {
        ReviewMark::Approved | ReviewMark::Rejected => LogLevel::Info,
        ReviewMark::Escalation => LogLevel::Warning,
    };
    LogLine::new(agent, level, &about(task, &line))
}

pub(crate) fn freed(expired: &Expired) -> LogLine {
    let Expired { task, holder, status } = expired;
    let now = match status {
        TaskStatus::Pending => "it is pending again",
        TaskStatus::Failed => "that happened too often, it has failed",
        other => other.as_str(),
    };
    LogLine::new(
        WATCHDOG,
        LogLevel::Warning,
        &format!("Freed task {task}: {holder} stopped answering; {now}"),
    )
}

/// Says of a store that does not answer once what is wrong, and is silent until it is something else.
#[derive(Debug, Default)]
pub(crate) struct Trouble(Option<String>);

impl Trouble {
    pub(crate) fn say_once(&mut self, log: &(impl ActivityLog + ?Sized), agent: &str, error: &StoreError) {
        let message = error.to_string();
        if self.0.as_ref() != Some(&message) {
            log.write(&LogLine::new(agent, LogLevel::Error, &message));
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

fn about(task: &Task, message: &str) -> String {
    match jira_key(task) {
        Some(key) => format!("[{key}] {message}"),
        None => message.to_owned(),
    }
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
        16:17:23 INFO [qa] Polling queue: qa
        16:17:23 INFO [qa] Found task: t-1
        16:17:23 INFO [qa] [PROJ-123] Starting review of PR #456
        16:17:23 INFO [qa] [PROJ-123] Review completed (82.3s)
        "
        );
    }

    #[test]
    fn without_key_and_pull_request_the_title_stands_in() {
        let fix = task("fix", json!({"jira_key": 5, "pr_number": -1}));
        assert_eq!(
            said(&starting("engineer", &fix)),
            "16:17:23 INFO [engineer] Starting fix: Add authentication"
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
        16:17:23 INFO [qa] [P-1] [REVIEW-APPROVED] assignment t-1 approved on attempt 1/3: 2 findings
        16:17:23 INFO [qa] [P-1] [REVIEW-REJECTED] assignment t-1 needs rework, attempt 1/3: 2 findings
        16:17:23 WARNING [qa] [P-1] [REVIEW-ESCALATION] assignment t-1 escalated to human review on attempt 1/3: 2 findings
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
