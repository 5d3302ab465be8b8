//! Private keys and signed tokens.

use crate::rule::{Rule, Shape};

pub(super) const RULES: &[Rule] = &[
    Rule::of(
        "rsa-private-key",
        Shape::Block(&["RSA PRIVATE KEY"]),
        "RFC 8017, PKCS 1; RFC 7468, textual encodings",
    ),
    Rule::of(
        "ec-private-key",
        Shape::Block(&["EC PRIVATE KEY"]),
        "RFC 5915",
    ),
    Rule::of(
        "dsa-private-key",
        Shape::Block(&["DSA PRIVATE KEY"]),
        "OpenSSL docs, PEM encodings",
    ),
    Rule::of(
        "encrypted-private-key",
        Shape::Block(&["ENCRYPTED PRIVATE KEY"]),
        "RFC 5958; RFC 7468",
    ),
    Rule::of(
        "openssh-private-key",
        Shape::Block(&["OPENSSH PRIVATE KEY"]),
        "OpenSSH, PROTOCOL.key",
    ),
    Rule::of(
        "ssh2-private-key",
        Shape::Block(&["SSH2 ENCRYPTED PRIVATE KEY", "SSH2 PRIVATE KEY"]),
        "SSH Communications, key file format",
    ),
    Rule::of(
        "pgp-private-key",
        Shape::Block(&["PGP PRIVATE KEY BLOCK"]),
        "RFC 9580, ASCII armor",
    ),
    Rule::of(
        "openvpn-static-key",
        Shape::Block(&[
            "OpenVPN Static key V1",
            "OpenVPN tls-crypt-v2 client key",
            "OpenVPN tls-crypt-v2 server key",
        ]),
        "OpenVPN manual, --secret and --genkey",
    ),
    Rule::of(
        "putty-private-key",
        Shape::Block(&["Private-Lines"]),
        "PuTTY docs, PPK file format",
    ),
    Rule::of(
        "private-key",
        Shape::Block(&["PRIVATE KEY"]),
        "RFC 5958; RFC 7468, PKCS 8",
    ),
    Rule::of(
        "jwk-private-key",
        Shape::Syntax(&["\"kty\"", "\\\"kty\\\""]),
        "RFC 7518, JSON Web Algorithms: the parameters d, p, q, k",
    ),
    Rule::token(
        "age-secret-key",
        &[
            "AGE-SECRET-KEY-1[0-9A-Z]{58}",
            "AGE-SECRET-KEY-PQ-1[0-9A-Z]{58,120}",
        ],
        "C2SP, age: native X25519 recipient",
    ),
    Rule::token(
        "minisign-secret-key",
        &[
            "RWRTY0Iy[0-9A-Za-z+/]{200}[=]{0,2}",
            "RWRTY0Iy[0-9A-Za-z+/]{201,208}[=]{0,2}",
        ],
        "minisign docs, Secret key format",
    ),
    Rule::token(
        "jwe",
        &[
            r"eyJ[\w-]{10,1000}.[\w-]{20,2000}.[\w-]{8,64}.[\w-]{8,8000}.[\w-]{16,64}",
            r"eyJ[\w-]{10,1000}..[\w-]{8,64}.[\w-]{8,8000}.[\w-]{16,64}",
        ],
        "RFC 7516, compact serialization",
    ),
    Rule::token(
        "jwt",
        &[r"eyJ[\w-]{10,4000}.eyJ[\w-]{4,8000}.[\w-]{16,2000}"],
        "RFC 7519; RFC 7515, compact serialization",
    ),
    Rule::token(
        "paseto",
        &[
            r"v2.local.[\w-]{40,4000}",
            r"v4.local.[\w-]{40,4000}",
            r"v2.public.[\w-]{80,4000}",
            r"v4.public.[\w-]{80,4000}",
        ],
        "PASETO specification, message format",
    ),
    Rule::token(
        "bitcoin-extended-key",
        &[
            "xprv[1-9A-HJ-NP-Za-km-z]{107}",
            "zprv[1-9A-HJ-NP-Za-km-z]{107}",
            "yprv[1-9A-HJ-NP-Za-km-z]{107}",
        ],
        "BIP 32, serialization of extended private keys",
    ),
    Rule::token(
        "nostr-secret-key",
        &["nsec1[0-9a-z]{58}"],
        "NIP-19, bech32-encoded entities",
    ),
    Rule::named(
        "wireguard-key",
        &["privatekey", "presharedkey", "wireguard", "wg"],
        &["[0-9A-Za-z+/]{43}="],
        "wg(8), configuration file: PrivateKey, PresharedKey",
    ),
    Rule::named(
        "ethereum-private-key",
        &["privatekey", "deployer", "wallet", "eth"],
        &["0x[0-9a-f]{64}", "[0-9a-f]{64}"],
        "Ethereum yellow paper, private keys of 32 bytes",
    ),
    Rule::named(
        "solana-private-key",
        &["solana", "wallet", "privatekey"],
        &["[1-9A-HJ-NP-Za-km-z]{87,88}"],
        "Solana docs, keypairs in base58",
    ),
];
