//! The one comment that says how it stands. It is edited, not repeated.

use super::carried::Carried;
use super::standing::Standing;
use crate::change::Oid;
use crate::forge::Provider;
use crate::formats::markdown::{Page, SIZE, code, coverage, item, section, suppressed, text};
use crate::formats::shown::{reason, rule_id};
use crate::review::{Finding, Review};

/// Forges count characters and we count bytes, so this is on the safe side of GitHub's 65,536 and GitLab's million.
fn size(provider: Provider) -> usize {
    match provider {
        Provider::Github => SIZE,
        Provider::Gitlab => 250_000,
    }
}

const FIELD_LIMIT: usize = 1_500;
const NAME_LIMIT: usize = 400;
const MOST_REMARKS: usize = 10;

/// What the summary is made of.
#[derive(Debug)]
pub(super) struct Parts<'a> {
    pub(super) provider: Provider,
    pub(super) review: &'a Review,
    pub(super) head: &'a Oid,
    /// Have a comment at their lines, or get one.
    pub(super) placed: Vec<&'a Finding>,
    pub(super) unplaced: Vec<&'a Finding>,
    /// Of earlier summaries, by those who did not look this time.
    pub(super) carried: Vec<Carried>,
    pub(super) standing: &'a Standing,
    /// How many comments this commit has settled.
    pub(super) settled: usize,
    /// Files whose content the forge withheld, so that nothing could be placed in them.
    pub(super) withheld: usize,
}

/// Says the same for the same parts, so that it is written again only where something changed. No line of it begins
/// with text of unknown origin.
pub(super) fn summary(parts: &Parts<'_>) -> String {
    let mut page = Page::new(head(parts), size(parts.provider));
    let blocks = |finding: &&&Finding| finding.blocks(parts.review.decision.fail_on);
    let (must_fix, advice): (Vec<_>, Vec<_>) = parts.unplaced.iter().partition(blocks);
    let mut left_out = 0;
    let sections = [("Must fix, said only here", must_fix), ("Advice, said only here", advice)];
    for (title, findings) in sections {
        if !findings.is_empty() {
            left_out += section(&mut page, title, &findings, &item);
        }
    }
    left_out += still_open(&mut page, &parts.carried);
    if left_out > 0 {
        page.push_reserved(&format!(
            "\n**Findings left out to keep this comment within its size: {left_out}.**\n"
        ));
    }
    let placed = parts.placed.iter().map(|finding| {
        format!(
            "- **{}** {} at {}: {}\n",
            finding.severity,
            code(&rule_id(finding), NAME_LIMIT),
            code(&finding.location(), NAME_LIMIT),
            text(&finding.message, 200),
        )
    });
    page.details(&format!("At their lines ({})", parts.placed.len()), placed);
    suppressed(&mut page, parts.review);
    coverage(&mut page, parts.review);
    page.finish()
}

/// What stays although this review does not say it. How many did not fit is answered.
fn still_open(page: &mut Page, carried: &[Carried]) -> usize {
    let mut left_out = 0;
    for (title, must_fix) in [("Must fix", true), ("Advice", false)] {
        let kind: Vec<_> = carried.iter().filter(|one| one.found.must_fix == must_fix).collect();
        let mut heading = format!("\n### {title}, still open from an earlier review ({})\n", kind.len());
        let mut place = None;
        for one in kind {
            if place != Some(&one.place) {
                heading.push_str(&format!("\n#### {}\n\n", one.place));
                place = Some(&one.place);
            }
            match page.push(&format!("{heading}{}", one.shown())) {
                true => heading.clear(),
                false => left_out += 1,
            }
        }
    }
    left_out
}

fn head(parts: &Parts<'_>) -> String {
    let Parts { review, .. } = parts;
    let scope = &review.subject.scope;
    let mut head = format!(
        "## Countersign: {}, score {} of 100\n\n**Reason:** {}.\n\n",
        review.verdict().as_str(),
        review.decision.overall_score,
        text(&reason(review), FIELD_LIMIT),
    );
    for remark in review.remarks.iter().take(MOST_REMARKS) {
        head.push_str(&format!("**Note:** {}.\n\n", text(remark.trim_end_matches('.'), NAME_LIMIT)));
    }
    // What is the reason need not be said again.
    let told = parts
        .standing
        .told()
        .into_iter()
        .filter(|told| review.troubles.iter().all(|why| why.message != *told));
    for told in told {
        head.push_str(&format!("**Still open:** {}.\n\n", text(&told, FIELD_LIMIT)));
    }
    if !parts.standing.is_empty() {
        head.push_str(
            "A review of this commit by the same kind of reviewer says whether that is mended.\n\n",
        );
    }
    if parts.withheld > 0 {
        let count = parts.withheld;
        head.push_str(&format!("**Note:** The forge withholds the diff of some files: {count}.\n\n"));
    }
    head.push_str(&format!(
        "Reviewed {} at {} against {} by {}.\n\n",
        code(&scope.head_name, NAME_LIMIT),
        code(parts.head.as_str(), NAME_LIMIT),
        code(&scope.base_name, NAME_LIMIT),
        text(&review.reviewer, 100),
    ));
    head.push_str(&format!(
        "Findings: {}, of which {} must be fixed; at their lines {}. Settled by this commit: {}.\n",
        review.findings.len(),
        review.blocking().count(),
        parts.placed.len(),
        parts.settled,
    ));
    head
}
