//! What a test puts into the forge before, or while, it is used. None of it goes through HTTP or is recorded.

use std::path::PathBuf;

use serde_json::Value;

use super::Forge;
use super::bare::{Bare, Edit};
use super::jira::adf;
use super::model::account::Rights;
use super::model::page::Page;
use super::model::pull::PullState;
use super::model::repository::{Repository, Visibility};
use super::model::state::{Limits, State};
use super::model::sync::Opening;
use super::model::ticket::{Jira, Remark, Text, Ticket, Transition};
use crate::Repo;

/// A pull request to open, by somebody named `author` from a branch of the same repository if nothing else is said.
#[derive(Debug, Clone)]
pub struct PullSeed {
    opening: Opening,
}

impl PullSeed {
    /// Into `main`.
    pub fn from(branch: &str) -> PullSeed {
        PullSeed {
            opening: Opening {
                author: "author".to_owned(),
                title: format!("Bring in {branch}"),
                body: None,
                draft: false,
                head_repository: String::new(),
                head_branch: branch.to_owned(),
                base_branch: "main".to_owned(),
            },
        }
    }

    pub fn into(mut self, branch: &str) -> PullSeed {
        branch.clone_into(&mut self.opening.base_branch);
        self
    }

    pub fn by(mut self, login: &str) -> PullSeed {
        login.clone_into(&mut self.opening.author);
        self
    }

    pub fn title(mut self, title: &str) -> PullSeed {
        title.clone_into(&mut self.opening.title);
        self
    }

    pub fn body(mut self, body: &str) -> PullSeed {
        self.opening.body = Some(body.to_owned());
        self
    }

    pub fn draft(mut self) -> PullSeed {
        self.opening.draft = true;
        self
    }

    /// From a branch of this fork.
    pub fn fork(mut self, path: &str) -> PullSeed {
        path.clone_into(&mut self.opening.head_repository);
        self
    }
}

impl Forge {
    /// A new token for the person or app of that name. Give apps a name that ends in `[bot]`.
    pub fn token(&self, login: &str, rights: Rights) -> String {
        self.inner.state().add_token(login, rights, None)
    }

    /// A token that is good for these repositories only.
    pub fn token_for(&self, login: &str, rights: Rights, repositories: &[&str]) -> String {
        let only = repositories.iter().map(|&path| path.to_owned()).collect();
        self.inner.state().add_token(login, rights, Some(only))
    }

    /// From now on the token is not known.
    pub fn revoke(&self, token: &str) {
        self.inner.state().tokens.retain(|known| known.value != token);
    }

    /// How much GitHub has left for the token before its quota is used up.
    pub fn set_remaining(&self, token: &str, remaining: u32) {
        let mut state = self.inner.state();
        let limit = state.limits.requests;
        if let Some(token) = state.tokens.iter_mut().find(|known| known.value == token) {
            token.used = limit.saturating_sub(remaining);
        }
    }

    pub fn set_limits(&self, limits: Limits) {
        self.inner.state().limits = limits;
    }

    /// A private repository with one commit, a `README.md` on `main`.
    pub fn repository(&self, path: &str) {
        let mut state = self.inner.state();
        let bare = new_repository(&mut state, path, None);
        let at = state.tick();
        bare.commit_edits("main", "main", at, "Begin", &[Edit::Write("README.md", b"# Read me\n")]);
    }

    /// A private repository with everything of the given one: branches, tags and history.
    pub fn repository_from(&self, path: &str, origin: &Repo) {
        let mut state = self.inner.state();
        let bare = new_repository(&mut state, path, None);
        let from = origin.path().to_str().expect("a path in UTF-8");
        bare.git(&["fetch", "--quiet", from, "+refs/heads/*:refs/heads/*", "+refs/tags/*:refs/tags/*"]);
    }

    /// A repository of its own with what the parent has, whose pull requests may appear in the parent.
    pub fn fork(&self, parent: &str, path: &str) {
        let mut state = self.inner.state();
        let of = state.repository(parent).expect("the parent is there");
        let (id, from) = (of.id, of.bare.path().to_str().expect("a path in UTF-8").to_owned());
        let bare = new_repository(&mut state, path, Some(id));
        bare.git(&["fetch", "--quiet", &from, "+refs/heads/*:refs/heads/*"]);
    }

    pub fn make_public(&self, path: &str) {
        self.inner.state().repository_mut(path).expect("the repository is there").visibility =
            Visibility::Public;
    }

    /// Removes a repository, such as a fork whose pull request is still open.
    pub fn delete_repository(&self, path: &str) {
        self.inner.state().repositories.retain(|repository| repository.path != path);
    }

    /// Commits files to a branch, which is made from `main` if it is not there, and gives the commit. Pull requests
    /// from that branch follow.
    pub fn commit(&self, path: &str, branch: &str, files: &[(&str, &str)]) -> String {
        let edits: Vec<Edit<'_>> =
            files.iter().map(|(name, text)| Edit::Write(name, text.as_bytes())).collect();
        self.edit(path, branch, &edits)
    }

