use std::fs::File;
use std::io::Write;
use std::path::Path;

use engine::story::{Story, VERSION};

use super::{Fault, Place};
use crate::failure::Failure;

/// The stored state of a loop. Each save replaces the whole of it at once and is on the disk when it returns.
#[derive(Debug)]
pub(crate) struct Journal {
    place: Place,
    fault: Fault,
}

impl Journal {
    pub(crate) fn at(place: &Place) -> Journal {
        Journal { place: place.clone(), fault: Fault::wanted() }
    }

    pub(crate) fn save(&self, story: &Story) -> Result<(), Failure> {
        let save = self.fault.before();
        let path = self.place.story();
        let write = || -> std::io::Result<()> {
            std::fs::create_dir_all(&self.place.folder)?;
            let mut file = tempfile::NamedTempFile::new_in(&self.place.folder)?;
            serde_json::to_writer(&mut file, story)?;
            file.write_all(b"\n")?;
            file.as_file().sync_all()?;
            file.persist(&path).map_err(|error| error.error)?;
            File::open(&self.place.folder)?.sync_all()
        };
        write().map_err(|error| {
            Failure::new(
                format!("cannot write {}: {error}", path.display()),
                "make room there, and check its permissions; then go on with `countersign loop --resume`",
            )
        })?;
        self.fault.after(save);
        Ok(())
    }

    /// Nothing if there is none.
    pub(crate) fn load(&self) -> Result<Option<Story>, Failure> {
        load(&self.place.story())
    }

    /// Puts a story that is over, or that nobody wants any more, out of the way of the next one.
    pub(crate) fn archive(&self, story: &Story) -> Result<(), Failure> {
        let old = self.place.folder.join(format!("story-{}.json", story.started_at.as_second()));
        std::fs::rename(self.place.story(), &old).map_err(|error| {
            Failure::new(format!("cannot rename to {}: {error}", old.display()), "check its permissions")
        })
    }
}

pub(super) fn load(path: &Path) -> Result<Option<Story>, Failure> {
    let unreadable = |reason: String| {
        Failure::new(
            format!("cannot read {}: {reason}", path.display()),
            "move the file away to begin anew; nothing of the branch depends on it",
        )
    };
    let bytes = match std::fs::read(path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(unreadable(error.to_string())),
    };
    let story: Story = serde_json::from_slice(&bytes).map_err(|error| unreadable(error.to_string()))?;
    match story.version {
        VERSION => Ok(Some(story)),
        other => Err(unreadable(format!("it is of version {other}, and this program knows {VERSION}"))),
    }
}
