//! Ways to bring something in unseen, each of which must fail.

use domain::change::{Attributes, Change, Content, FileChange, Status};
use git::{Environment, Repository};
use testkit::Repo;

use crate::support::*;

const SCRIPT: &str = "#!/bin/sh\ntoken=hunter2\n";

fn text_of(file: &FileChange) -> String {
    file.added().map(|(_, line)| format!("{}\n", String::from_utf8_lossy(line))).collect()
}

/// A base with `before` in it and a branch with `after`, in every mode a review can be asked for.
fn in_every_mode(before: impl Fn(&Repo) -> &Repo, after: impl Fn(&Repo) -> &Repo, check: impl Fn(&Change)) {
    let repo = Repo::new();
    before(&repo);
    repo.write("other", "1\n").commit("before");
    repo.branch("feature");
    after(&repo);
    check(&change(&repo, &worktree()));
    check(&change(repo.stage(), &staged()));
    repo.commit("after");
    check(&change(&repo, &commits()));
}

#[test]
fn a_program_that_becomes_a_script_is_shown() {
    in_every_mode(
        |repo| repo.write("run", b"\x7fELF\0\0\x01").write("image", b"\0\x01"),
        |repo| repo.write("run", SCRIPT).write("image", b"\0\x02"),
        |change| {
            let run = file(change, "run");
            assert_eq!((run.status, text_of(run).as_str()), (Status::Modified, SCRIPT));
            assert!(matches!(file(change, "image").content, Content::Binary));
        },
    );
}

#[test]
fn a_program_taken_out_of_the_index_that_becomes_a_script_is_shown() {
    let repo = Repo::new();
    repo.write("run", b"\x7fELF\0\0\x01").commit("one");
    repo.git(&["rm", "--quiet", "--cached", "run"]);
    repo.write("run", SCRIPT);
    let change = change(&repo, &worktree());
    assert_eq!((summary(&change), text_of(&change.files[0])), (vec!["M run".to_owned()], SCRIPT.to_owned()));
}

#[test]
fn a_program_that_becomes_a_link_shows_where_it_leads() {
    in_every_mode(
        |repo| repo.write(".gitattributes", "run binary\n").write("run", b"\x7fELF\0\0\x01"),
        |repo| repo.remove("run").symlink("run", "/bin/evil"),
        |change| assert_eq!(text_of(file(change, "run")), "/bin/evil\n"),
    );
}

#[test]
fn a_link_or_submodule_that_becomes_a_file_is_shown() {
    let repo = Repo::new();
    let commit = repo.write("other", "1\n").symlink("link", SCRIPT).commit("zero");
    repo.git(&["update-index", "--add", "--cacheinfo", &format!("160000,{commit},sub")]);
    repo.commit_staged("before");
    repo.branch("feature").remove("link").write("link", SCRIPT).write("sub", SCRIPT);
    for ask in [worktree(), staged(), commits()] {
        match ask.what {
            git::What::Worktree => {}
            git::What::Staged => drop(repo.stage()),
            git::What::Commits => drop(repo.commit("after")),
        }
        let change = change(&repo, &ask);
        for path in ["link", "sub"] {
            assert_eq!(text_of(file(&change, path)), SCRIPT, "{path} {:?}", ask.what);
        }
    }
}

#[test]
fn a_large_text_that_is_called_binary_is_an_error_that_names_it() {
    let repo = Repo::new();
    repo.write("run", b"\0").write("blob", b"\0").commit("one");
    let large = "x\n".repeat(26 * 1024 * 1024);
    repo.write("blob", format!("\0{large}")).commit("still binary");
    assert!(matches!(file(&change(&repo, &commits()), "blob").content, Content::Binary));
    repo.write("run", large).commit("text");
    let repository = open(&repo);
    let error = repository.change(&repository.resolve(&commits()).unwrap()).unwrap_err();
    assert!(error.to_string().starts_with("run is too large to review"), "{error}");
}

#[test]
fn a_driver_in_the_configuration_cannot_make_text_binary() {
    let repo = Repo::new();
    repo.write(".gitattributes", "*.rs diff=rust\n").write("a.rs", "1\n").commit("one");
    repo.config("diff.rust.binary", "true").branch("feature").write("a.rs", SCRIPT).commit("two");
    assert_eq!(text_of(file(&change(&repo, &commits()), "a.rs")), SCRIPT);
}

