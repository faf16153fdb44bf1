"""Each shape of a token: one sample that is hidden, and its prefix alone, which stays.

A sample of a token is written as its prefix and what follows in braces, `{A36}` for 36 letters
and digits, so that no scanner takes this file for a leak.
"""

from __future__ import annotations

import random
import re

import pytest

from daily_memory.core.redaction import tokens
from daily_memory.core.redaction.view import view_of

UPPER, LOWER, DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ", "abcdefghijklmnopqrstuvwxyz", "0123456789"
ALPHABETS = {
    "A": UPPER + LOWER + DIGITS,
    "B": UPPER + LOWER + DIGITS + "+/",
    "w": UPPER + LOWER + DIGITS + "_-",
    "h": "0123456789abcdef",
    "U": UPPER + DIGITS,
    "l": LOWER + DIGITS,
    "d": DIGITS,
    "s": LOWER,
    "b": "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz",
}
PLACE = re.compile(r"\{([ABwhUldsb])([0-9]+)\}")
UUID = "{h8}-{h4}-{h4}-{h4}-{h12}"

TOKENS = """
aws_key                AKIA{U16}
aws_bedrock_key        ABSK{B80}
google_api_key         AIza{w35}
google_api_key         AQ.Ab8RN6{w44}
google_push_key        AAAA{A7}:APA91b{w134}
google_oauth_token     ya29.{w60}
google_oauth_secret    GOCSPX-{w28}
google_refresh_token   1//0{w40}
azure_client_secret    {A3}8Q~{w34}
azure_devops_token     {A76}AZDO{A4}
azure_storage_key      {B76}+ASt{B6}==
aliyun_key             LTAI{A20}
aliyun_sts             STS.{A24}
tencent_key            AKID{A32}
volcengine_key         AKLT{A40}
jdcloud_key            JDC_{U28}
baidu_key              ALTAK{A20}
baidu_api_key          bce-v3/ALTAK-{A21}/{h40}
digitalocean_token     dop_v1_{h64}
heroku_key             HRKU-{w60}
fly_token              fo1_{w43}
yandex_key             AQVN{w38}
cloudflare_token       cfut_{w48}
runpod_key             rpa_{U40}
cloudflare_ca_key      v1.0-{h24}-{h146}
scaleway_key           SCW{U17}
database_token         pscale_tkn_{w43}
supabase_key           sbp_{h40}
neon_key               napi_{l60}
vercel_token           vcp_{A56}
netlify_token          nfp_{A36}
github_token           ghp_{A36}
github_token           github_pat_{A22}_{A59}
gitlab_token           glpat-{w20}
gitlab_token           GR1348941{w20}
web_login              _gitlab_session={l32}
bitbucket_token        ATBB{A32}
atlassian_token        ATATT3{w186}
npm_token              npm_{A36}
pypi_token             pypi-AgEIcHlwaS5vcmc{w150}
gem_key                rubygems_{h48}
crates_token           cio{A32}
clojars_token          CLOJARS_{h60}
nuget_key              oy2{l43}
docker_token           dckr_pat_{w27}
artifactory_key        AKCp{A69}
artifactory_token      cmVmd{A59}
buildkite_token        bkua_{l40}
circleci_token         ccipat_{A22}_{h40}
sonar_token            sqp_{h40}
pulumi_token           pul-{h40}
terraform_token        {A14}.atlasv1.{w67}
postman_key            PMAK-{h24}-{h34}
scanner_token          snyk_uat.{h8}.{w60}
anthropic_key          sk-ant-api03-{w93}AA
openai_key             sk-proj-{w74}
openrouter_key         sk-or-v1-{h64}
api_key                sk-{A48}
api_key                sk.{A40}
huggingface_token      hf_{A34}
replicate_token        r8_{A37}
groq_key               gsk_{A52}
xai_key                xai-{A80}
perplexity_key         pplx-{A48}
nvidia_key             nvapi-{w64}
fireworks_key          fw_{A24}
together_key           tgp_v1_{w43}
cerebras_key           csk-{A48}
tavily_key             tvly-{A32}
langchain_key          lsv2_pt_{h32}_{h10}
langfuse_key           sk-lf-{h36}
experiments_key        wandb_v1_{w60}
pinecone_key           pcsk_{A6}_{A60}
voyage_key             pa-{w43}
embedding_key          jina_{A60}
firecrawl_key          fc-{h32}
elevenlabs_key         sk_{h48}
zhipu_key              {h32}.{A16}
databricks_token       dapi{h32}
databricks_secret      dose{h32}
clickhouse_key         4b1d{A38}
airtable_token         pat{A14}.{h64}
prefect_key            pnu_{A36}
dbt_token              dbtc_{w40}
slack_token            xoxb-{d12}-{d12}-{A24}
slack_webhook          https://hooks.slack.com/services/T{U8}/B{U10}/{A24}
discord_webhook        https://discord.com/api/webhooks/{d18}/{w68}
discord_token          M{A25}.{A6}.{w38}
telegram_token         {d10}:AA{w33}
teams_webhook          https://acme.webhook.office.com/webhookb2/{h36}@{h36}/IncomingWebhook/{h32}/{h36}
dingtalk_token         https://oapi.dingtalk.com/robot/send?access_token={h64}
feishu_webhook         https://open.feishu.cn/open-apis/bot/v2/hook/UUID
wecom_webhook          https://qyapi.weixin.qq.com/cgi-bin/webhook/send?key=UUID
serverchan_key         SCT{d6}T{A28}
zapier_webhook         https://hooks.zapier.com/hooks/catch/{d7}/{l7}
ifttt_key              https://maker.ifttt.com/trigger/build/with/key/{w22}
twilio_key             SK{h32}
sendgrid_key           SG.{w22}.{w43}
mailgun_key            key-{h32}
mailgun_key            {h32}-{h8}-{h8}
mailchimp_key          {h32}-us12
brevo_key              xkeysib-{h64}-{A16}
resend_key             re_{A8}_{A24}
facebook_token         EAA{A100}
instagram_token        IGQ{w100}
twitter_token          AAAAAAAAAAAAAAAAAAAAA{A80}
twitch_token           oauth:{l30}
stripe_key             sk_live_{A24}
webhook_secret         whsec_{A32}
square_token           sq0csp-{w43}
paypal_key             access_token$production${l16}${h32}
braintree_key          production_{l8}_{l16}
razorpay_key           rzp_live_{A14}
flutterwave_key        FLWSECK-{h32}
plaid_token            access-production-UUID
shopify_token          shpat_{h32}
parcel_token           shippo_live_{h40}
travel_token           duffel_live_{w43}
easypost_key           EZAK{A54}
amazon_mws             amzn.mws.UUID
amazon_client_secret   amzn1.oa2-cs.v1.{h64}
linear_key             lin_api_{A40}
notion_token           ntn_{A46}
figma_token            figd_{w40}
asana_token            1/{d16}:{h32}
clickup_token          pk_{d8}_{U32}
contentful_token       CFPAT-{w43}
typeform_token         tfp_{w59}
hubspot_token          pat-na1-UUID
intercom_token         dG9rO{A60}
trello_token           ATTA{h64}
brave_key              BSA7{w27}
zuplo_key              zpka_{h32}_{h8}
readme_key             rdme_{l70}
mapbox_token           sk.eyJ{A60}.{A22}
launchdarkly_key       sdk-UUID
doppler_token          dp.pt.{A43}
infisical_token        st.{h24}.{h32}.{h32}
vault_token            hvs.{w90}
vault_token            s.{A24}
onepassword_token      ops_eyJ{A250}
grafana_token          glsa_{A32}_{h8}
grafana_key            eyJrIjoi{A70}
newrelic_key           NRAK-{U27}
sentry_token           sntryu_{h64}
dynatrace_token        dt0c01.{U24}.{U64}
honeycomb_key          hcaik_{l58}
posthog_key            phx_{A43}
identity_key           sc_{l12}.{l5}.acc_{l16}.{A60}
tailscale_key          tskey-auth-{A30}
sourcegraph_token      sgp_{h40}
settlemint_token       sm_pat_{A20}
kubernetes_token       a1{l4}.b2{l14}
adobe_secret           p8e-{l32}
dropbox_token          sl.{w130}
frameio_token          fio-u-{w64}
age_key                AGE-SECRET-KEY-1{U58}
jwt                    eyJ{A20}.{w40}.{w43}
crypto_key             xprv{A107}
crypto_key             K{b51}
paseto                 v4.local.{w180}
paseto                 k4.secret.{w86}
password_hash          $2b$12${A53}
password_hash          $6${A12}${A86}
password_hash          $argon2id$v=19$m=65536,t=3,p=4${A22}${A43}
password_hash          pbkdf2_sha256$600000${A22}${A43}=
password_hash          aad3b435b51404ee{h16}:{h32}
docker_login           eyJhdXRocyI6{A60}
license_key            7{U4}-{U5}-{U5}-{U5}-{U4}Z
totp_seed              otpauth://totp/acme?issuer=acme&secret={s16}
api_key                acme_live_9{A30}
api_key                vtwn_aB3{A37}
"""  # a webhook of Teams is that long


