use domain::forge::UnsupportedProvider;
use domain::mission::MissionMode;
use domain::ports::PortError;
use domain::review::Verdict;

use super::stage::{PARAMS, Stage, Trouble, Wiki};
use crate::mission::{Ended, Posted, Step, Unreviewed};
use crate::publish::tests::forge::Fault;
use crate::ticket::Telling;

#[tokio::test(start_paused = true)]
async fn a_mission_reports_its_start_publishes_and_reports_its_end() {
    let stage = Stage::new();
    assert_eq!(stage.run().await, Ok(Ended::Done));
    let said = stage.said();
    assert_eq!((stage.reports("start"), stage.reports("result"), said.len()), (1, 1, 2), "{said:?}");
    assert!(said[1].contains("https://forge.example.com/o/r/-/merge_requests/7"), "{}", said[1]);
    assert_eq!((stage.forge.open("finding"), stage.forge.open("summary")), (1, 1));
    assert_eq!(*stage.pages.lock().unwrap(), ["auth-service", "4711"]);
    let steps: Vec<String> = stage.mission().trace.into_iter().map(|trace| trace.what).collect();
    assert_eq!(steps.len(), 6, "{steps:?}");
}

#[tokio::test(start_paused = true)]
async fn a_ticket_without_parameters_is_told_what_is_missing_and_nothing_else_happens() {
    let stage = Stage { description: "Please review".to_owned(), ..Stage::new() };
    assert_eq!(stage.run().await, Ok(Ended::Failed));
    let said = stage.said();
    assert_eq!(said.len(), 1);
    assert!(
        said[0].contains("no `code_review_params`") || said[0].contains("code_review_params"),
        "{}",
        said[0]
    );
    assert_eq!(stage.forge.state().comments.len(), 0);
}

#[tokio::test(start_paused = true)]
async fn an_unsupported_provider_is_reported_to_the_ticket() {
    let unsupported = UnsupportedProvider { named: "BITBUCKET".into() };
    let stage = Stage { provider: Err(PortError::from(unsupported)), ..Stage::new() };
    assert_eq!(stage.run().await, Ok(Ended::Failed));
    assert!(stage.said()[1].contains("BITBUCKET is not supported"), "{:?}", stage.said());
    assert_eq!(stage.reports("start"), 1);
}

