//! Agents as they are really run: real processes, really confined.

mod agents;
mod authors;
mod hostile;
mod processes;
mod stage;
