//! The same mission, started more than once: again, by a webhook that comes twice, in several places at the same moment.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};
use testkit::forge::Fault;

use super::stage::{KEY, PROJECT, Stage, finds_it};
use crate::agents::eventually;
use crate::program::{Outcome, run};

/// Nobody waits for it.
const FOR_EVER: Duration = Duration::from_secs(600);
const COMMENT: (&str, &str) = ("POST", "/rest/api/2/issue/*/comment");

type Dies = fn(Fault) -> Fault;
type Place<'a> = &'a dyn Fn() -> Elsewhere;

/// Where somebody else works: another folder, and what is remembered there.
struct Elsewhere {
    folder: tempfile::TempDir,
    store: Option<String>,
}

impl Elsewhere {
    fn with_its_own_store() -> Elsewhere {
        Elsewhere { folder: tempfile::tempdir().unwrap(), store: None }
    }

    fn sharing(store: &Path) -> Elsewhere {
        Elsewhere { store: Some(store.display().to_string()), ..Elsewhere::with_its_own_store() }
    }

    fn command(&self, stage: &Stage) -> Command {
        let mut command = stage.command(&[KEY]);
        command.current_dir(self.folder.path());
        command.env("XDG_STATE_HOME", self.folder.path().join("state"));
        if let Some(store) = &self.store {
            command.env("COUNTERSIGN_STORE", store);
        }
        command
    }

    fn start(&self, stage: &Stage) -> Child {
        self.command(stage).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    }

    fn killed_at(&self, stage: &Stage, at: Fault) {
        stage.forge.fault(at);
        let mut mission = self.start(stage);
        eventually("it comes there", || stage.forge.faults_left() == 0);
        mission.kill().unwrap();
        mission.wait().unwrap();
        stage.forge.heal();
    }
}

fn is_told_once(stage: &Stage) {
    assert_eq!((stage.count("start"), stage.count("result")), (1, 1), "{:?}", stage.told());
    let posted = stage.posted();
    let count = |part: &str| posted.iter().filter(|body| body.contains(part)).count();
    assert_eq!((count("countersign:finding"), count("countersign:summary")), (1, 1), "{posted:?}");
}

fn was_told_before(stage: &Stage, outcome: &Outcome) {
    assert_eq!(outcome.code, Some(1), "{}{}", outcome.stdout, outcome.stderr);
    assert!(outcome.stdout.contains("PROJ-1 was told before: the review failed"), "{}", outcome.stdout);
    is_told_once(stage);
    assert_eq!(stage.told().len(), 2, "{:?}", stage.told());
    assert_eq!(stage.model.questions().len(), 1, "a review that was paid for is not asked for again");
}

#[test]
fn started_again_it_says_how_it_ended_and_posts_nothing() {
    let stage = Stage::new(finds_it());
    assert_eq!(stage.run(&[KEY]).code, Some(1));
    let writes = stage.forge.writes().len();
    was_told_before(&stage, &stage.run(&[KEY]));
    assert_eq!(stage.forge.writes().len(), writes);
    let shown = stage.run(&[KEY, "--format", "json"]);
    let shown: Value = serde_json::from_str(&shown.stdout).unwrap();
    assert_eq!((&shown["ended"], &shown["verdict"]), (&json!("told_before"), &json!("fail")));
    assert_eq!(shown["told"], "before");
}

#[test]
fn a_webhook_that_comes_twice_starts_one_mission() {
    let stage = Stage::new(finds_it());
    let payload = json!({
        "timestamp": 1_763_280_000_000_u64, "webhookEvent": "jira:issue_updated",
        "issue": {"key": KEY, "fields": {"description": stage.description()}}
    });
    let file = stage.folder.path().join("payload.json");
    std::fs::write(&file, payload.to_string()).unwrap();
    let file = file.to_str().unwrap();
    assert_eq!(stage.run(&["--webhook", file]).code, Some(1));
    was_told_before(&stage, &stage.run(&["--webhook", file]));
    was_told_before(&stage, &stage.run(&[KEY]));
}

#[test]
fn a_push_and_somebody_who_asks_again_make_it_another_mission() {
    let stage = Stage::new(finds_it());
    assert_eq!(stage.run(&[KEY]).code, Some(1));
    let asked = stage.model.questions().len();
    assert_eq!(stage.run(&[KEY, "--again"]).code, Some(1));
    assert_eq!(stage.model.questions().len(), 2 * asked, "a kept answer is no second look");
    assert_eq!((stage.count("start"), stage.count("result")), (2, 2), "{:?}", stage.told());
    stage.forge.commit(PROJECT, "feature", &[("src/more.py", "X = 1\n")]);
    assert_eq!(stage.run(&[KEY]).code, Some(1));
    assert_eq!((stage.count("start"), stage.count("result")), (3, 3), "{:?}", stage.told());
}

