use std::sync::Arc;

use connect::adapters::Vcs;
use domain::forge::{BaseUrl, MergeRequest, MergeRequestRef, MergeRequestState, Provider};
use domain::ports::{PortError, VcsPort};
use engine::publish::LocalTurns;
use store::Store;
use tokio::time::sleep;

use crate::failure::Failure;
use crate::outward::Outward;

/// The configured forge.
pub(crate) struct Forge {
    pub(crate) outward: Outward,
    pub(crate) provider: Provider,
    pub(crate) base: BaseUrl,
    pub(crate) vcs: Arc<Vcs>,
    /// Among the publishers of this process.
    pub(crate) turns: Arc<LocalTurns>,
    /// Shared with others who publish, if with anybody.
    pub(crate) store: Option<Store>,
}

/// A request as the forge has it now.
#[derive(Debug, Clone)]
pub(crate) struct Found {
    pub(crate) request: MergeRequest,
    /// By its name, where it may have been asked for by number.
    pub(crate) address: MergeRequestRef,
}

impl Forge {
    pub(crate) fn of(outward: Outward, turns: Arc<LocalTurns>) -> Result<Forge, Failure> {
        let provider = outward.provider()?;
        let base = outward.base_url(provider)?;
        let vcs = Arc::new(outward.vcs()?);
        Ok(Forge { outward, provider, base, vcs, turns, store: None })
    }

    /// Where those who publish take turns.
    pub(crate) fn sharing(self, store: Option<Store>) -> Forge {
        Forge { store, ..self }
    }

    /// With a way there that somebody else uses, too.
    pub(crate) fn by_way_of(vcs: Arc<Vcs>, outward: Outward) -> Result<Forge, Failure> {
        let provider = outward.provider()?;
        let base = outward.base_url(provider)?;
        Ok(Forge { outward, provider, base, vcs, turns: Arc::default(), store: None })
    }

    /// Reads an address that somebody gave. Anything but a request of this forge is refused before any call.
    pub(crate) fn address(&self, url: &str) -> Result<MergeRequestRef, Failure> {
        self.base.merge_request(self.provider, url).map_err(|bad| {
            let base = &self.base;
            Failure::new(
                bad,
                format!("requests are reviewed below {base}: VCS_BASE_URL or connect.base_url says so"),
            )
        })
    }

    pub(crate) async fn find(&self, wanted: &MergeRequestRef) -> Result<Found, Failure> {
        let numbered = self.provider.numbered(wanted.number);
        let request = self.patiently(|| self.vcs.get_merge_request(wanted)).await?.ok_or_else(|| {
            Failure::new(
                format!("there is no {numbered} in {}, or the token may not see it", wanted.project),
                "check the address, and what the token may read",
            )
        })?;
        self.found(request)
    }

    /// The answer has to be about this forge, too: its commits are fetched with our token from where it says it is.
    pub(crate) fn found(&self, request: MergeRequest) -> Result<Found, Failure> {
        let address = self.base.merge_request(self.provider, &request.url).map_err(|bad| {
            Failure::new(
                format!("the forge answers with a request of another place: {bad}"),
                "VCS_BASE_URL has to be where people see the forge whose interface is asked",
            )
        })?;
        Ok(Found { request, address })
    }

    /// As [`Forge::find`], for what is to be reviewed.
    pub(crate) async fn find_open(&self, wanted: &MergeRequestRef) -> Result<Found, Failure> {
        let found = self.find(wanted).await?;
        let is = match found.request.state {
            MergeRequestState::Open => return Ok(found),
            MergeRequestState::Closed => "closed",
            MergeRequestState::Merged => "merged",
        };
        let numbered = self.provider.numbered(wanted.number);
        Err(Failure::new(
            format!("{numbered} is {is}: there is nothing left to review"),
            "open it again, or review its commits with --base and --head",
        ))
    }

    /// Repeats what only reads, as long as it may pass.
    pub(crate) async fn patiently<A, F: Future<Output = Result<A, PortError>>>(
        &self,
        ask: impl Fn() -> F,
    ) -> Result<A, PortError> {
        const TRIES: u32 = 4;
        let mut wait = self.outward.patience().first_wait / 2;
        for _ in 1..TRIES {
            match ask().await {
                Err(error) if error.is_transient() => {
                    let Some(pause) = self.outward.patience().pause(&error, wait) else { return Err(error) };
                    self.outward.waits(&error, pause);
                    sleep(pause).await;
                    wait *= 2;
                }
                answer => return answer,
            }
        }
        ask().await
    }
}
