use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::change::{Content, FileChange, RepoPath};

/// Why a file of the change is not judged. Skipped files are always listed, and the built-in reviewer looks for tokens in
/// them all the same; unless they are binary, for conflict markers and hidden characters, too.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum SkipReason {
    Generated,
    Vendored,
    Lock,
    Binary,
    Submodule,
}

impl SkipReason {
    /// Decides by path, kind and the base commit's attributes only. What the new content says of itself
    /// does not count: a header reading "generated" would be a way past the gate.
    pub fn of(file: &FileChange) -> Option<SkipReason> {
        match file.content {
            Content::Binary => return Some(SkipReason::Binary),
            Content::Submodule => return Some(SkipReason::Submodule),
            Content::Text(_) => {}
        }
        let path = file.path();
        if is_lock(path) {
            return Some(SkipReason::Lock);
        }
        if file.attributes.vendored.unwrap_or_else(|| is_vendored(path)) {
            return Some(SkipReason::Vendored);
        }
        if file.attributes.generated.unwrap_or_else(|| is_generated(path)) {
            return Some(SkipReason::Generated);
        }
        None
    }

    /// As far as a path alone tells.
    pub fn of_path(path: &RepoPath) -> Option<SkipReason> {
        match () {
            () if is_lock(path) => Some(SkipReason::Lock),
            () if is_vendored(path) => Some(SkipReason::Vendored),
            () if is_generated(path) => Some(SkipReason::Generated),
            () => None,
        }
    }

    pub fn as_str(self) -> &'static str {
        match self {
            SkipReason::Generated => "generated",
            SkipReason::Vendored => "vendored",
            SkipReason::Lock => "lock file",
            SkipReason::Binary => "binary",
            SkipReason::Submodule => "submodule",
        }
    }
}

const LOCK_FILES: [&str; 21] = [
    "Cargo.lock",
    "Gemfile.lock",
    "Package.resolved",
    "Pipfile.lock",
    "Podfile.lock",
    "bun.lock",
    "composer.lock",
    "deno.lock",
    "flake.lock",
    "go.sum",
    "gradle.lockfile",
    "mix.lock",
    "npm-shrinkwrap.json",
    "package-lock.json",
    "packages.lock.json",
    "pdm.lock",
    "pnpm-lock.yaml",
    "poetry.lock",
    "pubspec.lock",
    "uv.lock",
    "yarn.lock",
];

fn is_lock(path: &RepoPath) -> bool {
    let name = path.file_name();
    LOCK_FILES.iter().any(|lock| lock.as_bytes() == name)
}

fn is_vendored(path: &RepoPath) -> bool {
    const FOLDERS: [&[u8]; 5] = [b"vendor", b"node_modules", b"third_party", b"bower_components", b"Pods"];
    path.folders().any(|folder| FOLDERS.contains(&folder))
}

fn is_generated(path: &RepoPath) -> bool {
    const ENDINGS: [&str; 14] = [
        ".min.js",
        ".min.css",
        ".js.map",
        ".css.map",
        ".pb.go",
        ".pb.cc",
        ".pb.h",
        "_pb2.py",
        "_pb2_grpc.py",
        "_pb2.pyi",
        ".g.dart",
        ".freezed.dart",
        ".designer.cs",
        ".g.cs",
    ];
    let name = String::from_utf8_lossy(path.file_name()).to_ascii_lowercase();
    name.starts_with("zz_generated.") || ENDINGS.iter().any(|ending| name.ends_with(ending))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::change::{Attributes, FileSide, Mode, Status};

    fn skip(path: &str, attributes: Attributes) -> Option<SkipReason> {
        SkipReason::of(&FileChange {
            status: Status::Added,
            old: None,
            new: Some(FileSide { path: path.into(), mode: Mode::File, oid: None }),
            content: Content::Text(vec![]),
            attributes,
        })
    }

    #[test]
    fn recognises_by_path() {
        let cases = [
            ("src/main.rs", None),
            ("src/vendor.rs", None),
            ("yarn.lock", Some(SkipReason::Lock)),
            ("web/package-lock.json", Some(SkipReason::Lock)),
            ("vendor/x/y.go", Some(SkipReason::Vendored)),
            ("api/v1/user.pb.go", Some(SkipReason::Generated)),
            ("dist/app.min.js", Some(SkipReason::Generated)),
        ];
        for (path, expected) in cases {
            assert_eq!(skip(path, Attributes::default()), expected, "{path}");
        }
    }

    #[test]
    fn attributes_of_the_base_commit_have_the_last_word() {
        let ours = Attributes { vendored: Some(false), generated: None };
        assert_eq!(skip("vendor/ours.go", ours), None);
        let generated = Attributes { vendored: None, generated: Some(true) };
        assert_eq!(skip("src/tables.rs", generated), Some(SkipReason::Generated));
    }
}
