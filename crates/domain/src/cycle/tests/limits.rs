use super::*;

#[test]
fn the_defaults_are_the_documented_numbers() {
    let limits = Limits::default();
    assert_eq!((limits.max_revisions, limits.max_review_cycles), (2, 3));
    assert_eq!((limits.max_rounds, limits.hard_cap), (3, 5));
    assert_eq!((limits.max_retries, limits.inconclusive_retries), (5, 3));
    assert_eq!(limits.validate(), Ok(()));
}

#[test]
fn a_project_sets_some_and_keeps_the_rest_but_misspells_none() {
    let limits: Limits = serde_json::from_str(r#"{"max_rounds": 2}"#).unwrap();
    assert_eq!(limits, Limits { max_rounds: 2, ..Limits::default() });
    let error = serde_json::from_str::<Limits>(r#"{"max_round": 2}"#).unwrap_err().to_string();
    assert!(error.contains("max_round") && error.contains("max_rounds"), "{error}");
}

#[test]
fn limits_that_make_no_sense_are_refused_by_name() {
    let bad = [
        Limits { max_rounds: 0, ..Limits::default() },
        Limits { max_review_cycles: 6, ..Limits::default() },
        Limits { max_revisions: 5, ..Limits::default() },
        Limits { max_retries: 1000, ..Limits::default() },
        Limits { max_revisions: u32::MAX, ..Limits::default() },
        Limits { backoff: Backoff { first_seconds: 60, ceiling_seconds: 30 }, ..Limits::default() },
        Limits { backoff: Backoff { first_seconds: 1, ceiling_seconds: u32::MAX }, ..Limits::default() },
    ];
    let errors: Vec<_> = bad.iter().map(|limits| limits.validate().unwrap_err().to_string()).collect();
    insta::assert_snapshot!(errors.join("\n"), @"
    limits.max_rounds is 0: at least one review is needed
    limits.max_review_cycles allows 6 reviews, but limits.hard_cap is 5
    limits.max_revisions allows 6 reviews, but limits.hard_cap is 5
    limits.max_retries is 1000: use 100 at most
    limits.max_revisions is 4294967295: use 100 at most
    limits.backoff.first_seconds is 60, more than its ceiling of 30 seconds
    limits.backoff.ceiling_seconds is 4294967295: use 86400 at most
    ");
}

#[test]
fn no_cycle_begins_with_bad_limits() {
    let limits = Limits { max_rounds: 0, ..Limits::default() };
    assert_eq!(Cycle::story(limits), Err(BadLimits::NoReview("max_rounds")));
}

#[test]
fn waits_double_up_to_the_ceiling() {
    let backoff = Backoff { first_seconds: 10, ceiling_seconds: 100 };
    let waits: Vec<_> = [0, 1, 2, 3, 4, 31, 32, u32::MAX].map(|tries| backoff.delay_seconds(tries)).into();
    assert_eq!(waits, [10, 20, 40, 80, 100, 100, 100, 100]);
    let none = Backoff { first_seconds: 0, ceiling_seconds: 100 };
    assert_eq!((none.delay_seconds(3), none.delay_seconds(40)), (0, 0));
}
