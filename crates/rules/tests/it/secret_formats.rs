//! Every format of an issuer: found in three contexts, with three bodies; not found when it is cut, masked or a sample.
//! All of them are put together here, so that no scanner takes this file for a leak.

use domain::words::Severity;
use rules::redact;

use crate::support::{NOTHING, Scenario};

/// Characters without order or words in them, always the same for the same seed.
pub(crate) fn noise_of(seed: usize, length: usize, alphabet: &str) -> String {
    let alphabet: Vec<char> = alphabet.chars().collect();
    let mut state = seed;
    let mut next = || {
        state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
        alphabet[(state >> 8) % alphabet.len()]
    };
    (0..length).map(|_| next()).collect()
}

pub(crate) fn noise(length: usize, alphabet: &str) -> String {
    noise_of(7, length, alphabet)
}

const DIGITS: &str = "0123456789";
const HEX: &str = "0123456789abcdef";
pub(crate) const UPPER: &str = "ABCDEFGHJKMNPQRSTUVW234567";
const LOWER: &str = "abcdefghijkmnpqrstuvw0123456789";
pub(crate) const MIXED: &str = "ABCDEFGHJKLMNPQRSTUVWZabcdefghijkmnpqrstuvw0123456789";

/// A prefix, how much follows, and of what.
const PREFIXED: [(&str, &str, usize, &str); 204] = [
    ("AWS", "AKIA", 16, UPPER),
    ("AWS", "ASIA", 16, UPPER),
    ("Alibaba", "LTAI", 20, MIXED),
    ("Tencent", "AKID", 32, MIXED),
    ("Google API", "AIza", 35, MIXED),
    ("client secret", "GOCSPX-", 28, MIXED),
    ("Google OAuth", "ya29.", 90, MIXED),
    ("DigitalOcean", "dop_v1_", 64, HEX),
    ("DigitalOcean", "doo_v1_", 64, HEX),
    ("Heroku", "HRKU-AA", 58, MIXED),
    ("Databricks", "dapi", 32, HEX),
    ("PlanetScale", "pscale_tkn_", 43, MIXED),
    ("PlanetScale", "pscale_pw_", 43, MIXED),
    ("Supabase", "sbp_", 40, HEX),
    ("Fly", "fo1_", 43, MIXED),
    ("Fly", "fm2_", 100, MIXED),
    ("Netlify", "nfp_", 36, MIXED),
    ("Vercel", "vercel_blob_rw_", 40, MIXED),
    ("Contentful", "CFPAT-", 43, MIXED),
    ("ClickHouse", "4b1d", 38, MIXED),
    ("GitHub", "ghp_", 36, MIXED),
    ("GitHub", "gho_", 36, MIXED),
    ("GitHub", "ghu_", 36, MIXED),
    ("GitHub", "ghs_", 36, MIXED),
    ("GitHub", "ghr_", 36, MIXED),
    ("GitHub", "github_pat_", 82, MIXED),
    ("GitLab", "glpat-", 20, MIXED),
    ("GitLab", "gldt-", 20, MIXED),
    ("GitLab", "glrt-", 20, MIXED),
    ("GitLab", "glft-", 20, MIXED),
    ("GitLab", "glptt-", 40, HEX),
    ("GitLab", "glcbt-64_", 20, MIXED),
    ("GitLab", "glimt-", 25, MIXED),
    ("GitLab", "glagent-", 50, MIXED),
    ("GitLab", "gloas-", 64, HEX),
    ("GitLab", "glsoat-", 20, MIXED),
    ("GitLab", "glffct-", 20, MIXED),
    ("GitLab", "GR1348941", 20, MIXED),
    ("Atlassian", "ATATT3xFfGF0", 180, MIXED),
    ("Bitbucket", "ATCTT3xFfGN0", 180, MIXED),
    ("Bitbucket", "ATBB", 32, MIXED),
    ("npm", "npm_", 36, MIXED),
    ("PyPI", "pypi-AgEIcHlwaS5vcmc", 80, MIXED),
    ("crates.io", "cio", 32, MIXED),
    ("RubyGems", "rubygems_", 48, HEX),
    ("NuGet", "oy2", 43, LOWER),
    ("Docker", "dckr_pat_", 27, MIXED),
    ("Clojars", "CLOJARS_", 60, LOWER),
    ("Artifactory", "AKCp", 69, MIXED),
    ("Artifactory", "cmVmdGtu", 56, MIXED),
    ("Sourcegraph", "sgp_", 40, HEX),
    ("SonarQube", "squ_", 40, HEX),
    ("Buildkite", "bkua_", 40, HEX),
    ("CircleCI", "CCIPAT_", 60, MIXED),
    ("Postman", "PMAK-", 59, MIXED),
    ("Linear", "lin_api_", 40, MIXED),
    ("Figma", "figd_", 40, MIXED),
    ("ReadMe", "rdme_", 70, LOWER),
    ("OpenAI", "sk-proj-", 60, MIXED),
    ("OpenAI", "sk-svcacct-", 60, MIXED),
    ("OpenAI", "sk-admin-", 60, MIXED),
    ("Anthropic", "sk-ant-api03-", 90, MIXED),
    ("OpenRouter", "sk-or-v1-", 64, HEX),
    ("Hugging", "hf_", 34, MIXED),
    ("Hugging", "api_org_", 34, MIXED),
    ("Groq", "gsk_", 52, MIXED),
    ("xAI", "xai-", 80, MIXED),
    ("Perplexity", "pplx-", 48, MIXED),
    ("Replicate", "r8_", 37, MIXED),
    ("NVIDIA", "nvapi-", 64, MIXED),
    ("LangSmith", "lsv2_pt_", 43, HEX),
    ("Pinecone", "pcsk_", 70, MIXED),
    ("Vault", "hvs.", 95, MIXED),
    ("Vault", "hvb.", 150, MIXED),
    ("Pulumi", "pul-", 40, HEX),
    ("Doppler", "dp.pt.", 43, MIXED),
    ("Doppler", "dp.st.prod.", 43, MIXED),
    ("1Password", "ops_eyJ", 250, MIXED),
    ("age", "AGE-SECRET-KEY-1", 58, UPPER),
    ("Grafana", "glc_", 60, MIXED),
    ("Grafana", "eyJrIjoi", 90, MIXED),
    ("New Relic", "NRAK-", 27, UPPER),
    ("Sentry", "sntryu_", 64, HEX),
    ("Sentry", "sntrys_", 120, MIXED),
    ("Tailscale", "tskey-auth-", 40, MIXED),
    ("OpenShift", "sha256~", 43, MIXED),
    ("Infracost", "ico-", 32, MIXED),
    ("Prefect", "pnu_", 36, MIXED),
    ("Adobe", "p8e-", 32, LOWER),
    ("Okta", "SSWS 00", 40, MIXED),
    ("Brevo", "xkeysib-", 81, HEX),
    ("Typeform", "tfp_", 59, MIXED),
    ("Slack", "xoxb-", 40, MIXED),
    ("Slack", "xoxp-", 60, MIXED),
    ("Slack", "xoxa-", 40, MIXED),
    ("Slack", "xoxo-", 40, MIXED),
    ("Slack", "xoxs-", 40, MIXED),
    ("Slack", "xoxr-", 40, MIXED),
    ("Slack", "xoxe-", 60, MIXED),
    ("Slack", "xapp-", 60, MIXED),
    ("Mailgun", "key-", 32, HEX),
    ("Stripe", "sk_live_", 24, MIXED),
    ("Stripe", "rk_live_", 24, MIXED),
    ("webhook signing", "whsec_", 32, MIXED),
    ("Shopify", "shpat_", 32, HEX),
    ("Shopify", "shpss_", 32, HEX),
    ("Shopify", "shpca_", 32, HEX),
    ("Shopify", "shppa_", 32, HEX),
    ("Square", "sq0atp-", 22, MIXED),
    ("Square", "sq0csp-", 43, MIXED),
    ("Facebook", "EAACEdEose0cBA", 120, MIXED),
    ("EasyPost", "EZAK", 54, MIXED),
    ("Flutterwave", "FLWSECK-", 32, HEX),
    ("Duffel", "duffel_live_", 43, MIXED),
    ("Shippo", "shippo_live_", 40, HEX),
    ("Notion", "ntn_", 46, MIXED),
    ("Notion", "secret_", 43, MIXED),
    ("Frame.io", "fio-u-", 64, MIXED),
    ("Dropbox", "sl.", 140, MIXED),
    ("Mapbox", "sk.eyJ", 80, MIXED),
    ("Matrix", "syt_", 40, MIXED),
    ("Backblaze", "K00", 28, MIXED),
    ("Akamai", "akab-", 33, LOWER),
    ("Neon", "napi_", 64, LOWER),
    ("Xata", "xau_", 28, MIXED),
    ("Fauna", "fnA", 37, MIXED),
    ("CockroachDB", "CCDB1_", 63, MIXED),
    ("MongoDB Atlas", "mdb_sa_sk_", 40, MIXED),
    ("Deno", "ddp_", 36, MIXED),
    ("Deno", "ddo_", 36, MIXED),
    ("OpenAI", "sess-", 40, MIXED),
    ("Bedrock", "bedrock-api-key-", 120, MIXED),
    ("language model", "sk-", 32, HEX),
    ("Octopus", "API-", 26, UPPER),
    ("PostHog", "phx_", 43, MIXED),
    ("SettleMint", "sm_aat_", 16, MIXED),
    ("SettleMint", "sm_pat_", 16, MIXED),
    ("MailerSend", "mlsn.", 64, HEX),
    ("Klaviyo", "pk_", 34, HEX),
    ("Razorpay", "rzp_live_", 14, MIXED),
    ("Twitch", "oauth:", 30, LOWER),
    ("Intercom", "dG9rO", 55, MIXED),
    ("Cloudflare", "cfut_", 48, MIXED),
    ("Cloudflare", "cfat_", 48, MIXED),
    ("Vercel", "vcp_", 56, MIXED),
    ("Vercel", "vca_", 56, MIXED),
    ("Fly.io", "FlyV1 ", 100, MIXED),
    ("Astra", "AstraCS:", 24, MIXED),
    ("Elastic", "essu_", 60, MIXED),
    ("Aiven", "AVNS_", 20, MIXED),
    ("Yandex", "y0_", 56, MIXED),
    ("Yandex", "trnsl.1.1.", 60, MIXED),
    ("Gemini", "AQ.Ab8RN6", 44, MIXED),
    ("UpCloud", "ucat_", 30, MIXED),
    ("AppSync", "da2-", 26, LOWER),
    ("Exoscale", "EXO", 26, MIXED),
    ("Buildkite", "bkat_", 44, MIXED),
    ("Trello", "ATTA", 72, MIXED),
    ("Apify", "apify_api_", 36, MIXED),
    ("Val Town", "vtwn_", 30, MIXED),
    ("n8n", "n8n_api_", 64, MIXED),
    ("Aikido", "AIK_CI_", 40, MIXED),
    ("Aikido", "AIK_SECRET_", 64, MIXED),
    ("Devin", "apk_user_", 120, MIXED),
    ("Devin", "cog_", 52, LOWER),
    ("Polar", "polar_oat_", 40, MIXED),
    ("Inngest", "signkey-prod-", 64, HEX),
    ("Bitbucket", "BBDC-", 44, MIXED),
    ("swarm", "SWMTKN-1-", 76, LOWER),
    ("swarm", "SWMKEY-1-", 43, MIXED),
    ("LlamaCloud", "llx-", 48, MIXED),
    ("Weights", "wandb_v1_", 77, MIXED),
    ("Voyage", "pa-", 43, MIXED),
    ("OpenAI", "sk-", 48, MIXED),
    ("MiniMax", "sk-api-", 119, MIXED),
    ("Cursor", "key_", 64, HEX),
    ("Rootly", "rootly_", 64, HEX),
    ("Samsara", "samsara_api_", 30, MIXED),
    ("Honeycomb", "hcaik_", 58, LOWER),
    ("JumpCloud", "jca_", 36, MIXED),
    ("Pangea", "pts_", 32, LOWER),
    ("Onfido", "api_live.", 40, MIXED),
    ("Persona", "persona_production_", 40, LOWER),
    ("PubNub", "sec-c-", 48, MIXED),
    ("OneSignal", "os_v2_app_", 103, LOWER),
    ("Dropbox", "sl.u.", 140, MIXED),
    ("Miro", "eyJtaXJv", 50, MIXED),
    ("Nylas", "nyk_", 67, MIXED),
    ("Mercury", "mercury_production_", 52, MIXED),
    ("Asaas", "$aact_prod_", 60, MIXED),
    ("Ramp", "ramp_sec_", 48, MIXED),
    ("Lichess", "lip_", 24, MIXED),
    ("WooCommerce", "ck_", 40, HEX),
    ("WooCommerce", "cs_", 40, HEX),
    ("Paddle", "pdl_live_apikey_", 52, MIXED),
    ("Xendit", "xnd_production_", 64, MIXED),
    ("Pagar.me", "ak_live_", 30, MIXED),
    ("Tailscale", "tskey-scim-", 36, MIXED),
    ("ElevenLabs", "sk_", 48, HEX),
    ("Friendli", "flp_", 46, MIXED),
    ("Retell", "key_", 28, HEX),
    ("Scale", "live_auth_", 32, HEX),
    ("OpenAI", "sk-None-", 48, MIXED),
    ("Endor", "endr+", 16, MIXED),
];

