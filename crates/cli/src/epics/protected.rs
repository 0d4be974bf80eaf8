use std::collections::BTreeSet;
use std::path::Path;

use domain::change::{Change, RepoPath};
use domain::epic::run::EpicOrder;
use domain::epic::state_file::FILE_NAME;
use git::Repository;

use super::own_name;

/// How the report of a run is called, beside the epic.
pub(crate) const REPORT_NAME: &str = "epic-report.md";

/// Files that say what is asked for and how far it is: not a builder's to change.
#[derive(Debug, Clone, Default)]
pub(super) struct Protected {
    paths: BTreeSet<RepoPath>,
    /// Those of them that tell how earlier attempts went.
    telling: BTreeSet<RepoPath>,
}

impl Protected {
    pub(super) fn of(repository: &Repository, order: &EpicOrder) -> Protected {
        let epic = Path::new(&order.file);
        let beside = |name: &str| repository.path_inside(&epic.with_file_name(name));
        let usual = [FILE_NAME, REPORT_NAME];
        let names = usual.iter().map(|name| (*name).to_owned());
        let names = names.chain(usual.iter().map(|name| own_name(&order.id, name)));
        let telling: BTreeSet<RepoPath> = names.filter_map(|name| beside(&name)).collect();
        let documents = order.tickets.iter().map(|ticket| RepoPath::from(ticket.path.as_str()));
        let epic = repository.path_inside(epic);
        let inside = epic.is_some();
        let paths = documents.filter(|_| inside).chain(epic).chain(telling.iter().cloned()).collect();
        Protected { paths, telling }
    }

    /// The files of them that the change touches.
    pub(super) fn touched<'a>(&self, change: &'a Change) -> BTreeSet<&'a RepoPath> {
        let sides = change.files.iter().flat_map(|file| [&file.old, &file.new]).flatten();
        sides.map(|side| &side.path).filter(|path| self.paths.contains(*path)).collect()
    }

    pub(super) fn is_telling(&self, path: &RepoPath) -> bool {
        self.telling.contains(path)
    }
}
