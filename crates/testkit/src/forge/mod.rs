//! A forge for tests: GitHub, GitLab, Jira and Confluence over HTTP on a free port of this machine, with real git
//! repositories behind them. It keeps state, enforces the rules of the real ones as far as clients can meet them,
//! remembers every request, and breaks where a test wants it to.
//!
//! All four are views of one model: a pull request opened through GitHub's API is a merge request in GitLab's.

mod answer;
mod bare;
mod confluence;
mod connection;
mod diff;
mod faults;
mod git_http;
mod github;
mod gitlab;
mod inspect;
mod jira;
mod model;
mod paging;
mod query;
mod record;
mod request;
mod seed;
mod server;
pub mod webhooks;

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use axum::Router;
use tempfile::TempDir;
use tokio::net::TcpListener;
use tokio::runtime::{Builder, Runtime};

use connection::{Door, Scissors};
use faults::Faults;
use model::state::State;
use record::Record;
use server::Inner;

pub use bare::Edit;
pub use faults::Fault;
pub use model::account::{Rights, User};
pub use model::anchor::{Anchor, DiffLine, Side};
pub use model::checks::{CheckRun, CommitStatus};
pub use model::page::Page;
pub use model::pull::{Comment, Pull, PullState, Review, ReviewState, Thread, Version};
pub use model::state::Limits;
pub use model::ticket::{Jira, Remark, RemoteLink, Text, Ticket, Transition};
pub use record::Asked;
pub use seed::PullSeed;

/// A running forge. It is gone, repositories included, when this is dropped.
#[derive(Debug)]
pub struct Forge {
    address: SocketAddr,
    inner: Arc<Inner>,
    runtime: Option<Runtime>,
    _folder: TempDir,
}

impl Forge {
    /// May be called from anywhere, asynchronous tests included.
    pub fn start() -> Forge {
        let folder = tempfile::Builder::new().prefix("testkit-forge-").tempdir().expect("a temporary folder");
        let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build().expect("a runtime");
        let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
        listener.set_nonblocking(true).expect("a socket that does not block");
        let inside = runtime.enter();
        let listener = TcpListener::from_std(listener).expect("a listener");
        drop(inside);
        let address = listener.local_addr().expect("an address");
        let root = folder.path().canonicalize().expect("the folder just made");
        let state = State::new(root, format!("http://{address}"));
        let inner = Arc::new(Inner {
            state: Mutex::new(state),
            faults: Faults::default(),
            record: Record::default(),
        });
        let router = Router::new().fallback(server::answer).with_state(Arc::clone(&inner));
        let service = router.into_make_service_with_connect_info::<Scissors>();
        runtime.spawn(async move { axum::serve(Door { listener }, service).await });
        Forge { address, inner, runtime: Some(runtime), _folder: folder }
    }

    /// Scheme, host and port. Also the base of Jira and Confluence, and of GitHub as `api.github.com` has it.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// GitHub's API as Enterprise serves it. Without `/api/v3` it is there too.
    pub fn github_url(&self) -> String {
        format!("{}/api/v3", self.url())
    }

    pub fn gitlab_url(&self) -> String {
        format!("{}/api/v4", self.url())
    }

    pub fn jira_url(&self) -> String {
        self.url()
    }

    /// Add `/wiki` for Confluence Cloud.
    pub fn confluence_url(&self) -> String {
        self.url()
    }

    /// From now on, or for as often as it says, something goes wrong.
    pub fn fault(&self, fault: Fault) {
        self.inner.faults.add(fault);
    }

    /// All is well again.
    pub fn heal(&self) {
        self.inner.faults.clear();
    }

    /// How many faults are still waiting to happen: a test can assert that all of them did.
    pub fn faults_left(&self) -> usize {
        self.inner.faults.left()
    }
}

impl Drop for Forge {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}
