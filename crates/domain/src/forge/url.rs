use std::fmt;

use serde::{Deserialize, Serialize};

use super::{MergeRequestRef, Project, Provider};
use crate::text::short_line;

/// Where people see the forge: `https://gitlab.example.com/forge`. Scheme, host, port and path are kept, nothing else.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct BaseUrl {
    scheme: String,
    /// With its port where that is not the scheme's own.
    host: String,
    /// Begins with a slash, or is empty.
    path: String,
}

/// Why an address is not used. Nothing has been asked of it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadAddress {
    #[error("`{0}` is not an http or https address")]
    Malformed(String),
    #[error("the path of `{0}` has a part that no address of a forge has: `..`, `//` or an escape")]
    Path(String),
    #[error("the port of `{0}` is not a number from 1 to 65535")]
    Port(String),
    #[error("`{0}` carries a user name or password, which an address must not")]
    Credentials(String),
    #[error("`{address}` does not belong to {base}")]
    Foreign { address: String, base: String },
    #[error("`{address}` does not name a {wanted}; one of those looks like {form}")]
    NotARequest { address: String, wanted: &'static str, form: String },
}

impl BaseUrl {
    pub fn parse(address: &str) -> Result<BaseUrl, BadAddress> {
        let shown = || short_line(address);
        let (scheme, rest) =
            address.trim().split_once("://").ok_or_else(|| BadAddress::Malformed(shown()))?;
        let scheme = scheme.to_ascii_lowercase();
        let rest = rest.split(['?', '#']).next().unwrap_or_default();
        let (authority, path) = match rest.find('/') {
            Some(slash) => rest.split_at(slash),
            None => (rest, ""),
        };
        if authority.contains('@') {
            return Err(BadAddress::Credentials(format!("{scheme}://...")));
        }
        let host = normal_host(&scheme, authority).ok_or_else(|| match has_port(authority) {
            Some(port) if !is_port(port) => BadAddress::Port(shown()),
            Some(_) | None => BadAddress::Malformed(shown()),
        })?;
        let path = path.trim_end_matches('/');
        let harmless = |c: char| c.is_ascii_graphic() && !"\\\"<>`{}|^%".contains(c);
        let climbs = path.split('/').any(|part| part == "." || part == "..");
        if !path.chars().all(harmless) || path.contains("//") || climbs {
            return Err(BadAddress::Path(shown()));
        }
        Ok(BaseUrl { scheme, host, path: path.to_owned() })
    }

    /// The host with its port where that is not the scheme's own.
    pub fn host(&self) -> &str {
        &self.host
    }

    /// `http` or `https`.
    pub fn scheme(&self) -> &str {
        &self.scheme
    }

    /// The project that a remote of git leads to, if it is one of this forge: `https://host/owner/name.git`,
    /// `git@host:owner/name.git` or `ssh://git@host/owner/name.git`. What comes by ssh may have another port.
    pub fn project_of_remote(&self, remote: &str) -> Option<Project> {
        let name_of = |host: &str| host.rsplit_once(':').map_or(host, |(name, _)| name).to_ascii_lowercase();
        let (host, path) = match remote.split_once("://") {
            Some((scheme @ ("http" | "https"), rest)) => {
                let (authority, path) = rest.split_once('/')?;
                let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
                let same = normal_host(scheme, host)? == self.host && scheme == self.scheme;
                (same.then(|| self.host.clone())?, path.strip_prefix(self.path.trim_start_matches('/'))?)
            }
            Some(("ssh", rest)) => {
                let (authority, path) = rest.split_once('/')?;
                (name_of(authority.rsplit_once('@').map_or(authority, |(_, host)| host)), path)
            }
            Some(_) => return None,
            None => {
                let (authority, path) = remote.split_once(':')?;
                (name_of(authority.rsplit_once('@').map_or(authority, |(_, host)| host)), path)
            }
        };
        let project = path.trim_matches('/');
        let project = Project::parse(project.strip_suffix(".git").unwrap_or(project)).ok()?;
        (name_of(&host) == name_of(&self.host) && project.as_str().contains('/')).then_some(project)
    }

    /// Reads the address of a pull or merge request, which has to lie below this one: same scheme, host, port and
    /// path. Anything else is refused before it is used for anything.
    pub fn merge_request(&self, provider: Provider, address: &str) -> Result<MergeRequestRef, BadAddress> {
        let given = BaseUrl::parse(address)?;
        let foreign = || BadAddress::Foreign { address: short_line(address), base: self.to_string() };
        if (&given.scheme, &given.host) != (&self.scheme, &self.host) {
            return Err(foreign());
        }
        let below = given.path.strip_prefix(self.path.as_str()).and_then(|rest| rest.strip_prefix('/'));
        let below = below.ok_or_else(foreign)?;
        let (marker, wanted) = match provider {
            Provider::Github => ("/pull/", "pull request"),
            Provider::Gitlab => ("/-/merge_requests/", "merge request"),
        };
        let older = "/merge_requests/";
        let split = below.split_once(marker).or_else(|| match provider {
            Provider::Github => None,
            Provider::Gitlab => below.split_once(older),
        });
        let read = split.and_then(|(project, rest)| {
            let digits = rest.split('/').next().unwrap_or_default();
            let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
            let number =
                is_number.then(|| digits.parse::<u64>().ok()).flatten().filter(|number| *number > 0)?;
            let project = Project::parse(project).ok().filter(|project| project.as_str().contains('/'))?;
            let fits = match provider {
                Provider::Github => project.as_str().matches('/').count() == 1,
                Provider::Gitlab => true,
            };
            fits.then_some(MergeRequestRef { project, number })
        });
        read.ok_or_else(|| {
            let form = format!("{self}/owner/name{marker}7");
            BadAddress::NotARequest { address: short_line(address), wanted, form }
        })
    }
}

