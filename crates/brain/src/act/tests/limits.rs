//! The loop always ends, and with a report if there is one to be had.

use std::time::Duration;

use super::*;
use crate::call::Ended;
use crate::packing::count_call;
use crate::scripted::{entry, report};

fn finding() -> String {
    report(&[entry("src/a.rs", 2, "check(x);", "HIGH", "`x` may be null")])
}

#[test]
fn the_model_looks_reports_and_is_believed_about_what_it_saw() {
    let evidence = explore(&desk(), |number, call| {
        assert!(call.schema.is_none() && call.system.contains("Do nothing destructive"));
        Ok(if number == 0 { shows_all() } else { said(&finding()) })
    });
    assert_eq!((evidence.findings[0].location(), kinds(&evidence)), ("src/a.rs:2".into(), vec![]));
    assert_eq!(evidence.coverage.files[0].hunks[0].seen_by, ["model"]);
    assert_eq!(evidence.usage.unwrap().calls, 2);
    assert_eq!(
        evidence.remarks,
        [
            "Reviewed in mode AGENTIC_ACT_LOOP as was asked for",
            "The model explored in 2 turns; it ended with its report",
            "model sums up: Looked at it."
        ]
    );
}

#[test]
fn a_report_on_unseen_hunks_is_sent_back_twice_and_then_proves_nothing() {
    let evidence = explore(&desk(), |number, call| {
        if number > 0 {
            assert!(last_user(call).contains("Not seen yet:") && last_user(call).contains("src/a.rs: 1"));
        }
        Ok(said(&report(&[])))
    });
    assert_eq!((evidence.usage.unwrap().calls, evidence.coverage.unseen().count()), (3, 1));
    let evidence =
        explore(&desk(), |number, _| Ok(if number == 1 { shows_all() } else { said(&report(&[])) }));
    assert_eq!((evidence.usage.unwrap().calls, evidence.coverage.unseen().count()), (3, 0));
}

/// Goes on with tools for as long as there are any, then reports.
fn tireless(number: usize, call: &Call) -> Result<Answer, CallError> {
    if call.tools.is_empty() {
        assert!(call.schema.is_some() && last_user(call).contains("Give your report now"));
        assert!(call.messages.iter().all(|message| !matches!(message, Message::ToolResults(_))));
        return Ok(said(&finding()));
    }
    Ok(match number {
        0 => shows_all(),
        _ => wants(&[("grep", json!({ "pattern": format!("x{number}") }))]),
    })
}

#[test]
fn after_the_last_turn_the_report_is_asked_for_without_tools() {
    let mut desk = desk();
    desk.config.model.iterations = 4;
    let evidence = explore(&desk, tireless);
    assert_eq!((evidence.usage.unwrap().calls, evidence.findings.len(), kinds(&evidence)), (5, 1, vec![]));
    assert!(evidence.remarks[1].contains("model.iterations"), "{:?}", evidence.remarks);
    assert_eq!(evidence.coverage.unseen().count(), 0);
}

#[test]
fn who_finds_no_new_hunk_or_repeats_itself_is_stopped() {
    let stale = explore(&desk(), tireless);
    assert_eq!((stale.usage.unwrap().calls, kinds(&stale)), (10, vec![]));
    let repeating = explore(&desk(), |_, call| {
        if call.tools.is_empty() {
            Ok(said(&finding()))
        } else {
            Ok(wants(&[("list_files", json!({ "of": "change" }))]))
        }
    });
    assert_eq!(repeating.usage.unwrap().calls, 5);
    assert!(repeating.remarks[1].contains("no progress"), "{:?}", repeating.remarks);
    assert_eq!(repeating.coverage.unseen().count(), 1);
}

#[test]
fn without_money_there_is_no_report_and_what_was_not_answered_was_not_seen() {
    let broke = || Err(CallError::OverBudget("the day's budget is used up".into()));
    let evidence = explore(&desk(), move |number, _| if number == 0 { Ok(shows_all()) } else { broke() });
    assert_eq!((kinds(&evidence), evidence.coverage.unseen().count()), (vec!["over_budget"], 1));
    let evidence = explore(&desk(), move |number, call| match number {
        0 => Ok(shows_all()),
        1 => broke(),
        _ => {
            assert!(!last_user(call).contains("+2|    check(x);"));
            Ok(said(&report(&[])))
        }
    });
    assert_eq!((kinds(&evidence), evidence.coverage.unseen().count()), (vec![], 1));
}

