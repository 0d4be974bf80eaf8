use std::path::PathBuf;

use reqwest::Url;

use super::service::Service;
use crate::rest::{Auth, Kind, Patience, Rest, RestSetup, Secret, Trouble, Waits};
use crate::tls::TlsError;

/// Where a service is and who we are there, as the environment says. Printing it shows no token.
#[derive(Debug, Clone)]
pub struct Settings {
    pub service: Service,
    /// How long things may take.
    pub patience: Patience,
    /// Hears each wait for a rate limit, if anybody does.
    pub heard: Option<fn(&str)>,
    pub(super) base: Option<Url>,
    pub(super) auth: Option<Auth>,
    /// Which of two interfaces; found out where it is not given.
    pub(super) api_version: Option<u8>,
    authorities: Vec<PathBuf>,
    /// The variables that the token comes from.
    credential: Vec<&'static str>,
    missing: Vec<&'static str>,
}

/// Something in the environment that cannot be used. Nothing of the value is in the text: there may be a password in it.
#[derive(Debug, thiserror::Error)]
pub enum SettingsError {
    #[error(
        "{variable} is no address that can be used ({why}); it should look like https://host or https://host/path"
    )]
    Address { variable: &'static str, why: String },
    #[error("{variable} holds characters that no token has")]
    Token { variable: &'static str },
    #[error("{variable} is {wanted}")]
    Value { variable: &'static str, wanted: &'static str },
    #[error(transparent)]
    Tls(#[from] TlsError),
}

type Look<'a> = &'a dyn Fn(&str) -> Option<String>;

impl Settings {
    /// Reads what the environment says; `look` is how a variable is looked up.
    pub fn from_env(
        service: Service,
        look: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Settings, SettingsError> {
        let base = match first(look, service.address_variables()) {
            Some((variable, given)) => Some(address(service, variable, &given)?),
            None => public_address(service),
        };
        let (auth, credential) = auth(service, look)?.unzip();
        let [url, token] = service.missing_words();
        let missing = [(base.is_none(), url), (auth.is_none(), token)];
        Ok(Settings {
            service,
            patience: service.patience(patience(look)?),
            heard: None,
            api_version: api_version(service, look)?,
            authorities: authorities(look),
            missing: missing
                .into_iter()
                .filter(|(is_missing, _)| *is_missing)
                .map(|(_, name)| name)
                .collect(),
            base,
            auth,
            credential: credential.unwrap_or_default(),
        })
    }

    pub(super) fn nothing(service: Service) -> Settings {
        let missing = service.missing_words().to_vec();
        let (base, auth, api_version, authorities, credential) = (None, None, None, Vec::new(), Vec::new());
        let patience = Patience::default();
        Settings { service, patience, heard: None, base, auth, api_version, authorities, credential, missing }
    }

    /// What has to be set before anything can be reached, for people.
    pub fn missing(&self) -> &[&'static str] {
        &self.missing
    }

    /// The names of the variables that say who we are there; none if that is not said.
    pub fn credential(&self) -> &[&'static str] {
        &self.credential
    }

    /// Where the service's interface is, if that is known.
    pub fn address(&self) -> Option<&str> {
        self.base.as_ref().map(Url::as_str)
    }

    pub(super) fn rest(&self) -> Result<Rest, SettingsError> {
        let (Some(base), Some(auth)) = (&self.base, &self.auth) else {
            return Ok(Rest::absent(self.what_is_missing()));
        };
        let setup = RestSetup {
            base: base.clone(),
            auth: auth.clone(),
            authorities: self.authorities.clone(),
            patience: self.patience,
            waits: Waits { name: self.service.name(), heard: self.heard },
        };
        Ok(Rest::new(setup)?)
    }

    pub(super) fn what_is_missing(&self) -> Trouble {
        let (service, names) = (self.service.as_str(), self.missing.join(" and "));
        Trouble::new(
            Kind::NotConfigured,
            format!(
                "{service} is not configured: {names} {} not set",
                if self.missing.len() == 1 { "is" } else { "are" }
            ),
            format!("set {names} in the environment of this server; nothing was sent"),
        )
    }
}

/// GitHub is one place unless said otherwise. Of the others nobody can know where they are, and a token must not go to a
/// place that nobody named.
fn public_address(service: Service) -> Option<Url> {
    match service {
        Service::Github => Url::parse("https://api.github.com").ok(),
        Service::Gitlab | Service::Jira | Service::Confluence => None,
    }
}

fn first(look: Look<'_>, variables: &'static [&'static str]) -> Option<(&'static str, String)> {
    variables.iter().find_map(|variable| {
        let value = look(variable)?.trim().to_owned();
        (!value.is_empty()).then_some((*variable, value))
    })
}

fn address(service: Service, variable: &'static str, given: &str) -> Result<Url, SettingsError> {
    let wrong = |why: &str| SettingsError::Address { variable, why: why.to_owned() };
    let mut url = Url::parse(given).map_err(|error| wrong(&error.to_string()))?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(wrong("it is neither http nor https"));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(wrong("there is a name or password in it"));
    }
    if url.query().is_some() || url.fragment().is_some() {
        return Err(wrong("there is a ? or # in it"));
    }
    service.interface(variable, &mut url);
    Ok(url)
}

type Credential = (Auth, Vec<&'static str>);

fn auth(service: Service, look: Look<'_>) -> Result<Option<Credential>, SettingsError> {
    if let Some((users, passwords)) = service.account_variables()
        && let (Some((account, user)), Some((variable, password))) =
            (first(look, users), first(look, passwords))
    {
        let auth = Auth::Basic { user, password: secret(variable, &password)? };
        return Ok(Some((auth, vec![account, variable])));
    }
    match first(look, service.token_variables()) {
        Some((variable, token)) => Ok(Some((Auth::Bearer(secret(variable, &token)?), vec![variable]))),
        None => Ok(None),
    }
}

fn secret(variable: &'static str, token: &str) -> Result<Secret, SettingsError> {
    match token.bytes().all(|byte| byte.is_ascii_graphic()) {
        true => Ok(Secret::new(token)),
        false => Err(SettingsError::Token { variable }),
    }
}

fn api_version(service: Service, look: Look<'_>) -> Result<Option<u8>, SettingsError> {
    let Some(variable) = service.version_variable() else { return Ok(None) };
    let (known, wanted) = match service {
        Service::Confluence => ([1, 2], "1 (Server, Data Center) or 2 (Cloud)"),
        Service::Jira | Service::Github | Service::Gitlab => ([2, 3], "2 (Server, Data Center) or 3 (Cloud)"),
    };
    let Some(given) = look(variable).filter(|given| !given.trim().is_empty()) else { return Ok(None) };
    match given.trim().parse::<u8>().ok().filter(|version| known.contains(version)) {
        Some(version) => Ok(Some(version)),
        None => Err(SettingsError::Value { variable, wanted }),
    }
}

fn patience(look: Look<'_>) -> Result<Patience, SettingsError> {
    const VARIABLE: &str = "COUNTERSIGN_HTTP_TIMEOUT";
    let Some(given) = look(VARIABLE).filter(|given| !given.trim().is_empty()) else {
        return Ok(Patience::default());
    };
    match given.trim().parse::<u64>().ok().filter(|seconds| (1..=3_600).contains(seconds)) {
        Some(seconds) => {
            let silence = std::time::Duration::from_secs(seconds);
            let usual = Patience::default();
            Ok(Patience {
                silence,
                answer: usual.answer.max(silence),
                connect: usual.connect.min(silence),
                ..usual
            })
        }
        None => {
            Err(SettingsError::Value { variable: VARIABLE, wanted: "a number of seconds from 1 to 3600" })
        }
    }
}

fn authorities(look: Look<'_>) -> Vec<PathBuf> {
    // SSL_CERT_FILE and SSL_CERT_DIR take the place of the system's own, which whoever reads those sees to.
    look("COUNTERSIGN_CA_FILE")
        .filter(|file| !file.trim().is_empty())
        .map(PathBuf::from)
        .into_iter()
        .collect()
}
