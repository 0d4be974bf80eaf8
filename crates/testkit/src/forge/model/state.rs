use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};

use super::account::{Caller, Rights, Token, User};
use super::page::Page;
use super::pull::Comment;
use super::repository::Repository;
use super::ticket::{Jira, Ticket, Transition};
use super::time;

/// Everything the forge remembers. One lock around it makes every request a transaction.
#[derive(Debug)]
pub(in crate::forge) struct State {
    pub(in crate::forge) folder: PathBuf,
    /// Scheme, host and port, without a slash at the end.
    pub(in crate::forge) url: String,
    pub(in crate::forge) users: Vec<User>,
    pub(in crate::forge) tokens: Vec<Token>,
    pub(in crate::forge) repositories: Vec<Repository>,
    pub(in crate::forge) jira: Jira,
    pub(in crate::forge) tickets: Vec<Ticket>,
    pub(in crate::forge) transitions: Vec<Transition>,
    pub(in crate::forge) pages: Vec<Page>,
    pub(in crate::forge) limits: Limits,
    /// How many listings will not show what the present request creates.
    pub(in crate::forge) lag: u32,
    clock: u64,
    last_id: u64,
}

/// The sizes at which answers change their shape. A test may make them small.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Requests a GitHub token has until the quota is renewed.
    pub requests: u32,
    /// When the quota is renewed, in seconds from the moment of asking.
    pub renewed_in: u64,
    /// Files GitHub lists at all, and files and lines beyond which it gives no `.diff`.
    pub listed_files: usize,
    pub diff_files: usize,
    pub diff_lines: usize,
    /// Lines beyond which GitHub leaves out a file's patch and GitLab collapses it.
    pub patch_lines: usize,
    /// Bytes beyond which GitLab says a file is too large to show.
    pub patch_bytes: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            requests: 5000,
            renewed_in: 3600,
            listed_files: 3000,
            diff_files: 300,
            diff_lines: 20_000,
            patch_lines: 3000,
            patch_bytes: 200 * 1024,
        }
    }
}

impl State {
    pub(in crate::forge) fn new(folder: PathBuf, url: String) -> State {
        State {
            folder,
            url,
            users: Vec::new(),
            tokens: Vec::new(),
            repositories: Vec::new(),
            jira: Jira::Server,
            tickets: Vec::new(),
            transitions: usual_workflow(),
            pages: Vec::new(),
            limits: Limits::default(),
            lag: 0,
            clock: time::START,
            last_id: 1000,
        }
    }

    pub(in crate::forge) fn id(&mut self) -> u64 {
        self.last_id += 1;
        self.last_id
    }

    /// The time of the next event.
    pub(in crate::forge) fn tick(&mut self) -> u64 {
        self.clock += 1;
        self.clock
    }

    /// The person of that name, known from now on.
    pub(in crate::forge) fn user(&mut self, login: &str) -> User {
        if let Some(known) = self.users.iter().find(|user| user.login == login) {
            return known.clone();
        }
        let user = User {
            id: self.id(),
            login: login.to_owned(),
            email: format!("{}@example.com", login.trim_end_matches("[bot]")),
        };
        self.users.push(user.clone());
        user
    }

    pub(in crate::forge) fn add_token(
        &mut self,
        login: &str,
        rights: Rights,
        only: Option<Vec<String>>,
    ) -> String {
        let user = self.user(login);
        let kind = if rights == Rights::Checks { "ghs" } else { "ghp" };
        let value = format!("{kind}_{:0>36}", format!("Fake{}Token{}", self.id(), user.id));
        self.tokens.push(Token { value: value.clone(), user, rights, only, used: 0 });
        value
    }

    pub(in crate::forge) fn caller(&self, token: &str) -> Option<Caller> {
        let token = self.tokens.iter().find(|known| known.value == token)?;
        let (user, rights, only) = (token.user.clone(), token.rights, token.only.clone());
        Some(Caller::Known { user, rights, only })
    }

    pub(in crate::forge) fn repository(&self, path: &str) -> Option<&Repository> {
        self.repositories.iter().find(|repository| repository.path == path)
    }

    pub(in crate::forge) fn repository_mut(&mut self, path: &str) -> Option<&mut Repository> {
        self.repositories.iter_mut().find(|repository| repository.path == path)
    }

    pub(in crate::forge) fn repository_by_id(&self, id: u64) -> Option<&Repository> {
        self.repositories.iter().find(|repository| repository.id == id)
    }

    pub(in crate::forge) fn comment(&mut self, author: User, body: &str) -> Comment {
        let (id, at) = (self.id(), self.tick());
        Comment {
            id,
            author,
            body: body.to_owned(),
            created_at: at,
            updated_at: at,
            minimized: None,
            review: None,
            hidden_for: self.lag,
        }
    }
}

/// Seconds since 1970 by the real clock: clients compare renewal times with their own.
pub(in crate::forge) fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

fn usual_workflow() -> Vec<Transition> {
    let ways: [(&str, &[&str], &str); 7] = [
        ("Start Progress", &["To Do", "Changes Requested"], "In Progress"),
        ("Submit for Review", &["To Do", "In Progress", "Changes Requested"], "Code Review"),
        ("Approve", &["Code Review"], "Approved"),
        ("Request Changes", &["Code Review"], "Changes Requested"),
        ("Close", &["Approved"], "Done"),
        ("Reopen", &["Done"], "To Do"),
        ("Stop Progress", &["In Progress"], "To Do"),
    ];
    let transition = |(at, (name, from, to)): (usize, (&str, &[&str], &str))| Transition {
        id: 11 + 10 * at as u64,
        name: name.to_owned(),
        from: from.iter().map(|&status| status.to_owned()).collect(),
        to: to.to_owned(),
    };
    ways.into_iter().enumerate().map(transition).collect()
}
