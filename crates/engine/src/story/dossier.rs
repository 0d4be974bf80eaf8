//! Everything a human needs in order to decide, in one document.

use std::fmt::Write;

use domain::cycle::{Done, State, Tally};
use domain::review::Usage;
use domain::text::{clean_line, short_line};
use jiff::Timestamp;
use serde::Serialize;

use super::judge::sign_of_no_progress;
use super::report::seconds_between;
use super::{Fix, FixOutcome, History, HumanDecision, Round, Story, Unproved, histories};

/// The whole story of a loop: rounds, findings with their histories, corrections with their diffs, time and cost.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Dossier {
    pub id: String,
    pub story_id: String,
    pub title: String,
    pub branch: String,
    pub base: String,
    pub status: &'static str,
    /// `clean`, or `accepted` where a person took findings that must be fixed; nothing before it is over.
    pub result: Option<&'static str>,
    /// Why it stopped, if it did.
    pub reason: Option<String>,
    /// What a human may choose now: `a`, `b`, `c`.
    pub options: Vec<&'static str>,
    pub round: u32,
    pub max_rounds: u32,
    pub rounds: Vec<DossierRound>,
    pub findings: Vec<DossierFinding>,
    pub decisions: Vec<HumanDecision>,
    pub remarks: Vec<String>,
    #[serde(serialize_with = "as_text")]
    pub started_at: Timestamp,
    pub elapsed_seconds: u64,
    pub usage: Usage,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DossierRound {
    pub number: u32,
    pub head: String,
    pub reviewer: String,
    pub verdict: &'static str,
    pub tally: Tally,
    /// Must-fix findings that counted.
    pub blocking: usize,
    pub late: usize,
    pub document: Option<String>,
    pub took_seconds: u64,
    pub usage: Option<Usage>,
    pub unproved: Vec<Unproved>,
    pub fixes: Vec<Fix>,
}

/// A finding with what became of it, and what the fixer said about it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DossierFinding {
    #[serde(flatten)]
    pub history: History,
    pub standing: &'static str,
}

impl Dossier {
    pub fn of(story: &Story, now: Timestamp) -> Dossier {
        Dossier {
            id: story.id.clone(),
            story_id: story.order.story_id.clone(),
            title: story.order.title.clone(),
            branch: story.order.branch.clone(),
            base: story.order.base.clone(),
            status: story.cycle.status(),
            result: result(story.cycle.state()),
            reason: story.cycle.failure_reason(),
            options: story.cycle.options().into_iter().filter_map(letter).collect(),
            round: story.cycle.round(),
            max_rounds: story.cycle.max_reviews(),
            rounds: story.rounds.iter().map(DossierRound::of).collect(),
            findings: histories(story).into_iter().map(DossierFinding::of).collect(),
            decisions: story.decisions.clone(),
            remarks: remarks(story),
            started_at: story.started_at,
            elapsed_seconds: seconds_between(story.started_at, story.finished_at.unwrap_or(now)),
            usage: story.usage(),
        }
    }
}

fn result(state: &State) -> Option<&'static str> {
    match state {
        State::Done { outcome: Done::Accepted } => Some("accepted"),
        State::Done { outcome: Done::Approved | Done::Unreviewed | Done::HandedOn } => Some("clean"),
        State::Pending
        | State::Queued
        | State::Accepted
        | State::Working { .. }
        | State::Validating
        | State::Reviewing
        | State::SentBack
        | State::Failed { .. }
        | State::Blocked { .. }
        | State::Escalated { .. }
        | State::Closed => None,
    }
}

/// The last round may end the loop by its number alone. What it shows of findings that come back is said all the same.
fn remarks(story: &Story) -> Vec<String> {
    let reason = story.cycle.failure_reason();
    let sign = sign_of_no_progress(story).filter(|_| story.waits_for_a_human());
    let sign = sign.filter(|sign| !reason.as_ref().is_some_and(|reason| reason.contains(sign)));
    story.remarks.iter().cloned().chain(sign).collect()
}

fn as_text<S: serde::Serializer>(moment: &Timestamp, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(moment)
}

fn letter(resolution: domain::cycle::Resolution) -> Option<&'static str> {
    use domain::cycle::Resolution;
    match resolution {
        Resolution::Block => Some("a"),
        Resolution::Accept => Some("b"),
        Resolution::OneMore => Some("c"),
        Resolution::Close => None,
    }
}

impl DossierRound {
    fn of(round: &Round) -> DossierRound {
        DossierRound {
            number: round.number,
            head: round.head.to_string(),
            reviewer: round.review.reviewer.clone(),
            verdict: round.review.verdict().as_str(),
            tally: Tally::of(&round.review.findings),
            blocking: round.blocking.len(),
            late: round.late.len(),
            document: round.document.clone(),
            took_seconds: round.took_seconds,
            usage: round.review.usage,
            unproved: round.unproved.clone(),
            fixes: round.fixes.clone(),
        }
    }
}

impl DossierFinding {
    fn of(history: History) -> DossierFinding {
        let standing = history.standing().map_or("", super::Standing::as_str);
        DossierFinding { history, standing }
    }
}

