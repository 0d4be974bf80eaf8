use super::standing::{STANDING, Standing};
use crate::change::Oid;
use crate::forge::{CommitStatus, StatusState};
use crate::formats::shown::reason;
use crate::review::{Review, Verdict};

/// What branch protection is told. An inconclusive review is a failure that says so, never something in between.
pub(super) fn status(
    review: &Review,
    standing: &Standing,
    commit: &Oid,
    name: &str,
    url: &str,
) -> CommitStatus {
    let score = review.decision.overall_score;
    let blocking = review.blocking().count();
    let (state, title) = match review.verdict() {
        Verdict::Pass => (StatusState::Success, format!("Passed, score {score} of 100")),
        Verdict::Fail => match blocking {
            0 => (StatusState::Failure, format!("Failed, score {score} of 100")),
            1 => (StatusState::Failure, format!("Failed: 1 finding must be fixed, score {score} of 100")),
            count => (
                StatusState::Failure,
                format!("Failed: {count} findings must be fixed, score {score} of 100"),
            ),
        },
        Verdict::Inconclusive if review.troubles.last().is_some_and(|trouble| trouble.kind == STANDING) => {
            let title = match standing.must_fix() {
                1 => "Inconclusive: 1 finding of an earlier review still stands".to_owned(),
                count => format!("Inconclusive: {count} findings of earlier reviews still stand"),
            };
            (StatusState::Failure, title)
        }
        Verdict::Inconclusive => {
            (StatusState::Failure, "Inconclusive: not everything could be reviewed".to_owned())
        }
    };
    CommitStatus {
        name: name.to_owned(),
        commit: commit.clone(),
        state,
        title,
        summary: crate::formats::markdown::text(&reason(review), 4_000),
        url: (!url.is_empty()).then(|| url.to_owned()),
    }
}
