use super::*;
use proptest::prelude::*;

fn rule(path: &str) -> Option<String> {
    rule_below("", path)
}

fn rule_below(root: &str, path: &str) -> Option<String> {
    let path = TreePath::new(path).unwrap();
    Denylist::default()
        .rule(&Above::root(Path::new(root)), &path)
        .map(|rule| rule.as_str().to_owned())
}

#[test]
fn what_keeps_secrets_is_denied_wherever_it_lies() {
    for (name, expected) in [
        (".git/config", "version-control"),
        (".git", "version-control"),
        ("sub/.hg/hgrc", "version-control"),
        (".env", "dotenv"),
        (".env.local", "dotenv"),
        (".env.production.local", "dotenv"),
        (".env-prod", "dotenv"),
        (".envrc", "dotenv"),
        ("staging.env", "dotenv"),
        (".ssh/config", "ssh"),
        ("id_rsa", "ssh"),
        ("id_ed25519_work", "ssh"),
        ("id_rsa.old", "ssh"),
        ("id_work", "ssh"),
        ("server.pem", "private-key"),
        ("tls.key", "private-key"),
        ("locale.key", "private-key"),
        ("cert.pem", "private-key"),
        ("republic.key", "private-key"),
        ("non-public.pem", "private-key"),
        ("public-private.key", "private-key"),
        ("private.pub.key", "private-key"),
        ("public.p8", "private-key"),
        ("public.key.pem", "private-key"),
        ("id_rsa.pub.pem", "ssh"),
        ("AuthKey_1.p8", "private-key"),
        ("release.keystore", "keystore"),
        ("cert.pfx", "keystore"),
        ("team.kdbx", "passwords"),
        (".htpasswd", "passwords"),
        (".netrc", "logins"),
        (".git-credentials", "logins"),
        (".pgpass", "logins"),
        (".npmrc", "packages"),
        (".pypirc", "packages"),
        (".docker/config.json", "packages"),
        (".cargo/credentials.toml", "packages"),
        (".aws/credentials", "cloud"),
        (".kube/config", "cloud"),
        ("credentials", "cloud"),
        (".config/gcloud/credentials.db", "cloud"),
        ("client_secret_12.apps.json", "cloud"),
        (".claude/.credentials.json", "cloud"),
        ("terraform.tfstate", "infrastructure"),
        ("terraform.tfstate.backup", "infrastructure"),
        ("prod.auto.tfvars", "infrastructure"),
        ("secrets.yaml", "secrets"),
        (".bash_history", "history"),
    ] {
        for path in [name.to_owned(), format!("a/b/{name}"), name.to_uppercase()] {
            assert_eq!(rule(&path).as_deref(), Some(expected), "{path}");
        }
    }
}

#[test]
fn what_only_looks_like_it_is_not() {
    for path in [
        "src/env.rs",
        ".env.example",
        ".env.sample",
        ".env.template",
        ".env.dist",
        "config/example.env",
        ".github/workflows/ci.yml",
        ".gitignore",
        ".gitattributes",
        "id_rsa.pub",
        "server.key.pub",
        "public.pem",
        "jwt-public.key",
        "signing.pub.pem",
        "keys/PublicKey.pem",
        "rsa_public_key.pem",
        "id_map.rs",
        "tokens.json",
        "src/identity.rs",
        "docs/keys.md",
        "keyboard.rs",
        "public.pem.md",
        "credentials.rs",
        "crates/secrets/src/lib.rs",
        "secrets.rs",
        "config.json",
        "docker/config.json",
        "aws/lib.rs",
        "gradle.properties",
        "history.md",
        "monkey.txt",
        "package.json",
        "Cargo.lock",
        "environment.yml",
    ] {
        assert_eq!(rule(path), None, "{path}");
    }
}

