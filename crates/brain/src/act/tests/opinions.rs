//! Second opinions, majorities, and models that can take less than they were said to.

use super::*;
use crate::scripted::{entry, report};

fn finding() -> String {
    report(&[entry("src/a.rs", 2, "check(x);", "HIGH", "`x` may be null")])
}

fn is_second_opinion(call: &Call) -> bool {
    call.schema.as_ref().is_some_and(|schema| schema.name == "second_opinion")
}

#[test]
fn what_an_exploration_found_is_put_to_question() {
    let mut desk = desk();
    desk.config.model.verify = true;
    let evidence = explore(&desk, |number, call| {
        if is_second_opinion(call) {
            assert!(last_user(call).contains("+2|    check(x);"), "{}", last_user(call));
            return Ok(said(r#"{"refuted": true, "reason": "checked above"}"#));
        }
        Ok(if number == 0 { shows_all() } else { said(&finding()) })
    });
    assert_eq!(evidence.findings[0].confidence, domain::review::Confidence::Low);
    assert!(evidence.remarks.contains(&"1 finding was refuted by a second opinion".to_owned()));
    assert_eq!((evidence.scores, evidence.usage.unwrap().calls), (None, 3));
}

fn agreed(reports: [String; 2], looks: [bool; 2]) -> Evidence {
    let mut desk = desk();
    desk.config.model.consensus = 2;
    let minds = reports.into_iter().zip(looks).zip(["one", "two"]).map(|((report, looks), name)| {
        let script =
            move |number, _: &Call| Ok(if number == 0 && looks { shows_all() } else { said(&report) });
        Scripted::new(script).called(name)
    });
    let reviewer = ModelReviewer::new("model", minds.collect(), REDACT).in_mode(Mode::Agentic);
    reviewer.review(&desk.request()).unwrap()
}

#[test]
fn several_explore_and_only_what_most_find_counts() {
    let evidence = agreed([finding(), report(&[])], [true, true]);
    assert_eq!(evidence.findings[0].impact, "Only 1 of 2 reviewers found this.");
    assert_eq!(evidence.coverage.files[0].hunks[0].seen_by, ["one", "two"]);
    assert_eq!((kinds(&evidence), evidence.usage.unwrap().calls), (vec![], 4));
    let evidence = agreed([finding(), finding()], [true, true]);
    assert_eq!((evidence.findings.len(), evidence.findings[0].impact.as_str()), (1, ""));
}

#[test]
fn what_one_of_several_passed_over_was_not_seen() {
    let evidence = agreed([finding(), report(&[])], [true, false]);
    assert_eq!(evidence.coverage.unseen().count(), 1);
}

#[test]
fn a_model_that_cannot_take_as_much_is_shown_less_at_a_time() {
    let line = "+    let value = compute_something(with, quite, a_few, arguments);\n".repeat(100);
    let diff = format!("@@ -1,0 +1,100 @@\n{line}");
    let mut desk = Desk::new(&[("src/a.rs", &diff), ("src/b.rs", &diff)]);
    desk.config.model.context_tokens = 16_000;
    desk.config.model.output_tokens = 1_000;
    let limit = 9_000;
    let evidence = explore(&desk, move |_, call| {
        if crate::packing::count_call(call) > limit {
            return Err(CallError::TooLarge { model: "m".into(), reason: "too long".into() });
        }
        let all: String = call.messages.iter().map(|message| format!("{message:?}")).collect();
        if all.contains("2 of 2 hunks seen") {
            return Ok(said(&report(&[])));
        }
        let file = if all.contains("1 of 2 hunks seen") { "src/b.rs" } else { "src/a.rs" };
        let parts = (1..4).map(|part| ("show_hunk", json!({ "file": file, "hunk": 1, "part": part })));
        Ok(wants(&parts.collect::<Vec<_>>()))
    });
    assert_eq!((kinds(&evidence), evidence.coverage.unseen().count()), (vec![], 0), "{:?}", evidence.remarks);
}
