//! Messages, payments, shops and documents.

use crate::rules::secret::address;
use crate::rules::secret::detect::{Detector, exact, guess, token};
use crate::rules::secret::structured;
use crate::rules::secret::tokens::Alphabet::{
    AlphaNumeric, AnyHex, Base64, Dotted, Header, Hex, LowerDigits, Url, Word,
};
use crate::rules::secret::tokens::{at_least, between, exactly};

const SLACK: &str = "a Slack token";
const SLACK_HOOK: &str = "the address of a Slack webhook";
const DISCORD_HOOK: &str = "the address of a Discord webhook";
const SHOPIFY: &str = "a Shopify token";
const SQUARE: &str = "a Square credential";
const STRIPE: &str = "a Stripe secret key";
const STRIPE_TEST: &str = "a Stripe key for test mode";
const EASYPOST: &str = "an EasyPost key";
const FLUTTERWAVE: &str = "a Flutterwave key";
const DUFFEL: &str = "a Duffel token";
const SHIPPO: &str = "a Shippo token";
const WOOCOMMERCE: &str = "a WooCommerce key";

pub(super) const FORMATS: &[Detector] = &[
    token(b"xoxb-", SLACK, at_least(24, Url).in_parts()),
    token(b"xoxp-", SLACK, at_least(24, Url).in_parts()),
    token(b"xoxa-", SLACK, at_least(24, Url).in_parts()),
    token(b"xoxo-", SLACK, at_least(24, Url).in_parts()),
    token(b"xoxr-", SLACK, at_least(24, Url).in_parts()),
    token(b"xoxs-", SLACK, at_least(24, Url).in_parts()),
    token(b"xoxe-", SLACK, at_least(24, Url).in_parts()),
    token(b"xoxe.xox", SLACK, at_least(24, Url)),
    token(b"xoxc-", SLACK, at_least(24, Url).in_parts()),
    token(b"xoxd-", SLACK, at_least(24, Header)),
    token(b"xapp-", SLACK, at_least(24, Header).in_parts()),
    exact(b"hooks.slack.com/services/", SLACK_HOOK, address::hook),
    exact(b"hooks.slack.com/workflows/", SLACK_HOOK, address::hook),
    exact(b"hooks.slack.com/triggers/", SLACK_HOOK, address::hook),
    exact(b"discord.com/api/webhooks/", DISCORD_HOOK, address::hook),
    exact(b"discordapp.com/api/webhooks/", DISCORD_HOOK, address::hook),
    exact(b"webhook.office.com/webhookb2/", "the address of a Teams webhook", address::hook),
    exact(b"hooks.zapier.com/hooks/catch/", "the address of a Zapier hook", address::short_hook),
    exact(b".login(", "a Discord bot token", structured::discord_bot),
    guess(b"discord", "a Discord bot token", structured::discord_bot),
    exact(b":AA", "a Telegram bot token", structured::telegram),
    exact(b"SG.", "a SendGrid key", structured::sendgrid),
    exact(b"-us", "a Mailchimp key", structured::mailchimp),
    token(b"key-", "a Mailgun key", exactly(32, Hex).unless_by_chance()),
    guess(b"twilio", "a Twilio credential", structured::twilio),
    token(b"sk_live_", STRIPE, at_least(20, AlphaNumeric)),
    token(b"rk_live_", "a Stripe restricted key", at_least(20, AlphaNumeric)),
    token(b"sk_test_", STRIPE_TEST, at_least(20, AlphaNumeric).for_a_sandbox()),
    token(b"rk_test_", STRIPE_TEST, at_least(20, AlphaNumeric).for_a_sandbox()),
    token(b"whsec_", "a webhook signing secret", between(24, 90, Base64)),
    token(b"shpat_", SHOPIFY, exactly(32, AnyHex)),
    token(b"shpss_", SHOPIFY, exactly(32, AnyHex)),
    token(b"shpca_", SHOPIFY, exactly(32, AnyHex)),
    token(b"shppa_", SHOPIFY, exactly(32, AnyHex)),
    token(b"shpua_", SHOPIFY, exactly(32, Hex)),
    token(b"shptka_", SHOPIFY, exactly(32, Hex)),
    token(b"sq0atp-", SQUARE, exactly(22, Url)),
    token(b"sq0csp-", SQUARE, exactly(43, Url)),
    exact(b"EAA", "an access token of Facebook or Square", structured::facebook),
    exact(b"access_token$", "a Braintree token", structured::braintree),
    token(b"EZAK", EASYPOST, exactly(54, AlphaNumeric)),
    token(b"EZTK", EASYPOST, exactly(54, AlphaNumeric).for_a_sandbox()),
    token(b"FLWSECK-", FLUTTERWAVE, at_least(32, Url)),
    token(b"FLWSECK_TEST-", FLUTTERWAVE, at_least(12, Url).for_a_sandbox()),
    token(b"duffel_live_", DUFFEL, exactly(43, Url)),
    token(b"duffel_test_", DUFFEL, exactly(43, Url).for_a_sandbox()),
    token(b"shippo_live_", SHIPPO, exactly(40, AnyHex)),
    token(b"shippo_test_", SHIPPO, exactly(40, AnyHex).for_a_sandbox()),
    token(b"access-production-", "a Plaid token", exactly(36, Url)),
    token(b"access-sandbox-", "a Plaid token", exactly(36, Url).for_a_sandbox()),
    token(b"ntn_", "a Notion token", between(40, 60, AlphaNumeric)),
    token(b"secret_", "a Notion token", exactly(43, AlphaNumeric).unless_by_chance()),
    guess(b"airtable", "an Airtable token", structured::airtable),
    guess(b"asana", "an Asana token", structured::asana),
    token(b"fio-u-", "a Frame.io token", exactly(64, Url)),
    token(b"sl.", "a Dropbox token", between(130, 1_600, Url).unless_by_chance()),
    token(b"sk.eyJ", "a Mapbox secret token", at_least(60, Header)),
    token(b"syt_", "a Matrix access token", at_least(30, Word)),
    token(b"mlsn.", "a MailerSend token", exactly(64, Hex)),
    guess(b"mandrill", "a Mandrill key", structured::mandrill),
    guess(b"resend", "a Resend key", structured::resend),
    token(b"pk_", "a Klaviyo private key", exactly(34, Hex).unless_by_chance()),
    exact(b"pk_", "a ClickUp token", structured::clickup),
    token(b"rzp_live_", "a Razorpay key", exactly(14, AlphaNumeric)),
    token(b"rzp_test_", "a Razorpay key", exactly(14, AlphaNumeric).for_a_sandbox()),
    token(b"sandbox-sq0", SQUARE, between(22, 50, Url).for_a_sandbox()),
    token(b"oauth:", "a Twitch token", exactly(30, LowerDigits).unless_by_chance()),
    token(b"dG9rO", "an Intercom token", between(50, 60, Base64).unless_by_chance()),
    token(b"1000.", "a Zoho token", exactly(65, Dotted).unless_by_chance()),
    exact(b"00D", "a Salesforce session", structured::salesforce),
    exact(b"maker.ifttt.com/trigger/", "the address of an IFTTT hook", address::hook),
    guess(b"gocardless", "a GoCardless token", structured::gocardless),
    guess(b"mailgun", "a Mailgun key", structured::mailgun),
    guess(b"facebook", "a Facebook app token", structured::facebook_app),
    token(b"secret-token:", "a token as RFC 8959 writes it", at_least(16, Header)),
    token(b"sl.u.", "a Dropbox token", at_least(100, Url)),
    token(b"eyJtaXJv", "a Miro token", at_least(30, Url)),
    token(b"nyk_", "a Nylas key", exactly(67, AlphaNumeric)),
    token(b"mercury_production_", "a Mercury token", at_least(40, Word)),
    token(b"$aact_prod_", "an Asaas key", at_least(20, Header)),
    token(b"$aact_hmlg_", "an Asaas key", at_least(20, Header).for_a_sandbox()),
    token(b"ramp_sec_", "a Ramp secret", exactly(48, AlphaNumeric)),
    token(b"lip_", "a Lichess token", between(16, 60, AlphaNumeric).unless_by_chance()),
    token(b"tss_", "a Thunderstore token", at_least(20, Url).unless_by_chance()),
    token(b"ck_", WOOCOMMERCE, exactly(40, Hex)),
    token(b"cs_", WOOCOMMERCE, exactly(40, Hex)),
    token(b"re_", "a Resend key", exactly(33, Word).unless_by_chance()),
    token(b"PRD-", "an eBay secret", between(29, 40, Url).unless_by_chance()),
    token(b"wrka-eyJ", "a Workato token", at_least(80, Dotted)),
    token(b"ak_live_", "a Pagar.me key", between(24, 40, AlphaNumeric)),
    token(b"aio_", "an Adafruit key", exactly(28, AlphaNumeric).unless_by_chance()),
    token(b"sk_org_live_", STRIPE, at_least(20, AlphaNumeric)),
    token(b"sk_prod_", STRIPE, at_least(20, AlphaNumeric)),
    token(b"VF.DM.", "a Voiceflow key", between(38, 44, Dotted).unless_by_chance()),
    token(b"p.eyJ", "a Tinybird token", at_least(80, Dotted)),
];
