//! Which tests pytest finds, by the patterns of its settings.

use domain::change::RepoPath;

use super::manifest::{Entry, Manifest};
use super::options;
use crate::context::{ChangeContext, FileContext};
use crate::language::is_test_path;

/// Whether a key with patterns finds fewer tests than most projects have.
pub(super) fn is_narrow(last: &str, entry: &Entry) -> bool {
    let words = entry.words();
    let all = || words.iter().flat_map(|word| word.split_whitespace());
    match last {
        "python_files" => !all().any(|word| {
            ["test_*.py", "*_test.py", "test*.py", "*.py", "tests.py", "*test*.py"].contains(&word)
        }),
        "python_functions" => !all().any(|word| ["test", "test*", "test_*", "*"].contains(&word)),
        "python_classes" => !all().any(|word| {
            word.starts_with("Test") && word.len() < 6 || word == "*" || word.starts_with("*Test")
        }),
        "norecursedirs" => all().any(|word| ["test", "tests"].contains(&word.trim_end_matches('/'))),
        "testpaths" => {
            !words.is_empty()
                && all().all(|word| word.trim_end_matches('/').contains('/') || word.ends_with(".py"))
        }
        _ => false,
    }
}

/// The line of new settings of pytest, which count instead of others, by which it finds fewer tests of those that are there.
pub(super) fn new_and_narrow(change: &ChangeContext<'_>, file: &FileContext<'_>) -> Option<u32> {
    let path = &file.change.new.as_ref().filter(|_| file.change.old.is_none())?.path;
    let table = match path.file_name() {
        b"pytest.ini" | b".pytest.ini" => "pytest.",
        b"tox.ini" => "pytest.",
        b"setup.cfg" => "tool:pytest.",
        _ => return None,
    };
    let settings = Manifest::read_sections(&String::from_utf8_lossy(file.head()?.text()));
    let own = settings.entries().filter_map(|(key, entry)| Some((key.strip_prefix(table)?, entry)));
    let narrow = own.filter(|(key, entry)| is_narrow(key, entry) || (*key == "addopts" && leaves_out(entry)));
    let line = narrow.map(|(_, entry)| entry.line).min()?;
    has_tests(change, path).then_some(line)
}

fn leaves_out(entry: &Entry) -> bool {
    let options = format!("pytest {}", entry.value.replace(',', " "));
    let is = options.as_bytes();
    options::compared(b"", is, b"", is).is_some() || options::narrowed(b"", is, b"").is_some()
}

/// Whether there were tests before, where the settings count.
fn has_tests(change: &ChangeContext<'_>, settings: &RepoPath) -> bool {
    const MOST: usize = 400;
    let path = settings.as_bytes();
    let folder = memchr::memrchr(b'/', path).map_or(&[][..], |end| &path[..end]);
    let listed = change.request.sources.list_base_below(&RepoPath::from_bytes(folder.to_vec()), MOST);
    listed.unwrap_or_default().iter().any(|path| path.extension() == "py" && is_test_path(path))
}