/// Formats with more parts than two, for one seed.
fn structured(seed: usize) -> Vec<(&'static str, String)> {
    let some = |length, alphabet| noise_of(seed, length, alphabet);
    let other = |length, alphabet| noise_of(seed + 11, length, alphabet);
    let jwt = "eyJhbGciOiJIUzI1NiJ9.eyJpc3MiOiJhY21lIiwibiI6NDJ9.";
    let hook = |host: &str| format!("https://{host}/{}/{}", some(18, "23456789"), other(68, MIXED));
    vec![
        ("Azure storage", format!("AccountKey={}==", some(86, MIXED))),
        ("shared access key", format!("SharedAccessKey={}=", some(43, MIXED))),
        ("Azure client", format!("{}8Q~{}", some(3, MIXED), other(34, MIXED))),
        ("signature", format!("https://a.blob.core.windows.net/c?sv=2022-11-02&sig={}%3D", some(43, MIXED))),
        ("DevOps", format!("{}AZDO{}", some(76, MIXED), other(4, MIXED))),
        ("AWS secret", format!("aws_secret_access_key = {}", some(40, MIXED))),
        (
            "Slack webhook",
            format!("https://hooks.slack.com/services/T024BE7LD/B02A4C6E8/{}", some(24, MIXED)),
        ),
        ("Discord webhook", hook("discord.com/api/webhooks")),
        ("Discord webhook", hook("discordapp.com/api/webhooks")),
        ("OpenAI", format!("sk-{}T3BlbkFJ{}", some(20, MIXED), other(20, MIXED))),
        ("SendGrid", format!("SG.{}.{}", some(22, MIXED), other(43, MIXED))),
        ("Mailchimp", format!("{}-us14", some(32, HEX))),
        ("Telegram", format!("{}:AA{}", some(9, "23456789"), other(33, MIXED))),
        ("Terraform", format!("{}.atlasv1.{}", some(14, MIXED), other(67, MIXED))),
        ("New Relic", format!("{}NRAL", some(36, HEX))),
        ("Grafana", format!("glsa_{}_{}", some(32, MIXED), other(8, HEX))),
        ("Dynatrace", format!("dt0c01.{}.{}", some(24, UPPER), other(64, UPPER))),
        ("Braintree", format!("access_token$production${}${}", some(16, LOWER), other(32, HEX))),
        (
            "X bearer",
            format!("{}{}%2B{}%3D{}", "A".repeat(22), some(40, MIXED), other(20, MIXED), some(30, MIXED)),
        ),
        ("MaxMind", format!("{}_{}_mmk", some(6, MIXED), other(29, MIXED))),
        ("JSON web token", format!("{jwt}{}", some(43, MIXED))),
        ("Plaid", format!("access-production-{}", uuid(seed))),
        ("HubSpot", format!("pat-na1-{}", uuid(seed))),
        ("Amazon MWS", format!("amzn.mws.{}", uuid(seed))),
        ("Riot", format!("RGAPI-{}", uuid(seed))),
        ("Harness", format!("pat.{}.{}.{}", some(22, MIXED), other(24, HEX), some(20, MIXED))),
        ("Authress", format!("sc_{}.acc_{}.{}", some(12, LOWER), other(16, LOWER), some(44, MIXED))),
        ("Sidekiq", format!("BUNDLE_GEMS__CONTRIBSYS__COM={}:{}", some(8, HEX), other(8, HEX))),
        ("ClickUp", format!("pk_4417{}_{}", some(4, "23456789"), other(32, UPPER))),
        ("Salesforce", format!("00D{}!{}", some(15, MIXED), other(96, MIXED))),
        ("Cloudinary", format!("cloudinary://{}:{}@acme", some(15, "23456789"), other(27, MIXED))),
        ("Infura", format!("https://mainnet.infura.io/v3/{}", some(32, HEX))),
        ("Alchemy", format!("https://eth-mainnet.g.alchemy.com/v2/{}", some(32, MIXED))),
        ("Firebase", format!("{}:APA91b{}", some(11, MIXED), other(134, MIXED))),
    ]
}