/// What follows the last colon. That of an address of six groups is none.
fn has_port(authority: &str) -> Option<&str> {
    authority.rsplit_once(':').map(|(_, port)| port).filter(|port| !port.ends_with(']'))
}

fn is_port(port: &str) -> bool {
    port.bytes().all(|b| b.is_ascii_digit()) && port.parse::<u16>().is_ok_and(|port| port > 0)
}

fn normal_host(scheme: &str, authority: &str) -> Option<String> {
    let default = match scheme {
        "https" => "443",
        "http" => "80",
        _ => return None,
    };
    let port = has_port(authority);
    let host = port.map_or(authority, |port| &authority[..authority.len() - port.len() - 1]);
    let host = host.strip_suffix('.').unwrap_or(host);
    let bare = host.strip_prefix('[').and_then(|host| host.strip_suffix(']'));
    let plain = |c: char| c.is_ascii_alphanumeric() || "-._".contains(c);
    let fits = match bare {
        Some(address) => {
            !address.is_empty() && address.chars().all(|c| c.is_ascii_hexdigit() || ":.".contains(c))
        }
        None => !host.is_empty() && !host.ends_with('.') && host.chars().all(plain),
    };
    if !fits || !port.is_none_or(is_port) {
        return None;
    }
    let host = host.to_ascii_lowercase();
    Some(match port.filter(|port| *port != default) {
        Some(port) => format!("{host}:{port}"),
        None => host,
    })
}

impl fmt::Display for BaseUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}://{}{}", self.scheme, self.host, self.path)
    }
}

impl TryFrom<String> for BaseUrl {
    type Error = BadAddress;

    fn try_from(address: String) -> Result<Self, BadAddress> {
        BaseUrl::parse(&address)
    }
}

impl From<BaseUrl> for String {
    fn from(base: BaseUrl) -> String {
        base.to_string()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(provider: Provider, base: &str, address: &str) -> Result<String, BadAddress> {
        let base = BaseUrl::parse(base).unwrap();
        base.merge_request(provider, address).map(|request| request.to_string())
    }

    #[test]
    fn addresses_of_requests_are_read() {
        let gitlab = |address| read(Provider::Gitlab, "https://GitLab.example.com/forge/", address);
        assert_eq!(
            gitlab("https://gitlab.example.com:443/forge/g/s/p/-/merge_requests/7/diffs?x#note_1"),
            Ok("g/s/p#7".into())
        );
        assert_eq!(gitlab("https://gitlab.example.com/forge/g/p/merge_requests/7"), Ok("g/p#7".into()));
        let github = |address| read(Provider::Github, "https://github.com", address);
        assert_eq!(github("https://github.com/o/r/pull/456/files"), Ok("o/r#456".into()));
        assert!(github("https://github.com/o/r/issues/456").is_err());
        assert!(github("https://github.com/o/r/s/pull/456").is_err());
        assert!(github("https://github.com/o/r/pull/0").is_err());
    }

    #[test]
    fn an_address_elsewhere_is_refused() {
        for hostile in [
            "https://gitlab.example.com.evil.com/g/p/-/merge_requests/1",
            "https://evil.com/gitlab.example.com/p/-/merge_requests/1",
            "https://gitlab.example.com@evil.com/g/p/-/merge_requests/1",
            "http://gitlab.example.com/g/p/-/merge_requests/1",
            "https://gitlab.example.com:8443/g/p/-/merge_requests/1",
            "https://gitlab.example.com/g/../p/-/merge_requests/1",
            "https://gitlab.example.com\\@evil.com/g/p/-/merge_requests/1",
            "file:///etc/passwd",
            "gitlab.example.com/g/p/-/merge_requests/1",
            "https://gitlab.example.com/g/p%2f..%2f/-/merge_requests/1",
            "https://[::1]/g/p/-/merge_requests/1",
        ] {
            assert!(read(Provider::Gitlab, "https://gitlab.example.com", hostile).is_err(), "{hostile}");
        }
    }

    #[test]
    fn a_remote_of_git_names_its_project() {
        let base = BaseUrl::parse("https://git.example.com:8443/forge").unwrap();
        let project = |remote: &str| base.project_of_remote(remote).map(|project| project.to_string());
        for remote in [
            "https://git.example.com:8443/forge/owner/name.git",
            "https://me:secret@git.example.com:8443/forge/owner/name",
            "git@git.example.com:owner/name.git",
            "ssh://git@Git.example.com:22/owner/name.git/",
        ] {
            assert_eq!(project(remote).as_deref(), Some("owner/name"), "{remote}");
        }
        for other in [
            "https://git.example.com/forge/owner/name.git",
            "http://git.example.com:8443/forge/owner/name.git",
            "git@evil.com:owner/name.git",
            "https://evil.com/forge/owner/name.git",
            "/srv/git/name.git",
            "git@git.example.com:../../etc",
            "file:///x/y",
        ] {
            assert_eq!(project(other), None, "{other}");
        }
    }

    #[test]
    fn a_password_is_not_repeated() {
        let error = BaseUrl::parse("https://me:hunter2@gitlab.example.com").unwrap_err();
        assert!(!error.to_string().contains("hunter2"), "{error}");
    }

    proptest! {
        #[test]
        fn what_is_read_reads_back(text in "https?://[a-z.@:/\\\\?#%\\[\\]0-9]{0,40}") {
            if let Ok(base) = BaseUrl::parse(&text) {
                prop_assert_eq!(BaseUrl::parse(&base.to_string()), Ok(base));
            }
        }
    }
}
