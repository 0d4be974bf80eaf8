//! The tools, resources and prompts of Countersign in the words of the Model Context Protocol.

mod arguments;
pub mod catalogue;
mod clean;
mod handler;
mod progress;
mod schema;
mod tools;
mod trouble;

pub use handler::Handler;
