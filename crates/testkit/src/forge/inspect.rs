//! What a test looks at afterwards.

use std::path::PathBuf;

use super::Forge;
use super::model::checks::{CheckRun, CommitStatus};
use super::model::pull::Pull;
use super::model::repository::Repository;
use super::model::ticket::Ticket;
use super::record::Asked;

impl Forge {
    /// Every request so far, in the order of arrival.
    pub fn requests(&self) -> Vec<Asked> {
        self.inner.record.all()
    }

    /// Requests that asked for a change, git's own traffic left out.
    pub fn writes(&self) -> Vec<Asked> {
        let git = |asked: &Asked| {
            asked.path.ends_with("/git-upload-pack") || asked.path.ends_with("/git-receive-pack")
        };
        self.requests().into_iter().filter(|asked| asked.writes() && !git(asked)).collect()
    }

    pub fn forget_requests(&self) {
        self.inner.record.clear();
    }

    /// The pull request as it is now.
    pub fn pull(&self, path: &str, number: u64) -> Pull {
        self.read(path, |repository| repository.pull(number).cloned()).expect("the pull request is there")
    }

    pub fn pulls(&self, path: &str) -> Vec<Pull> {
        self.read(path, |repository| repository.pulls.clone())
    }

    /// Those for a commit, the oldest first.
    pub fn check_runs(&self, path: &str, sha: &str) -> Vec<CheckRun> {
        self.read(path, |repository| {
            repository.check_runs.iter().filter(|run| run.head_sha == sha).cloned().collect()
        })
    }

    /// Those for a commit, the oldest first.
    pub fn statuses(&self, path: &str, sha: &str) -> Vec<CommitStatus> {
        self.read(path, |repository| {
            repository.statuses.iter().filter(|status| status.sha == sha).cloned().collect()
        })
    }

    /// Where the branch points.
    pub fn branch(&self, path: &str, name: &str) -> Option<String> {
        self.read(path, |repository| repository.bare.branch(name))
    }

    /// GitLab's number for the project.
    pub fn project_id(&self, path: &str) -> u64 {
        self.read(path, |repository| repository.id)
    }

    /// For git over HTTP. The token goes into the header or before the host, as the test likes.
    pub fn clone_url(&self, path: &str) -> String {
        format!("{}/{path}.git", self.url())
    }

    /// For git on this machine, without any token.
    pub fn git_path(&self, path: &str) -> PathBuf {
        self.read(path, |repository| repository.bare.path().to_owned())
    }

    /// The page people look at, which tools take as an argument.
    pub fn pull_url(&self, path: &str, number: u64) -> String {
        format!("{}/{path}/pull/{number}", self.url())
    }

    pub fn merge_request_url(&self, path: &str, number: u64) -> String {
        format!("{}/{path}/-/merge_requests/{number}", self.url())
    }

    /// The ticket as it is now.
    pub fn issue(&self, key: &str) -> Ticket {
        let state = self.inner.state();
        state.tickets.iter().find(|ticket| ticket.key == key).expect("the ticket is there").clone()
    }

    fn read<T>(&self, path: &str, look: impl FnOnce(&Repository) -> T) -> T {
        let mut state = self.inner.state();
        state.sync(path);
        look(state.repository(path).expect("the repository is there"))
    }

    /// Fails if a token was ever sent anywhere but in its header: in a body, in an address, or said in a comment.
    pub fn assert_no_token_leaked(&self) {
        let (tokens, said) = {
            let state = self.inner.state();
            let tokens: Vec<String> = state.tokens.iter().map(|token| token.value.clone()).collect();
            let pulls = state.repositories.iter().flat_map(|repository| &repository.pulls);
            let mut said: Vec<String> = pulls.flat_map(Pull::everything_said).map(str::to_owned).collect();
            said.extend(state.tickets.iter().flat_map(Ticket::said).map(str::to_owned));
            (tokens, said)
        };
        for token in &tokens {
            for asked in self.requests() {
                let open = asked.body.contains(token) || asked.target.contains(token);
                let header = asked.headers.iter().any(|(_, value)| value.contains(token));
                assert!(!open && !header, "a token appeared in {} {}", asked.method, asked.path);
            }
            assert!(!said.iter().any(|text| text.contains(token)), "a token was said in a comment");
        }
    }
}
