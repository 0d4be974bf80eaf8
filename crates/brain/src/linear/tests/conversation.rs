//! What is asked, what is answered, and what becomes of answers that are none.

use std::time::Duration;

use domain::ports::Reviewer;
use domain::review::{Usage, Verdict};
use domain::words::Dimension;

use super::*;
use crate::call::{CallError, Ended};
use crate::linear::{Plan, Unplannable};
use crate::packing::count_call;
use crate::scripted::{asked, entry, report, said};

#[test]
fn a_finding_its_place_its_scores_and_its_cost_are_handed_over() {
    let mind = Scripted::saying(report(&[entry("src/a.rs", 2, "check(x);", "HIGH", "`x` may be null")]));
    let evidence = review(&desk(), mind);
    assert_eq!(evidence.findings[0].location(), "src/a.rs:2");
    assert_eq!(evidence.coverage.files[0].hunks[0].seen_by, ["model 1/1"]);
    assert_eq!(evidence.scores.unwrap()[&Dimension::CODE_QUALITY], 97);
    assert_eq!(evidence.claimed, Some(Verdict::Fail));
    let usage = Usage { calls: 1, input_tokens: 100, output_tokens: 10, cost_micro_usd: Some(5) };
    assert_eq!((evidence.usage, evidence.troubles.len()), (Some(usage), 0));
    assert_eq!(evidence.remarks, ["model sums up: Looked at it."]);
}

#[test]
fn what_could_not_be_placed_is_counted_for_people() {
    let lost = |message| entry("src/a.rs", 70, "gone();", "LOW", message);
    let answer = report(&[lost("The lock is never released"), lost("Nobody reads the result")]);
    let evidence = review(&desk(), Scripted::saying(answer));
    assert_eq!(
        evidence.remarks,
        [
            "2 findings could not be placed in the diff where their reviewer saw them",
            "model sums up: Looked at it."
        ]
    );
    assert_eq!(evidence.findings.len(), 2);
}

#[test]
fn secrets_are_not_sent() {
    let mut desk =
        Desk::new(&[("src/hunter2.rs", "@@ -0,0 +1,1 @@ hunter2\n+let password = \"hunter2\";\n")]);
    desk.order.ticket = Some(domain::work::WorkItem::parse("t.md", "# Use hunter2\n- [ ] hunter2 works\n"));
    desk.known = vec![crate::scripted::finding("src/hunter2.rs", 1, "hunter2 is a secret")];
    for call in Plan::make(&desk.request(), REDACT).unwrap().calls() {
        assert!(asked(&call).contains("let password = \"[redacted]\";"));
        assert!(!asked(&call).contains("hunter2") && !call.system.contains("hunter2"), "{}", asked(&call));
    }
}

#[test]
fn the_same_request_asks_the_same_and_another_change_has_another_marker() {
    let calls = |desk: &Desk| Plan::make(&desk.request(), REDACT).unwrap().calls().collect::<Vec<_>>();
    assert_eq!(calls(&desk()), calls(&desk()));
    let other = Desk::new(&[("src/a.rs", &DIFF.replace("done", "gone"))]);
    assert_ne!(calls(&desk())[0].system, calls(&other)[0].system);
}

#[test]
fn an_answer_in_the_wrong_form_is_asked_for_once_more_with_what_is_wrong() {
    let wrong = report(&[entry("src/a.rs", 2, "check(x);", "DREADFUL", "`x` may be null")]);
    let right = wrong.replace("DREADFUL", "HIGH");
    let mind = Scripted::new(move |number, call| {
        if number > 0 {
            assert!(asked(call).contains("/findings/0/severity"), "{}", asked(call));
            assert_eq!(call.messages.len(), 3);
        }
        Ok(said(if number == 0 { &wrong } else { &right }))
    });
    let evidence = review(&desk(), mind);
    assert_eq!((evidence.findings.len(), evidence.troubles.len()), (1, 0));
    assert_eq!(evidence.usage.unwrap().calls, 2);
}

