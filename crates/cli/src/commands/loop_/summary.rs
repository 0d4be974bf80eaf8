//! What is said when the loop rests.

use domain::cycle::{EscalationNotice, Resolution, Tally, escalation_message};
use domain::formats::findings_document::DocumentFinding;
use domain::review::Usage;
use domain::text::brief_line;
use engine::story::{Dossier, DossierRound, Ended, FixOutcome, History, Standing, Story, histories};
use jiff::Timestamp;
use serde_json::json;

use crate::failure::Failure;
use crate::output::{self, Listing};
use crate::pretty::{Cell, Look, Tone, safe, table};

/// The question of the specification, as it stands there.
pub(super) fn question(story: &Story) -> String {
    let document = story.round().and_then(|round| round.document.as_deref()).unwrap_or("none");
    escalation_message(&EscalationNotice {
        cycle: &story.cycle,
        story_id: &story.order.story_id,
        tally: tally(story),
        findings_document: document,
    })
}

/// As the findings document has them, which also lists what kept a review from proving anything; without what somebody
/// accepted or deleted.
fn tally(story: &Story) -> Tally {
    let Some(written) = story.round().and_then(|round| round.written.as_ref()) else { return story.tally() };
    let counted = |findings: &[DocumentFinding]| {
        let is_ruled = |finding: &&DocumentFinding| {
            let known = finding.fingerprint.as_ref();
            let known = known.and_then(|known| story.round().and_then(|round| round.finding(known)));
            known.is_some_and(|known| story.ruling(known).is_some())
        };
        let count = findings.iter().filter(|finding| !is_ruled(finding)).count();
        u32::try_from(count).unwrap_or(u32::MAX)
    };
    Tally {
        critical: counted(&written.critical),
        important: counted(&written.important),
        minor: counted(&written.minor),
    }
}

pub(super) fn summary(story: &Story, ended: Ended, format: Listing) -> Result<String, Failure> {
    let dossier = Dossier::of(story, Timestamp::now());
    match format {
        Listing::Json => output::json(&dossier),
        Listing::Pretty => Ok(page(story, &dossier, ended)),
    }
}

fn page(story: &Story, dossier: &Dossier, ended: Ended) -> String {
    let heading = ["ROUND", "COMMIT", "CRITICAL", "IMPORTANT", "MINOR", "TIME", "COST", "CORRECTION"];
    let rows: Vec<Vec<Cell>> = dossier.rounds.iter().map(row).collect();
    let mut page = table(&heading, &rows, Look::width_of_lists());
    page.push('\n');
    for remark in &dossier.remarks {
        page.push_str(&format!("Note: {}\n", safe(remark)));
    }
    for (round, fix) in
        dossier.rounds.iter().flat_map(|round| round.fixes.iter().map(move |fix| (round, fix)))
    {
        for remark in &fix.remarks {
            page.push_str(&format!("Note on the correction of round {}: {}\n", round.number, safe(remark)));
        }
    }
    page.push_str(&standing_line(story));
    let order = &story.order;
    let name = safe(&format!("Story {} on {}", order.story_id, order.branch));
    page.push_str(&match ended {
        Ended::Clean => format!("{name} is clean after {}.", rounds(dossier.rounds.len())),
        Ended::Accepted => format!("{name} is done, with its findings accepted."),
        Ended::Blocked => format!(
            "{name} is blocked until somebody corrects it. Then: countersign loop --resume {}.",
            story.id
        ),
        Ended::Escalated => format!(
            "{name} waits for a human: {}. Decide with: countersign loop --resume {} --yes-to {}; b needs --reason WHY.",
            brief_line(dossier.reason.as_deref().unwrap_or_default()).trim_end_matches('.'),
            story.id,
            letters(story)
        ),
    });
    page.push_str(&format!(" {}, {}.\n", duration(dossier.elapsed_seconds), money(&dossier.usage)));
    if let Some(document) = dossier.rounds.iter().rev().find_map(|round| round.document.as_deref()) {
        page.push_str(&format!("Findings document: {}\n", safe(document)));
    }
    page
}

/// `a|b|c`, without what is no longer offered.
fn letters(story: &Story) -> String {
    let letter = |resolution| match resolution {
        Resolution::Block => Some("a"),
        Resolution::Accept => Some("b"),
        Resolution::OneMore => Some("c"),
        Resolution::Close => None,
    };
    let offered: Vec<&str> = story.cycle.options().into_iter().filter_map(letter).collect();
    offered.join("|")
}

fn rounds(count: usize) -> String {
    if count == 1 { "1 round".to_owned() } else { format!("{count} rounds") }
}