    /// As `commit`, with removals and renames.
    pub fn edit(&self, path: &str, branch: &str, edits: &[Edit<'_>]) -> String {
        let mut state = self.inner.state();
        let at = state.tick();
        let repository = state.repository(path).expect("the repository is there");
        let (bare, main) = (repository.bare.clone(), repository.default_branch.clone());
        let commit = bare.commit_edits(branch, &main, at, &format!("Change {branch}"), edits);
        let paths: Vec<String> =
            state.repositories.iter().map(|repository| repository.path.clone()).collect();
        for path in paths {
            state.sync(&path);
        }
        commit
    }

    pub fn delete_branch(&self, path: &str, branch: &str) {
        let state = self.inner.state();
        let repository = state.repository(path).expect("the repository is there");
        repository.bare.delete_reference(&format!("refs/heads/{branch}"));
    }

    /// Gives its number.
    pub fn open_pull(&self, path: &str, seed: PullSeed) -> u64 {
        let mut opening = seed.opening;
        if opening.head_repository.is_empty() {
            path.clone_into(&mut opening.head_repository);
        }
        self.inner.state().open_pull(path, opening).expect("the repository and both branches are there")
    }

    pub fn set_pull_state(&self, path: &str, number: u64, to: PullState) {
        let mut state = self.inner.state();
        let at = state.tick();
        let repository = state.repository_mut(path).expect("the repository is there");
        let pull = repository.pull_mut(number).expect("the pull request is there");
        pull.state = to;
        pull.closed_at = (to != PullState::Open).then_some(at);
    }

    /// Somebody says something on the pull request as a whole. Gives the comment's id.
    pub fn comment(&self, path: &str, number: u64, login: &str, body: &str) -> u64 {
        let mut state = self.inner.state();
        let author = state.user(login);
        let comment = state.comment(author, body);
        let id = comment.id;
        let repository = state.repository_mut(path).expect("the repository is there");
        repository.pull_mut(number).expect("the pull request is there").comments.push(comment);
        id
    }

    /// What kind of Jira this is. Server, if nothing is said.
    pub fn set_jira(&self, jira: Jira) {
        self.inner.state().jira = jira;
    }

    /// A ticket in "To Do". The text may be wiki text or a document.
    pub fn ticket(&self, key: &str, summary: &str, description: impl Into<Text>) {
        let mut state = self.inner.state();
        let (id, at, reporter) = (state.id(), state.tick(), state.user("reporter"));
        state.tickets.push(Ticket {
            id,
            key: key.to_owned(),
            summary: summary.to_owned(),
            description: Some(description.into()),
            status: "To Do".to_owned(),
            kind: "Story".to_owned(),
            labels: Vec::new(),
            reporter,
            comments: Vec::new(),
            links: Vec::new(),
            history: vec!["To Do".to_owned()],
            custom: serde_json::Map::new(),
            created_at: at,
            updated_at: at,
        });
    }

    pub fn set_status(&self, key: &str, status: &str) {
        self.with_ticket(key, |ticket| {
            status.clone_into(&mut ticket.status);
            ticket.history.push(status.to_owned());
        });
    }

    /// Somebody rewrites it.
    pub fn describe(&self, key: &str, description: impl Into<Text>) {
        self.with_ticket(key, |ticket| ticket.description = Some(description.into()));
    }

    pub fn set_custom_field(&self, key: &str, field: &str, value: Value) {
        self.with_ticket(key, |ticket| {
            ticket.custom.insert(field.to_owned(), value);
        });
    }

    pub fn set_labels(&self, key: &str, labels: &[&str]) {
        self.with_ticket(key, |ticket| {
            ticket.labels = labels.iter().map(|&label| label.to_owned()).collect();
        });
    }

    fn with_ticket(&self, key: &str, change: impl FnOnce(&mut Ticket)) {
        let mut state = self.inner.state();
        change(state.tickets.iter_mut().find(|ticket| ticket.key == key).expect("the ticket is there"));
    }

    /// Somebody says something on a ticket. Gives the comment's id.
    pub fn remark(&self, key: &str, login: &str, text: impl Into<Text>) -> u64 {
        let text = text.into();
        let body = match &text {
            Text::Wiki(wiki) => wiki.clone(),
            Text::Document(document) => adf::to_wiki(document),
        };
        let mut state = self.inner.state();
        let author = state.user(login);
        let comment = state.comment(author, &body);
        let id = comment.id;
        let ticket = state.tickets.iter_mut().find(|ticket| ticket.key == key).expect("the ticket is there");
        ticket.comments.push(Remark { comment, text });
        id
    }

    /// Replaces the workflow: name, statuses it leads from (all of them if none is named), status it leads to.
    pub fn set_workflow(&self, ways: &[(&str, &[&str], &str)]) {
        let way = |(at, (name, from, to)): (usize, &(&str, &[&str], &str))| Transition {
            id: 11 + 10 * at as u64,
            name: (*name).to_owned(),
            from: from.iter().map(|&status| status.to_owned()).collect(),
            to: (*to).to_owned(),
        };
        self.inner.state().transitions = ways.iter().enumerate().map(way).collect();
    }

    /// A page in the storage format. Gives its id.
    pub fn page(&self, space: &str, title: &str, storage: &str, labels: &[&str]) -> u64 {
        let mut state = self.inner.state();
        let (id, at) = (state.id(), state.tick());
        state.pages.push(Page {
            id,
            space: space.to_owned(),
            title: title.to_owned(),
            storage: storage.to_owned(),
            labels: labels.iter().map(|&label| label.to_owned()).collect(),
            version: 1,
            created_at: at,
        });
        id
    }
}

fn new_repository(state: &mut State, path: &str, parent: Option<u64>) -> Bare {
    assert!(state.repository(path).is_none(), "{path} is there already");
    assert!(path.contains('/'), "{path} lacks an owner");
    let folder: PathBuf = state.folder.join("repositories").join(format!("{path}.git"));
    let bare = Bare::create(folder);
    let (id, at) = (state.id(), state.tick());
    state.user(path.split('/').next().unwrap_or(path));
    state.repositories.push(Repository {
        id,
        path: path.to_owned(),
        visibility: Visibility::Private,
        default_branch: "main".to_owned(),
        parent,
        pulls: Vec::new(),
        check_runs: Vec::new(),
        statuses: Vec::new(),
        bare: bare.clone(),
        created_at: at,
        diffs: Default::default(),
    });
    bare
}
