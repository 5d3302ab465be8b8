//! Build, deployment and secret-keeping services.

use super::uuid;
use crate::rule::Rule;

pub(super) const RULES: &[Rule] = &[
    Rule::token(
        "circleci-pat",
        &["CCIPAT_[0-9A-Za-z]{22}_[0-9a-f]{40}"],
        CIRCLE,
    ),
    Rule::token(
        "circleci-project-token",
        &["CCIPRJ_[0-9A-Za-z]{22}_[0-9a-f]{40}"],
        CIRCLE,
    ),
    Rule::token("buildkite-user-token", &["bkua_[0-9a-f]{40}"], BUILDKITE),
    Rule::token(
        "buildkite-agent-token",
        &["bkaj_[0-9A-Za-z]{30,60}", "bkct_[0-9A-Za-z]{30,60}"],
        BUILDKITE,
    ),
    Rule::token("buildkite-portal-token", &["bkpt_[0-9a-f]{40}"], BUILDKITE),
    Rule::token("sonarqube-user-token", &["squ_[0-9a-f]{40}"], SONAR),
    Rule::token("sonarqube-project-token", &["sqp_[0-9a-f]{40}"], SONAR),
    Rule::token("sonarqube-analysis-token", &["sqa_[0-9a-f]{40}"], SONAR),
    Rule::token(
        "pulumi-token",
        &["pul-[0-9a-f]{40}"],
        "Pulumi docs, Access tokens",
    ),
    Rule::token(
        "terraform-cloud-token",
        &[r"[0-9A-Za-z]{14}.atlasv1.[\w-]{60,80}"],
        "HashiCorp, HCP Terraform API tokens",
    ),
    Rule::token("vault-service-token", &[r"hvs.[\w-]{24,400}"], VAULT),
    Rule::token("vault-batch-token", &[r"hvb.[\w-]{90,600}"], VAULT),
    Rule::token("vault-recovery-token", &[r"hvr.[\w-]{24,400}"], VAULT),
    Rule::token(
        "doppler-personal-token",
        &["dp.pt.[0-9A-Za-z]{40,44}"],
        DOPPLER,
    ),
    Rule::token("doppler-cli-token", &["dp.ct.[0-9A-Za-z]{40,44}"], DOPPLER),
    Rule::token(
        "doppler-service-token",
        &[
            "dp.st.[0-9A-Za-z]{40,44}",
            r"dp.st.[\w-]{2,35}.[0-9A-Za-z]{40,44}",
        ],
        DOPPLER,
    ),
    Rule::token(
        "doppler-service-account-token",
        &["dp.sa.[0-9A-Za-z]{40,44}"],
        DOPPLER,
    ),
    Rule::token(
        "doppler-scim-token",
        &["dp.scim.[0-9A-Za-z]{40,44}"],
        DOPPLER,
    ),
    Rule::token(
        "doppler-audit-token",
        &["dp.audit.[0-9A-Za-z]{40,44}"],
        DOPPLER,
    ),
    Rule::token(
        "infracost-key",
        &["ico-[0-9A-Za-z]{32}"],
        "Infracost docs, API key",
    ),
    Rule::token(
        "netlify-token",
        &[
            "nfp_[0-9A-Za-z]{36}",
            "nfc_[0-9A-Za-z]{36}",
            "nfo_[0-9A-Za-z]{36}",
            "nfb_[0-9A-Za-z]{36}",
            "nfu_[0-9A-Za-z]{36}",
        ],
        "Netlify changelog, Token prefixes",
    ),
    Rule::token(
        "vercel-token",
        &[
            "vcp_[0-9A-Za-z]{24,80}",
            "vci_[0-9A-Za-z]{24,80}",
            "vca_[0-9A-Za-z]{24,80}",
            "vcr_[0-9A-Za-z]{24,80}",
        ],
        VERCEL,
    ),
    Rule::token("vercel-ai-gateway-key", &["vck_[0-9A-Za-z]{24,80}"], VERCEL),
    Rule::token(
        "heroku-key",
        &[r"HRKU-AA[\w-]{58}", concat!("HRKU-", uuid!())],
        "Heroku dev center, Platform API: tokens with the prefix HRKU-",
    ),
    Rule::token(
        "fly-token",
        &[
            r"fm2_[0-9A-Za-z+/=]{80,2000}",
            r"fo1_[\w-]{43}",
            r"fm1r_[0-9A-Za-z+/=]{80,2000}",
        ],
        "Fly.io docs, Access tokens",
    ),
    Rule::token(
        "render-key",
        &["rnd_[0-9A-Za-z]{28,40}"],
        "Render docs, API keys",
    ),
    Rule::token(
        "scalingo-token",
        &[r"tk-us-[\w-]{48}"],
        "Scalingo developers, API tokens",
    ),
    Rule::token(
        "launchdarkly-key",
        &[
            concat!("sdk-", uuid!()),
            concat!("api-", uuid!()),
            concat!("mob-", uuid!()),
        ],
        "LaunchDarkly docs, SDK keys and access tokens",
    ),
    Rule::token(
        "harness-token",
        &[
            r"pat.[\w-]{22}.[0-9a-f]{24}.[0-9A-Za-z]{20}",
            r"sat.[\w-]{22}.[0-9a-f]{24}.[0-9A-Za-z]{20}",
        ],
        "Harness docs, API keys: pat and sat",
    ),
    Rule::token(
        "octopus-key",
        &["API-[0-9A-Z]{25,34}"],
        "Octopus Deploy docs, How to create an API key",
    ),
    Rule::token("prefect-user-key", &["pnu_[0-9A-Za-z]{36}"], PREFECT),
    Rule::token("prefect-service-key", &["pnb_[0-9A-Za-z]{36}"], PREFECT),
    Rule::token(
        "onepassword-service-token",
        &[r"ops_eyJ[\w-]{200,1500}[=]{0,3}"],
        "1Password developers, Service accounts",
    ),
    Rule::named(
        "infisical-token",
        &[],
        &["st[.][0-9a-f]{24}[.][0-9a-f]{32}[.][0-9a-f]{32}"],
        "Infisical docs, Service tokens",
    ),
    Rule::token(
        "tailscale-key",
        &[
            "tskey-auth-[0-9A-Za-z]{10,40}-[0-9A-Za-z]{20,60}",
            "tskey-api-[0-9A-Za-z]{10,40}-[0-9A-Za-z]{20,60}",
            "tskey-client-[0-9A-Za-z]{10,40}-[0-9A-Za-z]{20,60}",
            "tskey-scim-[0-9A-Za-z]{10,40}-[0-9A-Za-z]{20,60}",
            "tskey-webhook-[0-9A-Za-z]{10,40}-[0-9A-Za-z]{20,60}",
        ],
        "Tailscale docs, Key prefixes",
    ),
    Rule::token(
        "databricks-token",
        &["dapi[0-9a-f]{32}", "dapi[0-9a-f]{32}-[0-9]{1,2}"],
        "Databricks docs, Personal access tokens",
    ),
    Rule::named(
        "travis-token",
        &["travis"],
        &[r"[\w-]{20,24}"],
        "Travis CI docs, API authentication",
    ),
    Rule::named(
        "codecov-token",
        &["codecov"],
        &[uuid!()],
        "Codecov docs, Upload token",
    ),
    Rule::named(
        "snyk-token",
        &["snyk"],
        &[uuid!()],
        "Snyk docs, Authentication for API",
    ),
    Rule::named(
        "jenkins-token",
        &["jenkins"],
        &["11[0-9a-f]{32}", "[0-9a-f]{32}"],
        "Jenkins, Remote access API: user tokens",
    ),
    Rule::named(
        "railway-token",
        &["railway"],
        &[uuid!()],
        "Railway docs, Public API: tokens",
    ),
    Rule::named(
        "drone-token",
        &["drone"],
        &["[0-9A-Za-z]{32}"],
        "Drone docs, API authentication",
    ),
    Rule::named(
        "appveyor-token",
        &["appveyor"],
        &["v2[.][0-9A-Za-z]{20}", "[0-9a-z]{20}"],
        "AppVeyor docs, REST API",
    ),
    Rule::named(
        "heroku-legacy-key",
        &["heroku"],
        &[uuid!()],
        "Heroku dev center, OAuth: direct authorizations",
    ),
    Rule::named(
        "vercel-legacy-token",
        &["vercel", "now"],
        &["[0-9A-Za-z]{24}"],
        VERCEL,
    ),
    Rule::named(
        "vault-legacy-token",
        &["vault"],
        &["s[.][0-9A-Za-z]{24}"],
        VAULT,
    ),
    Rule::named(
        "consul-token",
        &["consul"],
        &[uuid!()],
        "HashiCorp, Consul ACL tokens",
    ),
    Rule::named(
        "nomad-token",
        &["nomad"],
        &[uuid!()],
        "HashiCorp, Nomad ACL tokens",
    ),
];

const CIRCLE: &str = "CircleCI docs, Managing API tokens";
const BUILDKITE: &str = "Buildkite docs, Token security: prefixes";
const SONAR: &str = "SonarQube docs, Generating and using tokens";
const VAULT: &str = "HashiCorp, Vault tokens: prefixes";
const DOPPLER: &str = "Doppler docs, Auth token formats";
const VERCEL: &str = "Vercel changelog, Token formats for secret scanning";
const PREFECT: &str = "Prefect docs, API keys";
