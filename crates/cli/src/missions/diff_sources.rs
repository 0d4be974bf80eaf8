use bytes::Bytes;
use domain::change::{Content, FileChange, Hunk, LineKind, RepoPath, Side, Status};
use domain::ports::{SourceError, Sources};

/// What a diff alone shows of the files it is about: those that are new, whole; of the others nothing. The forge of a
/// mission is asked for its diff and for nothing else.
#[derive(Debug)]
pub(super) struct DiffSources<'a> {
    pub(super) files: &'a [FileChange],
}

impl Sources for DiffSources<'_> {
    fn read(&self, file: &FileChange, side: Side) -> Result<Option<Bytes>, SourceError> {
        let shown = is_whole(file) && side == Side::New;
        Ok(shown.then(|| text(file)))
    }

    fn read_path(&self, path: &RepoPath, side: Side) -> Result<Option<Bytes>, SourceError> {
        let file = self.files.iter().find(|file| file.new.as_ref().is_some_and(|new| new.path == *path));
        file.map_or(Ok(None), |file| self.read(file, side))
    }

    fn list_base(&self, _: &RepoPath) -> Result<Vec<RepoPath>, SourceError> {
        Ok(Vec::new())
    }
}

/// Whether the diff shows all of it.
pub(super) fn is_whole(file: &FileChange) -> bool {
    file.status == Status::Added && matches!(file.content, Content::Text(_))
}

fn text(file: &FileChange) -> Bytes {
    let mut text = Vec::new();
    for line in file.hunks().iter().flat_map(Hunk::lines).filter(|line| line.kind == LineKind::Added) {
        text.extend_from_slice(line.text);
        text.push(b'\n');
    }
    text.into()
}
