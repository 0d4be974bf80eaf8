use std::io::Write;
use std::path::{Path, PathBuf};

use domain::change::RepoPath;
use domain::formats::findings_document::document_path;
use git::Repository;

use super::Place;
use super::place::shown;
use crate::failure::Failure;

/// Nobody writes more than that by hand.
const LARGEST: u64 = 16 << 20;

/// Where the findings documents of a loop are.
#[derive(Debug, Clone)]
pub(crate) struct Documents {
    folder: PathBuf,
    /// Relative to the root of the repository, if they are inside it.
    inside: Option<String>,
    story_id: String,
}

impl Documents {
    /// `configured` is relative to the root of the working tree; without one, to where the loop keeps its state.
    pub(crate) fn new(repository: &Repository, place: &Place, configured: &str, story_id: &str) -> Documents {
        let root = repository.work_tree().map_or_else(|| place.folder.clone(), Path::to_owned);
        let folder = root.join(configured);
        let plain =
            |path: &Path| path.components().all(|part| matches!(part, std::path::Component::Normal(_)));
        let relative = folder.strip_prefix(&root).ok().filter(|path| plain(path));
        let inside = repository.work_tree().and(relative).map(|path| path.to_string_lossy().into_owned());
        Documents { inside, folder, story_id: story_id.to_owned() }
    }

    fn file(&self, round: u32) -> PathBuf {
        let path = document_path(&self.story_id, round);
        self.folder.join(path.rsplit('/').next().unwrap_or(&path))
    }

    pub(crate) fn shown(&self, repository: &Repository, round: u32) -> String {
        shown(&self.file(round), repository)
    }

    /// Whether a file of the repository is a findings document of this story: no reviewer sees it, no fixer may touch it.
    pub(crate) fn is_one(&self, path: &RepoPath) -> bool {
        let (Some(folder), Some(path)) = (&self.inside, path.to_str()) else { return false };
        let name = path.strip_prefix(folder.as_str()).and_then(|rest| rest.strip_prefix('/'));
        let start =
            self.file(0).file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let start = start.trim_end_matches("0.md");
        name.is_some_and(|name| name.starts_with(start) && name.ends_with(".md"))
    }

    pub(crate) fn read(&self, round: u32) -> Result<Option<String>, Failure> {
        let path = self.file(round);
        let unreadable = |reason: String| {
            Failure::new(format!("cannot read {}: {reason}", path.display()), "mend or delete the file")
        };
        match std::fs::symlink_metadata(&path) {
            Ok(data) if !data.is_file() => return Err(unreadable("it is not a file".to_owned())),
            Ok(data) if data.len() > LARGEST => return Err(unreadable("it is too large".to_owned())),
            Ok(_) => {}
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(unreadable(error.to_string())),
        }
        std::fs::read_to_string(&path).map(Some).map_err(|error| unreadable(error.to_string()))
    }

    pub(crate) fn clear(&self, round: u32) -> Result<(), Failure> {
        let path = self.file(round);
        match std::fs::remove_file(&path) {
            Ok(()) => Ok(()),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(()),
            Err(error) => Err(Failure::new(
                format!("cannot replace {}: {error}", path.display()),
                "move it away, or name another folder with --documents",
            )),
        }
    }

    /// A link at the place of the document is replaced, and one on the way to it that leads out of the repository is
    /// not followed: the branch may have brought either.
    pub(crate) fn write(&self, repository: &Repository, round: u32, text: &str) -> Result<(), Failure> {
        let path = self.file(round);
        let unwritable = |reason: String| {
            Failure::new(
                format!("cannot write {}: {reason}", path.display()),
                "make the folder writable, or name another one with --documents",
            )
        };
        std::fs::create_dir_all(&self.folder).map_err(|error| unwritable(error.to_string()))?;
        if let (Some(_), Some(root)) = (&self.inside, repository.work_tree()) {
            let real = |path: &Path| path.canonicalize().map_err(|error| unwritable(error.to_string()));
            if !real(&self.folder)?.starts_with(real(root)?) {
                return Err(unwritable("a link leads out of the repository".to_owned()));
            }
        }
        let write = || -> std::io::Result<()> {
            let readable = std::os::unix::fs::PermissionsExt::from_mode(0o644);
            let mut file = tempfile::Builder::new().permissions(readable).tempfile_in(&self.folder)?;
            file.write_all(text.as_bytes())?;
            file.as_file().sync_all()?;
            file.persist(&path).map(drop).map_err(|error| error.error)
        };
        write().map_err(|error| unwritable(error.to_string()))
    }
}
