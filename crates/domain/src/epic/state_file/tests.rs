use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::formats::fixture;
use crate::formats::review_report::ReviewReport;

fn reviewed() -> EpicState {
    let report = ReviewReport::from(&fixture::review());
    let mut ticket = TicketState::new(TicketStatus::NeedsRevision);
    ticket.revision_count = 1;
    ticket.review_started_at = Some(report.reviewed_at);
    ticket.review_completed_at = Some(report.reviewed_at);
    ticket.review_approved = Some(false);
    ticket.review_history = vec![ReviewHistoryEntry::from(&report).into()];
    ticket.current_review_report = Some(report.cleaned().into());
    let mut state = EpicState { epic_id: Some("auth".into()), ..EpicState::default() };
    state.tickets.insert("auth-base".into(), ticket);
    state
}

#[test]
fn every_field_of_the_extension_is_written() {
    let value: Value = serde_json::from_str(&reviewed().to_json()).unwrap();
    let ticket = &value["tickets"]["auth-base"];
    for key in [
        "status",
        "revision_count",
        "review_started_at",
        "review_completed_at",
        "review_approved",
        "review_history",
        "current_review_report",
    ] {
        assert!(!ticket[key].is_null(), "{key}");
    }
    let entry: Vec<_> = ticket["review_history"][0].as_object().unwrap().keys().collect();
    let expected =
        ["attempt", "reviewed_at", "status", "overall_score", "blocking_issues_count", "revision_notes"];
    assert_eq!(entry, expected);
    assert_eq!(ticket["status"], "needs_revision");
}

#[test]
fn a_ticket_before_its_review_says_null_and_not_nothing() {
    let value = serde_json::to_value(TicketState::new(TicketStatus::Pending)).unwrap();
    assert_eq!(value["review_started_at"], Value::Null);
    assert_eq!((&value["revision_count"], &value["review_history"]), (&json!(0), &json!([])));
    assert!(value.as_object().unwrap().contains_key("review_approved"));
}

#[test]
fn a_file_of_before_there_were_reviews_is_read_and_written_back_whole() {
    let old = json!({
        "epic": "auth", "started_at": "2026-02-03T10:00:00",
        "tickets": { "a": { "status": "completed", "phase": "done", "git": { "branch": "ticket/a" } }, "b": {} },
    });
    let state = EpicState::parse(&old.to_string()).unwrap();
    assert_eq!(state.tickets["a"].status, TicketStatus::Completed);
    assert_eq!((state.tickets["b"].status, state.tickets["b"].revision_count), (TicketStatus::Pending, 0));
    let written: Value = serde_json::from_str(&state.to_json()).unwrap();
    assert_eq!(
        (&written["epic"], &written["tickets"]["a"]["git"]),
        (&old["epic"], &old["tickets"]["a"]["git"])
    );
    assert_eq!(written["started_at"], "2026-02-03T10:00:00Z");
}

#[test]
fn a_field_of_the_wrong_type_is_named_with_its_place() {
    let said = |value: Value| EpicState::parse(&value.to_string()).unwrap_err().to_string();
    let ticket = |fields: Value| json!({ "tickets": { "a": fields } });
    assert_eq!(
        said(ticket(json!({ "revision_count": "2" }))),
        "tickets.a.revision_count: invalid type: string \"2\", expected u32"
    );
    assert!(said(ticket(json!({ "status": "sleeping" }))).starts_with("tickets.a.status: unknown variant"));
    assert!(
        said(ticket(json!({ "review_history": [{ "attempt": 0 }] })))
            .starts_with("tickets.a.review_history[0].")
    );
    assert!(said(ticket(json!({ "started_at": "soon" }))).contains("is not an ISO 8601 timestamp"));
    assert!(
        said(ticket(json!({ "current_review_report": {} }))).starts_with("tickets.a.current_review_report: ")
    );
    assert_eq!(said(json!({ "tickets": [] })), "tickets: expected an object, found a list");
    assert_eq!(said(json!({ "tickets": { "a": 1 } })), "tickets.a: expected an object, found a number");
    assert!(matches!(EpicState::parse("{"), Err(BadState::NotJson(_))));
}

