use proptest::prelude::*;

use super::page::SIZE;
use super::{MARKER, render};
use crate::change::{RepoPath, Side};
use crate::formats::escape::hostile_text;
use crate::formats::fixture;
use crate::review::{Patch, Place, Review};

#[test]
fn looks_as_people_read_it() {
    insta::with_settings!({ snapshot_path => "../snapshots", prepend_module_to_snapshot => false }, {
        insta::assert_snapshot!("markdown_fail", render(&fixture::review()));
        insta::assert_snapshot!("markdown_clean", render(&fixture::clean_review()));
        insta::assert_snapshot!("markdown_inconclusive", render(&fixture::inconclusive_review()));
    });
}

/// The fixture's findings, `copies` times over and mildest first.
fn long_review(copies: usize, text: &str) -> Review {
    let mut review = fixture::review();
    for finding in &mut review.findings {
        (finding.message, finding.impact) = (text.to_owned(), text.to_owned());
    }
    review.findings.reverse();
    let one = review.findings.clone();
    review.findings = std::iter::repeat_n(one, copies).flatten().collect();
    review
}

#[test]
fn what_must_be_fixed_is_never_left_out_before_advice() {
    let some_advice_missing = render(&long_review(250, "word"));
    assert!(some_advice_missing.contains("### Advice (500)"));
    assert!(some_advice_missing.contains(", of which 0 must be fixed"));
    let some_must_fix_missing = render(&long_review(20, &"word ".repeat(300)));
    assert!(some_must_fix_missing.contains("### Must fix (40)"));
    assert!(!some_must_fix_missing.contains("### Advice"));
}

#[test]
fn the_page_stays_within_its_size_and_counts_what_is_missing() {
    let review = long_review(2_000, &"@<".repeat(5_000));
    let page = render(&review);
    assert!(page.len() <= SIZE);
    let shown = page.lines().filter(|line| line.starts_with("- **") && !line.contains("Accepted")).count();
    let missing = review.findings.len() - shown;
    assert!(shown > 0 && page.contains(&format!(": {missing}, of which {} must", 4_000 - shown)), "{page}");
}

#[test]
fn long_lists_are_cut_with_a_count() {
    let mut review = fixture::review();
    review.coverage.files = vec![review.coverage.files[0].clone(); 5_000];
    let page = render(&review);
    assert!(page.len() <= SIZE && page.contains(" more.\n\n</details>"));
}

#[test]
fn endless_criteria_leave_room_for_what_must_be_fixed() {
    let mut review = fixture::review();
    review.decision.criteria = vec![review.decision.criteria[0].clone(); 5_000];
    review.decision.dimension_scores = vec![review.decision.dimension_scores[0].clone(); 5_000];
    let page = render(&review);
    assert!(page.len() <= SIZE && page.contains("### Must fix (2)") && page.contains("### Advice (2)"));
}

#[test]
fn removed_lines_are_called_removed() {
    let mut review = fixture::review();
    if let Place::Lines(anchor) = &mut review.findings[0].place {
        anchor.side = Side::Old;
    }
    assert!(render(&review).contains("`sql-injection`, removed lines 45 to 46:"));
}

#[test]
fn a_hostile_path_cannot_leave_its_heading() {
    let mut review = fixture::review();
    review.findings[0].place = Place::File { path: RepoPath::from("a`\n# @all <!--.rs") };
    let page = render(&review);
    assert!(
        page.contains("#### <code>\"a&#96;&#92;n&#35; &#64;<wbr>all &#60;&#33;<wbr>--.rs\"</code>"),
        "{page}"
    );
}

#[test]
fn a_correction_is_shown_in_a_fence_that_it_cannot_leave() {
    let mut review = fixture::review();
    let patch = |new: &str| Patch {
        path: "src/api/auth.ts".into(),
        start: 45,
        old: vec!["debugger;".into()],
        new: vec![new.into()],
    };
    review.patches.insert(review.findings[0].fingerprint.clone(), patch("```` @all"));
    let page = render(&review);
    assert!(page.contains("    `````diff\n    - debugger;\n    + ```` @all\n    `````\n"), "{page}");
    review.patches.insert(review.findings[0].fingerprint.clone(), patch("a\u{202e}b"));
    assert!(!render(&review).contains("diff\n"), "nothing is offered that does not show");
}

proptest! {
    #[test]
    fn no_text_becomes_markup(said in hostile_text()) {
        let expected = render(&fixture::review());
        let mut review = fixture::review();
        for finding in &mut review.findings {
            (finding.rule, finding.message) = (said.clone(), format!("x{said}"));
            (finding.impact, finding.suggestion) = (format!("x{said}"), format!("x{said}"));
        }
        review.suppressed[0].reason.clone_from(&said);
        review.subject.scope.head_name.clone_from(&said);
        review.reviewer.clone_from(&said);
        let page = render(&review);
        let body = page.strip_prefix(MARKER).unwrap();
        prop_assert!(!body.contains("<!--") && !body.contains('@') && !body.contains("]("));
        prop_assert!(!body.contains("://") && !body.contains("www."));
        for tag in ["<details>", "</details>", "<summary>"] {
            prop_assert_eq!(body.matches(tag).count(), 2);
        }
        prop_assert_eq!(page.lines().count(), expected.lines().count());
    }
}
