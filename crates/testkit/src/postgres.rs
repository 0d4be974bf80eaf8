//! A real PostgreSQL for a test: in a temporary folder, on a port of its own, gone when the test is over.

use std::fs;
use std::net::TcpStream;
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use tempfile::TempDir;

use crate::tls::Authority;
use crate::{Port, skip};

/// Where a server is given that all tests may use, each in a database of its own.
pub const VARIABLE: &str = "COUNTERSIGN_TEST_POSTGRES";

const START_LIMIT: Duration = Duration::from_secs(60);
/// Never root, whom the server refuses to serve under.
const USERS: [&str; 2] = ["postgres", "nobody"];

/// A running server that belongs to this process.
#[derive(Debug)]
pub struct Server {
    process: Option<Child>,
    port: Port,
    binaries: PathBuf,
    folder: TempDir,
    user: Option<User>,
    settings: Vec<String>,
}

/// How a server is stopped. Its data stays for [`Server::start_again`] either way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StopMode {
    /// Transactions are rolled back, connections closed, everything written.
    Fast,
    /// Pulls the plug: no goodbye to anybody.
    Immediate,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct User {
    uid: u32,
    gid: u32,
}

impl Server {
    /// `None`, and the test is skipped, if PostgreSQL is not installed here.
    pub fn start() -> Option<Server> {
        Server::start_with(&["max_connections=200"])
    }

    /// With settings in the form `name=value`.
    pub fn start_with(settings: &[&str]) -> Option<Server> {
        let mut server = Server::prepare()?;
        server.settings.extend(settings.iter().map(|setting| (*setting).to_owned()));
        server.process = Some(server.spawn());
        server.wait_until_ready();
        Some(server)
    }

    /// Speaks TLS as well, with a certificate that `authority` signed.
    pub fn start_with_tls(authority: &Authority) -> Option<Server> {
        let mut server = Server::prepare()?;
        let (key, certificate) =
            (server.folder.path().join("server.key"), server.folder.path().join("server.crt"));
        authority.issue(&key, &certificate);
        if let Some(user) = &server.user {
            chown(&key, Some(user.uid), Some(user.gid)).expect("chown");
        }
        fs::set_permissions(&key, fs::Permissions::from_mode(0o600)).expect("chmod");
        let files = format!("ssl_cert_file={}", certificate.display());
        server.settings.extend(["ssl=on".to_owned(), files, format!("ssl_key_file={}", key.display())]);
        server.process = Some(server.spawn());
        server.wait_until_ready();
        Some(server)
    }

    /// A folder with an empty database in it.
    fn prepare() -> Option<Server> {
        let Some(binaries) = find_binaries() else {
            skip("PostgreSQL is not installed");
            return None;
        };
        let folder = tempfile::Builder::new().prefix("pg").tempdir().expect("a temporary folder");
        let user = give_to_other_user(folder.path());
        let data = folder.path().join("data");
        let mut initdb = command(&binaries.join("initdb"), user.as_ref(), folder.path());
        initdb.args([
            "--auth=trust",
            "--username=postgres",
            "--encoding=UTF8",
            "--locale=C",
            "--no-sync",
            "-D",
        ]);
        let output = initdb.arg(&data).output().expect("initdb");
        assert!(output.status.success(), "initdb: {}", String::from_utf8_lossy(&output.stderr));
        Some(Server { process: None, port: Port::reserve(), binaries, folder, user, settings: Vec::new() })
    }

    /// The database every server has.
    pub fn url(&self) -> String {
        format!("postgres://postgres@127.0.0.1:{}/postgres", self.port())
    }

    /// An empty database, by its address.
    pub fn create_database(&self, name: &str) -> String {
        let mut createdb = Command::new(self.binaries.join("createdb"));
        createdb.args(["-h", "127.0.0.1", "-U", "postgres", "-p", &self.port().to_string(), name]);
        let output = createdb.output().expect("createdb");
        assert!(output.status.success(), "createdb: {}", String::from_utf8_lossy(&output.stderr));
        format!("postgres://postgres@127.0.0.1:{}/{name}", self.port())
    }

    pub fn port(&self) -> u16 {
        self.port.number()
    }

