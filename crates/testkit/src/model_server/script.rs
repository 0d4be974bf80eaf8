use std::fmt;

use super::{Asked, Reply};

type Decide = dyn Fn(&Asked) -> Reply + Send + Sync;

/// What the model is going to say.
pub struct Script(Box<Decide>);

impl Script {
    pub(super) fn next(&self, asked: &Asked) -> Reply {
        (self.0)(asked)
    }
}

impl fmt::Debug for Script {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Script")
    }
}

/// The same every time.
impl From<Reply> for Script {
    fn from(reply: Reply) -> Script {
        Script(Box::new(move |_| reply.clone()))
    }
}

/// One after the other; what is asked beyond the last is a mistake of the test, and answered with an error.
impl From<Vec<Reply>> for Script {
    fn from(replies: Vec<Reply>) -> Script {
        let over = || Reply::status(500, "api_error", "the script of this test is over");
        Script(Box::new(move |asked| {
            asked.number.and_then(|number| replies.get(number).cloned()).unwrap_or_else(over)
        }))
    }
}

impl<const N: usize> From<[Reply; N]> for Script {
    fn from(replies: [Reply; N]) -> Script {
        Script::from(Vec::from(replies))
    }
}

impl<F: Fn(&Asked) -> Reply + Send + Sync + 'static> From<F> for Script {
    fn from(decide: F) -> Script {
        Script(Box::new(decide))
    }
}
