//! Which files decide over changes: pipelines, hooks, owners.

use domain::change::RepoPath;

use super::unset::is_copy;
use crate::context::FileContext;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    Pipeline,
    Hook,
    Owners,
}

impl Part {
    pub(super) fn of(path: &RepoPath) -> Option<Self> {
        const PIPELINES: [&str; 13] = [
            ".gitlab-ci.yml",
            ".gitlab-ci.yaml",
            "Jenkinsfile",
            ".travis.yml",
            "azure-pipelines.yml",
            "azure-pipelines.yaml",
            "bitbucket-pipelines.yml",
            "buildspec.yml",
            "cloudbuild.yaml",
            ".drone.yml",
            ".woodpecker.yml",
            "appveyor.yml",
            ".cirrus.yml",
        ];
        const PIPELINE_FOLDERS: [&str; 8] = [
            ".github/actions/",
            ".gitlab/ci/",
            ".circleci/",
            ".azure-pipelines/",
            ".azuredevops/pipelines/",
            ".buildkite/",
            ".semaphore/",
            ".woodpecker/",
        ];
        const HOOKS: [&str; 5] = [
            ".pre-commit-config.yaml",
            ".pre-commit-config.yml",
            "lefthook.yml",
            ".lefthook.yml",
            ".claude/settings.json",
        ];
        const HOOK_FOLDERS: [&str; 3] = [".husky/", ".githooks/", ".claude/hooks/"];
        const OWNERS: [&str; 4] =
            ["CODEOWNERS", ".github/CODEOWNERS", "docs/CODEOWNERS", ".gitlab/CODEOWNERS"];
        let path = String::from_utf8_lossy(path.as_bytes());
        let below = |folders: &[&str]| folders.iter().any(|folder| path.starts_with(folder));
        match path.as_ref() {
            path if is_copy(path) => None,
            path if OWNERS.contains(&path) => Some(Part::Owners),
            path if HOOKS.contains(&path) || below(&HOOK_FOLDERS) => Some(Part::Hook),
            path if PIPELINES.contains(&path) || below(&PIPELINE_FOLDERS) => Some(Part::Pipeline),
            path if is_workflow(path) => Some(Part::Pipeline),
            _ => None,
        }
    }

    pub(super) fn as_str(self) -> &'static str {
        match self {
            Part::Pipeline => "a pipeline",
            Part::Hook => "a hook",
            Part::Owners => "the owners of files",
        }
    }
}

/// GitHub reads what lies directly in the folder and has one of two endings.
fn is_workflow(path: &str) -> bool {
    let name = path.strip_prefix(".github/workflows/").filter(|name| !name.contains('/'));
    name.is_some_and(|name| [".yml", ".yaml"].iter().any(|end| name.ends_with(end)))
}

pub(super) fn part_of(file: &FileContext<'_>) -> Option<Part> {
    [&file.change.old, &file.change.new].into_iter().flatten().find_map(|side| Part::of(&side.path))
}
