//! Mail, chat, telephony and their webhooks.

use super::uuid;
use crate::rule::Rule;

pub(super) const RULES: &[Rule] = &[
    Rule::token("slack-bot-token", &["xoxb-[0-9A-Za-z-]{20,250}"], SLACK),
    Rule::token("slack-user-token", &["xoxp-[0-9A-Za-z-]{20,250}"], SLACK),
    Rule::token(
        "slack-workspace-token",
        &[
            "xoxa-[0-9A-Za-z-]{20,250}",
            "xoxr-[0-9A-Za-z-]{20,250}",
            "xoxs-[0-9A-Za-z-]{20,250}",
        ],
        SLACK,
    ),
    Rule::token(
        "slack-refresh-token",
        &[
            "xoxe-[0-9A-Za-z-]{20,250}",
            "xoxe.xoxp-[0-9A-Za-z-]{20,250}",
            "xoxe.xoxb-[0-9A-Za-z-]{20,250}",
        ],
        SLACK,
    ),
    Rule::token(
        "slack-session-token",
        &["xoxc-[0-9A-Za-z-]{20,250}", "xoxd-[0-9A-Za-z%+/=-]{20,400}"],
        SLACK,
    ),
    Rule::token(
        "slack-app-token",
        &["xapp-[0-9]-[0-9A-Z]{8,20}-[0-9]{8,20}-[0-9a-f]{40,80}"],
        SLACK,
    ),
    Rule::token(
        "slack-webhook",
        &["hooks.slack.com/services/[0-9A-Z]{8,16}/[0-9A-Z]{8,16}/[0-9A-Za-z]{18,32}"],
        "Slack docs, Incoming webhooks",
    ),
    Rule::token(
        "slack-workflow-webhook",
        &[
            "hooks.slack.com/workflows/[0-9A-Z]{8,16}/[0-9A-Z]{8,16}/[0-9]{10,24}/[0-9A-Za-z]{18,32}",
            "hooks.slack.com/triggers/[0-9A-Z]{8,16}/[0-9]{8,24}/[0-9a-f]{24,40}",
        ],
        "Slack docs, Workflow webhooks",
    ),
    Rule::token(
        "discord-webhook",
        &[
            r"discord.com/api/webhooks/[0-9]{15,22}/[\w-]{60,80}",
            r"discordapp.com/api/webhooks/[0-9]{15,22}/[\w-]{60,80}",
        ],
        DISCORD,
    ),
    Rule::named(
        "discord-bot-token",
        &[],
        &[r"[MNO][\w-]{23,27}[.][\w-]{6}[.][\w-]{27,38}"],
        DISCORD,
    ),
    Rule::named(
        "discord-client-secret",
        &["discord"],
        &[r"[\w-]{32}"],
        DISCORD,
    ),
    Rule::token(
        "telegram-bot-token",
        &[r"[0-9]{8,10}:AA[\w-]{33}"],
        "Telegram Bot API, Authorizing your bot",
    ),
    Rule::token(
        "teams-webhook",
        &[
            "webhook.office.com/webhookb2/[0-9a-f@-]{70,90}/IncomingWebhook/[0-9a-f]{32}/[0-9a-f-]{36}",
            "outlook.office.com/webhook/[0-9a-f@-]{70,90}/IncomingWebhook/[0-9a-f]{32}/[0-9a-f-]{36}",
        ],
        "Microsoft Teams docs, Incoming webhooks",
    ),
    Rule::token(
        "google-chat-webhook",
        &[
            r"chat.googleapis.com/v1/spaces/[\w-]{8,20}/messages?key=[\w-]{30,50}&token=[\w%-]{30,80}",
        ],
        "Google Chat docs, Webhooks",
    ),
    Rule::token(
        "mattermost-webhook",
        &["/hooks/[0-9a-z]{26}"],
        "Mattermost docs, Incoming webhooks: keys of 26 characters",
    ),
    Rule::token(
        "zapier-webhook",
        &["hooks.zapier.com/hooks/catch/[0-9]{5,12}/[0-9a-z]{6,12}"],
        "Zapier help, Webhooks: catch hooks",
    ),
    Rule::token(
        "ifttt-key",
        &[
            r"maker.ifttt.com/use/[\w-]{22,43}",
            r"maker.ifttt.com/trigger/[\w-]{1,60}/with/key/[\w-]{22,43}",
            r"maker.ifttt.com/trigger/[\w-]{1,60}/json/with/key/[\w-]{22,43}",
        ],
        "IFTTT help, Webhooks",
    ),
    Rule::token(
        "feishu-webhook",
        &[
            concat!("open.feishu.cn/open-apis/bot/v2/hook/", uuid!()),
            concat!("open.larksuite.com/open-apis/bot/v2/hook/", uuid!()),
        ],
        "Feishu docs, Custom bots",
    ),
    Rule::token(
        "dingtalk-webhook",
        &["oapi.dingtalk.com/robot/send?access_token=[0-9a-f]{64}"],
        "DingTalk docs, Custom robots",
    ),
    Rule::token(
        "wecom-webhook",
        &[concat!(
            "qyapi.weixin.qq.com/cgi-bin/webhook/send?key=",
            uuid!()
        )],
        "WeCom docs, Group robots",
    ),
    Rule::token(
        "sendgrid-key",
        &[r"SG.[\w-]{22}.[\w-]{43}"],
        "SendGrid docs, API keys: 69 characters",
    ),
    Rule::token(
        "mailgun-key",
        &["key-[0-9a-f]{32}"],
        "Mailgun docs, API keys",
    ),
    Rule::named(
        "mailgun-private-key",
        &["mailgun"],
        &["[0-9a-f]{32}-[0-9a-f]{8}-[0-9a-f]{8}"],
        "Mailgun docs, API keys",
    ),
    Rule::token(
        "brevo-key",
        &["xkeysib-[0-9a-f]{64}-[0-9A-Za-z]{16}"],
        BREVO,
    ),
    Rule::token(
        "brevo-smtp-key",
        &["xsmtpsib-[0-9a-f]{64}-[0-9A-Za-z]{16}"],
        BREVO,
    ),
    Rule::token(
        "resend-key",
        &[r"re_[0-9A-Za-z]{8}_[0-9A-Za-z]{24}"],
        "Resend docs, API keys",
    ),
    Rule::token(
        "mailersend-token",
        &["mlsn.[0-9a-f]{64}"],
        "MailerSend docs, API tokens",
    ),
    Rule::token(
        "twitch-chat-token",
        &["oauth:[0-9a-z]{30}"],
        "Twitch docs, IRC authentication",
    ),
    Rule::named(
        "mailchimp-key",
        &[],
        &["[0-9a-f]{32}-us[0-9]{1,2}"],
        "Mailchimp docs, API keys: the data centre at the end",
    ),
    Rule::named(
        "mandrill-key",
        &["mandrill"],
        &[r"md-[\w-]{22}", r"[\w-]{22}"],
        "Mailchimp Transactional docs, API keys",
    ),
    Rule::named(
        "postmark-token",
        &["postmark"],
        &[uuid!()],
        "Postmark docs, Server and account tokens",
    ),
    Rule::named(
        "sparkpost-key",
        &["sparkpost"],
        &["[0-9a-f]{40}"],
        "SparkPost docs, API keys",
    ),
    Rule::named(
        "mailjet-key",
        &["mailjet", "mj"],
        &["[0-9a-f]{32}"],
        "Mailjet docs, API key and secret key",
    ),
    Rule::named("twilio-api-key", &[], &["SK[0-9a-f]{32}"], TWILIO),
    Rule::named(
        "twilio-auth-token",
        &["twilio"],
        &["[0-9a-f]{32}", "[0-9A-Za-z]{32}"],
        TWILIO,
    ),
    Rule::named(
        "vonage-secret",
        &["vonage", "nexmo"],
        &["[0-9A-Za-z]{16}"],
        "Vonage docs, API key and secret",
    ),
    Rule::named(
        "messagebird-key",
        &["messagebird"],
        &["[0-9A-Za-z]{25}"],
        "Bird docs, API access keys",
    ),
    Rule::named(
        "plivo-token",
        &["plivo"],
        &["[0-9A-Za-z]{40}"],
        "Plivo docs, Auth token",
    ),
    Rule::named(
        "line-channel-token",
        &["line", "channelaccess"],
        &["[0-9A-Za-z+/]{150,200}[=]{0,2}"],
        "LINE developers, Channel access tokens",
    ),
    Rule::named(
        "twitch-secret",
        &["twitch"],
        &["[0-9a-z]{30}"],
        "Twitch docs, Registering your app",
    ),
    Rule::named(
        "pusher-secret",
        &["pusher"],
        &["[0-9a-f]{20}"],
        "Pusher docs, App keys",
    ),
    Rule::named(
        "zoom-secret",
        &["zoom"],
        &["[0-9A-Za-z]{32}"],
        "Zoom developers, OAuth apps: client secret",
    ),
    Rule::named(
        "webex-token",
        &["webex"],
        &[r"[\w-]{64}_[\w-]{4}_[0-9a-f-]{36}"],
        "Webex developers, Bot tokens",
    ),
];

const SLACK: &str = "Slack docs, Token types: prefixes";
const DISCORD: &str = "Discord developers, Authentication; webhooks";
const BREVO: &str = "Brevo developers, API and SMTP keys";
const TWILIO: &str = "Twilio docs, API keys and auth tokens: SIDs";
