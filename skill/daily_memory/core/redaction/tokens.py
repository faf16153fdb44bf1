"""Tokens with a shape that their vendor publishes: one table, one line for each shape.

Sources: the vendors' documents on token formats, and the rule catalogues of gitleaks,
detect-secrets and trufflehog, which name the same prefixes. Lengths are lower bounds: a vendor may
lengthen a token, and a token cut short is still better hidden.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate

from daily_memory.core.lazy_pattern import lazy_pattern
from daily_memory.core.redaction.rules import Rows, Rules
from daily_memory.core.redaction.view import Redaction, View, has_any
from daily_memory.core.redaction.words import is_placeholder
from daily_memory.named_tuples import NamedTuple


class Token(NamedTuple):
    """A shape, searched for only where one of the triggers, in lower case, is in the text.

    Where the pattern has a group `v`, that alone is the secret. A `long` one has 16 letters and
    digits in a row, and is searched for only where there are so many; one has at `least` so many
    characters without a blank. No pattern scans a run without a bound that it may have to give
    back: that keeps it linear.
    """

    kind: str
    triggers: str
    pattern: str
    long: bool = False
    least: int = 0


TOKENS = (
    # --- clouds
    Token("aws_key", "akia asia abia acca a3t",
          r"(?:AKIA|ASIA|ABIA|ACCA|A3T[A-Z0-9])[A-Z0-9]{12,}"),
    Token("aws_bedrock_key", "absk", r"ABSK[A-Za-z0-9+/]{60,}={0,2}"),
    Token("google_api_key", "aiza", r"AIza[\w-]{30,}"),
    Token("google_api_key", "aq. iq.", r"[AI]Q\.[\w-]{40,}"),
    Token("google_push_key", ":apa91b", r"[\w-]{11,}:APA91b[\w-]{60,}"),
    Token("google_oauth_token", "ya29.", r"ya29\.[\w-]{20,}(?:\.[\w-]+)?"),
    Token("google_oauth_secret", "gocspx-", r"GOCSPX-[\w-]{20,}"),
    Token("google_refresh_token", "1//0", r"1//0[\w-]{30,}"),
    Token("azure_client_secret", "q~", r"[\w~.]{3}[0-9]Q~[\w~.-]{30,}"),
    Token("azure_devops_token", "azdo", r"[A-Za-z0-9]{64,}AZDO[A-Za-z0-9]{4}"),
    Token("azure_storage_key", "+ast acdb abfa",
          r"[A-Za-z0-9+/]{70,80}(?:\+ASt|\+ARm|ACDb|ABfa)[A-Za-z0-9+/]{4,8}={0,2}"),
    Token("aliyun_key", "ltai", r"LTAI[A-Za-z0-9]{12,}"),
    Token("aliyun_sts", "sts.", r"STS\.[A-Za-z0-9]{20,}"),
    Token("tencent_key", "akid", r"AKID[A-Za-z0-9]{13,}"),
    Token("volcengine_key", "aklt", r"AKLT[A-Za-z0-9+/_-]{20,}={0,2}"),
    Token("jdcloud_key", "jdc_", r"JDC_[A-Z0-9]{28,}"),
    Token("baidu_key", "altak", r"ALTAK[A-Za-z0-9-]{16,}"),
    Token("baidu_api_key", "bce-v3/", r"bce-v3/[\w-]+/[0-9a-f]{32,}"),
    Token("digitalocean_token", "dop_v1_ doo_v1_ dor_v1_", r"do[por]_v1_[0-9a-f]{32,}"),
    Token("heroku_key", "hrku-", r"HRKU-[\w-]{36,}"),
    Token("fly_token", "fo1_ fm1r_ fm2_",
          r"(?:fo1_[\w-]{40,}|fm1[ar]_[\w+/-]{60,}={0,3}|fm2_[\w+/-]{60,}={0,3})"),
    Token("yandex_key", "aqvn yca t1.",
          r"AQVN[\w-]{35,}|YCAJE[\w-]{20,}|YCP[\w-]{35,}"
          r"|t1\.[A-Z0-9a-z_-]+[=]{0,2}\.[\w-]{80,}={0,2}"),
    Token("cloudflare_ca_key", "v1.0-", r"v1\.0-[0-9a-f]{24}-[0-9a-f]{100,}"),
    Token("cloudflare_token", "cfk_ cfut_ cfat_", r"cf(?:k|ut|at)_[\w-]{40,}"),
    Token("scaleway_key", "scw", r"SCW[A-Z0-9]{17}"),
    Token("database_token", "pscale_", r"pscale_(?:tkn|pw|oauth)_[\w.=-]{30,}"),
    Token("supabase_key", "sbp_ sb_secret_", r"sbp_[0-9a-f]{40,}|sb_secret_[\w-]{20,}"),
    Token("neon_key", "napi_ neon_api", r"napi_[a-z0-9]{40,}"),
    Token("runpod_key", "rpa_", r"rpa_[A-Z0-9]{30,}"),
    Token("vercel_token", "vcp_ vck_ vca_ vcr_ vci_", r"vc[pkari]_[A-Za-z0-9]{24,}"),
    Token("netlify_token", "nfp_ nfc_ nfo_ nfu_", r"nf[pcobu]_[A-Za-z0-9]{36,}"),
    # --- code hosts, packages, CI
    Token("github_token", "ghp_ gho_ ghu_ ghs_ ghr_", r"gh[pousr]_[A-Za-z0-9_]{20,}"),
    Token("github_token", "github_pat_", r"github_pat_[A-Za-z0-9_]{20,}"),
    Token("gitlab_token",
          "glpat- gldt- glft- glsoat- glrt- glcbt- glptt- glimt- glagent- gloas- "
          "glffct- glwt-",
          r"gl(?:pat|dt|ft|soat|rtr?|cbt|ptt|imt|agent|oas|ffct|wt)-[\w.-]{18,}"),
    Token("gitlab_token", "gr1348941", r"GR1348941[\w-]{20,}"),
    Token("web_login", "_gitlab_session=", r"(?<=_gitlab_session=)[0-9a-z]{20,}"),
    Token("bitbucket_token", "atbb atctt3", r"ATBB[A-Za-z0-9]{28,}|ATCTT3[\w=-]{40,}"),
    Token("atlassian_token", "atatt3 atoatt", r"ATATT3[\w=-]{40,}|ATOATT[\w=-]{40,}"),
    Token("npm_token", "npm_", r"npm_[A-Za-z0-9]{30,}"),
    Token("pypi_token", "pypi-ag", r"pypi-Ag[\w-]{30,}"),
    Token("gem_key", "rubygems_", r"rubygems_[0-9a-f]{40,}"),
    Token("crates_token", "cio", r"cio[A-Za-z0-9]{32}(?![A-Za-z0-9])", long=True),
    Token("clojars_token", "clojars_", r"CLOJARS_[0-9a-f]{50,}"),
    Token("nuget_key", "oy2", r"oy2[a-z0-9]{43}(?![a-z0-9])", long=True),
    Token("docker_token", "dckr_pat_ dckr_oat_", r"dckr_[po]at_[\w-]{20,}"),
    Token("artifactory_key", "akcp", r"AKCp[A-Za-z0-9]{60,}"),
    Token("artifactory_token", "cmvmd", r"cmVmd[A-Za-z0-9]{50,}"),
    Token("buildkite_token", "bkua_", r"bkua_[a-z0-9]{30,}"),
    Token("circleci_token", "ccipat_ ccipbt_", r"(?i:ccip[ab]t)_[A-Za-z0-9_]{20,}"),
    Token("sonar_token", "sqp_ squ_ sqa_", r"sq[pua]_[0-9a-z]{30,}"),
    Token("pulumi_token", "pul-", r"pul-[0-9a-f]{32,}"),
    Token("terraform_token", ".atlasv1.", r"[A-Za-z0-9]{14}\.atlasv1\.[\w=-]{50,}"),
    Token("postman_key", "pmak-", r"PMAK-[0-9a-f]{16,}-[0-9a-f]{24,}"),
    Token("scanner_token", "snyk_", r"snyk_(?:uat|sat)\.[0-9a-f]{8}\.[\w.-]{20,}"),
    # --- models and data
    Token("anthropic_key", "sk-ant-", r"sk-ant-[\w-]{16,}"),
    Token("openai_key", "sk-", r"sk-(?:proj|svcacct|admin|None|service)-[\w-]{16,}"),
    Token("openrouter_key", "sk-or-", r"sk-or-[\w-]{20,}"),
    Token("api_key", "sk-", r"sk-(?=[A-Za-z_-]{0,60}[0-9])[A-Za-z0-9][A-Za-z0-9_-]{18,}"),
    Token("api_key", "sk.", r"sk\.[A-Za-z0-9]{32,}"),
    Token("huggingface_token", "hf_ api_org_", r"hf_[A-Za-z0-9]{24,}|api_org_[A-Za-z0-9]{30,}"),
    Token("replicate_token", "r8_", r"r8_[A-Za-z0-9]{32,}"),
    Token("groq_key", "gsk_", r"gsk_[A-Za-z0-9]{32,}"),
    Token("xai_key", "xai-", r"xai-[A-Za-z0-9]{40,}"),
    Token("perplexity_key", "pplx-", r"pplx-[A-Za-z0-9]{32,}"),
    Token("nvidia_key", "nvapi-", r"nvapi-[\w-]{40,}"),
    Token("fireworks_key", "fw_", r"fw_[A-Za-z0-9]{20,}"),
    Token("together_key", "tgp_v1_", r"tgp_v1_[\w-]{30,}"),
    Token("cerebras_key", "csk-", r"csk-[A-Za-z0-9]{32,}"),
    Token("tavily_key", "tvly-", r"tvly-[\w-]{20,}"),
    Token("langchain_key", "lsv2_ ls__",
          r"lsv2_(?:pt|sk)_[0-9a-f]{20,}(?:_[0-9a-f]+)?|ls__[0-9a-f]{32}"),
    Token("langfuse_key", "sk-lf- pk-lf-", r"sk-lf-[0-9a-f-]{32,}"),
    Token("experiments_key", "wandb_v1_", r"wandb_v1_[\w-]{30,}"),
    Token("pinecone_key", "pcsk_", r"pcsk_[A-Za-z0-9]{5,8}_[A-Za-z0-9]{40,}"),
    Token("voyage_key", "pa-", r"pa-[A-Za-z0-9_-]{40,}"),
    Token("embedding_key", "jina_", r"jina_[A-Za-z0-9_-]{32,}"),
    Token("firecrawl_key", "fc-", r"fc-[0-9a-f]{32}"),
    Token("elevenlabs_key", "sk_", r"sk_[0-9a-f]{40,}"),
    Token("zhipu_key", ".", r"[0-9a-f]{32}\.[A-Za-z0-9]{16}(?![A-Za-z0-9])", long=True),
    Token("databricks_token", "dapi", r"dapi[0-9a-f]{32}(?:-[0-9])?"),
    Token("databricks_secret", "dose", r"dose[0-9a-f]{32}"),
    Token("clickhouse_key", "4b1d", r"4b1d[A-Za-z0-9]{38}"),
    Token("airtable_token", "pat", r"pat[A-Za-z0-9]{14}\.[0-9a-f]{64}"),
    Token("prefect_key", "pnu_ pnb_", r"pn[ub]_[A-Za-z0-9]{36}"),
    Token("dbt_token", "dbtc_ dbtu_", r"dbt[cu]_[\w-]{30,}"),
    # --- talk and mail
    Token("slack_token", "xox xapp- xwfp-", r"(?:xox[a-z](?:\.xox[a-z])?|xapp|xwfp)-[\w%-]{10,}"),
    Token("slack_webhook", "hooks.slack",
          r"hooks\.slack(?:-gov)?\.com/(?:services|workflows"
          r"|triggers)/(?P<v>[A-Za-z0-9+/_-]{20,})"),
    Token("discord_webhook", "/api/webhooks/",
          r"discord(?:app)?\.com/api/(?:v[0-9]+/)?webhooks/(?P<v>[0-9]{15,}/[\w-]{20,})"),
    # Its trigger is in most texts, and to compile it takes longer than all else of a search.
    Token("discord_token", ".",
          r"(?:mfa\.[\w-]{60,}|[MNO][A-Za-z0-9_-]{23,27}\.[\w-]{6}\.[\w-]{27,})", least=59),
    Token("telegram_token", ":aa", r"(?:bot)?(?P<v>[0-9]{7,11}:AA[\w-]{32,34})(?![\w-])"),
    Token("teams_webhook", "webhook.office.com webhookb2",
          r"webhook\.office\.com/webhookb2/(?P<v>[\w@-]{36,}/IncomingWebhook/[\w/-]{32,})"),
    Token("dingtalk_token", "dingtalk.com/robot",
          r"dingtalk\.com/robot/send\?access_token=(?P<v>[0-9a-fA-F]{20,})"),
    Token("feishu_webhook", "/bot/v2/hook/ /bot/hook/",
          r"(?:feishu\.cn|larksuite\.com)/open-apis/bot/(?:v2/)?hook/(?P<v>[\w-]{16,})"),
    Token("wecom_webhook", "qyapi.weixin", r"webhook/send\?key=(?P<v>[\w-]{20,})"),
    Token("serverchan_key", "sct scu", r"SC[TU][0-9]{1,9}T[A-Za-z0-9]{20,}"),
    Token("zapier_webhook", "hooks.zapier", r"hooks\.zapier\.com/hooks/catch/(?P<v>[\w/]{8,})"),
    Token("ifttt_key", "maker.ifttt",
          r"maker\.ifttt\.com/trigger/[\w-]+/(?:json/)?with/key/(?P<v>[\w-]{10,})"),
    Token("twilio_key", "sk", r"SK[0-9a-f]{32}(?![0-9a-f])", long=True),
    Token("sendgrid_key", "sg.", r"SG\.[\w-]{16,}\.[\w-]{16,}"),
    Token("mailgun_key", "key- pubkey-", r"(?:key|pubkey)-[0-9a-f]{32}(?![0-9a-f])"),
    Token("mailgun_key", "-", r"[0-9a-f]{32}-[0-9a-f]{8}-[0-9a-f]{8}(?![0-9a-f])", long=True),
    Token("mailchimp_key", "-us", r"[0-9a-f]{32}-us[0-9]{1,2}(?![0-9])"),
    Token("brevo_key", "xkeysib- xsmtpsib-", r"x(?:key|smtp)sib-[0-9a-f]{40,}-[A-Za-z0-9]{10,}"),
    Token("resend_key", "re_", r"re_[A-Za-z0-9]{8}_[A-Za-z0-9]{20,}"),
    Token("facebook_token", "eaa", r"EAA[A-Za-z0-9]{60,}"),
    Token("instagram_token", "igq", r"IGQ[A-Za-z0-9_-]{60,}"),
    Token("twitter_token", "aaaaaaaaaaaaaaaaaaaaa", r"(?<![+/])A{20,22}[A-Za-z0-9%]{60,}"),
    Token("twitch_token", "oauth:", r"oauth:(?P<v>[a-z0-9]{30})(?![a-z0-9])"),
    # --- money and shops
    Token("stripe_key", "sk_live_ sk_test_ rk_live_ rk_test_ sk_prod_ rk_prod_ sk_org_",
          r"[sr]k_(?:live|test|prod|org)_\w{10,}"),
    Token("webhook_secret", "whsec_", r"whsec_[A-Za-z0-9+/=]{16,}"),
    Token("square_token", "sq0 eaaa", r"sq0[a-z]{3}-[\w-]{20,}|EAAA[\w-]{55,}"),
    Token("paypal_key", "access_token$",
          r"access_token\$(?:production|sandbox)\$[0-9a-z]{10,}\$[0-9a-f]{32}"),
    Token("braintree_key", "production_", r"production_[a-z0-9]{8}_[a-z0-9]{16}"),
    Token("razorpay_key", "rzp_", r"rzp_(?:live|test)_[A-Za-z0-9]{14,}"),
    Token("flutterwave_key", "flwseck", r"FLWSECK(?:_TEST)?-[0-9a-zA-Z-]{12,}"),
    Token("plaid_token", "access-sandbox- access-production- access-development-",
          r"access-(?:sandbox|development|production)-[0-9a-f-]{36}"),
    Token("shopify_token", "shpat_ shpca_ shppa_ shpss_ shptka_",
          r"shp(?:at|ca|pa|ss|tka)_[0-9a-fA-F]{24,}"),
    Token("parcel_token", "shippo_", r"shippo_(?:live|test)_[0-9a-fA-F]{40}"),
    Token("travel_token", "duffel_", r"duffel_(?:live|test)_[\w=-]{40,}"),
    Token("easypost_key", "ezak ezte", r"EZ[AT]K[A-Za-z0-9]{50,}"),
    Token("amazon_mws", "amzn.mws.", r"amzn\.mws\.[0-9a-f-]{36}"),
    Token("amazon_client_secret", "amzn1.oa2-cs", r"amzn1\.oa2-cs\.v1\.[0-9a-f]{64}"),
    # --- tools
    Token("linear_key", "lin_api_ lin_oauth_", r"lin_(?:api|oauth)_[A-Za-z0-9]{30,}"),
    Token("notion_token", "secret_ ntn_", r"secret_[A-Za-z0-9]{40,}|ntn_[A-Za-z0-9]{40,}"),
    Token("figma_token", "figd_ figu_ figo_", r"fig[duo]h?_[\w-]{30,}"),
    Token("asana_token", "/",
          r"(?<![0-9/])[0-2]/[0-9]{12,}(?:/[0-9]{12,})?:[0-9a-f]{32}", long=True),
    Token("clickup_token", "pk_", r"pk_[0-9]{5,9}_[A-Z0-9]{32}"),
    Token("contentful_token", "cfpat-", r"CFPAT-[\w-]{40,}"),
    Token("typeform_token", "tfp_", r"tfp_[\w.=-]{40,}"),
    Token("hubspot_token", "pat-na pat-eu", r"pat-(?:na|eu|ap)[0-9]?-[0-9a-f]{8}-[0-9a-f-]{20,}"),
    Token("intercom_token", "dg9r", r"dG9rO[A-Za-z0-9+/=_-]{50,}"),
    Token("readme_key", "rdme_", r"rdme_[a-z0-9]{40,}"),
    Token("mapbox_token", "sk.ey", r"sk\.eyJ[\w-]+\.[\w-]{16,}"),
    Token("launchdarkly_key", "sdk- api-",
          r"(?:sdk|api|mob)-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"),
    Token("trello_token", "atta", r"ATTA[0-9a-f]{60,}"),
    Token("brave_key", "bsa", r"BSA(?=[A-Za-z_-]{0,27}[0-9])[A-Za-z0-9_-]{28}(?![A-Za-z0-9_-])"),
    Token("zuplo_key", "zpka_", r"zpka_[0-9a-f]{32,}(?:_[0-9a-f]{8})?"),
    Token("doppler_token", "dp.",
          r"dp\.(?:pt|st|ct|sa|scim|audit)\.(?:[a-z0-9_-]{2,35}\.)?[A-Za-z0-9]{40,}"),
    Token("infisical_token", "st.", r"st\.[0-9a-f]{24}\.[0-9a-f]{32}\.[0-9a-f]{32}", long=True),
    Token("vault_token", "hvs. hvb. hvr.", r"hv[sbr]\.[\w-]{20,}"),
    Token("vault_token", "s. b.",
          r"[sb]\.(?=[A-Za-z]{0,24}[0-9])[A-Za-z0-9]{24}(?![A-Za-z0-9.])", long=True),
    Token("onepassword_token", "ops_ey a3-",
          r"ops_eyJ[A-Za-z0-9+/=_-]{60,}"
          r"|A3-[A-Z0-9]{6}-[A-Z0-9]{5,6}-?[A-Z0-9]{5,6}-[A-Z0-9]{5}-[A-Z0-9]{5}"
          r"(?:-[A-Z0-9]{5})?"),
    Token("grafana_token", "glc_ glsa_",
          r"glc_[A-Za-z0-9+/]{30,}={0,3}|glsa_[A-Za-z0-9]{30,}_[0-9a-fA-F]{8}"),
    Token("grafana_key", "eyjr", r"eyJrIjoi[A-Za-z0-9+/]{40,}={0,3}"),
    Token("newrelic_key", "nrak- nrjs- nraa- nrii- nriq- nrra- nral",
          r"NR(?:AK|AA|RA|II|IQ)-[\w-]{20,}|NRJS-[0-9a-f]{19}|[0-9a-f]{36}NRAL"),
    Token("sentry_token", "sntrys_ sntryu_", r"sntrys_[\w+/=.-]{40,}|sntryu_[0-9a-f]{40,}"),
    Token("dynatrace_token", "dt0", r"dt0[a-z][0-9]{2}\.[A-Z0-9]{24}\.[A-Z0-9]{64}"),
    Token("honeycomb_key", "hcaik_ hcaic_", r"hca[il][ck]_[a-z0-9]{26,}"),
    Token("posthog_key", "phx_ phs_", r"ph[xs]_[A-Za-z0-9]{32,}"),
    Token("identity_key", ".acc",
          r"(?:sc|ext|scauth|authress)_[a-z0-9]{5,30}\.[a-z0-9]{4,6}"
          r"\.acc[_-][a-z0-9-]{10,32}\.[\w+/=-]{30,120}"),
    Token("tailscale_key", "tskey-", r"tskey-[a-z]+-[\w-]{16,}"),
    Token("sourcegraph_token", "sgp_ slk_",
          r"sgp_(?:[0-9a-fA-F]{16}_|local_)?[0-9a-fA-F]{40}|slk_[0-9a-f]{64}"),
    Token("settlemint_token", "sm_", r"sm_(?:aat|pat|sat)_[A-Za-z0-9]{16,}"),
    Token("kubernetes_token", ".",
          r"(?<![.\w/-])(?=[a-z]{0,5}[0-9])[a-z0-9]{6}\.(?=[a-z]{0,15}[0-9])[a-z0-9]{16}"
          r"(?![\w.-])", long=True),
    Token("adobe_secret", "p8e-", r"p8e-[a-z0-9]{32}"),
    Token("dropbox_token", "sl.", r"sl\.[A-Za-z0-9_=-]{60,}"),
    Token("frameio_token", "fio-u-", r"fio-u-[\w=-]{60,}"),
    # --- keys of one's own
    Token("age_key", "age-secret-key-", r"AGE-SECRET-KEY-(?:PQ-)?1[A-Za-z0-9]{40,}"),
    Token("jwt", "eyj", r"(?<![\w-])eyJ[\w-]{8,}\.[\w-]{4,}(?:\.[\w-]*){0,3}"),
    Token("paseto",
          "v1.local. v2.local. v3.local. v4.local. v1.public. v2.public. v3.public. v4.public.",
          r"v[1-4]\.(?:local|public)\.[\w-]{40,}(?:\.[\w-]+)?"),
    Token("paseto", "k1. k2. k3. k4.",
          r"k[1-4]\.(?:local|secret|private|seal|(?:local|secret)-(?:pw|wrap\.pie))\.[\w-]{40,}"),
    Token("password_hash", "$2a$ $2b$ $2x$ $2y$", r"\$2[abxy]\$[0-9]{2}\$[A-Za-z0-9./]{50,}"),
    Token("password_hash", "$1$ $5$ $6$ $7$ $y$ $apr1$ $gy$",
          r"\$(?:[1567]|g?y|apr1)\$[A-Za-z0-9./$=]{20,}"),
    Token("password_hash", "$argon2 $scrypt$ $pbkdf2",
          r"\$(?:argon2(?:id|i|d)|scrypt|pbkdf2[a-z0-9-]*)\$[A-Za-z0-9+/=$.,_-]{30,}"),
    Token("password_hash", "pbkdf2_sha", r"pbkdf2_sha(?:1|256|512)\$[0-9]+\$[A-Za-z0-9+/=$]{20,}"),
    Token("password_hash", "aad3b435b51404ee", r"aad3b435b51404ee[0-9a-f]{16}:[0-9a-f]{32}"),
    Token("docker_login", "eyjhdxroc", r"eyJhdXRocyI6[A-Za-z0-9+/]{20,}={0,2}"),
    Token("license_key", "-",
          r"(?=[A-Z-]{0,28}[0-9])(?=[0-9-]{0,28}[A-Z])(?:[A-Z0-9]{5}-){4}[A-Z0-9]{5}(?![\w-])"),
    # Bitcoin's export of a private key, in base 58.
    Token("crypto_key", "5 k l", r"[5KL][1-9A-HJ-NP-Za-km-z]{50,51}(?![A-Za-z0-9])", long=True),
    Token("crypto_key", "xprv yprv zprv", r"[xyz]prv[A-Za-z0-9]{100,}"),
    Token("totp_seed", "otpauth://", r"otpauth://[^\s\"'<>]{0,200}?secret=(?P<v>[A-Za-z2-7]{8,})"),
    # --- a short prefix in small letters, and letters drawn at random
    Token("api_key", "_ -",
          r"(?!sha[0-9]{1,3}-)[a-z][a-z0-9]{0,9}(?:[_-][a-z0-9]{1,8}){0,2}[_-](?=[A-Za-z]{0,40}[0-9])"
          r"(?=[a-z0-9]{0,40}[A-Z])(?=[A-Z0-9]{0,40}[a-z])[A-Za-z0-9]{30,}", long=True),
    # --- a marker word and random letters: `acme_live_…`, `corp_pat_…`
    Token("api_key",
          "_live_ _test_ _prod_ _pat_ _sk_ _secret_ _token_ _key_ -pat- -key- -token- "
          "-secret-",
          r"[A-Za-z][A-Za-z0-9]{0,15}[_-](?:live|test|prod|pat|sk|secret|token"
          r"|key)[_-](?=[A-Za-z_-]{0,40}[0-9])[A-Za-z0-9_-]{24,}"),
)  # fmt: skip

RULES = Rules(
    [(token.triggers.split(" "), token.pattern) for token in TOKENS],
    re.ASCII,
    before=r"(?<![A-Za-z0-9])",
)
# The runs of characters that a token may be in: most of a text is in none of them.
_LONG_WORD = lazy_pattern("[A-Za-z0-9]{16}")
_RUN = lazy_pattern(r"[!#$%&*+,\-./0-9:=?@A-Z^_a-z~|]{16,}")


def token_findings(view: View) -> Iterator[Redaction]:
    """Yield what has the published shape of a token."""
    runs = [(run.start(), run.group()) for run in _RUN.finditer(view.text)]
    if not runs:
        return
    rows = view.batch.once(RULES.present)
    yield from _matches(runs, [row for row in rows if not TOKENS[row[0]].long])
    if runs := [run for run in runs if _LONG_WORD.search(run[1])]:
        yield from _matches(runs, [row for row in rows if TOKENS[row[0]].long])


def _matches(runs: Sequence[tuple[int, str]], rows: Rows) -> Iterator[Redaction]:
    text = "\n".join([run for _, run in runs])
    lowered = text.lower()
    starts = list(accumulate((len(run) + 1 for _, run in runs), initial=0))
    longest = max(len(run) for _, run in runs)
    for number, triggers in rows:
        token = TOKENS[number]
        if token.least > longest or not has_any(lowered, triggers):
            continue
        pattern = RULES.compiled(number)
        group = "v" if "v" in pattern.groupindex else 0
        for match in pattern.finditer(text):
            start, end = match.span(group)
            if start < end and not is_placeholder(match[group]):
                run = bisect_right(starts, start) - 1
                shift = runs[run][0] - starts[run]
                yield Redaction(start + shift, end + shift, token.kind)
