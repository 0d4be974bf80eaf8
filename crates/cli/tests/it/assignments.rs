//! Coder, reviewer and person, from the command line: the stories of the workflow as a whole.

use serde_json::Value;
use testkit::Repo;

use crate::program::{Outcome, clean_branch, countersign};

/// A repository with a branch `docs`, an assignment for `green`, and everybody who has to do with it.
struct Story {
    repo: Repo,
    id: String,
}

impl Story {
    fn new() -> Story {
        Story::with(&[])
    }

    fn with(more: &[&str]) -> Story {
        let repo = clean_branch();
        let create = ["assignment", "create", "--agent", "green", "--title", "Say what it does"];
        let made = countersign(repo.path(), &[&create[..], more].concat());
        assert_eq!(made.code, Some(0), "{}", made.stderr);
        Story { id: made.stdout.trim().to_owned(), repo }
    }

    fn run(&self, arguments: &[&str]) -> Outcome {
        countersign(self.repo.path(), arguments)
    }

    fn json(&self, arguments: &[&str]) -> Value {
        let outcome = self.run(&[arguments, &["--format", "json"]].concat());
        assert_eq!(outcome.code, Some(0), "{arguments:?}: {}", outcome.stderr);
        serde_json::from_str(&outcome.stdout).unwrap()
    }

    fn accept(&self) -> Value {
        self.json(&["assignment", "accept", &self.id, "--as", "green", "--role", "coder"])
    }

    fn submit(&self) -> Value {
        let submit =
            ["assignment", "submit", &self.id, "--branch", "docs", "--as", "green", "--role", "coder"];
        self.json(&submit)
    }

    fn review(&self, by: &str, verdict: &[&str]) -> Value {
        let review = ["assignment", "review", &self.id, "--as", by, "--role", "reviewer"];
        self.json(&[&review[..], verdict].concat())
    }

    fn reject(&self, by: &str) -> Value {
        self.review(by, &["--reject", "--feedback", "Null check missing in Y"])
    }

    fn work(&self, number: u32) {
        self.repo.write("README.md", format!("# Shop\n\nSells things, {number}.\n")).commit("Work");
    }

    fn show(&self) -> Value {
        self.json(&["assignment", "show", &self.id])
    }

    /// Refused three times.
    fn escalated() -> Story {
        let story = Story::new();
        for number in 0..3 {
            story.accept();
            story.work(number);
            story.submit();
            story.reject("purple");
        }
        story
    }

    fn resolve(&self, decision: &str) -> Value {
        self.json(&["escalation", "resolve", &format!("assignment/{}", self.id), decision])
    }
}

fn refused(outcome: &Outcome, expected: &str) {
    assert_eq!(outcome.code, Some(2), "{}", outcome.stdout);
    assert!(outcome.stderr.contains(expected), "{}", outcome.stderr);
    assert_eq!(outcome.stderr.lines().count(), 2, "{}", outcome.stderr);
}

#[test]
fn approved_at_once() {
    let story = Story::new();
    assert_eq!(story.accept()["status"], "in_progress");
    let submitted = story.submit();
    let head = story.repo.git(&["rev-parse", "docs"]);
    assert_eq!((&submitted["status"], &submitted["head_commit"]), (&"completed".into(), &head.into()));
    let result = story.review("purple", &["--approve", "--feedback", "LGTM"]);
    assert_eq!(
        result,
        serde_json::json!({ "status": "approved", "review_attempt": 1, "max_cycles": 3, "escalated": false,
            "message": "Approved on attempt 1 of 3" })
    );
    let kinds: Vec<_> =
        story.show()["events"].as_array().unwrap().iter().map(|event| event["kind"].clone()).collect();
    assert_eq!(
        kinds,
        [
            "assignment_added",
            "assignment_accepted",
            "assignment_started",
            "submitted_for_review",
            "submitted_review_result"
        ]
    );
}