fn uuid(seed: usize) -> String {
    let hex = noise_of(seed, 32, HEX);
    [&hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..]].join("-")
}

/// All formats, with a body of their own for each seed.
pub(crate) fn formats(seed: usize) -> Vec<(&'static str, String)> {
    let prefixed = PREFIXED.iter().map(|(name, prefix, length, alphabet)| {
        (*name, format!("{prefix}{}", noise_of(seed, *length, alphabet)))
    });
    prefixed.chain(structured(seed)).collect()
}

#[test]
fn every_format_is_found_wherever_it_stands() {
    for (at, write) in [
        (|secret: &str| format!("x = \"{secret}\"\n")) as fn(&str) -> String,
        |secret| format!("see {secret}\n"),
        |secret| format!("curl -H 'X: {secret}' y\n"),
    ]
    .iter()
    .enumerate()
    {
        for (name, secret) in formats([7, 23, 101][at]) {
            let text = write(&secret);
            let findings = Scenario::adding("docs/notes.txt", &text).findings("secret");
            let [finding] = findings.as_slice() else { panic!("{name}: {findings:?} in {text}") };
            let expected = if name == "JSON web token" { Severity::Medium } else { Severity::Critical };
            assert_eq!((finding.severity, finding.line()), (expected, Some(1)), "{name}");
            let told = finding.message.to_lowercase();
            assert!(told.contains(&name.to_lowercase()), "{name}: {told}");
        }
    }
}

