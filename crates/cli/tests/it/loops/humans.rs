use super::stage::*;

fn blocked() -> Stage {
    let (stage, outcome) = escalated();
    let asked = "Story 1.2 Review Blocked\n\nAfter 3 review rounds, issues remain:\n- Critical: 0\n- Important: 1\n\
                 - Minor: 0\n\nFindings document: docs/progress/story-1.2-review-findings-round-3.md\n\nOptions:\n\
                 a) Manual review and fix (pause autonomous workflow)\n\
                 b) Accept findings and mark story complete (not recommended)\n\
                 c) Continue with 1 more review round (override limit)\n\nYour choice:";
    assert!(outcome.stderr.contains(asked), "{}", outcome.stderr);
    stage
}

#[test]
fn a_blocks_the_story_until_somebody_fixed_it() {
    let stage = blocked();
    let outcome = stage.resume(&["--yes-to", "a"]);
    assert_code(&outcome, 4);
    assert!(outcome.stdout.contains("is blocked until somebody corrects it"), "{}", outcome.stdout);
    assert_eq!(stage.dossier()["status"], "blocked");
    stage.repo.checkout("topic").write("notes.txt", "fine\n").commit("Fix it by hand");
    stage.repo.checkout("main");
    assert_code(&stage.resume(&[]), 0);
    assert_eq!(stage.dossier()["rounds"][3]["number"], 4);
}

#[test]
fn b_needs_a_reason_and_keeps_who_accepted_what() {
    let stage = blocked();
    assert_code(&stage.resume(&["--yes-to", "b"]), 2);
    assert_code(&stage.resume(&["--yes-to", "b", "--reason", "ships today"]), 0);
    let dossier = stage.dossier();
    assert_eq!(dossier["status"], "done");
    let decision = &dossier["decisions"][0];
    assert_eq!((&decision["by"], &decision["choice"]), (&"ada".into(), &"b".into()));
    assert_eq!(decision["findings"].as_array().unwrap().len(), 1);
    let ruled: Vec<_> =
        dossier["findings"].as_array().unwrap().iter().filter(|f| !f["ruling"].is_null()).collect();
    assert_eq!(ruled[0]["ruling"]["reason"], "ships today");
    assert_code(&stage.resume(&[]), 2);
}

#[test]
fn c_adds_a_round_and_five_is_the_end_of_it() {
    let stage = blocked();
    let rounds = || stage.dossier()["rounds"].as_array().unwrap().len();
    let outcome = stage.resume(&["--yes-to", "c"]);
    assert_code(&outcome, 4);
    assert_eq!(rounds(), 4, "one answer is one more round");
    assert!(outcome.stderr.contains("--yes-to c has been used"), "{}", outcome.stderr);
    let outcome = stage.resume(&["--yes-to", "c"]);
    assert_code(&outcome, 4);
    let (_, last) = outcome.stderr.rsplit_once("After 5 review rounds, issues remain:").unwrap();
    assert!(last.contains("\nb) Accept") && !last.contains("\nc) "), "{last}");
    assert_eq!(rounds(), 5);
    assert_eq!(stage.dossier()["options"], serde_json::json!(["a", "b"]));
    assert!(outcome.stdout.contains("--yes-to a|b; b needs --reason WHY. "), "{}", outcome.stdout);
    let again = stage.resume(&["--yes-to", "c"]);
    assert_code(&again, 4);
    assert!(again.stderr.contains("--yes-to c is no longer available"), "{}", again.stderr);
}

#[test]
fn what_a_person_accepts_in_the_document_is_neither_fixed_nor_held_against_the_branch() {
    let fixer =
        "prompt=$(cat)\ncase \"$prompt\" in *'BUG keep'*) exit 9;; esac\nsed -i '/BUG one/d' notes.txt";
    let stage = Setup {
        notes: "BUG keep\n-\n-\n-\n-\nBUG one\n",
        fixer: "cat > /dev/null; false",
        ..Setup::default()
    }
    .stage();
    assert_code(&stage.run(&[]), 4);
    let document = stage.document(1);
    let accept = |by: &str| document.replacen("   - **Problem:**", &format!("   {by}\n   - **Problem:**"), 1);
    script(&stage.repo, "engineer", fixer);
    std::fs::write(stage.document_path(1), document.replacen("1. **[", "1. [x] **[", 1)).unwrap();
    let ticked = stage.resume(&["--yes-to", "c"]);
    assert_code(&ticked, 4);
    assert!(ticked.stdout.contains("write `- **Accepted by NAME:** REASON` below it"), "{}", ticked.stdout);
    std::fs::write(stage.document_path(1), accept("- **Accepted by Ada:** it is meant so")).unwrap();
    let outcome = stage.resume(&["--yes-to", "c"]);
    assert_code(&outcome, 0);
    assert_eq!(stage.notes(), "BUG keep\n-\n-\n-\n-");
    assert!(outcome.stdout.contains("is done, with its findings accepted"), "{}", outcome.stdout);
    assert!(outcome.stdout.contains("Findings: 1 fixed, 1 accepted."), "{}", outcome.stdout);
    assert_eq!(stage.dossier()["result"], "accepted");
}

#[test]
fn a_story_needs_no_file() {
    let stage = with_notes("BUG one\n");
    let arguments = ["--branch", "topic", "--reviewer", "qa", "--fixer", "engineer", "--title", "Take notes"];
    let outcome = crate::program::run(stage.command(&arguments));
    assert_code(&outcome, 0);
    let document = stage.repo.path().join("docs/progress/story-take-notes-review-findings-round-1.md");
    assert!(document.is_file(), "{}", outcome.stderr);
}

#[test]
fn an_unfinished_loop_is_not_begun_again_by_accident() {
    let stage = blocked();
    let outcome = stage.run(&[]);
    assert_code(&outcome, 2);
    assert!(outcome.stderr.contains("a loop of branch `topic` is not over"), "{}", outcome.stderr);
    let listed = crate::program::run(stage.command(&["--list"])).stdout;
    assert!(listed.contains("topic-") && listed.contains("escalated"), "{listed}");
    assert_code(&stage.run(&["--restart"]), 4);
}

#[test]
fn what_waits_is_found_and_decided_among_all_escalations() {
    let stage = blocked();
    let escalation = |arguments: &[&str]| {
        let mut command = crate::program::command(stage.repo.path());
        command.arg("escalation").args(arguments).env("USER", "ada");
        crate::program::run(command)
    };
    let listed = escalation(&["list"]);
    assert_code(&listed, 0);
    let name = listed.stdout.split_whitespace().find(|word| word.starts_with("story/topic-")).unwrap();
    let shown = escalation(&["show", name]);
    assert!(
        shown.stdout.contains("# Story 1.2: Take notes") && shown.stdout.contains("one-more"),
        "{}",
        shown.stdout
    );
    assert_code(&escalation(&["resolve", name, "accept"]), 2);
    assert_code(&escalation(&["resolve", "story/1.2", "accept", "--note", "ships today"]), 0);
    assert_eq!(stage.dossier()["decisions"][0]["reason"], "ships today");
    assert!(!escalation(&["list"]).stdout.contains("story/"));
}

#[test]
fn a_story_that_is_blocked_still_waits_for_somebody() {
    let stage = blocked();
    assert_code(&stage.resume(&["--yes-to", "a"]), 4);
    let mut command = crate::program::command(stage.repo.path());
    command.args(["escalation", "list"]);
    let listed = crate::program::run(command).stdout;
    assert!(listed.contains("blocked until corrected"), "{listed}");
}
