//! Epics as files: checked and drawn, before anything is run.

use std::path::Path;

use testkit::Repo;

use crate::program::{Outcome, countersign};

const EPIC: &str = "id: shop\ntitle: A shop\ntickets:\n  - { id: base, path: tickets/base.md }\n  \
                    - { id: api, path: tickets/api.md, depends_on: [base] }\n  \
                    - { id: docs, path: tickets/docs.md }\n";

/// With somebody who builds.
const POLICY: &str = "agents: [{ id: engineer, brain: command, command: [sh] }]\nloop: { fixer: engineer }\n";

fn shop() -> Repo {
    let repo = new_shop();
    repo.commit("Start");
    repo
}

/// Nothing is committed in it yet.
fn new_shop() -> Repo {
    let repo = Repo::new();
    repo.write("epic.yaml", EPIC).write("countersign.yaml", POLICY);
    for (id, title) in [("base", "Tables"), ("api", "An API <b>"), ("docs", "Documents")] {
        repo.write(&format!("tickets/{id}.md"), format!("# {title}\n\n- [ ] It works\n"));
    }
    repo
}

fn validate(folder: &Path) -> Outcome {
    countersign(folder, &["epic", "validate", "epic.yaml"])
}

#[test]
fn an_epic_in_order_shows_its_waves() {
    let outcome = validate(shop().path());
    assert_eq!((outcome.code, outcome.stderr.as_str()), (Some(0), ""));
    let expected = "epic.yaml is in order: 3 tickets in 2 waves\n    1  base, docs\n    2  api\n";
    assert_eq!(outcome.stdout, expected);
}

#[test]
fn every_mistake_is_shown_with_its_line() {
    let repo = shop();
    repo.write("epic.yaml", EPIC.replace("[base]", "[bases]").replace("title:", "titel:"));
    let outcome = validate(repo.path());
    assert_eq!(outcome.code, Some(2));
    insta::assert_snapshot!(outcome.stdout);
}

#[test]
fn a_ticket_that_is_missing_or_incomplete_is_pointed_at() {
    let repo = shop();
    std::fs::remove_file(repo.path().join("tickets/api.md")).unwrap();
    repo.write("tickets/base.md", "no title\n");
    let outcome = validate(repo.path());
    assert_eq!(outcome.code, Some(2));
    insta::assert_snapshot!(outcome.stdout);
}

#[test]
fn missing_criteria_are_a_warning_only() {
    let repo = shop();
    repo.write("tickets/base.md", "# Tables\n");
    let outcome = validate(repo.path());
    assert_eq!(outcome.code, Some(0));
    assert!(outcome.stdout.contains("tickets/base.md:1:9: warning: the ticket has no acceptance criteria"));
}

#[test]
fn a_ticket_that_links_out_of_the_repository_is_refused() {
    let repo = shop();
    let outside = repo.path().parent().unwrap().join("secret.md");
    std::fs::write(&outside, "# Secret\n").unwrap();
    std::fs::remove_file(repo.path().join("tickets/api.md")).unwrap();
    std::os::unix::fs::symlink(&outside, repo.path().join("tickets/api.md")).unwrap();
    let outcome = validate(repo.path());
    assert_eq!(outcome.code, Some(2));
    assert!(outcome.stdout.contains("leads out of the repository"), "{}", outcome.stdout);
    assert!(!outcome.stdout.contains("Secret"));
}

#[test]
fn json_says_the_same() {
    let repo = shop();
    repo.write("epic.yaml", EPIC.replace("[base]", "[bases]"));
    let outcome = countersign(repo.path(), &["epic", "validate", "epic.yaml", "--format", "json"]);
    assert_eq!(outcome.code, Some(2));
    let answer: serde_json::Value = serde_json::from_str(&outcome.stdout).unwrap();
    let problem = &answer["problems"][0];
    assert_eq!((&problem["line"], &problem["column"]), (&5.into(), &51.into()));
    assert_eq!((&answer["valid"], &problem["severity"]), (&false.into(), &"error".into()));
}

#[test]
fn no_epic_at_all_is_a_failure_with_a_hint() {
    let repo = shop();
    let outcome = countersign(repo.path(), &["epic", "validate", "none.yaml"]);
    assert_eq!((outcome.code, outcome.stdout.as_str()), (Some(2), ""));
    assert!(outcome.stderr.starts_with("error: cannot read none.yaml"), "{}", outcome.stderr);
}

