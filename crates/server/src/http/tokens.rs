use std::fmt;

use sha2::{Digest, Sha256};

use domain::assignments::Caller;

use crate::caller::Callers;

/// Shorter ones can be guessed.
const SHORTEST: usize = 16;
const PREFIX: &str = "COUNTERSIGN_TOKEN_";

/// Which token belongs to whom. Only digests are kept, and none is ever shown.
#[derive(Default)]
pub struct Tokens {
    known: Vec<([u8; 32], Caller)>,
}

/// Why tokens cannot be used as they are. Names callers, never tokens.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TokenError {
    #[error("the token of {0} has fewer than {SHORTEST} characters")]
    TooShort(String),
    #[error("the token of {0} holds white space or a control character")]
    NotAWord(String),
    #[error("{0} and {1} have the same token")]
    Shared(String, String),
    #[error("the tokens file names {0}, whom countersign.yaml does not")]
    Stranger(String),
    #[error("line {0} of the tokens file is not `NAME TOKEN`")]
    NotALine(usize),
    #[error("{0} and {1} would both have their token in {2}")]
    SameVariable(String, String, String),
}

/// Where the environment has the token of a caller: `COUNTERSIGN_TOKEN_GREEN_1` for `green-1`.
pub fn variable_of(caller: &str) -> String {
    let part = caller.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_uppercase() } else { '_' });
    PREFIX.chars().chain(part).collect()
}

impl Tokens {
    /// From the environment, and from the text of a tokens file: a line `NAME TOKEN` for each caller, lines that begin
    /// with `#` left out. The environment wins.
    pub fn read(
        callers: &Callers,
        variable: impl Fn(&str) -> Option<String>,
        file: &str,
    ) -> Result<Tokens, TokenError> {
        let mut tokens = Tokens::default();
        let mut variables: Vec<(String, String)> = Vec::new();
        for caller in callers.iter() {
            let name = variable_of(caller.name());
            if let Some((_, other)) = variables.iter().find(|(known, _)| *known == name) {
                return Err(TokenError::SameVariable(other.clone(), caller.name().to_owned(), name));
            }
            if let Some(token) = variable(&name).filter(|token| !token.is_empty()) {
                tokens.add(caller.clone(), &token)?;
            }
            variables.push((name, caller.name().to_owned()));
        }
        for (number, line) in file.lines().enumerate() {
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let (name, token) = line.rsplit_once([' ', '\t']).ok_or(TokenError::NotALine(number + 1))?;
            let caller = callers.named(name.trim()).map_err(|unknown| TokenError::Stranger(unknown.name))?;
            if !tokens.known.iter().any(|(_, known)| known.name() == caller.name()) {
                tokens.add(caller, token)?;
            }
        }
        Ok(tokens)
    }

    fn add(&mut self, caller: Caller, token: &str) -> Result<(), TokenError> {
        if token.len() < SHORTEST {
            return Err(TokenError::TooShort(caller.name().to_owned()));
        }
        if token.chars().any(|c| c.is_whitespace() || c.is_control()) {
            return Err(TokenError::NotAWord(caller.name().to_owned()));
        }
        let digest = digest(token);
        if let Some((_, other)) = self.known.iter().find(|(known, _)| *known == digest) {
            return Err(TokenError::Shared(other.name().to_owned(), caller.name().to_owned()));
        }
        self.known.push((digest, caller));
        Ok(())
    }

    pub fn is_empty(&self) -> bool {
        self.known.is_empty()
    }

    /// Takes as long for a wrong token as for a right one, whoever it belongs to.
    pub(super) fn caller(&self, token: &str) -> Option<Caller> {
        let given = digest(token);
        let mut found = None;
        for (known, caller) in &self.known {
            let difference = known.iter().zip(given).fold(0, |all, (known, given)| all | (known ^ given));
            if difference == 0 {
                found = Some(caller);
            }
        }
        found.cloned()
    }
}

fn digest(token: &str) -> [u8; 32] {
    Sha256::digest(token.as_bytes()).into()
}

impl fmt::Debug for Tokens {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.known.iter().map(|(_, caller)| caller.name())).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::config::Config;

    const GREEN: &str = "green-token-0123456789";

    fn read(environment: &[(&str, &str)], file: &str) -> Result<Tokens, TokenError> {
        let yaml = "agents:\n  - {id: green-1}\npeople: [mia]\n";
        let callers = Callers::of(&Config::parse("countersign.yaml", yaml).unwrap());
        let variable = |name: &str| {
            environment.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).into())
        };
        Tokens::read(&callers, variable, file)
    }

    #[test]
    fn a_token_leads_to_its_caller_and_nothing_else_does() {
        let tokens =
            read(&[("COUNTERSIGN_TOKEN_GREEN_1", GREEN)], "# people\nmia  another-token-9876543210\n")
                .unwrap();
        assert_eq!(tokens.caller(GREEN).unwrap().name(), "green-1");
        assert_eq!(tokens.caller("another-token-9876543210").unwrap().name(), "mia");
        for wrong in ["", "green-1", "green-token-012345678", "green-token-01234567890"] {
            assert_eq!(tokens.caller(wrong), None, "{wrong}");
        }
        assert!(!format!("{tokens:?}").contains("token"));
    }

    #[test]
    fn tokens_that_protect_nothing_are_refused() {
        let of = |token| read(&[("COUNTERSIGN_TOKEN_MIA", token)], "").unwrap_err();
        assert_eq!(of("short"), TokenError::TooShort("mia".into()));
        assert_eq!(of("with a space in it somewhere"), TokenError::NotAWord("mia".into()));
        let shared = read(&[("COUNTERSIGN_TOKEN_MIA", GREEN), ("COUNTERSIGN_TOKEN_GREEN_1", GREEN)], "");
        assert_eq!(shared.unwrap_err(), TokenError::Shared("green-1".into(), "mia".into()));
        assert_eq!(read(&[], "eve x-token-0123456789\n").unwrap_err(), TokenError::Stranger("eve".into()));
        assert_eq!(read(&[], "mia\n").unwrap_err(), TokenError::NotALine(1));
    }
}
