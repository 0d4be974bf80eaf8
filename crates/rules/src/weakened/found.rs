use domain::change::RepoPath;

use crate::language::Language;

/// Whether a test of `old` is still found by its runner at `new`, as far as names tell: below the same first folder, and
/// named as tests are where the runner goes by names.
pub(super) fn is_found(new: &RepoPath, old: &RepoPath) -> bool {
    if new == old {
        return true;
    }
    let (Some(new_name), Some(old_name)) = (new.to_str(), old.to_str()) else { return false };
    let language = Language::of(new);
    language == Language::of(old)
        && first_folder(new_name) == first_folder(old_name)
        && (is_named_as_tests(new_name, language) || !is_named_as_tests(old_name, language))
}

fn first_folder(path: &str) -> Option<&str> {
    path.split_once('/').map(|(first, _)| first)
}

fn is_named_as_tests(path: &str, language: Language) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    match language {
        Language::Python => {
            name.starts_with("test_") || name.ends_with("_test.py") || name == "tests.py" || name == "test.py"
        }
        Language::JavaScript | Language::TypeScript => {
            name.contains(".test.") || name.contains(".spec.") || path.contains("__tests__/")
        }
        Language::Go => name.ends_with("_test.go"),
        Language::Java | Language::Kotlin => {
            name.starts_with("Test")
                || name.contains("Test.")
                || name.contains("Tests.")
                || name.contains("IT.")
        }
        _ => true,
    }
}
