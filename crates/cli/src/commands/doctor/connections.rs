//! Whether forges, trackers and wikis can be reached, and what is missing for a mission.

use std::path::Path;

use connect::adapters::Vcs;
use connect::servers::{Access, Service, Settings, check_certificates, tools};
use domain::config::{ServerChoice, ServerProfile};
use domain::forge::{BaseUrl, Identity, MergeRequestRef, Project, Provider};
use domain::ports::{DocsPort, PortError, PortErrorKind, TrackerPort, VcsPort};
use domain::text::short_line;
use domain::tools::McpTool;

use super::brains::Asking;
use super::{Check, missions};
use crate::failure::Failure;
use crate::outward::Outward;
use crate::reviewers::variable;

const ANY_ISSUE: &str = "created >= -1d";
const PAGE: &str = "ARCHITECTURE_DOC_PAGE_ID";

/// What is configured. Nobody is asked anything, and where nothing is configured there is nothing to say.
pub(super) fn configured(outward: &Outward) -> Vec<Check> {
    let mut checks = Vec::new();
    if outward.names_a_forge() {
        checks.extend(forge(outward));
    }
    let any_is_set = |service: &Service| addresses_and_tokens(*service).any(is_set);
    checks.extend(Service::ALL.into_iter().filter(any_is_set).map(variables));
    checks
}

/// Everything that a mission needs, asked for.
pub(super) fn mission(outward: &Outward, asking: Asking) -> Result<Vec<Check>, Failure> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(|error| {
        Failure::new(format!("cannot start: {error}"), "the system is out of threads or file descriptors")
    })?;
    let mut checks = vec![missions::variables()];
    checks.extend(forge(outward));
    checks.extend(authorities());
    let forge = outward.provider().map_or(Service::Github, of_provider);
    checks.extend([forge, Service::Jira, Service::Confluence].map(variables));
    runtime.block_on(async {
        checks.extend(vcs(outward, forge).await);
        checks.extend(tracker(outward).await);
        checks.extend(docs(outward).await);
    });
    checks.push(missions::git(outward));
    checks.extend(missions::models(outward, asking));
    Ok(checks)
}

fn forge(outward: &Outward) -> Vec<Check> {
    match outward.provider() {
        Err(error) => vec![trouble("forge", &error)],
        Ok(provider) => vec![
            Check::ok("forge", provider),
            match outward.base_url(provider) {
                Ok(base) => Check::ok("forge", format!("addresses of requests begin with {base}")),
                Err(error) => trouble("forge", &error),
            },
        ]
        .into_iter()
        .chain(another_forge(outward, provider))
        .collect(),
    }
}

/// Where our own server would send the token to another forge than the one whose addresses are taken.
fn another_forge(outward: &Outward, provider: Provider) -> Option<Check> {
    if !outward.config.connect.vcs.server.is_empty() {
        return None;
    }
    let settings = Settings::from_env(of_provider(provider), &variable).ok()?;
    let interface = BaseUrl::parse(settings.address()?).ok()?;
    let base = outward.base_url(provider).ok()?;
    let same = interface.host() == base.host() || interface.host().strip_prefix("api.") == Some(base.host());
    if !same {
        return Some(Check::problem(
            "forge",
            format!("the interface is at {}, and addresses of requests begin with {base}", interface.host()),
            "let VCS_BASE_URL (or connect.base_url) and the address of the interface lead to the same forge",
        ));
    }
    (interface.scheme() != base.scheme()).then(|| {
        Check::warning(
            "forge",
            format!(
                "the interface is reached by {}, and addresses of requests begin with {base}",
                interface.scheme()
            ),
            "give VCS_BASE_URL (or connect.base_url) the scheme that people see: any other address is refused",
        )
    })
}

fn of_provider(provider: Provider) -> Service {
    match provider {
        Provider::Github => Service::Github,
        Provider::Gitlab => Service::Gitlab,
    }
}

/// Whoever reads the file first would fail, whatever it wanted.
fn authorities() -> Vec<Check> {
    let named = |name: &'static str| {
        let file = variable(name).filter(|file| !file.trim().is_empty())?;
        Some(match check_certificates(Path::new(&file)) {
            Ok(()) => Check::ok("certificates", format!("those of {name} can be read")),
            Err(error) => Check::problem(
                "certificates",
                format!("{name}: {error}"),
                "name a file with certificates in PEM, or unset it",
            ),
        })
    };
    ["COUNTERSIGN_CA_FILE", "SSL_CERT_FILE"].into_iter().filter_map(named).collect()
}

