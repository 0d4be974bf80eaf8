use std::ffi::OsString;
use std::path::PathBuf;

/// A variable of this process, if it is text.
pub(crate) fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

/// Where this user's programs keep what they remember, by the XDG base directories.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Places {
    /// Answers of models. May be deleted.
    pub(crate) answers: Option<PathBuf>,
    /// Copies of repositories on forges. May be deleted.
    pub(crate) mirrors: Option<PathBuf>,
    /// Who has spent what.
    pub(crate) ledger: Option<PathBuf>,
}

impl Places {
    pub(crate) fn of_this_user() -> Places {
        Places::from(|name| std::env::var_os(name))
    }

    /// A user without a home has none of them. Relative paths do not count, as the specification says.
    fn from(variable: impl Fn(&str) -> Option<OsString>) -> Places {
        let absolute = |name: &str| variable(name).map(PathBuf::from).filter(|path| path.is_absolute());
        let place = |name: &str, usual: &str| {
            let root = absolute(name).or_else(|| absolute("HOME").map(|home| home.join(usual)));
            root.map(|root| root.join("countersign"))
        };
        Places {
            answers: place("XDG_CACHE_HOME", ".cache").map(|root| root.join("answers")),
            mirrors: place("XDG_CACHE_HOME", ".cache").map(|root| root.join("mirrors")),
            ledger: place("XDG_STATE_HOME", ".local/state").map(|root| root.join("ledger")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cache_and_state_are_where_the_user_keeps_such_things() {
        let places = Places::from(|name| match name {
            "HOME" => Some("/home/me".into()),
            "XDG_STATE_HOME" => Some("/state".into()),
            _ => None,
        });
        assert_eq!(places.answers, Some("/home/me/.cache/countersign/answers".into()));
        assert_eq!(places.ledger, Some("/state/countersign/ledger".into()));
        assert_eq!(Places::from(|name| (name == "XDG_CACHE_HOME").then(|| "here".into())), Places::default());
    }
}
