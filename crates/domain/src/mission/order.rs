use super::CodeReviewParams;
use crate::forge::{BadAddress, BaseUrl, MergeRequest, MergeRequestRef, MergeRequestState, Provider};
use crate::text::short_line;

/// Parameters whose address was found to belong to the configured forge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MissionOrder {
    /// What is asked for: the project by the name the ticket gave it, the number from the address.
    pub request: MergeRequestRef,
    /// The same as the address names it.
    pub address: MergeRequestRef,
    pub url: String,
    pub source_branch: String,
}

/// The forge has something else than the ticket says.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Mismatch {
    #[error("review_request_url names {address}, which belongs to another project than {project}")]
    OtherProject { project: String, address: String },
    #[error("{request} is from branch `{is}`, but source_branch_name is `{wanted}`")]
    OtherBranch { request: String, is: String, wanted: String },
    #[error("{request} is {state}: there is nothing left to review")]
    NotOpen { request: String, state: &'static str },
}

impl MissionOrder {
    /// Refused before any call is made, if the address leads anywhere else.
    pub fn new(
        params: &CodeReviewParams,
        provider: Provider,
        base: &BaseUrl,
    ) -> Result<MissionOrder, BadAddress> {
        let address = base.merge_request(provider, &params.review_request_url)?;
        let request = MergeRequestRef { project: params.project.clone(), number: address.number };
        Ok(MissionOrder {
            request,
            address,
            url: params.review_request_url.clone(),
            source_branch: params.source_branch_name.clone(),
        })
    }

    /// Whether what the forge answered with is what the ticket means.
    pub fn check(&self, provider: Provider, base: &BaseUrl, found: &MergeRequest) -> Result<(), Mismatch> {
        let there = base.merge_request(provider, &found.url);
        let by_name = self.request.project == self.address.project;
        if !by_name && there.as_ref() != Ok(&self.address) {
            return Err(Mismatch::OtherProject {
                project: self.request.project.to_string(),
                address: self.address.to_string(),
            });
        }
        let request = provider.numbered(self.request.number);
        if found.source_branch != self.source_branch {
            let (is, wanted) = (short_line(&found.source_branch), self.source_branch.clone());
            return Err(Mismatch::OtherBranch { request, is, wanted });
        }
        match found.state {
            MergeRequestState::Open => Ok(()),
            MergeRequestState::Closed => Err(Mismatch::NotOpen { request, state: "closed" }),
            MergeRequestState::Merged => Err(Mismatch::NotOpen { request, state: "merged" }),
        }
    }
}
