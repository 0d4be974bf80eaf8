//! The file beside the epic, which says what the store says.

use sqlx::{Connection as _, SqliteConnection};

use super::stage::*;
use crate::program::run;

/// An epic whose only ticket has failed, so that there is something left to resume.
fn failed() -> Stage {
    let stage = Setup { builder: HOPELESS, ..Setup::default() }.stage();
    let outcome = stage.run(&[]);
    assert_code(&outcome, 1);
    let again = "Try a again with: countersign epic resume login --retry a";
    let status = run(stage.command(&["status", "login"])).stdout;
    assert!(outcome.stdout.contains(again) && status.contains(again), "{}{status}", outcome.stdout);
    stage
}

#[test]
fn a_deleted_or_broken_file_is_rebuilt_from_the_store() {
    let stage = failed();
    let before = stage.state();
    for broken in [
        None,
        Some(""),
        Some("{\"tickets\": {\"a\""),
        Some("[]"),
        Some("{\"tickets\":{\"a\":{\"status\":\"won\"}}}"),
    ] {
        match broken {
            None => std::fs::remove_file(stage.state_path()).unwrap(),
            Some(text) => std::fs::write(stage.state_path(), text).unwrap(),
        }
        assert_code(&stage.resume(&[]), 1);
        stage.assert_in_agreement();
        assert_eq!(stage.state()["tickets"], before["tickets"], "{broken:?}");
    }
    let kept = std::fs::read_to_string(backup(&stage, 2)).unwrap();
    assert_eq!(kept, "{\"tickets\": {\"a\"", "what could not be read is kept");
}

fn backup(stage: &Stage, number: u32) -> std::path::PathBuf {
    stage.state_path().with_file_name(format!("epic-state.json.backup-{number}"))
}

#[test]
fn a_file_with_work_that_the_store_does_not_know_stops_the_run_and_is_kept_by_a_restart() {
    let done = r#"{"tickets":{"a":{"status":"completed","revision_count":1}}}"#;
    for (text, said) in [(done, "a is completed"), ("{\"tickets\": {", "cannot read")] {
        let stage = with_tickets(&["a"]);
        std::fs::write(stage.state_path(), text).unwrap();
        let refused = stage.run(&[]);
        assert_code(&refused, 2);
        assert!(refused.stderr.contains(said) && refused.stderr.contains("--restart"), "{}", refused.stderr);
        assert_eq!(std::fs::read_to_string(stage.state_path()).unwrap(), text, "nothing was written");
        let restarted = stage.run(&["--restart"]);
        assert_code(&restarted, 0);
        assert!(restarted.stderr.contains("is kept as"), "{}", restarted.stderr);
        assert_eq!(std::fs::read_to_string(backup(&stage, 1)).unwrap(), text);
        assert_eq!(stage.status("a"), "completed");
    }
}

#[test]
fn what_others_keep_in_the_file_stays_and_what_they_claim_does_not_count() {
    let stage = failed();
    let mut state = stage.state();
    state["owner"] = "mia".into();
    state["tickets"]["a"]["estimate"] = 5.into();
    state["tickets"]["a"]["status"] = "completed".into();
    std::fs::write(stage.state_path(), state.to_string()).unwrap();
    let shown = stage.stored();
    assert_eq!((&shown["owner"], &shown["tickets"]["a"]["estimate"]), (&"mia".into(), &5.into()));
    assert_eq!(shown["tickets"]["a"]["status"], "failed", "the store knows better");
    assert_code(&stage.resume(&[]), 1);
    let now = stage.state();
    assert_eq!((&now["owner"], &now["tickets"]["a"]["estimate"]), (&"mia".into(), &5.into()));
    assert_eq!(now["tickets"]["a"]["status"], "failed");
}