#[test]
fn what_moves_from_a_skipped_place_to_a_reviewed_one_is_a_new_file() {
    let code = "fn evil() {\n    run()\n}\n";
    for (attributes, from) in [
        ("", "vendor/evil.rs"),
        ("third/* linguist-vendored\n", "third/evil.rs"),
        ("gen/* linguist-generated=true\n", "gen/evil.rs"),
        ("data/* -diff\n", "data/evil.rs"),
    ] {
        in_every_mode(
            |repo| repo.write(".gitattributes", attributes).write(from, code),
            |repo| repo.rename(from, "src/evil.rs").stage(),
            |change| {
                let evil = file(change, "src/evil.rs");
                assert_eq!((evil.status, evil.old.as_ref()), (Status::Added, None), "{from}");
                assert_eq!(text_of(evil), code, "{from}");
            },
        );
    }
}

#[test]
fn what_is_copied_out_of_a_skipped_place_is_a_new_file() {
    let code = "fn evil() {\n    run()\n}\n";
    in_every_mode(
        |repo| repo.write("vendor/evil.rs", code),
        |repo| repo.write("src/evil.rs", code).write("vendor/evil.rs", format!("{code}\n")).stage(),
        |change| assert_eq!(text_of(file(change, "src/evil.rs")), code),
    );
}

#[test]
fn a_rename_between_reviewed_places_stays_one() {
    in_every_mode(
        |repo| repo.write("src/a.rs", SCRIPT),
        |repo| repo.rename("src/a.rs", "src/b.rs").stage(),
        |change| assert_eq!(summary(change), ["R100 src/b.rs"]),
    );
}

#[test]
fn attributes_kept_beside_the_repository_do_not_hide_anything() {
    let repo = Repo::new();
    repo.write(".gitattributes", "vendor/* -linguist-vendored\n").write("a.rs", "1\n").commit("one");
    repo.branch("feature")
        .write("a.rs", "2\n")
        .write("vendor/ours", "1\n")
        .rename("a.rs", "b.rs")
        .commit("two");
    repo.write("c.rs", SCRIPT).commit("three");
    repo.write(".git/info/attributes", "# comment\n\n*.rs binary linguist-generated linguist-vendored\n");
    let change = change(&repo, &commits());
    assert!(has_note(&change.scope, "`.git/info/attributes` could hide files from this review"));
    assert_eq!(text_of(file(&change, "c.rs")), SCRIPT);
    assert_eq!(file(&change, "c.rs").attributes, Attributes::default());
    assert_eq!(file(&change, "vendor/ours").attributes.vendored, Some(false));
}

#[test]
fn while_local_attributes_count_a_moved_file_is_shown_whole() {
    let repo = Repo::new();
    repo.write(".gitattributes", "third/* linguist-vendored\n").write("third/x.rs", SCRIPT).commit("one");
    repo.branch("feature").rename("third/x.rs", "src/x.rs").commit("two");
    repo.write(".git/info/attributes", "third/* !linguist-vendored\n");
    assert_eq!(text_of(file(&change(&repo, &commits()), "src/x.rs")), SCRIPT);
}

#[test]
fn local_attributes_of_comments_only_are_no_reason_for_doubt() {
    if testkit::skip_with_old_git() {
        return;
    }
    let repo = Repo::new();
    repo.write(".gitattributes", "*.rs linguist-generated\n").write("a.rs", "1\n").commit("one");
    repo.branch("feature").write("a.rs", "2\n").commit("two");
    repo.write(".git/info/attributes", "# none\n \t\r\n\n");
    let change = change(&repo, &commits());
    assert!(!has_note(&change.scope, "info/attributes"), "{:?}", change.scope);
    assert_eq!(file(&change, "a.rs").attributes.generated, Some(true));
}

#[test]
fn local_attributes_are_found_from_a_linked_worktree_and_behind_a_link() {
    let repo = Repo::new();
    repo.write("a.rs", "1\n").commit("one");
    std::fs::write(repo.outside("elsewhere"), "# harmless when looked at\n").unwrap();
    repo.remove(".git/info").write(".git/info/x", "").symlink(".git/info/attributes", "../../../elsewhere");
    let linked = repo.outside("linked");
    repo.git(&["worktree", "add", "--quiet", "-b", "side", linked.to_str().unwrap()]);
    let scope = open_at(&repo, &linked).unwrap().resolve(&worktree()).unwrap();
    assert!(has_note(&scope, ".git/info/attributes"), "{scope:?}");
}

#[test]
fn attribute_files_named_by_configuration_do_not_count() {
    let repo = Repo::new();
    repo.write("a.rs", "1\n").commit("one");
    let hiding = repo.outside("attributes");
    std::fs::write(&hiding, "*.rs binary linguist-generated\n").unwrap();
    repo.config("core.attributesFile", hiding.to_str().unwrap());
    repo.branch("feature").write("a.rs", "2\n").commit("two");
    let change = change(&repo, &commits());
    assert_eq!(rendered(file(&change, "a.rs")), "@@ -1 +1 @@\n-1\n+2\n");
    assert_eq!(file(&change, "a.rs").attributes, Attributes::default());
}

