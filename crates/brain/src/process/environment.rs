use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::Path;

/// What every program needs to find its way, its language and the network. Everything else has to be asked for
/// by name, so that a token nobody thought of stays where it is.
const ALWAYS: [&str; 16] = [
    "PATH",
    "LANG",
    "LANGUAGE",
    "TERM",
    "TZ",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "NO_PROXY",
    "ALL_PROXY",
    "http_proxy",
    "https_proxy",
    "no_proxy",
    "all_proxy",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "NODE_EXTRA_CA_CERTS",
];

/// The variables of this process, as [`SpawnEnvironment`] wants them.
pub fn inherited() -> Vec<(OsString, OsString)> {
    std::env::vars_os().collect()
}

/// The environment of a program, built up from nothing.
///
/// Names that are listed explicitly are passed on whatever they are, since somebody who may write the policy
/// asked for them; only what belongs to Countersign itself (`COUNTERSIGN_...`: the address of the store and
/// its password) never is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SpawnEnvironment {
    variables: BTreeMap<OsString, OsString>,
}

impl SpawnEnvironment {
    /// `asked` are names besides those every program gets.
    pub fn from_inherited<'a>(
        inherited: &[(OsString, OsString)],
        asked: impl IntoIterator<Item = &'a str>,
    ) -> SpawnEnvironment {
        let asked: Vec<&str> = asked.into_iter().collect();
        let passes = |name: &str| {
            let ours = name.starts_with("COUNTERSIGN_");
            !ours && (ALWAYS.contains(&name) || name.starts_with("LC_") || asked.contains(&name))
        };
        let variables = inherited
            .iter()
            .filter(|(name, _)| name.to_str().is_some_and(passes))
            .map(|(name, value)| (name.clone(), value.clone()))
            .collect();
        SpawnEnvironment { variables }
    }

    /// Moves everything a program keeps for its user into `scratch`.
    pub fn at_home_in(mut self, scratch: &Path) -> SpawnEnvironment {
        let home = scratch.join("home");
        for (name, place) in [
            ("HOME", home.clone()),
            ("XDG_CONFIG_HOME", home.join(".config")),
            ("XDG_CACHE_HOME", home.join(".cache")),
            ("XDG_DATA_HOME", home.join(".local/share")),
            ("XDG_STATE_HOME", home.join(".local/state")),
            ("XDG_RUNTIME_DIR", scratch.join("run")),
            ("TMPDIR", scratch.join("tmp")),
            ("TMP", scratch.join("tmp")),
            ("TEMP", scratch.join("tmp")),
        ] {
            self.variables.insert(name.into(), place.into());
        }
        self
    }

    pub fn with(mut self, name: &str, value: impl Into<OsString>) -> SpawnEnvironment {
        self.variables.insert(name.into(), value.into());
        self
    }

    pub fn get(&self, name: &str) -> Option<&str> {
        self.variables.get(std::ffi::OsStr::new(name)).and_then(|value| value.to_str())
    }

    pub fn into_variables(self) -> Vec<(OsString, OsString)> {
        self.variables.into_iter().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn passed(variables: &[(&str, &str)], asked: &[&str]) -> Vec<String> {
        let inherited: Vec<_> = variables.iter().map(|(name, value)| (name.into(), value.into())).collect();
        SpawnEnvironment::from_inherited(&inherited, asked.iter().copied())
            .into_variables()
            .into_iter()
            .map(|(name, _)| name.into_string().unwrap())
            .collect()
    }

    #[test]
    fn nothing_is_passed_on_that_was_not_asked_for() {
        let variables = [
            ("PATH", "/bin"),
            ("LC_ALL", "C"),
            ("GITHUB_TOKEN", "t"),
            ("GITLAB_TOKEN", "t"),
            ("JIRA_PERSONAL_TOKEN", "t"),
            ("SSH_AUTH_SOCK", "/run/agent"),
            ("ANTHROPIC_API_KEY", "k"),
        ];
        assert_eq!(passed(&variables, &[]), ["LC_ALL", "PATH"]);
        assert_eq!(passed(&variables, &["ANTHROPIC_API_KEY"]), ["ANTHROPIC_API_KEY", "LC_ALL", "PATH"]);
        assert_eq!(passed(&variables, &["GITHUB_TOKEN"]), ["GITHUB_TOKEN", "LC_ALL", "PATH"]);
    }

    #[test]
    fn what_is_ours_stays_ours_even_if_asked_for() {
        assert_eq!(passed(&[("COUNTERSIGN_STORE", "postgres://u:p@h")], &["COUNTERSIGN_STORE"]), [""; 0]);
    }

    #[test]
    fn home_and_temporary_files_are_in_the_scratch_directory() {
        let environment = SpawnEnvironment::default().at_home_in(Path::new("/scratch"));
        assert_eq!(environment.get("HOME"), Some("/scratch/home"));
        assert_eq!(environment.get("TMPDIR"), Some("/scratch/tmp"));
        assert!(
            environment.into_variables().iter().all(|(_, value)| Path::new(value).starts_with("/scratch"))
        );
    }
}