def made(shape: str, length: int = 0) -> str:
    """Return a token of a shape; with `length`, one that is too short for it."""
    chosen = random.Random(shape)

    def letters(match: re.Match[str]) -> str:
        alphabet = ALPHABETS[match[1]]
        return "".join(chosen.choice(alphabet) for _ in range(length or int(match[2])))

    return PLACE.sub(letters, shape.replace("UUID", UUID))


SHAPES = [(line.split()[0], line.split()[1]) for line in TOKENS.strip().split("\n")]


@pytest.mark.parametrize(("kind", "shape"), SHAPES)
def test_a_token_is_hidden_to_its_last_letter_in_english_and_in_chinese(
    kind: str, shape: str
) -> None:
    token = made(shape)

    for text in (f"it is {token} now", f"用这个{token}，别发群里", f'key="{token}"'):
        found = list(tokens.token_findings(view_of(text)))
        assert kind in [finding.kind for finding in found]
        assert max(finding.end for finding in found) == text.index(token) + len(token)


@pytest.mark.parametrize(("kind", "shape"), SHAPES)
def test_the_prefix_of_a_token_alone_is_no_token(kind: str, shape: str) -> None:
    text = f"tokens begin with {made(shape, 1)} there"

    assert list(tokens.token_findings(view_of(text))) == []


def test_each_rule_has_a_sample() -> None:
    samples = [view_of(made(shape)).text for _, shape in SHAPES]

    without = [
        token
        for number, token in enumerate(tokens.TOKENS)
        if not any(tokens.RULES.compiled(number).search(sample) for sample in samples)
    ]

    assert without == []


def test_no_mark_shares_six_letters_with_the_prefix_of_what_it_hides() -> None:
    for token in tokens.TOKENS:
        windows = {token.kind[place : place + 6] for place in range(len(token.kind) - 5)}
        whole = "(?P<v>" not in token.pattern and "(?<=" not in token.pattern
        for literal in re.findall(r"[A-Za-z0-9_-]{6,}", token.pattern) if whole else ():
            if token.kind != "github_token":
                assert not any(window in literal for window in windows), token
