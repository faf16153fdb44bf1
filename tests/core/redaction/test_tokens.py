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
aws_key                ASIA{U16}
aws_key                ABIA{U16}
aws_key                ACCA{U16}
aws_key                A3T{U17}
token                  ABSK{B80}
google_key             AIza{w35}
google_key             AQ.Ab8RN6{w44}
google_token           AAAA{A7}:APA91b{w134}
google_token           ya29.{w60}
google_token           GOCSPX-{w28}
google_token           1//0{w40}
azure_key              {A3}8Q~{w34}
azure_key              {A76}AZDO{A4}
azure_key              {A76}ACDb{A6}
azure_key              {A76}ABfa{A6}
azure_key              {B76}+ASt{B6}==
aliyun_key             LTAI{A20}
aliyun_key             STS.{A24}
tencent_key            AKID{A32}
volcengine_key         AKLT{A40}
api_key                JDC_{U28}
baidu_key              ALTAK{A20}
baidu_key              bce-v3/ALTAK-{A21}/{h40}
api_key                dop_v1_{h64}
api_key                HRKU-{w60}
api_key                fo1_{w43}
api_key                AQVN{w38}
api_key                cfut_{w48}
api_key                rpa_{U40}
api_key                v1.0-{h24}-{h146}
api_key                SCW{U17}
api_key                pscale_tkn_{w43}
api_key                sbp_{h40}
api_key                napi_{l60}
api_key                vcp_{A56}
api_key                nfp_{A36}
github_token           ghp_{A36}
github_token           github_pat_{A22}_{A59}
gitlab_token           glpat-{w20}
gitlab_token           GR1348941{w20}
atlassian_token        ATBB{A32}
atlassian_token        ATATT3{w186}
npm_token              npm_{A36}
pypi_token             pypi-AgEIcHlwaS5vcmc{w150}
token                  rubygems_{h48}
token                  cio{A32}
token                  CLOJARS_{h60}
token                  oy2{l43}
docker_token           dckr_pat_{w27}
token                  AKCp{A69}
token                  cmVmd{A59}
token                  bkua_{l40}
token                  ccipat_{A22}_{h40}
token                  sqp_{h40}
token                  pul-{h40}
terraform_token        {A14}.atlasv1.{w67}
token                  PMAK-{h24}-{h34}
token                  snyk_uat.{h8}.{w60}
anthropic_key          sk-ant-api03-{w93}AA
openai_key             sk-proj-{w74}
api_key                sk-or-v1-{h64}
api_key                sk-{A48}
api_key                sk.{A40}
huggingface_token      hf_{A34}
api_key                r8_{A37}
api_key                gsk_{A52}
api_key                xai-{A80}
api_key                pplx-{A48}
api_key                nvapi-{w64}
api_key                fw_{A24}
api_key                tgp_v1_{w43}
api_key                csk-{A48}
api_key                tvly-{A32}
api_key                lsv2_pt_{h32}_{h10}
api_key                sk-lf-{h36}
api_key                wandb_v1_{w60}
api_key                pcsk_{A6}_{A60}
api_key                pa-{w43}
api_key                jina_{A60}
api_key                fc-{h32}
api_key                sk_{h48}
zhipu_key              {h32}.{A16}
api_key                dapi{h32}
api_key                dose{h32}
api_key                4b1d{A38}
api_key                pat{A14}.{h64}
api_key                pnu_{A36}
api_key                dbtc_{w40}
slack_token            xoxb-{d12}-{d12}-{A24}
webhook                https://hooks.slack.com/services/T{U8}/B{U10}/{A24}
webhook                https://discord.com/api/webhooks/{d18}/{w68}
discord_token          M{A25}.{A6}.{w38}
telegram_token         {d10}:AA{w33}
webhook                https://acme.webhook.office.com/webhookb2/{h36}@{h36}/IncomingWebhook/{h32}/{h36}
webhook                https://open.feishu.cn/open-apis/bot/v2/hook/UUID
webhook                https://qyapi.weixin.qq.com/cgi-bin/webhook/send?key=UUID
serverchan_key         SCT{d6}T{A28}
serverchan_key         SCU{d5}T{A24}
webhook                https://hooks.zapier.com/hooks/catch/{d7}/{l7}
webhook                https://maker.ifttt.com/trigger/build/with/key/{w22}
twilio_key             SK{h32}
mail_key               SG.{w22}.{w43}
mail_key               key-{h32}
mail_key               {h32}-{h8}-{h8}
mail_key               {h32}-us12
mail_key               xkeysib-{h64}-{A16}
mail_key               re_{A8}_{A24}
facebook_token         EAA{A100}
facebook_token         IGQ{w100}
twitter_token          AAAAAAAAAAAAAAAAAAAAA{A80}
twitch_token           oauth:{l30}
stripe_key             sk_live_{A24}
webhook_secret         whsec_{A32}
shop_key               sq0csp-{w43}
shop_key               access_token$production${l16}${h32}
shop_key               production_{l8}_{l16}
shop_key               rzp_live_{A14}
shop_key               FLWSECK-{h32}
api_key                access-production-UUID
shop_key               shpat_{h32}
api_key                shippo_live_{h40}
api_key                duffel_live_{w43}
shop_key               EZAK{A54}
api_key                amzn.mws.UUID
shop_key               amzn1.oa2-cs.v1.{h64}
api_key                lin_api_{A40}
token                  ntn_{A46}
token                  figd_{w40}
asana_token            1/{d16}:{h32}
api_key                pk_{d8}_{U32}
token                  CFPAT-{w43}
token                  tfp_{w59}
api_key                pat-na1-UUID
token                  dG9rO{A60}
token                  ATTA{h64}
api_key                BSA7{w27}
token                  zpka_{h32}_{h8}
token                  rdme_{l70}
api_key                sk.eyJ{A60}.{A22}
api_key                sdk-UUID
api_key                api-UUID
api_key                mob-UUID
token                  dp.pt.{A43}
token                  st.{h24}.{h32}.{h32}
token                  hvs.{w90}
vault_token            s.{A24}
vault_token            b.{A24}
onepassword_token      ops_eyJ{A250}
onepassword_token      A3-{U6}-{U6}-{U5}-{U5}-{U5}
token                  glsa_{A32}_{h8}
token                  eyJrIjoi{A70}
token                  NRAK-{U27}
token                  sntryu_{h64}
token                  dt0c01.{U24}.{U64}
token                  hcaik_{l58}
token                  phx_{A43}
token                  sc_{l12}.{l5}.acc_{l16}.{A60}
token                  tskey-auth-{A30}
token                  sgp_{h40}
token                  sm_pat_{A20}
kubernetes_token       a1{l4}.b2{l14}
token                  p8e-{l32}
token                  sl.{w130}
token                  fio-u-{w64}
age_key                AGE-SECRET-KEY-1{U58}
api_key                t1.{w60}.{w86}
token                  {h36}NRAL
jwt                    eyJ{A20}.{w40}.{w43}
crypto_key             xprv{A107}
crypto_key             K{b51}
crypto_key             L{b51}
crypto_key             yprv{A107}
crypto_key             zprv{A107}
paseto                 v4.local.{w180}
paseto                 v4.public.{w60}
paseto                 v4.private.{w60}
paseto                 v4.seal.{w60}
paseto                 k4.secret.{w86}
password_hash          $2b$12${A53}
password_hash          $6${A12}${A86}
password_hash          $pbkdf2-sha256$29000${A22}${A43}
password_hash          $argon2id$v=19$m=65536,t=3,p=4${A22}${A43}
password_hash          pbkdf2_sha256$600000${A22}${A43}=
password_hash          aad3b435b51404ee{h16}:{h32}
docker_login           eyJhdXRocyI6{A60}
license_key            7{U4}-{U5}-{U5}-{U5}-{U4}Z
totp_seed              otpauth://totp/acme?issuer=acme&secret={s16}
api_key                acme_live_9{A30}
api_key                acme_test_9{A30}
api_key                acme_prod_9{A30}
api_key                acme_sk_9{A30}
api_key                acme_secret_9{A30}
api_key                acme_token_9{A30}
api_key                acme_key_9{A30}
api_key                acme-pat-9{A30}
api_key                acme-key-9{A30}
api_key                acme-token-9{A30}
api_key                acme-secret-9{A30}
api_key                vtwn_aB3{A37}
"""  # a webhook of Teams is that long


# Other beginnings of the same kinds, whatever follows.
PREFIXES = """
google_key             IQ.
api_key                doo_v1_ dor_v1_ YCAJE YCP cfk_ cfat_ pscale_pw_ pscale_oauth_ sb_secret_
api_key                vck_ vca_ vcr_ vci_ nfc_ nfo_ nfb_ nfu_ lsv2_sk_ pnb_ dbtu_ ls__
github_token           gho_ ghu_ ghs_ ghr_
gitlab_token           gldt- glft- glsoat- glrt- glrtr- glcbt- glptt- glimt- glagent- gloas- glffct-
gitlab_token           glwt-
atlassian_token        ATCTT3 ATOATT
docker_token           dckr_oat_
token                  CCIPBT_ ccipbt_ squ_ sqa_ snyk_sat. secret_ figu_ figo_ figdh_ hvb. hvr.
token                  NRAA- NRRA- NRII- NRIQ- NRJS- hcaic_ hcalk_ phs_ slk_ fm1a_ fm1r_ fm2_ glc_
token                  sntrys_ tskey-client- tskey-api- sm_aat_ sm_sat_
openai_key             sk-svcacct- sk-admin- sk-None- sk-service-
huggingface_token      api_org_
slack_token            xapp- xwfp-
mail_key               xsmtpsib-
stripe_key             sk_test_ rk_live_ rk_test_ sk_prod_ rk_prod_ sk_org_
shop_key               sq0atp- sq0idp- rzp_test_ FLWSECK_TEST- shpca_ shppa_ shpss_ shptka_ EAAA
shop_key               EZTK
password_hash          $1$ $5$ $7$ $y$ $apr1$ $gy$ $scrypt$
"""


def made(shape: str, length: int = 0) -> str:
    """Return a token of a shape; with `length`, one that is too short for it."""
    chosen = random.Random(shape)

    def letters(match: re.Match[str]) -> str:
        alphabet = ALPHABETS[match[1]]
        return "".join(chosen.choice(alphabet) for _ in range(length or int(match[2])))

    return PLACE.sub(letters, shape.replace("UUID", UUID))


SHAPES = [(line.split()[0], line.split()[1]) for line in TOKENS.strip().split("\n")]
SHAPES += [
    (kind, prefix + "{A64}")
    for kind, *prefixes in map(str.split, PREFIXES.strip().split("\n"))
    for prefix in prefixes
]


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


@pytest.mark.parametrize("number", range(len(tokens.TOKENS)))
def test_each_prefix_of_a_rule_has_a_sample(number: int) -> None:
    samples = [view_of(made(shape)).text for _, shape in SHAPES]
    there = [text.lower() for text in samples if tokens.RULES.compiled(number).search(text)]

    prefixes = tokens.TOKENS[number].prefixes.lower().split()

    assert [prefix for prefix in prefixes if not any(prefix in text for text in there)] == []


def test_no_mark_shares_six_letters_with_the_prefix_of_what_it_hides() -> None:
    for token in tokens.TOKENS:
        windows = {token.kind[place : place + 6] for place in range(len(token.kind) - 5)}
        whole = "(?P<v>" not in token.pattern and "(?<=" not in token.pattern
        for literal in (
            re.findall(r"[A-Za-z0-9_-]{6,}", token.pattern or token.prefixes) if whole else ()
        ):
            if token.kind != "github_token":
                assert not any(window in literal for window in windows), token


@pytest.mark.parametrize(
    ("prefix", "shortest"),
    [
        *(("AIza", 30), ("LTAI", 12), ("STS.", 12), ("AKID", 13), ("AKLT", 16), ("dop_v1_", 20)),
        *(("nfu_", 20), ("ghp_", 16), ("glpat-", 16), ("ATBB", 28), ("npm_", 30), ("AKCp", 50)),
        *(("hf_", 24), ("ls__", 20), ("gsk_", 20), ("pa-", 30), ("EAA", 60), ("EAAA", 50)),
        *(("sk_live_", 10), ("whsec_", 16), ("shpat_", 12), ("ntn_", 20), ("tskey-api-", 16)),
        *(("BSA", 28), ("sl.", 60), ("AGE-SECRET-KEY-", 40), ("xprv", 100), ("mfa.", 60)),
        *(("sk-", 19), ("xoxb-", 11)),
    ],
)
def test_a_prefix_asks_for_so_many_characters(prefix: str, shortest: int) -> None:
    drawn = ("k3Jx9Qz7Lm2pR5tV8bNw4HdY6sGc1FaT0" * 4)[:shortest]

    assert [*tokens.token_findings(view_of(f"x {prefix}{drawn} y"))]
    assert not [*tokens.token_findings(view_of(f"x {prefix}{drawn[:-1]} y"))]


@pytest.mark.parametrize(
    ("behind", "is_name"),
    [
        ("tiger_banana_kiwi_mango_42", True),
        ("Tiger-Banana-Kiwi-Mango", True),
        ("tigerbananakiwimango", True),
        ("TigerBananaKiwiMango", False),
        ("tiger_banana_k3x9_mango", False),
    ],
)
def test_words_behind_a_prefix_make_a_name(behind: str, is_name: bool) -> None:
    assert bool([*tokens.token_findings(view_of(f"x ghp_{behind} y"))]) != is_name
