use std::collections::HashMap;
use std::io::ErrorKind;

/// A process that is not a zombie.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Process {
    pub(super) id: i32,
    pub(super) group: i32,
}

/// Some of the processes that descend from `root`: all of them, or `limit + 1` if there are more, zombies included.
///
/// Cheap, and the more there are the more that matters: somebody who forks as fast as the machine can leaves
/// little of it to whoever counts. It asks the kernel for the children of each, and may miss one that is just
/// being adopted.
pub(super) fn up_to(root: i32, limit: usize) -> Vec<i32> {
    let mut found = Vec::new();
    let mut left = vec![root];
    while let Some(parent) = left.pop() {
        let Some(children) = children_of(parent) else {
            return descendants(root).iter().take(limit + 1).map(|process| process.id).collect();
        };
        for child in children {
            if found.len() > limit {
                return found;
            }
            found.push(child);
            left.push(child);
        }
    }
    found
}

/// None if this kernel keeps no such list.
fn children_of(process: i32) -> Option<Vec<i32>> {
    // A process that is gone has no children.
    let Ok(threads) = std::fs::read_dir(format!("/proc/{process}/task")) else { return Some(Vec::new()) };
    let mut children = Vec::new();
    for thread in threads.flatten() {
        match std::fs::read_to_string(thread.path().join("children")) {
            Ok(list) => {
                children.extend(list.split_ascii_whitespace().filter_map(|id| id.parse::<i32>().ok()));
            }
            Err(error) if error.kind() == ErrorKind::NotFound && thread.path().exists() => return None,
            Err(_) => {}
        }
    }
    Some(children)
}

/// The processes that descend from `root`, which is not among them.
pub(super) fn descendants(root: i32) -> Vec<Process> {
    let mut children: HashMap<i32, Vec<Process>> = HashMap::new();
    for (process, parent) in processes() {
        children.entry(parent).or_default().push(process);
    }
    let mut found = Vec::new();
    let mut left = vec![root];
    while let Some(parent) = left.pop() {
        let children = children.remove(&parent).unwrap_or_default();
        left.extend(children.iter().map(|child| child.id));
        found.extend(children);
    }
    found
}

/// Every process with its parent.
fn processes() -> Vec<(Process, i32)> {
    let Ok(entries) = std::fs::read_dir("/proc") else { return Vec::new() };
    entries
        .flatten()
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
        .filter_map(|id: i32| {
            let stat = std::fs::read(format!("/proc/{id}/stat")).ok()?;
            let (parent, group) = parent_and_group_in(&stat)?;
            Some((Process { id, group }, parent))
        })
        .collect()
}

/// From a line of `/proc/PID/stat`. The second field is the program's name in parentheses, which may hold anything,
/// parentheses and line feeds included, so counting begins behind the last one.
fn parent_and_group_in(stat: &[u8]) -> Option<(i32, i32)> {
    let end = stat.iter().rposition(|byte| *byte == b')')?;
    let rest = std::str::from_utf8(&stat[end + 1..]).ok()?;
    let mut fields = rest.split_ascii_whitespace();
    let state = fields.next()?;
    let (parent, group) = (fields.next()?.parse().ok()?, fields.next()?.parse().ok()?);
    (state != "Z").then_some((parent, group))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_parent_is_found_behind_any_name() {
        assert_eq!(parent_and_group_in(b"12 (sh) S 7 11 12 0"), Some((7, 11)));
        assert_eq!(parent_and_group_in(b"12 (a) R 1 (b\n) S 7 12"), Some((7, 12)));
        assert_eq!(parent_and_group_in(b"12 (sh) Z 7 12"), None);
        assert_eq!(parent_and_group_in(b""), None);
    }

    #[test]
    fn children_and_theirs_descend_from_a_process() {
        let mut child = std::process::Command::new("sh").args(["-c", "sleep 60 & wait"]).spawn().unwrap();
        let me = i32::try_from(std::process::id()).unwrap();
        let (shell, mut both) = (i32::try_from(child.id()).unwrap(), Vec::new());
        for _ in 0..600 {
            both = descendants(shell);
            if !both.is_empty() {
                break;
            }
            std::thread::sleep(std::time::Duration::from_millis(100));
        }
        assert!(descendants(me).iter().any(|process| process.id == shell));
        assert_eq!(up_to(shell, 10), both.iter().map(|process| process.id).collect::<Vec<_>>());
        assert_eq!((both.len(), up_to(shell, 0).len(), up_to(i32::MAX, 10).len()), (1, 1, 0));
        for process in both {
            std::process::Command::new("kill").arg(process.id.to_string()).status().unwrap();
        }
        child.wait().unwrap();
    }
}
