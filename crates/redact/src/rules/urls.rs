//! Passwords in URLs, a kind for each family of schemes.

use crate::rule::{Rule, Shape};

pub(super) const RULES: &[Rule] = &[
    url(
        "postgres-url-password",
        &[
            "postgres",
            "postgresql",
            "cockroachdb",
            "redshift",
            "timescale",
            "pgsql",
        ],
        "PostgreSQL docs, Connection URIs",
    ),
    url(
        "mysql-url-password",
        &["mysql", "mysql2", "mariadb", "mysqlx"],
        "MySQL docs, URI-like connection strings",
    ),
    url(
        "mongodb-url-password",
        &["mongodb", "srv"],
        "MongoDB docs, Connection strings",
    ),
    url(
        "redis-url-password",
        &["redis", "rediss", "valkey", "valkeys"],
        "IANA, redis URI scheme",
    ),
    url(
        "amqp-url-password",
        &["amqp", "amqps"],
        "RabbitMQ docs, URI specification",
    ),
    url(
        "mssql-url-password",
        &["mssql", "sqlserver"],
        "Microsoft docs, SQL Server connection URLs",
    ),
    url(
        "oracle-url-password",
        &["oracle"],
        "SQLAlchemy docs, Database URLs",
    ),
    url(
        "clickhouse-url-password",
        &["clickhouse", "clickhouses"],
        "ClickHouse docs, Connection strings",
    ),
    url(
        "cassandra-url-password",
        &["cassandra", "scylla"],
        "Cassandra drivers, contact URLs",
    ),
    url(
        "couchdb-url-password",
        &["couchdb", "couchdbs", "couchbase", "couchbases"],
        "CouchDB docs, URLs",
    ),
    url(
        "neo4j-url-password",
        &["neo4j", "bolt"],
        "Neo4j docs, Connection URIs",
    ),
    url(
        "elasticsearch-url-password",
        &["elasticsearch", "opensearch", "es"],
        "Elasticsearch clients, hosts as URLs",
    ),
    url(
        "influxdb-url-password",
        &["influxdb", "influx"],
        "InfluxDB docs, connection URLs",
    ),
    url(
        "snowflake-url-password",
        &["snowflake"],
        "Snowflake docs, SQLAlchemy connection strings",
    ),
    url(
        "kafka-url-password",
        &["kafka", "sasl", "ssl"],
        "Kafka clients, bootstrap URLs",
    ),
    url(
        "nats-url-password",
        &["nats", "tls"],
        "NATS docs, Connecting with a user and password",
    ),
    url(
        "mqtt-url-password",
        &["mqtt", "mqtts", "ws", "wss"],
        "MQTT URI scheme; RFC 6455",
    ),
    url(
        "ldap-url-password",
        &["ldap", "ldaps"],
        "RFC 4516, LDAP URLs",
    ),
    url(
        "smtp-url-password",
        &["smtp", "smtps", "imap", "imaps", "pop3", "submission"],
        "RFC 5092; mailer DSNs",
    ),
    url("ftp-url-password", &["ftp", "ftps"], "RFC 1738, FTP URLs"),
    url(
        "ssh-url-password",
        &["ssh", "sftp", "scp", "rsync"],
        "RFC 3986, userinfo; IANA, sftp and ssh schemes",
    ),
    url(
        "git-url-password",
        &["git", "git+https", "git+http", "git+ssh", "https+git"],
        "git docs, Git URLs; pip docs, VCS support",
    ),
    url(
        "cloudinary-url-secret",
        &["cloudinary"],
        "Cloudinary docs, the CLOUDINARY_URL variable",
    ),
    url("sentry-dsn", &["sentry"], "Sentry docs, DSN"),
    url(
        "proxy-url-password",
        &[
            "socks", "socks4", "socks5", "socks5h", "vmess", "ss", "trojan", "vless",
        ],
        "curl manual, --proxy",
    ),
    url(
        "rtsp-url-password",
        &["rtsp", "rtsps", "rtmp"],
        "RFC 7826, RTSP URIs",
    ),
    url(
        "smb-url-password",
        &["smb", "cifs", "webdav", "davs", "afp"],
        "IANA, smb URI scheme",
    ),
    url(
        "ibm-db2-url-password",
        &[
            "db2",
            "ibm_db_sa",
            "hive",
            "presto",
            "trino",
            "impala",
            "teradatasql",
        ],
        "SQLAlchemy docs, Dialects: database URLs",
    ),
    url(
        "http-url-password",
        &["http", "https"],
        "RFC 3986, userinfo",
    ),
    // Without schemes: every other one.
    url("url-password", &[], "RFC 3986, userinfo"),
    Rule::of(
        "url-token",
        Shape::Syntax(&["://"]),
        "RFC 3986, userinfo of a token alone, as git hosts accept it",
    ),
    Rule::of(
        "oracle-connect-password",
        Shape::Syntax(&["oracle:thin:", "oracle:oci:", "oracle:oci8:"]),
        "Oracle JDBC guide, Database URLs: user/password@",
    ),
    Rule::of(
        "pgpass-password",
        Shape::Syntax(&[":5432:", ":5433:", ":6432:"]),
        "PostgreSQL docs, The password file",
    ),
];

const fn url(kind: &'static str, schemes: &'static [&'static str], source: &'static str) -> Rule {
    Rule::of(kind, Shape::Url(schemes), source)
}
