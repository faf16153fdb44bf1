"""Tokens with a published shape: one table, one line per shape.

Sources: the vendors' documentation of token formats, and the rules of gitleaks, detect-secrets and
trufflehog, which list the same prefixes. Lengths are lower bounds: a vendor may lengthen a token,
and a truncated token should be hidden too.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate

from daily_memory.core.lazy_pattern import lazy_pattern
from daily_memory.core.redaction.rules import Rows, Rules
from daily_memory.core.redaction.view import Redaction, View, has_any
from daily_memory.core.redaction.words import is_placeholder, is_slug
from daily_memory.core.triggers import Search
from daily_memory.named_tuples import NamedTuple


class Token(NamedTuple):
    """Prefixes, or else triggers in lower case of a pattern with a shape of its own.

    Behind a prefix there are at least so many characters, and not only words. Where the pattern has
    a group `v`, that alone is the secret. A `long` one has 16 letters and digits in a row, and is
    searched for only where there are so many. No pattern scans a run without a bound that it may
    have to give back: that keeps it linear.
    """

    kind: str
    prefixes: str
    pattern: str = ""
    least: int = 16
    long: bool = False


TOKENS = (
    # --- clouds
    Token("aws_key", "akia asia abia acca a3t",
          r"(?:AKIA|ASIA|ABIA|ACCA|A3T[A-Z0-9])[A-Z0-9]{12,}"),
    Token("google_key", "AIza AQ. IQ.", least=30),
    Token("google_token", "ya29. GOCSPX- 1//0"),
    Token("google_token", ":apa91b", r"[\w-]{11,}:APA91b[\w-]{60,}"),
    Token("azure_key", "q~", r"[\w~.]{3}[0-9]Q~[\w~.-]{30,}"),
    Token("azure_key", "azdo", r"[A-Za-z0-9]{64,}AZDO[A-Za-z0-9]{4}"),
    Token("azure_key", "+ast acdb abfa",
          r"[A-Za-z0-9+/]{70,80}(?:\+ASt|\+ARm|ACDb|ABfa)[A-Za-z0-9+/]{4,8}={0,2}"),
    Token("aliyun_key", "LTAI STS.", least=12),
    Token("tencent_key", "AKID", least=13),
    Token("volcengine_key", "AKLT"),
    Token("baidu_key", "altak bce-v3/", r"(?:bce-v3/)?ALTAK[\w/-]{16,}"),
    Token("api_key",
          "JDC_ dop_v1_ doo_v1_ dor_v1_ HRKU- fo1_ AQVN YCAJE YCP cfk_ cfut_"
          " cfat_ pscale_tkn_ pscale_pw_ pscale_oauth_ sbp_ sb_secret_ napi_ vcp_ vck_ vca_ vcr_"
          " vci_ nfp_ nfc_ nfo_ nfb_ nfu_", least=20),
    Token("api_key", "t1.", r"t1\.[\w-]{10,200}={0,2}\.[\w-]{80,}={0,2}"),
    Token("api_key", "v1.0-", r"v1\.0-[0-9a-f]{24}-[0-9a-f]{100,}"),
    Token("api_key", "scw", r"SCW[A-Z0-9]{17}"),
    # --- code hosts, packages, CI
    Token("github_token", "ghp_ gho_ ghu_ ghs_ ghr_ github_pat_"),
    Token("gitlab_token",
          "glpat- gldt- glft- glsoat- glrt- glrtr- glcbt- glptt- glimt- glagent- gloas- glffct-"
          " glwt- GR1348941"),
    Token("atlassian_token", "ATBB ATCTT3 ATATT3 ATOATT", least=28),
    Token("npm_token", "npm_", r"npm_[A-Za-z0-9]{30,}"),
    Token("pypi_token", "pypi-Ag"),
    Token("docker_token", "dckr_pat_ dckr_oat_"),
    Token("docker_login", "eyjhdxroc", r"eyJhdXRocyI6[A-Za-z0-9+/]{20,}={0,2}"),
    Token("token",
          "rubygems_ CLOJARS_ bkua_ CCIPAT_ ccipat_ CCIPBT_ ccipbt_ sqp_ squ_ sqa_ pul- PMAK-"
          " snyk_uat. snyk_sat."),
    Token("token", "AKCp cmVmd", least=50),
    Token("token", "cio oy2",
          r"cio[A-Za-z0-9]{32}(?![A-Za-z0-9])|oy2[a-z0-9]{43}(?![a-z0-9])", long=True),
    Token("terraform_token", ".atlasv1.", r"[A-Za-z0-9]{14}\.atlasv1\.[\w=-]{50,}"),
    # --- models and data
    Token("anthropic_key", "sk-ant-"),
    Token("openai_key", "sk-proj- sk-svcacct- sk-admin- sk-None- sk-service-"),
    Token("api_key", "sk-", r"sk-(?=[A-Za-z_-]{0,60}[0-9])[A-Za-z0-9][A-Za-z0-9_-]{18,}"),
    Token("api_key", "sk.", r"sk\.(?:eyJ[\w-]+\.[\w-]{16,}|[A-Za-z0-9]{32,})"),
    Token("huggingface_token", "hf_ api_org_", r"(?:hf|api_org)_[A-Za-z0-9]{24,}"),
    Token("api_key",
          "sk-or- nvapi- tgp_v1_ tvly- lsv2_pt_ lsv2_sk_ wandb_v1_ pcsk_ jina_ pnu_ pnb_ dbtc_"
          " dbtu_ ls__", least=20),
    Token("api_key", "r8_ gsk_ xai- pplx- fw_ csk- rpa_",
          r"(?:r8_|gsk_|xai-|pplx-|fw_|csk-|rpa_)[A-Za-z0-9]{20,}"),
    Token("api_key", "pa- 4b1d", least=38),
    Token("api_key", "fc- sk_ dapi dose", r"(?:fc-|sk_|dapi|dose)[0-9a-f]{32,}(?:-[0-9])?"),
    Token("zhipu_key", ".", r"[0-9a-f]{32}\.[A-Za-z0-9]{16}(?![A-Za-z0-9])", long=True),
    Token("api_key", "pat", r"pat[A-Za-z0-9]{14}\.[0-9a-f]{64}"),
    # --- talk and mail
    Token("slack_token", "xox xapp- xwfp-", r"(?:xox[a-z](?:\.xox[a-z])?|xapp|xwfp)-[\w%-]{10,}"),
    Token("webhook", "hook /with/key/",
          r"(?<=/)(?:hooks?[./]|[\w.-]{0,99}webhook(?:s|b2)?/|[\w.-]{0,99}/with/key/)[\w./?=-]{0,60}?"
          r"(?<=[/=])(?P<v>(?=[A-Za-z_-]{0,30}[0-9])[\w-]{5,}[\w@/-]{5,})"),
    # Its trigger is in most texts, and compiling it takes longer than the rest of a search.
    Token("discord_token", ".",
          r"(?:mfa\.[\w-]{60,}|[MNO][A-Za-z0-9_-]{23,27}\.[\w-]{6}\.[\w-]{27,})", least=59),
    Token("telegram_token", ":aa", r"(?:bot)?(?P<v>[0-9]{7,11}:AA[\w-]{32,34})(?![\w-])"),
    Token("serverchan_key", "sct scu", r"SC[TU][0-9]{1,9}T[A-Za-z0-9]{20,}"),
    Token("twilio_key", "sk", r"SK[0-9a-f]{32}(?![0-9a-f])", long=True),
    Token("mail_key", "SG. xkeysib- xsmtpsib-"),
    Token("mail_key", "key- -us",
          r"(?:pub)?key-[0-9a-f]{32}(?![0-9a-f])|[0-9a-f]{32}-us[0-9]{1,2}(?![0-9])"),
    Token("mail_key", "-", r"[0-9a-f]{32}-[0-9a-f]{8}-[0-9a-f]{8}(?![0-9a-f])", long=True),
    Token("mail_key", "re_", r"re_[A-Za-z0-9]{8}_[A-Za-z0-9]{20,}"),
    Token("facebook_token", "EAA IGQ", least=60),
    Token("twitter_token", "aaaaaaaaaaaaaaaaaaaaa", r"(?<![+/])A{20,22}[A-Za-z0-9%]{60,}"),
    Token("twitch_token", "oauth:", r"oauth:(?P<v>[a-z0-9]{30})(?![a-z0-9])"),
    # --- money and shops
    Token("stripe_key",
          "sk_live_ sk_test_ rk_live_ rk_test_ sk_prod_ rk_prod_ sk_org_", least=10),
    Token("webhook_secret", "whsec_", r"whsec_[A-Za-z0-9+/=]{16,}"),
    Token("shop_key",
          "sq0csp- sq0atp- sq0idp- rzp_live_ rzp_test_ FLWSECK- FLWSECK_TEST- shpat_ shpca_ shppa_"
          " shpss_ shptka_ amzn1.oa2-cs.v1.", least=12),
    Token("shop_key", "EAAA EZAK EZTK", least=50),
    Token("shop_key", "access_token$",
          r"access_token\$(?:production|sandbox)\$[0-9a-z]{10,}\$[0-9a-f]{32}"),
    Token("shop_key", "production_", r"production_[a-z0-9]{8}_[a-z0-9]{16}"),
    # --- tools
    Token("api_key", "sdk- api- mob- amzn.mws. access- pat-",
          r"(?:sdk-|api-|mob-|amzn\.mws\.|access-[a-z]+-|pat-[a-z]{2}[0-9]?-)"
          r"[0-9a-f]{8}-[0-9a-f-]{20,}"),
    Token("asana_token", "/",
          r"(?<![0-9/])[0-2]/[0-9]{12,}(?:/[0-9]{12,})?:[0-9a-f]{32}", long=True),
    Token("api_key", "pk_", r"pk_[0-9]{5,9}_[A-Z0-9]{32}"),
    Token("token",
          "secret_ ntn_ figd_ figu_ figo_ figdh_ CFPAT- tfp_ rdme_ ATTA zpka_ hvs. hvb. hvr."
          " glsa_ NRAK- NRAA- NRRA- NRII- NRIQ- sntryu_ hcaik_ hcaic_ hcalk_ phx_"
          " phs_ sgp_ slk_ p8e- fio-u-", least=20),
    Token("token", "absk fm1a_ fm1r_ fm2_ glc_ eyjrijoi sntrys_ dg9ro",
          r"(?:ABSK|fm1[ar]_|fm2_|glc_|eyJrIjoi|sntrys_|dG9rO)[\w+/=.-]{30,}"),
    Token("token", "tskey-auth- tskey-client- tskey-api- sm_aat_ sm_pat_ sm_sat_ NRJS-"),
    Token("api_key", "BSA", least=28),
    Token("token", "nral", r"[0-9a-f]{36}NRAL"),
    Token("token", "dp.",
          r"dp\.(?:pt|st|ct|sa|scim|audit)\.(?:[a-z0-9_-]{2,35}\.)?[A-Za-z0-9]{40,}"),
    Token("token", "st.", r"st\.[0-9a-f]{24}\.[0-9a-f]{32}\.[0-9a-f]{32}", long=True),
    Token("vault_token", "s. b.",
          r"[sb]\.(?=[A-Za-z]{0,24}[0-9])[A-Za-z0-9]{24}(?![A-Za-z0-9.])", long=True),
    Token("onepassword_token", "ops_ey a3-",
          r"ops_eyJ[A-Za-z0-9+/=_-]{60,}|A3-[A-Z0-9]{6}(?:-?[A-Z0-9]{5,6}){2}(?:-[A-Z0-9]{5}){2,3}"),
    Token("token", "dt0", r"dt0[a-z][0-9]{2}\.[A-Z0-9]{24}\.[A-Z0-9]{64}"),
    Token("token", ".acc",
          r"(?:sc|ext|scauth|authress)_[a-z0-9]{5,30}\.[a-z0-9]{4,6}"
          r"\.acc[_-][a-z0-9-]{10,32}\.[\w+/=-]{30,120}"),
    Token("kubernetes_token", ".",
          r"(?<![.\w/-])(?=[a-z]{0,5}[0-9])[a-z0-9]{6}\.(?=[a-z]{0,15}[0-9])[a-z0-9]{16}"
          r"(?![\w.-])", long=True),
    Token("token", "sl.", least=60),
    # --- keys of one's own
    Token("age_key", "AGE-SECRET-KEY-", least=40),
    Token("jwt", "eyj", r"(?<![\w-])eyJ[\w-]{8,}\.[\w-]{4,}(?:\.[\w-]*){0,3}"),
    Token("paseto", ".local .public. .secret .private. .seal.",
          r"[vk][1-4]\.(?:local|public|secret|private|seal)(?:-pw|-wrap\.pie)?\.[\w-]{40,}"
          r"(?:\.[\w-]+)?"),
    Token("password_hash", "$2 $1$ $5$ $6$ $7$ $y$ $apr1$ $gy$ $argon2 $scrypt$ $pbkdf2",
          r"\$(?:(?:2[abxy]|[1567]|g?y|apr1)\$[A-Za-z0-9./$=]{20,}"
          r"|(?:argon2(?:id|i|d)|scrypt|pbkdf2[a-z0-9-]*)\$[A-Za-z0-9+/=$.,_-]{30,})"),
    Token("password_hash", "pbkdf2_sha", r"pbkdf2_sha(?:1|256|512)\$[0-9]+\$[A-Za-z0-9+/=$]{20,}"),
    Token("password_hash", "aad3b435b51404ee", r"aad3b435b51404ee[0-9a-f]{16}:[0-9a-f]{32}"),
    Token("license_key", "-",
          r"(?=[A-Z-]{0,28}[0-9])(?=[0-9-]{0,28}[A-Z])(?:[A-Z0-9]{5}-){4}[A-Z0-9]{5}(?![\w-])"),
    # Bitcoin's export of a private key, in base 58.
    Token("crypto_key", "5 k l", r"[5KL][1-9A-HJ-NP-Za-km-z]{50,51}(?![A-Za-z0-9])", long=True),
    Token("crypto_key", "xprv yprv zprv", least=100),
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


def _pattern(token: Token) -> str:
    if token.pattern:
        return token.pattern
    prefixes = "|".join(map(re.escape, token.prefixes.split()))
    return rf"(?:{prefixes})(?P<random>[\w.-]{{{token.least},}})(?<!\.)={{0,2}}"


RULES = Rules(
    [(token.prefixes.lower().split(), _pattern(token)) for token in TOKENS],
    re.ASCII,
    before=r"(?<![A-Za-z0-9])",
)
# The runs of characters that a token may be in: most of a text is in none of them.
_LONG_WORD = lazy_pattern("[A-Za-z0-9]{16}")
_RUN = lazy_pattern(r"[!#$%&*+,\-./0-9:=?@A-Z^_a-z~|]{16,}")


def _is_name(match: re.Match[str]) -> bool:
    """Tell whether behind a prefix there are words, as in a name: `secret_key_of_the_service`."""
    value = match.groupdict().get("random") or ""
    return is_slug(value) and (value.islower() or not value.isalnum())


def token_findings(view: View) -> Iterator[Redaction]:
    """Yield what has the published shape of a token."""
    runs = [(run.start(), run.group()) for run in _RUN.finditer(view.text)]
    if not runs:
        return
    rows = RULES.present(view.batch, view.number)
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
            if start < end and not _is_name(match) and not is_placeholder(match[group]):
                run = bisect_right(starts, start) - 1
                shift = runs[run][0] - starts[run]
                yield Redaction(start + shift, end + shift, token.kind)


SEARCH = Search(token_findings, RULES.triggers, _RUN)
