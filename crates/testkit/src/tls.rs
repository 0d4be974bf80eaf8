//! Certificates for tests, by the openssl program, which Debian's PostgreSQL brings along.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

/// Somebody who signs certificates, and whom to trust is up to the test.
#[derive(Debug)]
pub struct Authority {
    folder: TempDir,
}

impl Authority {
    pub fn new() -> Authority {
        let authority = Authority { folder: tempfile::tempdir().expect("a temporary folder") };
        let (key, certificate) = (authority.key(), authority.certificate());
        request("/CN=Test authority", &["-x509", "-days", "2"], &key, &certificate);
        authority
    }

    /// What to trust in order to trust everything it signs.
    pub fn certificate(&self) -> PathBuf {
        self.folder.path().join("root.crt")
    }

    /// Writes a key and a certificate for 127.0.0.1.
    pub fn issue(&self, key: &Path, certificate: &Path) {
        let (wanted, details) = (self.folder.path().join("wanted"), self.folder.path().join("details"));
        request("/CN=127.0.0.1", &["-new"], key, &wanted);
        fs::write(&details, "basicConstraints=CA:FALSE\nsubjectAltName=IP:127.0.0.1\n").expect("details");
        let mut sign = Command::new("openssl");
        sign.args(["x509", "-req", "-days", "2", "-CAcreateserial", "-extfile"]).arg(details);
        sign.arg("-CA").arg(self.certificate()).arg("-CAkey").arg(self.key());
        run(sign.arg("-in").arg(wanted).arg("-out").arg(certificate));
    }

    fn key(&self) -> PathBuf {
        self.folder.path().join("root.key")
    }
}

impl Default for Authority {
    fn default() -> Authority {
        Authority::new()
    }
}

fn request(subject: &str, kind: &[&str], key: &Path, output: &Path) {
    let mut request = Command::new("openssl");
    request.arg("req").args(kind).args(["-newkey", "rsa:2048", "-nodes", "-subj", subject]);
    run(request.arg("-keyout").arg(key).arg("-out").arg(output));
}

fn run(openssl: &mut Command) {
    let output = openssl.output().expect("openssl");
    assert!(output.status.success(), "openssl: {}", String::from_utf8_lossy(&output.stderr));
}
