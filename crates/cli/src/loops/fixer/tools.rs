use std::collections::BTreeSet;
use std::path::Path;

use domain::change::RepoPath;

/// A formatter or lint fixer that the project uses and this machine has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Tool {
    pub(super) name: &'static str,
    /// For a shell in the root of the checkout.
    pub(super) command: String,
}

/// Those that have something to do in the files of the change.
pub(super) fn tools(root: &Path, changed: &BTreeSet<RepoPath>) -> Vec<Tool> {
    let has = |name: &str| root.join(name).is_file();
    let holds = |name: &str, words: &str| {
        std::fs::read_to_string(root.join(name)).is_ok_and(|text| text.contains(words))
    };
    let files = |endings: &[&str]| -> Vec<&str> {
        let ends = |path: &&str| endings.iter().any(|ending| path.ends_with(ending));
        changed.iter().filter_map(RepoPath::to_str).filter(ends).filter(|path| is_plain(path)).collect()
    };
    let mut tools = Vec::new();
    if has("Cargo.toml") && !files(&[".rs"]).is_empty() && installed("cargo-fmt") {
        tools.push(Tool { name: "cargo fmt", command: "cargo fmt --all".to_owned() });
    }
    let python = files(&[".py"]);
    let uses_ruff = has("ruff.toml") || has(".ruff.toml") || holds("pyproject.toml", "[tool.ruff");
    if uses_ruff && !python.is_empty() && installed("ruff") {
        let command = format!("ruff check --fix --exit-zero --no-cache -- {}", python.join(" "));
        tools.push(Tool { name: "ruff --fix", command });
    }
    let scripts = files(&[".js", ".jsx", ".ts", ".tsx", ".mjs", ".cjs"]);
    const ESLINT: [&str; 9] = [
        "eslint.config.js",
        "eslint.config.mjs",
        "eslint.config.cjs",
        "eslint.config.ts",
        ".eslintrc",
        ".eslintrc.js",
        ".eslintrc.cjs",
        ".eslintrc.json",
        ".eslintrc.yml",
    ];
    if ESLINT.iter().any(|name| has(name)) && !scripts.is_empty() && installed("eslint") {
        // It fails where it leaves something, having fixed the rest.
        let command = format!("eslint --fix -- {} || true", scripts.join(" "));
        tools.push(Tool { name: "eslint --fix", command });
    }
    tools
}

/// Names that mean nothing to a shell. Others are left to people.
fn is_plain(path: &str) -> bool {
    path.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"/._-+@".contains(&byte))
}

fn installed(program: &str) -> bool {
    brain::process::find_program(program, std::env::var_os("PATH").as_deref()).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_tools_that_the_project_uses_are_run() {
        let root = tempfile::tempdir().unwrap();
        let changed = BTreeSet::from([RepoPath::from("src/a.rs"), RepoPath::from("a $(b).py")]);
        assert_eq!(tools(root.path(), &changed), []);
        std::fs::write(root.path().join("Cargo.toml"), "[package]\n").unwrap();
        std::fs::write(root.path().join("ruff.toml"), "").unwrap();
        let named: Vec<_> = tools(root.path(), &changed).into_iter().map(|tool| tool.name).collect();
        assert_eq!(named, if installed("cargo-fmt") { vec!["cargo fmt"] } else { vec![] });
    }
}
