//! Payments, shops and banks.

use super::uuid;
use crate::rule::Rule;

pub(super) const RULES: &[Rule] = &[
    Rule::token(
        "stripe-secret-key",
        &["sk_live_[0-9A-Za-z]{20,250}", "sk_test_[0-9A-Za-z]{20,250}"],
        STRIPE,
    ),
    Rule::token(
        "stripe-restricted-key",
        &["rk_live_[0-9A-Za-z]{20,250}", "rk_test_[0-9A-Za-z]{20,250}"],
        STRIPE,
    ),
    Rule::token(
        "stripe-webhook-secret",
        &["whsec_[0-9A-Za-z+/]{32,80}[=]{0,2}"],
        "Stripe docs, Webhooks: signing secrets; Standard Webhooks, secrets",
    ),
    Rule::token(
        "square-access-token",
        &[r"sq0atp-[\w-]{22}", r"EAAA[\w-]{60}"],
        SQUARE,
    ),
    Rule::token("square-oauth-secret", &[r"sq0csp-[\w-]{43}"], SQUARE),
    Rule::token(
        "braintree-access-token",
        &[
            "access_token$production$[0-9a-z]{16}$[0-9a-f]{32}",
            "access_token$sandbox$[0-9a-z]{16}$[0-9a-f]{32}",
        ],
        "Braintree docs, Access tokens",
    ),
    Rule::token(
        "plaid-access-token",
        &[
            concat!("access-production-", uuid!()),
            concat!("access-sandbox-", uuid!()),
            concat!("access-development-", uuid!()),
        ],
        "Plaid docs, Tokens: access_token",
    ),
    Rule::token(
        "razorpay-key-id",
        &["rzp_live_[0-9A-Za-z]{14}", "rzp_test_[0-9A-Za-z]{14}"],
        "Razorpay docs, API keys",
    ),
    Rule::token(
        "mollie-key",
        &["live_[0-9A-Za-z]{30}", "test_[0-9A-Za-z]{30}"],
        "Mollie docs, API keys",
    ),
    Rule::token(
        "gocardless-token",
        &[r"live_[\w-]{40}", r"sandbox_[\w-]{40}"],
        "GoCardless docs, Access tokens",
    ),
    Rule::token(
        "paddle-key",
        &[
            "pdl_live_apikey_[0-9a-z]{26}_[0-9A-Za-z]{22}_[0-9A-Za-z]{3}",
            "pdl_sdbx_apikey_[0-9a-z]{26}_[0-9A-Za-z]{22}_[0-9A-Za-z]{3}",
        ],
        "Paddle docs, API keys: format",
    ),
    Rule::token(
        "polar-token",
        &[
            "polar_oat_[0-9A-Za-z]{40,50}",
            "polar_pat_[0-9A-Za-z]{40,50}",
        ],
        "Polar docs, Access tokens",
    ),
    Rule::token(
        "flutterwave-secret-key",
        &[
            "FLWSECK_TEST-[0-9a-zA-Z]{32}-X",
            "FLWSECK-[0-9a-zA-Z]{32}-X",
            "FLWSECK_LIVE-[0-9a-zA-Z]{32}-X",
        ],
        "Flutterwave docs, API keys",
    ),
    Rule::token("shopify-access-token", &["shpat_[0-9a-fA-F]{32}"], SHOPIFY),
    Rule::token(
        "shopify-custom-app-token",
        &["shpca_[0-9a-fA-F]{32}"],
        SHOPIFY,
    ),
    Rule::token(
        "shopify-private-app-password",
        &["shppa_[0-9a-fA-F]{32}"],
        SHOPIFY,
    ),
    Rule::token("shopify-shared-secret", &["shpss_[0-9a-fA-F]{32}"], SHOPIFY),
    Rule::token("shopify-user-token", &["shpua_[0-9a-fA-F]{32}"], SHOPIFY),
    Rule::token(
        "easypost-key",
        &["EZAK[0-9A-Za-z]{54}", "EZTK[0-9A-Za-z]{54}"],
        "EasyPost docs, API keys",
    ),
    Rule::token(
        "shippo-token",
        &["shippo_live_[0-9a-f]{40}", "shippo_test_[0-9a-f]{40}"],
        "Shippo docs, Authentication",
    ),
    Rule::token(
        "duffel-token",
        &[r"duffel_live_[\w-]{43}", r"duffel_test_[\w-]{43}"],
        "Duffel docs, Access tokens",
    ),
    Rule::token(
        "onfido-token",
        &[
            r"api_live.[\w-]{40,50}",
            r"api_sandbox.[\w-]{40,50}",
            r"api_live_us.[\w-]{11}.[\w-]{32}",
        ],
        "Onfido docs, API tokens",
    ),
    Rule::token(
        "checkout-com-key",
        &["sk_sbox_[0-9a-z]{20,40}"],
        "Checkout.com docs, API keys",
    ),
    Rule::named(
        "paypal-secret",
        &["paypal"],
        &[r"E[\w-]{79}"],
        "PayPal developer, REST apps: client secret",
    ),
    Rule::named(
        "coinbase-secret",
        &["coinbase"],
        &["[0-9A-Za-z]{32}", "[0-9A-Za-z+/]{86}=="],
        "Coinbase docs, API key authentication",
    ),
    Rule::named(
        "binance-secret",
        &["binance"],
        &["[0-9A-Za-z]{64}"],
        "Binance docs, API key types: HMAC",
    ),
    Rule::named(
        "kraken-secret",
        &["kraken"],
        &["[0-9A-Za-z+/]{86}==", "[0-9A-Za-z+/]{56}"],
        "Kraken support, API keys",
    ),
    Rule::named(
        "razorpay-secret",
        &["razorpay"],
        &["[0-9A-Za-z]{24}"],
        "Razorpay docs, API keys",
    ),
    Rule::named(
        "alchemy-key",
        &["alchemy"],
        &[r"[\w-]{32}"],
        "Alchemy docs, API keys",
    ),
    Rule::named(
        "infura-key",
        &["infura"],
        &["[0-9a-f]{32}"],
        "Infura docs, API keys",
    ),
    Rule::named(
        "etherscan-key",
        &["etherscan"],
        &["[0-9A-Z]{34}"],
        "Etherscan docs, API keys",
    ),
];

const STRIPE: &str = "Stripe docs, API keys: prefixes";
const SQUARE: &str = "Square developer, Access tokens and application secrets";
const SHOPIFY: &str = "Shopify dev, Access tokens: prefixes and length";
