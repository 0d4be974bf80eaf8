//! Assignments: what is kept, in which order it is handed out, and who wins a race.

use domain::assignments::{
    AfterAccept, Assignment, AssignmentDraft, AssignmentFilter, AssignmentId, BranchName, Caller, Feedback,
    NewAssignment, Refusal, Role, Step, Submission, Verdict,
};
use domain::change::Oid;
use domain::cycle::{AssignmentStatus, Limits, Outcome, Resolution};
use domain::ports::{AssignmentError, AssignmentStore, Delivery, TaskStore};
use store::Store;

use crate::place::*;

scenarios![
    an_assignment_is_read_back_as_it_was_made,
    a_whole_story_is_kept_with_its_verdicts_and_its_log,
    three_rejections_end_with_a_person,
    of_two_verdicts_on_an_attempt_one_wins,
    of_many_accepts_one_wins,
    a_refused_step_leaves_nothing_behind,
    a_coder_is_given_rework_first_and_then_the_oldest,
    a_reviewer_is_given_what_waits_longest_and_is_its_to_review,
    after_two_rejections_the_third_attempt_goes_to_somebody_else,
    lists_are_filtered_and_paged,
    a_task_that_is_named_must_exist,
    events_of_assignments_go_into_the_outbox,
    rates_are_counted_by_coder_and_by_reviewer,
    large_and_odd_texts_are_kept_whole,
    a_store_of_the_version_before_is_brought_up_to_date,
];

pub(crate) fn green() -> Caller {
    Caller::new("green", Role::Coder).unwrap()
}

pub(crate) fn reviewer(name: &str) -> Caller {
    Caller::new(name, Role::Reviewer).unwrap()
}

pub(crate) fn mia() -> Caller {
    Caller::new("Mia", Role::Person).unwrap()
}

pub(crate) fn draft() -> AssignmentDraft {
    AssignmentDraft { title: "Log in".to_owned(), agent: "green".to_owned(), ..AssignmentDraft::default() }
}

pub(crate) async fn made(store: &Store, draft: AssignmentDraft) -> Assignment {
    let new = NewAssignment::new(draft, &Limits::default()).unwrap();
    store.create_assignment(&new, &mia()).await.unwrap()
}

pub(crate) fn accept() -> Step {
    Step::Accept { then: AfterAccept::Begin }
}

pub(crate) fn submit(number: u32) -> Step {
    Step::Submit(Submission {
        branch: BranchName::parse("task/x").unwrap(),
        base: "main".to_owned(),
        base_commit: oid(0),
        head: oid(number),
    })
}

fn oid(number: u32) -> Oid {
    Oid::parse(&format!("{number:040x}")).unwrap()
}

pub(crate) fn review(outcome: Outcome) -> Step {
    reviewed(outcome, &[])
}

fn reviewed(outcome: Outcome, known: &[&str]) -> Step {
    Step::Review(Verdict {
        outcome,
        feedback: Feedback::parse("null check missing").unwrap(),
        head: None,
        attempt: None,
        known_reviewers: known.iter().map(|name| (*name).to_owned()).collect(),
    })
}

async fn take(store: &Store, id: AssignmentId, step: &Step, by: &Caller) -> Assignment {
    store.take_step(id, step, by).await.unwrap().assignment
}

fn refused<T: std::fmt::Debug>(result: Result<T, AssignmentError>) -> Refusal {
    match result {
        Err(AssignmentError::Refused(refusal)) => refusal,
        other => panic!("not refused: {other:?}"),
    }
}

async fn submitted(store: &Store, draft: AssignmentDraft) -> AssignmentId {
    let id = made(store, draft).await.id;
    take(store, id, &accept(), &green()).await;
    take(store, id, &submit(1), &green()).await;
    id
}

/// Submitted again after so many rejections by `purple`.
async fn rejected(store: &Store, times: u32) -> AssignmentId {
    let id = submitted(store, draft()).await;
    for number in 0..times {
        take(store, id, &review(Outcome::Rejected), &reviewer("purple")).await;
        take(store, id, &accept(), &green()).await;
        take(store, id, &submit(number + 2), &green()).await;
    }
    id
}

async fn story(store: &Store, id: AssignmentId) -> Vec<&'static str> {
    let events = store.assignment_events(id).await.unwrap();
    events.iter().map(|event| event.kind.as_str()).collect()
}

