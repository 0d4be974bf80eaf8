/// Somebody on a forge or tracker, by the name that comments carry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identity {
    pub login: String,
}

impl Identity {
    /// Forges tell names apart whatever their case.
    pub fn wrote(&self, comment: &PostedComment) -> bool {
        self.login.eq_ignore_ascii_case(&comment.author)
    }
}

/// A comment that is there already, whoever wrote it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PostedComment {
    pub reference: CommentRef,
    pub author: String,
    pub body: String,
    pub thread: ThreadState,
}

/// What it takes to change a comment.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct CommentRef {
    pub id: String,
    pub kind: CommentKind,
    /// The thread it opens, where the forge names threads.
    pub thread: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CommentKind {
    /// In the conversation.
    Conversation,
    /// At lines of the diff.
    Inline,
    /// The text that a review as a whole carries.
    Review,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ThreadState {
    /// It opens no thread, or one that cannot be resolved.
    NotResolvable,
    Open,
    Resolved,
}

/// Whether what was posted can be changed. Some servers have no tool for that.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Editing {
    Possible,
    Impossible,
}

impl CommentRef {
    /// Older ones first: forges number comments upwards.
    pub fn age(&self) -> (usize, &str) {
        let digits = self.id.trim_start_matches('0');
        (digits.len(), digits)
    }
}
