//! Pull and merge requests, tickets and workers, against a forge that has the real rules.

mod at_once;
mod doctor;
mod escalations;
mod forks;
mod handing_in_tool;
mod publishing;
mod publishing_at_once;
mod reviewing;
mod stage;
mod submitting;
mod workers;