/// Puts a field nobody knows into every object.
fn spiced(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            fields.values_mut().for_each(spiced);
            fields.insert("x_other".into(), json!({ "deep": [1, null] }));
        }
        Value::Array(items) => items.iter_mut().for_each(spiced),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

#[test]
fn fields_of_others_are_kept_at_every_level() {
    let mut state = reviewed();
    if let Some(ticket) = state.tickets.get_mut("auth-base") {
        ticket.current_review_report = None;
        let report = ReviewReport::from(&fixture::review()).cleaned();
        ticket.current_review_report = Some(report.into());
    }
    let mut old: Value = serde_json::from_str(&state.to_json()).unwrap();
    old["tickets"]["auth-base"]["review_history"].as_array_mut().unwrap().iter_mut().for_each(spiced);
    let report = &mut old["tickets"]["auth-base"]["current_review_report"];
    report["findings"].as_array_mut().unwrap().iter_mut().for_each(spiced);
    report["x_other"] = json!(1);
    old["tickets"]["auth-base"]["x_other"] = json!([1]);
    old["x_other"] = json!({});
    let read = EpicState::parse(&old.to_string()).unwrap();
    let written = EpicState::merged(Some(read), state);
    assert_eq!(serde_json::from_str::<Value>(&written.to_json()).unwrap(), old);
}

#[test]
fn the_new_state_wins_and_a_new_report_brings_nothing_of_the_old_one() {
    let mut old: Value = serde_json::from_str(&reviewed().to_json()).unwrap();
    old["tickets"]["auth-base"]["current_review_report"]["x_other"] = json!(1);
    old["tickets"]["gone"] = json!({ "status": "failed" });
    let old = EpicState::parse(&old.to_string()).unwrap();
    let mut new = reviewed();
    let ticket = new.tickets.get_mut("auth-base").unwrap();
    let mut report = ReviewReport::from(&fixture::clean_review()).cleaned();
    report.revision_count = 1;
    ticket.status = TicketStatus::Completed;
    ticket.current_review_report = Some(report.into());
    let merged = EpicState::merged(Some(old), new.clone());
    assert_eq!(merged.tickets["auth-base"], new.tickets["auth-base"]);
    assert_eq!(merged.tickets["gone"].status, TicketStatus::Failed);
}

fn anything() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        ".{0,8}".prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 16, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map("[a-z]{1,6}", inner, 0..4)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

fn others() -> impl Strategy<Value = Map<String, Value>> {
    prop::collection::btree_map("x_[a-z]{1,4}", anything(), 0..4).prop_map(|map| map.into_iter().collect())
}

proptest! {
    #[test]
    fn unknown_fields_survive_reading_merging_and_writing(
        at_top in others(), in_ticket in others(), in_entry in others(), status in 0usize..9,
    ) {
        let mut old = reviewed();
        old.other = at_top.clone();
        let ticket = old.tickets.get_mut("auth-base").unwrap();
        ticket.other = in_ticket.clone();
        ticket.review_history[0].other = in_entry.clone();
        let read = EpicState::parse(&old.to_json()).unwrap();
        prop_assert_eq!(serde_json::to_value(&read).unwrap(), serde_json::to_value(&old).unwrap());
        let mut new = reviewed();
        new.tickets.get_mut("auth-base").unwrap().status = TicketStatus::ALL[status];
        let merged = EpicState::merged(Some(read), new);
        let again = EpicState::parse(&merged.to_json()).unwrap();
        let ticket = &again.tickets["auth-base"];
        prop_assert_eq!((&again.other, &ticket.other, &ticket.review_history[0].other), (&at_top, &in_ticket, &in_entry));
        prop_assert_eq!(ticket.status, TicketStatus::ALL[status]);
    }

    #[test]
    fn reading_never_panics(value in anything(), text in "(?s).{0,60}") {
        let _ = EpicState::parse(&text);
        let _ = EpicState::parse(&value.to_string());
        let _ = EpicState::parse(&json!({ "tickets": { "a": value } }).to_string());
    }
}
