use domain::text::nearest;
use genai::adapter::AdapterKind;
use reqwest::Url;

/// One kind of service that models can be had from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Provider {
    pub(super) name: &'static str,
    pub(super) adapter: Adapter,
    /// The first that is set counts.
    pub(super) keys: &'static [&'static str],
    pub(super) places: &'static [&'static str],
    version: Version,
}

/// How a provider is spoken to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Adapter {
    Of(AdapterKind),
    /// By chat completions or by Responses, whichever the model is made for; at another address than
    /// OpenAI's own by chat completions, which is what others imitate.
    OpenAi,
    /// By its OpenAI-compatible interface: it is there that the client sends a schema.
    Ollama,
}

/// What an address may leave out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Version {
    /// Addresses are usually given without it.
    Always(&'static str),
    /// Added to a bare host only; any path is taken to be the whole.
    IfBare(&'static str),
}

pub(super) const PROVIDERS: [Provider; 10] = [
    Provider {
        name: "anthropic",
        adapter: Adapter::Of(AdapterKind::Anthropic),
        keys: &["ANTHROPIC_API_KEY"],
        places: &["ANTHROPIC_BASE_URL"],
        version: Version::Always("v1"),
    },
    Provider {
        name: "openai",
        adapter: Adapter::OpenAi,
        keys: &["OPENAI_API_KEY"],
        places: &["OPENAI_BASE_URL"],
        version: Version::IfBare("v1"),
    },
    Provider {
        name: "openai-responses",
        adapter: Adapter::Of(AdapterKind::OpenAIResp),
        keys: &["OPENAI_API_KEY"],
        places: &["OPENAI_BASE_URL"],
        version: Version::IfBare("v1"),
    },
    Provider {
        name: "gemini",
        adapter: Adapter::Of(AdapterKind::Gemini),
        keys: &["GEMINI_API_KEY", "GOOGLE_API_KEY"],
        places: &["GEMINI_BASE_URL", "GOOGLE_GEMINI_BASE_URL"],
        version: Version::Always("v1beta"),
    },
    Provider {
        name: "ollama",
        adapter: Adapter::Ollama,
        keys: &["OLLAMA_API_KEY"],
        places: &["OLLAMA_HOST"],
        version: Version::Always("v1"),
    },
    Provider {
        name: "openrouter",
        adapter: Adapter::Of(AdapterKind::OpenRouter),
        keys: &["OPENROUTER_API_KEY", "OPEN_ROUTER_API_KEY"],
        places: &["OPENROUTER_BASE_URL"],
        version: Version::IfBare("api/v1"),
    },
    Provider {
        name: "xai",
        adapter: Adapter::Of(AdapterKind::Xai),
        keys: &["XAI_API_KEY"],
        places: &["XAI_BASE_URL"],
        version: Version::IfBare("v1"),
    },
    Provider {
        name: "groq",
        adapter: Adapter::Of(AdapterKind::Groq),
        keys: &["GROQ_API_KEY"],
        places: &["GROQ_BASE_URL"],
        version: Version::IfBare("openai/v1"),
    },
    Provider {
        name: "deepseek",
        adapter: Adapter::Of(AdapterKind::DeepSeek),
        keys: &["DEEPSEEK_API_KEY"],
        places: &["DEEPSEEK_BASE_URL"],
        version: Version::IfBare("v1"),
    },
    Provider {
        name: "mistral",
        adapter: Adapter::Of(AdapterKind::Mistral),
        keys: &["MISTRAL_API_KEY"],
        places: &["MISTRAL_BASE_URL"],
        version: Version::IfBare("v1"),
    },
];

impl Provider {
    pub(super) fn find(name: &str) -> Result<&'static Provider, String> {
        let lower = name.to_ascii_lowercase();
        if let Some(found) = PROVIDERS.iter().find(|provider| provider.name == lower) {
            return Ok(found);
        }
        let names = PROVIDERS.map(|provider| provider.name);
        Err(match nearest(&lower, names) {
            Some(nearest) => format!("there is no provider `{lower}`; did you mean `{nearest}`?"),
            None => format!(
                "there is no provider `{lower}`; known are {}. Any other service that imitates OpenAI's interface is \
                 `openai` with its address in OPENAI_BASE_URL",
                names.join(", ")
            ),
        })
    }

    /// The address as the client wants it: with the version, ending in a slash. Nothing of the given text is
    /// in the error: there may be a password in it.
    pub(super) fn place(&self, variable: &str, given: &str) -> Result<Url, String> {
        let wrong = |why: &str| {
            format!(
                "{variable} is no address that can be used ({why}); it should look like https://host or https://host/path"
            )
        };
        let given = given.trim();
        let with_scheme = match (self.adapter, given.contains("://")) {
            (Adapter::Ollama, false) => format!("http://{given}"),
            _ => given.to_owned(),
        };
        let mut url = Url::parse(&with_scheme).map_err(|error| wrong(&error.to_string()))?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err(wrong("neither http nor https"));
        }
        if self.adapter == Adapter::Ollama {
            make_reachable(&mut url, given);
        }
        let path = url.path().trim_end_matches('/').to_owned();
        let last = path.rsplit('/').next().unwrap_or_default();
        let path = match self.version {
            Version::Always(version) if !is_version(last) => format!("{path}/{version}/"),
            Version::IfBare(version) if path.is_empty() => format!("/{version}/"),
            Version::Always(_) | Version::IfBare(_) => format!("{path}/"),
        };
        url.set_path(&path);
        Ok(url)
    }
}

fn is_version(segment: &str) -> bool {
    let mut characters = segment.chars();
    characters.next() == Some('v') && characters.next().is_some_and(|c| c.is_ascii_digit())
}

/// `OLLAMA_HOST` is first of all where the server listens: every address of the machine, and a port that need
/// not be said.
fn make_reachable(url: &mut Url, given: &str) {
    const PORT: u16 = 11434;
    if matches!(url.host_str(), Some("0.0.0.0" | "[::]")) {
        let _ = url.set_host(Some("127.0.0.1"));
    }
    if url.port().is_none() && !given.contains("://") {
        let _ = url.set_port(Some(PORT));
    }
}
