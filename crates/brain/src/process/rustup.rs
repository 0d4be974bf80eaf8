//! The programs behind rustup's proxies.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// The file that rustup would run for one of its proxies, `~/.cargo/bin/rustfmt` for one: that of the toolchain which is
/// set for the user. A proxy looks for it in a home that a confined program does not have.
///
/// Nothing for a program that is no proxy, and where the toolchain cannot be told or does not have it.
pub(crate) fn behind_proxy<'v>(
    program: &Path,
    variable: impl Fn(&str) -> Option<&'v OsStr>,
) -> Option<PathBuf> {
    let name = program.file_name()?;
    let real = program.canonicalize().ok()?;
    if real.file_name()? != "rustup" || name == "rustup" {
        return None;
    }
    let home = variable("RUSTUP_HOME")
        .map(PathBuf::from)
        .or_else(|| variable("HOME").map(|home| Path::new(home).join(".rustup")))?;
    let toolchain = match variable("RUSTUP_TOOLCHAIN").and_then(OsStr::to_str) {
        Some(toolchain) => toolchain.to_owned(),
        None => default_toolchain(&std::fs::read_to_string(home.join("settings.toml")).ok()?)?.to_owned(),
    };
    if toolchain.contains('/') {
        return None;
    }
    let behind = home.join("toolchains").join(toolchain).join("bin").join(name);
    behind.is_file().then_some(behind)
}

fn default_toolchain(settings: &str) -> Option<&str> {
    settings.lines().find_map(|line| {
        let (key, value) = line.split_once('=')?;
        (key.trim() == "default_toolchain").then(|| value.trim().trim_matches('"'))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_proxy_stands_for_the_program_of_the_toolchain_that_is_set() {
        let home = tempfile::tempdir().unwrap();
        let (bin, toolchain) = (home.path().join("bin"), home.path().join("toolchains/stable-x/bin"));
        std::fs::create_dir_all(&bin).unwrap();
        std::fs::create_dir_all(&toolchain).unwrap();
        std::fs::write(bin.join("rustup"), "").unwrap();
        std::fs::write(bin.join("other"), "").unwrap();
        std::fs::write(toolchain.join("rustfmt"), "").unwrap();
        std::fs::write(
            home.path().join("settings.toml"),
            "version = \"12\"\ndefault_toolchain = \"stable-x\"\n",
        )
        .unwrap();
        for proxy in ["rustfmt", "clippy-driver"] {
            std::os::unix::fs::symlink("rustup", bin.join(proxy)).unwrap();
        }
        let variable = |name: &str| (name == "RUSTUP_HOME").then(|| home.path().as_os_str());
        let found = |name: &str| behind_proxy(&bin.join(name), variable);
        assert_eq!(found("rustfmt"), Some(toolchain.join("rustfmt")));
        assert_eq!(found("clippy-driver"), None);
        assert_eq!(found("other"), None);
        assert_eq!(found("rustup"), None);
    }
}
