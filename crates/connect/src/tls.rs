//! Whom to trust, for everything here that speaks HTTPS.

use std::path::{Path, PathBuf};

use reqwest::Certificate;

/// Why no connection can be made that is safe.
#[derive(Debug, thiserror::Error)]
pub enum TlsError {
    #[error("the certificates in {} cannot be used: {why}", file.display())]
    Authorities { file: PathBuf, why: String },
    #[error("no secure connection can be made: {0}")]
    Unusable(String),
}

/// Everybody in the file is trusted besides those whom the system trusts.
pub(crate) fn authorities(file: &Path) -> Result<Vec<Certificate>, TlsError> {
    let wrong = |why: String| TlsError::Authorities { file: file.to_owned(), why };
    let bytes = std::fs::read(file).map_err(|error| wrong(error.to_string()))?;
    let found = Certificate::from_pem_bundle(&bytes).map_err(|error| wrong(error.to_string()))?;
    match found.is_empty() {
        true => Err(wrong("there is none in it".to_owned())),
        false => Ok(found),
    }
}

/// Whether there are certificates in the file, and they can be read.
pub fn check_certificates(file: &Path) -> Result<(), TlsError> {
    authorities(file).map(|_| ())
}

/// The same cryptography as everywhere in the product. Somebody may have chosen it already.
pub(crate) fn choose_provider() {
    let _ = rustls::crypto::ring::default_provider().install_default();
}
