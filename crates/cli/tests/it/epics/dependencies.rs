//! Tickets that build on each other.

use super::stage::*;

/// `a` fails until the file is there.
const A_FAILS: &str = "if [ \"$id\" = a ] && [ ! -e '@outside@/better' ]; then echo \"BUG $RANDOM$RANDOM\" > a.txt; \
    else echo fine > \"$id.txt\"; fi";

#[test]
fn a_ticket_begins_with_the_work_of_what_it_depends_on() {
    let builder = "case $id in b|c) test -e a.txt || exit 3;; d) test -e b.txt -a -e c.txt || exit 3;; esac\n\
        echo fine > \"$id.txt\"";
    let stage = Setup { tickets: &["d: b, c", "a", "b: a", "c: a"], builder, ..Setup::default() }.stage();
    assert_code(&stage.run(&["--parallel", "4"]), 0);
    let d = stage.ticket("d");
    let (base, end) = (d["base_commit"].as_str().unwrap(), d["final_commit"].as_str().unwrap());
    assert_eq!(stage.repo.git(&["diff", "--name-only", base, end]), "d.txt", "its change is its own");
    assert_eq!(stage.repo.git(&["rev-parse", "epic/login"]), stage.repo.git(&["rev-parse", "main"]));
    assert_eq!(d["depends_on"], serde_json::json!(["b", "c"]));
}

#[test]
fn what_depends_on_a_failed_ticket_is_blocked_and_goes_on_when_that_is_retried() {
    let policy = "sandbox: off\n";
    let stage =
        Setup { tickets: &["a", "b: a", "c: b", "d"], builder: A_FAILS, policy, ..Setup::default() }.stage();
    assert_code(&stage.run(&[]), 1);
    let statuses: Vec<_> = ["a", "b", "c", "d"].into_iter().map(|id| stage.status(id)).collect();
    assert_eq!(statuses, ["failed", "blocked", "blocked", "completed"]);
    assert_eq!(stage.ticket("c")["stopped"]["reason"], "dependency");
    stage.assert_in_agreement();
    let mut listed = crate::program::command(stage.repo.path());
    listed.args(["escalation", "list"]);
    let listed = crate::program::run(listed);
    assert!(listed.stdout.contains("ticket/login/a"), "{}", listed.stdout);
    let mut shown = crate::program::command(stage.repo.path());
    shown.args(["escalation", "show", "ticket/login/a"]);
    let shown = crate::program::run(shown);
    assert!(shown.stdout.contains("countersign epic resume login --retry a"), "{}", shown.stdout);

    std::fs::write(stage.repo.outside("better"), "").unwrap();
    let unchanged = stage.resume(&[]);
    assert_code(&unchanged, 1);
    assert_eq!(stage.status("b"), "blocked");
    assert_code(&stage.resume(&["--retry", "a"]), 0);
    let statuses: Vec<_> = ["a", "b", "c", "d"].into_iter().map(|id| stage.status(id)).collect();
    assert_eq!(statuses, ["completed"; 4]);
    assert_eq!(stage.file("ticket/a", "a.txt"), "fine");
    stage.assert_in_agreement();
}

#[test]
fn only_a_failed_ticket_is_retried() {
    let stage = with_tickets(&["a"]);
    assert_code(&stage.run(&[]), 0);
    let refused = stage.resume(&["--retry", "a"]);
    assert_code(&refused, 2);
    assert!(refused.stderr.contains("only a ticket that failed is retried"), "{}", refused.stderr);
    assert_code(&stage.resume(&["--retry", "x"]), 2);
}

#[test]
fn dependencies_that_do_not_fit_together_wait_for_a_human() {
    let builder = "echo \"fine $id\" > shared.txt";
    let stage = Setup { tickets: &["a", "b", "c: a, b"], builder, ..Setup::default() }.stage();
    let outcome = stage.run(&[]);
    assert_code(&outcome, 4);
    let stopped = stage.ticket("c")["stopped"].clone();
    assert_eq!(stopped["reason"], "human");
    assert!(stopped["detail"].as_str().unwrap().contains("shared.txt"), "{stopped}");
    let status = crate::program::run(stage.command(&["status", "login"])).stdout;
    assert!(status.contains("\nStands still: c, ") && status.contains("shared.txt"), "{status}");
    assert!(status.ends_with("Go on with: countersign epic resume login\n"), "{status}");
    let listed = crate::program::run(stage.command(&["status"])).stdout;
    assert!(listed.contains("; stands still (human)"), "{listed}");
}
