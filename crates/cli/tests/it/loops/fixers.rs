use super::stage::*;

const BUG: &str = "BUG one\n";

fn reason(stage: &Stage) -> String {
    stage.dossier()["reason"].as_str().unwrap_or_default().to_owned()
}

#[test]
fn files_that_no_finding_is_about_are_named() {
    let fixer = "cat > /dev/null\nsed -i '/BUG/d' notes.txt\necho more > beside.txt";
    let stage = Setup { notes: BUG, fixer, ..Setup::default() }.stage();
    let outcome = stage.run(&[]);
    assert_code(&outcome, 0);
    let expected = "it also changed beside.txt, which no finding is about";
    assert!(outcome.stdout.contains(expected), "{}", outcome.stdout);
    assert!(outcome.stdout.contains("Findings document: "), "{}", outcome.stdout);
}

#[test]
fn one_that_does_nothing_is_given_up() {
    let fixer = "cat > /dev/null; echo Done.";
    let stage = Setup { notes: BUG, fixer, ..Setup::default() }.stage();
    let before = stage.tip();
    assert_code(&stage.run(&[]), 4);
    assert_eq!(reason(&stage), "Execution failed after 2 retries: nothing was changed");
    assert_eq!(stage.tip(), before);
    stage.assert_nothing_left();
}

#[test]
fn one_that_breaks_the_tests_is_told_and_may_mend_it() {
    // Only after it was told that the tests fail does it do it right.
    let fixer =
        "if grep -q 'tests do not pass'; then sed -i '/BUG/d' notes.txt; else echo broken > notes.txt; fi";
    let policy = "loop: {test_command: 'grep -q fine notes.txt || { echo no notes; exit 1; }'}\n";
    let stage = Setup { notes: "fine\nBUG one\n", fixer, policy, ..Setup::default() }.stage();
    assert_code(&stage.run(&[]), 0);
    assert_eq!(stage.notes(), "fine");
    let refused = stage.dossier()["rounds"][0]["fixes"][0]["outcome"]["reason"].as_str().unwrap().to_owned();
    assert_eq!(refused, "the tests do not pass (exit code 1)\nno notes");
    stage.assert_nothing_left();
}

#[test]
fn one_that_keeps_breaking_the_tests_never_reaches_the_branch() {
    let policy = "loop: {test_command: 'false'}\n";
    let stage = Setup { notes: BUG, policy, ..Setup::default() }.stage();
    let before = stage.tip();
    assert_code(&stage.run(&[]), 4);
    assert!(reason(&stage).contains("the tests do not pass"), "{}", reason(&stage));
    assert_eq!(stage.tip(), before);
}

#[test]
fn one_that_deletes_a_test_is_refused() {
    let fixer = "cat > /dev/null\nsed -i '/BUG/d' notes.txt\nsed -i '/def test_two/,$d' test_notes.py";
    let stage = Setup { notes: BUG, fixer, ..Setup::default() }.stage();
    stage.repo.checkout("topic");
    let tests = "def test_one():\n    assert 1 + 1 == 2\n\n\ndef test_two():\n    assert 2 + 2 == 4\n";
    stage.repo.write("test_notes.py", tests).commit("Test the notes");
    stage.repo.checkout("main");
    assert_code(&stage.run(&[]), 4);
    assert!(reason(&stage).contains("the test `test_two` of test_notes.py is gone"), "{}", reason(&stage));
}

#[test]
fn one_that_silences_what_was_found_is_refused() {
    let fixer = "cat > /dev/null\necho '// countersign:ignore qa -- fine' >> notes.txt";
    let stage = Setup { notes: BUG, fixer, ..Setup::default() }.stage();
    assert_code(&stage.run(&[]), 4);
    assert!(reason(&stage).contains("silences a finding"), "{}", reason(&stage));
}

#[test]
fn one_that_writes_a_findings_document_is_refused() {
    let fixer = "cat > /dev/null\nmkdir -p docs/progress\n\
                 echo clean > docs/progress/story-1.2-review-findings-round-1.md";
    let stage = Setup { notes: BUG, fixer, ..Setup::default() }.stage();
    assert_code(&stage.run(&[]), 4);
    assert!(reason(&stage).contains("which is not the fixer's to change"), "{}", reason(&stage));
}

