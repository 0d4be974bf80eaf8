use std::path::Path;

use domain::epic::run::StoredEpic;
use domain::epic::{EpicDocument, TicketId};
use domain::ports::EpicStore as _;
use domain::text::nearest;
use git::Repository;

use crate::documents::read_text;
use crate::epics;
use crate::failure::Failure;
use crate::store::KeptOpen;

/// The epic somebody means: by its id, by its file, or the only one that is not over.
pub(super) fn named(
    repository: &Repository,
    kept: &KeptOpen,
    name: Option<&str>,
) -> Result<TicketId, Failure> {
    let all = kept.wait(kept.store.epics(&epics::repository_key(repository))).map_err(epics::refused)?;
    match name {
        Some(name) => found(&all, name),
        None => {
            let mut open = all.iter().filter(|stored| !stored.is_complete() || stored.run.stopped.is_some());
            match (open.next(), open.next()) {
                (Some(only), None) => Ok(only.run.order.id.clone()),
                (None, _) => Err(Failure::new(
                    "there is no epic here that is not over",
                    "begin one with `countersign epic run EPIC.yaml`",
                )),
                (Some(_), Some(_)) => Err(Failure::new(
                    "several epics are not over",
                    "name the one you mean; `countersign epic status` lists them",
                )),
            }
        }
    }
}

pub(super) fn found(all: &[StoredEpic], name: &str) -> Result<TicketId, Failure> {
    let ids = || all.iter().map(|stored| &stored.run.order.id);
    if let Some(id) = ids().find(|id| id.as_str() == name) {
        return Ok(id.clone());
    }
    let path = Path::new(name);
    if path.is_file() {
        let real = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        // By where it is first: it may have been edited into something that cannot be read.
        let known = all.iter().find(|stored| Path::new(&stored.run.order.file) == real);
        if let Some(stored) = known {
            return Ok(stored.run.order.id.clone());
        }
        let document = EpicDocument::parse(name, &read_text(path)?);
        if let Some(id) = document.ok().and_then(|epic| ids().find(|id| **id == epic.id).cloned()) {
            return Ok(id);
        }
    }
    match nearest(name, ids().map(TicketId::as_str)) {
        Some(near) => Err(Failure::new(
            format!("no run of an epic `{name}` is known here"),
            format!("did you mean `{near}`?"),
        )),
        None => Err(not_found(name)),
    }
}

pub(super) fn not_found(name: &str) -> Failure {
    Failure::new(
        format!("no run of an epic `{name}` is known here"),
        "`countersign epic status` lists those there are; begin one with `countersign epic run EPIC.yaml`",
    )
}
