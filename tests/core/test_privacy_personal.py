"""Personal data: what names or reaches a person is hidden, numbers that only look so stay."""

from __future__ import annotations

import pytest

from daily_memory.core.personal import is_card_number, is_iban, is_identity_number
from daily_memory.core.privacy import Policy, redact

MOBILE = "138" + "1234" + "5678"
IDENTITY = "11010119900307" + "7475"
CARD = "6222021234567890" + "128"
IBAN = "GB82 WEST 1234 " + "5698 7654 32"

HIDDEN = [
    ("reach me at li.wei@" + "qq.com", "email"),
    ("邮箱是zhang_san88@" + "163.com，谢谢", "email"),
    ("git config user.email k@" + "acme.io", "email"),
    (f"我的手机号是{MOBILE}", "cn_mobile"),
    (f"sms to +86{MOBILE}", "cn_mobile"),
    (f"打 {MOBILE[:3]}-{MOBILE[3:7]}-{MOBILE[7:]}", "cn_mobile"),
    (f"实名信息：张三，{IDENTITY}", "cn_id"),
    (f"打到 {CARD} 就行", "bank_card"),
    ("卡号：" + "1234 5678 9012 3456", "bank_card"),
    (f"iban {IBAN}", "iban"),
    ("tel: +1 (415) " + "555-0132", "phone"),
    ("座机 010-" + "62345678", "phone"),
    ("passport no. E" + "12345678", "passport"),
    ("身份证 " + "110101900307747", "cn_id"),
    ("SSN 078-05-" + "1120", "ssn"),
    ("QQ号：" + "123456789", "im_account"),
    ("微信号：" + "wxid_a1b2c3", "im_account"),
]

LEFT_ALONE = """
git@github.com:acme/app.git
logo@2x.png is missing
icon@3x.com
actions/checkout@v4
npm i react@18.2.6
X@W.transpose
x@y.py
me@somewhere.internal
user@example.com
noreply@github.com
12345+bob@users.noreply.github.com
https://bob@acme.com/x
scp a.tgz bob@acme.com:/srv
ssh bob@acme.com
mosh pit at the show, no address
see https://ssh.acme.com and call @acme.com
timestamp 1783736654075
order no. 2026063686473649
size 15032385536 bytes
110101199003077476
110101199013077475
6222021234567890129
iban GB82 WEST 1234 5698 7654 33
iban GB82 WEST 1234
phone number validation
电话面试改到 3 月 5 日 14:00
0.13812345678
""".strip().split("\n")


@pytest.mark.parametrize(("text", "kind"), HIDDEN)
def test_personal_data_is_hidden(text: str, kind: str) -> None:
    redacted = redact(text, Policy())

    assert f"[REDACTED:{kind}]" in redacted.text
    assert kind in dict(redacted.counts)


@pytest.mark.parametrize("text", LEFT_ALONE)
def test_what_only_looks_personal_is_left_alone(text: str) -> None:
    assert redact(text, Policy()).text == text


def test_personal_data_stays_where_the_policy_says_so() -> None:
    text = f"call {MOBILE}"

    assert redact(text, Policy(personal=False)).text == text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ssh root@10.206.58.45", "ssh root@[REDACTED:private_address]"),
        ("在192.168.1.7上", "在[REDACTED:private_address]上"),
        ("http://172.19.64.31:8080", "http://[REDACTED:private_address]:8080"),
        ("ping fd12:3456::1 now", "ping [REDACTED:private_address] now"),
        ("listening on 127.0.0.1:8000", "listening on 127.0.0.1:8000"),
        ("10.0.0.0/8 is private", "10.0.0.0/8 is private"),
        ("Windows 10.0.19041.1 or 10.0.999.1", "Windows 10.0.19041.1 or 10.0.999.1"),
        ("std::vector<int>", "std::vector<int>"),
    ],
)
def test_private_addresses_are_hidden_by_wish(text: str, expected: str) -> None:
    assert redact(text, Policy()).text == text
    assert redact(text, Policy(private_addresses=True)).text == expected


def test_check_digits_are_checked() -> None:
    assert is_identity_number(IDENTITY)
    assert not is_card_number("4111")
    assert not is_card_number("4" * 16)
    assert not is_iban("GB82")
