//! What follows from a review.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use domain::cycle::{Resolution, TaskStatus};
use domain::formats::qa_findings::parse_findings;
use domain::ports::{StoreError, TaskStore};
use domain::review::{Evidence, Trouble};
use domain::tasks::{Note, Refusal, StoredTask, Task};
use engine::escalation::{Dossier, resolve_task};
use engine::watchdog::run_watchdog;
use engine::worker::Handled;
use serde_json::{Value, json};

use super::hall::{Hall, House, Scripted, Step, agent, done, task};
use super::mortal::{Breaks, Mortal};
use super::{change, finding, reviewed, seen};

scenarios![
    an_approved_review_is_completed_and_nothing_follows,
    requested_changes_become_a_fix_with_a_checklist_and_all_that_was_known,
    a_gate_that_fails_asks_for_a_fix_as_well,
    a_fix_is_reviewed_again_at_its_own_commit_until_it_is_approved,
    the_third_rejection_escalates_with_the_history,
    a_reviewer_is_not_shown_earlier_reviews,
    an_inconclusive_review_is_made_again_and_costs_no_attempt,
    a_worker_that_dies_around_finishing_leaves_one_fix,
    a_store_that_is_gone_for_a_moment_is_asked_again,
    a_fix_task_that_no_store_would_take_is_a_failure_that_says_so,
    a_fix_that_nobody_asked_for_is_reviewed_by_qa,
    one_more_try_of_an_escalated_review_queues_its_fix_once,
    one_more_try_of_a_review_that_proved_nothing_repeats_it,
    what_a_human_accepts_or_closes_is_over,
    guidance_reaches_the_later_fixes_and_no_reviewer_learns_what_fixers_were_told,
];

const REJECTING: &str = r#"Two things:
```json
[{"file": "src/api/auth.ts", "line_number": 45, "severity": "CRITICAL", "category": "security",
  "description": "SQL injection vulnerability in login handler",
  "suggested_fix": "Use parameterized queries with prepared statements"},
 {"file": "src/db/query.ts", "line_number": 89, "severity": "HIGH", "category": "performance",
  "description": "N+1 query detected in user data fetch", "suggested_fix": "Add eager loading or batch query"}]
```"#;

/// A reviewer that answers in words.
fn text(answer: &str) -> Step {
    let lines = "line\n".repeat(100);
    let change = change(&[("src/api/auth.ts", &lines), ("src/db/query.ts", &lines)]);
    let evidence = parse_findings(answer).into_evidence("model", &change, domain::words::Severity::Major);
    let review = reviewed(&change, Evidence { coverage: seen(&change), ..evidence });
    Step::Give(Handled::Reviewed { review: Box::new(review) })
}

fn real_review(evidence: impl FnOnce(&domain::change::Change) -> Evidence) -> Step {
    let change = change(&[("a.rs", "fn a() {}\n")]);
    let review = reviewed(&change, evidence(&change));
    Step::Give(Handled::Reviewed { review: Box::new(review) })
}

/// Answers the reviews in this order, and has every fix done at commit `f1x`.
fn reviewer(answers: &'static [&'static str]) -> Scripted {
    let left = Mutex::new(answers.iter());
    Scripted::new(move |task: &Task| match task.kind.as_str() {
        "review" => text(left.lock().unwrap().next().unwrap()),
        _ => Step::Give(Handled::Done { detail: json!({"head_commit": "f1x"}) }),
    })
}

async fn an_approved_review_is_completed_and_nothing_follows(house: House) {
    let hall = house.hall().await;
    hall.add([task("r-1", "review", "qa")]).await;
    let approves =
        Scripted::new(|_| real_review(|change| Evidence { coverage: seen(change), ..Evidence::default() }));
    let worker = hall.start(&agent("qa"), "qa-1", &approves);
    hall.until("r-1", TaskStatus::Completed).await;
    worker.stop().await;
    assert_eq!(hall.all().await.len(), 1);
    assert!(hall.log.holds("INFO [qa-1] [PROJ-123] Starting review of PR #456 [r-1]"), "{}", hall.log.all());
    assert!(hall.log.holds("[REVIEW-APPROVED] task r-1 approved on attempt 1/3"), "{}", hall.log.all());
    assert!(hall.log.holds("[PROJ-123] Review completed ("), "{}", hall.log.all());
}

