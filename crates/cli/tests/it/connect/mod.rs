//! Pull and merge requests, tickets and workers, against a forge that has the real rules.

mod forks;
mod publishing;
mod reviewing;
mod stage;
