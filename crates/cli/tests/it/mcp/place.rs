//! A repository with work to hand in, a store, and ways to reach the tools.

use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Command, Stdio as Pipe};
use std::sync::OnceLock;

use testkit::Repo;
use testkit::postgres::Server as Postgres;

use super::client::{Client, Http, Stdio};
use crate::program::command;

/// Where the store is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kept {
    Sqlite,
    Postgres,
}

/// How the tools are reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wire {
    Stdio,
    Http,
}

pub(super) const CALLERS: &str = "agents:\n  - {id: green, role: coder}\n  - {id: blue, role: coder}\n  \
    - {id: purple, role: reviewer}\npeople: [mia]\n";
const NAMES: [&str; 4] = ["green", "blue", "purple", "mia"];

pub(super) struct Place {
    pub(super) repo: Repo,
    server: OnceLock<Served>,
    postgres: Option<Postgres>,
}

/// A server on HTTP, for as long as this lives.
pub(super) struct Served {
    pub(super) child: Child,
    pub(super) address: String,
}

impl Place {
    /// With a branch `task/one` that holds work. Nothing if there is no PostgreSQL to be had.
    pub(super) fn set(kept: Kept) -> Option<Place> {
        let postgres = match kept {
            Kept::Sqlite => None,
            Kept::Postgres => Some(Postgres::start()?),
        };
        let repo = Repo::new();
        repo.write("countersign.yaml", CALLERS);
        repo.write("src/total.rs", "pub fn total(a: u32, b: u32) -> u32 {\n    a - b\n}\n");
        repo.commit("Start");
        repo.branch("task/one");
        repo.write("src/total.rs", "pub fn total(a: u32, b: u32) -> u32 {\n    a + b\n}\n");
        repo.commit("Add what is to be added");
        repo.checkout("main");
        Some(Place { repo, server: OnceLock::new(), postgres })
    }

    pub(super) fn plain() -> Place {
        Place::set(Kept::Sqlite).unwrap()
    }

    pub(super) fn token(name: &str) -> String {
        format!("a-token-for-{name}-0123456789abcdef")
    }

    /// `countersign` with these arguments, in the repository, on the store.
    pub(super) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = command(self.repo.path());
        command.args(arguments);
        command.envs(self.postgres.as_ref().map(|server| ("COUNTERSIGN_STORE", server.url())));
        command
    }

    pub(super) fn stdio(&self, name: &str) -> Stdio {
        Stdio::start(self.command(&["mcp", "queue", "--as", name]))
    }

    pub(super) fn serve(&self, arguments: &[&str]) -> Served {
        let mut command = self.command(&[&["serve", "--port", "0"], arguments].concat());
        for name in NAMES {
            command.env(format!("COUNTERSIGN_TOKEN_{}", name.to_uppercase()), Place::token(name));
        }
        Served::start(command)
    }

    /// Over the one server of this place.
    pub(super) fn http(&self, name: &str) -> Http {
        let served = self.server.get_or_init(|| self.serve(&[]));
        Http { address: served.address.clone(), token: Some(Place::token(name)), headers: vec![] }
    }

    pub(super) fn client(&self, wire: Wire, name: &str) -> Box<dyn Client> {
        match wire {
            Wire::Stdio => Box::new(self.stdio(name)),
            Wire::Http => Box::new(self.http(name)),
        }
    }

    /// More work on a branch.
    pub(super) fn commit(&self, branch: &str, content: &str) -> String {
        self.repo.checkout(branch);
        self.repo.write("src/total.rs", content);
        self.repo.commit("More");
        let head = self.repo.git(&["rev-parse", "HEAD"]);
        self.repo.checkout("main");
        head.trim().to_owned()
    }
}

impl Served {
    pub(super) fn start(mut command: Command) -> Served {
        let mut child =
            command.stdin(Pipe::null()).stdout(Pipe::null()).stderr(Pipe::piped()).spawn().unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap());
        let mut said = String::new();
        let address = loop {
            let mut line = String::new();
            assert!(lines.read_line(&mut line).unwrap() > 0, "{said}");
            if let Some((_, rest)) = line.split_once("http://") {
                break rest.trim().trim_end_matches("/mcp").to_owned();
            }
            said += &line;
        };
        std::thread::spawn(move || lines.read_to_end(&mut Vec::new()));
        Served { child, address }
    }

    pub(super) fn url(&self) -> String {
        format!("http://{}/mcp", self.address)
    }

    /// As Ctrl-C does, and how it ended.
    pub(super) fn stop(&mut self) -> Option<i32> {
        let id = self.child.id().to_string();
        assert!(Command::new("kill").args(["-TERM", &id]).status().unwrap().success());
        self.child.wait().unwrap().code()
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
