use serde_json::json;

use crate::program::{Outcome, countersign};

/// A mission that is over and whose ticket does not know.
fn left() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let missions = folder.path().join(".agent-communication/missions");
    std::fs::create_dir_all(&missions).unwrap();
    let mission = json!({
        "version": 1, "id": "0123456789abcdef", "key": "PROJ-1", "step": "failed",
        "broken": {"step": "looking for the branch", "reason": "there is no branch `x`", "hint": "push it"},
        "unreported": "cannot comment on the ticket: the tracker is down",
        "started_at": "2026-11-15T10:00:00Z", "finished_at": "2026-11-15T10:01:00Z",
    });
    std::fs::write(missions.join("PROJ-1.json"), mission.to_string()).unwrap();
    std::fs::write(missions.join("PROJ-2.json"), "no mission").unwrap();
    folder
}

fn escalation(folder: &tempfile::TempDir, arguments: &[&str]) -> Outcome {
    countersign(folder.path(), &[&["escalation"], arguments].concat())
}

#[test]
fn a_mission_whose_ticket_could_not_be_told_waits_for_a_person() {
    let folder = left();
    let listed = escalation(&folder, &["list"]);
    assert!(listed.words().contains("mission/PROJ-1"), "{}{}", listed.stdout, listed.stderr);
    let shown = escalation(&folder, &["show", "mission/PROJ-1"]);
    assert!(
        shown.stdout.contains("there is no branch") && shown.stdout.contains("the tracker is down"),
        "{}",
        shown.stdout
    );
    let resolved = escalation(&folder, &["resolve", "mission/PROJ-1", "accept"]);
    assert_eq!(resolved.code, Some(0), "{}", resolved.stderr);
    assert!(escalation(&folder, &["list"]).stdout.is_empty());
}

#[test]
fn one_more_lets_the_mission_tell_it_again() {
    let folder = left();
    let resolved = escalation(&folder, &["resolve", "PROJ-1", "one-more", "--format", "json"]);
    assert_eq!(resolved.code, Some(0), "{}", resolved.stderr);
    assert!(resolved.stdout.contains("\"step\": \"report_failure\""), "{}", resolved.stdout);
    let close = escalation(&left(), &["resolve", "mission/PROJ-1", "close"]);
    assert_eq!(close.code, Some(2), "{}", close.stdout);
}
