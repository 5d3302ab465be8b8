//! Code hosts.

use super::uuid;
use crate::rule::Rule;

pub(super) const RULES: &[Rule] = &[
    Rule::token("github-pat", &["ghp_[0-9A-Za-z]{36,255}"], GITHUB),
    Rule::token("github-oauth-token", &["gho_[0-9A-Za-z]{36,255}"], GITHUB),
    Rule::token("github-user-token", &["ghu_[0-9A-Za-z]{36,255}"], GITHUB),
    Rule::token("github-server-token", &["ghs_[0-9A-Za-z]{36,255}"], GITHUB),
    Rule::token("github-refresh-token", &["ghr_[0-9A-Za-z]{36,255}"], GITHUB),
    Rule::token(
        "github-fine-grained-pat",
        &[r"github_pat_[0-9A-Za-z]{22}_\w{59,255}"],
        GITHUB,
    ),
    Rule::token("gitlab-pat", &[r"glpat-[\w.-]{20,300}"], GITLAB),
    Rule::token(
        "gitlab-pipeline-trigger-token",
        &[r"glptt-[\w-]{20,64}"],
        GITLAB,
    ),
    Rule::token(
        "gitlab-runner-token",
        &[r"glrt-[\w.-]{20,300}", r"glrtr-[\w.-]{20,300}"],
        GITLAB,
    ),
    Rule::token(
        "gitlab-runner-registration-token",
        &[r"GR1348941[\w-]{20,50}"],
        GITLAB,
    ),
    Rule::token("gitlab-deploy-token", &[r"gldt-[\w-]{20,64}"], GITLAB),
    Rule::token("gitlab-job-token", &[r"glcbt-[\w-]{20,100}"], GITLAB),
    Rule::token("gitlab-feed-token", &[r"glft-[\w-]{20,100}"], GITLAB),
    Rule::token(
        "gitlab-incoming-mail-token",
        &[r"glimt-[\w-]{20,64}"],
        GITLAB,
    ),
    Rule::token("gitlab-agent-token", &[r"glagent-[\w.-]{50,300}"], GITLAB),
    Rule::token("gitlab-oauth-secret", &[r"gloas-[\w-]{64}"], GITLAB),
    Rule::token("gitlab-scim-token", &[r"glsoat-[\w-]{20,64}"], GITLAB),
    Rule::token(
        "gitlab-feature-flags-token",
        &[r"glffct-[\w-]{20,64}"],
        GITLAB,
    ),
    Rule::token("atlassian-api-token", &[r"ATATT3[\w=-]{60,250}"], ATLASSIAN),
    Rule::token(
        "bitbucket-access-token",
        &[r"ATCTT3[\w=-]{60,250}"],
        ATLASSIAN,
    ),
    Rule::token(
        "bitbucket-app-password",
        &["ATBB[0-9A-Za-z]{28,40}"],
        ATLASSIAN,
    ),
    Rule::token(
        "sourcegraph-token",
        &["sgp_[0-9a-f]{16}_[0-9a-f]{40}", "sgp_local_[0-9a-f]{40}"],
        SOURCEGRAPH,
    ),
    Rule::token(
        "sourcegraph-dotcom-token",
        &["sgd_[0-9a-f]{64}"],
        SOURCEGRAPH,
    ),
    Rule::named(
        "gitea-token",
        &["gitea", "forgejo", "codeberg"],
        &["[0-9a-f]{40}"],
        "Gitea docs, API usage: tokens",
    ),
    Rule::named(
        "phabricator-token",
        &["phabricator", "conduit"],
        &["api-[0-9a-z]{28}", "cli-[0-9a-z]{28}"],
        "Phabricator, Conduit API tokens",
    ),
    Rule::named("gitlab-legacy-token", &["gitlab"], &[r"[\w-]{20}"], GITLAB),
    Rule::named(
        "bitbucket-oauth-secret",
        &["bitbucket"],
        &["[0-9A-Za-z]{32}", r"[\w-]{44}"],
        ATLASSIAN,
    ),
    Rule::named(
        "linear-webhook-secret",
        &["linear"],
        &["[0-9a-f]{32}", concat!("lin_wh_", uuid!())],
        "Linear developers, Webhooks",
    ),
];

const GITHUB: &str = "GitHub docs, About authentication to GitHub: token formats";
const GITLAB: &str = "GitLab docs, Token overview: token prefixes";
const ATLASSIAN: &str =
    "Atlassian support, Manage API tokens; Bitbucket Cloud, Access tokens and app passwords";
const SOURCEGRAPH: &str = "Sourcegraph docs, Access token formats";
