//! Everything else that is bought as a service.

use super::uuid;
use crate::rule::Rule;

pub(super) const RULES: &[Rule] = &[
    Rule::token(
        "facebook-access-token",
        &["EAA[0-9A-Za-z]{90,400}"],
        "Meta for developers, Access tokens",
    ),
    Rule::token(
        "instagram-access-token",
        &[r"IGQV[\w-]{100,300}", r"IGAA[\w-]{100,300}"],
        "Meta for developers, Instagram access tokens",
    ),
    Rule::token(
        "twitter-bearer-token",
        &["AAAAAAAAAAAAAAAAAAAAA[0-9A-Za-z%]{60,120}"],
        "X developers, App only: bearer tokens",
    ),
    Rule::token(
        "pinterest-token",
        &[r"pina_[0-9A-Z]{60,100}"],
        "Pinterest developers, Access tokens",
    ),
    Rule::token(
        "dropbox-token",
        &[r"sl.u.[\w-]{120,1500}", r"sl.B[\w-]{120,200}"],
        "Dropbox developers, OAuth guide: short-lived tokens",
    ),
    Rule::token(
        "notion-token",
        &["ntn_[0-9A-Za-z]{46}", "secret_[0-9A-Za-z]{43}"],
        "Notion developers, Changelog: token prefix",
    ),
    Rule::token("linear-api-key", &["lin_api_[0-9A-Za-z]{40}"], LINEAR),
    Rule::token("linear-oauth-token", &["lin_oauth_[0-9a-f]{64}"], LINEAR),
    Rule::token(
        "figma-token",
        &[r"figd_[\w-]{40,46}", r"figo_[\w-]{40,46}"],
        "Figma developers, Personal access tokens",
    ),
    Rule::token(
        "trello-token",
        &["ATTA[0-9A-Za-z]{60,80}"],
        "Atlassian developer, Trello: authorization",
    ),
    Rule::token(
        "contentful-token",
        &[r"CFPAT-[\w-]{43}"],
        "Contentful docs, Personal access tokens",
    ),
    Rule::token(
        "typeform-token",
        &[r"tfp_[\w-]{44}_[\w-]{14}"],
        "Typeform developers, Personal access tokens",
    ),
    Rule::token(
        "readme-key",
        &["rdme_[0-9a-z]{70}"],
        "ReadMe docs, API keys",
    ),
    Rule::token("postman-key", &["PMAK-[0-9a-f]{24}-[0-9a-f]{34}"], POSTMAN),
    Rule::token("postman-collection-key", &["PMAT-[0-9A-Z]{26}"], POSTMAN),
    Rule::token(
        "hubspot-token",
        &[
            concat!("pat-na1-", uuid!()),
            concat!("pat-na2-", uuid!()),
            concat!("pat-eu1-", uuid!()),
            concat!("pat-ap1-", uuid!()),
        ],
        "HubSpot developers, Private apps",
    ),
    Rule::token(
        "intercom-token",
        &["dG9rO[0-9A-Za-z+/]{50,60}[=]{0,2}"],
        "Intercom developers, Access tokens: base64 of tok:",
    ),
    Rule::token(
        "mapbox-secret-token",
        &[
            r"sk.eyJ[\w-]{50,200}.[\w-]{22}",
            r"tk.eyJ[\w-]{50,400}.[\w-]{22}",
        ],
        "Mapbox docs, Access tokens: sk and tk",
    ),
    Rule::token(
        "frameio-token",
        &[r"fio-u-[\w-]{64}"],
        "Frame.io developers, Developer tokens",
    ),
    Rule::token(
        "adafruit-io-key",
        &["aio_[0-9A-Za-z]{28}"],
        "Adafruit IO docs, API keys",
    ),
    Rule::token(
        "intra42-secret",
        &["s-s4t2ud-[0-9a-f]{64}", "s-s4t2af-[0-9a-f]{64}"],
        "42 API docs, Applications",
    ),
    Rule::token(
        "persona-key",
        &[
            concat!("persona_sandbox_", uuid!()),
            concat!("persona_production_", uuid!()),
        ],
        "Persona docs, API keys",
    ),
    Rule::token(
        "apify-token",
        &["apify_api_[0-9A-Za-z]{36}"],
        "Apify docs, API tokens",
    ),
    Rule::token(
        "zuplo-key",
        &[
            "zpka_[0-9a-f]{32}_[0-9a-f]{8}",
            "zpcli_[0-9a-f]{32}_[0-9a-f]{8}",
        ],
        "Zuplo docs, API keys: leak detection format",
    ),
    Rule::token(
        "ory-key",
        &[
            "ory_at_[0-9A-Za-z_-]{40,50}.[0-9A-Za-z_-]{40,50}",
            "ory_pat_[0-9A-Za-z]{32}",
            "ory_apikey_[0-9A-Za-z]{32}",
        ],
        "Ory docs, Token formats",
    ),
    Rule::token(
        "lichess-token",
        &["lip_[0-9A-Za-z]{20}", r"lio_[0-9A-Za-z]{20,40}"],
        "Lichess API, Personal access tokens",
    ),
    Rule::token(
        "steam-web-token",
        &["steamLoginSecure=[0-9]{17}%7C%7C[0-9A-Za-z%._-]{40,900}"],
        "Steamworks docs, Web sessions",
    ),
    Rule::named(
        "asana-token",
        &["asana"],
        &[
            "[0-9]/[0-9a-f]{32}",
            "[0-9]/[0-9]{16}:[0-9a-f]{32}",
            "[0-9a-f]{32}",
        ],
        "Asana developers, Personal access tokens",
    ),
    Rule::named(
        "airtable-legacy-key",
        &["airtable"],
        &["key[0-9A-Za-z]{14}"],
        "Airtable developers, API keys",
    ),
    Rule::named(
        "okta-token",
        &["okta"],
        &[r"00[\w-]{40}"],
        "Okta developer, API tokens",
    ),
    Rule::named(
        "auth0-secret",
        &["auth0"],
        &[r"[\w-]{64}"],
        "Auth0 docs, Client credentials",
    ),
    Rule::named(
        "zendesk-token",
        &["zendesk"],
        &["[0-9A-Za-z]{40}"],
        "Zendesk developer, API tokens",
    ),
    Rule::named(
        "freshdesk-key",
        &["fresh"],
        &["[0-9A-Za-z]{20}"],
        "Freshworks developers, API keys",
    ),
    Rule::named(
        "salesforce-token",
        &["salesforce", "sfdc", "sf"],
        &[r"00D[0-9A-Za-z]{12,15}![\w.]{80,120}"],
        "Salesforce docs, Session ids",
    ),
    Rule::named(
        "spotify-secret",
        &["spotify"],
        &["[0-9a-f]{32}"],
        "Spotify for developers, Apps",
    ),
    Rule::named(
        "linkedin-secret",
        &["linkedin"],
        &["[0-9A-Za-z]{16}", r"WPL_AP1[.][\w.]{16,40}[=]{0,2}"],
        "LinkedIn docs, Client secrets",
    ),
    Rule::named(
        "facebook-app-secret",
        &["facebook", "fb", "instagram", "meta"],
        &["[0-9a-f]{32}"],
        "Meta for developers, App secret",
    ),
    Rule::named(
        "twitter-secret",
        &["twitter"],
        &[
            "[0-9A-Za-z]{50}",
            "[0-9A-Za-z]{45}",
            r"[0-9]{10,20}-[0-9A-Za-z]{40}",
            "[0-9A-Za-z]{25}",
        ],
        "X developers, API keys and access tokens",
    ),
    Rule::named(
        "reddit-secret",
        &["reddit"],
        &[r"[\w-]{27,30}"],
        "Reddit, OAuth2 apps",
    ),
    Rule::named(
        "youtube-secret",
        &["youtube"],
        &[r"[\w-]{24}"],
        "YouTube Data API, Client secrets",
    ),
    Rule::named(
        "ngrok-token",
        &["ngrok"],
        &[r"[0-9A-Za-z]{27}_[0-9A-Za-z]{21}"],
        "ngrok docs, Authtokens and API keys",
    ),
    Rule::named(
        "zerotier-token",
        &["zerotier"],
        &["[0-9A-Za-z]{32}"],
        "ZeroTier docs, API tokens",
    ),
    Rule::named(
        "openweather-key",
        &["openweather", "owm"],
        &["[0-9a-f]{32}"],
        "OpenWeather docs, API keys",
    ),
    Rule::named(
        "newsapi-key",
        &["newsapi"],
        &["[0-9a-f]{32}"],
        "News API docs, Authentication",
    ),
    Rule::named(
        "virustotal-key",
        &["virustotal", "vt"],
        &["[0-9a-f]{64}"],
        "VirusTotal docs, API key",
    ),
    Rule::named(
        "shodan-key",
        &["shodan"],
        &["[0-9A-Za-z]{32}"],
        "Shodan docs, API key",
    ),
    Rule::named(
        "cloudinary-secret",
        &["cloudinary"],
        &[r"[\w-]{27}"],
        "Cloudinary docs, API secret",
    ),
    Rule::named(
        "imgur-secret",
        &["imgur"],
        &["[0-9a-f]{40}"],
        "Imgur API docs, Client secret",
    ),
    Rule::named(
        "flickr-secret",
        &["flickr"],
        &["[0-9a-f]{16}"],
        "Flickr API docs, Keys",
    ),
    Rule::named(
        "home-assistant-token",
        &["homeassistant", "hass"],
        &[r"[\w-]{30,60}[.][\w-]{60,200}[.][\w-]{40,60}"],
        "Home Assistant docs, Long-lived access tokens",
    ),
    Rule::named(
        "tmdb-key",
        &["tmdb"],
        &["[0-9a-f]{32}"],
        "TMDB docs, API key",
    ),
    Rule::named(
        "stream-secret",
        &["getstream", "stream"],
        &["[0-9a-z]{64}"],
        "Stream docs, API secret",
    ),
];

const LINEAR: &str = "Linear developers, Personal API keys and OAuth";
const POSTMAN: &str = "Postman docs, API keys and collection access keys";