#[test]
fn an_answer_that_broke_off_is_asked_for_again_and_its_findings_are_kept() {
    let cut = |text: &str| Answer { ended: Ended::CutOff, ..said(text) };
    let whole = report(&[entry("src/a.rs", 2, "", "HIGH", "bad"), entry("src/a.rs", 3, "", "LOW", "other")]);
    let half = whole[..whole.find("other").unwrap()].to_owned();
    let evidence = explore(&desk(), move |number, _| {
        Ok(match number {
            0 => shows_all(),
            1 => cut(&half),
            _ => cut("{"),
        })
    });
    assert_eq!((kinds(&evidence), evidence.findings.len()), (vec!["cut_off"], 1));
    assert_eq!(evidence.coverage.unseen().count(), 1);
    let evidence = explore(&desk(), move |number, _| {
        Ok(match number {
            0 => shows_all(),
            1 => cut("{"),
            _ => said(&finding()),
        })
    });
    assert_eq!((kinds(&evidence), evidence.coverage.unseen().count()), (vec![], 0));
}

#[test]
fn a_report_in_the_wrong_form_is_asked_for_once_more() {
    let evidence = explore(&desk(), |number, call| {
        if number == 2 {
            assert!(call.tools.is_empty() && last_user(call).contains("/findings/0/severity"));
        }
        Ok(match number {
            0 => shows_all(),
            1 => said(&finding().replace("HIGH", "DREADFUL")),
            _ => said(&finding()),
        })
    });
    assert_eq!((kinds(&evidence), evidence.findings.len()), (vec![], 1));
    let silent = explore(&desk(), |number, _| Ok(if number == 0 { shows_all() } else { said("") }));
    assert_eq!((kinds(&silent), silent.coverage.unseen().count()), (vec!["empty"], 1));
}

#[test]
fn a_review_ends_when_its_time_is_up() {
    let mut desk = desk();
    desk.config.model.timeout = 1;
    let mind = Scripted::saying(report(&[])).slow(Duration::from_secs(3_600));
    assert_eq!(kinds(&equipped(&desk, mind, Equipment::default())), ["timed_out"]);
}

#[test]
fn a_conversation_that_grows_keeps_its_mission_and_fits_into_its_context() {
    let line = "+    let value = compute_something(with, quite, a_few, arguments);\n".repeat(800);
    let diff = format!("@@ -1,0 +1,800 @@\n{line}");
    let mut desk = Desk::new(&[("src/a.rs", &diff)]);
    desk.config.model.context_tokens = 7_000;
    desk.config.model.output_tokens = 1_000;
    let evidence = explore(&desk, |number, call| {
        assert!(count_call(call) <= 6_000, "{}", count_call(call));
        let Some(Message::User(first)) = call.messages.first() else { panic!("no mission") };
        assert!(first.contains("# Your answer"));
        if number > 0 && results(call)[0].contains("1 of 1 hunks seen") {
            return Ok(said(&report(&[])));
        }
        Ok(wants(&[("show_hunk", json!({ "file": "src/a.rs", "hunk": 1, "part": number + 1 }))]))
    });
    assert_eq!((kinds(&evidence), evidence.coverage.unseen().count()), (vec![], 0));
    assert!(evidence.usage.unwrap().calls > 10, "{:?}", evidence.usage);
}

#[test]
fn more_calls_in_a_turn_than_there_is_room_for_are_not_taken_for_seen() {
    let line = "+    let value = compute_something(with, quite, a_few, arguments);\n".repeat(40);
    let diff = format!("@@ -1,0 +1,40 @@\n{line}");
    let names: Vec<_> = (0..20).map(|number| format!("src/file_{number}.rs")).collect();
    let files: Vec<_> = names.iter().map(|name| (name.as_str(), diff.as_str())).collect();
    let mut desk = Desk::new(&files);
    desk.config.model.context_tokens = 8_000;
    desk.config.model.output_tokens = 1_000;
    let evidence = explore(&desk, move |number, call| {
        assert!(count_call(call) <= 7_000, "{}", count_call(call));
        let all: Vec<_> = names.iter().map(|name| ("show_hunk", json!({ "file": name }))).collect();
        Ok(if number == 0 { wants(&all) } else { said(&report(&[])) })
    });
    let unseen = evidence.coverage.unseen().count();
    assert!((15..20).contains(&unseen), "{unseen}");
}
