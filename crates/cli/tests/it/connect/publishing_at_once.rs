//! The same review, published by several at the same moment.

use std::process::{Child, Stdio};
use std::time::Duration;

use testkit::forge::Fault;

use super::stage::{Kind, PROJECT, STOPS, Stage};

impl Stage {
    /// With a cache of its own, as on another machine.
    fn publishing(&self, machine: usize, store: Option<&str>) -> Child {
        let url = self.url();
        let mut command = self.command(&["review", "--publish", "--pr", &url]);
        command.env("XDG_CACHE_HOME", self.folder.path().join(format!("cache-{machine}")));
        if let Some(store) = store {
            command.env("COUNTERSIGN_STORE", self.folder.path().join(store));
        }
        command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap()
    }

    /// Whoever looks while another posts does not find it yet.
    fn slow_forge(&self) {
        for path in [
            "/repos/*/*/issues/*/comments",
            "/repos/*/*/pulls/*/reviews",
            "/api/v4/projects/*/merge_requests/*/**",
        ] {
            self.forge.fault(Fault::on("POST", path).slow(Duration::from_millis(300)).times(6));
        }
    }

    fn said_once(&self) {
        let pull = self.forge.pull(PROJECT, self.number);
        let posted = self.posted();
        assert_eq!((pull.threads.len(), pull.comments.len()), (1, 1), "{posted:?}");
        assert!(
            !posted.iter().any(|body| body.contains("Duplicate") || body.contains("countersign:claim")),
            "{posted:?}"
        );
        let reviews = posted.iter().filter(|body| body.contains("countersign:batch")).count();
        assert!(reviews <= 1, "{posted:?}");
    }
}

fn ended(child: Child) {
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn several_machines_that_share_nothing_but_the_forge_post_once() {
    for kind in Kind::BOTH {
        let stage = Stage::new(kind, STOPS);
        stage.slow_forge();
        let all = [1, 2, 3].map(|machine| stage.publishing(machine, None));
        all.into_iter().for_each(ended);
        stage.said_once();
    }
}

#[test]
fn several_that_share_a_store_post_once() {
    for kind in Kind::BOTH {
        let stage = Stage::new(kind, STOPS);
        stage.slow_forge();
        let all = [1, 2, 3].map(|machine| stage.publishing(machine, Some("shared.db")));
        all.into_iter().for_each(ended);
        stage.said_once();
    }
}
