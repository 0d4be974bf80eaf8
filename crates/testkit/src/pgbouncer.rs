//! A pooler between a test and its PostgreSQL, in the mode that shares server sessions between clients.

use std::fs;
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use tempfile::TempDir;

use crate::postgres::{Server, command, give_to_other_user};
use crate::{Port, skip};

const PROGRAM: &str = "/usr/sbin/pgbouncer";
const START_LIMIT: Duration = Duration::from_secs(60);

/// PgBouncer in transaction mode with few server connections, so that clients really share them.
#[derive(Debug)]
pub struct Bouncer {
    process: Child,
    port: Port,
    _folder: TempDir,
}

impl Bouncer {
    /// `None`, and the test is skipped, if PgBouncer is not installed here.
    pub fn start(server: &Server) -> Option<Bouncer> {
        Bouncer::start_with(server, "")
    }

    /// With more lines for its `[pgbouncer]` section.
    pub fn start_with(server: &Server, settings: &str) -> Option<Bouncer> {
        if !Path::new(PROGRAM).exists() {
            skip("PgBouncer is not installed");
            return None;
        }
        let folder = tempfile::Builder::new().prefix("bouncer").tempdir().expect("a temporary folder");
        let user = give_to_other_user(folder.path());
        let port = Port::reserve();
        let file = folder.path().join("pgbouncer.ini");
        // Tests use many databases one after the other: what one is done with goes to the next.
        let text = format!(
            "[databases]\n* = host=127.0.0.1 port={} user=postgres\n\n\
             [pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = {}\nunix_socket_dir =\n\
             auth_type = any\npool_mode = transaction\ndefault_pool_size = 3\nserver_idle_timeout = 2\n\
             {settings}\n",
            server.port(),
            port.number()
        );
        fs::write(&file, text).expect("settings");
        let mut program = command(Path::new(PROGRAM), user.as_ref(), folder.path());
        let process = program.arg("-q").arg(&file).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
        let bouncer = Bouncer { process: process.expect("pgbouncer"), port, _folder: folder };
        bouncer.wait_until_ready();
        Some(bouncer)
    }

    /// Where `url`, an address of the server behind, is reached through the pooler.
    pub fn in_front_of(&self, url: &str) -> String {
        let (_, database) = url.rsplit_once('/').expect("an address with a database");
        format!("postgres://postgres@127.0.0.1:{}/{database}", self.port.number())
    }

    fn wait_until_ready(&self) {
        let begun = Instant::now();
        while TcpStream::connect(("127.0.0.1", self.port.number())).is_err() {
            assert!(begun.elapsed() < START_LIMIT, "PgBouncer did not start");
            sleep(Duration::from_millis(20));
        }
    }
}

impl Drop for Bouncer {
    fn drop(&mut self) {
        let _ = Command::new("kill").arg("-QUIT").arg(self.process.id().to_string()).output();
        let _ = self.process.wait();
    }
}
