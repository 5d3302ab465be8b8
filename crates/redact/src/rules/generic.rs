//! What no provider's shape names: a value given to a name that says it is a secret, and the headers of HTTP.

use crate::rule::{Rule, Shape};

pub(super) const RULES: &[Rule] = &[
    // After a mark on the same line, the kind of a connection string.
    marked(
        "azure-storage-connection",
        &["AccountName=", "DefaultEndpointsProtocol="],
        "Azure docs, Storage connection strings",
    ),
    marked(
        "azure-service-bus-connection",
        &["Endpoint=sb://", "SharedAccessKeyName="],
        "Azure docs, Service Bus and Event Hubs connection strings",
    ),
    marked(
        "azure-iot-connection",
        &["HostName="],
        "Azure docs, IoT Hub connection strings",
    ),
    marked(
        "odbc-password",
        &["Driver={", "DRIVER={", "driver={", "DSN="],
        "Microsoft docs, ODBC connection strings: PWD",
    ),
    marked(
        "jdbc-password",
        &["jdbc:"],
        "JDBC drivers, URL properties: password",
    ),
    marked(
        "sql-server-password",
        &["Data Source=", "Initial Catalog=", "Server=", "server="],
        "Microsoft docs, ADO.NET connection strings",
    ),
    marked(
        "libpq-password",
        &["host=", "dbname=", "Host="],
        "PostgreSQL docs, Keyword/value connection strings; Npgsql",
    ),
    marked("netrc-password", &["machine ", "login "], "netrc(5)"),
    marked(
        "sql-user-password",
        &[
            "IDENTIFIED",
            "identified",
            "CREATE USER",
            "CREATE ROLE",
            "ALTER USER",
            "ALTER ROLE",
        ],
        "SQL, CREATE USER and ALTER ROLE",
    ),
    // By the word that ends the name.
    assigned(
        "npm-auth-token",
        &["_authtoken"],
        "npm docs, .npmrc: _authToken",
    ),
    assigned(
        "password",
        &[
            "password",
            "passwd",
            "pwd",
            "pass",
            "passwort",
            "kennwort",
            "contrasena",
            "senha",
            "identifiedby",
        ],
        ASSIGNED,
    ),
    assigned("passphrase", &["passphrase", "passcode"], ASSIGNED),
    assigned(
        "client-secret",
        &["clientsecret", "consumersecret", "appsecret", "oauthsecret"],
        "RFC 6749, client_secret",
    ),
    assigned(
        "secret-key",
        &["secretkey", "secretkeybase", "secretaccesskey"],
        ASSIGNED,
    ),
    assigned(
        "signing-secret",
        &[
            "jwtsecret",
            "signingsecret",
            "signingkey",
            "webhooksecret",
            "sessionsecret",
            "cookiesecret",
            "hmacsecret",
            "hmackey",
        ],
        ASSIGNED,
    ),
    assigned("secret", &["secret"], ASSIGNED),
    assigned("access-token", &["accesstoken"], "RFC 6749, access_token"),
    assigned(
        "refresh-token",
        &["refreshtoken"],
        "RFC 6749, refresh_token",
    ),
    assigned("id-token", &["idtoken"], "OpenID Connect Core, id_token"),
    assigned(
        "session-token",
        &["sessiontoken", "sessionkey", "csrftoken", "xsrftoken"],
        ASSIGNED,
    ),
    assigned(
        "auth-token",
        &[
            "authtoken",
            "bearertoken",
            "authenticationtoken",
            "authorizationtoken",
            "bottoken",
            "apitoken",
        ],
        ASSIGNED,
    ),
    assigned("token", &["token"], ASSIGNED),
    assigned(
        "api-key",
        &[
            "apikey",
            "appkey",
            "applicationkey",
            "consumerkey",
            "subscriptionkey",
            "licensekey",
            "servicekey",
            "integrationkey",
            "writekey",
            "ingestkey",
            "clientkey",
            "adminkey",
            "serverkey",
            "apisecret",
        ],
        ASSIGNED,
    ),
    assigned(
        "access-key",
        &[
            "accesskey",
            "accountkey",
            "storagekey",
            "sharedkey",
            "presharedkey",
            "authkey",
            "masterkey",
            "rootkey",
            "deploykey",
            "functionkey",
        ],
        ASSIGNED,
    ),
    assigned(
        "private-key-value",
        &["privatekey", "sshkey", "walletkey", "seckey"],
        ASSIGNED,
    ),
    assigned(
        "encryption-key",
        &[
            "encryptionkey",
            "decryptionkey",
            "cryptokey",
            "aeskey",
            "cipherkey",
        ],
        ASSIGNED,
    ),
    assigned(
        "credential",
        &["credential", "credentials", "cred", "creds"],
        ASSIGNED,
    ),
    assigned(
        "registry-auth",
        &["auth"],
        "Docker docs, config.json: auth; npm docs, .npmrc: _auth",
    ),
    assigned(
        "authorization-header",
        &["authorization"],
        "RFC 9110, Authorization",
    ),
    Rule::of(
        "bearer-token",
        Shape::Syntax(&["bearer "]),
        "RFC 6750, bearer token usage",
    ),
    Rule::of(
        "basic-auth",
        Shape::Syntax(&["basic "]),
        "RFC 7617, the Basic scheme: base64 of user:password",
    ),
    Rule::of(
        "cookie",
        Shape::Syntax(&["cookie:", "cookie\":", "cookie\\\":"]),
        "RFC 6265, Cookie and Set-Cookie",
    ),
];

const ASSIGNED: &str = "OWASP, Secrets management: secrets by the names they are given";

const fn assigned(
    kind: &'static str,
    words: &'static [&'static str],
    source: &'static str,
) -> Rule {
    Rule::of(kind, Shape::Assigned(words), source)
}

const fn marked(kind: &'static str, marks: &'static [&'static str], source: &'static str) -> Rule {
    Rule::of(kind, Shape::Marked(marks), source)
}
