use domain::review::Confidence;
use domain::words::Severity;

use crate::context::FileContext;
use crate::reporter::Draft;
use crate::syntax::{Arity, ItemKind};

/// Something that callers could rely on before the change, and cannot any more.
#[derive(Debug)]
pub(super) struct Lost<'f> {
    pub(super) file: &'f FileContext<'f>,
    pub(super) kind: ItemKind,
    pub(super) name: String,
    pub(super) container: String,
    /// Called on something.
    pub(super) has_receiver: bool,
    /// Its users have been told that it would go.
    pub(super) deprecated: bool,
    pub(super) loss: Loss,
    /// Of the old file, or for what is narrowed of the new one.
    pub(super) line: u32,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Loss {
    Gone,
    /// Still there, but not for everybody.
    Hidden,
    /// Some calls that fitted do not fit any more.
    Narrowed {
        was: Arity,
        is: Vec<Arity>,
    },
}

/// How much it matters that something is lost, and what to say about it.
#[derive(Debug, Clone)]
pub(super) struct Weight {
    pub(super) severity: Severity,
    pub(super) confidence: Confidence,
    /// Behind what happened: why it matters here.
    pub(super) because: String,
    /// What the author may do besides restoring it.
    pub(super) otherwise: &'static str,
}

impl Lost<'_> {
    /// `Type.name`, or the name alone.
    pub(super) fn path(&self) -> String {
        if self.container.is_empty() {
            self.name.clone()
        } else {
            format!("{}.{}", self.container, self.name)
        }
    }

    /// The type it belongs to, without those around it.
    pub(super) fn owner(&self) -> &str {
        self.container.rsplit('.').next().unwrap_or_default()
    }

    pub(super) fn happened(&self) -> String {
        let (path, kind) = (self.path(), self.kind.as_str());
        match &self.loss {
            Loss::Gone => format!("{path} {kind} was removed"),
            Loss::Hidden => format!("{path} {kind} is no longer public"),
            Loss::Narrowed { was, is } => {
                let now: Vec<String> = is.iter().map(|arity| arity.shown()).collect();
                format!("{path} {kind} had arity {} and now has arity {}", was.shown(), now.join(" or "))
            }
        }
    }

    fn action(&self) -> String {
        match &self.loss {
            Loss::Gone | Loss::Hidden => format!("Restore {}", self.path()),
            Loss::Narrowed { was, .. } => format!("Keep {} callable with arity {}", self.path(), was.shown()),
        }
    }

    pub(super) fn draft(&self, weight: &Weight) -> Draft {
        let message = format!("{}{}", self.happened(), weight.because);
        let draft = match (&self.loss, self.file.head(), self.file.base()) {
            (Loss::Narrowed { .. }, Some(head), _) => Draft::lines(head, self.line, self.line, message),
            (_, _, Some(base)) => Draft::removed(base, self.line, message),
            _ => Draft::file(message),
        };
        draft.severity(weight.severity).confidence(weight.confidence).fix(format!(
            "{} or {}",
            self.action(),
            weight.otherwise
        ))
    }
}