#[test]
fn one_that_failed_is_tried_again_and_the_same_reason_is_no_news() {
    let stage = Stage::new(finds_it());
    let without_model = || {
        let mut command = stage.command(&[KEY]);
        command.env("CODE_REVIEW_LLM_MODEL_PRIORITY", "nobody:knows");
        run(command)
    };
    assert_eq!(without_model().code, Some(4));
    let again = without_model();
    assert_eq!(again.code, Some(4));
    assert!(again.stdout.contains("PROJ-1 knows that already"), "{}", again.stdout);
    assert_eq!(stage.told().len(), 2, "{:?}", stage.told());
    assert_eq!(stage.run(&[KEY]).code, Some(1));
    assert_eq!((stage.count("start"), stage.count("result")), (1, 2), "{:?}", stage.told());
}

#[test]
fn started_in_two_folders_at_once_with_one_store_one_of_them_works() {
    let shared = tempfile::tempdir().unwrap();
    let stage = Stage::new(finds_it());
    stage.forge.fault(Fault::on(COMMENT.0, COMMENT.1).slow(Duration::from_millis(700)).always());
    let places = [0, 1].map(|_| Elsewhere::sharing(&shared.path().join("shared.db")));
    let both = places.each_ref().map(|place| place.start(&stage));
    let said: Vec<String> = both.into_iter().map(came_out).collect();
    stage.forge.heal();
    is_told_once(&stage);
    assert_eq!(said.iter().filter(|said| said.contains("was told before")).count(), 1, "{said:?}");
    assert_eq!(stage.model.questions().len(), 1);
}

#[test]
fn started_in_one_folder_twice_at_once_one_of_them_works() {
    let place = Elsewhere::with_its_own_store();
    let stage = Stage::new(finds_it());
    stage.forge.fault(Fault::on(COMMENT.0, COMMENT.1).slow(Duration::from_millis(700)).always());
    let both = [0, 1].map(|_| place.start(&stage));
    let said: Vec<String> = both.into_iter().map(came_out).collect();
    stage.forge.heal();
    is_told_once(&stage);
    assert_eq!(said.iter().filter(|said| said.contains("was told before")).count(), 1, "{said:?}");
}

#[test]
fn started_at_once_where_nothing_is_shared_the_ticket_is_told_once() {
    let stage = Stage::new(finds_it());
    // Whoever looks while the other posts does not find it yet.
    stage.forge.fault(Fault::on(COMMENT.0, COMMENT.1).slow(Duration::from_millis(700)).always());
    let places = [0, 1].map(|_| Elsewhere::with_its_own_store());
    let both = places.each_ref().map(|place| place.start(&stage));
    both.into_iter().map(came_out).for_each(drop);
    stage.forge.heal();
    assert_eq!((stage.count("start"), stage.count("result")), (1, 1), "{:?}", stage.told());
    let others = stage.told().iter().filter(|body| !body.contains("countersign:mission")).count();
    let emptied =
        stage.told().iter().filter(|body| body.starts_with("Told twice at the same moment")).count();
    assert_eq!(others, emptied, "{:?}", stage.told());
}

#[test]
fn killed_in_one_place_it_is_gone_on_with_in_another_and_told_once() {
    let shared = tempfile::tempdir().unwrap();
    let store = shared.path().join("shared.db");
    let sharing = || Elsewhere::sharing(&store);
    let places: [(Dies, Place<'_>); 3] = [
        (|comment| comment.late(FOR_EVER), &sharing),
        (|comment| comment.late(FOR_EVER), &Elsewhere::with_its_own_store),
        (|comment| comment.slow(FOR_EVER), &Elsewhere::with_its_own_store),
    ];
    for comment in [0, 1] {
        for (dies, place) in places {
            let stage = Stage::new(finds_it());
            place().killed_at(&stage, dies(Fault::on(COMMENT.0, COMMENT.1).after(comment)));
            let outcome = run(place().command(&stage));
            assert_eq!(outcome.code, Some(1), "{}{}", outcome.stdout, outcome.stderr);
            is_told_once(&stage);
            assert_eq!(stage.told().len(), 2, "{:?}", stage.told());
        }
    }
}

fn came_out(child: Child) -> String {
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(output.status.code(), Some(1), "{said}{}", String::from_utf8_lossy(&output.stderr));
    said
}
