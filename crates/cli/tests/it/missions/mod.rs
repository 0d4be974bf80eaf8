//! `countersign mission`, against a forge, a tracker and a wiki with the real rules, through real MCP servers.

mod checklist;
mod crashes;
mod exploring;
mod hostile;
mod interrupted;
mod mirror;
mod once;
mod peers;
mod refusals;
mod stage;