#[test]
fn rework_then_approved() {
    let story = Story::new();
    story.accept();
    story.submit();
    let result = story.reject("purple");
    assert_eq!((&result["status"], &result["review_attempt"]), (&"rework".into(), &2.into()));
    let mine = story.json(&["assignment", "mine", "--as", "green", "--role", "coder"]);
    assert_eq!(mine["assignment"]["review_feedback"], "Null check missing in Y");
    assert_eq!(mine["assignment"]["completed_at"], Value::Null);
    assert_eq!(story.accept()["status"], "in_progress");
    let again = ["assignment", "submit", &story.id, "--as", "green"];
    refused(&story.run(&again), "was rejected already");
    story.work(1);
    story.submit();
    let waiting = story.json(&["assignment", "mine", "--as", "purple", "--role", "reviewer"]);
    assert_eq!(waiting["assignment"]["review_attempt"], 2);
    assert_eq!(story.review("purple", &["--approve"])["status"], "approved");
    let reviews = story.show()["reviews"].clone();
    assert_eq!((&reviews[0]["outcome"], &reviews[1]["outcome"]), (&"rejected".into(), &"approved".into()));
}

#[test]
fn the_coder_does_not_choose_what_the_reviewer_compares_with() {
    let story = Story::with(&["--base", "main", "--branch", "docs"]);
    story.accept();
    story.repo.git(&["branch", "mine"]);
    story.work(1);
    let submit = ["assignment", "submit", &story.id, "--as", "green", "--role", "coder"];
    refused(&story.run(&[&submit[..], &["--base", "mine"]].concat()), "is compared with main, not with mine");
    refused(&story.run(&[&submit[..], &["--branch", "mine"]].concat()), "is to be done on docs, not on mine");
    assert_eq!(story.submit()["base"], "main");
}

#[test]
fn a_base_that_the_coder_named_never_hides_commits() {
    let story = Story::new();
    story.accept();
    let start = story.repo.git(&["rev-parse", "main"]);
    story.repo.git(&["branch", "mine", &start]);
    let submit = ["assignment", "submit", &story.id, "--as", "green", "--role", "coder", "--branch", "docs"];
    story.json(&[&submit[..], &["--base", "mine"]].concat());
    story.reject("purple");
    story.accept();
    story.repo.git(&["branch", "-f", "mine", "docs"]);
    story.work(1);
    refused(&story.run(&submit), "would go unreviewed");
    story.repo.git(&["branch", "-f", "mine", "main"]);
    assert_eq!(story.json(&submit)["review_attempt"], 2);
}

#[test]
fn the_role_of_a_known_name_is_not_for_the_caller_to_say() {
    let story = Story::new();
    story.accept();
    story.submit();
    let review = ["assignment", "review", &story.id, "--approve", "--as"];
    refused(&story.run(&[&review[..], &["engineer"]].concat()), "engineer is a coder here");
    refused(
        &story.run(&[&review[..], &["engineer", "--role", "person"]].concat()),
        "engineer is a coder here, not a person",
    );
    story.json(&[&review[..], &["qa"]].concat());
    assert_eq!(story.show()["reviews"][0]["reviewer"], "qa");
}

#[test]
fn work_is_given_to_those_who_are_there() {
    let repo = clean_branch();
    let config = "agents:\n  - { id: green, role: coder }\n  - { id: purple, role: reviewer }\n";
    std::fs::write(repo.path().join("countersign.yaml"), config).unwrap();
    let create = |agent, reviewer| {
        let create = ["assignment", "create", "--title", "x", "--agent", agent, "--reviewer", reviewer];
        countersign(repo.path(), &create)
    };
    refused(&create("gren", "purple"), "agent: nobody here goes by that name; there are green (coder)");
    refused(&create("green", "green"), "would review its own work");
    assert_eq!(create("Green", "purple").code, Some(0));
}

#[test]
fn to_accept_once_more_what_is_in_progress_changes_nothing() {
    let story = Story::new();
    let first = story.accept();
    assert_eq!(story.accept(), first);
    story.submit();
    let accept = ["assignment", "accept", &story.id, "--as", "green", "--role", "coder"];
    refused(&story.run(&accept), "was accepted already and is completed");
}

