use proptest::prelude::*;

use super::stage::{Forge, finding};
use crate::change::{Hunk, LineKind, Side};
use crate::forge::{CommentKind, InlinePlace, LineSpot, Provider};
use crate::publish::PublishPlan;
use crate::review::{Anchor, Place, Review};

/// A diff of one file with hunks of lines that are kept, added and removed.
fn diff() -> impl Strategy<Value = String> {
    let hunk = (1_u32..9, proptest::collection::vec(prop::sample::select(vec![' ', '+', '-']), 1..9));
    proptest::collection::vec(hunk, 1..4).prop_map(|hunks| {
        let mut diff = String::from("diff --git a/src/a.rs b/src/a.rs\n--- a/src/a.rs\n+++ b/src/a.rs\n");
        let (mut old, mut new) = (1, 1);
        for (gap, kinds) in hunks {
            let count = |skip: char| kinds.iter().filter(|kind| **kind != skip).count() as u32;
            (old, new) = (old + gap, new + gap);
            let (old_len, new_len) = (count('+'), count('-'));
            diff.push_str(&format!("@@ -{old},{old_len} +{new},{new_len} @@\n"));
            for (index, kind) in kinds.iter().enumerate() {
                diff.push_str(&format!("{kind}line {}\n", index % 3));
            }
            (old, new) = (old + old_len, new + new_len);
        }
        diff
    })
}

fn places() -> impl Strategy<Value = Vec<(bool, u32, u32)>> {
    proptest::collection::vec((any::<bool>(), 0_u32..40, 0_u32..6), 0..8)
}

fn review(forge: &Forge, places: &[(bool, u32, u32)]) -> Review {
    let findings = places.iter().map(|(is_old, start, more)| {
        finding(Place::Lines(Anchor {
            path: "src/a.rs".into(),
            side: if *is_old { Side::Old } else { Side::New },
            start: *start,
            end: start + more,
            text: format!("{start}"),
        }))
    });
    forge.review_of(findings.collect())
}

/// Both ends are lines of one hunk, on one side, in order.
fn is_in_diff(forge: &Forge, place: &InlinePlace) -> bool {
    let numbers = |spot: LineSpot| match spot.kind {
        LineKind::Added => (None, Some(spot.new)),
        LineKind::Removed => (Some(spot.old), None),
        LineKind::Context => (Some(spot.old), Some(spot.new)),
    };
    let shows = |hunk: &Hunk, spot: LineSpot| {
        hunk.lines().any(|line| line.kind == spot.kind && (line.old, line.new) == numbers(spot))
    };
    let removed = |spot: LineSpot| spot.kind == LineKind::Removed;
    let ordered = place.start.old <= place.end.old && place.start.new <= place.end.new;
    let file = forge.diff.files.iter().find(|file| *file.path() == place.path);
    let in_one = file.is_some_and(|file| {
        file.hunks().iter().any(|hunk| shows(hunk, place.start) && shows(hunk, place.end))
    });
    in_one && ordered && removed(place.start) == removed(place.end)
}

fn stays_in_diff(forge: &Forge, plan: &PublishPlan) -> bool {
    plan.review.iter().flat_map(|post| &post.comments).all(|comment| is_in_diff(forge, &comment.place))
}

proptest! {
    #[test]
    fn what_was_done_is_never_planned_again(
        gitlab in any::<bool>(),
        first in diff(),
        pushes in proptest::collection::vec((places(), 1_usize..20), 1..5),
        most in 0_usize..6,
        strangers in any::<bool>(),
    ) {
        let provider = if gitlab { Provider::Gitlab } else { Provider::Github };
        let mut forge = Forge::new(provider, &first);
        forge.policy.most_inline = most;
        for (push, (places, killed_after)) in pushes.into_iter().enumerate() {
            forge.push(char::from(b'4' + push as u8));
            let review = review(&forge, &places);
            let plan = forge.plan(&review).unwrap();
            prop_assert!(stays_in_diff(&forge, &plan));
            if strangers {
                for comment in plan.review.iter().flat_map(|post| &post.comments) {
                    forge.say("mallory", CommentKind::Inline, &comment.body);
                }
            }
            forge.apply(&plan, killed_after);
            let rest = forge.plan(&review).unwrap();
            prop_assert!(stays_in_diff(&forge, &rest));
            forge.apply(&rest, usize::MAX);
            let nothing = forge.plan(&review).unwrap();
            prop_assert!(nothing.is_empty(), "{:?}", nothing);
            let mut open: Vec<_> = forge.comments.iter().filter(|c| c.author == "bot" && c.body.contains("state=open"))
                .filter_map(|c| c.body.split(" head=").next()).collect();
            let count = open.len();
            open.sort_unstable();
            open.dedup();
            prop_assert_eq!(open.len(), count, "no comment twice");
        }
    }
}
