//! Model providers and the tools around them.

use super::uuid;
use crate::rule::Rule;

pub(super) const RULES: &[Rule] = &[
    Rule::token("openai-project-key", &[r"sk-proj-[\w-]{40,220}"], OPENAI),
    Rule::token(
        "openai-service-account-key",
        &[r"sk-svcacct-[\w-]{40,220}", r"sk-service-[\w-]{40,220}"],
        OPENAI,
    ),
    Rule::token("openai-admin-key", &[r"sk-admin-[\w-]{40,220}"], OPENAI),
    Rule::token(
        "openai-key",
        &[
            "sk-[0-9A-Za-z]{48}",
            "sk-[0-9A-Za-z]{20}T3BlbkFJ[0-9A-Za-z]{20}",
        ],
        OPENAI,
    ),
    Rule::token(
        "anthropic-api-key",
        &[r"sk-ant-api03-[\w-]{80,120}"],
        ANTHROPIC,
    ),
    Rule::token(
        "anthropic-admin-key",
        &[r"sk-ant-admin01-[\w-]{80,120}"],
        ANTHROPIC,
    ),
    Rule::token(
        "anthropic-oauth-token",
        &[r"sk-ant-oat01-[\w-]{80,120}", r"sk-ant-ort01-[\w-]{80,120}"],
        ANTHROPIC,
    ),
    Rule::token(
        "anthropic-session-key",
        &[r"sk-ant-sid01-[\w-]{80,140}"],
        ANTHROPIC,
    ),
    Rule::token(
        "openrouter-key",
        &["sk-or-v1-[0-9a-f]{64}"],
        "OpenRouter docs, API keys",
    ),
    Rule::token(
        "deepseek-key",
        &["sk-[0-9a-f]{32}"],
        "DeepSeek API docs, First call",
    ),
    Rule::token(
        "langfuse-secret-key",
        &[concat!("sk-lf-", uuid!())],
        "Langfuse docs, API keys",
    ),
    Rule::token(
        "helicone-key",
        &["sk-helicone-[0-9a-z]{7}-[0-9a-z]{7}-[0-9a-z]{7}-[0-9a-z]{7}"],
        "Helicone docs, API keys",
    ),
    Rule::token(
        "groq-key",
        &["gsk_[0-9A-Za-z]{52}"],
        "GroqCloud docs, API keys",
    ),
    Rule::token("xai-key", &["xai-[0-9A-Za-z]{70,90}"], "xAI docs, API keys"),
    Rule::token(
        "perplexity-key",
        &["pplx-[0-9A-Za-z]{40,64}"],
        "Perplexity docs, API keys",
    ),
    Rule::token("hugging-face-token", &["hf_[0-9A-Za-z]{34}"], HUGGING_FACE),
    Rule::token(
        "hugging-face-organization-token",
        &["api_org_[0-9A-Za-z]{34}"],
        HUGGING_FACE,
    ),
    Rule::token(
        "replicate-token",
        &["r8_[0-9A-Za-z]{37}"],
        "Replicate docs, API tokens",
    ),
    Rule::token(
        "together-key",
        &[r"tgp_v1_[\w-]{43}"],
        "Together AI docs, API keys",
    ),
    Rule::token(
        "cerebras-key",
        &["csk-[0-9a-z]{48}"],
        "Cerebras inference docs, API keys",
    ),
    Rule::token(
        "nvidia-key",
        &[r"nvapi-[\w-]{60,70}"],
        "NVIDIA API catalog, API keys",
    ),
    Rule::token(
        "elevenlabs-key",
        &["sk_[0-9a-f]{48}"],
        "ElevenLabs docs, API keys",
    ),
    Rule::token(
        "langsmith-key",
        &[
            "lsv2_pt_[0-9a-f]{32}_[0-9a-f]{10}",
            "lsv2_sk_[0-9a-f]{32}_[0-9a-f]{10}",
        ],
        "LangSmith docs, API keys",
    ),
    Rule::token(
        "jina-key",
        &[r"jina_[\w-]{55,65}"],
        "Jina AI docs, API keys",
    ),
    Rule::token(
        "tavily-key",
        &[
            "tvly-[0-9A-Za-z]{32}",
            r"tvly-dev-[\w-]{32,64}",
            r"tvly-prod-[\w-]{32,64}",
        ],
        "Tavily docs, API keys",
    ),
    Rule::token(
        "firecrawl-key",
        &["fc-[0-9a-f]{32}"],
        "Firecrawl docs, API keys",
    ),
    Rule::token(
        "llamaindex-key",
        &["llx-[0-9A-Za-z]{48}"],
        "LlamaCloud docs, API keys",
    ),
    Rule::token(
        "anyscale-key",
        &["esecret_[0-9A-Za-z]{24,40}"],
        "Anyscale docs, API keys",
    ),
    Rule::token(
        "friendli-token",
        &["flp_[0-9A-Za-z]{40,60}"],
        "Friendli docs, Personal access tokens",
    ),
    Rule::token("e2b-key", &["e2b_[0-9a-f]{40}"], "E2B docs, API key"),
    Rule::token(
        "runpod-key",
        &["rpa_[0-9A-Za-z]{40,60}"],
        "Runpod docs, API keys",
    ),
    Rule::token(
        "cursor-key",
        &["crsr_[0-9a-f]{64}"],
        "Cursor docs, API keys",
    ),
    Rule::named(
        "fireworks-key",
        &[],
        &["fw_[0-9A-Za-z]{22,24}"],
        "Fireworks docs, API keys",
    ),
    Rule::token("wandb-key", &[r"wandb_v1_\w{60,100}"], WANDB),
    Rule::named(
        "modal-token",
        &[],
        &["ak-[0-9A-Za-z]{22}", "as-[0-9A-Za-z]{22}"],
        "Modal docs, Token configuration",
    ),
    Rule::named(
        "voyage-key",
        &[],
        &[r"pa-[\w-]{43}"],
        "Voyage AI docs, API key",
    ),
    Rule::named("wandb-legacy-key", &["wandb"], &["[0-9a-f]{40}"], WANDB),
    Rule::named(
        "cohere-key",
        &["cohere", "co"],
        &["[0-9A-Za-z]{40}"],
        "Cohere docs, API keys",
    ),
    Rule::named(
        "mistral-key",
        &["mistral", "codestral"],
        &["[0-9A-Za-z]{32}"],
        "Mistral docs, API keys",
    ),
    Rule::named(
        "deepgram-key",
        &["deepgram"],
        &["[0-9a-f]{40}"],
        "Deepgram docs, API keys",
    ),
    Rule::named(
        "assemblyai-key",
        &["assemblyai"],
        &["[0-9a-f]{32}"],
        "AssemblyAI docs, API key",
    ),
    Rule::named("exa-key", &["exa"], &[uuid!()], "Exa docs, API keys"),
    Rule::named(
        "serper-key",
        &["serper", "serpapi"],
        &["[0-9a-f]{40}", "[0-9a-f]{64}"],
        "Serper and SerpApi docs, API keys",
    ),
    Rule::named(
        "brave-search-key",
        &["brave"],
        &[r"BSA[\w-]{24,30}"],
        "Brave Search API docs, Subscription token",
    ),
    Rule::named(
        "zhipu-key",
        &["zhipu", "glm", "bigmodel", "zai"],
        &["[0-9a-f]{32}[.][0-9A-Za-z]{16}"],
        "Zhipu open platform docs, API keys",
    ),
];

const OPENAI: &str = "OpenAI docs, API keys: project, service account and admin keys";
const ANTHROPIC: &str = "Anthropic docs, API keys and admin API keys";
const HUGGING_FACE: &str = "Hugging Face docs, User access tokens";
const WANDB: &str = "Weights and Biases docs, API keys";
