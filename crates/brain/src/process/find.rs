use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// The file that would be run for `program`: itself if it is a path, else the first executable of that name on
/// `path`. Relative directories on the path are passed over: they would depend on where we stand.
pub fn find_program(program: &str, path: Option<&OsStr>) -> Option<PathBuf> {
    if program.is_empty() {
        return None;
    }
    if program.contains('/') {
        let file = std::path::absolute(program).ok()?;
        return is_executable(&file).then_some(file);
    }
    std::env::split_paths(path?)
        .filter(|directory| directory.is_absolute())
        .map(|directory| directory.join(program))
        .find(|file| is_executable(file))
}

fn is_executable(file: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    std::fs::metadata(file).is_ok_and(|data| data.is_file() && data.permissions().mode() & 0o111 != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_is_found_on_the_path_and_by_its_own() {
        let path = OsStr::new("relative:/nowhere:/usr/bin:/bin");
        let shell = find_program("sh", Some(path)).unwrap();
        assert!(shell.is_absolute() && shell.ends_with("sh"));
        assert_eq!(find_program("/bin/sh", None), Some(PathBuf::from("/bin/sh")));
        assert_eq!(find_program("no-such-program", Some(path)), None);
        assert_eq!(find_program("sh", None), None);
        assert_eq!(find_program("", Some(path)), None);
    }
}