async fn an_assignment_is_read_back_as_it_was_made(place: Place) {
    let context = serde_json::json!({ "jira_key": "PROJ-1" }).as_object().cloned().unwrap();
    let some = |text: &str| Some(text.to_owned());
    let full = AssignmentDraft {
        description: "With a form\nand a test".to_owned(),
        reviewer: some("purple"),
        branch_name: some("task/login"),
        base: some("main"),
        max_review_cycles: Some(2),
        context,
        ..draft()
    };
    let made = made(&place.store, full).await;
    assert_eq!(place.neighbour().await.assignment(made.id).await.unwrap(), Some(made.clone()));
    assert_eq!((made.status(), made.max_cycles()), (AssignmentStatus::Pending, 2));
    assert_eq!(place.store.assignment(AssignmentId::new(99).unwrap()).await.unwrap(), None);
}

async fn a_whole_story_is_kept_with_its_verdicts_and_its_log(place: Place) {
    let store = &place.store;
    let id = rejected(store, 1).await;
    let end = take(store, id, &review(Outcome::Passed), &reviewer("red")).await;
    assert_eq!(store.assignment(id).await.unwrap(), Some(end));
    assert_eq!(
        story(store, id).await,
        [
            "assignment_added",
            "assignment_accepted",
            "assignment_started",
            "submitted_for_review",
            "submitted_review_result",
            "assignment_started",
            "submitted_for_review",
            "submitted_review_result",
        ]
    );
    let reviews = store.assignment_reviews(id).await.unwrap();
    let told: Vec<_> = reviews
        .iter()
        .map(|r| (r.attempt, r.reviewer.as_str(), r.outcome.as_str(), r.head_commit.clone()))
        .collect();
    assert_eq!(told, [(1, "purple", "rejected", Some(oid(1))), (2, "red", "approved", Some(oid(2)))]);
    assert_eq!(reviews[0].feedback.as_deref(), Some("null check missing"));
}

async fn three_rejections_end_with_a_person(place: Place) {
    let store = &place.store;
    let id = rejected(store, 2).await;
    let end = take(store, id, &review(Outcome::Rejected), &reviewer("purple")).await;
    assert_eq!(end.status(), AssignmentStatus::Escalated);
    assert_eq!(story(store, id).await.last(), Some(&"escalated_for_human_review"));
    let resolve = Step::Resolve { resolution: Resolution::OneMore, note: None };
    assert!(matches!(
        refused(store.take_step(id, &resolve, &green()).await),
        Refusal::OnlyPeopleResolve { .. }
    ));
    let again = take(store, id, &resolve, &mia()).await;
    assert_eq!((again.status(), again.review_attempt()), (AssignmentStatus::Rework, 4));
    assert_eq!(store.assignment(id).await.unwrap().unwrap().completed_at, None);
}

async fn of_two_verdicts_on_an_attempt_one_wins(place: Place) {
    for round in 0..10 {
        let id = submitted(&place.store, draft()).await;
        let mut racing = Vec::new();
        for (name, outcome) in [("purple", Outcome::Passed), ("red", Outcome::Rejected)] {
            let store = place.neighbour().await;
            racing.push(tokio::spawn(async move {
                store.take_step(id, &review(outcome), &reviewer(name)).await.map(|_| ())
            }));
        }
        let mut answers = Vec::new();
        for racer in racing {
            answers.push(racer.await.unwrap());
        }
        let (won, lost): (Vec<_>, Vec<_>) = answers.into_iter().partition(Result::is_ok);
        assert_eq!((won.len(), lost.len()), (1, 1), "round {round}");
        for answer in lost {
            assert!(matches!(refused(answer), Refusal::AlreadyReviewed { .. }));
        }
        assert_eq!(place.store.assignment_reviews(id).await.unwrap().len(), 1);
    }
}

async fn of_many_accepts_one_wins(place: Place) {
    let id = made(&place.store, draft()).await.id;
    let mut racing = Vec::new();
    for _ in 0..6 {
        let store = place.store.clone();
        racing.push(tokio::spawn(async move { store.take_step(id, &accept(), &green()).await.map(|_| ()) }));
    }
    let mut won = 0;
    for racer in racing {
        match racer.await.unwrap() {
            Ok(()) => won += 1,
            lost => assert!(matches!(refused(lost), Refusal::AlreadyAccepted { .. })),
        }
    }
    assert_eq!(won, 1);
    assert_eq!(story(&place.store, id).await.len(), 3);
}

