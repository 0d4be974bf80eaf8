//! Which files a runner takes tests from, by their paths alone.

use domain::change::RepoPath;

use crate::language::Language;

/// Whether the usual runners of a language find a file by its path. Where they find any, this is so.
pub(super) fn is_found(path: &RepoPath, language: Language) -> bool {
    let name = String::from_utf8_lossy(path.file_name());
    let (stem, ending) = name.rsplit_once('.').unwrap_or((&name, ""));
    let in_folder = |names: &[&str]| {
        path.folders().any(|folder| names.iter().any(|name| folder.eq_ignore_ascii_case(name.as_bytes())))
    };
    match language {
        Language::Python => {
            ending == "py" && (stem.starts_with("test") || stem.ends_with("_test") || stem == "conftest")
        }
        Language::JavaScript | Language::TypeScript => {
            const MARKS: [&str; 7] = ["test", "spec", "cy", "e2e", "it", "test-d", "bench"];
            let marked = MARKS.iter().any(|mark| {
                stem.rsplit_once(['.', '-', '_']).is_some_and(|(_, end)| end == *mark) || stem == *mark
            });
            marked || in_folder(&["__tests__", "test", "e2e", "cypress", "spec", "specs", "integration"])
        }
        Language::Go => {
            let ignored = |folder: &[u8]| folder == b"testdata" || folder.starts_with(b"_");
            name.ends_with("_test.go") && !path.folders().any(ignored)
        }
        Language::Java => {
            const ENDS: [&str; 7] = ["Test", "Tests", "TestCase", "IT", "ITCase", "Spec", "Suite"];
            let named = ENDS.iter().any(|end| stem.ends_with(end))
                || stem.starts_with("Test")
                || stem.starts_with("IT");
            named && !in_folder(&["resources"])
        }
        Language::Ruby => {
            ending == "rb"
                && (stem.ends_with("_spec") || stem.ends_with("_test") || stem.starts_with("test_"))
        }
        Language::Php => ending == "php" && stem.ends_with("Test"),
        Language::Rust => !is_below_tests(path) || stem == "main",
        _ => language.is_program(),
    }
}

/// Whether a file is deeper in `tests` than where Cargo looks for tests by itself. What is below `src` is another matter.
fn is_below_tests(path: &RepoPath) -> bool {
    let folders: Vec<&[u8]> = path.folders().collect();
    let at = folders.iter().position(|folder| *folder == b"tests");
    at.is_some_and(|at| at + 1 < folders.len() && !folders[..at].contains(&&b"src"[..]))
}

/// Whether a path stands in a folder by whose name people put away what is not used any more.
pub(super) fn is_put_away(path: &RepoPath) -> bool {
    const FOLDERS: [&str; 14] = [
        "archive",
        "archived",
        "old",
        "disabled",
        "attic",
        "deprecated",
        "obsolete",
        "backup",
        "backups",
        "bak",
        "trash",
        "skipped",
        "quarantine",
        "unused",
    ];
    path.folders().any(|folder| {
        let folder = String::from_utf8_lossy(folder).to_ascii_lowercase();
        FOLDERS.contains(&folder.trim_matches('_'))
    })
}