fn row(round: &DossierRound) -> Vec<Cell> {
    let Tally { critical, important, minor } = round.tally;
    let correction = match round.fixes.last().map(|fix| &fix.outcome) {
        None => String::new(),
        Some(FixOutcome::Published) => round
            .fixes
            .last()
            .and_then(|fix| fix.commit.as_ref())
            .map(|commit| commit.short().to_owned())
            .unwrap_or_default(),
        Some(FixOutcome::Unchecked | FixOutcome::Checked) => "not published".to_owned(),
        Some(FixOutcome::Refused { reason } | FixOutcome::Failed { reason }) => brief_line(reason),
    };
    let mut usage = round.usage.unwrap_or_default();
    round.fixes.iter().filter_map(|fix| fix.usage).for_each(|fix| usage += fix);
    let seconds = round.took_seconds + round.fixes.iter().map(|fix| fix.took_seconds).sum::<u64>();
    let tone = if round.blocking == 0 { Tone::Good } else { Tone::Bad };
    vec![
        Cell::number(round.number).toned(tone),
        Cell::text(round.head.get(..10).unwrap_or_default()),
        Cell::number(critical),
        Cell::number(important),
        Cell::number(minor),
        Cell::text(&duration(seconds)),
        Cell::text(&money(&usage)),
        Cell::text(&correction),
    ]
}

/// `Findings: 2 fixed, 1 still there.`
fn standing_line(story: &Story) -> String {
    let all = histories(story);
    let order = [Standing::Fixed, Standing::New, Standing::StillThere, Standing::BackAgain];
    let is_accepted = |history: &&History| {
        history.ruling.is_some() && history.standing().is_some_and(|standing| standing != Standing::Fixed)
    };
    let count = |standing| {
        all.iter().filter(|history| history.standing() == Some(standing) && !is_accepted(history)).count()
    };
    let counted: Vec<String> = order
        .into_iter()
        .map(|standing| (standing.as_str(), count(standing)))
        .chain([("accepted", all.iter().filter(is_accepted).count())])
        .filter(|(_, count)| *count > 0)
        .map(|(standing, count)| format!("{count} {standing}"))
        .collect();
    if counted.is_empty() { String::new() } else { format!("Findings: {}.\n", counted.join(", ")) }
}

pub(super) fn list(stories: &[Story], format: Listing) -> Result<String, Failure> {
    match format {
        Listing::Json => {
            let entry = |story: &Story| {
                json!({
                    "id": story.id,
                    "story_id": story.order.story_id,
                    "title": story.order.title,
                    "branch": story.order.branch,
                    "status": story.cycle.status(),
                    "round": story.cycle.round(),
                    "max_rounds": story.cycle.max_reviews(),
                    "reason": story.cycle.failure_reason(),
                    "started_at": story.started_at.to_string(),
                })
            };
            output::json(&stories.iter().map(entry).collect::<Vec<_>>())
        }
        Listing::Pretty => {
            let row = |story: &Story| {
                vec![
                    Cell::text(&story.id),
                    Cell::text(&story.order.story_id),
                    Cell::text(story.cycle.status()),
                    Cell::text(&format!("{}/{}", story.cycle.round(), story.cycle.max_reviews())),
                    Cell::text(&brief_line(&story.cycle.failure_reason().unwrap_or_default())),
                ]
            };
            let rows: Vec<_> = stories.iter().map(row).collect();
            let heading = ["ID", "STORY", "STATUS", "ROUND", "REASON"];
            Ok(if rows.is_empty() { String::new() } else { table(&heading, &rows, Look::width_of_lists()) })
        }
    }
}

/// `1 h 2 min`, `3 min 4 s`, `5 s`.
pub(super) fn duration(seconds: u64) -> String {
    match (seconds / 3600, seconds / 60 % 60, seconds % 60) {
        (0, 0, seconds) => format!("{seconds} s"),
        (0, minutes, seconds) => format!("{minutes} min {seconds} s"),
        (hours, minutes, _) => format!("{hours} h {minutes} min"),
    }
}

/// What it cost in money where that is known, else in calls.
pub(super) fn money(usage: &Usage) -> String {
    match usage.cost_micro_usd {
        Some(micro) => format!("${}.{:02}", micro.div_ceil(10_000) / 100, micro.div_ceil(10_000) % 100),
        None if usage.calls == 0 => "no cost".to_owned(),
        None if usage.calls == 1 => "1 call".to_owned(),
        None => format!("{} calls", usage.calls),
    }
}
