//! Files in which programs keep the way in somewhere: what stands there as a password is one, however weak it is.

use std::ops::Range;

use domain::change::RepoPath;

use super::literal;
use super::name::{Kind, Name};
use super::operator;
use super::sample::{is_placeholder, is_reference};
use super::tokens::Alphabet;

/// How a file keeps its passwords.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Keychain {
    /// By names, in whatever syntax.
    Named,
    /// `host:port:database:user:password`
    Columns,
    /// The whole file is a key.
    Key,
}

/// Files of clients, as their programs call them. None of them belongs to the code of anything.
const NAMED: [&str; 32] = [
    ".netrc",
    "_netrc",
    ".authinfo",
    ".esmtprc",
    ".msmtprc",
    ".fetchmailrc",
    ".my.cnf",
    ".s3cfg",
    ".boto",
    ".pypirc",
    ".npmrc",
    ".yarnrc",
    ".dockercfg",
    ".ftpconfig",
    ".ftppass",
    ".remote-sync.json",
    ".vault-token",
    "sftp-config.json",
    "sftp.json",
    "deployment-config.json",
    "filezilla.xml",
    "recentservers.xml",
    "sitemanager.xml",
    "webservers.xml",
    "datasources.local.xml",
    "dbeaver-data-sources.xml",
    "credentials-config.json",
    "robomongo.json",
    "robo3t.json",
    "logins.json",
    "ventrilo_srv.ini",
    "krb5.keytab",
];

impl Keychain {
    pub(crate) fn of(path: &RepoPath) -> Option<Keychain> {
        let name = String::from_utf8_lossy(path.file_name()).to_ascii_lowercase();
        let folder = path.folders().last().unwrap_or_default();
        match name.as_str() {
            ".pgpass" | "pgpass.conf" => Some(Keychain::Columns),
            "master.key" => Some(Keychain::Key),
            "config.json" if folder == b".docker" => Some(Keychain::Named),
            "credentials" | "config" if [&b".aws"[..], b".gem"].contains(&folder) => Some(Keychain::Named),
            known => NAMED.contains(&known).then_some(Keychain::Named),
        }
    }

    /// The password in a line of such a file.
    pub(crate) fn password(self, line: &[u8]) -> Option<Range<usize>> {
        match self {
            Keychain::Named => named(line),
            Keychain::Columns => column(line),
            Keychain::Key => {
                let key = line.trim_ascii();
                let whole = key.len() == 32 && key.iter().all(|byte| Alphabet::Hex.holds(*byte));
                let start = line.len() - line.trim_ascii_start().len();
                whole.then_some(start..start + key.len())
            }
        }
    }
}

/// Behind the first name that tells of a password.
fn named(line: &[u8]) -> Option<Range<usize>> {
    const WORDS: [&[u8]; 5] = [b"pass", b"pwd", b"secret", b"token", b"auth"];
    let lower = line.to_ascii_lowercase();
    let comment = line.trim_ascii_start();
    if comment.starts_with(b"#") || comment.starts_with(b"//") && !comment.contains(&b'=') {
        return None;
    }
    WORDS.into_iter().find_map(|word| {
        memchr::memmem::find_iter(&lower, word).take(10).find_map(|at| {
            let at = at..at + word.len();
            let name = Name::around(line, at.clone())?;
            let (sign, from) = operator::behind(&name)?;
            let literal = literal::read(&name, sign, from)?;
            let telling = name.kind == Kind::Login || name.is_telling(&at) || is_encrypted(&name);
            (telling && is_given(&line[literal.range.clone()])).then_some(literal.range)
        })
    })
}

/// Browsers keep them so, with the key beside them.
fn is_encrypted(name: &Name<'_>) -> bool {
    name.text[name.range.clone()].eq_ignore_ascii_case(b"encryptedPassword")
}

fn column(line: &[u8]) -> Option<Range<usize>> {
    let columns: Vec<&[u8]> = line.split(|byte| *byte == b':').collect();
    let [_, port, _, _, password] = columns.as_slice() else { return None };
    let known = !port.is_empty() && port.iter().all(|byte| byte.is_ascii_digit() || *byte == b'*');
    let password = password.trim_ascii_end();
    let start = line.iter().rposition(|byte| *byte == b':')? + 1;
    (known && is_given(password)).then_some(start..start + password.len())
}

/// Neither a sample, nor a switch, nor the name of what holds the value.
fn is_given(value: &[u8]) -> bool {
    const SWITCHES: [&str; 10] =
        ["true", "false", "none", "null", "required", "prompt", "disabled", "enabled", "optional", "basic"];
    let value = value.strip_suffix(b",").unwrap_or(value);
    value.len() >= 4
        && value.iter().all(u8::is_ascii_graphic)
        && !SWITCHES.iter().any(|switch| value.eq_ignore_ascii_case(switch.as_bytes()))
        && !is_placeholder(value)
        && !is_reference(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn password(path: &str, line: &str) -> Option<String> {
        let keychain = Keychain::of(&path.into())?;
        keychain.password(line.as_bytes()).map(|range| line[range].to_owned())
    }

    #[test]
    fn every_client_keeps_it_in_its_own_way() {
        let kept = [
            (".netrc", "machine db.acme.io login bob password gardengate", "gardengate"),
            ("home/.pgpass", "db.acme.io:5432:app:bob:gardengate", "gardengate"),
            (".vscode/sftp.json", r#"    "password": "gardengate","#, "gardengate"),
            (".ftpconfig", r#"    "pass": "gardengate","#, "gardengate"),
            (
                "fz/recentservers.xml",
                r#"<Pass encoding="base64">Z2FyZGVuZ2F0ZQ==</Pass>"#,
                "Z2FyZGVuZ2F0ZQ==",
            ),
            (".npmrc", "_auth = Ym9iOmdhcmRlbg==", "Ym9iOmdhcmRlbg=="),
            (".esmtprc", r#"password "gardengate""#, "gardengate"),
            ("config/master.key", "0f1e2d3c4b5a69788796a5b4c3d2e1f0", "0f1e2d3c4b5a69788796a5b4c3d2e1f0"),
        ];
        for (path, line, wanted) in kept {
            assert_eq!(password(path, line).as_deref(), Some(wanted), "{path}");
        }
    }

    #[test]
    fn what_is_no_password_is_not_taken_for_one() {
        for (path, line) in [
            (".npmrc", "//registry.npmjs.org/:_authToken=${NPM_TOKEN}"),
            (".npmrc", "always-auth=true"),
            (".ftpconfig", r#"    "promptForPass": false,"#),
            (".ftpconfig", r#"    "passphrase": "","#),
            (".pgpass", "#hostname:port:database:username:password"),
            (".netrc", "machine db.acme.io login bob password <password>"),
            ("src/config.json", r#"    "password": "gardengate","#),
            ("db.xml", r#"<data-source save-password="true">"#),
        ] {
            assert_eq!(password(path, line), None, "{path}: {line}");
        }
    }
}