/// The dossier as markdown, for people.
pub fn markdown(dossier: &Dossier) -> String {
    let mut text = String::new();
    let Dossier { story_id, title, branch, base, status, round, max_rounds, .. } = dossier;
    let _ = writeln!(text, "# Story {}: {}\n", clean_line(story_id), clean_line(title));
    let _ = writeln!(text, "- **Loop:** {}", dossier.id);
    let _ = writeln!(text, "- **Branch:** {} against {}", clean_line(branch), clean_line(base));
    let _ = writeln!(text, "- **Status:** {status}, round {round} of {max_rounds}");
    if let Some(result) = dossier.result {
        let _ = writeln!(text, "- **Result:** {result}");
    }
    if let Some(reason) = &dossier.reason {
        let _ = writeln!(text, "- **Reason:** {}", clean_line(reason));
    }
    let _ = writeln!(text, "- **Began:** {}", dossier.started_at);
    let _ = writeln!(text, "- **Time and cost:** {} s, {}", dossier.elapsed_seconds, dossier.usage);
    list(&mut text, "Remarks", dossier.remarks.iter().map(|remark| clean_line(remark)));
    let _ = writeln!(text, "\n## Rounds");
    dossier.rounds.iter().for_each(|round| write_round(&mut text, round));
    list(&mut text, "Findings", dossier.findings.iter().map(finding_line));
    list(&mut text, "Decisions", dossier.decisions.iter().map(decision_line));
    text
}

fn list(text: &mut String, heading: &str, lines: impl Iterator<Item = String>) {
    let lines: Vec<String> = lines.collect();
    if !lines.is_empty() {
        let _ = writeln!(text, "\n## {heading}\n");
        lines.iter().for_each(|line| _ = writeln!(text, "- {line}"));
    }
}

fn write_round(text: &mut String, round: &DossierRound) {
    let Tally { critical, important, minor } = round.tally;
    let _ = writeln!(text, "\n### Round {} at {}\n", round.number, short(&round.head));
    let cost = round.usage.map(|usage| format!(", {usage}")).unwrap_or_default();
    let _ = writeln!(
        text,
        "- {} by {} in {} s{cost}: {critical} critical, {important} important, {minor} minor; {} count as must-fix",
        round.verdict,
        clean_line(&round.reviewer),
        round.took_seconds,
        round.blocking
    );
    if let Some(document) = &round.document {
        let _ = writeln!(text, "- findings document: {}", clean_line(document));
    }
    for unproved in &round.unproved {
        let _ = writeln!(text, "- a review proved nothing: {}", clean_line(&unproved.reason));
    }
    round.fixes.iter().for_each(|fix| write_fix(text, fix));
}

fn write_fix(text: &mut String, fix: &Fix) {
    let commit = fix.commit.as_ref().map_or("", |commit| commit.short());
    let outcome = match &fix.outcome {
        FixOutcome::Unchecked | FixOutcome::Checked => format!("{commit}, not published yet"),
        FixOutcome::Published => format!("{commit}, published"),
        FixOutcome::Refused { reason } => format!("refused: {}", clean_line(reason)),
        FixOutcome::Failed { reason } => format!("failed: {}", clean_line(reason)),
    };
    let cost = fix.usage.map(|usage| format!(", {usage}")).unwrap_or_default();
    let _ = writeln!(text, "- correction in {} s{cost}: {outcome}", fix.took_seconds);
    if !fix.summary.is_empty() {
        let _ = writeln!(text, "  - the fixer says: {}", short_line(&fix.summary));
    }
    fix.remarks.iter().for_each(|remark| _ = writeln!(text, "  - {}", clean_line(remark)));
    if !fix.patch.is_empty() {
        // Longer than any run of backticks in it, so that the patch cannot end it.
        let fence = "`".repeat(longest_run(&fix.patch).max(2) + 1);
        let shown: String = domain::text::visible(&fix.patch).collect();
        let _ = writeln!(text, "\n{fence}diff\n{}\n{fence}\n", shown.trim_end());
    }
}

fn longest_run(text: &str) -> usize {
    let (mut longest, mut run) = (0, 0);
    for c in text.chars() {
        run = if c == '`' { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    longest
}

fn finding_line(finding: &DossierFinding) -> String {
    let DossierFinding { history, .. } = finding;
    let past: Vec<String> = history
        .standings
        .iter()
        .map(|(round, standing)| format!("{} in round {round}", standing.as_str()))
        .collect();
    let mut line = format!(
        "**{}** {}: {} ({})",
        history.severity,
        clean_line(&history.location),
        short_line(&history.message),
        past.join(", ")
    );
    if let Some(claim) = &history.claimed {
        let _ = write!(line, "; the fixer says: {}", claim.as_str());
    }
    if let Some(ruling) = &history.ruling {
        let _ = write!(line, "; accepted by {}: {}", clean_line(&ruling.by), clean_line(&ruling.reason));
    }
    line
}

fn decision_line(decision: &HumanDecision) -> String {
    let HumanDecision { at, by, round, choice, reason, findings } = decision;
    let count = findings.len();
    let reason = if reason.is_empty() { String::new() } else { format!(": {}", clean_line(reason)) };
    format!("{at} round {round}: {} chose {choice} with {count} must-fix findings{reason}", clean_line(by))
}

fn short(oid: &str) -> &str {
    oid.get(..10).unwrap_or(oid)
}
