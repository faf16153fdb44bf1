"""Personal data: e-mail addresses, phone, identity and card numbers, private addresses."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

from daily_memory.core.lazy_pattern import lazy_pattern
from daily_memory.core.redaction.rules import Rules
from daily_memory.core.redaction.view import Redaction, View
from daily_memory.core.triggers import Search

_AT = lazy_pattern(
    r"@(?P<domain>(?:[A-Za-z0-9-]{1,63}\.){1,8}(?P<top>[A-Za-z]{2,18}))(?![A-Za-z0-9-])"
)
_LOCAL = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._%+'-"
_MOST_LOCAL = 64
# Two letters are a country, unless they name a file; of the longer ones those that people use.
_NO_TOP = frozenset("py js ts go rb cs vb gz xz db kt hs jl lua mp pl ps so h7".split())
_TOPS = frozenset(
    "com org net edu gov mil int info biz name pro mobi app dev xyz top site online store shop "
    "tech club vip wang ltd group ink work live fun cloud icu press wiki email mail world today "
    "life news blog space website host company team agency studio design digital media network "
    "systems solutions services software social chat link click art asia tel jobs travel museum "
    "cat coop aero post academy center engineering finance global health house international law "
    "legal management marketing photos plus science school support university zone games game "
    "page bank swiss berlin london paris tokyo nyc eus gal kiwi one red blue".split()
)
_NOT_PERSONAL = frozenset("git hg svn noreply no-reply donotreply do-not-reply".split())
# RFC 2606, and the addresses that GitHub makes up.
_RESERVED = lazy_pattern(
    r"""(?:^|\.)(?:example\.(?:com|org|net|cn)|example|test|invalid|localhost
        |noreply\.github\.com|(?:lib|open)ssh\.(?:org|com))$""",
    re.VERBOSE,
)
# In the part of a URL that holds the user, another search hides the password.
_IN_URL = lazy_pattern(r"//[^\s/@]{0,76}$")
_SCALED = lazy_pattern(r"[0-9]+x\b")
_SHELL = lazy_pattern(r"\b(?:ssh|scp|rsync|sftp|mosh|ssh-copy-id)\b[^\n|]*$")

_DIGITS = lazy_pattern(r"[0-9][0-9 -]{9,400}[0-9Xx]")
# The digit comes first in the patterns: that is what makes the search for them quick.
_MOBILE = lazy_pattern(
    r"""
    1(?:(?<![A-Za-z0-9_.]1)|(?<=[^0-9]861)|(?<=^861)|(?<=00861))[3-9][0-9]
    (?:[0-9]{8}|[ -][0-9]{4}[ -][0-9]{4})(?![0-9A-Za-z_]|\.[0-9])
    (?!\s?(?:bytes?|B|[kKmMgG]i?B|ms|us|ns|μs|字节|毫秒|微秒|纳秒|rows?|行|条)(?![A-Za-z]))
    """,
    re.VERBOSE,
)
_IDENTITY = lazy_pattern(
    r"(?<![0-9A-Za-z.])[1-9][0-9]{5}(?:19|20)[0-9]{2}[01][0-9][0-3][0-9]{4}[0-9Xx](?![0-9A-Za-z])"
)
_IDENTITY_WEIGHTS = (7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2)
# UnionPay, Visa, Mastercard, American Express.
_CARD = lazy_pattern(
    r"""(?<![0-9A-Za-z.])(?:62|4|5[1-5]|2[2-7]|3[47])[0-9](?:[ -]?[0-9]){11,16}
        (?![0-9A-Za-z]|[ -][0-9])""",
    re.VERBOSE,
)
# Numbers of taxes, insurances, health and identity: each country writes them differently, so that
# their name has to give them away.
_OFFICIAL = (
    "social security  social insurance  national insurance  national id  tax id  taxpayer id"
    "  tax file  vat id  vat no  vat number  medicare  medicaid  health card  health insurance"
    "  insurance policy  insurance id  insurance number  member id  patient id  patient no"
    "  patient number  medical record  driver's license  driver's licence  driver license"
    "  driving licence  driving license  steuer-id  steuerid  steuernummer"
    "  steueridentifikationsnummer  steuerliche identifikationsnummer  versichertennummer"
    "  sozialversicherungsnummer  codice fiscale  partita iva  sécurité sociale"
    "  securite sociale  numéro fiscal  aadhaar  pan card  pan no  burgerservicenummer"
    "  personnummer  henkilötunnus  снилс  マイナンバー  個人番号  주민등록번호  医保  社保"
    "  社会保障  公积金  病历  就诊卡  驾驶证  驾照  纳税"
    "  护照  passport  通行证  回乡证  台胞证  身份证  身分证  身份證  身分證  hkid  idcard"
    "  id card  信用代码  税号  银行卡  卡号  bank card  card number"
).split("  ")
# These occur in other words too: as triggers they need what follows.
_OFFICIAL_SHORT = (
    "ssn nino nhs ein itin tfn mrn dni nie nif cpf cnpj pesel nip bsn cpr ahv инн 个税".split(" ")
)
_OFFICIAL_TRIGGERS = (
    *_OFFICIAL,
    *[name + end for name in _OFFICIAL_SHORT for end in " :：#"],
)
_PROVINCES = "京津沪渝冀豫云辽黑湘皖鲁新苏浙赣鄂桂甘晋蒙陕吉闽贵粤青藏川宁琼"

# Numbers and names that the words before them give away: kind, triggers, pattern with a group `v`.
_NAMED = (
    ("phone",
        "电话  座机  手机  联系方式  传真  phone  tel:  telephone  mobile  cell:  fax  whatsapp",
        r"""
        (?:电话|座机|手机号?码?|联系方式|传真|phone|tel(?:ephone)?|mobile|cell|fax|whatsapp)
        [^\n0-9+(]{0,12}(?P<v>\+?\(?[0-9][0-9()\ -]{6,18}[0-9])(?![0-9.]|\s?(?:ms|px|%))"""),
    ("im_account", "qq  企鹅", r"""
        (?:qq(?:号码?)?|企鹅号)\s?(?:是|为|[:：]|(?<=号)|(?<=码))\s?
        (?P<v>[1-9][0-9]{4,11})(?![0-9])"""),
    ("im_account", "微信  wechat  vx", r"""
        (?:微信号\s?(?:是|为|[:：])?|wechat\ id\s?(?:is|[:：])?|(?:微信|wechat|vx)\s?(?:是|为|[:：])
        |加(?:我|个|一下)?微信)\s?(?P<v>[a-z][a-z0-9_-]{5,19})(?![a-z0-9_.(-])"""),
    ("postal_address", "住址  地址  家住  寄到", r"""
        (?:住址|收货地址|家庭地址|家住|寄到|邮寄地址)\s?(?:是|为|在|[:：])?\s?
        (?P<v>[^\s，。,;；:：a-z]{2,24}?(?:路|街|道|巷|弄|村|里|苑|区)[^\s，。,;；:：a-z]{0,16}?
        [0-9]{1,5}[号栋幢弄室单元楼层0-9-]{1,24})"""),
    # an address that is written so that no program finds it
    ("email",
        "[at]  (at)  （at）  {at}  dot  qq.com  foxmail.  163.com  126.com  gmail.  outlook."
        "  hotmail.  sina.  aliyun.  icloud.  yahoo.  proton.", r"""
        (?P<v>(?a:(?<![\w.+-])[a-z0-9][\w.+-]{1,63}
        (?: \s?(?:\[at\]|\(at\)|（at）|\{at\})\s?[\w-]{1,63}
              (?:\s?(?:\[dot\]|\(dot\)|\.)\s?[a-z]{2,10}){1,3}
          | \ at\ [\w-]{1,63}(?:\ dot\ [a-z]{2,10}){1,3}
          | (?:\#|\ @\ ?|@\ )(?:qq|foxmail|163|126|gmail|outlook|hotmail|sina|aliyun|icloud|yahoo
             |proton)\.(?:com|cn|me|net))(?![\w-])))"""),
    ("licence_plate", "  ".join(_PROVINCES), rf"""
        (?P<v>(?-i:[{_PROVINCES}][A-HJ-Z][·•. ]?(?=[A-Z]{{0,5}}[0-9])[A-HJ-NP-Z0-9]{{5,6}}
        (?![A-Za-z0-9])))"""),
    ("id_number", "", rf"""
        (?<![a-z])(?:{"|".join(map(re.escape, (*_OFFICIAL, *_OFFICIAL_SHORT)))})
        (?:\s?(?:人?识别号|卡号|账号|编号|号码|卡|号|id|number|num|nummer|nr\.?|no\.?|n°|card|code|is|was|ist|est|es
        |é|è|是|为|[(（][^)）\n]{{1,12}}[)）]|[(（)）\#:：=]))*\s{{0,3}}
        (?:\ [^\n:：0-9]{{1,30}}[:：]\s{{0,3}})?
        (?!(?:19|20)[0-9]{{2}}[-./][0-9])(?=[a-z0-9./\ -]{{7}})(?=(?:[^\n0-9]{{0,6}}[0-9]){{5}})
        (?P<v>(?:[a-z]{{0,6}}|[a-z]{{2}}\ )(?=[0-9])[a-z0-9]{{1,20}}
        (?:[./-](?:(?=[a-z]{{0,4}}[0-9])[a-z0-9]{{1,16}}|[a-z]\b)
        |\ (?=[0-9])[a-z0-9]{{1,16}}){{0,7}}(?:\s?[(（][0-9a][)）])?)(?![a-z0-9])"""),
)  # fmt: skip
RULES = Rules(
    [
        (triggers.split("  ") if triggers else _OFFICIAL_TRIGGERS, pattern)
        for _, triggers, pattern in _NAMED
    ],
    re.IGNORECASE | re.VERBOSE,
)

# The registry of IBANs: how long that of each country is.
_IBAN_LENGTHS = (
    "AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DK18"
    " DO28 EE20 EG29 ES24 FI18 FO18 FR27 GB22 GE22 GI23 GL18 GR27 GT28 HR21 HU28 IE22 IL23"
    " IQ23 IS26 IT27 JO30 KW30 KZ20 LB28 LC32 LI21 LT20 LU20 LV21 LY25 MC27 MD24 ME22 MK19"
    " MR27 MT31 MU30 NL18 NO15 PK24 PL28 PS29 PT25 QA29 RO24 RS22 SA24 SC31 SD18 SE24 SI19"
    " SK24 SM27 ST25 SV28 TL23 TN24 TR26 UA29 VA22 VG24 XK20"
).split(" ")
_IBAN = lazy_pattern(
    r"""[A-Z](?<![A-Za-z0-9][A-Z])[A-Z][0-9]{2}(?:[ ]?[A-Z0-9]{4}){2,7}(?:[ ]?[A-Z0-9]{1,4})?
        (?![A-Za-z0-9])""",
    re.VERBOSE,
)
# E.164 with its plus; a country code, then groups. `+0800` is a time zone.
_INTERNATIONAL = lazy_pattern(
    r"""\+(?<![\w.+]\+)(?!86[ -]?1[3-9])[1-9][0-9]{0,2}(?:[ .-]\(?[0-9]{1,5}\)?){1,5}
        (?![0-9A-Za-z%]|\.[0-9])
      | \+(?<=[:： ]\+)(?!861[3-9])[1-9][0-9]{10,13}(?![0-9A-Za-z.%])""",
    re.VERBOSE,
)
_DOMAIN_ZH = lazy_pattern(
    r"@[\w\u4e00-\u9fff-]{1,63}\.(?:[\w\u4e00-\u9fff-]{1,63}\.)?"
    r"(?:中国|中國|公司|网络|網絡|网址|手机|在线|商城|xn--[a-z0-9]{2,20})"
)

# RFC 1918, link-local, and RFC 6598 (carrier-grade NAT).
_IPV4 = lazy_pattern(
    r"""1(?<![0-9A-Za-z.]1)
        (?:0\.[0-9]{1,3}|69\.254|72\.(?:1[6-9]|2[0-9]|3[01])|92\.168
          |00\.(?:6[4-9]|[7-9][0-9]|1[01][0-9]|12[0-7]))
        (?:\.[0-9]{1,3}){2}(?![0-9A-Za-z]|\.[0-9]|[.-](?:tar|zip|jar|whl|deb|rpm|exe|dmg)\b)""",
    re.VERBOSE,
)
# Every machine in a cloud reaches the same service there.
_METADATA = "169.254.169.254"
# Words before four numbers that are no IP address.
_VERSION = lazy_pattern(
    r"(?:version|release|section|chapter|build|windows|firmware|driver|kernel|sdk|版本|章|节|\bv)"
    r"[\"'\s:=：]{0,3}$|[=~<>!]=\s?$"
)
_MOST_BEFORE = 20
_IPV6_HINTS = ("::", "fe80:")
_IPV4_HINTS = ("10.", "100.", "169.254", "172.", "192.168")
# RFC 4193 and link-local.
_IPV6 = lazy_pattern(
    r"(?<![0-9a-z:])(?:f[cd][0-9a-f]{2}|fe[89ab][0-9a-f])(?::{1,2}[0-9a-f]{1,4}){1,7}(?![0-9a-z:])"
)


def _named(view: View) -> Iterator[Redaction]:
    for number, match in RULES.matches(view):
        yield Redaction(*match.span("v"), _NAMED[number][0])


def _private_ipv4(view: View) -> Iterator[Redaction]:
    for match in _IPV4.finditer(view.text):
        start, end = match.span()
        before = view.lowered[max(0, start - _MOST_BEFORE) : start]
        if _is_host(match.group(), view.text[end : end + 1]) and not _VERSION.search(before):
            yield Redaction(start, end, "private_address")


def _private_ipv6(view: View) -> Iterator[Redaction]:
    for span in view.near(_IPV6_HINTS):
        for match in _IPV6.finditer(view.lowered, *span):
            yield Redaction(*match.span(), "private_address")


def _is_host(address: str, after: str) -> bool:
    """Tell whether an address is that of one machine; `10.0.0.0/8` and `10.1.0.0` are networks."""
    parts = address.split(".")
    is_network = parts[3] == "0" and (after == "/" or parts[2] == "0")
    is_end = parts[2:] == ["255", "255"]
    return (
        all(int(part) < 256 for part in parts)
        and not (is_network or is_end)
        and address != _METADATA
    )


def _emails(view: View) -> Iterator[Redaction]:
    text = view.text
    for pattern in (_AT,) if text.isascii() else (_AT, _DOMAIN_ZH):
        for match in pattern.finditer(text):
            before = text[max(0, match.start() - _MOST_LOCAL) : match.start()]
            local = before[len(before.rstrip(_LOCAL)) :].lstrip(".'-+%")
            start = match.start() - len(local)
            if local and (pattern is _DOMAIN_ZH or _is_mailbox(text, start, match)):
                yield Redaction(start, match.end(), "email")


def _is_mailbox(text: str, start: int, match: re.Match[str]) -> bool:
    top = match["top"].lower()
    if top in _NO_TOP or (len(top) > 2 and top not in _TOPS):
        return False
    local, domain = text[start : match.start()].lower(), match["domain"].lower()
    if local in _NOT_PERSONAL or _RESERVED.search(domain) or _SCALED.match(domain):
        return False
    # user@host:path of scp, user@host in a URL, ssh user@host
    after, before = text[match.end() : match.end() + 2], text[max(0, start - 80) : start]
    is_target = after in (":/", ":~") or _IN_URL.search(before) is not None
    return not (is_target or _SHELL.search(before))


def _ibans(view: View) -> Iterator[Redaction]:
    yield from _valid("iban", _IBAN.finditer(view.text), is_iban)


def _international(view: View) -> Iterator[Redaction]:
    yield from _valid("phone", _INTERNATIONAL.finditer(view.text), _is_phone)


def _numbers(view: View) -> Iterator[Redaction]:
    text = view.text
    for run in _DIGITS.finditer(text):
        span = (run.start(), min(len(text), run.end() + 12))
        yield from _valid("cn_mobile", _MOBILE.finditer(text, *span), bool)
        yield from _valid("cn_id", _IDENTITY.finditer(text, *span), is_identity_number)
        yield from _valid("bank_card", _CARD.finditer(text, *span), is_card_number)


def _valid(
    kind: str, matches: Iterable[re.Match[str]], is_valid: Callable[[str], bool]
) -> Iterator[Redaction]:
    return (Redaction(*match.span(), kind) for match in matches if is_valid(match.group()))


def _is_phone(text: str) -> bool:
    # By ITU-T E.164 at most 15 digits; the shortest with a country code have nine.
    return 9 <= sum(map(str.isdigit, text)) <= 15


def is_identity_number(text: str) -> bool:
    """Tell whether 18 characters are a Chinese identity number (GB 11643: check digit, a date)."""
    month, day = int(text[10:12]), int(text[12:14])
    if not (1 <= month <= 12 and 1 <= day <= 31):
        return False
    total = sum(int(digit) * weight for digit, weight in zip(text, _IDENTITY_WEIGHTS, strict=False))
    return "10X98765432"[total % 11] == text[17].upper()


def is_card_number(text: str) -> bool:
    """Tell whether a number has the check digit of a bank card (ISO/IEC 7812, Luhn)."""
    digits = [int(character) for character in text if character.isdigit()]
    if not 14 <= len(digits) <= 19 or len(set(digits)) < 3:
        return False
    doubled = [digit * 2 - 9 * (digit > 4) for digit in digits[-2::-2]]
    return (sum(digits[-1::-2]) + sum(doubled)) % 10 == 0


def is_iban(text: str) -> bool:
    """Tell whether a text has the length and the check digits of an IBAN (ISO 13616)."""
    compact = text.replace(" ", "")
    if f"{compact[:2]}{len(compact)}" not in _IBAN_LENGTHS:
        return False
    turned = compact[4:] + compact[:4]
    return int("".join(str(int(character, 36)) for character in turned)) % 97 == 1


# The data that names or reaches a person.
SEARCHES = (
    Search(_emails, ("@",)),
    Search(_ibans, pattern=_IBAN),
    Search(_international, ("+",)),
    Search(_numbers, pattern=_DIGITS),
    Search(_named, RULES.triggers),
)
# Addresses of private networks; this machine itself is no secret.
ADDRESSES = (Search(_private_ipv4, _IPV4_HINTS), Search(_private_ipv6, _IPV6_HINTS))