#[test]
fn a_repaired_answer_must_not_lose_a_finding() {
    let loose = r#"{"findings": [{"file": "src/a.rs", "line": 2, "severity": "HIGH", "message": "bad"}]}"#;
    let mind =
        Scripted::new(move |number, _| Ok(said(if number == 0 { loose } else { "" }.to_owned().as_str())));
    assert_eq!(review(&desk(), mind).findings.len(), 1);
    let mind =
        Scripted::new(move |number, _| Ok(said(&if number == 0 { loose.to_owned() } else { report(&[]) })));
    let evidence = review(&desk(), mind);
    assert_eq!((evidence.findings.len(), evidence.claimed), (1, None));
}

#[test]
fn where_there_is_no_room_to_ask_again_only_the_form_may_change() {
    let desk = several_calls();
    let first = Plan::make(&desk.request(), REDACT).unwrap().calls().next().unwrap();
    let prose = "Nothing to complain about. ".repeat(100);
    let mind = Scripted::new(move |_, call| {
        assert!(count_call(call) <= 5_000);
        let is_repair = call.system.starts_with("You put the report");
        Ok(said(&if is_repair { report(&[]) } else { prose.clone() }))
    });
    assert!(count_call(&first) > 4_000, "the bundle has to be nearly full for this test");
    let evidence = review(&desk, mind);
    assert!(kinds(&evidence).contains(&"unparsable"), "{:?}", evidence.troubles);
}

#[test]
fn what_is_no_answer_is_trouble_and_nothing_counts_as_seen() {
    let ended = |ended, text: &str| {
        let mut answer = said(text);
        answer.ended = ended;
        Ok(answer)
    };
    let model = || "scripted:one".to_owned();
    let reason = || "because".to_owned();
    let cases = [
        ("unparsable", Ok(said("Looks good!"))),
        ("empty", Ok(said(" \n"))),
        ("empty", ended(Ended::CutOff, "")),
        ("refused", ended(Ended::Refused, "I will not")),
        ("cut_off", ended(Ended::CutOff, "{\"summary\": \"all is")),
        ("rate_limited", Err(CallError::RateLimited { model: model(), retry_after: None })),
        ("timed_out", Err(CallError::TimedOut { model: model() })),
        ("unauthorised", Err(CallError::Unauthorised { model: model(), reason: reason() })),
        ("too_large", Err(CallError::TooLarge { model: model(), reason: reason() })),
        ("failed", Err(CallError::Failed { model: model(), reason: "\u{1b}[31mhunter2".into() })),
        ("over_budget", Err(CallError::OverBudget("the day's budget is used up".into()))),
        ("not_configured", Err(CallError::NotConfigured("no model is configured".into()))),
    ];
    for (kind, answer) in cases {
        let evidence = review(&desk(), Scripted::new(move |_, _| answer.clone()));
        assert_eq!(kinds(&evidence), [kind]);
        assert_eq!(evidence.coverage.unseen().count(), 1, "{kind}");
        assert_eq!((evidence.scores, evidence.claimed), (None, None), "{kind}");
        let message = &evidence.troubles[0].message;
        assert!(!message.contains("hunter2") && !message.contains('\u{1b}'), "{message}");
    }
}

#[test]
fn findings_of_an_answer_that_broke_off_are_kept() {
    let whole = report(&[
        entry("src/a.rs", 2, "", "HIGH", "`x` may be null"),
        entry("src/a.rs", 3, "", "LOW", "other"),
    ]);
    let mind = Scripted::new(move |_, _| {
        let mut answer = said(&whole[..whole.find("other").unwrap()]);
        answer.ended = Ended::CutOff;
        Ok(answer)
    });
    let evidence = review(&desk(), mind);
    assert_eq!((evidence.findings.len(), kinds(&evidence)), (1, vec!["cut_off"]));
}

