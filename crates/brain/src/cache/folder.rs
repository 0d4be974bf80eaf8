use std::cmp::Reverse;
use std::fs;
use std::io::Write as _;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use tempfile::NamedTempFile;

use super::LONGEST_KEPT;
use crate::call::ToolCall;

/// A folder of answers, one file each, named by the hash of the question.
///
/// Files appear whole or not at all. One that is damaged, too old or of another format is as good as none.
#[derive(Debug, Clone)]
pub struct CacheFolder {
    folder: PathBuf,
}

/// Beyond this the oldest answers go.
const LARGEST: u64 = 64 * 1024 * 1024;
const LARGEST_ANSWER: usize = 4 * 1024 * 1024;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Kept {
    pub(super) text: String,
    pub(super) tool_calls: Vec<ToolCall>,
    pub(super) model: String,
}

/// As it lies in the file: the hash tells a damaged answer from a good one, and one question from another.
#[derive(Debug, Serialize, Deserialize)]
struct Sealed {
    hash: String,
    answer: String,
}

impl CacheFolder {
    /// Makes the folder where it is missing, and clears out what is old or too much. Only its owner can read it:
    /// answers quote code.
    pub fn open(folder: &Path) -> std::io::Result<CacheFolder> {
        fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
        let folder = CacheFolder { folder: folder.to_owned() };
        folder.clear_out(LARGEST);
        Ok(folder)
    }

    pub(super) fn read(&self, key: &str) -> Option<Kept> {
        let path = self.path(key);
        let age = SystemTime::now().duration_since(fs::metadata(&path).ok()?.modified().ok()?);
        if age.is_ok_and(|age| age > LONGEST_KEPT) {
            return None;
        }
        let sealed: Sealed = serde_json::from_slice(&fs::read(&path).ok()?).ok()?;
        if sealed.hash != seal(key, &sealed.answer) {
            return None;
        }
        serde_json::from_str(&sealed.answer).ok()
    }

    pub(super) fn write(&self, key: &str, kept: &Kept) -> std::io::Result<()> {
        let answer = serde_json::to_string(kept)?;
        if answer.len() > LARGEST_ANSWER {
            return Ok(());
        }
        let sealed = Sealed { hash: seal(key, &answer), answer };
        let mut file = NamedTempFile::with_prefix_in(".new-", &self.folder)?;
        file.write_all(&serde_json::to_vec(&sealed)?)?;
        file.persist(self.path(key)).map_err(|error| error.error)?;
        if key.starts_with("00") {
            // One in 256: often enough for a process that never ends.
            self.clear_out(LARGEST);
        }
        Ok(())
    }

    fn path(&self, key: &str) -> PathBuf {
        self.folder.join(format!("{key}.json"))
    }

    /// Best effort. What a crash has left half-written goes with the old.
    pub(super) fn clear_out(&self, largest: u64) {
        let Ok(entries) = fs::read_dir(&self.folder) else { return };
        let mut files: Vec<(SystemTime, u64, PathBuf)> = entries
            .flatten()
            .filter_map(|entry| {
                let metadata = entry.metadata().ok().filter(fs::Metadata::is_file)?;
                Some((metadata.modified().ok()?, metadata.len(), entry.path()))
            })
            .filter(|(_, _, path)| is_ours(path))
            .collect();
        files.sort_unstable_by_key(|(modified, ..)| Reverse(*modified));
        let mut total = 0;
        for (modified, size, path) in files {
            total += size;
            let age = SystemTime::now().duration_since(modified).unwrap_or_default();
            if total > largest || age > LONGEST_KEPT {
                let _ = fs::remove_file(path);
            }
        }
    }
}

/// A folder given by mistake keeps its files.
fn is_ours(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let is_key = |stem: &str| stem.len() == 64 && stem.bytes().all(|byte| byte.is_ascii_hexdigit());
    name.strip_suffix(".json").is_some_and(is_key) || name.starts_with(".new-")
}

fn seal(key: &str, answer: &str) -> String {
    let mut hash = Sha256::new();
    hash.update(key.as_bytes());
    hash.update(answer.as_bytes());
    hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}