async fn a_refused_step_leaves_nothing_behind(place: Place) {
    let store = &place.store;
    let before = made(store, draft()).await;
    let answer = store.take_step(before.id, &review(Outcome::Passed), &reviewer("purple")).await;
    assert!(matches!(refused(answer), Refusal::NothingSubmitted { .. }));
    assert_eq!(store.assignment(before.id).await.unwrap(), Some(before.clone()));
    assert_eq!(story(store, before.id).await, ["assignment_added"]);
    let nobody = AssignmentId::new(4711).unwrap();
    assert_eq!(refused(store.take_step(nobody, &accept(), &green()).await), Refusal::NotFound(nobody));
}

async fn a_coder_is_given_rework_first_and_then_the_oldest(place: Place) {
    let store = &place.store;
    let oldest = made(store, draft()).await.id;
    let working = made(store, draft()).await.id;
    take(store, working, &accept(), &green()).await;
    let back = submitted(store, draft()).await;
    made(store, AssignmentDraft { agent: "blue".to_owned(), ..draft() }).await;
    let active = async || store.active_assignment("green").await.unwrap().map(|found| found.id);
    assert_eq!(active().await, Some(working));
    take(store, back, &review(Outcome::Rejected), &reviewer("purple")).await;
    assert_eq!(active().await, Some(back));
    take(store, back, &accept(), &green()).await;
    take(store, back, &submit(2), &green()).await;
    take(store, working, &submit(3), &green()).await;
    assert_eq!(active().await, Some(oldest));
    assert_eq!(store.active_assignment("red").await.unwrap(), None);
}

async fn a_reviewer_is_given_what_waits_longest_and_is_its_to_review(place: Place) {
    let store = &place.store;
    let for_red = submitted(store, AssignmentDraft { reviewer: Some("red".to_owned()), ..draft() }).await;
    let first = submitted(store, draft()).await;
    submitted(store, draft()).await;
    let given = async |by: &Caller| store.assignment_to_review(by, &[]).await.unwrap().map(|found| found.id);
    assert_eq!(given(&reviewer("purple")).await, Some(first));
    assert_eq!(given(&reviewer("red")).await, Some(for_red));
    assert_eq!(given(&reviewer("green-1")).await, None);
    assert_eq!(given(&green()).await, None);
    take(store, first, &review(Outcome::Passed), &reviewer("purple")).await;
    assert_ne!(given(&reviewer("purple")).await, Some(first));
}

async fn after_two_rejections_the_third_attempt_goes_to_somebody_else(place: Place) {
    let store = &place.store;
    let id = rejected(store, 2).await;
    let known = ["purple".to_owned(), "red".to_owned()];
    let given = async |name: &str| store.assignment_to_review(&reviewer(name), &known).await.unwrap();
    assert_eq!(given("purple").await, None);
    assert_eq!(given("red").await.map(|found| found.id), Some(id));
    let step = reviewed(Outcome::Passed, &["purple", "red"]);
    let refusal = refused(store.take_step(id, &step, &reviewer("purple")).await);
    assert!(matches!(refusal, Refusal::AnotherReviewer { .. }));
    assert_eq!(store.recent_reviewers().await.unwrap(), ["purple"]);
    place.execute("UPDATE assignment_reviews SET at = at - 1000 * 60 * 60 * 24 * 8").await;
    assert!(store.recent_reviewers().await.unwrap().is_empty());
}

async fn lists_are_filtered_and_paged(place: Place) {
    let store = &place.store;
    for number in 0..7 {
        let agent = if number % 2 == 0 { "green" } else { "blue" }.to_owned();
        let reviewer = (number == 3).then(|| "purple".to_owned());
        made(store, AssignmentDraft { agent, reviewer, ..draft() }).await;
    }
    let mut seen = Vec::new();
    let mut after = None;
    loop {
        let page = store.assignments(&AssignmentFilter::default(), after, 3).await.unwrap();
        seen.extend(page.assignments.iter().map(|found| found.id.get()));
        after = page.next;
        if after.is_none() {
            break;
        }
    }
    assert_eq!(seen.len(), 7);
    assert!(seen.is_sorted_by(|a, b| a > b));
    let count = async |filter: AssignmentFilter| {
        store.assignments(&filter, None, 100).await.unwrap().assignments.len()
    };
    let filter = AssignmentFilter::default;
    let some = |text: &str| Some(text.to_owned());
    let (pending, closed) = (Some(AssignmentStatus::Pending), Some(AssignmentStatus::Closed));
    assert_eq!(count(AssignmentFilter { agent: some("green"), ..filter() }).await, 4);
    assert_eq!(count(AssignmentFilter { status: pending, ..filter() }).await, 7);
    assert_eq!(count(AssignmentFilter { status: closed, ..filter() }).await, 0);
    assert_eq!(count(AssignmentFilter { agent: some("blue"), status: pending, ..filter() }).await, 3);
    assert_eq!(count(AssignmentFilter { reviewer: some("purple"), ..filter() }).await, 1);
    let bad = AssignmentFilter { agent: some("../x"), ..filter() };
    assert!(matches!(refused(store.assignments(&bad, None, 1).await), Refusal::Invalid(_)));
}