#[test]
fn a_file_of_before_there_were_reviews_is_taken_over() {
    let stage = with_tickets(&["a"]);
    std::fs::write(stage.state_path(), r#"{"tickets":{"a":{"status":"pending","note":"x"}},"v":1}"#).unwrap();
    assert_code(&stage.run(&[]), 0);
    let state = stage.state();
    assert_eq!((&state["v"], &state["tickets"]["a"]["note"]), (&1.into(), &"x".into()));
    assert_eq!(state["tickets"]["a"]["review_approved"], true);
}

#[test]
fn an_epic_that_is_edited_while_it_runs_changes_nothing() {
    let builder = "echo \"BUG $RANDOM\" > \"$id.txt\"; echo 'limits: {max_revisions: 4}' >> '@repo@/epics/login/epic.yaml'; \
        echo '# Easy' > '@repo@/epics/login/a.md'";
    let stage = Setup { builder, policy: "sandbox: off\n", ..Setup::default() }.stage();
    assert_code(&stage.run(&[]), 1);
    assert_eq!(stage.ticket("a")["failure_reason"], "Review failed after 2 revisions");
    assert_code(&stage.resume(&["--retry", "a"]), 1);
    assert_eq!(stage.ticket("a")["failure_reason"], "Review failed after 2 revisions");
}

#[test]
fn an_epic_may_lie_outside_of_the_repository() {
    let stage = with_tickets(&["a"]);
    let outside = stage.repo.outside("plans");
    std::fs::create_dir_all(&outside).unwrap();
    for name in ["epic.yaml", "a.md"] {
        std::fs::rename(stage.repo.path().join("epics/login").join(name), outside.join(name)).unwrap();
    }
    let epic = outside.join("epic.yaml");
    let outcome = crate::program::run(stage.command(&["run", epic.to_str().unwrap()]));
    assert_code(&outcome, 0);
    assert!(outside.join("epic-state.json").is_file());
}

#[test]
fn thirty_tickets_at_once() {
    let ids: Vec<String> = (0..30).map(|number| format!("t{number}")).collect();
    let tickets: Vec<&str> = ids.iter().map(String::as_str).collect();
    let stage = Setup { tickets: &tickets, policy: "sandbox: off\n", ..Setup::default() }.stage();
    assert_code(&stage.run(&["--parallel", "30", "--merge"]), 0);
    for id in &ids {
        assert_eq!(stage.status(id), "completed", "{id}");
        assert_eq!(stage.file("epic/login", &format!("{id}.txt")), "fine");
    }
    stage.assert_in_agreement();
    stage.assert_nothing_left();
}

#[test]
fn two_epics_in_one_folder_keep_their_states_apart() {
    let stage = with_tickets(&["a"]);
    assert_code(&stage.run(&[]), 0);
    let (state, report) = (stage.state(), stage.repo.path().join("epics/login/epic-report.md"));
    let page = std::fs::read_to_string(&report).unwrap();
    let second =
        "id: logout\ntitle: Log out\nbuilder: engineer\nreviewer: qa\ntickets: [{id: z, path: z.md}]\n";
    stage
        .repo
        .write("epics/login/second.yaml", second)
        .write("epics/login/z.md", "# Z\n\nWrite z.\n\n- [ ] z\n");
    let told = run(stage.command(&["validate", "epics/login/second.yaml"]));
    assert!(told.stdout.contains("is kept in logout.epic-state.json"), "{}", told.stdout);
    assert_code(&run(stage.command(&["run", "epics/login/second.yaml"])), 0);
    assert_eq!((stage.state(), std::fs::read_to_string(&report).unwrap()), (state, page));
    let own = std::fs::read_to_string(stage.repo.path().join("epics/login/logout.epic-state.json")).unwrap();
    assert!(
        own.contains("\"epic_id\": \"logout\"") && report.with_file_name("logout.epic-report.md").exists(),
        "{own}"
    );
}

#[test]
fn whoever_watches_is_let_go_when_the_run_is_over_though_it_failed() {
    let stage = Setup { tickets: &["a", "b: a"], builder: HOPELESS, ..Setup::default() }.stage();
    assert_code(&stage.run(&[]), 1);
    let watched = run(stage.command(&["status", "login", "--watch"]));
    assert!(watched.stdout.contains("1 failed"), "{}", watched.stdout);
    assert_code(&run(stage.command(&["status", "--watch"])), 0);
}

#[test]
fn whoever_asks_is_told_what_the_file_says_and_resuming_for_nothing_changes_nothing() {
    let stage = with_tickets(&["a", "b: a"]);
    assert_code(&stage.run(&[]), 0);
    let asked = || -> serde_json::Value {
        serde_json::from_str(&run(stage.command(&["status", "login", "--format", "json"])).stdout).unwrap()
    };
    let before = stage.state();
    assert_eq!(asked(), before);
    assert_code(&stage.resume(&[]), 0);
    assert_eq!(stage.state()["completed_at"], before["completed_at"]);
    assert_eq!(asked(), stage.state());
}

#[test]
fn a_graph_asks_the_store_where_the_file_is_of_no_use() {
    let stage = failed();
    let draw = || run(stage.command(&["graph", "epics/login/epic.yaml"])).stdout;
    let drawn = draw();
    assert!(drawn.contains(":::failed"), "{drawn}");
    std::fs::write(stage.state_path(), "{\"tickets\": {\"a\"").unwrap();
    assert_eq!(draw(), drawn);
    std::fs::remove_file(stage.state_path()).unwrap();
    assert_eq!(draw(), drawn);
}

/// As if another version had stored it.
async fn rewrite(stage: &Stage, from: &str, to: &str) {
    let file = stage.repo.path().join(".agent-communication/countersign.db");
    let mut store = SqliteConnection::connect(&format!("sqlite:{}", file.display())).await.unwrap();
    let change = sqlx::query("UPDATE epics SET doc = replace(doc, $1, $2)").bind(from).bind(to);
    assert_eq!(change.execute(&mut store).await.unwrap().rows_affected(), 1);
    store.close().await.unwrap();
}

#[tokio::test]
async fn an_epic_that_can_no_longer_be_read_hides_no_other() {
    let stage = with_tickets(&["a"]);
    assert_code(&stage.run(&[]), 0);
    rewrite(&stage, "title: Log in", "titel: Log in").await;
    let all = run(stage.command(&["status"]));
    assert_code(&all, 0);
    let said = "1 of 1 completed; cannot be read: countersign epic status login";
    assert!(all.stdout.contains(said), "{}", all.stdout);
    let all = run(stage.command(&["status", "--format", "json"]));
    assert!(all.stdout.contains("\"condition\": \"unreadable\""), "{}", all.stdout);
    for outcome in [run(stage.command(&["status", "login"])), stage.resume(&["--merge"])] {
        assert_code(&outcome, 2);
        let told = outcome.stderr.contains("epic.yaml:2:1") && outcome.stderr.contains("--restart");
        assert!(told, "{}", outcome.stderr);
    }
    rewrite(&stage, "titel: Log in", "title: Log in").await;
    assert_eq!(stage.stored()["stopped"], serde_json::Value::Null, "what was refused changed nothing");
    assert_code(&stage.resume(&[]), 0);
}

#[tokio::test]
async fn a_run_goes_on_with_what_was_taken_when_it_began() {
    let stage = failed();
    rewrite(&stage, "title: Log in", "title: 12\\nreview: yes").await;
    assert_code(&run(stage.command(&["status", "login"])), 0);
    assert_code(&stage.resume(&["--retry", "a"]), 1);
}
