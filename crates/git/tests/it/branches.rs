//! What a branch has to hold before it can be handed in.

use domain::assignments::{BaseChoice, BranchName, BranchTrouble, Examined};
use domain::ports::Branches;
use testkit::Repo;

use crate::support::*;

fn with_feature() -> Repo {
    let repo = Repo::new();
    repo.write("a", "1\n").commit("one");
    repo.branch("task/feature").write("a", "2\n").commit("two");
    repo
}

fn name(text: &str) -> BranchName {
    BranchName::parse(text).unwrap()
}

fn examine(repo: &Repo, branch: &str, base: Option<&str>) -> Result<Examined, BranchTrouble> {
    let base = base.map_or(BaseChoice::Usual, |base| BaseChoice::Given(base.to_owned()));
    open(repo).examine(&name(branch), &base)
}

fn claimed(repo: &Repo, branch: &str, base: &str) -> Result<Examined, BranchTrouble> {
    open(repo).examine(&name(branch), &BaseChoice::Claimed(base.to_owned()))
}

#[test]
fn a_coder_cannot_name_a_base_that_hides_earlier_commits() {
    let repo = with_feature();
    let first = repo.git(&["rev-parse", "HEAD"]);
    repo.write("a", "3\n").commit("three");
    repo.git(&["branch", "mine", &first]);
    for base in ["mine", &first] {
        let trouble = claimed(&repo, "task/feature", base).unwrap_err();
        assert!(
            matches!(&trouble, BranchTrouble::HidesCommits { usual, .. } if usual == "main"),
            "{trouble}"
        );
        assert_eq!(examine(&repo, "task/feature", Some(base)).unwrap().commits, 1);
    }
}

#[test]
fn a_coder_may_name_a_base_that_shows_as_much_or_more() {
    let repo = with_feature();
    repo.checkout("main").write("b", "1\n").commit("meanwhile");
    repo.branch("old");
    repo.checkout("main").write("b", "2\n").commit("more");
    repo.branch("task/late").write("a", "9\n").commit("late");
    assert_eq!(claimed(&repo, "task/late", "main").unwrap().commits, 1);
    assert_eq!(claimed(&repo, "task/late", "old").unwrap().commits, 2);
}

#[test]
fn without_a_usual_base_the_named_one_has_to_do() {
    let repo = with_feature();
    repo.checkout("main").write("b", "1\n").commit("more");
    assert_eq!(claimed(&repo, "main", "task/feature").unwrap().commits, 1);
}

#[test]
fn a_branch_of_another_history_is_told_from_one_that_cannot_be_read() {
    let repo = with_feature();
    repo.git(&["checkout", "-q", "--orphan", "other"]);
    repo.write("a", "5\n").commit("begin anew");
    let trouble = examine(&repo, "other", None).unwrap_err();
    assert_eq!(trouble, BranchTrouble::Unrelated { branch: name("other"), base: "main".to_owned() });
}

#[test]
fn a_branch_with_work_is_pinned_to_its_head_and_to_where_it_left_its_base() {
    let repo = with_feature();
    let examined = examine(&repo, "task/feature", None).unwrap();
    assert_eq!(examined.head.as_str(), repo.git(&["rev-parse", "task/feature"]));
    assert_eq!(examined.base_commit.as_str(), repo.git(&["rev-parse", "main"]));
    assert_eq!((examined.base.as_str(), examined.commits), ("main", 1));
}

#[test]
fn a_branch_that_is_not_there_is_missed_with_those_that_are_near() {
    let trouble = examine(&with_feature(), "task/featur", None).unwrap_err();
    assert_eq!(
        trouble,
        BranchTrouble::Missing { branch: name("task/featur"), near: vec!["task/feature".to_owned()] }
    );
}

#[test]
fn a_branch_without_commits_of_its_own_holds_no_work() {
    let repo = with_feature();
    repo.checkout("main").branch("idle");
    assert!(matches!(examine(&repo, "idle", None), Err(BranchTrouble::NoWork { .. })));
}

#[test]
fn commits_that_come_to_nothing_are_no_work() {
    let repo = with_feature();
    repo.write("a", "1\n").commit("take it back");
    assert!(matches!(examine(&repo, "task/feature", None), Err(BranchTrouble::NoDifference { .. })));
}

#[test]
fn a_tag_of_the_same_name_is_not_the_branch() {
    let repo = with_feature();
    repo.git(&["tag", "task/feature", "main"]);
    let head = examine(&repo, "task/feature", None).unwrap().head;
    assert_eq!(head.as_str(), repo.git(&["rev-parse", "refs/heads/task/feature"]));
    repo.git(&["tag", "only-a-tag"]);
    assert!(matches!(examine(&repo, "only-a-tag", None), Err(BranchTrouble::IsTag { .. })));
}

#[test]
fn a_branch_that_was_only_fetched_can_be_handed_in() {
    let origin = with_feature();
    origin.checkout("main");
    let clone = origin.cloned(&[]);
    let examined = examine(&clone, "task/feature", None).unwrap();
    assert_eq!(examined.head.as_str(), origin.git(&["rev-parse", "task/feature"]));
    assert_eq!(examined.base, "origin/main");
}

#[test]
fn a_base_that_is_not_there_is_named() {
    let trouble = examine(&with_feature(), "task/feature", Some("mian")).unwrap_err();
    assert_eq!(trouble, BranchTrouble::NoBase { base: "mian".to_owned() });
}

#[test]
fn the_default_branch_has_no_base_unless_one_is_named() {
    let repo = with_feature();
    assert!(matches!(examine(&repo, "main", None), Err(BranchTrouble::BaseUnknown { .. })));
}

#[test]
fn the_tip_is_where_the_branch_ends_now() {
    let repo = with_feature();
    let opened = open(&repo);
    let before = opened.tip(&name("task/feature")).unwrap();
    let after = repo.write("a", "3\n").commit("three");
    assert_ne!(before, opened.tip(&name("task/feature")).unwrap());
    assert_eq!(opened.tip(&name("task/feature")).unwrap().unwrap().as_str(), after.trim());
    assert_eq!(opened.tip(&name("gone")).unwrap(), None);
}