async fn a_task_that_is_named_must_exist(place: Place) {
    let of_task = AssignmentDraft { task_id: Some("t1".to_owned()), ..draft() };
    let new = NewAssignment::new(of_task.clone(), &Limits::default()).unwrap();
    let refusal = refused(place.store.create_assignment(&new, &mia()).await);
    assert_eq!(refusal, Refusal::UnknownTask(id("t1")));
    place.add(task("t1")).await;
    assert_eq!(made(&place.store, of_task).await.task, Some(id("t1")));
}

async fn events_of_assignments_go_into_the_outbox(place: Place) {
    place.store.outbox_register("dashboard").await.unwrap();
    let id = made(&place.store, draft()).await.id;
    take(&place.store, id, &accept(), &green()).await;
    let Delivery::Entries(entries) = place.store.outbox_take("dashboard", 10, LONG).await.unwrap() else {
        panic!("not registered")
    };
    let told: Vec<_> =
        entries.iter().map(|entry| (entry.event.assignment, entry.event.kind.as_str())).collect();
    assert_eq!(
        told,
        [(Some(id), "assignment_added"), (Some(id), "assignment_accepted"), (Some(id), "assignment_started")]
    );
}

async fn rates_are_counted_by_coder_and_by_reviewer(place: Place) {
    let store = &place.store;
    let id = rejected(store, 1).await;
    take(store, id, &review(Outcome::Passed), &reviewer("red")).await;
    let id = rejected(store, 2).await;
    take(store, id, &review(Outcome::Rejected), &reviewer("purple")).await;
    submitted(store, draft()).await;
    let metrics = store.review_metrics().await.unwrap();
    let [green] = &metrics.coders[..] else { panic!("{metrics:?}") };
    assert_eq!((green.submissions, green.approvals, green.rejections, green.escalations), (6, 1, 4, 1));
    assert_eq!((green.rejection_rate, green.mean_attempts_to_approval), (Some(0.8), Some(2.0)));
    let told: Vec<_> =
        metrics.reviewers.iter().map(|r| (r.agent.as_str(), r.submissions, r.rejection_rate)).collect();
    assert_eq!(told, [("purple", 4, Some(1.0)), ("red", 1, Some(0.0))]);
}

async fn large_and_odd_texts_are_kept_whole(place: Place) {
    let description = "\u{1f600}\t'; DROP TABLE tasks; --\n".repeat(5000);
    let made = made(&place.store, AssignmentDraft { description, ..draft() }).await;
    assert_eq!(place.store.assignment(made.id).await.unwrap(), Some(made));
}

async fn a_store_of_the_version_before_is_brought_up_to_date(place: Place) {
    place.add(task("t1")).await;
    place
        .execute(
            "DROP TABLE task_assignments;
            DROP TABLE assignment_reviews;
            DROP INDEX task_events_of_assignment;
            ALTER TABLE task_events DROP COLUMN assignment;
            DROP TABLE epics;
            DROP TABLE epic_tickets;
            DROP INDEX task_events_of_epic;
            ALTER TABLE task_events DROP COLUMN epic;
            DROP TABLE effects;
            DROP INDEX tasks_claimable;
            ALTER TABLE tasks DROP COLUMN created;
            CREATE INDEX tasks_claimable ON tasks (agent, priority, seq)
                WHERE status = 'pending' AND blocked_by = 0;
            DELETE FROM countersign_schema WHERE version >= 2",
        )
        .await;
    let store = place.neighbour().await;
    let events = store.events(&id("t1")).await.unwrap();
    assert_eq!((events.len(), events[0].assignment), (1, None));
    assert_eq!(made(&store, draft()).await.status(), AssignmentStatus::Pending);
}
