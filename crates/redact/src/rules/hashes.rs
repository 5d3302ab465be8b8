//! Hashes of passwords, as files of users and dumps of tables hold them: they can be guessed offline.

use crate::rule::Rule;

pub(super) const RULES: &[Rule] = &[
    Rule::token(
        "bcrypt-hash",
        &[
            "$2a$[0-9]{2}$[0-9A-Za-z./]{53}",
            "$2b$[0-9]{2}$[0-9A-Za-z./]{53}",
            "$2y$[0-9]{2}$[0-9A-Za-z./]{53}",
        ],
        CRYPT,
    ),
    Rule::token(
        "sha512-crypt-hash",
        &[
            "$6$[0-9A-Za-z./]{2,16}$[0-9A-Za-z./]{86}",
            "$6$rounds=[0-9]{4,9}$[0-9A-Za-z./]{2,16}$[0-9A-Za-z./]{86}",
        ],
        CRYPT,
    ),
    Rule::token(
        "sha256-crypt-hash",
        &[
            "$5$[0-9A-Za-z./]{2,16}$[0-9A-Za-z./]{43}",
            "$5$rounds=[0-9]{4,9}$[0-9A-Za-z./]{2,16}$[0-9A-Za-z./]{43}",
        ],
        CRYPT,
    ),
    Rule::token(
        "yescrypt-hash",
        &["$y$[0-9A-Za-z./]{2,12}$[0-9A-Za-z./]{10,86}$[0-9A-Za-z./]{43}"],
        CRYPT,
    ),
    Rule::token(
        "argon2-hash",
        &[
            "$argon2id$v=[0-9]{2}$m=[0-9]{2,9},t=[0-9]{1,5},p=[0-9]{1,4}$[0-9A-Za-z+/]{8,100}$[0-9A-Za-z+/]{16,200}",
            "$argon2i$v=[0-9]{2}$m=[0-9]{2,9},t=[0-9]{1,5},p=[0-9]{1,4}$[0-9A-Za-z+/]{8,100}$[0-9A-Za-z+/]{16,200}",
            "$argon2d$v=[0-9]{2}$m=[0-9]{2,9},t=[0-9]{1,5},p=[0-9]{1,4}$[0-9A-Za-z+/]{8,100}$[0-9A-Za-z+/]{16,200}",
        ],
        "PHC string format; RFC 9106",
    ),
    Rule::token(
        "apr1-hash",
        &["$apr1$[0-9A-Za-z./]{1,8}$[0-9A-Za-z./]{22}"],
        "Apache docs, Password formats",
    ),
    Rule::token(
        "django-password-hash",
        &[
            "pbkdf2_sha256$[0-9]{4,8}$[0-9A-Za-z]{8,40}$[0-9A-Za-z+/]{43}=",
            "pbkdf2_sha1$[0-9]{4,8}$[0-9A-Za-z]{8,40}$[0-9A-Za-z+/]{27}=",
        ],
        "Django docs, Password management: stored form",
    ),
    Rule::token(
        "werkzeug-password-hash",
        &[
            "scrypt:[0-9]{3,7}:[0-9]{1,3}:[0-9]{1,3}$[0-9A-Za-z]{8,32}$[0-9a-f]{64,128}",
            "pbkdf2:sha256:[0-9]{4,8}$[0-9A-Za-z]{8,32}$[0-9a-f]{64}",
        ],
        "Werkzeug docs, generate_password_hash",
    ),
    Rule::token(
        "ldap-password-hash",
        &[
            "{SSHA}[0-9A-Za-z+/]{32,64}[=]{0,2}",
            "{SSHA512}[0-9A-Za-z+/]{90,140}[=]{0,2}",
            "{SSHA256}[0-9A-Za-z+/]{48,90}[=]{0,2}",
        ],
        "OpenLDAP, Password storage schemes",
    ),
    Rule::token(
        "postgres-scram-secret",
        &["SCRAM-SHA-256$[0-9]{4,7}:[0-9A-Za-z+/=]{20,40}$[0-9A-Za-z+/=]{44}:[0-9A-Za-z+/=]{44}"],
        "PostgreSQL docs, pg_authid: SCRAM secrets",
    ),
    Rule::token(
        "mysql-caching-sha2-hash",
        &["$A$005$[0-9A-Za-z./]{43,80}"],
        "MySQL docs, Caching SHA-2 authentication",
    ),
];

const CRYPT: &str = "crypt(5): prefixes, options, salt and hash";