#[test]
fn three_rejections_then_escalated() {
    let story = Story::escalated();
    let shown = story.show();
    assert_eq!((&shown["status"], &shown["review_attempt"]), (&"escalated".into(), &3.into()));
    let last = shown["events"].as_array().unwrap().last().unwrap().clone();
    assert_eq!(last["kind"], "escalated_for_human_review");
    assert_eq!(last["detail"]["feedback"], "Null check missing in Y");
    let log = std::fs::read_to_string(story.repo.path().join("logs/purple.log")).unwrap();
    assert!(log.contains("[REVIEW-REJECTED]") && log.contains("attempt 2/3"), "{log}");
    assert!(log.contains("[REVIEW-ESCALATION]"), "{log}");
    let open = story.json(&["escalation", "list"]);
    assert_eq!(open["escalations"][0]["kind"], "assignment");
    let page = story.run(&["escalation", "show", &story.id]);
    assert!(page.stdout.contains("What you can do"), "{}", page.stdout);
}

#[test]
fn a_person_accepts_what_was_escalated() {
    let story = Story::escalated();
    assert_eq!(story.resolve("accept")["status"], "approved");
    assert_eq!(story.json(&["escalation", "list"])["escalations"], serde_json::json!([]));
}

#[test]
fn a_person_closes_what_was_escalated() {
    assert_eq!(Story::escalated().resolve("close")["status"], "closed");
}

#[test]
fn a_person_grants_one_more_attempt() {
    let story = Story::escalated();
    let decided = ["assignment", "resolve", &story.id, "one-more", "--note", "Only Y matters", "--as", "Mia"];
    let resolved = story.json(&decided);
    assert_eq!((&resolved["status"], &resolved["max_cycles"]), (&"rework".into(), &4.into()));
    assert_eq!(resolved["review_feedback"], "Null check missing in Y\n\nMia adds: Only Y matters");
    story.accept();
    story.work(4);
    story.submit();
    assert_eq!(story.review("purple", &["--approve"])["status"], "approved");
}

#[test]
fn only_a_person_resolves() {
    let story = Story::escalated();
    for command in ["assignment", "escalation"] {
        let resolve = [command, "resolve", &story.id, "accept", "--as", "purple", "--role", "reviewer"];
        refused(&story.run(&resolve), "for a person to resolve");
    }
}

#[test]
fn after_two_rejections_another_reviewer_looks() {
    let story = Story::new();
    let config = "agents:\n  - { id: purple, role: reviewer }\n  - { id: red, role: reviewer }\n";
    std::fs::write(story.repo.path().join("countersign.yaml"), config).unwrap();
    for number in 0..2 {
        story.accept();
        story.work(number);
        story.submit();
        story.reject("purple");
    }
    story.accept();
    story.work(2);
    story.submit();
    let approve = ["assignment", "review", &story.id, "--as", "purple", "--approve"];
    refused(&story.run(&approve), "leave it to red");
    let mine = |name| story.json(&["assignment", "mine", "--as", name])["assignment"].clone();
    assert_eq!(mine("purple"), Value::Null);
    assert_eq!(mine("red")["id"].to_string(), story.id);
    assert_eq!(
        story.json(&["assignment", "review", &story.id, "--as", "red", "--approve"])["status"],
        "approved"
    );
}

#[test]
fn an_assignment_may_have_fewer_attempts() {
    let story = Story::with(&["--max-review-cycles", "1"]);
    story.accept();
    story.submit();
    let result = story.reject("purple");
    assert_eq!((&result["escalated"], &result["max_cycles"]), (&true.into(), &1.into()));
}

#[test]
fn nobody_reviews_its_own_work_or_takes_that_of_others() {
    let story = Story::new();
    let accept = ["assignment", "accept", &story.id, "--as", "purple", "--role", "reviewer"];
    refused(&story.run(&accept), "cannot take assignment");
    story.accept();
    story.submit();
    let review = ["assignment", "review", &story.id, "--as", "green", "--role", "reviewer", "--approve"];
    refused(&story.run(&review), "cannot review it");
    let silent = ["assignment", "review", &story.id, "--as", "purple", "--role", "reviewer", "--reject"];
    refused(&story.run(&silent), "needs feedback");
    story.review("purple", &["--approve"]);
    let again = ["assignment", "review", &story.id, "--as", "red", "--role", "reviewer", "--approve"];
    refused(&story.run(&again), "has its verdict already");
}

