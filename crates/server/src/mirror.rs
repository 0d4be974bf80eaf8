use std::pin::Pin;

/// The directory that shows tasks as files. What was changed shows there before a tool answers.
pub trait Mirror: Send + Sync {
    /// Writes what the store has and the directory does not show yet. Says itself what goes wrong: the store has the
    /// change all the same.
    fn update(&self) -> Pin<Box<dyn Future<Output = ()> + Send + '_>>;
}
