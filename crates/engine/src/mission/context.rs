//! What the wiki says about the project.

use domain::forge::Issue;
use domain::ports::{DocsPort, PortError, TrackerPort, VcsPort};
use domain::review::{Review, Trouble};
use domain::work::ContextDocument;

use super::find::patiently;
use super::{Mission, MissionPorts, World};

/// The pages that a reviewer is given.
pub(super) struct Context {
    pub(super) pages: Vec<ContextDocument>,
    pub(super) architecture: Architecture,
}

/// Whether the architecture page is among them.
pub(super) enum Architecture {
    Read,
    /// One clause that says why not, and what to set.
    Missing(String),
}

impl Architecture {
    /// What the report says about a missing page: a limit of the review or, where policy requires the page, a trouble.
    pub(super) fn tell<W: World>(self, review: Review, limits: &mut Vec<String>, world: &W) -> Review {
        match self {
            Architecture::Read => review,
            Architecture::Missing(why) if world.requires_architecture() => review.doubted(Trouble {
                kind: "architecture_missing".to_owned(),
                message: format!("the required architecture page is missing: {why}"),
            }),
            Architecture::Missing(why) => {
                limits.push(format!("reviewed without the architecture page: {why}"));
                review
            }
        }
    }
}

/// A4: what the project wants of its code. A page that is missing is no failure; a wiki that cannot be asked is.
pub(super) async fn context<V: VcsPort, T: TrackerPort, D: DocsPort, W: World>(
    mission: &Mission,
    ports: &MissionPorts<'_, V, T, D>,
    world: &W,
    issue: &Issue,
) -> Result<Context, PortError> {
    let missing = |why: &str| Architecture::Missing(why.to_owned());
    let Some(docs) = ports.docs else {
        let architecture = missing("no wiki is configured; set CONFLUENCE_URL or connect.docs.server");
        return Ok(Context { pages: Vec::new(), architecture });
    };
    let mut pages = Vec::new();
    if let Some(service) = service_name(mission, issue) {
        pages.extend(patiently(world, || docs.get_project_context(&service)).await?);
    }
    let architecture = match world.architecture_page() {
        None => missing("ARCHITECTURE_DOC_PAGE_ID is not set"),
        Some(id) => match patiently(world, || docs.get_architecture_context(&id)).await? {
            Some(page) => {
                pages.push(page);
                Architecture::Read
            }
            None => Architecture::Missing(format!(
                "the wiki has no page {id}, or the token may not read it; check ARCHITECTURE_DOC_PAGE_ID"
            )),
        },
    };
    let document = |page: domain::forge::DocsPage| ContextDocument { title: page.title, text: page.body };
    Ok(Context { pages: pages.into_iter().map(document).collect(), architecture })
}

/// As the ticket says, else what it is about: its first component, else the name of the project's repository.
fn service_name(mission: &Mission, issue: &Issue) -> Option<String> {
    let params = mission.params.as_ref();
    let named = params.and_then(|params| params.service_name.clone());
    let component = || issue.components.first().cloned();
    let repository = || {
        let name = params?.project.as_str().rsplit('/').next()?;
        let is_number = name.bytes().all(|byte| byte.is_ascii_digit());
        (!is_number).then(|| name.to_owned())
    };
    named.or_else(component).or_else(repository)
}
