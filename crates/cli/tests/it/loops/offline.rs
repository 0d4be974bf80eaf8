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

#[test]
fn the_projects_own_formatter_is_used_on_the_files_of_the_change_alone() {
    if brain::process::find_program("cargo-fmt", std::env::var_os("PATH").as_deref()).is_none() {
        return;
    }
    let repo = Repo::new();
    repo.write("Cargo.toml", "[package]\nname = \"x\"\nversion = \"0.1.0\"\nedition = \"2021\"\n");
    repo.write("src/lib.rs", "pub mod other;\n")
        .write("src/other.rs", "pub fn   messy( ) {}\n")
        .commit("Start");
    repo.branch("topic");
    repo.write(
        "src/lib.rs",
        "pub mod other;\npub fn f() -> u32 {\n  let pay\u{200B}load   = 1;\n  payload\n}\n",
    );
    repo.commit("Pay");
    let mut command = command(repo.path());
    // Where the toolchain is, which is not in the home of a test.
    let home = std::env::var("HOME").unwrap_or_default();
    let rustup = std::env::var("RUSTUP_HOME").unwrap_or(format!("{home}/.rustup"));
    command.args(["loop", "--title", "Pay"]).env("RUSTUP_HOME", rustup);
    let outcome = run(command);
    assert_code(&outcome, 0);
    let right = "pub mod other;\npub fn f() -> u32 {\n    let payload = 1;\n    payload\n}";
    assert_eq!(repo.git(&["show", "topic:src/lib.rs"]), right, "{}", outcome.stderr);
    assert_eq!(repo.git(&["diff", "--name-only", "main", "topic"]), "src/lib.rs");
}
