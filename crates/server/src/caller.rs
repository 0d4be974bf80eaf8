use domain::assignments::{Caller, Role};
use domain::config::Config;
use domain::text::{nearest, short_line};

/// Everybody who may call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Callers(Vec<Caller>);

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

    pub fn iter(&self) -> impl Iterator<Item = &Caller> {
        self.0.iter()
    }

    pub fn named(&self, name: &str) -> Result<Caller, UnknownCaller> {
        self.iter().find(|caller| caller.name() == name).cloned().ok_or_else(|| {
            let names: Vec<String> =
                self.iter().map(|caller| format!("{} ({})", caller.name(), caller.role().as_str())).collect();
            let listed = format!(
                "the callers are {}; others go under `agents:` or `people:` in countersign.yaml",
                names.join(", ")
            );
            let hint = match nearest(name, self.iter().map(Caller::name)) {
                Some(nearest) => format!("did you mean `{nearest}`? {listed}"),
                None => listed,
            };
            UnknownCaller { name: short_line(name), hint }
        })
    }

    /// Who calls if nobody says: the first coder, for it is coding agents that start this server beside themselves.
    pub fn usual(&self) -> Option<Caller> {
        self.iter().find(|caller| caller.role() == Role::Coder).or_else(|| self.iter().next()).cloned()
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
        let names: Vec<_> =
            callers("").iter().map(|caller| (caller.name().to_owned(), caller.role())).collect();
        let expected = [("engineer", Role::Coder), ("qa", Role::Reviewer), ("person", Role::Person)];
        assert_eq!(names, expected.map(|(name, role)| (name.to_owned(), role)));
        assert_eq!(callers("").usual().unwrap().name(), "engineer");
    }

    #[test]
    fn agents_call_in_their_roles_and_people_as_people() {
        let text = "agents:\n  - {id: purple, role: reviewer}\n  - {id: green}\npeople: [mia]\n";
        let roles = |name| callers(text).named(name).map(|caller| caller.role());
        assert_eq!(roles("purple"), Ok(Role::Reviewer));
        assert_eq!((roles("green"), roles("mia")), (Ok(Role::Coder), Ok(Role::Person)));
        assert_eq!(callers(text).usual().unwrap().name(), "green");
        assert!(Config::parse("c.yaml", "agents:\n  - {id: mia}\npeople: [mia]\n").is_err());
    }

    #[test]
    fn a_name_that_nobody_has_is_answered_with_the_nearest_and_all_there_are() {
        let unknown = callers("agents:\n  - {id: green}\n").named("gren").unwrap_err();
        assert!(
            unknown.hint.starts_with("did you mean `green`? the callers are green (coder)"),
            "{unknown:?}"
        );
    }
}
