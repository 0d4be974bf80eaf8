//! How a mission is shown to whoever decides about it.

use engine::escalation::Missions;
use engine::mission::{Mission, Posted};

use crate::failure::Failure;
use crate::missions::MissionsAt;
use crate::output::{self, Exit, Listing};
use crate::pretty;
use crate::store::StoreArgs;

pub(super) fn show(store: &StoreArgs, key: &str, format: Listing) -> Result<Exit, Failure> {
    let unknown = || {
        Failure::new(
            format!("there is no mission/{key} here"),
            "`countersign escalation list` shows what waits for a person",
        )
    };
    let missions = MissionsAt { mailbox: store.mailbox() };
    let mission = missions.find(key).ok().flatten().ok_or_else(unknown)?;
    output::print(&match format {
        Listing::Json => output::json(&mission)?,
        Listing::Pretty => told(&mission),
    })?;
    Ok(Exit::Ok)
}

fn told(mission: &Mission) -> String {
    let key = &mission.key;
    let mut text = format!("# Mission {key}\n\n");
    if let Some(review) = &mission.review {
        text.push_str(&format!("{}\n", pretty::verdict_line(review)));
    }
    match &mission.posted {
        Some(Posted::Published { url, .. }) => {
            text.push_str(&format!("Published at {}\n", pretty::safe(url)));
        }
        Some(Posted::Impossible { reason }) => {
            text.push_str(&format!("Not published: {}\n", pretty::safe(reason)));
        }
        None => {}
    }
    if let Some(broken) = &mission.broken {
        text.push_str(&format!(
            "Failed while {}: {}\n",
            pretty::safe(&broken.step),
            pretty::safe(&broken.reason)
        ));
    }
    match &mission.unreported {
        Some(reason) => text.push_str(&format!("The ticket was not told: {}\n", pretty::safe(reason))),
        None => text.push_str(&format!("Its process ended while {}.\n", mission.step.doing())),
    }
    text.push_str("\n## What happened\n\n");
    for step in &mission.trace {
        text.push_str(&format!("- {} {}\n", step.at, pretty::safe(&step.what)));
    }
    text.push_str("\n## What you can do\n\n");
    text.push_str(&match mission.is_over() {
        true => format!(
            "- `countersign escalation resolve mission/{key} accept`: you have told the ticket yourself\n\
             - `countersign escalation resolve mission/{key} one-more`, then `countersign mission {key}`: it is told again\n\
             - `countersign mission {key}`: the whole mission is tried again\n"
        ),
        false => format!(
            "- `countersign mission {key}`: it goes on where it was\n\
             - `countersign escalation resolve mission/{key} accept`: it is over; you tell the ticket yourself\n"
        ),
    });
    text
}

pub(super) fn resolved(mission: &Mission, format: Listing) -> Result<Exit, Failure> {
    let key = &mission.key;
    match format {
        Listing::Json => output::print(&output::json(mission)?)?,
        Listing::Pretty => pretty::note(&match mission.is_over() {
            true => format!("mission/{key} is settled."),
            false => format!("mission/{key} goes on with: countersign mission {key}"),
        }),
    }
    Ok(Exit::Ok)
}
