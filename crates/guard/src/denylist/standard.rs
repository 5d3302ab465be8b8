//! The standard list, as a table: kinds of secrets and the names they go by. All of it in lower case.
//!
//! It holds what keeps secrets by its nature, whatever is in it today. What may hold one by accident (a script, a README) is
//! not here: credentials in text are redacted. A name that is also usual for something harmless is here only in the form
//! that is not (`credentials.json`, not `credentials.rs`).

use std::borrow::Cow;

use crate::rules::RuleName;

/// A kind of secret and its names.
#[derive(Debug)]
pub(super) struct Kind {
    /// The rule's name, as decisions say it.
    pub(super) rule: &'static str,
    /// What it is about, for a person.
    pub(super) about: &'static str,
    /// Folders: all that lies below one, and a file of that name.
    pub(super) folders: &'static [&'static str],
    /// Whole names of files.
    pub(super) files: &'static [&'static str],
    /// Ends of files' names, each from a dot on.
    pub(super) endings: &'static [&'static str],
    /// Beginnings of files' names.
    pub(super) beginnings: &'static [&'static str],
    /// Ends of paths, where a file's name alone says too little.
    pub(super) paths: &'static [&'static str],
}

impl Kind {
    /// The rule's name.
    pub(super) fn name(&'static self) -> RuleName {
        RuleName(Cow::Borrowed(self.rule))
    }
}

const NONE: Kind = Kind {
    rule: "",
    about: "",
    folders: &[],
    files: &[],
    endings: &[],
    beginnings: &[],
    paths: &[],
};

/// The rule whose names are a pattern of their own (`is_dotenv`).
pub(super) const DOTENV: &str = "dotenv";

/// The endings that both halves of a key pair go by. Which half a file is only its own name tells, without which it is taken
/// for the private one: what is inside is not looked at, since a file that is denied is not opened.
pub(super) const OF_EITHER_HALF: [&str; 2] = [".pem", ".key"];

