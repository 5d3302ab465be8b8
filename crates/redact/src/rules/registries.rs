//! Package and image registries.

use super::uuid;
use crate::rule::Rule;

pub(super) const RULES: &[Rule] = &[
    Rule::token(
        "npm-token",
        &["npm_[0-9A-Za-z]{36}"],
        "npm docs, About access tokens",
    ),
    Rule::token(
        "pypi-token",
        &[r"pypi-AgEIcHlwaS5vcmc[\w-]{50,1000}"],
        "PyPI help, API tokens (a macaroon whose location is pypi.org)",
    ),
    Rule::token(
        "testpypi-token",
        &[r"pypi-AgENdGVzdC5weXBpLm9yZw[\w-]{50,1000}"],
        "PyPI help, API tokens (location test.pypi.org)",
    ),
    Rule::token(
        "rubygems-key",
        &["rubygems_[0-9a-f]{48}"],
        "RubyGems guides, API key scopes",
    ),
    Rule::token("docker-hub-pat", &[r"dckr_pat_[\w-]{27}"], DOCKER),
    Rule::token(
        "docker-hub-organization-token",
        &[r"dckr_oat_[\w-]{27,40}"],
        DOCKER,
    ),
    Rule::token("artifactory-api-key", &["AKCp[0-9A-Za-z]{60,90}"], JFROG),
    Rule::token(
        "artifactory-reference-token",
        &["cmVmdGtu[0-9A-Za-z]{56}"],
        JFROG,
    ),
    Rule::token(
        "clojars-deploy-token",
        &["CLOJARS_[0-9a-f]{60}"],
        "Clojars wiki, Deploy tokens",
    ),
    Rule::named(
        "crates-io-token",
        &["cargo", "crates", "registry"],
        &["cio[0-9A-Za-z]{32}"],
        "crates.io, API tokens (prefix cio)",
    ),
    Rule::named(
        "nuget-api-key",
        &[],
        &["oy2[0-9a-z]{43}"],
        "NuGet docs, Publish packages: API keys",
    ),
    Rule::named(
        "npm-legacy-token",
        &["npm", "authtoken"],
        &[uuid!()],
        "npm docs, About legacy tokens",
    ),
    Rule::named(
        "gemfury-token",
        &["fury"],
        &["[0-9A-Za-z]{20,24}", r"[0-9A-Za-z]{1,6}-[0-9A-Za-z]{20,30}"],
        "Gemfury docs, Tokens",
    ),
    Rule::named(
        "packagecloud-token",
        &["packagecloud"],
        &["[0-9a-f]{48}"],
        "packagecloud docs, API token",
    ),
    Rule::named(
        "quay-token",
        &["quay"],
        &["[0-9A-Za-z]{40}", "[0-9A-Z]{64}"],
        "Red Hat Quay docs, OAuth and robot tokens",
    ),
    Rule::named(
        "cloudsmith-api-key",
        &["cloudsmith"],
        &["[0-9a-f]{40}"],
        "Cloudsmith docs, API key",
    ),
];

const DOCKER: &str = "Docker docs, Personal and organization access tokens";
const JFROG: &str = "JFrog docs, API keys and reference tokens";
