use domain::change::RepoPath;

const LONGEST: usize = 4_096;

/// A path that a model named, if it stays inside the repository's tree. The reason is told to the model.
pub(super) fn inside(text: &str) -> Result<RepoPath, String> {
    let text = text.trim();
    let text = text.strip_prefix("./").unwrap_or(text);
    let refused = |why: &str| Err(format!("The path {why}. Give it relative to the root of the repository."));
    if text.is_empty() || text.len() > LONGEST {
        return refused("is empty or too long");
    }
    let Ok(path) = RepoPath::try_from(text.to_owned()) else { return refused("is not one git would print") };
    let bytes = path.as_bytes();
    if bytes.starts_with(b"/") || bytes.contains(&b'\\') || bytes.contains(&0) || has_drive(bytes) {
        return refused("is not relative");
    }
    for component in bytes.split(|byte| *byte == b'/') {
        match component {
            b"" | b"." | b".." => return refused("leads out of the repository or nowhere"),
            name if is_git(name) => return refused("is git's own"),
            _ => {}
        }
    }
    Ok(path)
}

/// A folder that a model named; nothing for the root.
pub(super) fn folder(text: &str) -> Result<Option<RepoPath>, String> {
    match text.trim().trim_end_matches('/') {
        "" if text.trim().len() > 1 => inside("/").map(Some),
        "" | "." => Ok(None),
        folder => inside(folder).map(Some),
    }
}

fn has_drive(bytes: &[u8]) -> bool {
    matches!(bytes, [letter, b':', ..] if letter.is_ascii_alphabetic())
}

/// Also in the ways in which some file systems let it be written.
fn is_git(name: &[u8]) -> bool {
    let name = String::from_utf8_lossy(name).to_ascii_lowercase();
    let bare = name.trim_end_matches([' ', '.']);
    bare == ".git" || bare.starts_with("git~") || bare.starts_with(".git:")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_stay_inside_the_tree() {
        for path in [
            "../x",
            "a/../../x",
            "/etc/passwd",
            ".git/config",
            "a/.GIT/x",
            "a//b",
            "",
            "C:/x",
            "a\\..\\b",
            "a/./b",
            ".git ./x",
            "git~1/config",
            "\"..\\057x\"",
            "\"a\\000b\"",
        ] {
            assert!(inside(path).is_err(), "{path}");
        }
        for path in ["src/a.rs", "./src/a.rs", ".github/x.yml", ".gitignore", "..a/b"] {
            assert!(inside(path).is_ok(), "{path}");
        }
    }

    #[test]
    fn the_root_is_a_folder() {
        assert_eq!(folder("."), Ok(None));
        assert_eq!(folder("src/"), Ok(Some("src".into())));
        assert!(folder("..").is_err() && folder("//").is_err() && folder(".git").is_err());
    }
}
