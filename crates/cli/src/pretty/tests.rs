//! What the scenario tests over real repositories do not reach: reviews that only other reviewers produce.

use std::time::Duration;

use domain::change::{Change, Scope, Target};
use domain::gate::{GatePolicy, decide};
use domain::review::{Coverage, Review, Subject, Trouble, Verdict};

use super::{Look, Run, render};

#[test]
fn an_inconclusive_review_says_that_it_proves_nothing() {
    let scope = Scope {
        base: None,
        base_name: "main".into(),
        head: Target::Worktree,
        head_name: "topic".into(),
        notes: vec!["base guessed".into()],
    };
    let trouble = Trouble { kind: "cut_off".into(), message: "the answer was cut off\u{1b}[2J".into() };
    let decision = decide(
        &GatePolicy::default(),
        &[],
        &Default::default(),
        std::slice::from_ref(&trouble),
        Some(Verdict::Pass),
    );
    let review = Review {
        subject: Subject { id: "topic".into(), scope: scope.clone(), revision_count: 0 },
        reviewer: "model".into(),
        policy: "the default policy".into(),
        reviewed_at: jiff::Timestamp::UNIX_EPOCH,
        findings: vec![],
        suppressed: vec![],
        troubles: vec![trouble],
        coverage: Coverage::default(),
        decision,
        remarks: vec![],
        revision_notes: None,
        usage: None,
        posting: None,
        patches: Default::default(),
    };
    let change = Change { scope, files: vec![] };
    let run = Run { review: &review, change: &change, elapsed: Duration::from_millis(7), request: None };
    let shown = anstream::adapter::strip_str(&render(&run, &Look::for_file())).to_string();
    insta::assert_snapshot!(shown);
}
