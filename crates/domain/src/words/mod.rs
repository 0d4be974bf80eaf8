//! The vocabulary every seed format is translated to and from.

mod category;
mod dimension;
mod severity;

pub use category::Category;
pub use dimension::{BadDimension, Dimension, Weight};
pub use severity::{Class, Level, Severity, UnknownSeverity};
