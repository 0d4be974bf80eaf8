use domain::formats::findings_document::FindingsDocument;

use super::stage::*;

#[test]
fn a_clean_branch_is_done_at_once_and_nothing_moves() {
    let stage = with_notes("fine\n");
    let before = stage.tip();
    let outcome = stage.run(&[]);
    assert_code(&outcome, 0);
    assert!(outcome.stdout.contains("Story 1.2 on topic is clean after 1 round."), "{}", outcome.stdout);
    // However long it took until then.
    let told = outcome.stderr.lines().next().unwrap_or_default();
    assert!(told.starts_with("[round 1/3 review, "), "{}", outcome.stderr);
    assert!(told.ends_with(" s] qa reviews topic against main"), "{}", outcome.stderr);
    assert_eq!(stage.tip(), before);
    assert!(
        stage.document(1).starts_with("# Story 1.2 Code Review Findings - Round 1\n"),
        "{}",
        stage.document(1)
    );
    stage.assert_nothing_left();
}

#[test]
fn one_fix_makes_it_clean_away_from_everybodys_checkout() {
    let stage = with_notes("fine\nBUG one\n\n\n\n\nBUG FATAL two\n");
    stage.repo.write("mine.txt", "untracked\n");
    let outcome = stage.run(&[]);
    assert_code(&outcome, 0);
    assert_eq!(stage.notes(), "fine");
    let subject = stage.repo.git(&["log", "-1", "--format=%s", "topic"]);
    assert_eq!(subject, "fix: address code review round 1 - `BUG FATAL two` is wrong and 1 more");
    let document = FindingsDocument::parse(&stage.document(1)).unwrap();
    assert_eq!((document.critical.len(), document.important.len(), document.must_fix()), (1, 1, 2));
    assert_eq!(document.render(), stage.document(1));
    assert_eq!(FindingsDocument::parse(&stage.document(2)).unwrap().must_fix(), 0);
    let status = stage.repo.git(&["status", "--porcelain", "--untracked-files=all"]);
    assert!(status.contains("?? mine.txt") && !status.contains("notes.txt"), "{status}");
    assert!(outcome.stdout.contains("Findings: 2 fixed."), "{}", outcome.stdout);
    stage.assert_nothing_left();
}

#[test]
fn two_fixes_make_it_clean() {
    let stage = Setup { notes: "BUG one\nBUG two\n", fixer: ONE_AT_A_TIME, ..Setup::default() }.stage();
    assert_code(&stage.run(&[]), 0);
    assert_eq!((stage.notes().as_str(), stage.commits().as_str()), ("", "3"));
    let dossier = stage.dossier();
    assert_eq!(dossier["rounds"].as_array().unwrap().len(), 3);
    assert_eq!(dossier["findings"][0]["claimed"]["says"], "addressed");
    assert!(dossier["rounds"][0]["fixes"][0]["patch"].as_str().unwrap().contains("-BUG one"));
}

#[test]
fn a_reviewer_never_sees_earlier_rounds_even_where_their_documents_were_committed() {
    let reviewer = "cat > /dev/null\nls -R >&2\nif ls docs/progress/*round-1* 2> /dev/null; then exit 3; fi\n\
        echo '{\"summary\":\"s\",\"findings\":[],\"dimension_scores\":null,\"verdict\":\"pass\"}'";
    let stage = Setup { reviewer, ..Setup::default() }.stage();
    stage.repo.checkout("topic");
    stage
        .repo
        .write("docs/progress/story-1.2-review-findings-round-1.md", "BUG of old\n")
        .commit("Keep the findings");
    stage.repo.checkout("main");
    assert_code(&stage.run(&[]), 0);
}

#[test]
fn reviews_that_prove_nothing_are_escalated_and_never_clean() {
    let stage = Setup { reviewer: "cat > /dev/null", ..Setup::default() }.stage();
    let outcome = stage.run(&[]);
    assert_code(&outcome, 4);
    assert!(outcome.stderr.contains("Review inconclusive after 3 retries"), "{}", outcome.stderr);
    // What kept the reviews from proving anything is listed there as critical.
    let is_number =
        |line: &&str| line.split_once(". ").is_some_and(|(number, _)| number.parse::<u32>().is_ok());
    let listed = stage.document(1).lines().filter(is_number).count();
    assert!(outcome.stderr.contains(&format!("- Critical: {listed}\n")), "{listed}: {}", outcome.stderr);
    assert_eq!(stage.dossier()["rounds"][0]["unproved"].as_array().unwrap().len(), 3);
}

#[test]
fn going_round_in_circles_is_noticed() {
    let fixer = "cat > /dev/null\nif grep -q 'BUG one' notes.txt; then echo 'BUG two' > notes.txt; \
                 else echo 'BUG one' > notes.txt; fi";
    let stage = Setup { notes: "BUG one\n", fixer, ..Setup::default() }.stage();
    let outcome = stage.run(&["--max-rounds", "5"]);
    assert_code(&outcome, 4);
    let asked = "Review leads nowhere: notes.txt:1 was fixed and is back: `BUG one` is wrong";
    assert!(outcome.stderr.contains(asked), "{}", outcome.stderr);
    assert_eq!(stage.dossier()["findings"][0]["standing"], "back again");
}

#[test]
fn findings_that_stay_are_noticed() {
    let fixer = "cat > /dev/null\necho more >> notes.txt";
    let stage = Setup { notes: "BUG one\n", fixer, ..Setup::default() }.stage();
    let outcome = stage.run(&[]);
    assert_code(&outcome, 4);
    assert!(outcome.stderr.contains("the must-fix finding is still there"), "{}", outcome.stderr);
}

#[test]
fn late_findings_may_be_advice() {
    // Says nothing about the second bug until the first is gone.
    let reviewer = REVIEWER_ONE_AT_A_TIME;
    let policy = "loop: {late_findings: advise}\n";
    let stage = Setup { notes: "BUG one\nfine\nBUG two\n", reviewer, fixer: ONE_AT_A_TIME, policy }.stage();
    assert_code(&stage.run(&[]), 0);
    assert!(stage.document(2).contains("**Accepted:** recorded, does not block"), "{}", stage.document(2));
    assert_eq!(stage.notes(), "fine\nBUG two");
}

#[test]
fn a_dry_run_says_whom_it_would_start_and_changes_nothing() {
    let stage = with_notes("BUG one\n");
    let before = stage.repo.snapshot();
    let outcome = stage.run(&["--dry-run"]);
    assert_code(&outcome, 0);
    assert_eq!(
        outcome.stdout,
        "[DRY-RUN] Would spawn epic-reviewer for Story 1.2 round 1\n\
         [DRY-RUN] Would spawn epic-fixer for Story 1.2 round 1\n"
    );
    assert_eq!(before, stage.repo.snapshot());
}

#[test]
fn documents_may_live_outside_the_repository() {
    let stage = with_notes("BUG one\n");
    let outside = stage.repo.outside("documents");
    assert_code(&stage.run(&["--documents", outside.to_str().unwrap()]), 0);
    assert!(outside.join("story-1.2-review-findings-round-2.md").is_file());
    assert_eq!(stage.repo.git(&["status", "--porcelain"]), "");
}