#[test]
fn what_is_cut_short_is_no_secret() {
    for (name, secret) in formats(7) {
        for share in [4, 8] {
            let cut = format!("{}\n", &secret[..secret.len() / share]);
            assert_eq!(Scenario::adding("a.txt", &cut).lines("secret"), NOTHING, "{name}: {cut}");
        }
    }
}

#[test]
fn samples_of_a_format_are_no_secrets() {
    for (name, secret) in formats(7).into_iter().filter(|(name, _)| *name != "JSON web token") {
        let at = secret.len() - 18.min(secret.len() / 2);
        let sample = format!("{}EXAMPLE{}\n", &secret[..at], &secret[(at + 7).min(secret.len())..]);
        assert_eq!(Scenario::adding("a.txt", &sample).lines("secret"), NOTHING, "{name}: {sample}");
        let blank: String = secret[at..].chars().map(|c| if c.is_alphanumeric() { 'x' } else { c }).collect();
        let blank = format!("{}{blank}\n", &secret[..at]);
        assert_eq!(Scenario::adding("a.txt", &blank).lines("secret"), NOTHING, "{name}: {blank}");
    }
}

#[test]
fn a_prefix_in_the_middle_of_a_word_is_none() {
    for (name, prefix, length, alphabet) in
        PREFIXED.iter().filter(|(_, prefix, ..)| !prefix.starts_with("ops_"))
    {
        let text = format!("q{prefix}{}\n", noise(*length, alphabet));
        assert_eq!(Scenario::adding("a.txt", &text).lines("secret"), NOTHING, "{name}: {text}");
    }
}

