//! What a ticket asks for, looked for on the forge.

use std::time::Duration;

use domain::change::Oid;
use domain::forge::{MergeRequest, Origin};
use domain::mission::MissionOrder;
use domain::ports::{PortError, VcsPort};

use super::{Forge, Mission, MissionPorts, World};
use crate::patience::{LONGEST_WAIT, wait_after};

/// Why what the ticket names cannot be reviewed.
pub(super) struct Missing {
    pub(super) step: &'static str,
    pub(super) reason: String,
    pub(super) hint: String,
}

impl Missing {
    fn new(step: &'static str, reason: impl Into<String>, hint: impl Into<String>) -> Missing {
        Missing { step, reason: reason.into(), hint: hint.into() }
    }

    fn of(step: &'static str, error: &PortError) -> Missing {
        Missing::new(step, error.to_string(), error.hint.clone())
    }
}

/// What the ticket asks for, found on the forge.
pub(super) struct Found<'p, 'a, V> {
    pub(super) forge: &'p Forge<'a, V>,
    pub(super) order: MissionOrder,
    pub(super) request: MergeRequest,
}

/// The address that the ticket gives, if it leads to the configured forge. Nobody is asked.
pub(super) fn address<V, T, D>(mission: &Mission, ports: &MissionPorts<'_, V, T, D>) -> Option<MissionOrder> {
    let (forge, params) = (ports.forge.as_ref().ok()?, mission.params.as_ref()?);
    MissionOrder::new(params, forge.provider, &forge.base).ok()
}

/// The commit that is there to be reviewed. Why there is none is found out, and told, after the start.
pub(super) async fn head<V: VcsPort, T, D, W: World>(
    mission: &Mission,
    ports: &MissionPorts<'_, V, T, D>,
    world: &W,
) -> Option<Oid> {
    let order = address(mission, ports)?;
    let forge = ports.forge.as_ref().ok()?;
    let request = patiently(world, || forge.vcs.get_merge_request(&order.request)).await;
    request.ok().flatten()?.head
}

/// The address is held against the configured forge before anything is asked of it.
pub(super) async fn found<'p, 'a, V: VcsPort, T, D, W: World>(
    mission: &Mission,
    ports: &'p MissionPorts<'a, V, T, D>,
    world: &W,
) -> Result<Found<'p, 'a, V>, Missing> {
    let forge = ports.forge.as_ref().map_err(|error| Missing::of("looking for the forge", error))?;
    let params = mission.params.as_ref().ok_or_else(|| {
        Missing::new("reading code_review_params", "there are none", "start the review again")
    })?;
    let order = MissionOrder::new(params, forge.provider, &forge.base)
        .map_err(|bad| Missing::new("checking review_request_url", bad.to_string(), bad.hint(&forge.base)))?;
    let numbered = forge.provider.numbered(order.request.number);
    let request = match patiently(world, || forge.vcs.get_merge_request(&order.request)).await {
        Ok(Some(request)) => request,
        Ok(None) => {
            let reason =
                format!("there is no {numbered} in {}, or the token may not see it", order.request.project);
            let hint = "correct the project and review_request_url, or let the token read the project";
            return Err(Missing::new("looking for the merge request", reason, hint));
        }
        Err(error) => return Err(Missing::of("looking for the merge request", &error)),
    };
    match branch(forge, &order, &request, world).await {
        Ok(Presence::There) => {}
        Ok(Presence::Missing) => {
            let reason = format!("there is no branch `{}` in {}", order.source_branch, order.request.project);
            return Err(Missing::new(
                "looking for the branch",
                reason,
                "push it, or correct source_branch_name",
            ));
        }
        Err(error) => return Err(Missing::of("looking for the branch", &error)),
    }
    order.check(forge.provider, &forge.base, &request).map_err(|mismatch| {
        let hint = "correct code_review_params, and start the review again";
        Missing::new("checking the merge request", mismatch.to_string(), hint)
    })?;
    Ok(Found { forge, order, request })
}

enum Presence {
    There,
    Missing,
}

/// The branch of a fork is not in the project. That the request is from it, the forge has said.
async fn branch<V: VcsPort, W: World>(
    forge: &Forge<'_, V>,
    order: &MissionOrder,
    request: &MergeRequest,
    world: &W,
) -> Result<Presence, PortError> {
    let (project, name) = (&order.request.project, order.source_branch.as_str());
    match request.origin {
        Origin::Fork => Ok(Presence::There),
        Origin::SameProject => {
            let found = patiently(world, || forge.vcs.get_branch(project, name)).await?;
            Ok(if found.is_some() { Presence::There } else { Presence::Missing })
        }
    }
}

pub(super) fn trying_again(error: &PortError, pause: Duration) -> String {
    format!("trying again in {} s: {error}", pause.as_secs())
}

/// Repeats what only reads, as long as it may pass.
pub(super) async fn patiently<A, W: World, F: Future<Output = Result<A, PortError>>>(
    world: &W,
    ask: impl Fn() -> F,
) -> Result<A, PortError> {
    const TRIES: u32 = 4;
    let mut wait = Duration::from_secs(1);
    for _ in 1..TRIES {
        match ask().await {
            Err(error) if error.is_transient() && !world.is_stopped() => {
                let pause = wait_after(&error, wait, LONGEST_WAIT);
                world.tell(&trying_again(&error, pause));
                world.wait(pause).await;
                wait *= 2;
            }
            answer => return answer,
        }
    }
    ask().await
}
