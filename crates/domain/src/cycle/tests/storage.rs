use serde_json::{Value, json};

use super::*;

fn stored(cycle: &Cycle) -> Value {
    serde_json::to_value(cycle).unwrap()
}

fn read(value: Value) -> Result<Cycle, String> {
    serde_json::from_value(value).map_err(|error| error.to_string())
}

#[test]
fn a_cycle_is_stored_in_plain_words() {
    let cycle = after(
        &Cycle::task(TaskKind::Review, Limits::default(), Chain::FIRST).unwrap(),
        &[Event::Start, inconclusive()],
    );
    let value = stored(&cycle);
    assert_eq!(value["lifecycle"], json!({"kind": "task", "task": "review"}));
    assert_eq!(value["state"], json!({"at": "pending"}));
    assert_eq!(value["counters"]["inconclusive"], 1);
}

#[test]
fn a_state_of_another_lifecycle_is_not_read() {
    let mut value = stored(&Cycle::story(Limits::default()).unwrap());
    value["state"] = json!({"at": "queued"});
    assert_eq!(read(value), Err("a story is never in this state".into()));
}

#[test]
fn counters_past_their_limits_are_not_read() {
    let start = stored(&Cycle::story(Limits::default()).unwrap());
    for (counter, number) in [("attempt", 0), ("attempt", 4), ("granted", 3), ("inconclusive", 4)] {
        let mut value = start.clone();
        value["counters"][counter] = number.into();
        assert_eq!(read(value), Err("the counters are past their limits".into()), "{counter} {number}");
    }
}

#[test]
fn bad_limits_are_not_read() {
    let mut value = stored(&Cycle::story(Limits::default()).unwrap());
    value["limits"]["hard_cap"] = 2.into();
    assert!(read(value).unwrap_err().contains("hard_cap"));
}

#[test]
fn statuses_are_written_as_the_lifecycles_name_them() {
    let written = |value: Value| value.as_str().unwrap().to_owned();
    for status in TicketStatus::ALL {
        assert_eq!(written(json!(status)), status.as_str());
    }
    for status in AssignmentStatus::ALL {
        assert_eq!(written(json!(status)), status.as_str());
    }
    for status in StoryStatus::ALL {
        assert_eq!(written(json!(status)), status.as_str());
    }
    for status in TaskStatus::ALL {
        assert_eq!(written(json!(status)), status.as_str());
    }
    for action in [Activity::SubmittedReviewResult, Activity::EscalatedForHumanReview] {
        assert_eq!(written(json!(action)), action.as_str());
    }
}

#[test]
fn the_nine_words_of_a_ticket_are_exactly_these() {
    assert_eq!(
        TicketStatus::ALL.map(TicketStatus::as_str).join("|"),
        "pending|queued|executing|validating|reviewing|needs_revision|completed|failed|blocked"
    );
}

#[test]
fn there_is_a_schema_for_it() {
    let schema = serde_json::to_value(schemars::schema_for!(Cycle)).unwrap();
    assert_eq!(schema["title"], "Cycle");
    assert!(schema["properties"]["counters"].is_object());
}

#[test]
fn a_reason_from_outside_is_stored_as_one_short_line() {
    let reason = "\u{1b}[31mpanic\n".repeat(10_000);
    let task = Cycle::task(TaskKind::Other, Limits { max_retries: 0, ..Limits::default() }, Chain::FIRST);
    let end = after(&task.unwrap(), &[Event::Start, Event::ExecutionFailed { reason }]);
    let text = end.failure_reason().unwrap();
    assert!(text.len() < 600 && !text.chars().any(char::is_control), "{text}");
}
