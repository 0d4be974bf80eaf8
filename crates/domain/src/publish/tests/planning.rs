use super::stage::{DIFF, Forge, finding, oid, ourselves};
use crate::change::{LineKind, Side, Target};
use crate::forge::{CommentKind, Editing, Provider, StatusState, ThreadState};
use crate::formats::fixture;
use crate::publish::{CannotPublish, SummaryStep, ThreadStep};
use crate::review::{Anchor, JUDGED, Patch, Place};

fn lines(side: Side, start: u32, end: u32) -> Place {
    Place::Lines(Anchor { path: "src/a.rs".into(), side, start, end, text: format!("{start}") })
}

#[test]
fn a_first_review_is_one_review_one_summary_and_one_verdict() {
    let forge = Forge::new(Provider::Github, DIFF);
    let review = forge.review(&[("dbg!(two);", 2), ("not there", 99)]);
    let plan = forge.plan(&review).unwrap();
    assert_eq!(plan.review.unwrap().comments.len(), 1);
    assert!(
        matches!(plan.summary, Some(SummaryStep::Add { body }) if body.contains("Must fix, said only here"))
    );
    assert_eq!(plan.status.unwrap().commit, oid('2'));
}

#[test]
fn running_twice_posts_nothing_twice() {
    let mut forge = Forge::new(Provider::Gitlab, DIFF);
    let review = forge.review(&[("dbg!(two);", 2), ("more", 22)]);
    forge.publish(&review);
    assert!(forge.plan(&review).unwrap().is_empty());
}

#[test]
fn a_new_push_settles_what_is_fixed_and_adds_only_what_is_new() {
    let mut forge = Forge::new(Provider::Github, DIFF);
    forge.publish(&forge.review(&[("dbg!(two);", 2), ("FOUR", 4)]));
    forge.push('4');
    let review = forge.review(&[("FOUR", 4), ("more", 22)]);
    let plan = forge.publish(&review);
    let added: Vec<_> = plan.review.unwrap().comments.iter().map(|c| c.place.end.new).collect();
    assert_eq!(added, [22]);
    assert_eq!(plan.settle.iter().map(|settle| settle.thread).collect::<Vec<_>>(), [ThreadStep::Resolve]);
    assert!(
        matches!(plan.summary, Some(SummaryStep::Edit { body, .. }) if body.contains("Settled by this commit: 1"))
    );
    assert_eq!(forge.comments.iter().filter(|c| c.reference.kind == CommentKind::Conversation).count(), 1);
    assert!(forge.plan(&review).unwrap().is_empty());
}

#[test]
fn what_a_model_says_in_other_words_is_posted_once_and_another_problem_is_posted() {
    let mut forge = Forge::new(Provider::Github, DIFF);
    let says = |forge: &Forge, message: &str| {
        let mut found = finding(lines(Side::New, 2, 2));
        (found.rule, found.message) = (JUDGED.into(), message.into());
        forge.review_of(vec![found])
    };
    forge.publish(&says(&forge, "No test covers `dbg_two`"));
    forge.push('4');
    let plan = forge.plan(&says(&forge, "`dbg_two` is not covered by any test")).unwrap();
    assert!(plan.review.is_none() && plan.settle.is_empty());
    let plan = forge.plan(&says(&forge, "Anybody can wipe the database")).unwrap();
    assert_eq!(plan.review.unwrap().comments.len(), 1);
}

#[test]
fn what_comes_back_is_said_again() {
    let mut forge = Forge::new(Provider::Github, DIFF);
    forge.publish(&forge.review(&[("dbg!(two);", 2)]));
    forge.push('4');
    forge.publish(&forge.review(&[]));
    forge.push('5');
    let plan = forge.plan(&forge.review(&[("dbg!(two);", 2)])).unwrap();
    assert_eq!(plan.review.unwrap().comments.len(), 1);
}

#[test]
fn a_thread_that_a_person_resolved_is_left_alone() {
    let mut forge = Forge::new(Provider::Github, DIFF);
    let review = forge.review(&[("dbg!(two);", 2)]);
    forge.publish(&review);
    forge.comments[0].thread = ThreadState::Resolved;
    assert!(forge.plan(&review).unwrap().is_empty());
}

#[test]
fn an_inconclusive_review_settles_nothing_and_is_a_failure_that_says_so() {
    let mut forge = Forge::new(Provider::Github, DIFF);
    forge.publish(&forge.review(&[("dbg!(two);", 2)]));
    forge.push('4');
    let mut review = fixture::inconclusive_review();
    review.subject.scope.head = Target::Commit(oid('4'));
    let plan = forge.plan(&review).unwrap();
    assert!(plan.settle.is_empty());
    let status = plan.status.unwrap();
    assert_eq!(status.state, StatusState::Failure);
    assert!(status.title.starts_with("Inconclusive"), "{}", status.title);
}

#[test]
fn a_review_of_another_commit_is_not_published() {
    let mut forge = Forge::new(Provider::Github, DIFF);
    let review = forge.review(&[("dbg!(two);", 2)]);
    forge.push('4');
    assert!(matches!(forge.plan(&review), Err(CannotPublish::Moved { .. })));
    let mut unborn = review;
    unborn.subject.scope.head = Target::Worktree;
    assert!(matches!(forge.plan(&unborn), Err(CannotPublish::NotACommit(_))));
}

