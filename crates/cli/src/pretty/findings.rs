use std::cmp::Reverse;

use domain::change::RepoPath;
use domain::review::{Confidence, Finding, Patch, Place};
use domain::words::Severity;

use super::frame::Frames;
use super::{Look, Run, style, text};

/// More than this is a wall nobody reads.
const MAX_BLOCKING: usize = 200;
const MAX_ADVICE: usize = 40;

pub(super) fn render(run: &Run<'_>, look: &Look, out: &mut String) {
    let fail_on = run.review.decision.fail_on;
    let mut frames = Frames::of(run.change);
    let (mut blocking, mut advice, mut hidden) = (MAX_BLOCKING, MAX_ADVICE, 0);
    for group in grouped(&run.review.findings, fail_on) {
        let mut shown = group.findings;
        shown.retain(|finding| {
            let room = if finding.blocks(fail_on) { &mut blocking } else { &mut advice };
            let fits = *room > 0;
            *room -= usize::from(fits);
            hidden += usize::from(!fits);
            fits
        });
        if shown.is_empty() {
            continue;
        }
        let title = group.path.map_or_else(|| "The change as a whole".to_owned(), ToString::to_string);
        let bold = style::BOLD;
        out.push_str(&format!("{bold}{title}{bold:#}\n"));
        for finding in shown {
            one(finding, run, &mut frames, look, out);
        }
    }
    if hidden > 0 {
        let hidden = text::count(hidden, "more finding");
        out.push_str(&format!("{hidden} not shown: `--format json` has them all.\n\n"));
    }
}

struct Group<'a> {
    path: Option<&'a RepoPath>,
    findings: Vec<&'a Finding>,
}

/// By file; files with something blocking first, and in each the worst first.
fn grouped(findings: &[Finding], fail_on: Severity) -> Vec<Group<'_>> {
    let mut groups: Vec<Group<'_>> = Vec::new();
    for finding in findings {
        match groups.last_mut() {
            Some(group) if group.path == finding.path() => group.findings.push(finding),
            _ => groups.push(Group { path: finding.path(), findings: vec![finding] }),
        }
    }
    for group in &mut groups {
        group
            .findings
            .sort_by_key(|finding| (!finding.blocks(fail_on), Reverse(finding.severity), finding.line()));
    }
    groups.sort_by_key(|group| !group.findings.iter().any(|finding| finding.blocks(fail_on)));
    groups
}

fn one(finding: &Finding, run: &Run<'_>, frames: &mut Frames<'_>, look: &Look, out: &mut String) {
    let tint = style::severity(finding.severity);
    let dim = style::DIM;
    let weight = if finding.blocks(run.review.decision.fail_on) { "must fix" } else { "advice" };
    let sure = if finding.confidence == Confidence::Low { ", unsure" } else { "" };
    out.push_str(&format!(
        "  {tint}{}{tint:#} {dim}{weight}{sure}, {}, {}{dim:#}\n",
        finding.severity, finding.rule, finding.dimension
    ));
    let bold = style::BOLD;
    for line in text::wrap(&text::printable(finding.message.as_bytes()), look.width, "  ", "  ") {
        out.push_str(&format!("{bold}{line}{bold:#}\n"));
    }
    if let Place::Lines(anchor) = &finding.place {
        frames.render(anchor, tint, look, out);
    }
    for (label, body) in [("why: ", &finding.impact), ("fix: ", &finding.suggestion)] {
        if !body.is_empty() {
            text::paragraph(body, &format!("  {label}"), "       ", look.width, out);
        }
    }
    if let Some(patch) = run.review.patches.get(&finding.fingerprint).filter(|patch| patch.is_plain()) {
        out.push_str(&difference(patch));
    }
    out.push('\n');
}

/// What a correction takes away and puts there, for people who would rather see it than be told.
fn difference(patch: &Patch) -> String {
    let lines = |sign: char, lines: &[String]| -> String {
        lines.iter().map(|line| format!("       {sign} {}\n", text::printable(line.as_bytes()))).collect()
    };
    format!("  patch:\n{}{}", lines('-', &patch.old), lines('+', &patch.new))
}
