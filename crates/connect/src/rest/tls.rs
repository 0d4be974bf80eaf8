use std::path::{Path, PathBuf};

use reqwest::Certificate;

/// A file with certificates that cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("the certificates in {} cannot be used: {why}", file.display())]
pub struct CaError {
    pub file: PathBuf,
    pub why: String,
}

/// Everybody in the file is trusted besides those whom the system trusts.
pub(super) fn authorities(file: &Path) -> Result<Vec<Certificate>, CaError> {
    let wrong = |why: String| CaError { file: file.to_owned(), why };
    let bytes = std::fs::read(file).map_err(|error| wrong(error.to_string()))?;
    let found = Certificate::from_pem_bundle(&bytes).map_err(|error| wrong(error.to_string()))?;
    match found.is_empty() {
        true => Err(wrong("there is none in it".to_owned())),
        false => Ok(found),
    }
}

/// The same cryptography as everywhere in the product. Somebody may have chosen it already.
pub(super) fn choose_provider() {
    let _ = rustls::crypto::ring::default_provider().install_default();
}
