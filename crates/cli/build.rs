//! Puts the commit into `--version`. Building outside a repository is fine: the commit is then left out.

use std::process::Command;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    for file in ["HEAD", "logs/HEAD"] {
        if let Some(path) = git(&["rev-parse", "--git-path", file]) {
            println!("cargo:rerun-if-changed={path}");
        }
    }
    let version = env!("CARGO_PKG_VERSION");
    let version = match git(&["log", "-1", "--format=%h %cs"]) {
        Some(commit) => format!("{version} ({commit})"),
        None => version.to_owned(),
    };
    println!("cargo:rustc-env=COUNTERSIGN_LONG_VERSION={version}");
}

fn git(arguments: &[&str]) -> Option<String> {
    let output =
        Command::new("git").args(arguments).output().ok().filter(|output| output.status.success())?;
    let text = String::from_utf8(output.stdout).ok()?;
    Some(text.trim().to_owned()).filter(|text| !text.is_empty())
}