#[test]
fn a_range_stays_within_its_hunk_and_on_its_side() {
    let forge = Forge::new(Provider::Github, DIFF);
    let place = |place: Place| {
        let plan = forge.plan(&forge.review_of(vec![finding(place)])).unwrap();
        plan.review.map(|post| {
            let place = &post.comments[0].place;
            (place.start.kind, place.start.new, place.end.new, place.start.old, place.end.old)
        })
    };
    assert_eq!(place(lines(Side::New, 2, 90)), Some((LineKind::Added, 2, 4, 2, 4)));
    assert_eq!(place(lines(Side::New, 2, 3)), Some((LineKind::Added, 2, 3, 2, 2)));
    assert_eq!(place(lines(Side::Old, 3, 3)), Some((LineKind::Removed, 4, 4, 3, 3)));
    assert_eq!(place(lines(Side::Old, 2, 3)), Some((LineKind::Context, 3, 3, 2, 2)), "sides differ");
    assert_eq!(place(lines(Side::New, 10, 22)), None);
    assert_eq!(place(lines(Side::New, 22, u32::MAX)), Some((LineKind::Added, 22, 23, 21, 21)));
}

#[test]
fn a_refused_place_moves_to_the_summary_and_stays_there() {
    let mut forge = Forge::new(Provider::Github, DIFF);
    let review = forge.review(&[("dbg!(two);", 2)]);
    forge.memory.refused.insert(review.findings[0].fingerprint.clone());
    let plan = forge.publish(&review);
    assert!(plan.review.is_none());
    forge.memory = Default::default();
    assert!(forge.plan(&review).unwrap().is_empty(), "the summary remembers");
    forge.push('4');
    let again = forge.review(&[("dbg!(two);", 2)]);
    assert!(forge.plan(&again).unwrap().review.is_some(), "another diff, another chance");
}

#[test]
fn only_the_worst_get_a_line_where_there_are_many() {
    let mut forge = Forge::new(Provider::Github, DIFF);
    forge.policy.most_inline = 1;
    let mut review = forge.review(&[("dbg!(two);", 2), ("FOUR", 4)]);
    review.findings[0].severity = crate::words::Severity::Minor;
    let plan = forge.publish(&review);
    let placed: Vec<_> = plan.review.unwrap().comments.iter().map(|c| c.place.end.new).collect();
    assert_eq!(placed, [4]);
    assert!(forge.plan(&review).unwrap().is_empty());
}

#[test]
fn two_publishers_at_once_agree_on_whose_comment_stays() {
    let mut forge = Forge::new(Provider::Github, DIFF);
    let review = forge.review(&[("dbg!(two);", 2)]);
    let (one, other) = (forge.plan(&review).unwrap(), forge.plan(&review).unwrap());
    forge.apply(&one, usize::MAX);
    forge.apply(&other, usize::MAX);
    let plan = forge.publish(&review);
    assert_eq!(plan.take_back.len(), 2, "a comment and a summary");
    let open =
        forge.comments.iter().filter(|c| c.body.contains("state=open")).map(|c| c.reference.id.as_str());
    assert_eq!(open.collect::<Vec<_>>(), ["9", "11"]);
    assert!(forge.plan(&review).unwrap().is_empty());
}

#[test]
fn a_suggestion_is_made_only_where_it_applies_exactly() {
    let mut forge = Forge::new(Provider::Gitlab, DIFF);
    let review = forge.review_of(vec![finding(lines(Side::New, 2, 3))]);
    let patch = |start: u32, old: &[&str], new: &[&str]| Patch {
        path: "src/a.rs".into(),
        start,
        old: old.iter().map(|line| (*line).into()).collect(),
        new: new.iter().map(|line| (*line).into()).collect(),
    };
    let mut body = |patch: Patch| {
        forge.patches = [(review.findings[0].fingerprint.clone(), patch)].into();
        forge.plan_as(&review, &ourselves()).unwrap().review.unwrap().comments.remove(0).body
    };
    let fits = body(patch(2, &["    dbg!(two);", "three"], &["```x```"]));
    assert!(fits.contains("````suggestion:-1+0\n```x```\n````\n"), "{fits}");
    for unfit in [
        patch(2, &["    dbg!(2);", "three"], &["x"]),
        patch(2, &["    dbg!(two);"], &["x"]),
        patch(3, &["three", "FOUR"], &["x"]),
        patch(2, &["    dbg!(two);", "three"], &["hidden\u{202e}"]),
        patch(2, &["    dbg!(two);", "three"], &["  /approve"]),
        patch(2, &["    dbg!(two);", "three"], &[&"x".repeat(9_000)]),
    ] {
        assert!(!body(unfit.clone()).contains("suggestion"), "{unfit:?}");
    }
}

#[test]
fn where_nothing_can_be_edited_a_push_adds_a_summary_and_resolves_threads() {
    let mut forge = Forge::new(Provider::Github, DIFF);
    forge.editing = Editing::Impossible;
    forge.publish(&forge.review(&[("dbg!(two);", 2)]));
    forge.push('4');
    let review = forge.review(&[]);
    let plan = forge.publish(&review);
    assert!(matches!(plan.summary, Some(SummaryStep::Add { .. })));
    assert_eq!(
        plan.settle.iter().map(|s| (s.body.is_some(), s.thread)).collect::<Vec<_>>(),
        [(false, ThreadStep::Resolve)]
    );
    assert!(forge.plan(&review).unwrap().is_empty());
}