#[test]
fn nothing_of_a_known_format_survives_redaction() {
    for seed in [7, 23, 101] {
        for (name, secret) in formats(seed) {
            let body = &secret[secret.len() - 10..];
            for text in [secret.clone(), format!("a '{secret}' b"), format!("{secret}\n{secret}")] {
                let redacted = redact(&text);
                assert!(!redacted.contains(body), "{name}: {redacted}");
            }
        }
    }
}

#[test]
fn redaction_keeps_four_characters_at_most() {
    for (name, prefix, length, alphabet) in PREFIXED {
        let redacted = redact(&format!("{prefix}{}", noise(length, alphabet))).into_owned();
        let kept = redacted.split("...").next().unwrap();
        assert!(kept.len() <= 4, "{name}: {kept}");
    }
}

#[test]
fn a_checksum_that_is_right_makes_sure() {
    use domain::review::Confidence;
    // The example that GitHub published with its format.
    let right = ["gh", "p_zQWBuTSOoRi4A9spHcVY5ncnsDkxkJ", "0mLq17"].concat();
    let wrong = ["gh", "p_zQWBuTSOoRi4A9spHcVY5ncnsDkxkJ", "0mLq18"].concat();
    for (token, confidence) in [(right, Confidence::High), (wrong, Confidence::Medium)] {
        let findings = Scenario::adding("src/a.py", format!("t = '{token}'\n")).findings("secret");
        assert_eq!((findings[0].severity, findings[0].confidence), (Severity::Critical, confidence));
    }
}

