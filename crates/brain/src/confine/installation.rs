use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::path::{Component, Path, PathBuf};

use crate::process::find_program;

/// What has to be readable to run a program, besides the system: the file, what it is a link to, the packages
/// around it, and the interpreter its first line names, found on `path`.
///
/// Whatever is returned is never the root, nor `home` or something above it.
pub fn installation(program: &Path, path: Option<&OsStr>, home: Option<&Path>) -> Vec<PathBuf> {
    let mut found = BTreeSet::new();
    let mut next = Some(program.to_owned());
    // An interpreter may be a script itself, as version managers have it.
    for _ in 0..4 {
        let Some(file) = next.take() else { break };
        let Ok(real) = file.canonicalize() else { break };
        for file in [&file, &real] {
            found.insert(file.clone());
            found.extend(surroundings(file));
        }
        next = interpreter(&real, path);
    }
    let too_wide =
        |place: &Path| place.components().count() < 3 || home.is_some_and(|home| home.starts_with(place));
    found.into_iter().filter(|place| place.is_file() || !too_wide(place)).collect()
}

/// Of a file in `X/node_modules/...`, the outermost `node_modules`: packages use those beside them. Of a file in
/// `X/bin`, the whole of `X`, as `lib` and `share` are there. Of others, their directory.
fn surroundings(file: &Path) -> Option<PathBuf> {
    let mut place = PathBuf::new();
    for component in file.components() {
        place.push(component);
        if component == Component::Normal(OsStr::new("node_modules")) {
            return Some(place);
        }
    }
    let directory = file.parent()?;
    let shared = [".local", "bin", "opt"];
    match (directory.file_name(), directory.parent()) {
        (Some(name), Some(prefix)) if name == "bin" => {
            let is_shared = prefix.file_name().is_none_or(|name| shared.iter().any(|shared| name == *shared));
            (!is_shared).then(|| prefix.to_owned())
        }
        _ => Some(directory.to_owned()),
    }
}

/// What `#!` asks for. `/usr/bin/env NAME` is looked up on `path`.
fn interpreter(file: &Path, path: Option<&OsStr>) -> Option<PathBuf> {
    use std::io::Read;
    let mut start = Vec::new();
    std::fs::File::open(file).ok()?.take(256).read_to_end(&mut start).ok()?;
    let line = start.strip_prefix(b"#!")?.split(|byte| *byte == b'\n').next()?;
    let mut words = std::str::from_utf8(line).ok()?.split_ascii_whitespace();
    let program = words.next()?;
    if program.ends_with("/env") {
        let name = words.find(|word| !word.starts_with('-') && !word.contains('='))?;
        return find_program(name, path);
    }
    Some(PathBuf::from(program))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::{PermissionsExt, symlink};

    fn file(path: &Path, text: &str) {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
    }

    #[test]
    fn a_package_is_found_behind_its_link_with_the_node_that_runs_it() {
        let root = tempfile::tempdir().unwrap();
        let root = root.path().canonicalize().unwrap();
        let home = root.join("home/me");
        let script = home.join(".npm/lib/node_modules/@x/agent/bin/agent.js");
        file(&script, "#!/usr/bin/env -S node --flag\n");
        file(&home.join(".nvm/v24/bin/node"), "\u{7f}ELF");
        std::fs::create_dir_all(home.join("bin")).unwrap();
        symlink(&script, home.join("bin/agent")).unwrap();
        let path = home.join(".nvm/v24/bin");
        let found = installation(&home.join("bin/agent"), Some(path.as_os_str()), Some(&home));
        assert!(found.contains(&home.join(".npm/lib/node_modules")), "{found:?}");
        assert!(found.contains(&home.join(".nvm/v24")), "{found:?}");
        assert!(!found.iter().any(|place| home.starts_with(place)), "{found:?}");
    }

    #[test]
    fn a_program_in_a_shared_place_brings_only_itself() {
        let root = tempfile::tempdir().unwrap();
        let home = root.path().canonicalize().unwrap();
        file(&home.join(".local/bin/agent"), "\u{7f}ELF");
        let found = installation(&home.join(".local/bin/agent"), None, Some(&home));
        assert_eq!(found, [home.join(".local/bin/agent")]);
    }
}
