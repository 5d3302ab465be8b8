//! Azure. Its newer keys carry a mark at a fixed place: the "identifiable keys" of Microsoft's documents.

use crate::rule::Rule;

pub(super) const RULES: &[Rule] = &[
    Rule::token(
        "azure-storage-key",
        &["[0-9A-Za-z+/]{76}+ASt[0-9A-Za-z+/]{6}=="],
        MARKED,
    ),
    Rule::token(
        "azure-batch-key",
        &["[0-9A-Za-z+/]{76}+ABa[0-9A-Za-z+/]{6}=="],
        MARKED,
    ),
    Rule::token(
        "azure-cosmos-key",
        &["[0-9A-Za-z+/]{76}ACDb[0-9A-Za-z+/]{6}=="],
        MARKED,
    ),
    Rule::token("azure-function-key", &[r"[\w-]{44}AzFu[\w-]{6}=="], MARKED),
    Rule::token(
        "azure-search-key",
        &["[0-9A-Za-z]{42}AzSe[0-9A-Za-z]{6}"],
        MARKED,
    ),
    Rule::token(
        "azure-redis-key",
        &["[0-9A-Za-z+/]{33}AzCa[0-9A-Za-z+/]{6}="],
        MARKED,
    ),
    Rule::token(
        "azure-container-registry-key",
        &["[0-9A-Za-z+/]{42}+ACR[0-9A-Za-z+/]{6}"],
        MARKED,
    ),
    Rule::token(
        "azure-service-bus-key",
        &["[0-9A-Za-z+/]{33}+ASb[0-9A-Za-z+/]{6}="],
        MARKED,
    ),
    Rule::token(
        "azure-event-hub-key",
        &["[0-9A-Za-z+/]{33}+AEh[0-9A-Za-z+/]{6}="],
        MARKED,
    ),
    Rule::token(
        "azure-relay-key",
        &["[0-9A-Za-z+/]{33}+ARm[0-9A-Za-z+/]{6}="],
        MARKED,
    ),
    Rule::token(
        "azure-iot-key",
        &["[0-9A-Za-z+/]{33}AIoT[0-9A-Za-z+/]{6}="],
        MARKED,
    ),
    Rule::token(
        "azure-event-grid-key",
        &[
            "[0-9A-Za-z+/]{33}AZEG[0-9A-Za-z+/]{6}=",
            "[0-9A-Za-z]{72}AZEG[0-9A-Za-z]{8}",
        ],
        MARKED,
    ),
    Rule::token(
        "azure-api-management-key",
        &[
            "[0-9A-Za-z+/]{76}APIM[0-9A-Za-z+/]{6}==",
            "[0-9A-Za-z]{52}JQQJ99[0-9A-Za-z]{18}APIM[0-9A-Za-z]{4}",
        ],
        MARKED,
    ),
    Rule::token(
        "azure-devops-pat",
        &["[0-9A-Za-z]{76}AZDO[0-9A-Za-z]{4}"],
        "Azure DevOps docs, Personal access tokens: format of 84 characters",
    ),
    Rule::token(
        "azure-ai-key",
        &["[0-9A-Za-z]{52}JQQJ9[0-9A-Za-z]{27}"],
        "Microsoft, Common annotated security keys: the signature JQQJ99",
    ),
    Rule::named(
        "azure-client-secret",
        &[],
        &[r"[\w.~-]{3}[0-9]Q~[\w.~-]{31,34}"],
        "Microsoft Entra docs, Client secrets; Purview, entity definition",
    ),
    Rule::named(
        "azure-devops-legacy-pat",
        &["azuredevops", "azdo", "systemaccess", "vsts", "ado"],
        &["[2-7a-z]{52}"],
        "Azure DevOps docs, Personal access tokens",
    ),
    Rule::named(
        "azure-shared-key",
        &["accountkey", "sharedaccesskey", "azure", "cosmos"],
        &["[0-9A-Za-z+/]{86}==", "[0-9A-Za-z+/]{43}="],
        "Azure docs, Connection strings: AccountKey, SharedAccessKey",
    ),
    Rule::named(
        "azure-cognitive-key",
        &["azure", "cognitive", "subscription", "speech", "bing"],
        &["[0-9a-f]{32}"],
        "Azure AI services docs, Authentication: Ocp-Apim-Subscription-Key",
    ),
    Rule::token(
        "azure-sas-signature",
        &[
            "&sig=[0-9A-Za-z+/]{43}=",
            "&sig=[0-9A-Za-z%+/]{43,60}",
            "?sig=[0-9A-Za-z%+/]{43,60}",
        ],
        "Azure Storage docs, Service SAS: the sig parameter",
    ),
];

const MARKED: &str = "Microsoft Purview and security-utilities, Identifiable keys";
