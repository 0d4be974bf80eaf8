//! Libraries that do the same job. Written from what each says of itself.

mod cargo;
mod dotnet;
mod go;
mod jvm;
mod npm;
mod php;
mod python;
mod ruby;
mod swift;

/// Which package index a name belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Index {
    Cargo,
    Npm,
    Python,
    Go,
    Maven,
    Ruby,
    Php,
    NuGet,
    Swift,
}

/// A job, and those who do it. Names with `|` between them are parts of one and the same: each needs the other, or is
/// what the other became.
pub(super) struct Group {
    pub(super) job: &'static str,
    pub(super) names: &'static [&'static str],
}

const fn group(job: &'static str, names: &'static [&'static str]) -> Group {
    Group { job, names }
}

impl Index {
    pub(super) fn groups(self) -> &'static [Group] {
        match self {
            Index::Cargo => cargo::CARGO,
            Index::Npm => npm::NPM,
            Index::Python => python::PYTHON,
            Index::Go => go::GO,
            Index::Maven => jvm::JVM,
            Index::Ruby => ruby::RUBY,
            Index::Php => php::PHP,
            Index::NuGet => dotnet::DOTNET,
            Index::Swift => swift::SWIFT,
        }
    }
}

impl Group {
    /// Another library of `kept` for the same job, if `new` does that job.
    pub(super) fn another(&self, new: &str, kept: impl Fn(&str) -> bool) -> Option<&'static str> {
        let own = self.names.iter().position(|names| names.split('|').any(|name| name == new))?;
        let others = self.names.iter().enumerate().filter(|(index, _)| *index != own);
        others.flat_map(|(_, names)| names.split('|')).find(|name| kept(name))
    }
}