fn addresses_and_tokens(service: Service) -> impl Iterator<Item = &'static str> {
    let accounts: &[&str] = match service {
        Service::Github | Service::Gitlab => &[],
        Service::Jira => &["JIRA_EMAIL", "JIRA_USERNAME", "JIRA_API_TOKEN"],
        Service::Confluence => &["CONFLUENCE_EMAIL", "CONFLUENCE_USERNAME", "CONFLUENCE_API_TOKEN"],
    };
    service.address_variables().iter().chain(service.token_variables()).chain(accounts).copied()
}

pub(super) fn is_set(name: &str) -> bool {
    variable(name).is_some_and(|value| !value.trim().is_empty())
}

/// By whether they are there, never by what they are.
fn variables(service: Service) -> Check {
    listed(service.as_str(), addresses_and_tokens(service))
}

pub(super) fn listed<'a>(whose: &str, names: impl Iterator<Item = &'a str>) -> Check {
    let (set, unset): (Vec<&str>, Vec<&str>) = names.partition(|name| is_set(name));
    let listed = |names: &[&str]| if names.is_empty() { "none".to_owned() } else { names.join(", ") };
    Check::ok("variables", format!("{whose}: set: {}; not set: {}", listed(&set), listed(&unset)))
}

async fn vcs(outward: &Outward, service: Service) -> Vec<Check> {
    // Which forge it is has been said, or that it is none.
    if outward.provider().is_err() {
        return Vec::new();
    }
    let vcs = match outward.vcs() {
        Ok(vcs) => vcs,
        Err(error) => return vec![trouble("vcs", &error)],
    };
    let choice = &outward.config.connect.vcs;
    let mut checks = vec![server("vcs", choice, service, vcs.get_mcp_tools().await)];
    let identity = match vcs.get_identity().await {
        // Nobody in particular, or nobody who is let in: a read that changes nothing tells them apart.
        Ok(None) => is_let_in(&vcs).await.map(|()| None),
        known => known,
    };
    checks.push(missions::seal(outward, &credential(choice, service), identity));
    checks
}

/// A request that is not there is not found by those who are let in.
async fn is_let_in(vcs: &Vcs) -> Result<(), PortError> {
    let Ok(project) = Project::parse("countersign/doctor") else { return Ok(()) };
    vcs.get_merge_request(&MergeRequestRef { project, number: 1 }).await.map(|_| ())
}

/// Which token a server uses: by the names of its variables, never by what they hold.
fn credential(choice: &ServerChoice, service: Service) -> String {
    if !choice.server.is_empty() {
        return format!("the token of {}", choice.server);
    }
    let settings = Settings::from_env(service, &variable);
    let names = settings.map(|settings| settings.credential().join(" with ")).unwrap_or_default();
    if names.is_empty() { "the token".to_owned() } else { names }
}

async fn tracker(outward: &Outward) -> Vec<Check> {
    let tracker = match outward.tracker() {
        Ok(tracker) => tracker,
        Err(error) => return vec![trouble("tracker", &error)],
    };
    let choice = &outward.config.connect.tracker;
    let token = credential(choice, Service::Jira);
    let mut checks = vec![server("tracker", choice, Service::Jira, tracker.get_mcp_tools().await)];
    checks.push(match tracker.get_identity().await {
        // It may be that nobody is let in: whoever may search is.
        Ok(None) => match tracker.search_issues(ANY_ISSUE, 1).await {
            Ok(_) if outward.publish_key().is_some() => Check::ok(
                "tracker",
                format!("{token} is accepted; who it belongs to is not said, and reports are signed with a key instead"),
            ),
            Ok(_) => Check::warning(
                "tracker",
                format!("{token} is accepted, and who it belongs to is not said"),
                "a comment that ends like one of ours counts as ours, whoever wrote it: set COUNTERSIGN_PUBLISH_KEY",
            ),
            Err(error) => refused("tracker", &token, &error),
        },
        Ok(Some(us)) => accepted("tracker", &token, &us),
        Err(error) => refused("tracker", &token, &error),
    });
    checks
}

