//! Clouds, hosting and databases.

use crate::rules::secret::address;
use crate::rules::secret::detect::{Detector, exact, in_context, marked, token};
use crate::rules::secret::structured;
use crate::rules::secret::tokens::Alphabet::{
    AlphaNumeric, AnyHex, Base32, Base64, Dotted, Header, Hex, LowerDigits, UpperDigits, Url, Word,
};
use crate::rules::secret::tokens::{at_least, between, exactly};

const AWS: &str = "an AWS access key id";
const AWS_SECRET: &str = "an AWS secret access key";
const AZURE: &str = "an Azure key";
const DIGITAL_OCEAN: &str = "a DigitalOcean token";
const PLANET_SCALE: &str = "a PlanetScale credential";
const SUPABASE: &str = "a Supabase key";
const YANDEX: &str = "a Yandex Cloud key";
const FLY: &str = "a Fly.io token";
const CLOUDFLARE: &str = "a Cloudflare token";
const VERCEL: &str = "a Vercel token";

pub(super) const FORMATS: &[Detector] = &[
    token(b"AKIA", AWS, exactly(16, Base32)),
    token(b"ASIA", AWS, exactly(16, Base32)),
    token(b"ABIA", AWS, exactly(16, Base32)),
    token(b"ACCA", AWS, exactly(16, Base32)),
    token(b"ABSK", "an Amazon Bedrock key", between(100, 300, Base64).unless_by_chance()),
    token(b"amzn.mws.", "an Amazon MWS token", exactly(36, Url)),
    in_context(b"aws_secret", AWS_SECRET, structured::aws_secret),
    in_context(b"awssecret", AWS_SECRET, structured::aws_secret),
    in_context(b"secretaccesskey", AWS_SECRET, structured::aws_secret),
    in_context(b"secret_access_key", AWS_SECRET, structured::aws_secret),
    in_context(b"secret-access-key", AWS_SECRET, structured::aws_secret),
    token(b"LTAI", "an Alibaba Cloud access key id", between(17, 21, AlphaNumeric).unless_by_chance()),
    token(b"AKID", "a Tencent Cloud secret id", exactly(32, AlphaNumeric).unless_by_chance()),
    token(b"AIza", "a Google API key", exactly(35, Url)),
    token(b"GOCSPX-", "a Google OAuth client secret", exactly(28, Url)),
    token(b"ya29.", "a Google OAuth access token", at_least(30, Url)),
    token(b"1//0", "a Google OAuth refresh token", between(40, 120, Url).unless_by_chance()),
    token(b"AccountKey=", "an Azure storage key", between(86, 88, Base64)),
    token(b"SharedAccessKey=", "an Azure shared access key", between(43, 44, Base64)),
    exact(b"Q~", "an Azure client secret", structured::azure_client_secret),
    exact(b"sig=", "an Azure shared access signature", address::shared_access_signature),
    marked(b"AZDO", "an Azure DevOps token", AlphaNumeric, (76, 76), (4, 4)),
    marked(b"+ASt", "an Azure storage key", Base64, (76, 76), (8, 8)),
    marked(b"ACDb", "an Azure Cosmos DB key", Base64, (76, 76), (8, 8)),
    marked(b"AzSe", "an Azure search key", AlphaNumeric, (42, 42), (6, 6)),
    marked(b"AzFu", "an Azure function key", Header, (44, 44), (8, 8)),
    marked(b"AzCa", "an Azure cache key", Base64, (33, 33), (7, 7)),
    marked(b"+ACR", "an Azure container registry key", Base64, (42, 42), (6, 6)),
    marked(b"APIM", "an Azure API management key", Base64, (76, 76), (8, 8)),
    marked(b"AIoT", AZURE, Base64, (33, 33), (7, 7)),
    token(b"dop_v1_", DIGITAL_OCEAN, exactly(64, Hex)),
    token(b"doo_v1_", DIGITAL_OCEAN, exactly(64, Hex)),
    token(b"dor_v1_", DIGITAL_OCEAN, exactly(64, Hex)),
    token(b"HRKU-", "a Heroku API key", between(36, 70, Url)),
    token(b"v1.0-", "a Cloudflare origin CA key", exactly(171, Url).unless_by_chance()),
    token(b"dapi", "a Databricks token", between(32, 34, Url).unless_by_chance()),
    token(b"dose", "a Databricks secret", exactly(32, Hex).unless_by_chance()),
    token(b"pscale_tkn_", PLANET_SCALE, between(32, 64, Dotted)),
    token(b"pscale_pw_", PLANET_SCALE, between(32, 64, Dotted)),
    token(b"pscale_oauth_", PLANET_SCALE, between(32, 64, Dotted)),
    token(b"sbp_", SUPABASE, exactly(40, AnyHex)),
    token(b"sb_secret_", SUPABASE, between(20, 60, Url)),
    token(b"fo1_", FLY, exactly(43, Url)),
    token(b"fm1r_", FLY, at_least(80, Base64)),
    token(b"fm2_", FLY, at_least(80, Base64)),
    token(b"nfp_", "a Netlify token", between(36, 40, AlphaNumeric)),
    token(b"rnd_", "a Render API key", between(28, 40, AlphaNumeric).unless_by_chance()),
    token(b"vercel_blob_rw_", "a Vercel blob token", at_least(30, Word)),
    token(b"tk-us-", "a Scalingo token", between(48, 50, Url)),
    token(b"t1.9eu", YANDEX, at_least(80, Dotted)),
    token(b"AQVN", YANDEX, between(35, 38, Url).unless_by_chance()),
    token(b"YCAJE", YANDEX, between(19, 21, Url).unless_by_chance()),
    token(b"K00", "a Backblaze key", exactly(28, Base64).unless_by_chance()),
    token(b"akab-", "an Akamai token", exactly(33, Url).unless_by_chance()),
    token(b"napi_", "a Neon key", exactly(64, AlphaNumeric)),
    token(b"xau_", "a Xata key", between(28, 60, AlphaNumeric).unless_by_chance()),
    token(b"fnA", "a Fauna key", exactly(37, Url).unless_by_chance()),
    token(b"CCDB1_", "a CockroachDB key", exactly(63, Word)),
    token(b"mdb_sa_sk_", "a MongoDB Atlas secret", at_least(30, Url)),
    token(b"ddp_", "a Deno Deploy token", exactly(36, AlphaNumeric)),
    token(b"ddo_", "a Deno Deploy token", exactly(36, AlphaNumeric)),
    marked(b":APA91b", "a Firebase messaging key", Url, (11, 11), (120, 180)),
    exact(b"cloudinary://", "a Cloudinary address with its secret", address::cloudinary),
    token(b"CFPAT-", "a Contentful token", exactly(43, Url)),
    token(b"4b1d", "a ClickHouse Cloud secret", exactly(38, AlphaNumeric).unless_by_chance()),
    exact(b"AAAAAAAAAAAAAAAAAAAAA", "an X bearer token", structured::x_bearer),
    token(b"cfut_", CLOUDFLARE, exactly(48, AlphaNumeric)),
    token(b"cfat_", CLOUDFLARE, exactly(48, AlphaNumeric)),
    token(b"cfk_", CLOUDFLARE, exactly(48, AlphaNumeric)),
    token(b"vcp_", VERCEL, between(24, 60, Url).unless_by_chance()),
    token(b"vci_", VERCEL, between(24, 60, Url).unless_by_chance()),
    token(b"vca_", VERCEL, between(24, 60, Url).unless_by_chance()),
    token(b"vcr_", VERCEL, between(24, 60, Url).unless_by_chance()),
    token(b"vck_", VERCEL, between(24, 60, Url).unless_by_chance()),
    token(b"FlyV1 ", FLY, at_least(80, Header)),
    token(b"AstraCS:", "a DataStax Astra token", at_least(20, AlphaNumeric)),
    token(b"essu_", "an Elastic Cloud key", at_least(50, Header)),
    token(b"AVNS_", "an Aiven service password", between(16, 24, Url).unless_by_chance()),
    token(b"y0_", YANDEX, between(50, 70, Url).unless_by_chance()),
    token(b"trnsl.1.1.", YANDEX, at_least(50, Dotted)),
    token(b"SCW", "a Scaleway access key", exactly(17, UpperDigits).unless_by_chance()),
    token(b"AQ.Ab8RN6", "a Gemini key", exactly(44, Url)),
    token(b"da2-", "an AppSync key", exactly(26, LowerDigits).unless_by_chance()),
    token(b"EXO", "an Exoscale key", between(24, 30, AlphaNumeric).unless_by_chance()),
    exact(b".infura.io/v3/", "the address of an Infura project", address::hook),
    exact(b".alchemyapi.io/v2/", "the address of an Alchemy app", address::hook),
    exact(b".g.alchemy.com/v2/", "the address of an Alchemy app", address::hook),
    token(b"ucat_", "an UpCloud token", between(24, 32, AlphaNumeric)),
];
