use super::CodeReviewParams;
use crate::forge::{
    BadAddress, BaseUrl, MergeRequest, MergeRequestRef, MergeRequestState, Project, Provider,
};
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

/// Why what a ticket asks for is not even looked for.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    #[error(transparent)]
    Address(#[from] BadAddress),
    #[error(transparent)]
    Contradiction(#[from] Mismatch),
}

impl Refused {
    /// What whoever wrote the ticket can do.
    pub fn hint(&self, base: &BaseUrl) -> String {
        match self {
            Refused::Address(BadAddress::NotARequest { .. }) => {
                "put the address of the request itself into review_request_url".to_owned()
            }
            Refused::Address(
                BadAddress::Malformed(_)
                | BadAddress::Path(_)
                | BadAddress::Port(_)
                | BadAddress::Credentials(_)
                | BadAddress::Foreign { .. },
            ) => format!("review_request_url has to be below {base}"),
            Refused::Contradiction(_) => {
                "correct the project or review_request_url: both have to mean the same".to_owned()
            }
        }
    }
}

impl MissionOrder {
    /// Refused before any call is made, if the address leads anywhere else, or into another project than is named. Whether
    /// the number of a project fits, only the forge can say.
    pub fn new(
        params: &CodeReviewParams,
        provider: Provider,
        base: &BaseUrl,
    ) -> Result<MissionOrder, Refused> {
        let address = base.merge_request(provider, &params.review_request_url)?;
        let is_named = params.project.as_str().contains('/');
        if is_named && !same(&params.project, &address.project) {
            let (project, address) = (params.project.to_string(), address.to_string());
            return Err(Mismatch::OtherProject { project, address }.into());
        }
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
        let by_name = same(&self.request.project, &self.address.project);
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

fn same(one: &Project, other: &Project) -> bool {
    one.as_str().eq_ignore_ascii_case(other.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(project: &str, url: &str) -> Result<MissionOrder, Refused> {
        let params = CodeReviewParams {
            project: Project::parse(project).unwrap(),
            source_branch_name: "topic".to_owned(),
            review_request_url: url.to_owned(),
            generated_at: "2026-11-15T10:00:00Z".parse().unwrap(),
            service_name: None,
            mode: None,
        };
        MissionOrder::new(&params, Provider::Gitlab, &BaseUrl::parse("https://git.example.com").unwrap())
    }

    #[test]
    fn a_project_that_is_not_the_one_of_the_address_is_refused_before_any_call() {
        let url = "https://git.example.com/acme/shop/-/merge_requests/7";
        assert!(order("Acme/Shop", url).is_ok() && order("42", url).is_ok());
        let error = order("acme/other", url).unwrap_err().to_string();
        assert!(error.contains("acme/shop") && error.contains("acme/other"), "{error}");
    }

    #[test]
    fn every_bad_address_is_told_for_what_it_is() {
        let base = BaseUrl::parse("https://git.example.com").unwrap();
        for (url, said, hint) in [
            ("https://git.example.com/a/../b/-/merge_requests/7", "`..`", "below"),
            ("https://git.example.com:99999/a/b/-/merge_requests/7", "port", "below"),
            ("https://git.example.com/a/b/pull/7", "/-/merge_requests/7", "the request itself"),
            ("https://evil.example.com/a/b/-/merge_requests/7", "does not belong to", "below"),
        ] {
            let refused = order("a/b", url).unwrap_err();
            assert!(refused.to_string().contains(said), "{refused}");
            assert!(refused.hint(&base).contains(hint), "{}", refused.hint(&base));
        }
    }
}