/// A wiki is for those who have one.
async fn docs(outward: &Outward) -> Vec<Check> {
    let choice = &outward.config.connect.docs;
    let named =
        !choice.server.is_empty() || Service::Confluence.address_variables().iter().any(|name| is_set(name));
    let page = variable(PAGE).filter(|page| !page.trim().is_empty());
    let required = outward.config.connect.require_architecture;
    if !named {
        return vec![match page {
            None if required => Check::problem(
                "docs",
                "connect.require_architecture is on, and no wiki is configured",
                "set CONFLUENCE_URL and its token, or connect.docs in countersign.yaml",
            ),
            None => Check::ok("docs", "no wiki is configured, and none is asked"),
            Some(_) => Check::problem(
                "docs",
                format!("{PAGE} is set, and no wiki is configured"),
                "set CONFLUENCE_URL and its token, or connect.docs in countersign.yaml",
            ),
        }];
    }
    let docs = match outward.docs() {
        Ok(docs) => docs,
        Err(error) => return vec![trouble("docs", &error)],
    };
    let mut checks = vec![server("docs", choice, Service::Confluence, docs.get_mcp_tools().await)];
    let token = credential(choice, Service::Confluence);
    match docs.get_project_context("countersign doctor").await {
        Ok(_) => checks.push(Check::ok("docs", format!("{token} is accepted"))),
        Err(error) => {
            checks.push(refused("docs", &token, &error));
            return checks;
        }
    }
    checks.push(match page {
        None if required => Check::problem(
            "docs",
            format!("connect.require_architecture is on, and {PAGE} is not set"),
            format!("set {PAGE} to the id of the page"),
        ),
        None => Check::ok("docs", format!("no page about the architecture: {PAGE} is not set")),
        Some(page) => match docs.get_architecture_context(page.trim()).await {
            Ok(Some(found)) => Check::ok(
                "docs",
                format!("the architecture is in \u{201c}{}\u{201d}", short_line(&found.title)),
            ),
            Ok(None) => Check::problem(
                "docs",
                format!("there is no page {}, or the token may not see it", short_line(&page)),
                format!("correct {PAGE}"),
            ),
            Err(error) => trouble("docs", &error),
        },
    });
    checks
}

/// Whether the server behind a port starts, and has what the port asks of it.
fn server(
    port: &'static str,
    choice: &ServerChoice,
    service: Service,
    listed: Result<Vec<McpTool>, PortError>,
) -> Check {
    let who = match choice.server.as_str() {
        "" => format!("countersign mcp {}", service.as_str()),
        name => format!("{name} of .mcp.json, as {}", choice.profile.as_str()),
    };
    let has = match listed {
        Ok(tools) => tools,
        Err(error) => return trouble(port, &error),
    };
    let missing: Vec<String> = needed(choice.profile, service)
        .into_iter()
        .filter(|wanted| !has.iter().any(|tool| tool.name == *wanted))
        .collect();
    match missing.is_empty() {
        true => Check::ok(port, format!("{who}: starts, with {} tools", has.len())),
        false => Check::problem(
            port,
            format!("{who}: starts, and lacks {}", missing.join(", ")),
            "turn these tools on there, or choose another profile in connect",
        ),
    }
}

fn needed(profile: ServerProfile, service: Service) -> Vec<String> {
    let names: &[&str] = match (profile, service) {
        (ServerProfile::Countersign, service) => {
            return tools(service, Access::Full).into_iter().map(|tool| tool.name.into_owned()).collect();
        }
        (ServerProfile::GithubMcpServer, _) => &[
            "pull_request_read",
            "pull_request_review_write",
            "add_comment_to_pending_review",
            "add_issue_comment",
            "list_branches",
        ],
        (ServerProfile::McpGitlab, _) => &[
            "get_merge_request",
            "get_merge_request_diffs",
            "mr_discussions",
            "create_merge_request_note",
            "create_merge_request_thread",
        ],
        (ServerProfile::McpAtlassian, Service::Confluence) => &["confluence_get_page", "confluence_search"],
        (ServerProfile::McpAtlassian, _) => &["jira_get_issue", "jira_add_comment", "jira_transition_issue"],
    };
    names.iter().map(|name| (*name).to_owned()).collect()
}

pub(super) fn accepted(port: &'static str, token: &str, us: &Identity) -> Check {
    Check::ok(port, format!("{token} is accepted, for {}", short_line(&us.login)))
}

/// Whoever does not let us in is told by the name of what was shown; everything else is no fault of the token.
pub(super) fn refused(port: &'static str, token: &str, error: &PortError) -> Check {
    let mut check = trouble(port, error);
    if error.kind == PortErrorKind::Unauthorised {
        // What was tried with it is nobody's concern.
        check.detail = format!("{token} is refused: {}", error.reason);
    }
    check
}

pub(super) fn trouble(port: &'static str, error: &PortError) -> Check {
    let hint = match error.hint.is_empty() {
        true => "docs/CONNECT.md says how it is set up",
        false => error.hint.as_str(),
    };
    Check::problem(port, error, hint)
}