async fn requested_changes_become_a_fix_with_a_checklist_and_all_that_was_known(house: House) {
    let hall = house.hall().await;
    hall.add([task("r-1", "review", "qa")]).await;
    let worker = hall.start(&agent("qa"), "qa-1", &reviewer(&[REJECTING]));
    hall.until("r-1", TaskStatus::Completed).await;
    worker.stop().await;
    let [fix] = &hall.of_kind("fix").await[..] else { panic!("{}", hall.log.all()) };
    let fix = &fix.task;
    assert_eq!((fix.assigned_to.as_str(), fix.created_by.as_str()), ("engineer", "qa-1"));
    assert!(fix.id.as_str().starts_with("fix-engineer-"), "{}", fix.id);
    assert_eq!(fix.title, "Address code review feedback for PROJ-123");
    insta::assert_snapshot!(fix.description, @r"
    Fix issues identified in review:

    ## Review Findings

    1. [ ] **CRITICAL** (security): src/api/auth.ts:45
        Issue: SQL injection vulnerability in login handler
        Fix: Use parameterized queries with prepared statements

    2. [ ] **HIGH** (performance): src/db/query.ts:89
        Issue: N+1 query detected in user data fetch
        Fix: Add eager loading or batch query
    ");
    let context = Value::from(fix.context.clone());
    assert_eq!((&context["jira_key"], &context["pr_number"]), (&json!("PROJ-123"), &json!(456)));
    assert_eq!(context["github_repo"], "owner/repo");
    assert_eq!(context["structured_findings"][0]["severity"], "CRITICAL");
    assert_eq!(context["structured_findings"][1]["line_number"], 89);
    assert!(hall.log.holds("[REVIEW-REJECTED] task r-1 needs rework, attempt 1/3: fail of the working tree of topic against the empty tree; 2 findings"));
}

async fn a_gate_that_fails_asks_for_a_fix_as_well(house: House) {
    let hall = house.hall().await;
    hall.add([task("r-1", "review", "qa")]).await;
    let rejects = Scripted::new(|_| {
        real_review(|change| Evidence {
            coverage: seen(change),
            findings: vec![finding("a.rs", 1, "fn a() {}")],
            ..Evidence::default()
        })
    });
    let worker = hall.start(&agent("qa"), "qa-1", &rejects);
    hall.until("r-1", TaskStatus::Completed).await;
    worker.stop().await;
    let fixes = hall.of_kind("fix").await;
    assert_eq!(fixes.len(), 1);
    assert!(fixes[0].task.description.contains("1. [ ] **HIGH** (correctness): a.rs:1\n    Issue: wrong"));
}

async fn a_fix_is_reviewed_again_at_its_own_commit_until_it_is_approved(house: House) {
    let hall = house.hall().await;
    hall.add([task("r-1", "review", "qa")]).await;
    let handlers = reviewer(&[REJECTING, "```json\n[]\n```"]);
    let qa = hall.start(&agent("qa"), "qa-1", &handlers);
    let engineer = hall.start(&agent("engineer"), "engineer-1", &handlers);
    hall.quiet().await;
    qa.stop().await;
    engineer.stop().await;
    let kinds: Vec<_> = hall.all().await.into_iter().map(|stored| stored.task.kind).collect();
    assert_eq!(kinds, ["review", "fix", "review"]);
    let again = &hall.of_kind("review").await[1];
    assert_eq!((again.task.status, again.cycle.review_attempt()), (TaskStatus::Completed, 2));
    assert_eq!((again.task.assigned_to.as_str(), &*again.task.created_by), ("qa", "engineer-1"));
    assert_eq!(again.task.title, "Review PR #456 - Add authentication");
    let context = Value::from(again.task.context.clone());
    assert_eq!((&context["jira_key"], &context["head_commit"]), (&json!("PROJ-123"), &json!("f1x")));
    assert_eq!(context["structured_findings"], Value::Null);
    assert!(hall.log.holds("approved on attempt 2/3"), "{}", hall.log.all());
}

async fn the_third_rejection_escalates_with_the_history(house: House) {
    let hall = house.hall().await;
    hall.add([task("r-1", "review", "qa")]).await;
    let handlers = reviewer(&[REJECTING, REJECTING, REJECTING]);
    let qa = hall.start(&agent("qa"), "qa-1", &handlers);
    let engineer = hall.start(&agent("engineer"), "engineer-1", &handlers);
    hall.quiet().await;
    qa.stop().await;
    engineer.stop().await;
    let tasks = hall.all().await;
    assert_eq!(tasks.len(), 5);
    let last = tasks.last().unwrap();
    assert_eq!(last.task.status, TaskStatus::Escalated);
    assert_eq!(last.reason.as_deref(), Some("Review failed after 3 review cycles"));
    let (kind, told) = hall.last_event(&last.task.id).await;
    let told = &told["detail"];
    let attempts: Vec<_> = told["review_history"].as_array().unwrap().iter().map(|r| &r["attempt"]).collect();
    assert_eq!((kind, attempts), ("escalated", vec![&json!(1), &json!(2), &json!(3)]));
    assert_eq!(told["review_history"][0]["review_task"], "r-1");
    assert!(
        told["review_history"][0]["headlines"][0]
            .as_str()
            .unwrap()
            .starts_with("CRITICAL src/api/auth.ts:45")
    );
    assert_eq!(told["structured_findings"].as_array().unwrap().len(), 2);
    assert!(hall.log.holds("[REVIEW-REJECTED] task r-1 needs rework, attempt 1/3"));
    assert!(hall.log.holds("escalated to human review on attempt 3/3"), "{}", hall.log.all());
}

async fn a_reviewer_is_not_shown_earlier_reviews(house: House) {
    let hall = house.hall().await;
    hall.add([task("r-1", "review", "qa")]).await;
    let handlers = Scripted::new(|task| match task.kind.as_str() {
        "review" if serde_json::to_string(task).unwrap().contains("injection") => text("It told me."),
        "review" => text(REJECTING),
        _ => Step::Give(done()),
    });
    let qa = hall.start(&agent("qa"), "qa-1", &handlers);
    let engineer = hall.start(&agent("engineer"), "engineer-1", &handlers);
    hall.quiet().await;
    qa.stop().await;
    engineer.stop().await;
    let reviews = hall.of_kind("review").await;
    let last = &reviews[2];
    assert!(last.task.context.contains_key("review_history"));
    assert_eq!(last.reason.as_deref(), Some("Review failed after 3 review cycles"));
}

async fn an_inconclusive_review_is_made_again_and_costs_no_attempt(house: House) {
    let hall = house.hall().await;
    hall.add([task("r-1", "review", "qa"), task("r-2", "review", "qa")]).await;
    let first = AtomicBool::new(true);
    let handlers = Scripted::new(move |task| match task.id.as_str() {
        "r-1" if first.swap(false, Ordering::SeqCst) => real_review(|change| Evidence {
            coverage: seen(change),
            troubles: vec![Trouble { kind: "cut_off".into(), message: "cut off".into() }],
            ..Evidence::default()
        }),
        "r-1" => text("[]"),
        _ => text("LGTM"),
    });
    let worker = hall.start(&agent("qa"), "qa-1", &handlers);
    hall.quiet().await;
    worker.stop().await;
    let review = hall.get("r-1").await;
    assert_eq!((review.task.status, review.cycle.review_attempt()), (TaskStatus::Completed, 1));
    assert_eq!(review.task.retry_count, 0);
    assert_eq!(hall.get("r-2").await.task.status, TaskStatus::Escalated);
    assert!(hall.log.holds("[REVIEW-ESCALATION] task r-2"), "{}", hall.log.all());
}

async fn a_worker_that_dies_around_finishing_leaves_one_fix(house: House) {
    for breaks in [Breaks::BeforeFinishing, Breaks::AfterFinishing] {
        let hall = house.hall().await;
        hall.add([task("r-1", "review", "qa")]).await;
        let store = Arc::new(Mortal { store: hall.store.clone(), breaks, broke: AtomicBool::new(false) });
        let mut short_lived = agent("qa");
        short_lived.heartbeat_timeout = Duration::from_millis(300);
        let handlers = reviewer(&[REJECTING, REJECTING]);
        let doomed = hall.start_on(store.clone(), &short_lived, "qa-1", &handlers);
        while !store.broke.load(Ordering::SeqCst) {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        doomed.kill().await;

        let next = hall.start(&agent("qa"), "qa-2", &handlers);
        let (stopper, stop) = engine::stop::channel();
        let (store, log) = (hall.store.clone(), hall.log.clone());
        let watchdog = tokio::spawn(async move {
            run_watchdog(&*store, Duration::from_millis(50), &log, stop).await;
        });
        hall.until("r-1", TaskStatus::Completed).await;
        next.stop().await;
        stopper.stop();
        watchdog.await.unwrap();
        assert_eq!(hall.of_kind("fix").await.len(), 1);
        let freed =
            hall.log.holds("WARNING [watchdog] Freed task r-1: qa-1 stopped answering; it is pending again");
        assert_eq!(freed, breaks == Breaks::BeforeFinishing, "{}", hall.log.all());
    }
}

async fn a_store_that_is_gone_for_a_moment_is_asked_again(house: House) {
    for breaks in [Breaks::UnreachableOnce, Breaks::AnswerLostOnce] {
        let hall = house.hall().await;
        hall.add([task("r-1", "review", "qa"), task("r-2", "review", "qa")]).await;
        let store = Arc::new(Mortal { store: hall.store.clone(), breaks, broke: AtomicBool::new(false) });
        let handlers = reviewer(&[REJECTING, REJECTING]);
        let worker = hall.start_on(store, &agent("qa"), "qa-1", &handlers);
        hall.until("r-2", TaskStatus::Completed).await;
        worker.stop().await;
        assert_eq!(handlers.begun(), ["r-1", "r-2"]);
        assert_eq!(hall.get("r-1").await.task.status, TaskStatus::Completed);
        assert_eq!(hall.of_kind("fix").await.len(), 2);
        let too_late = hall.log.holds("The task is no longer ours; what the store has of it stands [r-1]");
        assert_eq!(too_late, breaks == Breaks::AnswerLostOnce, "{}", hall.log.all());
    }
}

async fn a_fix_task_that_no_store_would_take_is_a_failure_that_says_so(house: House) {
    let hall = house.hall().await;
    let mut review = task("r-1", "review", "qa");
    review.context.insert("log".into(), "x".repeat(1_048_000).into());
    hall.add([review]).await;
    let worker = hall.start(&agent("qa"), "qa-1", &reviewer(&[REJECTING; 3]));
    let failed = hall.until("r-1", TaskStatus::Failed).await;
    worker.stop().await;
    assert!(failed.reason.unwrap().contains("bytes of JSON"), "{}", hall.log.all());
    assert_eq!(hall.all().await.len(), 1);
}

async fn a_fix_that_nobody_asked_for_is_reviewed_by_qa(house: House) {
    let hall = house.hall().await;
    hall.add([task("f-1", "fix", "engineer")]).await;
    let worker = hall.start(&agent("engineer"), "engineer-1", &Scripted::new(|_| Step::Give(done())));
    hall.until("f-1", TaskStatus::Completed).await;
    worker.stop().await;
    let stored = &hall.of_kind("review").await[0];
    assert_eq!(stored.cycle.review_attempt(), 1, "nobody has reviewed it before");
    let review = &stored.task;
    assert_eq!((review.assigned_to.as_str(), review.status), ("qa", TaskStatus::Pending));
    assert_eq!(review.context["review_attempt"], 1);
    assert_eq!(review.context.get("head_commit"), None, "the fix moved on from it");
}

/// Three rejections, after which nobody works on it.
async fn escalated(house: &House) -> (Hall, StoredTask) {
    let hall = house.hall().await;
    hall.add([task("r-1", "review", "qa")]).await;
    let handlers = reviewer(&[REJECTING, REJECTING, REJECTING]);
    let qa = hall.start(&agent("qa"), "qa-1", &handlers);
    let engineer = hall.start(&agent("engineer"), "engineer-1", &handlers);
    hall.quiet().await;
    qa.stop().await;
    engineer.stop().await;
    let last = hall.all().await.pop().unwrap();
    assert_eq!(last.task.status, TaskStatus::Escalated);
    (hall, last)
}

async fn one_more_try_of_an_escalated_review_queues_its_fix_once(house: House) {
    let (hall, review) = escalated(&house).await;
    let id = &review.task.id;
    let dossier = Dossier::of(&hall.store.events(id).await.unwrap());
    let told: Vec<_> =
        dossier.reviews.iter().map(|past| (past.attempt, &*past.verdict, past.findings)).collect();
    assert_eq!(told, [(1, "fail", 2), (2, "fail", 2), (3, "fail", 2)]);
    assert_eq!(dossier.reviews[0].severities["CRITICAL"], 1);

    let note = Note::guidance("mia", "Only the login.").unwrap();
    resolve_task(&*hall.store, id, Resolution::OneMore, Some(&note), "mia").await.unwrap();
    assert_eq!(hall.get(id.as_str()).await.task.status, TaskStatus::Completed);
    let fixes = hall.of_kind("fix").await;
    assert_eq!(fixes.len(), 3);
    let fix = &fixes[2].task;
    assert_eq!((fix.status, fix.created_by.as_str()), (TaskStatus::Pending, "mia"));
    assert_eq!(fix.description, fixes[1].task.description);
    assert_eq!(fix.notes, ["Guidance from mia: Only the login."]);
    assert_eq!(fix.context["review_history"].as_array().unwrap().len(), 3);

    let again = resolve_task(&*hall.store, id, Resolution::OneMore, None, "mia").await;
    assert!(matches!(again, Err(StoreError::Refused(Refusal::Illegal(_)))), "{again:?}");
    let handlers = reviewer(&["[]"]);
    let qa = hall.start(&agent("qa"), "qa-1", &handlers);
    let engineer = hall.start(&agent("engineer"), "engineer-1", &handlers);
    hall.quiet().await;
    qa.stop().await;
    engineer.stop().await;
    assert!(hall.log.holds("approved on attempt 4/4"), "{}", hall.log.all());
}

async fn one_more_try_of_a_review_that_proved_nothing_repeats_it(house: House) {
    let hall = house.hall().await;
    hall.add([task("r-1", "review", "qa")]).await;
    let worker = hall.start(&agent("qa"), "qa-1", &Scripted::new(|_| text("LGTM")));
    let stored = hall.until("r-1", TaskStatus::Escalated).await;
    worker.stop().await;
    let note = Note::guidance("mia", "Answer in JSON.").unwrap();
    resolve_task(&*hall.store, &stored.task.id, Resolution::OneMore, Some(&note), "mia").await.unwrap();
    let again = hall.get("r-1").await.task;
    assert_eq!(
        (again.status, &again.notes[..]),
        (TaskStatus::Pending, &["Guidance from mia: Answer in JSON.".to_owned()][..])
    );
    assert_eq!(hall.all().await.len(), 1);
}

async fn what_a_human_accepts_or_closes_is_over(house: House) {
    for (resolution, status) in
        [(Resolution::Accept, TaskStatus::Completed), (Resolution::Close, TaskStatus::Cancelled)]
    {
        let (hall, review) = escalated(&house).await;
        let finished = resolve_task(&*hall.store, &review.task.id, resolution, None, "mia").await.unwrap();
        assert_eq!((finished.status, finished.follow_ups.len()), (status, 0));
        assert_eq!(hall.of_kind("fix").await.len(), 2);
    }
}

async fn guidance_reaches_the_later_fixes_and_no_reviewer_learns_what_fixers_were_told(house: House) {
    let hall = house.hall().await;
    hall.add([task("r-1", "review", "qa")]).await;
    let note = |text: &str| Note::guidance("mia", text).unwrap();
    let id = hall.get("r-1").await.task.id;
    hall.store.add_note(&id, &note("Mind the SQL."), "mia").await.unwrap();
    let first = hall.start(&agent("qa"), "qa-1", &reviewer(&[REJECTING]));
    hall.until("r-1", TaskStatus::Completed).await;
    first.stop().await;
    let fix = hall.of_kind("fix").await.remove(0).task;
    assert_eq!(fix.notes, ["Guidance from mia: Mind the SQL."]);
    hall.store.add_note(&fix.id, &note("Keep the API."), "mia").await.unwrap();

    let handlers = Scripted::new(|task| match task.kind.as_str() {
        "review" if serde_json::to_string(task).unwrap().contains("Keep the API") => text("It told me."),
        "review" if task.notes != ["Guidance from mia: Mind the SQL."] => text("Nobody told me."),
        "review" => text(REJECTING),
        _ => Step::Give(done()),
    });
    let qa = hall.start(&agent("qa"), "qa-1", &handlers);
    let engineer = hall.start(&agent("engineer"), "engineer-1", &handlers);
    hall.quiet().await;
    qa.stop().await;
    engineer.stop().await;
    let fixes = hall.of_kind("fix").await;
    assert_eq!(fixes.len(), 2, "{}", hall.log.all());
    assert_eq!(fixes[1].task.notes, ["Guidance from mia: Keep the API.", "Guidance from mia: Mind the SQL."]);
}
