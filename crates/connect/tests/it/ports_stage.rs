//! A forge, our servers in front of it within this process, and the ports in front of those.

use std::collections::HashMap;

use connect::adapters::{Docs, Tracker, Vcs};
use connect::client::{Limits, Link, Source};
use connect::profiles::{Confluence, Github, Gitlab, Jira, Server};
use connect::servers::{Access, Handler, Service, Settings};
use domain::change::{Change, Side, Target};
use domain::forge::{MergeRequestRef, Project, Provider};
use domain::gate::{GatePolicy, decide};
use domain::ports::VcsPort;
use domain::publish::{Publication, PublishKey, PublishPolicy};
use domain::review::{Anchor, Confidence, Coverage, Finding, Fingerprint, Place, Review, Subject, score};
use domain::tools::ToolPolicy;
use domain::words::{Category, Severity};
use engine::publish::{LocalTurns, Patience, PublishError, PublishOutcome, Publisher};
use rmcp::ServiceExt;
use testkit::forge::{Forge, PullSeed, Rights};

pub(crate) const REPO: &str = "acme/shop";
const BEFORE: &str = "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\nten\neleven\ntwelve\n";
const AFTER: &str = "one\ntwo\nTHREE\nnew\nfour\nfive\nsix\nseven\neight\nnine\nten\nELEVEN\ntwelve\n";

pub(crate) struct Stage {
    pub(crate) forge: Forge,
    pub(crate) number: u64,
    pub(crate) token: String,
    pub(crate) provider: Provider,
}

impl Stage {
    pub(crate) fn new(provider: Provider) -> Stage {
        Stage::with_rights(provider, Rights::Write)
    }

    pub(crate) fn with_rights(provider: Provider, rights: Rights) -> Stage {
        let forge = Forge::start();
        forge.repository(REPO);
        forge.commit(REPO, "main", &[("src/a.rs", BEFORE)]);
        forge.commit(REPO, "feature", &[("src/a.rs", AFTER)]);
        let number = forge.open_pull(REPO, PullSeed::from("feature").into("main").by("alice").title("T"));
        let token = forge.token("reviewer", rights);
        Stage { forge, number, token, provider }
    }

    pub(crate) fn request(&self) -> MergeRequestRef {
        MergeRequestRef { project: Project::parse(REPO).unwrap(), number: self.number }
    }

    pub(crate) fn server(&self, service: Service) -> Server {
        let variables: HashMap<&str, String> = HashMap::from([
            ("GITHUB_API_URL", self.forge.github_url()),
            ("GITHUB_TOKEN", self.token.clone()),
            ("GITLAB_API_URL", self.forge.gitlab_url()),
            ("GITLAB_TOKEN", self.token.clone()),
            ("JIRA_URL", self.forge.jira_url()),
            ("JIRA_PERSONAL_TOKEN", self.token.clone()),
            ("CONFLUENCE_URL", self.forge.confluence_url()),
            ("CONFLUENCE_PERSONAL_TOKEN", self.token.clone()),
        ]);
        let settings = Settings::from_env(service, &|name| variables.get(name).cloned()).unwrap();
        let make = move || {
            let (ours, theirs) = tokio::io::duplex(64 * 1024);
            let handler = Handler::new(&settings, Access::Full).unwrap();
            tokio::spawn(async move {
                if let Ok(running) = handler.serve(theirs).await {
                    let _ = running.waiting().await;
                }
            });
            ours
        };
        Server {
            link: Link::new(service.as_str(), Source::InProcess(Box::new(make)), Limits::default()),
            policy: ToolPolicy::default(),
            scope: None,
        }
    }

    pub(crate) fn vcs(&self) -> Vcs {
        match self.provider {
            Provider::Github => Vcs::Github(Github(self.server(Service::Github))),
            Provider::Gitlab => Vcs::Gitlab(Gitlab(self.server(Service::Gitlab))),
        }
    }

    pub(crate) fn tracker(&self) -> Tracker {
        Tracker::Jira(Jira(self.server(Service::Jira)))
    }

    pub(crate) fn docs(&self) -> Docs {
        Docs::Confluence(Confluence(self.server(Service::Confluence)))
    }

    /// A review of the newest commit with findings at these lines, each `(side, start, end)`.
    pub(crate) async fn review(&self, vcs: &Vcs, places: &[(Side, u32, u32)]) -> Review {
        let diff = vcs.get_merge_request_diff(&self.request()).await.unwrap();
        let change = diff.into_change("main", "feature");
        review(&change, places)
    }

    pub(crate) async fn publish(&self, vcs: &Vcs, review: &Review) -> Result<PublishOutcome, PublishError> {
        let publisher = Publisher {
            vcs,
            turns: &LocalTurns::default(),
            policy: PublishPolicy { check_name: "countersign".into(), most_inline: 50 },
            // An app is nobody in particular: its comments are known by this.
            key: PublishKey::new("a key that only these tests know"),
            patience: Patience { first_wait: std::time::Duration::from_millis(20), ..Patience::default() },
            waits: &|_, _| {},
        };
        publisher.publish(&self.request(), Publication { review, patches: &HashMap::new() }).await
    }
}

fn review(change: &Change, places: &[(Side, u32, u32)]) -> Review {
    let finding = |(side, start, end): &(Side, u32, u32)| Finding {
        rule: "stub".into(),
        severity: Severity::High,
        category: Category::Correctness,
        dimension: Category::Correctness.dimension(),
        confidence: Confidence::High,
        place: Place::Lines(Anchor {
            path: "src/a.rs".into(),
            side: *side,
            start: *start,
            end: *end,
            text: format!("{side:?} {start}"),
        }),
        message: format!("line {start} is a stub, @alice"),
        impact: "/close".into(),
        suggestion: String::new(),
        fingerprint: Fingerprint::default(),
    };
    let mut findings: Vec<_> = places.iter().map(finding).collect();
    Fingerprint::assign(&mut findings);
    let policy = GatePolicy::default();
    let dimensions: Vec<_> = policy.dimensions().into_iter().map(|(dimension, ..)| dimension).collect();
    let decision = decide(&policy, &findings, &score(&dimensions, &findings, policy.fail_on), &[], None);
    assert!(matches!(change.scope.head, Target::Commit(_)));
    let mut coverage = Coverage::plan(change);
    coverage.files.iter_mut().for_each(|file| file.see("rules"));
    Review {
        subject: Subject { id: "feature".into(), scope: change.scope.clone(), revision_count: 0 },
        reviewer: "rules".into(),
        policy: "default".into(),
        reviewed_at: "2026-02-03T10:00:00Z".parse().unwrap(),
        findings,
        suppressed: vec![],
        troubles: vec![],
        coverage,
        decision,
        remarks: vec![],
        revision_notes: None,
        usage: None,
        posting: None,
        patches: Default::default(),
    }
}
