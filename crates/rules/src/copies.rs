use std::borrow::Cow;

use domain::change::{Content, FileChange, Hunk, Side, Status};
use domain::ports::ReviewRequest;

/// The files of a change as rules are to see them, in its order.
///
/// What git shows as a copy is a new file here, all of it added. Its source still stands, or is a file of the change with a
/// record of its own: nothing was taken from it. And whether git finds the source hangs on whether the change touched
/// that too, which must not decide over what is said of the copy. One that cannot be read stays as it is; whoever asks
/// for its text is told why.
pub(crate) fn as_rules_see<'a>(request: &ReviewRequest<'a>) -> Vec<Cow<'a, FileChange>> {
    request
        .change
        .files
        .iter()
        .map(|file| new_file(file, request).map_or(Cow::Borrowed(file), Cow::Owned))
        .collect()
}

fn new_file(file: &FileChange, request: &ReviewRequest<'_>) -> Option<FileChange> {
    if !matches!(file.status, Status::Copied(_)) {
        return None;
    }
    let content = match &file.content {
        Content::Text(_) => {
            let text = request.sources.read(file, Side::New).ok()??;
            Content::Text(Hunk::whole_file(&text).into_iter().collect())
        }
        Content::Binary => Content::Binary,
        Content::Submodule => Content::Submodule,
    };
    let (new, attributes) = (file.new.clone(), file.attributes);
    Some(FileChange { status: Status::Added, old: None, new, content, attributes })
}
