use domain::config::{CallerEntry, CallerRole, Config};
use domain::text::{nearest, short_line};

pub use domain::config::CallerRole as Role;

/// Who calls a tool, beyond doubt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Caller {
    pub name: String,
    pub role: Role,
}

/// Everybody who may call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Callers(Vec<CallerEntry>);

/// A name that nobody has.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no caller `{name}`")]
pub struct UnknownCaller {
    pub name: String,
    /// How to go on.
    pub hint: String,
}

impl Callers {
    pub fn of(config: &Config) -> Callers {
        Callers(config.callers())
    }

    pub fn iter(&self) -> impl Iterator<Item = Caller> {
        self.0.iter().map(|entry| Caller { name: entry.name.clone(), role: entry.role })
    }

    pub fn named(&self, name: &str) -> Result<Caller, UnknownCaller> {
        self.iter().find(|caller| caller.name == name).ok_or_else(|| {
            let names: Vec<String> =
                self.0.iter().map(|entry| format!("{} ({})", entry.name, entry.role.as_str())).collect();
            let listed = format!(
                "the callers are {}; others go under `callers:` in countersign.yaml",
                names.join(", ")
            );
            let hint = match nearest(name, self.0.iter().map(|entry| entry.name.as_str())) {
                Some(nearest) => format!("did you mean `{nearest}`? {listed}"),
                None => listed,
            };
            UnknownCaller { name: short_line(name), hint }
        })
    }

    /// Who calls if nobody says: the first coder, for it is coding agents that start this server beside themselves.
    pub fn usual(&self) -> Option<Caller> {
        self.iter().find(|caller| caller.role == CallerRole::Coder).or_else(|| self.iter().next())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn callers(text: &str) -> Callers {
        Callers::of(&Config::parse("countersign.yaml", text).unwrap())
    }

    #[test]
    fn without_configuration_there_is_one_of_each_role() {
        let names: Vec<_> = callers("").iter().map(|caller| (caller.name, caller.role)).collect();
        let expected = [("engineer", Role::Coder), ("qa", Role::Reviewer), ("person", Role::Person)];
        assert_eq!(names, expected.map(|(name, role)| (name.to_owned(), role)));
        assert_eq!(callers("").usual().unwrap().name, "engineer");
    }

    #[test]
    fn a_name_that_nobody_has_is_answered_with_the_nearest_and_all_there_are() {
        let unknown = callers("callers:\n  - {name: green, role: coder}\n").named("gren").unwrap_err();
        assert!(
            unknown.hint.starts_with("did you mean `green`? the callers are green (coder)"),
            "{unknown:?}"
        );
    }
}
