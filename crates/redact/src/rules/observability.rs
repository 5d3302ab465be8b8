//! Metrics, logs, errors and on-call.

use super::uuid;
use crate::rule::Rule;

pub(super) const RULES: &[Rule] = &[
    Rule::token(
        "grafana-cloud-token",
        &["glc_[0-9A-Za-z+/]{32,400}[=]{0,3}"],
        GRAFANA,
    ),
    Rule::token(
        "grafana-service-account-token",
        &["glsa_[0-9A-Za-z]{32}_[0-9a-fA-F]{8}"],
        GRAFANA,
    ),
    Rule::token(
        "grafana-api-key",
        &["eyJrIjoi[0-9A-Za-z+/]{60,400}[=]{0,2}"],
        "Grafana docs, API keys: base64 of a JSON object that begins with \"k\"",
    ),
    Rule::token("new-relic-user-key", &["NRAK-[0-9A-Z]{27}"], NEW_RELIC),
    Rule::token("new-relic-license-key", &["[0-9a-f]{36}NRAL"], NEW_RELIC),
    Rule::token(
        "new-relic-insert-key",
        &[r"NRII-[\w-]{32}", r"NRIQ-[\w-]{32}"],
        NEW_RELIC,
    ),
    Rule::token("new-relic-browser-key", &["NRJS-[0-9a-f]{19}"], NEW_RELIC),
    Rule::token(
        "sentry-org-token",
        &[r"sntrys_[0-9A-Za-z+/=_-]{80,500}"],
        SENTRY,
    ),
    Rule::token("sentry-user-token", &["sntryu_[0-9a-f]{64}"], SENTRY),
    Rule::token(
        "dynatrace-token",
        &[
            "dt0c01.[2-7A-Z]{24}.[2-7A-Z]{64}",
            "dt0s01.[0-9A-Z]{8,24}.[2-7A-Z]{64}",
            "dt0s16.[0-9A-Z]{8,24}.[2-7A-Z]{64}",
        ],
        "Dynatrace docs, Token format: prefix, public and secret part",
    ),
    Rule::token(
        "honeycomb-key",
        &[
            "hcaik_[0-9A-Za-z]{58}",
            "hcbik_[0-9A-Za-z]{58}",
            "hcxik_[0-9A-Za-z]{58}",
            "hcamk_[0-9A-Za-z]{58}",
        ],
        "Honeycomb docs, API keys: format",
    ),
    Rule::token(
        "axiom-token",
        &[concat!("xaat-", uuid!()), concat!("xapt-", uuid!())],
        "Axiom docs, API and personal tokens",
    ),
    Rule::token(
        "posthog-personal-key",
        &["phx_[0-9A-Za-z]{43,48}"],
        "PostHog docs, Personal API keys",
    ),
    Rule::token(
        "posthog-secret-key",
        &["phs_[0-9A-Za-z]{43,48}"],
        "PostHog docs, Feature flags secure API key",
    ),
    Rule::token(
        "logfire-token",
        &["pylf_v1_us_[0-9A-Za-z]{43}", "pylf_v1_eu_[0-9A-Za-z]{43}"],
        "Pydantic Logfire docs, Write tokens",
    ),
    Rule::named(
        "datadog-api-key",
        &["datadog", "dd"],
        &["[0-9a-f]{32}"],
        DATADOG,
    ),
    Rule::named(
        "datadog-app-key",
        &["datadog", "dd"],
        &["[0-9a-f]{40}"],
        DATADOG,
    ),
    Rule::named(
        "pagerduty-key",
        &["pagerduty", "pd"],
        &[r"[\w+-]{20}", "[0-9a-f]{32}"],
        "PagerDuty docs, API access keys",
    ),
    Rule::named(
        "opsgenie-key",
        &["opsgenie"],
        &[uuid!()],
        "Opsgenie docs, API keys",
    ),
    Rule::named(
        "rollbar-token",
        &["rollbar"],
        &["[0-9a-f]{32}"],
        "Rollbar docs, Access tokens",
    ),
    Rule::named(
        "bugsnag-key",
        &["bugsnag"],
        &["[0-9a-f]{32}"],
        "BugSnag docs, API keys",
    ),
    Rule::named(
        "honeybadger-key",
        &["honeybadger"],
        &["[0-9A-Za-z]{6}_[0-9A-Za-z]{30,40}", "[0-9a-f]{8}"],
        "Honeybadger docs, API keys",
    ),
    Rule::named(
        "logzio-token",
        &["logzio", "logz"],
        &["[0-9A-Za-z]{32}", uuid!()],
        "Logz.io docs, Shipping tokens",
    ),
    Rule::named(
        "loggly-token",
        &["loggly"],
        &[uuid!()],
        "Loggly docs, Customer tokens",
    ),
    Rule::named(
        "sumologic-key",
        &["sumo"],
        &["[0-9A-Za-z]{64}"],
        "Sumo Logic docs, Access keys",
    ),
    Rule::named(
        "splunk-hec-token",
        &["splunk", "hec"],
        &[uuid!()],
        "Splunk docs, HTTP event collector tokens",
    ),
    Rule::named(
        "mixpanel-secret",
        &["mixpanel"],
        &["[0-9a-f]{32}"],
        "Mixpanel docs, Project secret",
    ),
    Rule::named(
        "amplitude-secret",
        &["amplitude"],
        &["[0-9a-f]{32}"],
        "Amplitude docs, Keys",
    ),
    Rule::named(
        "segment-write-key",
        &["segment"],
        &["[0-9A-Za-z]{32}"],
        "Segment docs, Write keys",
    ),
    Rule::named(
        "airbrake-key",
        &["airbrake"],
        &["[0-9a-f]{32}"],
        "Airbrake docs, Project keys",
    ),
    Rule::named(
        "instana-token",
        &["instana"],
        &[r"[\w-]{22}"],
        "Instana docs, API tokens",
    ),
    Rule::named(
        "appdynamics-secret",
        &["appdynamics", "appd"],
        &[uuid!()],
        "AppDynamics docs, API clients",
    ),
];

const GRAFANA: &str = "Grafana docs, Access policies and service account tokens";
const NEW_RELIC: &str = "New Relic docs, API keys: types and prefixes";
const SENTRY: &str = "Sentry docs, Auth tokens: prefixes";
const DATADOG: &str = "Datadog docs, API and application keys";
