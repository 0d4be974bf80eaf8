use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

use domain::review::Verdict;
use domain::text::is_invisible;

use crate::failure::Failure;

/// What a finished command tells its caller.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exit {
    Ok,
    GateSaidNo,
    /// What was to be checked is not in order, and the output says why.
    Invalid,
    Inconclusive,
    /// A human has to decide.
    Escalated,
    /// Somebody pressed Ctrl-C.
    Interrupted,
}

impl From<Verdict> for Exit {
    fn from(verdict: Verdict) -> Self {
        match verdict {
            Verdict::Pass => Exit::Ok,
            Verdict::Fail => Exit::GateSaidNo,
            Verdict::Inconclusive => Exit::Inconclusive,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        ExitCode::from(match exit {
            Exit::Ok => 0,
            Exit::GateSaidNo => 1,
            Exit::Invalid => 2,
            Exit::Inconclusive => 3,
            Exit::Escalated => 4,
            Exit::Interrupted => 130,
        })
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Color {
    Auto,
    Always,
    Never,
}

impl Color {
    pub(crate) fn apply(self) {
        match self {
            Color::Auto => {}
            Color::Always => anstream::ColorChoice::Always.write_global(),
            Color::Never => anstream::ColorChoice::Never.write_global(),
        }
    }
}

/// Writes what was asked for to standard output. Whoever closes the pipe, as `head` does, has seen enough.
pub(crate) fn print(text: &str) -> Result<(), Failure> {
    match to_stdout(text) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        written => written.map_err(|error| {
            Failure::new(
                format!("cannot write to standard output: {error}"),
                "send it to a place that can be written to and has room",
            )
        }),
    }
}

/// Writes a report to standard output. A reader that went away or a full disk is a failure: a verdict nobody
/// received is no verdict.
pub(crate) fn print_report(text: &str) -> Result<(), Failure> {
    to_stdout(text).map_err(|error| {
        let what = match error.kind() {
            io::ErrorKind::BrokenPipe => {
                "standard output was closed before the report was written".to_owned()
            }
            _ => format!("cannot write to standard output: {error}"),
        };
        Failure::new(what, "write the report to a file with --output FILE")
    })
}

fn to_stdout(text: &str) -> io::Result<()> {
    // Looking for styles to strip costs more than rendering; only what is for terminals has any.
    if text.contains('\u{1b}') {
        write_to(anstream::stdout().lock(), text)
    } else {
        write_to(io::stdout().lock(), text)
    }
}

fn write_to(mut stream: impl Write, text: &str) -> io::Result<()> {
    stream.write_all(text.as_bytes())?;
    stream.flush()
}

/// Indented, with a final line feed, as every JSON this program prints. Characters that would change how a
/// terminal shows the text around them are written as escapes, which lose nothing.
pub(crate) fn json(value: &impl serde::Serialize) -> Result<String, Failure> {
    let text = serde_json::to_string_pretty(value).map_err(|error| {
        Failure::new(format!("cannot write JSON: {error}"), "please report this as a bug")
    })?;
    Ok(without_invisible(&text) + "\n")
}

/// One object on one line, as for streams. What cannot be written as JSON is left out; texts and numbers can.
pub(crate) fn json_line(value: &impl serde::Serialize) -> String {
    serde_json::to_string(value).map(|text| without_invisible(&text) + "\n").unwrap_or_default()
}

fn without_invisible(text: &str) -> String {
    let harmful = |c: char| is_invisible(c) || (c.is_control() && c != '\n');
    let mut safe = String::with_capacity(text.len() + 1);
    let mut rest = text;
    while let Some(at) = rest.find(|c: char| !(' '..='~').contains(&c) && harmful(c)) {
        let (clean, from) = rest.split_at(at);
        safe.push_str(clean);
        let mut chars = from.chars();
        if let Some(c) = chars.next() {
            c.encode_utf16(&mut [0; 2]).iter().for_each(|unit| safe.push_str(&format!("\\u{unit:04x}")));
        }
        rest = chars.as_str();
    }
    safe + rest
}

/// Writes `text` to `path` so that a reader sees the old file or the whole new one. A link is followed, and
/// a file that may not be written to is left alone.
pub(crate) fn write_file(path: &Path, text: &str) -> Result<(), Failure> {
    let plain = anstream::adapter::strip_str(text).to_string();
    replace(path, plain.as_bytes()).map_err(|error| {
        Failure::new(
            format!("cannot write {}: {}", path.display(), io::Error::from(error.kind())),
            "give --output a file in a folder that exists and can be written to",
        )
    })
}

fn replace(path: &Path, content: &[u8]) -> io::Result<()> {
    let target = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let existing = match std::fs::File::options().write(true).open(&target) {
        Ok(mut file) => {
            let metadata = file.metadata()?;
            if !metadata.is_file() {
                // A device or a pipe such as /dev/stdout cannot be replaced, only written to.
                return file.write_all(content);
            }
            Some(metadata.permissions())
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => return Err(error),
    };
    let folder = target.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut file =
        tempfile::Builder::new().permissions(existing.unwrap_or_else(readable)).tempfile_in(folder)?;
    file.write_all(content)?;
    file.persist(&target).map_err(|error| error.error)?;
    Ok(())
}

/// Reports are for others to read, too, unlike temporary files.
#[cfg(unix)]
fn readable() -> std::fs::Permissions {
    use std::os::unix::fs::PermissionsExt;
    std::fs::Permissions::from_mode(0o644)
}

/// The two ways commands other than `review` answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Listing {
    Pretty,
    Json,
}
