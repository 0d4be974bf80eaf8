//! What a file is for, which decides how much a guess about it is worth.

use domain::change::RepoPath;

use crate::context::{AddedLine, FileContext};
use crate::language::Language;

/// A longer line was not written by hand, and nothing in it was given its name by a person.
const LONGEST_LINE: usize = 2_000;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// Code and settings that something runs on.
    Live,
    /// Tests, and texts for people: what is there was made up, most likely.
    Doubtful,
    /// Pages, and files that are copied and filled in: nothing is there but samples.
    Harmless,
}

impl Place {
    pub(super) fn of(file: &FileContext<'_>, line: &AddedLine<'_>) -> Place {
        let path = file.change.path();
        let page = matches!(file.language, Language::Html | Language::Css) && !is_settings_in_markup(path);
        if page || is_a_pattern_to_fill_in(path) || line.text.len() > LONGEST_LINE {
            return Place::Harmless;
        }
        let in_test = file.is_test_file() || (file.language == Language::Rust && file.in_test(line.number));
        if in_test || file.language == Language::Prose || is_translation(path) {
            return Place::Doubtful;
        }
        Place::Live
    }
}

/// Whether values stand there without quotes.
pub(super) fn has_bare_values(file: &FileContext<'_>) -> bool {
    matches!(file.language, Language::Settings | Language::Shell | Language::Unknown | Language::Prose)
        || is_settings_in_markup(file.change.path())
}

fn is_settings_in_markup(path: &RepoPath) -> bool {
    path.extension() == "xml"
}

/// `.env.example`, `config.yaml.dist`: copied and filled in where the program runs.
fn is_a_pattern_to_fill_in(path: &RepoPath) -> bool {
    let name = String::from_utf8_lossy(path.file_name()).to_ascii_lowercase();
    name.split(['.', '-', '_'])
        .any(|part| ["example", "examples", "sample", "template", "tmpl", "dist", "dummy"].contains(&part))
}

/// Sentences that a program shows, by language.
fn is_translation(path: &RepoPath) -> bool {
    const FOLDERS: [&str; 7] = ["locale", "locales", "i18n", "l10n", "lang", "langs", "translations"];
    path.file_name() == b"strings.xml"
        || path
            .folders()
            .any(|folder| FOLDERS.contains(&String::from_utf8_lossy(folder).to_ascii_lowercase().as_str()))
}
