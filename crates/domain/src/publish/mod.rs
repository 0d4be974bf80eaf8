//! What is posted where authors work, and what not to post again. Pure.

mod ticket;

pub use ticket::{plain_text, ticket_summary};
