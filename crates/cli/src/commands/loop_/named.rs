//! What a story is called.

use domain::text::{clean_line, file_name_part};
use domain::work::WorkItem;

/// A story's id and title. Of `# Story 1.2: Log in` they are `1.2` and `Log in`; else the file's name says.
pub(super) fn of_file(item: &WorkItem) -> (String, String) {
    let title = clean_line(&item.title);
    let heading = title.strip_prefix("Story ").and_then(|rest| rest.split_once(':'));
    match heading {
        Some((id, title)) if !id.trim().is_empty() && !id.trim().contains(' ') => {
            (id.trim().to_owned(), title.trim().to_owned())
        }
        Some(_) | None => {
            let id = item.id.strip_prefix("story-").unwrap_or(&item.id);
            (clean_line(id), title)
        }
    }
}

/// Of a story that is only a title.
pub(super) fn of_title(title: &str) -> (String, String) {
    let title = clean_line(title);
    (file_name_part(&title.to_lowercase()).chars().take(40).collect(), title)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_story_is_called_by_its_heading_or_its_file() {
        let of = |path: &str, text: &str| of_file(&WorkItem::parse(path, text));
        let named = |id: &str, title: &str| (id.to_owned(), title.to_owned());
        assert_eq!(of("s/login.md", "# Story 1.2: Log in\n"), named("1.2", "Log in"));
        assert_eq!(of("s/story-1.3.md", "# Log out\n"), named("1.3", "Log out"));
        assert_eq!(of("s/a.md", "# Story of my life: no\n"), named("a", "Story of my life: no"));
        assert_eq!(of_title("Log in & out"), named("log-in-out", "Log in & out"));
    }
}
