//! Clouds and hosts but Azure.

use super::uuid;
use crate::rule::Rule;

pub(super) const RULES: &[Rule] = &[
    Rule::token(
        "aws-access-key-id",
        &["AKIA[2-7A-Z]{16}", "ABIA[2-7A-Z]{16}", "ACCA[2-7A-Z]{16}"],
        AWS_IDS,
    ),
    Rule::token("aws-temporary-key-id", &["ASIA[2-7A-Z]{16}"], AWS_IDS),
    Rule::token(
        "aws-session-token",
        &[
            "IQoJb3JpZ2lu[0-9A-Za-z+/%]{100,2000}[=]{0,2}",
            "FwoGZXIvYXdz[0-9A-Za-z+/%]{100,2000}[=]{0,2}",
            "FQoGZXIvYXdz[0-9A-Za-z+/%]{100,2000}[=]{0,2}",
        ],
        "AWS STS API reference, Credentials: SessionToken",
    ),
    Rule::token(
        "aws-bedrock-key",
        &[
            "ABSK[0-9A-Za-z+/]{100,270}[=]{0,2}",
            "bedrock-api-key-[0-9A-Za-z+/]{60,2000}[=]{0,2}",
        ],
        "Amazon Bedrock user guide, API keys",
    ),
    Rule::token(
        "aws-mws-token",
        &[concat!("amzn.mws.", uuid!())],
        "Amazon MWS developer guide, Auth tokens",
    ),
    Rule::token(
        "aws-signature",
        &["Signature=[0-9a-f]{64}"],
        "AWS, Signature Version 4: Authorization header and query",
    ),
    Rule::named(
        "aws-secret-access-key",
        &["aws", "secretaccesskey", "secretkey", "s3"],
        &["[0-9A-Za-z+/]{40}"],
        "AWS, Managing access keys for IAM users",
    ),
    Rule::token("google-api-key", &[r"AIza[\w-]{35}"], GOOGLE),
    Rule::token(
        "google-oauth-token",
        &[r"ya29.[\w.-]{20,1500}"],
        "Google Identity, Using OAuth 2.0: access token size and shape",
    ),
    Rule::token("google-oauth-client-secret", &[r"GOCSPX-[\w-]{28}"], GOOGLE),
    Rule::token(
        "google-oauth-refresh-token",
        &[r"1//0[\w-]{40,512}"],
        "Google Identity, Using OAuth 2.0: refresh tokens",
    ),
    Rule::token(
        "google-hmac-access-id",
        &["GOOG1E[0-9A-Z]{55}", "GOOG[0-9A-Z]{20,24}"],
        "Cloud Storage docs, HMAC keys",
    ),
    Rule::token(
        "google-fcm-server-key",
        &[r"[\w-]{11}:APA91b[\w-]{130,180}"],
        "Firebase Cloud Messaging, legacy server keys",
    ),
    Rule::token(
        "alibaba-access-key-id",
        &["LTAI[0-9A-Za-z]{12,26}"],
        ALIBABA,
    ),
    Rule::named(
        "alibaba-secret-key",
        &["alibaba", "aliyun", "accesskeysecret", "oss"],
        &["[0-9A-Za-z]{30}"],
        ALIBABA,
    ),
    Rule::token("tencent-secret-id", &["AKID[0-9A-Za-z]{32}"], TENCENT),
    Rule::named(
        "tencent-secret-key",
        &["tencent", "qcloud", "cos"],
        &["[0-9A-Za-z]{32}"],
        TENCENT,
    ),
    Rule::token("digitalocean-pat", &["dop_v1_[0-9a-f]{64}"], DIGITALOCEAN),
    Rule::token(
        "digitalocean-oauth-token",
        &["doo_v1_[0-9a-f]{64}"],
        DIGITALOCEAN,
    ),
    Rule::token(
        "digitalocean-refresh-token",
        &["dor_v1_[0-9a-f]{64}"],
        DIGITALOCEAN,
    ),
    Rule::named(
        "digitalocean-spaces-key",
        &["spaces", "digitalocean"],
        &["[0-9A-Za-z+/]{43}"],
        DIGITALOCEAN,
    ),
    Rule::token(
        "cloudflare-origin-ca-key",
        &["v1.0-[0-9a-f]{24}-[0-9a-f]{146}"],
        CLOUDFLARE,
    ),
    Rule::named(
        "cloudflare-api-token",
        &["cloudflare", "cf"],
        &[r"[\w-]{40}"],
        CLOUDFLARE,
    ),
    Rule::named(
        "cloudflare-global-key",
        &["cloudflare", "cf"],
        &["[0-9a-f]{37}"],
        CLOUDFLARE,
    ),
    Rule::token("yandex-api-key", &[r"AQVN[\w-]{35,38}"], YANDEX),
    Rule::token("yandex-oauth-token", &[r"y0_Ag[\w-]{50,60}"], YANDEX),
    Rule::token("yandex-static-key-id", &[r"YCAJE[\w-]{20}"], YANDEX),
    Rule::token(
        "openshift-token",
        &[r"sha256~[\w-]{43}"],
        "OpenShift docs, OAuth access tokens",
    ),
    Rule::named(
        "linode-legacy-token",
        &["linode"],
        &["[0-9a-f]{64}"],
        "Akamai Linode docs, Personal access tokens",
    ),
    Rule::named(
        "vultr-api-key",
        &["vultr"],
        &["[0-9A-Z]{36}"],
        "Vultr docs, API authentication",
    ),
    Rule::named(
        "hetzner-token",
        &["hcloud", "hetzner"],
        &["[0-9A-Za-z]{64}"],
        "Hetzner Cloud docs, API tokens",
    ),
    Rule::named(
        "scaleway-secret-key",
        &["scw", "scaleway"],
        &[uuid!()],
        "Scaleway docs, API keys",
    ),
    Rule::named(
        "ovh-secret",
        &["ovh"],
        &["[0-9A-Za-z]{32}"],
        "OVHcloud API, First steps: application secret, consumer key",
    ),
    Rule::named(
        "ibm-cloud-api-key",
        &["ibm", "bluemix", "iam"],
        &[r"[\w-]{44}"],
        "IBM Cloud docs, Managing user API keys",
    ),
    Rule::named(
        "fastly-token",
        &["fastly"],
        &[r"[\w-]{32}"],
        "Fastly docs, API tokens",
    ),
    Rule::named(
        "backblaze-key",
        &["b2", "backblaze"],
        &["K[0-9]{3}[0-9A-Za-z+/]{27}"],
        "Backblaze docs, Application keys",
    ),
    Rule::named(
        "wasabi-secret-key",
        &["wasabi"],
        &["[0-9A-Za-z]{40}"],
        "Wasabi docs, Access keys",
    ),
    Rule::named(
        "exoscale-secret",
        &["exoscale"],
        &[r"[\w-]{43}"],
        "Exoscale docs, API keys",
    ),
];

const AWS_IDS: &str = "AWS IAM reference, IAM identifiers: unique ID prefixes";
const GOOGLE: &str = "Google Cloud docs, API keys and OAuth clients";
const ALIBABA: &str = "Alibaba Cloud RAM docs, AccessKey pairs";
const TENCENT: &str = "Tencent Cloud CAM docs, API keys: SecretId, SecretKey";
const DIGITALOCEAN: &str = "DigitalOcean docs, API tokens: prefixes";
const CLOUDFLARE: &str = "Cloudflare docs, API tokens and keys";
const YANDEX: &str = "Yandex Cloud docs, Authentication: credential formats";