pub(super) static KINDS: &[Kind] = &[
    Kind {
        rule: "version-control",
        about: "the folders of version control: configuration with credentials, hooks, other branches' files",
        folders: &[".git", ".hg", ".svn", ".jj", ".bzr"],
        ..NONE
    },
    Kind {
        rule: DOTENV,
        about: "settings of an environment: .env and its like, but not .env.example",
        ..NONE
    },
    Kind {
        rule: "ssh",
        about: "SSH's keys and settings",
        folders: &[".ssh"],
        files: &[
            "ssh_host_rsa_key",
            "ssh_host_ecdsa_key",
            "ssh_host_ed25519_key",
        ],
        beginnings: &[
            "id_",
            "id_rsa",
            "id_dsa",
            "id_ecdsa",
            "id_ed25519",
            "id_xmss",
        ],
        endings: &[".ppk"],
        ..NONE
    },
    Kind {
        rule: "private-key",
        about: "private keys; .pem and .key, but not those that their name calls public",
        files: &["secring.gpg", "privkey", "age-key.txt"],
        endings: &[".pem", ".key", ".p8", ".pk8", ".pvk"],
        paths: &[".config/sops/age/keys.txt"],
        ..NONE
    },
    Kind {
        rule: "keystore",
        about: "stores of keys and certificates",
        folders: &[".gnupg", ".pki"],
        endings: &[
            ".p12",
            ".pfx",
            ".pkcs12",
            ".jks",
            ".jceks",
            ".keystore",
            ".bks",
            ".keytab",
            ".truststore",
        ],
        ..NONE
    },
    Kind {
        rule: "passwords",
        about: "password databases, key rings and wallets",
        folders: &[".password-store", ".electrum", ".bitcoin", ".ethereum"],
        files: &[
            "wallet.dat",
            "key3.db",
            "key4.db",
            "logins.json",
            "login data",
            ".vault_pass",
            ".vault_pass.txt",
            ".vault-password",
            ".vault-token",
            ".htpasswd",
            "htpasswd",
            "shadow",
            "gshadow",
            "master.passwd",
        ],
        endings: &[
            ".kdbx",
            ".kdb",
            ".psafe3",
            ".agilekeychain",
            ".opvault",
            ".1pux",
            ".keychain",
            ".keychain-db",
            ".keyring",
            ".wallet",
            ".bitwarden.json",
        ],
        ..NONE
    },
    Kind {
        rule: "logins",
        about: "files of logins that programs read by themselves",
        files: &[
            ".netrc",
            "_netrc",
            ".git-credentials",
            ".gitcookies",
            ".pgpass",
            "pgpass.conf",
            ".my.cnf",
            ".mylogin.cnf",
            ".authinfo",
            ".authinfo.gpg",
            ".msmtprc",
            ".fetchmailrc",
            ".smbcredentials",
            ".cifscredentials",
            ".rhosts",
            ".s3cfg",
            ".boto",
            ".rclone.conf",
            "rclone.conf",
            ".databrickscfg",
        ],
        paths: &[
            ".config/git/credentials",
            ".config/gh/hosts.yml",
            ".config/hub",
            ".config/glab-cli/config.yml",
            ".config/op/config",
            ".config/doctl/config.yaml",
            ".config/stripe/config.toml",
            ".fly/config.yml",
            ".snowsql/config",
            ".snowflake/connections.toml",
            ".kaggle/kaggle.json",
            ".huggingface/token",
            ".cache/huggingface/token",
            ".config/rclone/rclone.conf",
        ],
        ..NONE
    },
    Kind {
        rule: "packages",
        about: "logins of package registries",
        files: &[
            ".npmrc",
            "_npmrc",
            ".pypirc",
            ".dockercfg",
            ".dockerconfigjson",
            "auth.json",
        ],
        paths: &[
            ".docker/config.json",
            ".cargo/credentials",
            ".cargo/credentials.toml",
            ".gem/credentials",
            ".m2/settings.xml",
            ".m2/settings-security.xml",
            ".gradle/gradle.properties",
            ".config/containers/auth.json",
            ".ivy2/.credentials",
            ".sbt/.credentials",
            ".config/pypoetry/auth.toml",
            ".hex/hex.config",
        ],
        ..NONE
    },
    Kind {
        rule: "cloud",
        about: "logins of clouds and clusters",
        folders: &[".aws", ".azure", ".kube", ".oci", ".bluemix", ".aliyun"],
        files: &[
            "kubeconfig",
            "credentials",
            "credentials.json",
            "credentials.csv",
            "credentials.xml",
            "accesskeys.csv",
            "rootkey.csv",
            "application_default_credentials.json",
            "service-account.json",
            "service_account.json",
            "serviceaccount.json",
            "serviceaccountkey.json",
            "service-account-key.json",
            "gcp-key.json",
            "kaggle.json",
            "oauth_creds.json",
            ".credentials.json",
            "access_tokens.db",
        ],
        endings: &[".kubeconfig", ".publishsettings"],
        beginnings: &["client_secret_", "client_secrets"],
        paths: &[
            ".config/gcloud/credentials.db",
            ".config/gcloud/access_tokens.db",
            ".config/gcloud/application_default_credentials.json",
        ],
    },
    Kind {
        rule: "infrastructure",
        about: "states and values of infrastructure, which hold secrets in clear",
        folders: &[".terraform.d", ".pulumi"],
        files: &[
            ".terraformrc",
            "terraform.rc",
            "credentials.tfrc.json",
            "vault.yml",
            "vault.yaml",
        ],
        endings: &[
            ".tfstate",
            ".tfstate.backup",
            ".tfvars",
            ".tfvars.json",
            ".ovpn",
        ],
        ..NONE
    },
    Kind {
        rule: "secrets",
        about: "files that call themselves secrets",
        folders: &[".secrets"],
        files: &[
            "secrets.yml",
            "secrets.yaml",
            "secrets.json",
            "secrets.toml",
            "secrets.ini",
            "secrets.properties",
            "secrets.env",
            "secrets.txt",
            "secret.yml",
            "secret.yaml",
            "secret.json",
            "secret.toml",
            "secret.txt",
            ".secret",
            ".secrets",
            "token.json",
            ".token",
            ".api_key",
            "apikey.txt",
            "api_key.txt",
        ],
        ..NONE
    },
    Kind {
        rule: "history",
        about: "histories of shells and consoles",
        files: &[
            ".bash_history",
            ".zsh_history",
            ".zhistory",
            ".sh_history",
            ".history",
            "fish_history",
            ".python_history",
            ".node_repl_history",
            ".psql_history",
            ".mysql_history",
            ".sqlite_history",
            ".rediscli_history",
            ".irb_history",
            ".lesshst",
            ".viminfo",
            "consolehost_history.txt",
        ],
        ..NONE
    },
];