#[test]
fn where_the_tree_begins_hides_no_name() {
    for (root, path, expected) in [
        ("/home/me/.ssh", "config", Some("ssh")),
        ("/home/me/.ssh", "id_rsa.pub", Some("ssh")),
        ("/home/me/.SSH/old", "a/b", Some("ssh")),
        ("/home/me/.aws", "sso/cache/1.json", Some("cloud")),
        ("/home/me/.gnupg", "trustdb.gpg", Some("keystore")),
        ("/srv/api/.git/hooks", "pre-commit", Some("version-control")),
        ("/home/me/.docker", "config.json", Some("packages")),
        ("/home/me/.config/gh", "hosts.yml", Some("logins")),
        ("/home/me/.config", "gh/hosts.yml", Some("logins")),
        ("/", "home/me/.config/gh/hosts.yml", Some("logins")),
        ("/home/me/my.docker", "config.json", None),
        ("/home/me/.docker/api", "config.json", None),
        ("/home/me/gh", "hosts.yml", None),
        ("/home/me/ssh/.aws.d", "config", None),
        ("/home/me/id_rsa/.env", "src/a.rs", None),
    ] {
        let found = rule_below(root, path);
        assert_eq!(found.as_deref(), expected, "{root} {path}");
    }
}

#[test]
fn no_spelling_gets_past_it() {
    for path in [
        ".Git/config",
        ".g\u{200c}it/config",
        "\u{feff}.env",
        ".ENV",
        "ID_RSA",
        "X.Pem",
    ] {
        assert!(rule(path).is_some(), "{path}");
    }
    // KELVIN SIGN, which lower case makes a k.
    assert!(rule("tls.\u{212a}ey").is_some());
}

#[test]
fn the_table_is_in_the_form_it_is_looked_up_in() {
    let mut rules: Vec<_> = Denylist::standard().map(|(rule, _)| rule).collect();
    rules.dedup();
    assert_eq!(rules.len(), KINDS.len());
    for kind in KINDS {
        assert!(!kind.rule.is_empty() && !kind.about.is_empty());
        let names = [kind.folders, kind.files, kind.beginnings].concat();
        assert!(
            names.iter().all(|name| !name.contains('/')),
            "{}",
            kind.rule
        );
        assert!(kind.endings.iter().all(|ending| ending.starts_with('.')));
        assert!(kind.paths.iter().all(|path| path.contains('/')));
        for text in names.iter().chain(kind.endings).chain(kind.paths) {
            assert_eq!(fold(text), **text);
        }
    }
}

proptest! {
    /// Where a secret lies, and in which case it is written, does not matter; nor where the tree begins.
    #[test]
    fn by_name_in_any_folder(
        root_names: prop::sample::Index,
        before in "([a-z]{1,3}/){0,4}",
        at in 0..KINDS.len(),
        which: prop::sample::Index,
        upper: Vec<bool>,
    ) {
        let kind = &KINDS[at];
        let names = [kind.folders, kind.files, kind.paths].concat();
        prop_assume!(!names.is_empty());
        let name: String = which
            .get(&names)
            .chars()
            .zip(upper.iter().copied().chain(std::iter::repeat(false)))
            .map(|(char, upper)| if upper { char.to_ascii_uppercase() } else { char })
            .collect();
        let path = format!("{before}{name}");
        prop_assert!(rule(&path).is_some(), "{}", path);
        let below: Vec<&str> = path.split('/').collect();
        let (root, path) = below.split_at(root_names.index(below.len()));
        let (root, path) = (root.join("/"), path.join("/"));
        prop_assert!(rule_below(&root, &path).is_some(), "{} in {}", path, root);
    }

    #[test]
    fn any_path_has_an_answer(path in "\\PC{1,30}") {
        if let Ok(path) = TreePath::new(&path) {
            let folded = TreePath::new(&fold(path.as_str()));
            if let Ok(folded) = folded {
                prop_assert_eq!(rule(path.as_str()), rule(folded.as_str()));
            }
        }
    }
}
