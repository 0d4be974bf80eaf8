//! A review as Markdown, for a comment on a pull request and for a job's summary page.

mod inline;
mod page;
#[cfg(test)]
mod tests;

use std::collections::HashMap;

pub(crate) use self::inline::{code, text, unescaped};
pub(crate) use self::page::{Page, SIZE};
use super::shown::{reason, rule_id};
use crate::change::{RepoPath, Side};
use crate::review::{Finding, Patch, Place, Review};

/// Hidden in the first line, so that the comment can be found again and replaced.
pub const MARKER: &str = "<!-- countersign:review -->";

/// All limits are in bytes of the finished page.
const FIELD_LIMIT: usize = 1_500;
const NAME_LIMIT: usize = 400;
const TABLE_LIMIT: usize = 8_000;
const MOST_REMARKS: usize = 10;

/// Renders the review in at most 60,000 bytes. If not everything fits, advice is left out before
/// anything that must be fixed, and a line says how much is missing. Nothing in a finding can mention a
/// person, refer to an issue, form a link or change the layout.
pub fn render(review: &Review) -> String {
    let mut page = Page::new(head(review), SIZE);
    let blocks = |finding: &&Finding| finding.blocks(review.decision.fail_on);
    let (must_fix, advice): (Vec<_>, Vec<_>) = review.findings.iter().partition(blocks);
    let shown = |finding: &Finding| {
        let patch = review.patches.get(&finding.fingerprint);
        item(finding) + &patch.and_then(difference).unwrap_or_default()
    };
    let must_fix_left_out = section(&mut page, "Must fix", &must_fix, &shown);
    let advice_left_out = section(&mut page, "Advice", &advice, &shown);
    let left_out = must_fix_left_out + advice_left_out;
    if left_out > 0 {
        page.push_reserved(&format!(
            "\n**Findings left out to keep this comment within its size: {left_out}, of which \
             {must_fix_left_out} must be fixed.**\n"
        ));
    }
    suppressed(&mut page, review);
    coverage(&mut page, review);
    page.finish()
}

fn head(review: &Review) -> String {
    let decision = &review.decision;
    let scope = &review.subject.scope;
    let mut head = format!(
        "{MARKER}\n## Countersign: {}, score {} of 100\n\n**Reason:** {}.\n\n",
        review.verdict().as_str(),
        decision.overall_score,
        text(&reason(review), FIELD_LIMIT),
    );
    for remark in review.remarks.iter().take(MOST_REMARKS) {
        head.push_str(&format!("**Note:** {}.\n\n", text(remark.trim_end_matches('.'), NAME_LIMIT)));
    }
    head.push_str(&format!(
        "{} at {} against {}, reviewed by {}.\n\n",
        code(&scope.head_name, NAME_LIMIT),
        code(scope.head.as_str(), NAME_LIMIT),
        code(&scope.base_name, NAME_LIMIT),
        text(&review.reviewer, 100),
    ));
    let criteria = decision.criteria.iter().map(|criterion| {
        let met = if criterion.met { "yes" } else { "**no**" };
        let cell = |value: &str| text(value, 200);
        [code(&criterion.name, 200), cell(&criterion.required), cell(&criterion.actual), met.to_owned()]
    });
    head.push_str(&table(["Criterion", "Required", "Actual", "Met"], criteria));
    let scores = decision.dimension_scores.iter().map(|score| {
        [
            code(score.dimension.as_str(), 200),
            score.score.to_string(),
            score.minimum.to_string(),
            score.weight.as_str().to_owned(),
        ]
    });
    head + "\n" + &table(["Dimension", "Score", "Minimum", "Weight"], scores)
}

fn table(titles: [&str; 4], rows: impl Iterator<Item = [String; 4]>) -> String {
    let mut table = format!("| {} |\n|---|---|---|---|\n", titles.join(" | "));
    let mut rows = rows.map(|cells| format!("| {} |\n", cells.join(" | ")));
    while let Some(row) = rows.next() {
        if table.len() + row.len() > TABLE_LIMIT {
            table.push_str(&format!("\nAnd {} more.\n", 1 + rows.count()));
            break;
        }
        table.push_str(&row);
    }
    table
}

