use std::cmp::Reverse;
use std::collections::{BTreeMap, HashSet};

use domain::change::RepoPath;
use domain::review::{Confidence, Finding, Patch, Place};
use domain::words::Severity;

use super::frame::Frames;
use super::{Look, Run, style, text};

/// More than this is a wall nobody reads.
const MAX_BLOCKING: usize = 200;
const MAX_ADVICE: usize = 40;

/// From so many on, a reader wants to know what they are before reading them.
const MANY: usize = 20;
/// Rules that are counted one by one.
const MOST_RULES: usize = 15;

pub(super) fn render(run: &Run<'_>, look: &Look, out: &mut String) {
    let fail_on = run.review.decision.fail_on;
    let mut page = Page { run, look, frames: Frames::of(run.change), told: HashSet::new() };
    let must_fix = run.review.findings.iter().filter(|finding| finding.blocks(fail_on)).count();
    let (mut blocking, mut advice) = (MAX_BLOCKING, MAX_ADVICE);
    if must_fix > MAX_BLOCKING {
        advice = 0;
    }
    let (mut hidden, mut hidden_blocking) = (0, 0);
    for group in grouped(&run.review.findings, fail_on) {
        let mut shown = group.findings;
        shown.retain(|finding| {
            let blocks = finding.blocks(fail_on);
            let room = if blocks { &mut blocking } else { &mut advice };
            let fits = *room > 0;
            *room -= usize::from(fits);
            hidden += usize::from(!fits);
            hidden_blocking += usize::from(!fits && blocks);
            fits
        });
        if shown.is_empty() {
            continue;
        }
        let title = group.path.map_or_else(|| "The change as a whole".to_owned(), ToString::to_string);
        let bold = style::BOLD;
        out.push_str(&format!("{bold}{title}{bold:#}\n"));
        for finding in shown {
            page.one(finding, out);
        }
    }
    if hidden > 0 {
        let which = if hidden_blocking == 0 {
            String::new()
        } else {
            format!(", {} of them to be fixed", text::grouped(hidden_blocking))
        };
        let hidden = text::count(hidden, "more finding");
        out.push_str(&format!("{hidden} not shown{which}: `--format json` has them all.\n\n"));
    }
    if run.review.findings.len() >= MANY {
        overview(&run.review.findings, fail_on, out);
    }
}

/// How often each rule spoke, what must be fixed first.
fn overview(findings: &[Finding], fail_on: Severity, out: &mut String) {
    let mut counts: BTreeMap<(bool, &str), usize> = BTreeMap::new();
    for finding in findings {
        *counts.entry((!finding.blocks(fail_on), finding.rule.as_str())).or_default() += 1;
    }
    let mut counts: Vec<((bool, &str), usize)> = counts.into_iter().collect();
    counts.sort_by_key(|((is_advice, _), count)| (*is_advice, Reverse(*count)));
    let bold = style::BOLD;
    out.push_str(&format!("{bold}What was found{bold:#}\n"));
    for ((is_advice, rule), count) in counts.iter().take(MOST_RULES) {
        let weight = if *is_advice { "advice" } else { "must fix" };
        out.push_str(&format!(
            "  {:>6} {weight:<8}  {}\n",
            text::grouped(*count),
            text::printable(rule.as_bytes())
        ));
    }
    if let Some(rest) = counts.len().checked_sub(MOST_RULES).filter(|rest| *rest > 0) {
        out.push_str(&format!("         and {}\n", text::count(rest, "more rule")));
    }
    out.push('\n');
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

/// What is being written, and what it has said already.
struct Page<'a> {
    run: &'a Run<'a>,
    look: &'a Look,
    frames: Frames<'a>,
    /// Reasons and advice by rule: the fiftieth time they only push the code apart.
    told: HashSet<(&'a str, &'a str)>,
}

impl<'a> Page<'a> {
    fn one(&mut self, finding: &'a Finding, out: &mut String) {
        let (run, look) = (self.run, self.look);
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
            self.frames.render(anchor, tint, look, out);
        }
        for (label, body) in [("why: ", &finding.impact), ("fix: ", &finding.suggestion)] {
            if !body.is_empty() && self.told.insert((&finding.rule, body)) {
                text::paragraph(body, &format!("  {label}"), "       ", look.width, out);
            }
        }
        if let Some(patch) = run.review.patches.get(&finding.fingerprint).filter(|patch| patch.is_plain()) {
            out.push_str(&difference(patch));
        }
        out.push('\n');
    }
}

/// What a correction takes away and puts there, for people who would rather see it than be told.
fn difference(patch: &Patch) -> String {
    let lines = |sign: char, lines: &[String]| -> String {
        lines.iter().map(|line| format!("       {sign} {}\n", text::printable(line.as_bytes()))).collect()
    };
    format!("  patch:\n{}{}", lines('-', &patch.old), lines('+', &patch.new))
}
