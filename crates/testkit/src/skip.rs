//! What a test needs and cannot have here.

use std::fs::OpenOptions;
use std::io::Write;
use std::path::PathBuf;

/// Names a file that gets one line for every test that is skipped. `scripts/test` sets it and reads the file.
pub const SKIPS: &str = "COUNTERSIGN_TEST_SKIPS";

/// Says that the running test is skipped, and why; the test then returns. In CI (`CI` is set) a skipped test fails.
pub fn skip(reason: &str) {
    assert!(std::env::var_os("CI").is_none(), "nothing may be skipped in CI: {reason}");
    note(reason);
}

/// Says so, in CI as elsewhere.
pub(crate) fn note(reason: &str) {
    match std::env::var_os(SKIPS) {
        // One small write that appends is not torn apart by those of other processes.
        Some(path) => {
            let mut file = OpenOptions::new().create(true).append(true).open(path).unwrap();
            file.write_all(format!("{reason}\n").as_bytes()).unwrap();
        }
        None => eprintln!("skipped: {reason}"),
    }
}

/// The path that an environment variable names. Without it the test is skipped: `what` is not installed.
pub fn installed(variable: &str, what: &str) -> Option<PathBuf> {
    let path = std::env::var_os(variable).map(PathBuf::from);
    if path.is_none() {
        skip(&format!("{what} not installed: {variable} is not set"));
    }
    path
}