#[test]
fn a_replaced_commit_is_reviewed_as_itself() {
    let repo = Repo::new();
    repo.write("a", "1\n").commit("one");
    let good = repo.branch("good").write("a", "good\n").commit("good");
    repo.checkout("main");
    let bad = repo.branch("bad").write("a", "bad\n").commit("bad");
    repo.git(&["replace", &bad, &good]);
    let change = change(&repo, &between("main", "bad"));
    assert_eq!(text_of(file(&change, "a")), "bad\n");
}

/// A branch with forty commits, too many to be walked, and `main` beside it.
fn long_branch() -> (Repo, String, String) {
    let repo = Repo::new();
    repo.write("a", "1\n").commit("one");
    repo.branch("feature").write("evil", SCRIPT).commit("evil");
    for _ in 0..40 {
        repo.commit("nothing");
    }
    let head = repo.git(&["rev-parse", "HEAD"]);
    let base = repo.checkout("main").write("a", "2\n").commit("two");
    repo.checkout("feature");
    (repo, base, head)
}

#[test]
fn a_graft_cannot_move_the_base() {
    let (repo, base, head) = long_branch();
    repo.write(".git/info/grafts", format!("{base} {head}\n"));
    assert_eq!(repo.git(&["merge-base", "main", "feature"]), head, "the trick works on git itself");
    assert_eq!(summary(&change(&repo, &commits())), ["A evil"]);
}

/// Makes the commit graph say that `child` has no parent but `parent`, and comes after it.
fn forge_commit_graph(repo: &Repo, child: &str, parent: &str) {
    repo.git(&["-c", "commitGraph.generationVersion=1", "commit-graph", "write", "--reachable"]);
    let path = repo.path().join(".git/objects/info/commit-graph");
    let mut graph = std::fs::read(&path).unwrap();
    let number = |at: usize| u32::from_be_bytes(graph[at..at + 4].try_into().unwrap()) as usize;
    let chunk = |id: &[u8]| {
        let entry = (8..).step_by(12).find(|at| &graph[*at..at + 4] == id).unwrap();
        number(entry + 8)
    };
    let (fan, names, data) = (chunk(b"OIDF"), chunk(b"OIDL"), chunk(b"CDAT"));
    let hex = |at: usize| graph[at..at + 20].iter().map(|b| format!("{b:02x}")).collect::<String>();
    let position = |oid: &str| (0..number(fan + 1020)).find(|n| hex(names + 20 * n) == oid).unwrap();
    let (record, parent) = (data + 36 * position(child), position(parent) as u32);
    graph[record + 20..record + 24].copy_from_slice(&parent.to_be_bytes());
    graph[record + 28..record + 32].copy_from_slice(&(1000_u32 << 2).to_be_bytes());
    std::fs::remove_file(&path).unwrap();
    std::fs::write(&path, graph).unwrap();
}

#[test]
fn a_forged_commit_graph_cannot_move_the_base() {
    let (repo, base, head) = long_branch();
    repo.checkout("main").commit("three");
    repo.checkout("feature");
    forge_commit_graph(&repo, &base, &head);
    assert_eq!(repo.git(&["merge-base", "main", "feature"]), head, "the trick works on git itself");
    assert_eq!(summary(&change(&repo, &commits())), ["A evil"]);
}

#[test]
fn a_history_cut_short_by_hand_is_an_error() {
    let (repo, base, head) = long_branch();
    for cut in [head, base] {
        repo.write(".git/shallow", format!("{cut}\n"));
        let error = scope(&repo, &commits()).unwrap_err();
        assert!(matches!(error, git::GitError::Shallow { .. }), "{error:?}");
    }
}

#[test]
fn an_old_git_lets_no_attribute_hide_a_file() {
    let repo = Repo::new();
    repo.write("a.rs", "1\n").commit("one");
    repo.branch("feature")
        .write(".gitattributes", "*.rs binary linguist-generated\n")
        .write("a.rs", SCRIPT)
        .commit("two");
    let old = r#"case "$2" in --attr-source=*) echo "unknown option: $2" >&2; exit 129;; version) echo "git version 2.34.1"; exit 0;; esac"#;
    let environment = Environment::from_vars(git_wrapper(&repo, old), &repo.outside("home"));
    let repository = Repository::discover_in(repo.path(), &environment).unwrap();
    let change = repository.change(&repository.resolve(&commits()).unwrap()).unwrap();
    assert_eq!(text_of(file(&change, "a.rs")), SCRIPT);
    assert_eq!(file(&change, "a.rs").attributes, Attributes::default());
}
