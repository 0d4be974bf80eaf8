use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

/// What git may see of the caller's environment: enough to find its configuration and, inside a hook, the
/// index and objects at hand. Everything else, tokens above all, stays out.
#[derive(Debug, Clone)]
pub struct Environment {
    search_path: OsString,
    everywhere: Vec<(OsString, OsString)>,
    network: Vec<(OsString, OsString)>,
    in_place: Vec<(OsString, OsString)>,
    trusted: Vec<OsString>,
    current_dir: PathBuf,
}

/// Needed wherever git runs. `SUDO_UID` is how git knows whose repository it may trust under sudo.
const EVERYWHERE: [&str; 20] = [
    "PATH",
    "HOME",
    "XDG_CONFIG_HOME",
    "TMPDIR",
    "TMP",
    "TEMP",
    "SUDO_UID",
    "SYSTEMROOT",
    "WINDIR",
    "USERPROFILE",
    "HOMEDRIVE",
    "HOMEPATH",
    "APPDATA",
    "LOCALAPPDATA",
    "PROGRAMDATA",
    "GIT_CONFIG_GLOBAL",
    "GIT_CONFIG_SYSTEM",
    "GIT_CONFIG_NOSYSTEM",
    "GIT_CEILING_DIRECTORIES",
    "GIT_DISCOVERY_ACROSS_FILESYSTEM",
];

/// Set by git for its hooks: they describe the repository around the current directory and no other.
const IN_PLACE: [&str; 6] = [
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_OBJECT_DIRECTORY",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_COMMON_DIR",
];

/// How another machine is reached, and which authorities are believed: for a mirror and for nothing else. On the left
/// what somebody set, on the right what git looks for.
const NETWORK: [(&str, &str); 11] = [
    ("HTTP_PROXY", "http_proxy"),
    ("http_proxy", "http_proxy"),
    ("HTTPS_PROXY", "https_proxy"),
    ("https_proxy", "https_proxy"),
    ("ALL_PROXY", "all_proxy"),
    ("all_proxy", "all_proxy"),
    ("NO_PROXY", "no_proxy"),
    ("no_proxy", "no_proxy"),
    ("SSL_CERT_FILE", "GIT_SSL_CAINFO"),
    ("COUNTERSIGN_CA_FILE", "GIT_SSL_CAINFO"),
    ("SSL_CERT_DIR", "GIT_SSL_CAPATH"),
];

impl Environment {
    pub fn of_this_process() -> Environment {
        Environment::from_vars(std::env::vars_os(), &std::env::current_dir().unwrap_or_default())
    }

    /// Relative paths among the hook variables are taken to be relative to `current_dir`.
    pub fn from_vars(
        vars: impl IntoIterator<Item = (OsString, OsString)>,
        current_dir: &Path,
    ) -> Environment {
        let vars: Vec<_> = vars.into_iter().collect();
        let named = |names: &[&str]| -> Vec<(OsString, OsString)> {
            vars.iter().filter(|(key, _)| is_one_of(key, names)).cloned().collect()
        };
        let mut everywhere = named(&EVERYWHERE);
        everywhere.extend(vars.iter().filter(|(key, _)| *key == "SystemRoot").cloned());
        let in_place = named(&IN_PLACE)
            .into_iter()
            .map(|(key, value)| match key == "GIT_ALTERNATE_OBJECT_DIRECTORIES" {
                true => (key, value),
                false => (key, current_dir.join(value).into_os_string()),
            })
            .collect();
        let network = NETWORK.iter().filter_map(|(set, wanted)| {
            let (_, value) = vars.iter().find(|(key, value)| key == set && !value.is_empty())?;
            Some((OsString::from(wanted), value.clone()))
        });
        let network = network.collect();
        let search_path = vars.iter().find(|(key, _)| key == "PATH").map(|(_, value)| value.clone());
        Environment {
            search_path: search_path.unwrap_or_default(),
            everywhere,
            network,
            in_place,
            trusted: trusted(&vars),
            current_dir: current_dir.to_owned(),
        }
    }

