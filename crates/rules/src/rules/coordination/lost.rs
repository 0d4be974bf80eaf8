use domain::review::Confidence;
use domain::words::Severity;

use crate::context::FileContext;
use crate::reporter::Draft;
use crate::syntax::{Arity, ItemKind};

/// Something that others could rely on before the change, and cannot any more.
#[derive(Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is something that is so of it or not")]
pub(super) struct Lost<'f> {
    pub(super) file: &'f FileContext<'f>,
    pub(super) sort: Sort,
    pub(super) name: String,
    pub(super) container: String,
    /// Called on something.
    pub(super) has_receiver: bool,
    /// Of a function whose parameters could be read.
    pub(super) arity: Option<Arity>,
    /// Its users have been told that it would go.
    pub(super) deprecated: bool,
    /// It says itself that others cannot use it: only somebody left behind in the same place will miss it.
    pub(super) own: bool,
    /// Public by itself in something that is not, or not public at all: whoever uses it is near.
    pub(super) enclosed: bool,
    pub(super) loss: Loss,
    pub(super) proof: Proof,
    pub(super) line: Line,
}

/// What it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sort {
    Item(ItemKind),
    /// A function that programs find by its name, whoever may see it in the source.
    Symbol,
    Module,
    Macro,
    /// A name that is defined elsewhere.
    Export,
    /// Of a trait for a type.
    Implementation,
    Feature,
    Package,
    Route,
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
    /// Still there, but an argument cannot be given by its name any more.
    Unnamed {
        parameter: String,
    },
    /// Still there, but not usable as before: what happened to it, as a sentence goes on behind its name.
    Altered {
        how: String,
    },
}

/// How sure it is that somebody who used it will notice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Proof {
    /// Only rare uses break, or only perhaps.
    Slight,
    /// Unless something outside the file makes up for it.
    Likely,
    Certain,
}

/// Where to point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Line {
    Old(u32),
    New(u32),
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

impl Sort {
    fn as_str(self) -> &'static str {
        match self {
            Sort::Item(kind) => kind.as_str(),
            Sort::Symbol => "exported function",
            Sort::Module => "module",
            Sort::Macro => "macro",
            Sort::Export => "export",
            Sort::Implementation => "for it",
            Sort::Feature => "feature",
            Sort::Package => "package",
            Sort::Route => "route",
        }
    }
}

impl Lost<'_> {
    /// `Type.name`, or the name alone.
    pub(super) fn path(&self) -> String {
        match (self.sort, self.container.as_str()) {
            (_, "") => self.name.clone(),
            (Sort::Implementation, container) => format!("{container}: {}", self.name),
            (_, container) => format!("{container}.{}", self.name),
        }
    }

    /// Still there by its name.
    pub(super) fn stays(&self) -> bool {
        matches!(self.loss, Loss::Narrowed { .. } | Loss::Unnamed { .. } | Loss::Altered { .. })
    }

    pub(super) fn is_function(&self) -> bool {
        self.sort == Sort::Item(ItemKind::Function)
    }

    /// Whether it makes values of the type that it belongs to.
    pub(super) fn constructs(&self) -> bool {
        const NAMES: [&str; 3] = ["__init__", "constructor", "__construct"];
        let named = NAMES.contains(&self.name.as_str()) || self.name == self.owner();
        self.is_function() && !self.container.is_empty() && named
    }

    /// What callers write for it.
    pub(super) fn called(&self) -> &str {
        if self.constructs() { self.owner() } else { &self.name }
    }

    /// The type it belongs to, without those around it.
    pub(super) fn owner(&self) -> &str {
        self.container.rsplit('.').next().unwrap_or_default()
    }

    /// What a module would have to let out for others to see it.
    pub(super) fn outermost(&self) -> &str {
        self.container.split('.').next().filter(|first| !first.is_empty()).unwrap_or(&self.name)
    }

    pub(super) fn happened(&self) -> String {
        let (path, kind) = (self.path(), self.sort.as_str());
        match &self.loss {
            Loss::Gone => format!("{path} {kind} was removed"),
            Loss::Hidden => format!("{path} {kind} is no longer public"),
            Loss::Narrowed { is, .. } if is.is_empty() => format!("{path} {kind} can no longer be called"),
            Loss::Narrowed { was, is } => {
                let now: Vec<String> = is.iter().map(|arity| arity.shown()).collect();
                format!("{path} {kind} had arity {} and now has arity {}", was.shown(), now.join(" or "))
            }
            Loss::Unnamed { parameter } => format!("{path} {kind} no longer takes {parameter} by name"),
            Loss::Altered { how } => format!("{path} {kind} {how}"),
        }
    }

    fn action(&self) -> String {
        match &self.loss {
            Loss::Gone | Loss::Hidden => format!("Restore {}", self.path()),
            Loss::Narrowed { was, .. } => format!("Keep {} callable with arity {}", self.path(), was.shown()),
            Loss::Unnamed { .. } | Loss::Altered { .. } => format!("Keep {} usable as it was", self.path()),
        }
    }

    /// With so many other members of its type that are lost as well.
    pub(super) fn draft(&self, weight: &Weight, others: usize) -> Draft {
        let beside = match others {
            0 => String::new(),
            1 => format!(" and another member of {} with it", self.container),
            _ => format!(" and {others} other members of {} with it", self.container),
        };
        let message = format!("{}{beside}{}", self.happened(), weight.because);
        let draft = match (self.line, self.file.head(), self.file.base()) {
            (Line::New(line), Some(head), _) => Draft::lines(head, line, line, message),
            (Line::Old(line), _, Some(base)) => Draft::removed(base, line, message),
            _ => Draft::file(message),
        };
        draft.severity(weight.severity).confidence(weight.confidence).fix(format!(
            "{} or {}",
            self.action(),
            weight.otherwise
        ))
    }
}
