use domain::change::{RepoPath, Scope, Side};
use domain::config::{Config, FILE_NAME};
use domain::ports::Sources;
use domain::words::Severity;
use rules::{ProjectRules, ProjectRulesError};

use crate::failure::Failure;

/// The policy in force, and what to call it.
#[derive(Debug)]
pub(crate) struct Policy {
    pub(crate) config: Config,
    /// Where it came from, what overrides it and which rules it leaves out: nobody should have to guess why
    /// a change passed.
    pub(crate) name: String,
}

impl Policy {
    /// From the base commit, so that a change cannot bring its own; then the operator's environment, then the
    /// command line.
    pub(crate) fn at_base(
        scope: &Scope,
        sources: &dyn Sources,
        fail_on: Option<Severity>,
    ) -> Result<Policy, Failure> {
        let file = match &scope.base {
            Some(base) => format!("{FILE_NAME} at {}", base.short()),
            None => FILE_NAME.to_owned(),
        };
        let bytes = sources.read_path(&RepoPath::from(FILE_NAME), Side::Old)?;
        let mut origin = vec![if bytes.is_some() { file.clone() } else { "the default policy".to_owned() }];
        origin.extend(variables()?);
        origin.extend(fail_on.map(|_| "--fail-on".to_owned()));

        let text = bytes.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default();
        let mut config = Config::parse_with(&file, &text, |name| std::env::var(name).ok())?;
        let project = ProjectRules::at_base(sources).map_err(|error| broken_at(scope, error))?;
        known_rules(&config, &project, &origin.join(" with "))?;
        known_dimensions(&config, &project)?;
        config.gate.fail_on = fail_on.unwrap_or(config.gate.fail_on);
        let disabled = &config.rules.disable;
        let left_out =
            if disabled.is_empty() { String::new() } else { format!(" (without {})", disabled.join(", ")) };
        Ok(Policy { name: origin.join(" with ") + &left_out, config })
    }
}

/// The settings that the environment overrides.
fn variables() -> Result<Vec<String>, Failure> {
    let names: Vec<String> = std::env::vars_os().filter_map(|(name, _)| name.into_string().ok()).collect();
    if let Some(error) = Config::unknown_variable(names.iter().map(String::as_str)) {
        return Err(error.into());
    }
    let known = Config::variables();
    let mut set: Vec<String> = names.into_iter().filter(|name| known.contains(name)).collect();
    set.sort();
    Ok(set)
}

/// A rule that counts against a dimension which nobody scores would fail a change whose scores are all at their best.
pub(crate) fn known_dimensions(config: &Config, project: &ProjectRules) -> Result<(), Failure> {
    let known: Vec<_> = config.gate.dimensions().into_iter().map(|(dimension, ..)| dimension).collect();
    project.unknown_dimension(&known).map_or(Ok(()), |error| Err(error.into()))
}

/// Whoever has repaired the file in their change has to learn that it is another one that counts.
fn broken_at(scope: &Scope, error: ProjectRulesError) -> Failure {
    match (error, &scope.base) {
        (ProjectRulesError::Wrong(mut wrong), Some(base)) => {
            wrong.message.push_str(&format!(" (at {}, from where rules are read)", base.short()));
            wrong.hint.push_str(
                "; until it is repaired there no change can be reviewed, not even the one that repairs it",
            );
            wrong.into()
        }
        (error, _) => error.into(),
    }
}

fn known_rules(config: &Config, project: &ProjectRules, origin: &str) -> Result<(), Failure> {
    let Some((unknown, nearest)) =
        rules::unknown_rules(&config.rules, project, config.model.linters.keys().map(String::as_str))
            .into_iter()
            .next()
    else {
        return Ok(());
    };
    let hint = match nearest {
        Some(nearest) => format!("did you mean `{nearest}`?"),
        None => "`countersign rules list` shows the rules there are".to_owned(),
    };
    Err(Failure::new(format!("{origin}: there is no rule `{unknown}`"), hint))
}
