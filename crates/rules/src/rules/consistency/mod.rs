//! Whether a change does things the way the repository does them.

mod dependency;
mod groups;
mod manifest;
mod naming;
mod own_wrapper;
mod wrapper;

pub(super) use dependency::DuplicateDependency;
pub(super) use naming::NamingHabit;
pub(super) use wrapper::WrapperBypassed;
