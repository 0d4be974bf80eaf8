use testkit::forge::Fault;

use super::stage::{KEY, Kind, PROJECT, SOUND, Stage};
use crate::program::Outcome;

impl Stage {
    fn submit(&self, more: &[&str]) -> Outcome {
        self.run(&[&["submit", "--project", PROJECT, "--branch", "feature"], more].concat())
    }

    fn queued(&self) -> serde_json::Value {
        let listed = self.run(&["task", "list", "--agent", "qa", "--format", "json"]).stdout;
        serde_json::from_str(&listed).unwrap()
    }
}

#[test]
fn a_hand_in_repeated_is_one_link_one_comment_one_task() {
    for kind in Kind::BOTH {
        let stage = Stage::new(kind, SOUND);
        stage.forge.set_status(KEY, "In Progress");
        for _ in 0..3 {
            let outcome = stage.submit(&["--jira", KEY]);
            assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
        }
        let issue = stage.forge.issue(KEY);
        assert_eq!((issue.status.as_str(), issue.links.len(), issue.said().len()), ("Code Review", 1, 1));
        assert!(
            issue.said()[0].starts_with(&format!("Pull request created: {}", stage.url())),
            "{:?}",
            issue.said()
        );
        let queued = stage.queued();
        assert_eq!(queued["tasks"].as_array().unwrap().len(), 1, "{queued}");
        let context = &queued["tasks"][0]["task"]["context"];
        let named = match kind {
            Kind::Github => (&context["github_repo"], &context["pr_number"]),
            Kind::Gitlab => (&context["gitlab_project"], &context["mr_iid"]),
        };
        assert_eq!(
            (named, &context["jira_key"]),
            ((&PROJECT.into(), &stage.number.into()), &KEY.into()),
            "{queued}"
        );
    }
}

#[test]
fn a_hand_in_repeated_after_its_review_does_not_move_the_ticket_back() {
    let stage = Stage::new(Kind::Github, SOUND);
    stage.submit(&["--jira", KEY]);
    stage.forge.set_status(KEY, "Approved");
    assert_eq!(stage.submit(&["--jira", KEY]).code, Some(0));
    assert_eq!(stage.forge.issue(KEY).status, "Approved");
}

#[test]
fn a_push_makes_it_a_new_hand_in() {
    let stage = Stage::new(Kind::Github, SOUND);
    stage.submit(&["--jira", KEY]);
    stage.forge.commit(PROJECT, "feature", &[("src/more.py", "X = 1\n")]);
    assert_eq!(stage.submit(&["--jira", KEY]).code, Some(0));
    assert_eq!(stage.queued()["tasks"].as_array().unwrap().len(), 2);
}

#[test]
fn a_request_is_made_once_with_the_name_of_its_ticket() {
    for kind in Kind::BOTH {
        let stage = Stage::new(kind, SOUND);
        stage.forge.commit(PROJECT, "topic/PROJ-1-more", &[("src/more.py", "X = 1\n")]);
        let create = ["submit", "--project", PROJECT, "--branch", "topic/PROJ-1-more", "--create-pr"];
        for _ in 0..2 {
            let outcome = stage.run(&create);
            assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
        }
        let pulls = stage.forge.pulls(PROJECT);
        assert_eq!(pulls.len(), 2);
        assert_eq!(pulls[1].title, "PROJ-1: Add up prices");
        assert_eq!(stage.forge.issue(KEY).links.len(), 1);
    }
}

#[test]
fn the_project_is_where_origin_leads() {
    let stage = Stage::new(Kind::Github, SOUND);
    let repo = crate::program::clean_branch();
    repo.git(&["remote", "add", "origin", &stage.forge.clone_url(PROJECT)]);
    repo.git(&["checkout", "-q", "-b", "feature"]);
    let mut command = crate::program::command(repo.path());
    command.args(["submit", "--jira", KEY]);
    stage.prepare(&mut command);
    let outcome = crate::program::run(command);
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    assert!(outcome.stderr.contains(&stage.url()), "{}", outcome.stderr);
}

#[test]
fn a_status_that_cannot_be_reached_is_explained_and_the_review_is_queued() {
    let stage = Stage::new(Kind::Github, SOUND);
    stage.forge.set_status(KEY, "To Do");
    stage.forge.set_workflow(&[("Start", &["To Do"], "In Progress")]);
    for _ in 0..2 {
        let outcome = stage.submit(&["--jira", KEY]);
        assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    }
    let issue = stage.forge.issue(KEY);
    assert_eq!((issue.status.as_str(), issue.said().len()), ("To Do", 1));
    assert!(issue.said()[0].contains("was not changed to Code Review"), "{:?}", issue.said());
    assert_eq!(stage.queued()["tasks"].as_array().unwrap().len(), 1);
}

#[test]
fn a_branch_without_a_request_and_a_ticket_that_is_not_there_are_said() {
    let stage = Stage::new(Kind::Github, SOUND);
    let none = stage.run(&["submit", "--project", PROJECT, "--branch", "other"]);
    assert!(none.stderr.contains("no open request is from `other`"), "{}", none.stderr);
    let missing = stage.run(&["submit", "--project", PROJECT, "--branch", "other", "--create-pr"]);
    assert!(missing.stderr.contains("there is no branch `other`"), "{}", missing.stderr);
    let ticket = stage.submit(&["--jira", "PROJ-99"]);
    assert_eq!(ticket.code, Some(2));
    assert!(ticket.stderr.contains("PROJ-99 was not told"), "{}", ticket.stderr);
    assert!(stage.queued()["tasks"].as_array().unwrap().is_empty());
}

#[test]
fn an_answer_that_was_lost_makes_no_second_comment() {
    let stage = Stage::new(Kind::Github, SOUND);
    stage.forge.fault(Fault::on("POST", "/rest/api/2/issue/*/comment").cut_after());
    assert_eq!(stage.submit(&["--jira", KEY]).code, Some(0));
    assert_eq!(stage.forge.issue(KEY).said().len(), 1);
}