#[test]
fn a_verdict_is_about_the_commit_that_was_submitted() {
    let story = Story::new();
    story.accept();
    let submitted = story.submit()["head_commit"].as_str().unwrap().to_owned();
    story.work(9);
    let blind = ["assignment", "review", &story.id, "--as", "purple", "--role", "reviewer", "--approve"];
    refused(&story.run(&blind), "has moved on");
    let moved = story.repo.git(&["rev-parse", "docs"]);
    refused(&story.run(&[&blind[..], &["--head", &moved]].concat()), "is not the commit that was submitted");
    assert_eq!(story.review("purple", &["--approve", "--head", &submitted])["status"], "approved");
}

#[test]
fn what_cannot_be_handed_in_is_refused_with_the_reason() {
    let story = Story::new();
    story.accept();
    story.repo.git(&["branch", "idle", "main"]);
    for (branch, expected) in [
        ("../etc/passwd", "branch_name"),
        ("--upload-pack=x", "branch_name"),
        ("dosc", "there is no branch dosc (there is docs)"),
        ("idle", "has no commits that main does not have"),
    ] {
        let branch = format!("--branch={branch}");
        refused(&story.run(&["assignment", "submit", &story.id, "--as", "green", &branch]), expected);
    }
    assert_eq!(story.show()["status"], "in_progress");
}

#[test]
fn rates_are_shown_by_coder_and_by_reviewer() {
    let story = Story::new();
    story.accept();
    story.submit();
    story.reject("purple");
    story.accept();
    story.work(1);
    story.submit();
    story.review("red", &["--approve"]);
    let metrics = story.json(&["metrics"]);
    let green = &metrics["coders"][0];
    assert_eq!(
        green,
        &serde_json::json!({ "agent": "green", "submissions": 2, "approvals": 1, "rejections": 1,
            "rejection_rate": 0.5, "escalations": 0, "mean_attempts_to_approval": 2.0 })
    );
    let table = story.run(&["metrics"]).words();
    assert!(table.contains("green 2 1 1 50% 0 2.0"), "{table}");
    assert!(table.contains("purple 1 0 1 100% 0 -"), "{table}");
}

#[test]
fn assignments_are_listed_shown_and_missed() {
    let story = Story::with(&["--reviewer", "purple", "--context", "jira_key=PROJ-1"]);
    let listed = story.run(&["assignment", "list"]).words();
    assert!(listed.starts_with(&format!("{} pending 1/3 green purple", story.id)), "{listed}");
    let none = story.json(&["assignment", "list", "--status", "escalated"]);
    assert_eq!(none["assignments"], serde_json::json!([]));
    assert_eq!(story.show()["context"]["jira_key"], "PROJ-1");
    let page = story.run(&["assignment", "show", &story.id]).stdout;
    assert!(page.contains("jira_key: PROJ-1"), "{page}");
    refused(&story.run(&["assignment", "show", "99"]), "there is no assignment 99");
    refused(&story.run(&["escalation", "show", &story.id]), "is not escalated");
}

#[test]
fn what_is_no_assignment_is_refused_with_the_field() {
    let repo = clean_branch();
    for (agent, title, more, field) in [
        ("green", "", &[][..], "title"),
        ("../x", "T", &[], "agent"),
        ("green", "T", &["--reviewer", "green-1"], "reviewer"),
        ("green", "T", &["--task", "nobody-knows"], "there is no task nobody-knows"),
        ("green", "T", &["--max-review-cycles", "9"], "max_review_cycles"),
    ] {
        let create = ["assignment", "create", "--agent", agent, "--title", title];
        refused(&countersign(repo.path(), &[&create[..], more].concat()), field);
    }
}