#[tokio::test(start_paused = true)]
async fn an_address_of_another_forge_is_refused_before_any_call() {
    let stage =
        Stage { description: PARAMS.replace("forge.example.com", "evil.example.com"), ..Stage::new() };
    assert_eq!(stage.run().await, Ok(Ended::Failed));
    assert!(stage.said()[1].contains("does not belong to"), "{:?}", stage.said());
    assert_eq!(stage.modes.lock().unwrap().len(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_missing_branch_and_another_branch_are_told_apart() {
    let stage = Stage { description: PARAMS.replace(": topic", ": gone"), ..Stage::new() };
    assert_eq!(stage.run().await, Ok(Ended::Failed));
    assert!(stage.said()[1].contains("no branch"), "{:?}", stage.said());
}

#[tokio::test(start_paused = true)]
async fn a_reviewer_that_cannot_review_is_a_reported_failure() {
    let unreviewed = Unreviewed { reason: "no model can be asked".into(), hint: "set a key".into() };
    let stage = Stage { unreviewed: Some(unreviewed), ..Stage::new() };
    assert_eq!(stage.run().await, Ok(Ended::Failed));
    assert!(stage.said()[1].contains("no model can be asked") && stage.said()[1].contains("set a key"));
    assert_eq!(stage.mission().step, Step::Failed);
}

#[tokio::test(start_paused = true)]
async fn documentation_that_cannot_be_read_stops_the_review() {
    let stage = Stage { wiki: Wiki::Down, ..Stage::new() };
    assert_eq!(stage.run().await, Ok(Ended::Failed));
    assert!(stage.said()[1].contains("reading the documentation"), "{:?}", stage.said());
}

fn without_the_page() -> [(Stage, &'static str); 3] {
    let unknown = Stage { architecture: Some("4712".to_owned()), ..Stage::new() };
    let unset = Stage { architecture: None, ..Stage::new() };
    let no_wiki = Stage { wiki: Wiki::Absent, ..Stage::new() };
    [
        (unknown, "the wiki has no page 4712"),
        (unset, "ARCHITECTURE_DOC_PAGE_ID is not set"),
        (no_wiki, "no wiki is configured"),
    ]
}

#[tokio::test(start_paused = true)]
async fn a_missing_architecture_page_is_named_on_the_request_and_the_ticket() {
    for (stage, why) in without_the_page() {
        assert_eq!(stage.run().await, Ok(Ended::Done));
        let told = stage.said().pop().unwrap();
        assert!(
            told.contains("Note: reviewed without the architecture page") && told.contains(why),
            "{told}"
        );
        let says = |body: &str| body.contains("reviewed without the architecture page");
        let posted = stage.forge.state().comments.iter().any(|comment| says(&comment.body));
        assert!(posted, "{why}");
        assert_eq!(stage.mission().review.unwrap().verdict(), Verdict::Fail);
    }
}

#[tokio::test(start_paused = true)]
async fn a_required_architecture_page_that_is_missing_makes_the_review_inconclusive() {
    for (stage, why) in without_the_page() {
        let stage = Stage { requires_architecture: true, lines: vec![], ..stage };
        assert_eq!(stage.run().await, Ok(Ended::Done));
        let told = stage.said().pop().unwrap();
        assert!(told.contains("Code review inconclusive") && told.contains(why), "{told}");
        assert_eq!(stage.mission().review.unwrap().verdict(), Verdict::Inconclusive);
    }
    let stage = Stage { requires_architecture: true, lines: vec![], ..Stage::new() };
    assert_eq!(stage.run().await, Ok(Ended::Done));
    assert_eq!(stage.mission().review.unwrap().verdict(), Verdict::Pass);
}

#[tokio::test(start_paused = true)]
async fn a_push_during_the_review_is_reviewed_again() {
    let mut stage = Stage::new();
    stage.push_once = true.into();
    assert_eq!(stage.run().await, Ok(Ended::Done));
    assert_eq!(stage.mission().reviews, 2);
    assert_eq!((stage.forge.open("finding"), stage.reports("result")), (1, 1));
}

#[tokio::test(start_paused = true)]
async fn what_cannot_be_published_is_tried_by_the_other_mode_and_then_told_to_the_ticket() {
    let mut stage = Stage { recovers: true, ..Stage::new() };
    stage.forge.faults = (1..100).map(|number| (number, Fault::Down)).collect();
    assert_eq!(stage.run().await, Ok(Ended::Done));
    assert_eq!(*stage.modes.lock().unwrap(), [None, Some(MissionMode::AgenticActLoop)]);
    assert!(matches!(stage.mission().posted, Some(Posted::Impossible { .. })));
    let said = stage.said();
    // Between start and result the ticket is told that it takes long.
    let result = &said[2];
    assert!(result.contains("could not be published") && result.contains("line 2 is a stub"), "{result}");
}

#[tokio::test(start_paused = true)]
async fn a_lost_answer_of_the_ticket_is_looked_for_and_not_posted_again() {
    let stage = Stage {
        troubles: [(1, Trouble::Lost), (2, Trouble::Down), (3, Trouble::Lost)].into(),
        ..Stage::new()
    };
    assert_eq!(stage.run().await, Ok(Ended::Done));
    assert_eq!((stage.reports("start"), stage.reports("result")), (1, 1), "{:?}", stage.said());
}

#[tokio::test(start_paused = true)]
async fn a_ticket_that_cannot_be_told_leaves_the_mission_to_a_human() {
    let stage =
        Stage { troubles: (1..50).map(|number| (number, Trouble::Forbidden)).collect(), ..Stage::new() };
    assert_eq!(stage.run().await, Ok(Ended::Unreported));
    assert!(stage.mission().unreported.is_some_and(|why| why.contains("not allowed")));
    assert_eq!(stage.forge.state().comments.len(), 0, "what cannot report its start does not begin");
}

#[tokio::test(start_paused = true)]
async fn a_report_that_somebody_else_copied_does_not_count_as_ours() {
    let first = Stage::new();
    assert_eq!(first.run().await, Ok(Ended::Done));
    let copies = first.comments.lock().unwrap().clone().into_iter();
    let stage = Stage::new();
    *stage.comments.lock().unwrap() =
        copies.map(|copy| domain::forge::TicketComment { author: "mallory".into(), ..copy }).collect();
    assert_eq!(stage.run().await, Ok(Ended::Done));
    assert_eq!((stage.reports("start"), stage.reports("result")), (2, 2));
}

#[tokio::test(start_paused = true)]
async fn whoever_read_how_it_began_cannot_write_how_it_ended() {
    let stage = Stage::new();
    assert_eq!(stage.run().await, Ok(Ended::Done));
    let said = stage.said();
    let mark = said[0].lines().last().unwrap().replace(":start", ":result");
    assert!(!said[1].contains(&mark), "{said:?}");
}

#[tokio::test(start_paused = true)]
async fn started_again_a_mission_that_is_done_tells_nothing_and_knows_how_it_ended() {
    let stage = Stage::new();
    assert_eq!(stage.run().await, Ok(Ended::Done));
    let (said, posted) = (stage.said(), stage.forge.state().comments.len());
    assert_eq!(stage.run().await, Ok(Ended::Known(Some(Verdict::Fail))));
    assert_eq!((stage.said(), stage.forge.state().comments.len()), (said, posted));
    assert_eq!(stage.modes.lock().unwrap().len(), 1, "nobody reviews it again");
}

#[tokio::test(start_paused = true)]
async fn a_store_that_knows_nothing_is_told_by_the_ticket() {
    let stage = Stage::new();
    assert_eq!(stage.run().await, Ok(Ended::Done));
    let elsewhere = Stage { comments: stage.comments.into_inner().unwrap().into(), ..Stage::new() };
    assert_eq!(elsewhere.run().await, Ok(Ended::Known(Some(Verdict::Fail))));
    assert_eq!(elsewhere.posts.into_inner(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_ticket_that_lists_late_is_known_by_the_store() {
    let stage = Stage::new();
    assert_eq!(stage.run().await, Ok(Ended::Done));
    stage.comments.lock().unwrap().clear();
    assert_eq!(stage.run().await, Ok(Ended::Known(None)));
    assert_eq!(stage.said().len(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_push_or_somebody_who_asks_again_makes_it_another_mission() {
    let mut stage = Stage::new();
    assert_eq!(stage.run().await, Ok(Ended::Done));
    stage.forge.push('5');
    assert_eq!(stage.run().await, Ok(Ended::Done));
    assert_eq!((stage.reports("start"), stage.reports("result")), (2, 2), "{:?}", stage.said());
    stage.again = "once more".to_owned();
    assert_eq!(stage.run().await, Ok(Ended::Done));
    assert_eq!((stage.reports("start"), stage.reports("result")), (3, 3), "{:?}", stage.said());
}

#[tokio::test(start_paused = true)]
async fn what_was_pushed_during_the_review_is_known_to_be_reviewed() {
    let mut stage = Stage::new();
    stage.push_once = true.into();
    assert_eq!(stage.run().await, Ok(Ended::Done));
    assert_eq!(stage.run().await, Ok(Ended::Known(Some(Verdict::Fail))));
}

#[tokio::test(start_paused = true)]
async fn what_failed_is_tried_again_and_only_what_is_new_is_told() {
    let unreviewed = Unreviewed { reason: "no answer after 31 s".into(), hint: String::new() };
    let mut stage = Stage { unreviewed: Some(unreviewed), ..Stage::new() };
    assert_eq!(stage.run().await, Ok(Ended::Failed));
    stage.unreviewed = Some(Unreviewed { reason: "no answer after 4 s".into(), hint: String::new() });
    assert_eq!(stage.run().await, Ok(Ended::Failed));
    assert_eq!((stage.reports("start"), stage.reports("result")), (1, 1), "{:?}", stage.said());
    assert_eq!(stage.mission().told, Some(Telling::Before));
    stage.unreviewed = None;
    assert_eq!(stage.run().await, Ok(Ended::Done));
    assert_eq!((stage.reports("start"), stage.reports("result")), (1, 2), "{:?}", stage.said());
}

#[tokio::test(start_paused = true)]
async fn told_twice_at_the_same_moment_one_of_both_is_emptied() {
    let stage = Stage::new();
    let other = Stage::new();
    assert_eq!(other.run().await, Ok(Ended::Done));
    // Whoever shares no store with us posts between our look and our comment.
    *stage.meanwhile.lock().unwrap() = other.comments.into_inner().unwrap().into_iter().take(1).collect();
    assert_eq!(stage.run().await, Ok(Ended::Done));
    assert_eq!((stage.reports("start"), stage.reports("result")), (1, 1), "{:?}", stage.said());
    assert_eq!(stage.said()[1], "Told twice at the same moment: see above.");
}

#[tokio::test(start_paused = true)]
async fn whoever_starts_it_after_a_repetition_hears_how_that_came_out() {
    let mut stage = Stage { lines: vec![], ..Stage::new() };
    assert_eq!(stage.run().await, Ok(Ended::Done));
    assert_eq!(stage.run().await, Ok(Ended::Known(Some(Verdict::Pass))));
    (stage.again, stage.lines) = ("once more".to_owned(), vec![2]);
    assert_eq!(stage.run().await, Ok(Ended::Done));
    stage.again = String::new();
    assert_eq!(stage.run().await, Ok(Ended::Known(Some(Verdict::Fail))));
}

#[tokio::test(start_paused = true)]
async fn a_failure_is_told_again_once_the_ticket_was_told_something_else() {
    let mut stage = Stage::new();
    let mut told = Vec::new();
    for reason in ["no model", "no model", "no token", "no model", "no model", "no token"] {
        stage.unreviewed = Some(Unreviewed { reason: reason.into(), hint: String::new() });
        assert_eq!(stage.run().await, Ok(Ended::Failed));
        told.push(stage.mission().told == Some(Telling::Now));
    }
    assert_eq!(told, [true, false, true, true, false, true], "{:?}", stage.said());
    assert_eq!((stage.reports("start"), stage.reports("result")), (1, 4));
}

#[tokio::test(start_paused = true)]
async fn whoever_shares_no_store_finds_the_failure_that_was_told_last() {
    let mut stage = Stage::new();
    for reason in ["no model", "no token", "no model"] {
        stage.unreviewed = Some(Unreviewed { reason: reason.into(), hint: String::new() });
        assert_eq!(stage.run().await, Ok(Ended::Failed));
    }
    let unreviewed = stage.unreviewed.clone();
    let comments = stage.comments.into_inner().unwrap().into();
    let elsewhere = Stage { comments, unreviewed, ..Stage::new() };
    assert_eq!(elsewhere.run().await, Ok(Ended::Failed));
    assert_eq!(elsewhere.posts.into_inner(), 0);
}
