use std::collections::HashMap;
use std::fs::File;
use std::io::Write;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use domain::ports::{ActivityLog, LogLine};
use jiff::Timestamp;

/// `logs/<agent>.log`, and the same on standard error. Secrets are masked on the way.
#[derive(Debug)]
pub(super) struct Logs {
    folder: PathBuf,
    files: Mutex<HashMap<String, File>>,
}

impl Logs {
    pub(super) fn in_folder(folder: PathBuf) -> std::io::Result<Logs> {
        std::fs::create_dir_all(&folder)?;
        // Logs in a checkout are nobody's change.
        let ignore = folder.join(".gitignore");
        if !ignore.exists() {
            std::fs::write(ignore, "*\n")?;
        }
        Ok(Logs { folder, files: Mutex::default() })
    }
}

impl ActivityLog for Logs {
    /// A line that cannot be written must not stop the work it tells of.
    fn write(&self, line: &LogLine) {
        let text = rules::redact(&line.at(Timestamp::now())).into_owned();
        crate::pretty::note(&text);
        let mut files = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        if !files.contains_key(&line.agent) {
            let name = format!("{}.log", domain::text::file_name_part(&line.agent));
            let Ok(file) = File::options().create(true).append(true).open(self.folder.join(name)) else {
                return;
            };
            files.insert(line.agent.clone(), file);
        }
        if let Some(file) = files.get_mut(&line.agent) {
            let _ = writeln!(file, "{text}");
        }
    }
}
