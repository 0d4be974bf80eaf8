use domain::tasks::QueueCounts;
use jiff::Timestamp;

use super::replica::{Replica, State};
use super::{Survey, Surveyed};
use crate::pretty::{Cell, Tone, span, table};

/// `here` is the time by this machine's clock, which heartbeats are told by.
pub(super) fn page(survey: &Survey, here: Timestamp, width: Option<usize>) -> String {
    let heading = ["AGENT", "STATE", "QUEUE", "PENDING", "IN PROGRESS", "FAILED", "ESCALATED", "NAME"];
    let agents: Vec<Vec<Cell>> = survey.agents.iter().map(agent).collect();
    let mut page = table(&heading, &agents, width);
    let replicas = survey.agents.iter().flat_map(|agent| &agent.replicas).chain(&survey.others);
    let rows: Vec<Vec<Cell>> = replicas.flat_map(|replica| rows(replica, survey.now, here)).collect();
    if !rows.is_empty() {
        page.push('\n');
        page.push_str(&table(&["REPLICA", "STATE", "SEEN", "HOLDS", "FOR"], &rows, width));
    }
    page
}

fn agent(agent: &Surveyed) -> Vec<Cell> {
    let tone = match agent.state {
        "running" => Tone::Good,
        "paused" => Tone::Attention,
        _ => Tone::Faint,
    };
    let QueueCounts { pending, in_progress, failed, escalated } = agent.counts;
    let worry = |number: u32| if number == 0 { Tone::Plain } else { Tone::Bad };
    vec![
        Cell::text(&agent.id),
        Cell::text(agent.state).toned(tone),
        Cell::text(&agent.queue),
        Cell::number(counted(pending)),
        Cell::number(counted(in_progress)),
        Cell::number(counted(failed)).toned(worry(failed)),
        Cell::number(counted(escalated)).toned(worry(escalated)),
        Cell::text(&agent.name),
    ]
}

fn counted(number: u32) -> String {
    if number >= QueueCounts::MOST { format!("{number}+") } else { number.to_string() }
}

/// One row for each task that is held, and one for empty hands.
fn rows(replica: &Replica, now: Timestamp, here: Timestamp) -> Vec<Vec<Cell>> {
    let tone = match replica.state {
        State::Alive => Tone::Good,
        State::Paused | State::Silent | State::Elsewhere => Tone::Attention,
        State::Gone => Tone::Bad,
        State::Stopped => Tone::Faint,
    };
    let seen = replica.seen.map_or_else(|| "-".to_owned(), |at| format!("{} ago", span(at, here)));
    let row = |task: &str, long: &str| {
        vec![
            Cell::text(&replica.replica),
            Cell::text(replica.state.as_str()).toned(tone),
            Cell::text(&seen),
            Cell::text(task),
            Cell::text(long),
        ]
    };
    if replica.holds.is_empty() {
        return vec![row("-", "")];
    }
    replica.holds.iter().map(|holding| row(&holding.task, &span(holding.since, now))).collect()
}

#[cfg(test)]
mod tests {
    use super::super::replica::Holding;
    use super::*;

    #[test]
    fn the_page_says_who_lives_what_they_hold_and_for_how_long() {
        let at = |second: i64| Timestamp::from_second(1_000_000 + second).unwrap();
        let replica = |name: &str, state, seen: Option<i64>, task: Option<(&str, i64)>| Replica {
            replica: name.into(),
            state,
            seen: seen.map(at),
            pid: None,
            host: None,
            holds: task
                .map(|(task, since)| Holding { task: task.into(), since: at(since), until: at(600) })
                .into_iter()
                .collect(),
        };
        let surveyed = |id: &str, state, counts, replicas| Surveyed {
            id: id.into(),
            name: format!("The {id}"),
            queue: id.into(),
            enabled: true,
            state,
            paused: vec![],
            counts,
            waiting_files: 0,
            missing: None,
            replicas,
        };
        let busy = QueueCounts { pending: 12, in_progress: 2, failed: 10_000, escalated: 0 };
        let task = "review-qa-1738588800000-a1b2c3";
        let replicas = vec![
            replica("qa-1", State::Alive, Some(-4), Some((task, -192))),
            replica("qa-2", State::Silent, Some(-45), None),
            replica("qa-3", State::Elsewhere, None, Some(("other", -7500))),
        ];
        let survey = Survey {
            now: at(0),
            agents: vec![
                surveyed("qa", "running", busy, replicas),
                surveyed("engineer", "not running", QueueCounts::default(), vec![]),
            ],
            others: vec![],
        };
        let page = anstream::adapter::strip_str(&page(&survey, at(0), None)).to_string();
        insta::assert_snapshot!(page, @r"
        AGENT     STATE        QUEUE     PENDING  IN PROGRESS  FAILED  ESCALATED  NAME
        qa        running      qa             12            2  10000+          0  The qa
        engineer  not running  engineer        0            0       0          0  The engineer

        REPLICA  STATE      SEEN     HOLDS                           FOR
        qa-1     alive      4s ago   review-qa-1738588800000-a1b2c3  3m 12s
        qa-2     silent     45s ago  -
        qa-3     elsewhere  -        other                           2h 5m
        ");
    }
}
