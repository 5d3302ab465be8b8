//! Passwords given to commands by a flag that has another meaning elsewhere.

use crate::rule::{Argument, Rule, Shape};

pub(super) const RULES: &[Rule] = &[
    flag(
        "curl-user-password",
        "curl ",
        "-u",
        Argument::After(b':'),
        "curl manual, -u, --user",
    ),
    flag(
        "curl-user-password",
        "curl ",
        "--user",
        Argument::After(b':'),
        "curl manual, -u, --user",
    ),
    flag(
        "curl-proxy-password",
        "curl ",
        "--proxy-user",
        Argument::After(b':'),
        "curl manual, --proxy-user",
    ),
    flag(
        "mysql-password",
        "mysql ",
        "-p",
        Argument::Glued,
        "MySQL docs, Connecting: -ppassword",
    ),
    flag(
        "mysql-password",
        "mysqldump ",
        "-p",
        Argument::Glued,
        "MySQL docs, mysqldump: -ppassword",
    ),
    flag(
        "mysql-password",
        "mysqladmin ",
        "-p",
        Argument::Glued,
        "MySQL docs, mysqladmin: -ppassword",
    ),
    flag(
        "sshpass-password",
        "sshpass ",
        "-p",
        Argument::Word,
        "sshpass(1), -p",
    ),
    flag(
        "sshpass-password",
        "sshpass ",
        "-p",
        Argument::Glued,
        "sshpass(1), -p",
    ),
    flag(
        "docker-login-password",
        "docker login ",
        "-p",
        Argument::Word,
        "Docker docs, docker login: -p",
    ),
    flag(
        "docker-login-password",
        "podman login ",
        "-p",
        Argument::Word,
        "podman-login(1), -p",
    ),
    flag(
        "docker-login-password",
        "helm registry login ",
        "-p",
        Argument::Word,
        "Helm docs, registry login: -p",
    ),
    flag(
        "redis-cli-password",
        "redis-cli ",
        "-a",
        Argument::Word,
        "Redis docs, redis-cli: -a",
    ),
    flag(
        "ldap-bind-password",
        "ldapsearch ",
        "-w",
        Argument::Word,
        "ldapsearch(1), -w",
    ),
    flag(
        "ldap-bind-password",
        "ldapmodify ",
        "-w",
        Argument::Word,
        "ldapmodify(1), -w",
    ),
    flag(
        "mosquitto-password",
        "mosquitto_pub ",
        "-P",
        Argument::Word,
        "mosquitto_pub(1), -P",
    ),
    flag(
        "mosquitto-password",
        "mosquitto_sub ",
        "-P",
        Argument::Word,
        "mosquitto_sub(1), -P",
    ),
    flag(
        "smbclient-password",
        "smbclient ",
        "-U",
        Argument::After(b'%'),
        "smbclient(1), -U user%password",
    ),
    flag("zip-password", "zip ", "-P", Argument::Word, "zip(1), -P"),
    flag(
        "az-login-secret",
        "az login ",
        "-p",
        Argument::Word,
        "Azure CLI docs, az login: -p",
    ),
    flag(
        "sqlcmd-password",
        "sqlcmd ",
        "-P",
        Argument::Word,
        "Microsoft docs, sqlcmd: -P",
    ),
    flag(
        "mongosh-password",
        "mongosh ",
        "-p",
        Argument::Word,
        "MongoDB docs, mongosh: -p",
    ),
];

const fn flag(
    kind: &'static str,
    command: &'static str,
    flag: &'static str,
    part: Argument,
    source: &'static str,
) -> Rule {
    Rule::of(
        kind,
        Shape::Flag {
            command,
            flag,
            part,
        },
        source,
    )
}
