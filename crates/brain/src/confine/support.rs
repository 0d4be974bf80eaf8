use landlock::{ABI, AccessFs, LandlockStatus, Ruleset, RulesetAttr};

/// What the running kernel can enforce.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Support {
    /// The version of Landlock; 0 if there is none.
    pub abi: u8,
}

/// Asks the kernel. The answer is had by confining a thread that does nothing else.
pub fn support() -> Support {
    let probe = std::thread::Builder::new().name("landlock-probe".into()).spawn(|| {
        let ruleset = Ruleset::default().handle_access(AccessFs::Execute).ok()?.create().ok()?;
        Some(ruleset.restrict_self().ok()?.landlock)
    });
    let status = probe.ok().and_then(|thread| thread.join().ok()).flatten();
    let abi = match status {
        Some(status @ LandlockStatus::Available { .. }) => ABI::from(status) as i32,
        Some(LandlockStatus::NotEnabled | LandlockStatus::NotImplemented) | None => 0,
    };
    Support { abi: u8::try_from(abi).unwrap_or_default() }
}

impl Support {
    /// Files are protected, truncation included.
    pub fn files(self) -> bool {
        self.abi >= 3
    }

    /// TCP connections are limited to given ports.
    pub fn network(self) -> bool {
        self.abi >= 4
    }

    /// Signals and abstract Unix sockets stay inside.
    pub fn signals(self) -> bool {
        self.abi >= 6
    }

    /// Whether `sandbox: required` is content: the issue is files and the network. Without the scoping of signals
    /// an agent could at worst stop other processes of its user.
    pub fn suffices(self) -> bool {
        self.files() && self.network()
    }

    /// What cannot be enforced, for a report that must not hide it. Empty if everything can.
    pub fn remark(self, agent: &str) -> Option<String> {
        if self.abi == 0 {
            return Some(format!(
                "NOT CONFINED: this kernel has no Landlock, so nothing but {agent}'s own settings kept it from \
                 reading and writing whatever this user can"
            ));
        }
        let missing: Vec<&str> = [
            (self.files(), "truncating files it may not write"),
            (self.network(), "connecting to any port"),
            (self.signals(), "signalling other processes"),
        ]
        .into_iter()
        .filter_map(|(enforced, what)| (!enforced).then_some(what))
        .collect();
        (!missing.is_empty()).then(|| {
            format!(
                "PARTLY CONFINED: this kernel's Landlock (ABI {}) does not keep {agent} from {}",
                self.abi,
                missing.join(" and ")
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_enforced_is_said_aloud() {
        assert!(Support { abi: 0 }.remark("claude").unwrap().starts_with("NOT CONFINED"));
        let old = Support { abi: 3 }.remark("claude").unwrap();
        assert!(old.contains("connecting to any port and signalling"), "{old}");
        assert_eq!(Support { abi: 7 }.remark("claude"), None);
        assert!(!Support { abi: 3 }.suffices() && Support { abi: 4 }.suffices());
    }
}
