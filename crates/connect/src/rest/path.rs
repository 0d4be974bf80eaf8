use reqwest::Url;

/// A place below a service's address, part by part. Each part is encoded as a whole: a slash in it stays in it, and none of
/// them can lead out of the place.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Path(Vec<String>);

/// `path_of!["repos", repo.owner, repo.name]`
macro_rules! path_of {
    ($($part:expr),+ $(,)?) => {
        $crate::rest::Path::default()$(.join(&$part))+
    };
}
pub(crate) use path_of;

impl Path {
    pub(crate) fn join(mut self, part: &impl ToString) -> Path {
        self.0.push(part.to_string());
        self
    }

    /// Nothing if a part is empty or one of the names that mean another folder.
    pub(super) fn below(&self, base: &Url) -> Option<Url> {
        if self.0.iter().any(|part| matches!(part.as_str(), "" | "." | "..")) {
            return None;
        }
        let mut url = base.clone();
        url.path_segments_mut().ok()?.pop_if_empty().extend(&self.0);
        Some(url)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn below(base: &str, path: &Path) -> Option<String> {
        path.below(&Url::parse(base).unwrap()).map(String::from)
    }

    #[test]
    fn a_part_is_one_part_whatever_it_holds() {
        let path = path_of!["projects", "group/sub project", "branches", "a?b#c%2e"];
        let url = below("https://host/api/v4/", &path).unwrap();
        assert_eq!(url, "https://host/api/v4/projects/group%2Fsub%20project/branches/a%3Fb%23c%252e");
    }

    #[test]
    fn no_part_leads_out() {
        for part in ["..", ".", ""] {
            assert_eq!(below("https://host/api", &path_of!["repos", part, "user"]), None, "{part:?}");
        }
    }
}