#[test]
fn keys_for_a_sandbox_are_told_and_stop_nothing() {
    use domain::review::Confidence;
    for (prefix, length) in [("sk_test_", 24), ("rk_test_", 24), ("EZTK", 54), ("duffel_test_", 43)] {
        let text = format!("k = '{prefix}{}'\n", noise(length, MIXED));
        let findings = Scenario::adding("src/a.py", text).findings("secret");
        assert_eq!(
            (findings[0].severity, findings[0].confidence),
            (Severity::Low, Confidence::Low),
            "{prefix}"
        );
    }
}

#[test]
fn a_made_up_token_is_told_where_code_runs_and_stops_nothing() {
    use domain::review::Confidence;
    for (prefix, body) in [
        ("ghp_", "1234567890abcdef1234567890abcdef1234"),
        ("sk_live_", "ABCDEFGHIJKLMNOPQRSTUVWXYZabcd"),
        ("sk-proj-", "abcdefghijklmnopqrstuvwxyz1234567890ABCDEFGH"),
    ] {
        let text = format!("k = '{prefix}{body}'\n");
        let findings = Scenario::adding("src/a.py", &text).findings("secret");
        let [finding] = findings.as_slice() else { panic!("{findings:?} in {text}") };
        assert_eq!((finding.severity, finding.confidence), (Severity::Low, Confidence::Low), "{prefix}");
        for path in ["README.md", "tests/a.py", ".env.example"] {
            assert_eq!(Scenario::adding(path, &text).lines("secret"), NOTHING, "{path}: {text}");
        }
    }
}

#[test]
fn a_token_in_pieces_is_found_whole() {
    let body = noise(36, MIXED);
    let (first, second) = body.split_at(15);
    for joint in ["\" + \"", "\" . \"", "\" \""] {
        let text = format!("t = \"gh{}{first}{joint}{second}\";\n", "p_");
        assert_eq!(Scenario::adding("src/a.js", &text).lines("secret"), [1], "{text}");
        let redacted = redact(&text).into_owned();
        assert!(!redacted.contains(first) && !redacted.contains(second), "{redacted}");
    }
    let list = format!("t = [\"gh{}{first}\", \"{second}\"];\n", "p_");
    assert_eq!(Scenario::adding("src/a.js", &list).lines("secret"), NOTHING);
}

#[test]
fn digits_alone_are_no_token() {
    for (name, prefix, length, _) in PREFIXED.iter().filter(|(_, prefix, ..)| prefix.len() <= 4) {
        let text = format!("{prefix}{}\n", noise(*length, &DIGITS[..6]));
        assert_eq!(Scenario::adding("a.txt", &text).lines("secret"), NOTHING, "{name}");
    }
}
