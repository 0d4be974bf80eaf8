use domain::change::RepoPath;
use globset::{Glob, GlobBuilder, GlobSet, GlobSetBuilder};

/// Folders, files and globs, as people list them, made to be asked.
#[derive(Debug)]
pub(super) struct Places {
    plain: Vec<String>,
    globs: GlobSet,
    /// Of the globs, as they are written.
    starts: Vec<String>,
}

impl Places {
    /// What is no valid glob is taken as it stands.
    pub(super) fn of<'a>(entries: impl Iterator<Item = &'a str>) -> Self {
        let (mut plain, mut starts) = (Vec::new(), Vec::new());
        let mut globs = GlobSetBuilder::new();
        for entry in entries {
            let entry = entry.trim().trim_start_matches("./").trim_end_matches('/');
            let as_globs = entry
                .contains(['*', '?', '[', '{'])
                .then(|| Some((glob(entry)?, glob(&format!("{entry}/**"))?)))
                .flatten();
            match as_globs {
                Some((itself, below)) => {
                    globs.add(itself);
                    globs.add(below);
                    starts.push(entry.to_owned());
                }
                None => plain.push(entry.to_owned()),
            }
        }
        Places { plain, globs: globs.build().unwrap_or_else(|_| GlobSet::empty()), starts }
    }

    /// Whether the path is one of them or lies below one.
    pub(super) fn hold(&self, path: &RepoPath) -> bool {
        let text = String::from_utf8_lossy(path.as_bytes());
        let below = |place: &String| {
            matches!(place.as_str(), "" | ".")
                || text
                    .strip_prefix(place.as_str())
                    .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        self.plain.iter().any(below) || self.globs.is_match(text.as_ref())
    }

    /// Whether one of them that is not a glob lies below the folder, or a glob begins there.
    pub(super) fn are_below(&self, folder: &str) -> bool {
        let begins = |place: &String| {
            folder.is_empty() || place.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'))
        };
        self.plain.iter().chain(&self.starts).any(begins)
    }

    /// The last folder of each place that is not a glob: what a folder of tests for it would be called.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.plain.iter().filter_map(|place| place.rsplit('/').next()).filter(|name| !name.is_empty())
    }
}

/// A star does not go over a slash, two do.
fn glob(text: &str) -> Option<Glob> {
    GlobBuilder::new(text).literal_separator(true).build().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_a_folder_a_file_or_a_glob() {
        let places = Places::of(["./src/auth/", "README.md", "crates/*/src", "docs/**/*.svg"].into_iter());
        for inside in ["src/auth/a/b.rs", "src/auth", "README.md", "crates/x/src/a.rs", "docs/a/b/c.svg"] {
            assert!(places.hold(&inside.into()), "{inside}");
        }
        for outside in ["src/authority.rs", "README.md.bak", "crates/x/y/src/a.rs", "docs/a.png", "src/a.rs"]
        {
            assert!(!places.hold(&outside.into()), "{outside}");
        }
        assert!(Places::of([""].into_iter()).hold(&"anything".into()));
        assert!(!Places::of(["[", "{a"].into_iter()).hold(&"anything".into()));
    }
}
