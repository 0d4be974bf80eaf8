/// Where a value comes from, from harmless to hostile.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Origin {
    /// Written in the program.
    Constant,
    /// Cannot carry what an attacker wrote: a number, something escaped, a name out of a fixed list.
    Clean,
    Unknown,
    /// Whatever the caller of the function passed.
    Parameter,
    /// The command line or standard input: written by whoever runs the program.
    Local,
    /// A request.
    Tainted,
}

/// Stands in [`Value::text`] where something was put in that is not constant.
pub(crate) const HOLE: char = '\u{1}';

/// More text than this decides nothing.
const LONGEST: usize = 4_000;

/// What is known about a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Value {
    pub(crate) origin: Origin,
    /// A text that was put together from constant and other parts.
    pub(crate) built: bool,
    /// The constant parts, with a [`HOLE`] for each other part.
    pub(crate) text: String,
}

impl Value {
    pub(crate) fn constant(text: &str) -> Self {
        Value { origin: Origin::Constant, built: false, text: cut(text.to_owned()) }
    }

    pub(crate) fn of(origin: Origin) -> Self {
        Value { origin, built: false, text: HOLE.to_string() }
    }

    pub(crate) fn unknown() -> Self {
        Value::of(Origin::Unknown)
    }

    /// Neither written in the program nor harmless.
    pub(crate) fn is_dynamic(&self) -> bool {
        self.origin >= Origin::Unknown
    }

    fn has_words(&self) -> bool {
        self.text.chars().any(|c| c != HOLE && !c.is_whitespace())
    }

    /// One text after the other.
    pub(crate) fn followed_by(self, next: Value) -> Value {
        let mixed = self.is_dynamic() && next.has_words() || next.is_dynamic() && self.has_words();
        Value {
            origin: self.origin.max(next.origin),
            built: self.built || next.built || mixed,
            text: cut(self.text + &next.text),
        }
    }

    /// Either of the two.
    pub(crate) fn or(self, other: Value) -> Value {
        Value {
            origin: self.origin.max(other.origin),
            built: self.built || other.built,
            text: cut(self.text + "\n" + &other.text),
        }
    }

    /// Some of each, as in a list.
    pub(crate) fn with(self, other: Value) -> Value {
        Value {
            origin: self.origin.max(other.origin),
            built: self.built || other.built,
            text: cut(self.text + " " + &other.text),
        }
    }
}

fn cut(mut text: String) -> String {
    if text.len() > LONGEST {
        let end = (0..=LONGEST).rev().find(|at| text.is_char_boundary(*at)).unwrap_or_default();
        text.truncate(end);
    }
    text
}
