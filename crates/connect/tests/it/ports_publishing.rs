use domain::change::Side;
use domain::forge::{Project, Provider, StatusState};
use domain::ports::{PortErrorKind, VcsPort};
use domain::publish::CannotPublish;
use engine::publish::{PublishError, StatusOutcome};
use testkit::forge::{Fault, Rights};

use crate::ports_stage::{REPO, Stage};

const PLACES: [(Side, u32, u32); 3] = [(Side::New, 3, 4), (Side::Old, 3, 3), (Side::New, 12, 12)];

fn open_marks(stage: &Stage, kind: &str) -> usize {
    let marker = format!("<!-- countersign:{kind} ");
    let pull = stage.forge.pull(REPO, stage.number);
    let is_open = |said: &&&str| {
        let first = said.lines().next().unwrap_or_default();
        first.starts_with(&marker) && first.contains("state=open")
    };
    pull.everything_said().iter().filter(is_open).count()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_review_lands_at_its_lines_and_a_second_run_adds_nothing() {
    for provider in Provider::ALL {
        let stage = Stage::new(provider);
        let vcs = stage.vcs();
        let review = stage.review(&vcs, &PLACES).await;
        let outcome = stage.publish(&vcs, &review).await.unwrap();
        assert_eq!(
            (outcome.added, outcome.only_in_summary, outcome.status),
            (3, 0, StatusOutcome::Set),
            "{provider}"
        );
        let writes = stage.forge.writes().len();
        let again = stage.publish(&vcs, &review).await.unwrap();
        assert_eq!((again.added, stage.forge.writes().len()), (0, writes), "{provider}");
        assert_eq!((open_marks(&stage, "finding"), open_marks(&stage, "summary")), (3, 1), "{provider}");
        stage.forge.assert_no_token_leaked();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_push_settles_what_is_fixed_and_adds_what_is_new() {
    for provider in Provider::ALL {
        let stage = Stage::new(provider);
        let vcs = stage.vcs();
        let review = stage.review(&vcs, &PLACES).await;
        stage.publish(&vcs, &review).await.unwrap();
        stage.forge.commit(REPO, "feature", &[("src/b.rs", "fresh\n")]);
        let outdated = stage.publish(&vcs, &review).await.unwrap_err();
        assert!(matches!(outdated, PublishError::Cannot(CannotPublish::Moved { .. })), "{outdated}");
        let next = stage.review(&vcs, &[(Side::New, 3, 4), (Side::New, 4, 4)]).await;
        let outcome = stage.publish(&vcs, &next).await.unwrap();
        assert_eq!((outcome.added, outcome.settled), (1, 2), "{provider} {:?}", outcome.notes);
        let pull = stage.forge.pull(REPO, stage.number);
        assert_eq!(
            pull.threads.iter().filter(|thread| thread.resolved_by.is_some()).count(),
            2,
            "{provider}"
        );
        assert!(pull.everything_said().iter().any(|said| said.contains("Settled by this commit: 2")));
        let statuses = vcs.get_statuses(&Project::parse(REPO).unwrap(), &outcome.head).await.unwrap();
        assert_eq!(statuses.iter().map(|status| status.state).collect::<Vec<_>>(), [StatusState::Failure]);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_that_is_cut_off_is_looked_for_and_not_repeated() {
    for (provider, path) in [
        (Provider::Github, "/repos/*/*/pulls/*/reviews"),
        (Provider::Github, "/repos/*/*/issues/*/comments"),
        (Provider::Gitlab, "/api/v4/projects/*/merge_requests/*/discussions"),
        (Provider::Gitlab, "/api/v4/projects/*/merge_requests/*/notes"),
    ] {
        let stage = Stage::new(provider);
        let vcs = stage.vcs();
        let review = stage.review(&vcs, &PLACES).await;
        stage.forge.fault(Fault::on("POST", path).cut_after());
        stage.publish(&vcs, &review).await.unwrap();
        assert_eq!(
            (open_marks(&stage, "finding"), open_marks(&stage, "summary")),
            (3, 1),
            "{provider} {path}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_review_that_the_forge_refuses_as_a_whole_is_placed_one_by_one() {
    let stage = Stage::new(Provider::Github);
    let vcs = stage.vcs();
    let review = stage.review(&vcs, &PLACES).await;
    stage.forge.fault(Fault::on("POST", "/repos/*/*/pulls/*/reviews").status(422).always());
    stage.forge.fault(Fault::on("POST", "/repos/*/*/pulls/*/comments").status(422).times(1));
    let outcome = stage.publish(&vcs, &review).await.unwrap();
    assert_eq!((outcome.added, outcome.only_in_summary), (2, 1));
    assert_eq!((open_marks(&stage, "finding"), open_marks(&stage, "summary")), (2, 1));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_app_reports_a_check_run_and_updates_it() {
    let stage = Stage::with_rights(Provider::Github, Rights::Checks);
    let vcs = stage.vcs();
    let review = stage.review(&vcs, &[]).await;
    let head = stage.publish(&vcs, &review).await.unwrap().head;
    let runs = stage.forge.check_runs(REPO, head.as_str());
    assert_eq!(runs.len(), 1, "{runs:?}");
    let worse = stage.review(&vcs, &PLACES).await;
    stage.publish(&vcs, &worse).await.unwrap();
    assert_eq!(stage.forge.check_runs(REPO, head.as_str()).len(), 1, "the same run, updated");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_not_there_is_none_and_what_is_forbidden_says_so() {
    for provider in Provider::ALL {
        let stage = Stage::new(provider);
        let vcs = stage.vcs();
        let project = Project::parse(REPO).unwrap();
        assert_eq!(vcs.get_branch(&project, "nowhere").await, Ok(None));
        assert!(vcs.get_branch(&project, "feature").await.unwrap().is_some());
        let found = vcs.find_merge_request(&project, "feature").await.unwrap().unwrap();
        assert_eq!(found.reference.number, stage.number);
        let nowhere = domain::forge::MergeRequestRef { number: 999, ..stage.request() };
        assert_eq!(vcs.get_merge_request(&nowhere).await, Ok(None));
        stage.forge.revoke(&stage.token);
        let error = stage.vcs().get_merge_request(&stage.request()).await.unwrap_err();
        assert_eq!(error.kind, PortErrorKind::Unauthorised, "{error}");
        assert!(!error.to_string().contains(&stage.token) && !error.hint.is_empty());
    }
}