    pub fn stop(&mut self, mode: StopMode) {
        let signal = match mode {
            StopMode::Fast => "-INT",
            StopMode::Immediate => "-QUIT",
        };
        if let Some(mut process) = self.process.take() {
            let _ = Command::new("kill").arg(signal).arg(process.id().to_string()).output();
            let _ = process.wait();
        }
    }

    /// Pulls the plug: no goodbye to anybody. The data stays for [`Server::start_again`].
    pub fn stop_at_once(&mut self) {
        self.stop(StopMode::Immediate);
    }

    pub fn start_again(&mut self) {
        self.process = Some(self.spawn());
        self.wait_until_ready();
    }

    fn spawn(&self) -> Child {
        let folder = self.folder.path();
        let log = fs::OpenOptions::new().create(true).append(true).open(folder.join("log")).expect("a log");
        let mut postgres = command(&self.binaries.join("postgres"), self.user.as_ref(), folder);
        postgres.arg("-D").arg(folder.join("data")).arg("-k").arg(folder);
        postgres.args(["-p", &self.port().to_string(), "-h", "127.0.0.1", "-c", "fsync=off"]);
        self.settings.iter().for_each(|setting| {
            postgres.args(["-c", setting]);
        });
        postgres.stdout(Stdio::null()).stderr(log).spawn().expect("postgres")
    }

    fn wait_until_ready(&mut self) {
        let begun = Instant::now();
        while begun.elapsed() < START_LIMIT {
            let process = self.process.as_mut().expect("a server that was started");
            if let Some(status) = process.try_wait().expect("wait") {
                panic!("PostgreSQL ended with {status}: {}", self.log());
            }
            let asked = Command::new(self.binaries.join("pg_isready"))
                .args(["-q", "-h", "127.0.0.1", "-p", &self.port().to_string()])
                .status();
            if TcpStream::connect(("127.0.0.1", self.port())).is_ok()
                && asked.is_ok_and(|asked| asked.success())
            {
                return;
            }
            sleep(Duration::from_millis(25));
        }
        panic!("PostgreSQL did not start: {}", self.log());
    }

    fn log(&self) -> String {
        fs::read_to_string(self.folder.path().join("log")).unwrap_or_default()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stop_at_once();
    }
}

/// `setpriv` replaces itself by the program, so that the process is the server.
pub(crate) fn command(program: &Path, user: Option<&User>, folder: &Path) -> Command {
    let mut command = match user {
        None => Command::new(program),
        Some(user) => {
            let mut command = Command::new("setpriv");
            command.arg(format!("--reuid={}", user.uid)).arg(format!("--regid={}", user.gid));
            command.args(["--clear-groups", "--pdeathsig=QUIT", "--"]).arg(program);
            command
        }
    };
    command.current_dir(folder).stdin(Stdio::null()).env("LC_ALL", "C");
    command
}

/// Neither PostgreSQL nor PgBouncer runs as root; the folder becomes that of whom they run as.
pub(crate) fn give_to_other_user(folder: &Path) -> Option<User> {
    let user = other_user(folder);
    if let Some(user) = &user {
        chown(folder, Some(user.uid), Some(user.gid)).expect("chown");
    }
    fs::set_permissions(folder, fs::Permissions::from_mode(0o711)).expect("chmod");
    user
}

/// Somebody else, if we are root.
fn other_user(own: &Path) -> Option<User> {
    if fs::metadata(own).expect("metadata").uid() != 0 {
        return None;
    }
    let users = fs::read_to_string("/etc/passwd").expect("/etc/passwd");
    let find = |name: &str| {
        let line = users.lines().find(|line| line.split(':').next() == Some(name))?;
        let mut fields = line.split(':').skip(2);
        Some(User { uid: fields.next()?.parse().ok()?, gid: fields.next()?.parse().ok()? })
    };
    Some(USERS.into_iter().find_map(find).expect("a user that is not root"))
}

/// The newest of those that Debian installs side by side.
fn find_binaries() -> Option<PathBuf> {
    let versions = fs::read_dir("/usr/lib/postgresql").ok()?;
    let version = |path: &PathBuf| path.file_name()?.to_str()?.parse::<u32>().ok();
    let newest = versions.filter_map(|entry| Some(entry.ok()?.path())).max_by_key(version)?;
    let binaries = newest.join("bin");
    binaries.join("initdb").exists().then_some(binaries)
}
