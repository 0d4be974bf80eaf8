//! The loop with a world made of scripts, which forgets nothing.

mod memory;
mod rounds;
mod stage;
