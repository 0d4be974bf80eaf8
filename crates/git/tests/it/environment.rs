//! What of the caller's environment git gets to see, and how often it is called.

use git::{Environment, Repository};
use testkit::Repo;

use crate::support::*;

fn feature() -> Repo {
    let repo = Repo::new();
    repo.write("a", "1\n").commit("one");
    repo.branch("feature").write("a", "2\n").commit("two");
    repo
}

fn review(repo: &Repo, environment: &Environment, ask: &git::Ask) {
    let repository = Repository::discover_in(repo.path(), environment).unwrap();
    let scope = repository.resolve(ask).unwrap();
    let change = repository.change(&scope).unwrap();
    let sources = repository.sources(&scope).unwrap();
    for file in &change.files {
        domain::ports::Sources::read(&sources, file, domain::change::Side::Old).unwrap();
    }
}

#[test]
fn no_secret_reaches_git() {
    let repo = feature();
    repo.write("new", "x\n");
    let log = repo.outside("env.log");
    let mut vars = git_wrapper(&repo, &format!("env >> '{}'", log.display()));
    let secrets = [
        "API_TOKEN",
        "GIT_ASKPASS",
        "SSH_AUTH_SOCK",
        "GIT_TRACE",
        "GIT_EXTERNAL_DIFF",
        "GIT_CONFIG_PARAMETERS",
        "GIT_SSH_COMMAND",
    ];
    vars.extend(secrets.map(|name| (name.into(), "hunter2".into())));
    let environment = Environment::from_vars(vars, &repo.outside("home"));
    for ask in [commits(), staged(), worktree()] {
        review(&repo, &environment, &ask);
    }
    let seen = std::fs::read_to_string(log).unwrap();
    assert!(seen.contains("GIT_OPTIONAL_LOCKS=0"));
    assert!(!seen.contains("hunter2"));
}

#[test]
fn a_usual_review_takes_few_processes() {
    let repo = feature();
    let log = repo.outside("calls.log");
    let vars = git_wrapper(&repo, &format!("echo \"$@\" >> '{}'", log.display()));
    review(&repo, &Environment::from_vars(vars, &repo.outside("home")), &commits());
    let calls = std::fs::read_to_string(log).unwrap();
    // An old git has to be asked for its version, and then where the repository is in its own words.
    assert_eq!(calls.lines().count(), 5 + 2 * usize::from(testkit::git_is_old()), "{calls}");
}

#[test]
fn the_process_that_reads_objects_ends_with_its_last_user() {
    let repo = feature();
    let log = repo.outside("pids.log");
    let vars = git_wrapper(&repo, &format!("echo $$ >> '{}'", log.display()));
    review(&repo, &Environment::from_vars(vars, &repo.outside("home")), &commits());
    for pid in std::fs::read_to_string(log).unwrap().lines() {
        assert!(!std::path::Path::new("/proc").join(pid).exists(), "{pid} is still there");
    }
}
