//! The tools, resources and prompts of Countersign in the words of the Model Context Protocol.

mod arguments;
pub mod catalogue;
mod clean;
mod found;
mod handler;
mod progress;
mod prompts;
mod resources;
mod schema;
mod tools;
mod trouble;

pub use handler::Handler;
