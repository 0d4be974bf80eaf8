use super::stage::*;
use crate::program::{command, run};
use testkit::Repo;

fn repo() -> Repo {
    let repo = Repo::new();
    repo.write("src/cart.js", "export function total(a, b) {\n  return a + b;\n}\n");
    repo.write("test/cart.test.js", "test('adds', () => {\n  expect(total(1, 2)).toBe(3);\n});\n");
    repo.commit("Start");
    repo.branch("topic");
    repo
}

#[test]
fn the_whole_loop_runs_without_a_key() {
    let repo = repo();
    repo.write("src/cart.js", "export function total(a, b) {\n  debugger;\n  return a + b;\n}\n");
    repo.write("test/cart.test.js", "test.only('adds', () => {\n  expect(total(1, 2)).toBe(3);\n});\n");
    repo.commit("Look into the total");
    let mut command = command(repo.path());
    command.args(["loop", "--title", "Total"]);
    let outcome = run(command);
    assert_code(&outcome, 0);
    assert_eq!(repo.git(&["diff", "--name-only", "main", "topic"]), "", "{}", outcome.stderr);
    assert!(outcome.stdout.contains("is clean after 2 rounds"), "{}", outcome.stdout);
    let said = repo.git(&["log", "-1", "--format=%s"]);
    assert!(said.starts_with("fix: address code review round 1 - "), "{said}");
}

#[test]
fn what_needs_judgement_is_left_to_a_human() {
    let repo = repo();
    repo.write("src/cart.js", "<<<<<<< HEAD\nexport function total(a, b) {\n=======\n>>>>>>> x\n")
        .commit("Merge");
    let mut command = command(repo.path());
    command.args(["loop", "--title", "Total"]);
    let outcome = run(command);
    assert_code(&outcome, 4);
    assert!(outcome.stderr.contains("nothing was changed"), "{}", outcome.stderr);
}
