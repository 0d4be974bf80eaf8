use crate::language::Language;

/// What is told about each rule, whatever language it is about.
pub(super) const CATALOGUE: &str = include_str!("catalogue.yml");

/// Parts that documents of several languages share.
pub(super) const UTILITIES: &str = include_str!("utilities.yml");

type Files = &'static [(&'static str, &'static str)];

macro_rules! files {
    ($($name:literal),* $(,)?) => { &[$(($name, include_str!($name))),*] };
}

const SCRIPT: Files = files![
    "javascript/injection.yml",
    "javascript/configuration.yml",
    "javascript/frameworks.yml",
    "javascript/language.yml",
    "javascript/web.yml",
];

const NATIVE: Files = files!["c/security.yml"];

pub(super) const LANGUAGES: [(Language, Files); 15] = [
    (
        Language::Python,
        files![
            "python/injection.yml",
            "python/configuration.yml",
            "python/frameworks.yml",
            "python/libraries.yml",
            "python/web.yml"
        ],
    ),
    (Language::JavaScript, SCRIPT),
    (Language::TypeScript, SCRIPT),
    (Language::Go, files!["go/injection.yml", "go/configuration.yml", "go/libraries.yml", "go/services.yml"]),
    (
        Language::Java,
        files!["java/injection.yml", "java/configuration.yml", "java/libraries.yml", "java/services.yml"],
    ),
    (Language::Rust, files!["rust/security.yml"]),
    (Language::C, NATIVE),
    (Language::Cpp, NATIVE),
    (Language::Kotlin, files!["kotlin/security.yml"]),
    (Language::Php, files!["other/php.yml"]),
    (Language::Ruby, files!["other/ruby.yml"]),
    (Language::CSharp, files!["other/csharp.yml"]),
    (Language::Shell, files!["other/shell.yml"]),
    (Language::Swift, files!["other/swift.yml"]),
    (Language::Scala, files!["other/scala.yml"]),
];
