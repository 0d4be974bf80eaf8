use std::io;
use std::path::{Path, PathBuf};

/// Files and directories that agents obey without being asked: instructions, settings, hooks and servers to start.
/// In the tree under review they are the change's own words, and a change may not instruct its reviewer.
const NAMES: [&str; 19] = [
    ".claude",
    ".codex",
    ".cursor",
    ".cursorrules",
    ".env",
    ".gemini",
    ".goose",
    ".goosehints",
    ".mcp.json",
    ".opencode",
    "AGENTS.local.md",
    "AGENTS.md",
    "AGENTS.override.md",
    "CLAUDE.local.md",
    "CLAUDE.md",
    "GEMINI.md",
    "opencode.json",
    "opencode.jsonc",
    ".agents",
];

/// Whether a file or directory of this name tells agents what to do.
pub fn is_steering(name: &str) -> bool {
    NAMES.iter().any(|steering| steering.eq_ignore_ascii_case(name))
}

/// Takes everything that steers agents out of an export of the head, at any depth, and says what it was. What the
/// change does to these files is still in the diff, as data; guidelines come from the base, in the prompt.
///
/// Refused in a checkout: there, the files are somebody's.
pub fn withhold(export: &Path) -> io::Result<Vec<PathBuf>> {
    if export.join(".git").is_dir() {
        return Err(io::Error::other("a reviewer is given an export, not a repository"));
    }
    let mut withheld = Vec::new();
    let mut left = vec![export.to_owned()];
    while let Some(directory) = left.pop() {
        for entry in std::fs::read_dir(&directory)? {
            let entry = entry?;
            let is_directory = entry.file_type()?.is_dir();
            let path = entry.path();
            if !entry.file_name().to_str().is_some_and(is_steering) {
                if is_directory {
                    left.push(path);
                }
                continue;
            }
            if is_directory {
                std::fs::remove_dir_all(&path)?;
            } else {
                std::fs::remove_file(&path)?;
            }
            withheld.push(path.strip_prefix(export).unwrap_or(&path).to_owned());
        }
    }
    withheld.sort();
    Ok(withheld)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_cannot_instruct_its_reviewer() {
        let export = tempfile::tempdir().unwrap();
        for file in ["src/a.rs", "CLAUDE.md", "src/agents.MD", ".claude/settings.json", "docs/.mcp.json"] {
            let file = export.path().join(file);
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(file, "x").unwrap();
        }
        std::os::unix::fs::symlink("/etc", export.path().join("link")).unwrap();
        let withheld = withhold(export.path()).unwrap();
        let expected = [".claude", "CLAUDE.md", "docs/.mcp.json", "src/agents.MD"].map(PathBuf::from);
        assert_eq!(withheld, expected);
        assert!(export.path().join("src/a.rs").exists());
    }

    #[test]
    fn nothing_is_taken_out_of_a_repository() {
        let checkout = tempfile::tempdir().unwrap();
        std::fs::create_dir(checkout.path().join(".git")).unwrap();
        std::fs::write(checkout.path().join("CLAUDE.md"), "x").unwrap();
        assert!(withhold(checkout.path()).is_err());
        assert!(checkout.path().join("CLAUDE.md").exists());
    }
}
