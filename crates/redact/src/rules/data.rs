//! Databases, warehouses, search and vector stores.

use super::uuid;
use crate::rule::Rule;

pub(super) const RULES: &[Rule] = &[
    Rule::token(
        "planetscale-password",
        &[r"pscale_pw_[\w.=-]{32,64}"],
        PLANETSCALE,
    ),
    Rule::token(
        "planetscale-service-token",
        &[r"pscale_tkn_[\w.=-]{32,64}"],
        PLANETSCALE,
    ),
    Rule::token(
        "planetscale-oauth-token",
        &[r"pscale_oauth_[\w.=-]{32,64}"],
        PLANETSCALE,
    ),
    Rule::token(
        "supabase-access-token",
        &["sbp_[0-9a-f]{40}", r"sbp_oauth_[0-9a-f]{40}"],
        SUPABASE,
    ),
    Rule::token(
        "supabase-secret-key",
        &[r"sb_secret_[\w-]{30,60}"],
        SUPABASE,
    ),
    Rule::token(
        "neon-api-key",
        &["napi_[0-9a-z]{64}"],
        "Neon docs, Manage API keys",
    ),
    Rule::token(
        "mongodb-atlas-secret",
        &[r"mdb_sa_sk_[\w-]{40}"],
        "MongoDB Atlas docs, Service accounts",
    ),
    Rule::token(
        "aiven-password",
        &[r"AVNS_[\w-]{19}"],
        "Aiven docs, Service credentials",
    ),
    Rule::token(
        "elastic-cloud-key",
        &[r"essu_[0-9A-Za-z+/]{40,200}[=]{0,2}"],
        "Elastic Cloud docs, API keys",
    ),
    Rule::token(
        "pinecone-key",
        &[r"pcsk_\w{50,80}"],
        "Pinecone docs, API keys",
    ),
    Rule::named(
        "airtable-pat",
        &[],
        &["pat[0-9A-Za-z]{14}[.][0-9a-f]{64}"],
        "Airtable developers, Personal access tokens",
    ),
    Rule::token(
        "tinybird-token",
        &[r"p.eyJ[\w-]{40,200}.[\w-]{40,60}"],
        "Tinybird docs, Auth tokens",
    ),
    Rule::token(
        "xata-key",
        &["xau_[0-9A-Za-z]{32,40}"],
        "Xata docs, API keys",
    ),
    Rule::token(
        "clickhouse-cloud-secret",
        &["4b1d[0-9A-Za-z]{38}"],
        "ClickHouse Cloud docs, API key secrets",
    ),
    Rule::named(
        "confluent-secret",
        &["confluent", "kafka", "sasl"],
        &["[0-9A-Za-z+/]{64}"],
        "Confluent Cloud docs, API keys",
    ),
    Rule::named(
        "influxdb-token",
        &["influx"],
        &[r"[\w-]{86}=="],
        "InfluxDB docs, Manage tokens",
    ),
    Rule::named(
        "algolia-key",
        &["algolia"],
        &["[0-9a-f]{32}"],
        "Algolia docs, API keys",
    ),
    Rule::named(
        "meilisearch-key",
        &["meili"],
        &["[0-9a-f]{64}", uuid!()],
        "Meilisearch docs, Security",
    ),
    Rule::named(
        "typesense-key",
        &["typesense"],
        &["[0-9A-Za-z]{32}"],
        "Typesense docs, API keys",
    ),
    Rule::named(
        "qdrant-key",
        &["qdrant"],
        &[r"[\w-]{40,60}"],
        "Qdrant Cloud docs, Authentication",
    ),
    Rule::named(
        "weaviate-key",
        &["weaviate", "wcd", "wcs"],
        &["[0-9A-Za-z]{36,40}"],
        "Weaviate docs, API keys",
    ),
    Rule::named(
        "upstash-token",
        &["upstash", "kv"],
        &["A[0-9A-Za-z=]{40,120}"],
        "Upstash docs, REST API token",
    ),
    Rule::named(
        "snowflake-token",
        &["snowflake"],
        &[r"ver:1-hint:[0-9]{1,20}-[\w+/=-]{60,400}"],
        "Snowflake docs, Session tokens",
    ),
    Rule::named(
        "turso-token",
        &["turso", "libsql"],
        &[r"[\w-]{20,60}[.][\w-]{20,400}[.][\w-]{80,120}"],
        "Turso docs, Database tokens",
    ),
    Rule::named(
        "couchbase-key",
        &["couchbase", "capella"],
        &["[0-9A-Za-z+/]{64}"],
        "Couchbase Capella docs, API keys",
    ),
];

const PLANETSCALE: &str = "PlanetScale docs, Passwords and service tokens: prefixes";
const SUPABASE: &str = "Supabase docs, Understanding API keys; Management API";
