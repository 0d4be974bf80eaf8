//! What git's diff leaves out although a reviewer has to see it.

use domain::change::{Attributes, Content, FileChange, Mode, Status};
use domain::review::SkipReason;

use crate::attributes::{Diffing, Told};
use crate::error::GitError;
use crate::repository::{LocalAttributes, Repository};

impl Repository {
    /// Fills in what the attributes in `tree` say about each file, and shows a file as a whole where git
    /// gave no lines for it without a good reason.
    pub(crate) fn show_unseen(&self, files: &mut [FileChange], tree: &str) -> Result<(), GitError> {
        let told_of_all = self.attributes_told(files, tree)?;
        for (file, told) in files.iter_mut().zip(told_of_all) {
            file.attributes = self.believed(told.new.marks);
            if self.is_called_binary(file, told.new) {
                self.show_whole(file)?;
            }
            if self.comes_from_an_unreviewed_place(file, told.old) {
                self.show_whole(file)?;
                file.status = Status::Added;
                file.old = None;
            }
        }
        Ok(())
    }

    /// In doubt, attributes may still make a file be reviewed, but no longer be skipped.
    fn believed(&self, marks: Attributes) -> Attributes {
        match self.doubt_about_attributes() {
            None => marks,
            Some(_) => Attributes {
                generated: marks.generated.filter(|generated| !generated),
                vendored: marks.vendored.filter(|vendored| !vendored),
            },
        }
    }

    /// Git calls a file binary if either side is, or if configuration or an attribute says so. Of these
    /// only the base's own attributes may keep the new side from being looked at.
    fn is_called_binary(&self, file: &FileChange, told: Told) -> bool {
        let is_link = file.new.as_ref().is_some_and(|new| new.mode == Mode::Symlink);
        let excused = told.diff == Diffing::Never && self.doubt_about_attributes().is_none() && !is_link;
        matches!(file.content, Content::Binary) && !excused
    }

    /// Moving a file from where it was skipped to where it counts brings in content that nobody has seen.
    fn comes_from_an_unreviewed_place(&self, file: &FileChange, told: Told) -> bool {
        let moved = matches!(file.status, Status::Renamed(_) | Status::Copied(_));
        moved
            && SkipReason::of(file).is_none()
            && (told.diff == Diffing::Never
                || self.place.local_attributes == LocalAttributes::Present
                || SkipReason::of(&at_its_old_place(file, told.marks)).is_some())
    }

    fn show_whole(&self, file: &mut FileChange) -> Result<(), GitError> {
        if let Some(new) = &file.new {
            file.content = self.whole(new)?;
        }
        Ok(())
    }
}

fn at_its_old_place(file: &FileChange, attributes: Attributes) -> FileChange {
    let content = Content::Text(Vec::new());
    FileChange { status: file.status, old: file.old.clone(), new: None, content, attributes }
}
