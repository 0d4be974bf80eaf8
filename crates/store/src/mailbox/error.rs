use std::io;
use std::path::PathBuf;

use domain::ports::StoreError;
use domain::tasks::Invalid;

/// Why the mailbox could not do its work. What it has not done is done by the next call.
#[derive(Debug, thiserror::Error)]
pub enum MailboxError {
    #[error("the mailbox cannot {action} {}: {source}", path.display())]
    Io { action: &'static str, path: PathBuf, source: io::Error },
    /// A link or a file stands where one of our own folders belongs.
    #[error("{} is not a plain folder, and the mailbox follows no links", .0.display())]
    NotAFolder(PathBuf),
    #[error(transparent)]
    Invalid(#[from] Invalid),
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl MailboxError {
    /// What stays the same when the same thing goes wrong again, with another file.
    pub fn cause(&self) -> String {
        match self {
            MailboxError::Io { action, path, source } => {
                format!("{action} {:?}: {source}", path.parent())
            }
            MailboxError::NotAFolder(_) | MailboxError::Invalid(_) | MailboxError::Store(_) => {
                self.to_string()
            }
        }
    }
}

pub(super) type Result<T> = std::result::Result<T, MailboxError>;
