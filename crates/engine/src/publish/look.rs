use domain::forge::{CommitStatus, MergeRequest, MergeRequestDiff, MergeRequestRef, PostedComment};
use domain::ports::{PortError, PortErrorKind, VcsPort};
use domain::publish::{CannotPublish, Memory, Publication, PublishPlan, PublishPolicy, Seal, Stage, plan};

use super::error::PublishError;

/// What the forge showed at one moment.
pub(super) struct Seen {
    request: MergeRequest,
    diff: MergeRequestDiff,
    pub(super) comments: Vec<PostedComment>,
    statuses: Vec<CommitStatus>,
}

impl Seen {
    pub(super) async fn of<V: VcsPort>(vcs: &V, reference: &MergeRequestRef) -> Result<Seen, PublishError> {
        let request = vcs.get_merge_request(reference).await?;
        let request =
            request.ok_or_else(|| PublishError::Missing(vcs.provider().numbered(reference.number)))?;
        let diff = vcs.get_merge_request_diff(reference).await?;
        let comments = vcs.get_comments(reference).await?;
        let statuses = match vcs.get_statuses(&reference.project, &diff.refs.head).await {
            // Then it is set again, which does no harm.
            Err(PortError { kind: PortErrorKind::MissingTool | PortErrorKind::Unauthorised, .. }) => {
                Vec::new()
            }
            answer => answer?,
        };
        Ok(Seen { request, diff, comments, statuses })
    }

    pub(super) fn plan<V: VcsPort>(
        &self,
        vcs: &V,
        publication: Publication<'_>,
        seal: &Seal,
        policy: &PublishPolicy,
        memory: &Memory,
    ) -> Result<PublishPlan, CannotPublish> {
        let stage = Stage {
            provider: vcs.provider(),
            editing: vcs.editing(),
            request: &self.request,
            diff: &self.diff,
            comments: &self.comments,
            statuses: &self.statuses,
        };
        plan(publication, stage, seal, policy, memory)
    }

    pub(super) fn url(&self) -> &str {
        &self.request.url
    }
}
