//! Where code lives, is built and is published.

use crate::rules::secret::detect::{Detector, exact, token};
use crate::rules::secret::structured;
use crate::rules::secret::tokens::Alphabet::{
    AlphaNumeric, Base64, Dotted, Header, Hex, LowerDigits, UpperDigits, Url, Word,
};
use crate::rules::secret::tokens::{at_least, between, exactly};

const GITHUB: &str = "a GitHub token";
const GITLAB: &str = "a GitLab token";
const ATLASSIAN: &str = "an Atlassian token";
const SOURCEGRAPH: &str = "a Sourcegraph token";
const SONAR: &str = "a SonarQube token";
const HUBSPOT: &str = "a HubSpot token";
const HARNESS: &str = "a Harness token";
const DOCKER: &str = "a Docker Hub token";
const BUILDKITE: &str = "a Buildkite token";

pub(super) const FORMATS: &[Detector] = &[
    token(b"ghp_", GITHUB, at_least(36, AlphaNumeric).with_checksum()),
    token(b"gho_", GITHUB, at_least(36, AlphaNumeric).with_checksum()),
    token(b"ghu_", GITHUB, at_least(36, AlphaNumeric).with_checksum()),
    token(b"ghs_", GITHUB, at_least(36, AlphaNumeric).with_checksum()),
    token(b"ghr_", GITHUB, at_least(36, AlphaNumeric).with_checksum()),
    token(b"github_pat_", GITHUB, at_least(60, Word)),
    token(b"glpat-", GITLAB, at_least(20, Dotted)),
    token(b"glrt-", GITLAB, at_least(20, Dotted)),
    token(b"glrtr-", GITLAB, at_least(20, Dotted)),
    token(b"gldt-", GITLAB, at_least(20, Url)),
    token(b"glft-", GITLAB, at_least(20, Url)),
    token(b"glptt-", GITLAB, at_least(20, AlphaNumeric)),
    token(b"glcbt-", GITLAB, at_least(20, Url)),
    token(b"glimt-", GITLAB, at_least(25, Url)),
    token(b"glagent-", GITLAB, at_least(50, Url)),
    token(b"glwt-", GITLAB, at_least(20, Url)),
    token(b"gloas-", GITLAB, at_least(20, Url)),
    token(b"glsoat-", GITLAB, at_least(20, Url)),
    token(b"glffct-", GITLAB, at_least(20, Url)),
    token(b"GR1348941", GITLAB, at_least(20, Url)),
    token(b"_gitlab_session=", "a GitLab session", exactly(32, AlphaNumeric)),
    token(b"ATATT3", ATLASSIAN, at_least(60, Header)),
    token(b"ATCTT3", "a Bitbucket token", at_least(60, Header)),
    token(b"ATBB", "a Bitbucket app password", exactly(32, AlphaNumeric)),
    token(b"npm_", "an npm token", exactly(36, AlphaNumeric).with_checksum()),
    token(b"pypi-AgE", "a PyPI token", at_least(50, Url)),
    token(b"cio", "a crates.io token", exactly(32, AlphaNumeric).unless_by_chance()),
    token(b"rubygems_", "a RubyGems key", exactly(48, Hex)),
    token(b"oy2", "a NuGet key", exactly(43, LowerDigits).unless_by_chance()),
    token(b"dckr_pat_", DOCKER, between(27, 36, Url)),
    token(b"dckr_oat_", DOCKER, between(27, 36, Url)),
    token(b"CLOJARS_", "a Clojars token", exactly(60, AlphaNumeric)),
    token(b"AKCp", "an Artifactory key", between(64, 76, AlphaNumeric)),
    token(b"cmVmdGtu", "an Artifactory reference token", between(52, 64, AlphaNumeric)),
    token(b"sgp_", SOURCEGRAPH, between(40, 60, Word).unless_by_chance()),
    token(b"slk_", SOURCEGRAPH, exactly(64, Hex)),
    token(b"squ_", SONAR, exactly(40, Hex)),
    token(b"sqp_", SONAR, exactly(40, Hex)),
    token(b"sqa_", SONAR, exactly(40, Hex)),
    token(b"bkua_", BUILDKITE, exactly(40, Hex)),
    token(b"CCIPAT_", "a CircleCI token", at_least(40, Word)),
    token(b"CCIPRJ_", "a CircleCI token", at_least(40, Word)),
    token(b"PMAK-", "a Postman API key", exactly(59, Url)),
    token(b"lin_api_", "a Linear API key", between(32, 64, AlphaNumeric)),
    token(b"lin_oauth_", "a Linear token", between(32, 64, AlphaNumeric)),
    token(b"figd_", "a Figma token", at_least(36, Url)),
    token(b"waka_", "a WakaTime key", exactly(36, Url)),
    token(b"snyk_uat.", "a Snyk token", at_least(40, Header)),
    token(b"rdme_", "a ReadMe key", exactly(70, AlphaNumeric)),
    token(b"pat-na1-", HUBSPOT, exactly(36, Url)),
    token(b"pat-na2-", HUBSPOT, exactly(36, Url)),
    token(b"pat-eu1-", HUBSPOT, exactly(36, Url)),
    token(b"pat-ap1-", HUBSPOT, exactly(36, Url)),
    token(b"API-", "an Octopus Deploy key", between(25, 31, UpperDigits)),
    exact(b"pat.", HARNESS, structured::harness),
    exact(b"sat.", HARNESS, structured::harness),
    exact(b".acc_", "an Authress key", structured::authress),
    exact(b".acc-", "an Authress key", structured::authress),
    exact(b"gems.contribsys.com", "a Sidekiq credential", structured::sidekiq_address),
    exact(b"CONTRIBSYS__COM", "a Sidekiq credential", structured::sidekiq),
    token(b"bkaj_", BUILDKITE, at_least(40, AlphaNumeric)),
    token(b"bkat_", BUILDKITE, at_least(40, AlphaNumeric)),
    token(b"bkct_", BUILDKITE, at_least(40, AlphaNumeric)),
    token(b"bkpt_", BUILDKITE, at_least(40, AlphaNumeric)),
    token(b"ATTA", "a Trello token", exactly(72, AlphaNumeric).unless_by_chance()),
    token(b"apify_api_", "an Apify token", between(30, 44, AlphaNumeric)),
    token(b"ion_", "an Ionic token", exactly(42, AlphaNumeric).unless_by_chance()),
    token(b"vtwn_", "a Val Town token", at_least(20, Url).unless_by_chance()),
    token(b"n8n_api_", "an n8n key", at_least(40, AlphaNumeric)),
    token(b"retool_", "a Retool token", at_least(26, Word).unless_by_chance()),
    token(b"csb_v1_", "a CodeSandbox token", at_least(20, Url)),
    token(b"AIK_CI_", "an Aikido token", between(20, 64, AlphaNumeric)),
    token(b"AIK_SECRET_", "an Aikido secret", between(40, 80, AlphaNumeric)),
    token(b"spu-", "a SpectralOps token", exactly(32, Hex)),
    token(b"apk_user_", "a Devin key", at_least(60, Base64)),
    token(b"apk_", "a Devin key", between(80, 104, Base64).unless_by_chance()),
    token(b"polar_oat_", "a Polar token", at_least(20, Url)),
    token(b"configcat-sdk-1/", "a ConfigCat key", exactly(45, Header)),
    token(b"dvc_server_", "a DevCycle key", at_least(20, Word)),
    token(b"signkey-prod-", "an Inngest signing key", exactly(64, Hex)),
    token(b"tr_prod_", "a Trigger.dev key", between(20, 32, AlphaNumeric)),
    token(b"tr_dev_", "a Trigger.dev key", between(20, 32, AlphaNumeric).for_a_sandbox()),
    exact(b"sdk-", "a LaunchDarkly key", structured::uuid_behind),
];