#[test]
fn coverage_under_the_limit_is_refused() {
    let policy = "loop: {coverage_command: 'echo TOTAL 79.9%', fixer_retries: 0}\n";
    let stage = Setup { notes: BUG, policy, ..Setup::default() }.stage();
    assert_code(&stage.run(&[]), 4);
    assert!(reason(&stage).contains("coverage is 79.9 %, and 80 % is the limit"), "{}", reason(&stage));
}

#[test]
fn one_that_hangs_is_ended() {
    let fixer = "cat > /dev/null\nsleep 10000";
    let policy = "loop: {fixer_retries: 0}\n";
    let stage = Setup { notes: BUG, fixer, policy, ..Setup::default() }.stage();
    let yaml = stage.repo.git(&["show", "main:countersign.yaml"]);
    let yaml = yaml.replace("engineer'], timeout: 120", "engineer'], timeout: 1");
    stage.repo.write("countersign.yaml", yaml).commit("Be impatient");
    stage.repo.git(&["branch", "--force", "topic", "main"]);
    stage.repo.checkout("topic").write("notes.txt", BUG).commit("Take notes");
    stage.repo.checkout("main");
    assert_code(&stage.run(&[]), 4);
    assert!(reason(&stage).contains("was not done after 1 seconds"), "{}", reason(&stage));
    stage.assert_nothing_left();
}

#[test]
fn commits_of_its_own_become_one_of_the_right_form() {
    let fixer = "cat > /dev/null\nsed -i '/BUG/d' notes.txt\n\
                 git -c user.name=x -c user.email=x@y commit -qam 'oops' && echo committed";
    let stage =
        Setup { notes: "fine\nBUG one\n", fixer, policy: "sandbox: off\n", ..Setup::default() }.stage();
    assert_code(&stage.run(&[]), 0);
    let subjects = stage.repo.git(&["log", "--format=%s", "main..topic"]);
    assert_eq!(subjects, "fix: address code review round 1 - `BUG one` is wrong\nTake notes");
    let remarks = stage.dossier()["rounds"][0]["fixes"][0]["remarks"].to_string();
    assert!(remarks.contains("its own commits were made into one"), "{remarks}");
}

#[test]
fn one_that_commits_to_another_branch_is_refused() {
    let fixer = "cat > /dev/null\nsed -i '/BUG/d' notes.txt\ngit branch -f other HEAD; git branch stray";
    let policy = "sandbox: off\nloop: {fixer_retries: 0}\n";
    let stage = Setup { notes: BUG, fixer, policy, ..Setup::default() }.stage();
    assert_code(&stage.run(&[]), 4);
    assert!(reason(&stage).contains("a fixer commits to no other branch"), "{}", reason(&stage));
}

#[test]
fn one_that_pushes_is_refused_and_what_moved_is_named() {
    let policy = "sandbox: off\nloop: {fixer_retries: 0}\n";
    for (push, moved) in [
        ("git push --quiet origin HEAD:refs/heads/topic", "remote-tracking branch `origin/topic` is new"),
        ("git push --quiet '@outside@/origin' HEAD:refs/heads/sneaky", "branch `sneaky` of "),
        ("git update-ref refs/tags/v1 HEAD", "tag `v1` is new"),
    ] {
        let fixer = format!("cat > /dev/null\nsed -i '/BUG/d' notes.txt\n{push}");
        let stage = Setup { notes: BUG, fixer: &fixer, policy, ..Setup::default() }.stage();
        let origin = stage.repo.outside("origin");
        stage.repo.git(&["init", "--quiet", "--bare", origin.to_str().unwrap()]);
        stage.repo.git(&["remote", "add", "origin", origin.to_str().unwrap()]);
        assert_code(&stage.run(&[]), 4);
        assert!(reason(&stage).contains(moved), "{}", reason(&stage));
        assert!(reason(&stage).contains("pushes nothing"), "{}", reason(&stage));
    }
}

