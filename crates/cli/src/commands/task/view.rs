//! How tasks are shown. The JSON is the task's published format with what the store knows beside it.

use domain::cycle::TaskStatus;
use domain::tasks::{Dependency, StoredTask};
use jiff::Timestamp;
use serde_json::{Value, json};

use crate::pretty::{Cell, Tone, span, table};

/// What a task is seen against: the store's time, and who is paused.
#[derive(Debug)]
pub(super) struct Moment {
    pub(super) now: Timestamp,
    pub(super) paused: Vec<String>,
}

pub(super) fn json(stored: &StoredTask, moment: &Moment) -> Value {
    let held = stored
        .held
        .as_ref()
        .map(|held| json!({ "holder": held.holder, "since": held.since, "until": held.until }));
    json!({
        "task": stored.task,
        "held": held,
        "reason": stored.reason,
        "blocked_because": stored.blocked_because(),
        "waits_because": waits_because(stored, moment),
        "waits_for": stored.waits_for.iter().map(|dependency| &dependency.id).collect::<Vec<_>>(),
        "not_before": stored.not_before,
        "updated_at": stored.updated_at,
    })
}

/// `pending  50  qa  review-qa-1738588800000-a1b2c3  3m 12s  Review PR #456  (waits for other)`, in columns. With a
/// width, for a terminal, the columns have names.
pub(super) fn list(tasks: &[StoredTask], moment: &Moment, width: Option<usize>) -> String {
    let heading = ["STATUS", "PRIORITY", "AGENT", "ID", "AGE", "TITLE"];
    let heading = if width.is_some() && !tasks.is_empty() { &heading[..] } else { &[] };
    let rows: Vec<Vec<Cell>> = tasks.iter().map(|stored| row(stored, moment)).collect();
    table(heading, &rows, width)
}

fn row(stored: &StoredTask, moment: &Moment) -> Vec<Cell> {
    let task = &stored.task;
    let title = match standing(stored, moment) {
        Some(standing) => format!("{}  ({standing})", task.title),
        None => task.title.clone(),
    };
    vec![
        Cell::text(task.status.as_str()).toned(tone(task.status)),
        Cell::number(task.priority),
        Cell::text(&task.assigned_to),
        Cell::text(task.id.as_str()),
        Cell::number(span(created(stored), moment.now)),
        Cell::text(&title),
    ]
}

fn tone(status: TaskStatus) -> Tone {
    match status {
        TaskStatus::Pending => Tone::Plain,
        TaskStatus::InProgress => Tone::Attention,
        TaskStatus::Completed => Tone::Good,
        TaskStatus::Failed | TaskStatus::Escalated => Tone::Bad,
        TaskStatus::Cancelled => Tone::Faint,
    }
}

pub(super) fn created(stored: &StoredTask) -> Timestamp {
    stored.task.created_at.parse().unwrap_or(stored.updated_at)
}

/// Why the task is where it is, in a few words; nothing where its status says it all.
pub(super) fn standing(stored: &StoredTask, moment: &Moment) -> Option<String> {
    match stored.task.status {
        TaskStatus::Pending => waits_because(stored, moment),
        TaskStatus::InProgress => stored
            .held
            .as_ref()
            .map(|held| format!("held by {} for {}", held.holder, span(held.since, moment.now))),
        TaskStatus::Failed | TaskStatus::Escalated => stored.reason.clone(),
        TaskStatus::Completed | TaskStatus::Cancelled => None,
    }
}

/// Why nobody takes a pending task now; nothing if it merely waits its turn.
pub(super) fn waits_because(stored: &StoredTask, moment: &Moment) -> Option<String> {
    if stored.task.status != TaskStatus::Pending {
        return None;
    }
    if let Some(blocked) = stored.blocked_because() {
        return Some(blocked);
    }
    if !stored.waits_for.is_empty() {
        return Some(format!("waits for {}", dependencies(&stored.waits_for)));
    }
    if let Some(then) = stored.not_before.filter(|then| *then > moment.now) {
        let reason = stored.reason.as_ref().map(|reason| format!(": {reason}")).unwrap_or_default();
        return Some(format!("tried again in {}{reason}", span(moment.now, then)));
    }
    let agent = &stored.task.assigned_to;
    moment.paused.contains(agent).then(|| format!("{agent} is paused"))
}

fn dependencies(all: &[Dependency]) -> String {
    const MOST: usize = 3;
    let mut names: Vec<String> = all
        .iter()
        .take(MOST)
        .map(|one| format!("{} ({})", one.id, one.status.map_or("not there yet", TaskStatus::as_str)))
        .collect();
    if all.len() > MOST {
        names.push(format!("{} more", all.len() - MOST));
    }
    names.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::cycle::Limits;
    use domain::tasks::{Held, NewTask, Task, TaskId};

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(1_700_000_000 + second).unwrap()
    }

    fn stored(name: &str, change: impl FnOnce(&mut StoredTask)) -> StoredTask {
        let mut task = Task::new(TaskId::parse(name).unwrap(), "review", "qa", "Review PR #456");
        task.created_at = at(-192).to_string();
        let new = NewTask::new(task, Limits::default()).unwrap();
        let mut stored = StoredTask {
            task: new.task().clone(),
            cycle: new.cycle().clone(),
            held: None,
            reason: None,
            not_before: None,
            updated_at: at(0),
            waits_for: vec![],
        };
        change(&mut stored);
        stored
    }

    #[test]
    fn a_list_says_why_each_task_is_where_it_is() {
        let on = |name: &str, status| Dependency { id: TaskId::parse(name).unwrap(), status };
        let tasks = [
            stored("ready", |task| task.task.assigned_to = "engineer".into()),
            stored("held", |task| {
                task.task.status = TaskStatus::InProgress;
                task.held = Some(Held { holder: "qa-1".into(), since: at(-61), until: at(600), token: 1 });
            }),
            stored("paused", |_| {}),
            stored("backing-off", |task| {
                task.not_before = Some(at(25));
                task.reason = Some("it\u{1b}[2J broke".into());
            }),
            stored("waiting", |task| {
                task.waits_for = vec![on("a", Some(TaskStatus::InProgress)), on("b", None)];
            }),
            stored("blocked", |task| task.waits_for = vec![on("a", Some(TaskStatus::Failed))]),
            stored("failed", |task| {
                task.task.status = TaskStatus::Failed;
                task.reason = Some("timed out after 5 s".into());
            }),
        ];
        let moment = Moment { now: at(0), paused: vec!["qa".into()] };
        let shown = list(&tasks, &moment, Some(120));
        insta::assert_snapshot!(anstream::adapter::strip_str(&shown).to_string(), @r"
        STATUS       PRIORITY  AGENT     ID              AGE  TITLE
        pending            50  engineer  ready        3m 12s  Review PR #456
        in_progress        50  qa        held         3m 12s  Review PR #456  (held by qa-1 for 1m 1s)
        pending            50  qa        paused       3m 12s  Review PR #456  (qa is paused)
        pending            50  qa        backing-off  3m 12s  Review PR #456  (tried again in 25s: it<U+001B>[2J broke)
        pending            50  qa        waiting      3m 12s  Review PR #456  (waits for a (in_progress), b (not there yet))
        pending            50  qa        blocked      3m 12s  Review PR #456  (its dependency a has failed)
        failed             50  qa        failed       3m 12s  Review PR #456  (timed out after 5 s)
        ");
    }
}
