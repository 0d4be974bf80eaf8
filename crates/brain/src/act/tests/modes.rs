//! Which mode is used, and what becomes of a linear review that failed.

use std::time::Duration;

use super::*;
use crate::scripted::{entry, report};

fn review(
    desk: &Desk,
    script: impl Fn(usize, &Call) -> Result<Answer, CallError> + Send + Sync + 'static,
) -> Evidence {
    ModelReviewer::new("model", vec![Scripted::new(script)], REDACT).review(&desk.request()).unwrap()
}

#[test]
fn linear_is_the_default() {
    let evidence = review(&desk(), |_, call| {
        assert!(call.tools.is_empty());
        Ok(said(&report(&[])))
    });
    assert_eq!(
        evidence.remarks,
        ["Reviewed in mode LINEAR_DETERMINISTIC by default", "model sums up: Looked at it."]
    );
}

#[test]
fn a_change_too_large_for_the_linear_budget_is_explored() {
    let mut desk = desk();
    desk.config.model.linear_tokens = 5;
    let evidence = review(&desk, |number, _| Ok(if number == 0 { shows_all() } else { said(&report(&[])) }));
    assert!(evidence.remarks[0].ends_with("because the change has more tokens than model.linear_tokens"));
    assert_eq!(evidence.coverage.unseen().count(), 0);
}

/// Fails as long as it is offered no tools.
fn only_with_tools(_: usize, call: &Call) -> Result<Answer, CallError> {
    if call.tools.is_empty() {
        return Ok(said("Looks good!"));
    }
    Ok(match call.messages.len() {
        1 => shows_all(),
        _ => said(&report(&[entry("src/a.rs", 2, "check(x);", "HIGH", "`x` may be null")])),
    })
}

#[test]
fn a_linear_review_that_failed_is_recovered_from() {
    let evidence = review(&desk(), only_with_tools);
    assert_eq!((kinds(&evidence), evidence.findings.len()), (vec![], 1));
    assert_eq!((evidence.coverage.unseen().count(), evidence.usage.unwrap().calls), (0, 4));
    let told = evidence.remarks.join("\n");
    assert!(
        told.contains("LINEAR_DETERMINISTIC by default") && told.contains("The linear review failed: "),
        "{told}"
    );
    assert!(
        told.contains("AGENTIC_ACT_LOOP because the linear review failed and model.recovery is on"),
        "{told}"
    );
}

#[test]
fn without_recovery_a_failed_review_stays_failed() {
    let mut desk = desk();
    desk.config.model.recovery = false;
    assert_eq!(kinds(&review(&desk, only_with_tools)), ["unparsable"]);
}

#[test]
fn an_empty_purse_is_nothing_to_recover_from() {
    let evidence = review(&desk(), |number, _| {
        assert_eq!(number, 0);
        Err(CallError::OverBudget("nothing left".into()))
    });
    assert_eq!(kinds(&evidence), ["over_budget"]);
    assert_eq!(evidence.remarks[1], "No other mode was tried: the budget is used up");
}

#[test]
fn where_both_attempts_fail_the_troubles_and_findings_of_both_are_told() {
    let linear =
        r#"{"findings": [{"file": "src/a.rs", "line": 2, "severity": "HIGH", "message": "bad"}, 7]}"#;
    let evidence = review(&desk(), move |number, _| match number {
        0 | 1 => Ok(said(linear)),
        _ => Err(CallError::TimedOut { model: "m".into() }),
    });
    assert_eq!((kinds(&evidence), evidence.findings.len()), (vec!["unparsable", "timed_out"], 1));
    assert_eq!(evidence.coverage.unseen().count(), 1);
}

#[test]
fn a_change_with_nothing_to_review_is_not_explored() {
    let desk = Desk::new(&[("Cargo.lock", "@@ -0,0 +1,1 @@\n+x\n")]);
    let evidence = explore(&desk, |_, _| panic!("nothing was to be asked"));
    assert_eq!((evidence.usage, kinds(&evidence)), (None, vec![]));
}

#[test]
fn a_model_that_asks_to_wait_too_long_is_not_asked_again_at_once() {
    let evidence = review(&desk(), |number, _| {
        assert_eq!(number, 0);
        Err(CallError::RateLimited { model: "m".into(), retry_after: Some(Duration::from_secs(9000)) })
    });
    let told = "m is limiting its rate and asks to wait 9000 s, longer than the time that is left";
    assert_eq!(evidence.troubles[0].message, told);
    assert!(evidence.remarks[1].starts_with("No other mode was tried: "), "{:?}", evidence.remarks);
}

#[test]
fn an_exploration_is_concluded_by_the_next_model_when_one_stays_unreadable() {
    let mind = Scripted::of_models(&["a:one", "b:two"], |model| {
        Ok(if model == "a:one" { "[]".to_owned() } else { report(&[]) })
    });
    let evidence = equipped(&desk(), mind, Equipment::default());
    assert_eq!((kinds(&evidence), evidence.answered_by.as_deref()), (vec![], Some("b:two")));
}