#[test]
fn a_graph_knows_where_its_tickets_stand() {
    let repo = shop();
    let draw = |format| countersign(repo.path(), &["epic", "graph", "epic.yaml", "--format", format]).stdout;
    assert!(draw("mermaid").contains("t0[\"base<br/>Tables<br/>pending\"]:::pending"));
    repo.write("epic-state.json", r#"{ "tickets": { "base": { "status": "completed" } } }"#);
    assert!(draw("mermaid").contains("t0[[\"base<br/>Tables<br/>completed\"]]:::completed"));
    assert!(draw("svg").contains("An API &lt;b&gt;"));
    let drawing: serde_json::Value = serde_json::from_str(&draw("json")).unwrap();
    assert_eq!(drawing["tickets"][0]["status"], "completed");
    assert_eq!(drawing["waves"], serde_json::json!([["base", "docs"], ["api"]]));
}

#[test]
fn a_broken_state_does_not_keep_an_epic_from_being_drawn() {
    let repo = shop();
    repo.write("epic-state.json", r#"{ "tickets": { "base": { "status": 7 } } }"#);
    let outcome = countersign(repo.path(), &["epic", "graph", "epic.yaml", "-o", "graph.mmd"]);
    assert_eq!((outcome.code, outcome.stdout.as_str()), (Some(0), ""));
    assert!(outcome.stderr.contains("tickets.base.status"), "{}", outcome.stderr);
    assert!(std::fs::read_to_string(repo.path().join("graph.mmd")).unwrap().starts_with("flowchart LR\n"));
}

#[test]
fn an_epic_with_mistakes_is_not_drawn() {
    let repo = shop();
    repo.write("epic.yaml", "id: e\n");
    let outcome = countersign(repo.path(), &["epic", "graph", "epic.yaml"]);
    assert_eq!((outcome.code, outcome.stdout.as_str()), (Some(2), ""));
    assert!(outcome.stderr.contains("epic validate epic.yaml"), "{}", outcome.stderr);
}

#[test]
fn a_folder_where_a_file_should_be_is_called_one() {
    let repo = shop();
    repo.write("epic.yaml", EPIC.replace("tickets/base.md", "tickets"));
    let outcome = validate(repo.path());
    assert_eq!(outcome.code, Some(2));
    assert!(outcome.stdout.contains("epic.yaml:4:23: error: `tickets` is a folder"), "{}", outcome.stdout);
    assert!(outcome.stdout.contains("the markdown file of the ticket"), "{}", outcome.stdout);
    let outcome = countersign(repo.path(), &["epic", "validate", "tickets"]);
    assert_eq!(outcome.code, Some(2));
    assert!(outcome.stderr.contains("it is a folder"), "{}", outcome.stderr);
}

#[test]
fn of_an_empty_epic_it_is_said_what_an_epic_has() {
    let repo = shop();
    for text in ["", "\n# nothing\n"] {
        repo.write("epic.yaml", text).commit("Empty");
        for command in ["validate", "run", "graph"] {
            let outcome = countersign(repo.path(), &["epic", command, "epic.yaml"]);
            assert_eq!(outcome.code, Some(2));
            let said = format!("{}{}", outcome.stdout, outcome.stderr);
            assert!(!said.contains("leave the option out"), "{command}: {said}");
            assert!(command == "graph" || said.contains("the epic has no `id`"), "{said}");
        }
    }
}

#[test]
fn an_empty_ticket_is_pointed_at() {
    let repo = shop();
    repo.write("tickets/base.md", "");
    let outcome = validate(repo.path());
    assert_eq!(outcome.code, Some(2));
    assert!(
        outcome.stdout.contains("tickets/base.md") && !outcome.stdout.contains("option"),
        "{}",
        outcome.stdout
    );
}

#[test]
fn unknown_dependencies_are_named_though_an_id_is_wrong() {
    let repo = shop();
    repo.write("epic.yaml", EPIC.replace("id: docs", "id: my docs").replace("[base]", "[bases]"));
    let said = validate(repo.path()).stdout;
    assert!(said.contains("the id `my docs`") && said.contains("there is no ticket `bases`"), "{said}");
}

#[test]
fn where_an_epic_cannot_begin_the_hint_names_nothing_that_is_not_there() {
    let repo = new_shop();
    let run = || countersign(repo.path(), &["epic", "run", "epic.yaml"]);
    let unborn = run();
    assert!(unborn.stderr.contains("commit something first"), "{}", unborn.stderr);
    assert!(unborn.stderr.contains("nothing is committed in this repository yet"), "{}", unborn.stderr);
    assert!(!unborn.stderr.contains("other branches"), "{}", unborn.stderr);
    assert!(validate(repo.path()).stdout.contains("epic.yaml:1:5: error: nothing is committed"));
    repo.commit("Start");
    repo.git(&["checkout", "--quiet", "--detach"]);
    let detached = run();
    assert_eq!((unborn.code, detached.code), (Some(2), Some(2)));
    assert!(detached.stderr.contains("`base_branch` in the epic"), "{}", detached.stderr);
    assert!(!detached.stderr.contains("--branch"), "{}", detached.stderr);
}

#[test]
fn names_of_nobody_are_pointed_at_by_validate_and_run_alike() {
    let repo = shop();
    let names = "builder: enginer\nreviewer: nobody\nlimits: { max_revisions: 60 }\n";
    repo.write("epic.yaml", format!("{EPIC}{names}"));
    let outcome = validate(repo.path());
    assert_eq!(outcome.code, Some(2));
    insta::assert_snapshot!(outcome.stdout);
    let run = countersign(repo.path(), &["epic", "run", "epic.yaml"]);
    assert_eq!(run.code, Some(2));
    for problem in outcome.stdout.split("\n\n").take(3) {
        assert!(run.stderr.contains(problem), "{problem}\n{}", run.stderr);
    }
    assert_eq!(repo.git(&["branch", "--list", "epic/*"]), "", "nothing was begun");
}

#[test]
fn a_base_branch_that_is_not_there_is_pointed_at() {
    let repo = shop();
    repo.write("epic.yaml", format!("{EPIC}base_branch: mian\n"));
    let said = validate(repo.path()).stdout;
    assert!(said.contains("epic.yaml:7:14: error: there is no branch `mian` here"), "{said}");
    assert!(said.contains("expected: did you mean `main`?"), "{said}");
    let run = countersign(repo.path(), &["epic", "run", "epic.yaml", "--format", "json"]);
    let answer: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!((run.code, &answer["problems"][0]["line"]), (Some(2), &7.into()));
}

#[test]
fn what_is_checked_out_is_only_a_warning_before_it_is_run() {
    let repo = shop();
    repo.git(&["checkout", "--quiet", "--detach"]);
    let outcome = validate(repo.path());
    assert_eq!(outcome.code, Some(0));
    assert!(outcome.stdout.contains("epic.yaml:1:5: warning: HEAD is detached"), "{}", outcome.stdout);
}

#[test]
fn outside_of_a_repository_it_is_said_what_was_not_checked() {
    let repo = shop();
    let outside = repo.outside("plans");
    std::fs::create_dir_all(outside.join("tickets")).unwrap();
    for name in ["epic.yaml", "tickets/base.md", "tickets/api.md", "tickets/docs.md"] {
        std::fs::copy(repo.path().join(name), outside.join(name)).unwrap();
    }
    let outcome = validate(&outside);
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    assert!(
        outcome.stdout.contains("base branch, builder and reviewer were not checked"),
        "{}",
        outcome.stdout
    );
    let outcome = countersign(&outside, &["epic", "validate", "epic.yaml", "--format", "json"]);
    assert!(outcome.stdout.contains("\"unchecked\": "), "{}", outcome.stdout);
}

#[test]
fn what_is_no_text_is_pointed_at_in_json_too() {
    let repo = shop();
    let places = || {
        let outcome = countersign(repo.path(), &["epic", "validate", "epic.yaml", "--format", "json"]);
        assert_eq!(outcome.code, Some(2));
        let answer: serde_json::Value = serde_json::from_str(&outcome.stdout).unwrap();
        let problem = answer["problems"][0].clone();
        (problem["file"].as_str().unwrap().to_owned(), problem["line"].clone(), problem["column"].clone())
    };
    repo.write("tickets/docs.md", b"# Documents\ncaf\xe9\n");
    assert_eq!(places(), ("tickets/docs.md".to_owned(), 2.into(), 4.into()));
    repo.write("epic.yaml", b"id: e\ntitle: \xff\n");
    assert_eq!(places(), ("epic.yaml".to_owned(), 2.into(), 8.into()));
    repo.write("epic.yaml", "a".repeat(5 << 20));
    assert_eq!(places(), ("epic.yaml".to_owned(), 1.into(), 1.into()));
}

#[test]
fn marks_and_line_ends_of_other_systems_are_read() {
    let repo = shop();
    repo.write("epic.yaml", format!("\u{feff}{}", EPIC.replace('\n', "\r\n")));
    repo.write("tickets/docs.md", "\u{feff}# Documents\r\n\r\n- [ ] They are there\r\n");
    let outcome = validate(repo.path());
    assert_eq!((outcome.code, outcome.stdout.contains("docs.md")), (Some(0), false), "{}", outcome.stdout);
}
