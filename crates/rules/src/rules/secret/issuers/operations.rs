//! Secret stores, monitoring, infrastructure and networks.

use crate::rules::secret::detect::{Detector, exact, guess, marked, token};
use crate::rules::secret::structured;
use crate::rules::secret::tokens::Alphabet::{
    AlphaNumeric, Base64, Dotted, Header, Hex, LowerDigits, UpperDigits, Url, Word,
};
use crate::rules::secret::tokens::{at_least, between, exactly};

const VAULT: &str = "a Vault token";
const DOPPLER: &str = "a Doppler token";
const GRAFANA: &str = "a Grafana token";
const NEW_RELIC: &str = "a New Relic key";
const SENTRY: &str = "a Sentry token";
const TAILSCALE: &str = "a Tailscale key";
const SETTLEMINT: &str = "a SettleMint token";
const ONE_PASSWORD: &str = "a 1Password service account token";
const HONEYCOMB: &str = "a Honeycomb key";

pub(super) const FORMATS: &[Detector] = &[
    token(b"hvs.", VAULT, at_least(24, Url)),
    token(b"hvb.", VAULT, at_least(100, Url)),
    token(b"hvr.", VAULT, at_least(24, Url)),
    marked(b".atlasv1.", "a Terraform Cloud token", Url, (14, 14), (60, 80)),
    token(b"pul-", "a Pulumi token", exactly(40, Hex)),
    token(b"dp.pt.", DOPPLER, between(40, 44, AlphaNumeric)),
    token(b"dp.st.", DOPPLER, at_least(40, Dotted)),
    token(b"dp.ct.", DOPPLER, between(40, 44, AlphaNumeric)),
    token(b"dp.sa.", DOPPLER, between(40, 44, AlphaNumeric)),
    token(b"dp.scim.", DOPPLER, between(40, 44, AlphaNumeric)),
    token(b"dp.audit.", DOPPLER, between(40, 44, AlphaNumeric)),
    token(b"ops_eyJ", ONE_PASSWORD, at_least(150, Base64)),
    token(b"A3-", "a 1Password secret key", between(30, 38, Url).unless_by_chance()),
    token(b"AGE-SECRET-KEY-1", "an age secret key", exactly(58, UpperDigits)),
    token(b"glsa_", GRAFANA, exactly(41, Word)),
    token(b"glc_", GRAFANA, at_least(32, Base64)),
    token(b"eyJrIjoi", GRAFANA, at_least(40, Base64)),
    token(b"NRAK-", NEW_RELIC, exactly(27, UpperDigits)),
    token(b"NRII-", NEW_RELIC, at_least(30, Url)),
    token(b"NRJS-", "a New Relic browser key", exactly(19, Hex).for_a_sandbox()),
    marked(b"NRAL", NEW_RELIC, Hex, (35, 40), (0, 0)),
    token(b"sntrys_", SENTRY, at_least(80, Header)),
    token(b"sntryu_", SENTRY, exactly(64, Hex)),
    token(b"dt0c01.", "a Dynatrace token", exactly(89, Dotted)),
    token(b"dt0s01.", "a Dynatrace token", at_least(60, Dotted)),
    token(b"sha256~", "an OpenShift token", exactly(43, Url)),
    token(b"ico-", "an Infracost key", exactly(32, AlphaNumeric).unless_by_chance()),
    token(b"pnu_", "a Prefect key", exactly(36, AlphaNumeric)),
    token(b"p8e-", "an Adobe client secret", exactly(32, AlphaNumeric)),
    token(b"s-s4t2ud-", "an Intra 42 secret", exactly(64, Hex)),
    token(b"s-s4t2af-", "an Intra 42 secret", exactly(64, Hex)),
    token(b"hawk.", "a StackHawk key", exactly(41, Dotted).unless_by_chance()),
    token(b"dnkey-", "a Defined Networking token", at_least(60, Url)),
    token(b"SSWS ", "an Okta token", exactly(42, Url)),
    token(b"xkeysib-", "a Brevo key", exactly(81, Url)),
    token(b"xsmtpsib-", "a Brevo key", exactly(81, Url)),
    token(b"phx_", "a PostHog personal key", between(40, 60, AlphaNumeric)),
    token(b"sm_aat_", SETTLEMINT, exactly(16, AlphaNumeric)),
    token(b"sm_pat_", SETTLEMINT, exactly(16, AlphaNumeric)),
    token(b"sm_sat_", SETTLEMINT, exactly(16, AlphaNumeric)),
    guess(b"launchdarkly", "a LaunchDarkly key", structured::launch_darkly),
    exact(b"RGAPI-", "a Riot Games key", structured::uuid_behind),
    token(b"tfp_", "a Typeform token", at_least(40, Dotted)),
    exact(b"_mmk", "a MaxMind licence key", structured::maxmind),
    token(b"tskey-", TAILSCALE, at_least(24, Url)),
    guess(b"unseal", "a key that unseals a Vault", structured::unseal_key),
    token(b"endr+", "an Endor Labs credential", between(12, 32, AlphaNumeric)),
    token(b"rootly_", "a Rootly key", exactly(64, Hex)),
    token(b"samsara_api_", "a Samsara token", between(26, 32, AlphaNumeric)),
    token(b"hcaik_", HONEYCOMB, at_least(50, LowerDigits)),
    token(b"hcxik_", HONEYCOMB, at_least(50, LowerDigits)),
    token(b"hcalk_", HONEYCOMB, at_least(50, LowerDigits)),
    token(b"jca_", "a JumpCloud key", exactly(36, AlphaNumeric)),
    token(b"ptr_", "a Portainer token", exactly(44, Base64).unless_by_chance()),
    token(b"pts_", "a Pangea token", exactly(32, LowerDigits).unless_by_chance()),
    exact(b"xaat-", "an Axiom token", structured::uuid_behind),
    exact(b"xapt-", "an Axiom token", structured::uuid_behind),
    token(b"salad_cloud_", "a SaladCloud key", at_least(30, Word)),
    token(b"zpka_", "a Zuplo key", exactly(41, Word)),
    token(b"api_live.", "an Onfido token", at_least(20, Url)),
    token(b"api_live_", "an Onfido token", at_least(20, Dotted).unless_by_chance()),
    token(b"persona_production_", "a Persona key", at_least(20, Url)),
    token(b"prf_", "a Proof key", at_least(20, Url).unless_by_chance()),
    token(b"NF-", "a Nightfall key", exactly(32, AlphaNumeric).unless_by_chance()),
    token(b"BBFF-", "a Ubidots token", exactly(30, AlphaNumeric).unless_by_chance()),
    token(b"sec-c-", "a PubNub secret key", exactly(48, AlphaNumeric)),
    token(b"os_v2_app_", "a OneSignal key", exactly(103, LowerDigits)),
    token(b"os_v2_org_", "a OneSignal key", exactly(103, LowerDigits)),
];
