use std::path::Path;

use brain::act::Linters;
use brain::agents::default_scratch_root;
use brain::confine::Warden;
use brain::linters::{Surroundings, linters};
use brain::process::inherited;
use domain::change::Scope;
use domain::config::Config;
use git::{ExportLimits, Repository};

use super::launch::under_review;
use crate::failure::Failure;

/// The linters of the policy, as a model may have them run on the head of `scope`.
pub(super) fn linters_of(
    config: &Config,
    repository: &Repository,
    scope: &Scope,
) -> Result<Option<Linters>, Failure> {
    if config.model.linters.is_empty() {
        return Ok(None);
    }
    let warden = Warden::this_program().map_err(|error| {
        Failure::new(format!("countersign cannot find itself: {error}"), "start it by its full path")
    })?;
    let surroundings = Surroundings {
        warden,
        sandbox: config.sandbox,
        scratch_root: default_scratch_root(|name| std::env::var_os(name)),
        inherited: inherited(),
        under_review: under_review(repository),
    };
    let place = repository.work_tree().unwrap_or(repository.git_dir()).to_owned();
    let scope = scope.clone();
    let export = move |into: &Path| {
        let exported = Repository::discover(&place)
            .and_then(|repository| repository.export(&scope, into, ExportLimits::default()));
        // The model is told this, and it need not know where what lies.
        exported.map(drop).map_err(|_| "the files of the head cannot be written out".to_owned())
    };
    linters(&config.model.linters, surroundings, Box::new(export))
        .map_err(|bad| Failure::new(bad, "write globs such as '*.py' or 'src/**/*.ts'"))
}
