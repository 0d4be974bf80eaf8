use serde_json::json;

use super::*;

fn fault(draft: AssignmentDraft) -> String {
    NewAssignment::new(draft, &Limits::default()).unwrap_err().field
}

#[test]
fn the_first_field_that_is_wrong_is_named() {
    let some = |text: &str| Some(text.to_owned());
    let cases = [
        (AssignmentDraft { title: " ".into(), ..draft() }, "title"),
        (AssignmentDraft { title: "two\nlines".into(), ..draft() }, "title"),
        (AssignmentDraft { description: "x".repeat(300_000), ..draft() }, "description"),
        (AssignmentDraft { agent: "../x".into(), ..draft() }, "agent"),
        (AssignmentDraft { reviewer: some("a b"), ..draft() }, "reviewer"),
        (AssignmentDraft { task_id: some("../x"), ..draft() }, "task_id"),
        (AssignmentDraft { branch_name: some("-x"), ..draft() }, "branch_name"),
        (AssignmentDraft { base: some("main~1"), ..draft() }, "base"),
        (AssignmentDraft { max_review_cycles: Some(0), ..draft() }, "max_review_cycles"),
        (AssignmentDraft { max_review_cycles: Some(6), ..draft() }, "max_review_cycles"),
    ];
    for (draft, field) in cases {
        assert_eq!(fault(draft), field);
    }
    let context = json!({ "log": "x".repeat(70_000) }).as_object().cloned().unwrap();
    assert_eq!(fault(AssignmentDraft { context, ..draft() }), "context");
}

#[test]
fn nobody_is_made_the_reviewer_of_its_own_work() {
    for name in ["green", "Green", "green-2"] {
        assert_eq!(fault(AssignmentDraft { reviewer: Some(name.to_owned()), ..draft() }), "reviewer");
    }
}

#[test]
fn an_assignment_may_have_limits_of_its_own() {
    let short = of(AssignmentDraft { max_review_cycles: Some(1), ..draft() });
    assert_eq!(short.max_cycles(), 1);
    assert_eq!(fresh().max_cycles(), 3);
}

#[test]
fn empty_texts_of_a_form_are_nothing() {
    let empty = || Some(String::new());
    let assignment = of(AssignmentDraft {
        reviewer: empty(),
        task_id: empty(),
        branch_name: empty(),
        base: empty(),
        ..draft()
    });
    assert_eq!((assignment.reviewer, assignment.task, assignment.branch), (None, None, None));
}

#[test]
fn people_are_called_as_they_like_in_one_visible_line() {
    assert!(Caller::new("Mia Müller", Role::Person).is_ok());
    for name in ["", "  ", "a\nb", "a\u{202e}b", &"x".repeat(101)] {
        assert!(Caller::new(name, Role::Person).is_err(), "{name:?}");
    }
    assert!(Caller::new("Mia Müller", Role::Coder).is_err());
}
