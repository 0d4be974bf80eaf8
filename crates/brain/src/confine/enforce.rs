use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use landlock::{
    ABI, Access, AccessFs, AccessNet, BitFlags, CompatLevel, Compatible, NetPort, Ruleset, RulesetAttr,
    RulesetCreatedAttr, RulesetError, RulesetStatus, Scope, path_beneath_rules,
};
use rustix::process::{Resource, Rlimit, Uid, getpid, getuid, setrlimit};
use rustix::thread::{CapabilitySet, CapabilitySets, capabilities, set_capabilities, set_no_new_privs};

use super::policy::{Limits, Policy, Processes};
use super::system;

/// The newest rights we know. An older kernel enforces those it has.
const NEWEST: ABI = ABI::V9;
/// More than any program has that coding agents start by the hundred.
const THREADS_OF_A_PROCESS: u64 = 16;

/// Confines the calling thread, and what becomes of it, as far as this kernel can.
pub(super) fn confine(policy: &Policy) -> Result<RulesetStatus, RulesetError> {
    let read = AccessFs::from_read(NEWEST);
    let all = AccessFs::from_all(NEWEST);
    let device: BitFlags<AccessFs> = AccessFs::ReadFile | AccessFs::WriteFile | AccessFs::IoctlDev;
    let looked_at: Vec<PathBuf> = match policy.processes {
        Processes::Own => {
            let own = PathBuf::from(format!("/proc/{}", getpid().as_raw_nonzero()));
            system::PROC.iter().map(PathBuf::from).chain([own]).collect()
        }
        Processes::Listed => vec![PathBuf::from("/proc")],
    };
    let port = |port: &u16| Ok::<_, RulesetError>(NetPort::new(*port, AccessNet::ConnectTcp));
    let status = Ruleset::default()
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(all)?
        .handle_access(AccessNet::from_all(NEWEST))?
        .scope(Scope::from_all(NEWEST))?
        .create()?
        .add_rules(path_beneath_rules(system::READ.iter().map(Path::new), read))?
        .add_rules(path_beneath_rules(&policy.read, read))?
        .add_rules(path_beneath_rules(&looked_at, AccessFs::ReadFile | AccessFs::ReadDir))?
        .add_rules(path_beneath_rules(system::DEVICES.iter().map(Path::new), device))?
        .add_rules(path_beneath_rules(&policy.write, all))?
        .add_rules(policy.ports.iter().map(port))?
        .restrict_self()?;
    Ok(status.ruleset)
}

/// The threads of all processes that belong to a user, as far as they can be seen.
fn threads_of(user: Uid) -> u64 {
    let Ok(entries) = std::fs::read_dir("/proc") else { return 0 };
    entries
        .flatten()
        .filter(|entry| entry.metadata().is_ok_and(|found| found.uid() == user.as_raw()))
        .filter_map(|entry| std::fs::read_dir(entry.path().join("task")).ok())
        .map(|threads| threads.count() as u64)
        .sum()
}

/// Takes away what root has beyond other users, and any way to get it back. Reading and writing files of other users
/// stays, since a repository in a container often belongs to one; which files that can be, Landlock says.
///
/// Without this, root could look into processes outside the domain: the kernel lets those who may measure
/// performance read any environment.
pub(super) fn drop_privileges() -> rustix::io::Result<()> {
    set_no_new_privs(true)?;
    let now = capabilities(None)?;
    let kept = now.permitted & CapabilitySet::DAC_OVERRIDE;
    let none = CapabilitySet::empty();
    set_capabilities(None, CapabilitySets { effective: kept, permitted: kept, inheritable: none })
}

/// Limits of this process and of all it starts. Those that are tighter already stay as they are.
///
/// The one on processes counts threads, and those of everything the user runs; root it does not bind. The warden
/// counts better, but looks only now and then: until it does, this keeps what forks as fast as it can in bounds.
pub(super) fn limit(limits: &Limits) -> std::io::Result<()> {
    let threads = threads_of(getuid()).saturating_add(u64::from(limits.processes) * THREADS_OF_A_PROCESS);
    let wanted = [
        (Resource::Nproc, threads),
        (Resource::Core, 0),
        (Resource::Cpu, limits.cpu_seconds),
        (Resource::Fsize, limits.file_bytes),
        (Resource::Nofile, limits.open_files),
    ];
    // What Countersign asks of itself is not for what it starts, whose memory the warden counts.
    let data = rustix::process::getrlimit(Resource::Data);
    setrlimit(Resource::Data, Rlimit { current: data.maximum, maximum: data.maximum })?;
    for (resource, wanted) in wanted {
        let now = rustix::process::getrlimit(resource);
        let lower = |limit: Option<u64>| Some(limit.map_or(wanted, |limit| limit.min(wanted)));
        setrlimit(resource, Rlimit { current: lower(now.current), maximum: lower(now.maximum) })?;
    }
    Ok(())
}