#[test]
fn one_that_moves_the_base_is_refused_and_nobodys_commits_are_thrown_away() {
    let fixer = "cat > /dev/null\necho more >> notes.txt\ngit update-ref refs/heads/main topic";
    let policy = "sandbox: off\nloop: {fixer_retries: 0}\n";
    let stage = Setup { notes: BUG, fixer, policy, ..Setup::default() }.stage();
    let topic = stage.tip();
    assert_code(&stage.run(&[]), 4);
    assert!(reason(&stage).contains("branch `main` was moved from"), "{}", reason(&stage));
    assert_eq!((stage.repo.git(&["rev-parse", "main"]), stage.tip()), (topic.clone(), topic));
}

#[test]
fn a_base_that_takes_the_branch_in_between_rounds_does_not_make_it_clean() {
    let policy = "sandbox: off\nloop: {fixer_retries: 0}\n";
    let fixer = "cat > /dev/null\nexit 1";
    let stage = Setup { notes: "BUG one\nBUG two\n", fixer, policy, ..Setup::default() }.stage();
    assert_code(&stage.run(&[]), 4);
    stage.repo.git(&["checkout", "-q", "--detach"]);
    stage.repo.git(&["update-ref", "refs/heads/main", "topic"]);
    script(&stage.repo, "engineer", "cat > /dev/null\nsed -i '/one/d' notes.txt");
    let outcome = stage.resume(&["--yes-to", "c"]);
    assert_code(&outcome, 4);
    assert!(outcome.stdout.contains("what is compared is where it was"), "{}", outcome.stdout);
}

#[test]
fn an_answer_given_beforehand_does_not_start_one_that_fails_for_ever() {
    let fixer = "cat > /dev/null\necho fix >> '@outside@/calls'";
    let policy = "sandbox: off\nloop: {fixer_retries: 0}\n";
    let stage = Setup { notes: BUG, fixer, policy, ..Setup::default() }.stage();
    assert_code(&stage.run(&["--yes-to", "c"]), 4);
    assert_eq!(stage.calls("fix"), 2);
}

#[test]
fn an_answer_given_beforehand_does_not_repeat_a_review_that_proves_nothing_for_ever() {
    let reviewer = "cat > /dev/null\necho look >> '@outside@/calls'\necho nonsense";
    let stage = Setup { reviewer, policy: "sandbox: off\n", ..Setup::default() }.stage();
    assert_code(&stage.run(&[]), 4);
    let once = stage.calls("look");
    assert_code(&stage.resume(&["--yes-to", "c"]), 4);
    assert!(stage.calls("look") <= 2 * once, "{once}");
}

#[test]
fn one_that_deletes_the_branch_is_found_out_and_the_branch_put_back() {
    let fixer = "cat > /dev/null\ngit update-ref -d refs/heads/topic";
    let stage = Setup { notes: BUG, fixer, policy: "sandbox: off\n", ..Setup::default() }.stage();
    let before = stage.tip();
    let outcome = stage.run(&[]);
    assert_code(&outcome, 2);
    assert!(
        outcome.stderr.contains("was deleted while the fixer worked; it was put back"),
        "{}",
        outcome.stderr
    );
    assert_eq!(stage.tip(), before);
    stage.assert_nothing_left();
}

#[test]
fn one_that_rewrites_history_is_found_out() {
    let fixer = "cat > /dev/null\ngit update-ref refs/heads/topic refs/heads/main";
    let stage = Setup { notes: BUG, fixer, policy: "sandbox: off\n", ..Setup::default() }.stage();
    let outcome = stage.run(&[]);
    assert_code(&outcome, 2);
    assert!(
        outcome.stderr.contains("branch `topic` was rewritten while the fixer worked"),
        "{}",
        outcome.stderr
    );
    let rewritten = "cat > /dev/null\ngit checkout -q --orphan lonely\nsed -i '/BUG/d' notes.txt\n\
        git -c user.name=x -c user.email=x@y commit -qam alone\ngit checkout -q --detach\ngit branch -D -q lonely";
    let stage =
        Setup { notes: "fine\nBUG one\n", fixer: rewritten, policy: "sandbox: off\n", ..Setup::default() }
            .stage();
    assert_code(&stage.run(&[]), 0);
    assert_eq!(stage.commits(), "2");
}