#[test]
fn a_review_ends_when_its_time_is_up_and_keeps_what_it_has() {
    let mut desk = several_calls();
    desk.config.model.timeout = 1;
    let evidence = review(&desk, Scripted::saying(report(&[])).slow(Duration::from_secs(3_600)));
    let calls = evidence.troubles[0].message.split(' ').next().unwrap().to_owned();
    assert_eq!(kinds(&evidence), ["timed_out"]);
    assert!(calls.parse::<usize>().unwrap() > 1, "{:?}", evidence.troubles);
    assert_eq!(evidence.coverage.unseen().count(), 4);
}

#[test]
fn a_change_with_nothing_to_review_is_not_sent() {
    let desk = Desk::new(&[("Cargo.lock", "@@ -0,0 +1,1 @@\n+x\n")]);
    let evidence = review(&desk, Scripted::new(|_, _| panic!("nothing was to be asked")));
    assert_eq!((evidence.usage, evidence.claimed, evidence.troubles.len()), (None, None, 0));
}

#[test]
fn a_budget_without_room_for_a_diff_is_an_error_that_says_what_to_do() {
    let mut desk = desk();
    desk.config.model.context_tokens = 9_000;
    assert!(matches!(Plan::make(&desk.request(), REDACT), Err(Unplannable::NoRoom { .. })));
    let error = reviewer(vec![Scripted::saying("")]).review(&desk.request()).unwrap_err();
    assert!(error.reason.contains("Raise model.context_tokens"), "{}", error.reason);
}

#[test]
fn it_may_be_called_from_inside_a_runtime_and_on_a_given_one() {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let on_it = reviewer(vec![Scripted::saying(report(&[]))]).on(runtime.handle().clone());
    assert!(on_it.review(&desk().request()).unwrap().troubles.is_empty());
    let inside =
        runtime.block_on(async { reviewer(vec![Scripted::saying(report(&[]))]).review(&desk().request()) });
    assert!(inside.unwrap().troubles.is_empty());
}

#[test]
fn nothing_found_in_the_wrong_form_twice_is_never_clean() {
    for (said, kind) in [
        (r#"{"error":"quota exceeded","findings":[]}"#.to_owned(), "unparsable"),
        ("[]".to_owned(), "unparsable"),
        (report(&[]).replace("pass", "fail"), "unexplained"),
    ] {
        let evidence = review(&desk(), Scripted::saying(said.clone()));
        assert_eq!(evidence.troubles[0].kind, kind, "{said}");
        assert_eq!(evidence.usage.unwrap().calls, 2, "{said}");
    }
}

#[test]
fn the_next_model_is_asked_when_one_stays_unreadable_and_is_named_alone() {
    let mind = Scripted::of_models(&["a:one", "b:two"], |model| {
        Ok(if model == "a:one" { "[]".to_owned() } else { report(&[]) })
    });
    let evidence = review(&desk(), mind);
    assert_eq!((kinds(&evidence), evidence.usage.unwrap().calls), (vec![], 3));
    assert_eq!(evidence.answered_by.as_deref(), Some("b:two"));
    assert_eq!(evidence.remarks, ["b:two sums up: Looked at it."]);
    assert_eq!(evidence.coverage.files[0].hunks[0].seen_by, ["b:two 1/1"]);
}

#[test]
fn models_that_are_all_unreadable_are_all_named() {
    let evidence = review(&desk(), Scripted::of_models(&["a:one", "b:two"], |_| Ok("[]".to_owned())));
    let told: Vec<_> = evidence.troubles.iter().map(|trouble| trouble.message.as_str()).collect();
    assert_eq!((told.len(), evidence.usage.unwrap().calls), (2, 4));
    assert!(told[0].starts_with("a:one: ") && told[1].starts_with("b:two: "), "{told:?}");
}

#[test]
fn a_model_that_answers_in_form_is_not_passed_over_for_its_findings() {
    let found = report(&[entry("src/a.rs", 2, "check(x);", "HIGH", "`x` may be null")]);
    let evidence = review(&desk(), Scripted::of_models(&["a:one", "b:two"], move |_| Ok(found.clone())));
    assert_eq!((evidence.answered_by.as_deref(), evidence.usage.unwrap().calls), (Some("a:one"), 1));
}
