use proptest::prelude::*;

use super::*;
use crate::cycle::{Chain, Limits, TaskStatus};

const FULL: &str = r##"{
  "id": "review-qa-1738588800000-a1b2c3", "type": "review", "status": "pending", "priority": 50,
  "created_by": "engineer-1", "assigned_to": "qa", "created_at": "2026-02-03T10:00:00.000Z",
  "title": "Review PR #456 - Add authentication", "description": "Review PR for security and correctness",
  "depends_on": [], "blocks": [],
  "acceptance_criteria": ["All security checks pass", "Code follows style guidelines"],
  "deliverables": [], "notes": [],
  "context": {"jira_key": "PROJ-123", "jira_project": "PROJ", "github_repo": "owner/repo",
    "pr_number": 456, "branch_name": "feature/authentication", "epic_key": "PROJ-100"},
  "retry_count": 0, "plan": null
}"##;

fn with(change: &str, value: serde_json::Value) -> Result<NewTask, Invalid> {
    let mut json: serde_json::Value = serde_json::from_str(FULL).unwrap();
    json[change] = value;
    NewTask::new(Task::parse(&json.to_string())?, Limits::default())
}

fn field_of(refused: Result<NewTask, Invalid>) -> String {
    refused.unwrap_err().field
}

#[test]
fn the_published_format_is_given_back_to_the_letter() {
    let before: serde_json::Value = serde_json::from_str(FULL).unwrap();
    let after = serde_json::to_value(Task::parse(FULL).unwrap()).unwrap();
    assert_eq!(before, after);
    let names = |value: &serde_json::Value| value.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    assert_eq!(names(&before), names(&after));
}

#[test]
fn unknown_fields_are_kept() {
    let task = with("estimate", serde_json::json!({"days": 2.5})).unwrap();
    assert_eq!(serde_json::to_value(task.task()).unwrap()["estimate"]["days"], 2.5);
}

#[test]
fn what_is_left_out_has_its_default() {
    let task = Task::parse(r#"{"id":"a","type":"review","assigned_to":"qa","title":"T"}"#).unwrap();
    assert_eq!((task.status, task.priority, task.retry_count), (TaskStatus::Pending, 50, 0));
    NewTask::new(task, Limits::default()).unwrap();
}

#[test]
fn errors_name_the_field() {
    use serde_json::json;
    let cases = [
        ("id", json!("../etc/passwd")),
        ("id", json!("a/b")),
        ("id", json!("a\u{0}b")),
        ("id", json!("")),
        ("id", json!("x".repeat(200))),
        ("type", json!("re view")),
        ("status", json!("doing")),
        ("status", json!("completed")),
        ("priority", json!(0)),
        ("priority", json!(101)),
        ("priority", json!("high")),
        ("assigned_to", json!("..")),
        ("assigned_to", json!(null)),
        ("created_at", json!("yesterday")),
        ("title", json!(" ")),
        ("title", json!("a\nb")),
        ("description", json!("x".repeat(300_000))),
        ("depends_on", json!(["a", "a"])),
        ("depends_on", json!("a")),
        ("blocks", json!([1])),
        ("context", json!([])),
        ("notes", json!([{}])),
    ];
    for (field, value) in cases {
        assert_eq!(field_of(with(field, value.clone())), field, "{value}");
    }
}

#[test]
fn a_refusal_says_what_would_be_right_and_names_the_field_once() {
    for priority in [serde_json::json!(500), serde_json::json!(-1), serde_json::json!("high"), 1.5.into()] {
        let refused = with("priority", priority).unwrap_err().to_string();
        assert_eq!(refused, "priority: is a number from 1 (most urgent) to 100");
    }
    let refused = |field, value| with(field, value).unwrap_err().to_string();
    assert!(refused("id", "a/b".into()).starts_with("id: holds '/'"));
    assert!(refused("depends_on", serde_json::json!(["a/b"])).starts_with("depends_on: holds '/'"));
}

#[test]
fn the_schema_tells_how_long_a_description_may_be() {
    let schema = crate::formats::schema::schema("task").unwrap().to_string();
    assert!(schema.contains(&format!("in {} bytes at most", super::validate::LONGEST_TEXT)), "{schema}");
}

#[test]
fn a_fix_that_somebody_queues_answers_no_review() {
    assert_eq!(with("type", "fix".into()).unwrap().cycle().review_attempt(), 0);
    assert_eq!(with("type", "review".into()).unwrap().cycle().review_attempt(), 1);
}

#[test]
fn a_task_that_is_too_large_as_a_whole_is_refused() {
    assert_eq!(field_of(with("huge", "x".repeat(2_000_000).into())), "task");
}

#[test]
fn a_new_task_counts_its_retries_from_zero() {
    assert_eq!(with("retry_count", 7.into()).unwrap().task().retry_count, 0);
}

#[test]
fn ids_are_made_of_type_agent_time_and_chance() {
    let id = TaskId::generate("review", "qa", 1_738_588_800_000, 0xffa1_b2c3).unwrap();
    assert_eq!(id.as_str(), "review-qa-1738588800000-a1b2c3");
}

#[test]
fn a_task_has_as_many_reviews_as_it_says() {
    assert_eq!(with("max_review_cycles", serde_json::json!(1)).unwrap().cycle().max_reviews(), 1);
    assert_eq!(with("max_review_cycles", serde_json::Value::Null).unwrap().cycle().max_reviews(), 3);
    for wrong in [serde_json::json!(0), serde_json::json!(6), serde_json::json!("two")] {
        assert_eq!(field_of(with("max_review_cycles", wrong)), "max_review_cycles");
    }
}

#[test]
fn a_fix_task_keeps_its_place_in_the_chain() {
    let chain = Chain { review_attempt: 2, granted: 0 };
    let task = Task::parse(&FULL.replace("\"type\": \"review\"", "\"type\": \"fix\"")).unwrap();
    let fix = NewTask::in_chain(task, Limits::default(), chain).unwrap();
    assert_eq!(fix.cycle().review_attempt(), 2);
}

#[test]
fn a_lost_holder_costs_a_retry_and_no_wait() {
    let new = with("type", "implementation".into()).unwrap();
    let lost = settle_lost(new.cycle(), "qa-1").unwrap();
    assert_eq!((lost.status(), lost.cycle.retry_count()), (TaskStatus::Pending, 1));
    assert_eq!(lost.retry_after, std::time::Duration::ZERO);
    assert_eq!(lost.reason.as_deref(), Some("qa-1 stopped answering"));
}

proptest! {
    #[test]
    fn an_id_is_one_plain_file_name(text in ".*|[a-z./_-]{0,12}") {
        if let Ok(id) = TaskId::parse(&text) {
            let path = std::path::Path::new(id.as_str());
            prop_assert_eq!(path.file_name().and_then(|name| name.to_str()), Some(id.as_str()));
            prop_assert_eq!(path.components().count(), 1);
        }
    }

    #[test]
    fn parsing_never_panics(json in "(?s).*") {
        let _ = Task::parse(&json);
    }
}