/// Adds the findings, file by file, until one does not fit; says how many were left out.
pub(crate) fn section(
    page: &mut Page,
    title: &str,
    findings: &[&Finding],
    item: &dyn Fn(&Finding) -> String,
) -> usize {
    let mut heading = format!("\n### {title} ({})\n", findings.len());
    let mut left = findings.len();
    for (path, findings) in by_file(findings) {
        let place =
            path.map_or("The change as a whole".to_owned(), |path| code(&path.to_string(), NAME_LIMIT));
        heading.push_str(&format!("\n#### {place}\n\n"));
        for finding in findings {
            if !page.push(&format!("{heading}{}", item(finding))) {
                return left;
            }
            heading.clear();
            left -= 1;
        }
    }
    left
}

/// Groups by file, files in the order they first appear in and the worst of each file first.
fn by_file<'a>(findings: &[&'a Finding]) -> Vec<(Option<&'a RepoPath>, Vec<&'a Finding>)> {
    let mut positions = HashMap::new();
    let mut groups: Vec<(Option<&RepoPath>, Vec<&Finding>)> = Vec::new();
    for finding in findings {
        let position = *positions.entry(finding.path()).or_insert(groups.len());
        if position == groups.len() {
            groups.push((finding.path(), Vec::new()));
        }
        groups[position].1.push(finding);
    }
    for (_, group) in &mut groups {
        group.sort_by_key(|finding| std::cmp::Reverse(finding.severity));
    }
    groups
}

pub(crate) fn item(finding: &Finding) -> String {
    let mut item = format!(
        "- **{}** {}{}: {}\n",
        finding.severity,
        code(&rule_id(finding), NAME_LIMIT),
        position(finding),
        text(&finding.message, FIELD_LIMIT),
    );
    for (label, said) in [("Why", &finding.impact), ("Fix", &finding.suggestion)] {
        let said = text(said, FIELD_LIMIT);
        if !said.is_empty() {
            item.push_str(&format!("  - {label}: {said}\n"));
        }
    }
    item
}

/// A correction as a block of differences below its item. A fence that nothing in it can close keeps all else out.
fn difference(patch: &Patch) -> Option<String> {
    let lines = |sign: char, lines: &[String]| -> String {
        lines.iter().map(|line| format!("    {sign} {line}\n")).collect()
    };
    let body = lines('-', &patch.old) + &lines('+', &patch.new);
    let fence = "`".repeat(patch.longest_run().max(2) + 1);
    let fits = patch.is_plain() && body.len() <= FIELD_LIMIT;
    fits.then(|| format!("  - Patch:\n\n    {fence}diff\n{body}    {fence}\n"))
}

fn position(finding: &Finding) -> String {
    match &finding.place {
        Place::Lines(anchor) => {
            let side = match anchor.side {
                Side::New => "",
                Side::Old => "removed ",
            };
            if anchor.end > anchor.start {
                format!(", {side}lines {} to {}", anchor.start, anchor.end)
            } else {
                format!(", {side}line {}", anchor.start)
            }
        }
        Place::File { .. } | Place::Summary => String::new(),
    }
}

pub(crate) fn suppressed(page: &mut Page, review: &Review) {
    let items = review.suppressed.iter().map(|accepted| {
        format!(
            "- **{}** {} at {}: {} Accepted because: {}\n",
            accepted.finding.severity,
            code(&rule_id(&accepted.finding), NAME_LIMIT),
            code(&accepted.finding.location(), NAME_LIMIT),
            text(&accepted.finding.message, FIELD_LIMIT),
            text(&accepted.reason, FIELD_LIMIT),
        )
    });
    page.details(&format!("Suppressed ({})", review.suppressed.len()), items);
}

pub(crate) fn coverage(page: &mut Page, review: &Review) {
    let (seen, required) = review.coverage.counts();
    let skipped = review.coverage.skipped_files().count();
    let summary = format!("Coverage: hunks seen {seen} of {required}, files skipped {skipped}");
    let troubles = review.troubles.iter().map(|trouble| {
        format!("- Inconclusive ({}): {}\n", text(&trouble.kind, 100), text(&trouble.message, FIELD_LIMIT))
    });
    let reviewed = review.coverage.reviewed_files().map(|file| {
        let seen = file.hunks.iter().filter(|hunk| !hunk.seen_by.is_empty()).count();
        let path = code(&file.path.to_string(), NAME_LIMIT);
        format!("- {path}: hunks seen {seen} of {}\n", file.hunks.len())
    });
    let skipped = review.coverage.skipped_files().map(|(path, reason)| {
        format!("- {}: skipped, {}\n", code(&path.to_string(), NAME_LIMIT), reason.as_str())
    });
    page.details(&summary, troubles.chain(skipped).chain(reviewed));
    if let Some(asked) = review.asked() {
        page.push_reserved(&format!("\n{}.\n", text(&asked, NAME_LIMIT)));
    }
}