    /// The git program. Relative entries of PATH are passed over: they would find a `git` that the
    /// repository under review brought along.
    pub(crate) fn find_git(&self) -> Option<PathBuf> {
        let name = if cfg!(windows) { "git.exe" } else { "git" };
        std::env::split_paths(&self.search_path)
            .filter(|folder| folder.is_absolute())
            .map(|folder| folder.join(name))
            .find(|program| is_executable(program))
    }

    pub(crate) fn everywhere(&self) -> &[(OsString, OsString)] {
        &self.everywhere
    }

    pub(crate) fn network(&self) -> &[(OsString, OsString)] {
        &self.network
    }

    pub(crate) fn trusted(&self) -> &[OsString] {
        &self.trusted
    }

    /// The hook variables and the directory they hold for, if `path` is there or below.
    pub(crate) fn in_place_at(&self, path: &Path) -> Option<(&[(OsString, OsString)], &Path)> {
        let here = self.current_dir.canonicalize().ok()?;
        let there = path.canonicalize().ok()?;
        (!self.in_place.is_empty() && there.starts_with(here))
            .then_some((self.in_place.as_slice(), self.current_dir.as_path()))
    }
}

/// Of configuration in variables, which may well hold a token, only whom to trust is handed on.
fn trusted(vars: &[(OsString, OsString)]) -> Vec<OsString> {
    let safe = |(key, value): &(OsString, OsString)| {
        let number = key.to_str()?.strip_prefix("GIT_CONFIG_KEY_")?;
        let setting = format!("GIT_CONFIG_VALUE_{number}");
        let is_trust = value.to_str()?.eq_ignore_ascii_case("safe.directory");
        is_trust.then(|| vars.iter().find(|(key, _)| *key == *setting).map(|(_, dir)| dir.clone()))?
    };
    vars.iter().filter_map(safe).collect()
}

fn is_one_of(key: &OsStr, names: &[&str]) -> bool {
    names.iter().any(|name| key == OsStr::new(name))
}

#[cfg(unix)]
fn is_executable(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    path.metadata().is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_executable(path: &Path) -> bool {
    path.is_file()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(vars: &[(&str, &str)]) -> Environment {
        Environment::from_vars(vars.iter().map(|(k, v)| (k.into(), v.into())), &std::env::temp_dir())
    }

    #[test]
    fn only_what_is_on_the_list_is_handed_on() {
        let environment =
            with(&[("HOME", "/h"), ("API_TOKEN", "x"), ("GIT_TRACE", "1"), ("LD_PRELOAD", "y")]);
        assert_eq!(environment.everywhere, [("HOME".into(), "/h".into())]);
        assert!(environment.in_place.is_empty());
    }

    #[test]
    fn a_proxy_and_an_authority_are_for_mirrors_alone() {
        let environment = with(&[("HTTP_PROXY", "http://p"), ("COUNTERSIGN_CA_FILE", "/ca.pem")]);
        assert!(environment.everywhere.is_empty());
        let expected = [("http_proxy", "http://p"), ("GIT_SSL_CAINFO", "/ca.pem")];
        assert_eq!(environment.network(), expected.map(|(key, value)| (key.into(), value.into())));
    }

    #[test]
    fn of_configuration_in_variables_only_trust_is_handed_on() {
        let environment = with(&[
            ("GIT_CONFIG_KEY_0", "http.extraHeader"),
            ("GIT_CONFIG_VALUE_0", "token"),
            ("GIT_CONFIG_KEY_1", "safe.directory"),
            ("GIT_CONFIG_VALUE_1", "/srv"),
        ]);
        assert_eq!(environment.trusted, ["/srv"]);
        assert!(environment.everywhere.is_empty());
    }

    #[test]
    fn a_git_in_a_relative_folder_of_the_search_path_is_never_run() {
        assert_eq!(with(&[("PATH", ".:bin:")]).find_git(), None);
    }

    #[test]
    fn hook_variables_hold_only_around_the_current_directory() {
        let environment = with(&[("GIT_INDEX_FILE", ".git/next-index.lock")]);
        let (vars, _) = environment.in_place_at(&std::env::temp_dir()).unwrap();
        assert!(Path::new(&vars[0].1).is_absolute());
        assert!(environment.in_place_at(Path::new("/")).is_none());
    }
}
