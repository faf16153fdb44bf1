"""Personal data: what names or reaches a person is hidden, numbers that only look so stay."""

from __future__ import annotations

import pytest

from daily_memory.core.redaction.personal import is_card_number, is_iban, is_identity_number
from daily_memory.core.redaction.privacy import Policy, redact

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
    ("SSN 078-05-" + "1120", "id_number"),
    ("social security number: 512 44 " + "9032", "id_number"),
    ("patient NHS no. 485 777 " + "3456", "id_number"),
    ("EIN 12-" + "3456789", "id_number"),
    ("NINO is AB 12 34 56 " + "C", "id_number"),
    ("Steuerliche Identifikationsnummer 57 549 285 " + "017", "id_number"),
    ("codice fiscale: RSSMRA85" + "T10A562S", "id_number"),
    ("CPF do cliente: 111.444.777" + "-35", "id_number"),
    ("DNI: 54362315" + "-K", "id_number"),
    ("Medicare ID 2AB3-CD4-" + "EF56", "id_number"),
    ("医保卡号：H1234" + "5678", "id_number"),
    ("社会保障号码：320106198805" + "060027", "id_number"),
    ("QQ号：" + "123456789", "im_account"),
    ("微信号：" + "wxid_a1b2c3", "im_account"),
    ("加我微信" + "zhang_wei88", "im_account"),
    ("QQ号 " + "123456789", "im_account"),
    ("0086" + MOBILE, "cn_mobile"),
    ("transfer to DE89 3704 0044 " + "0532 0130 00 today", "iban"),
    ("call +44 20 7946 " + "0958", "phone"),
    ("call +1 (415) 555-" + "0132", "phone"),
    ("身份证（15位）：" + "110101900307747", "cn_id"),
    ("身份证 1101 0119 9003 07" + "74 75", "cn_id"),
    ("香港身份证 A" + "123456(3)", "id_number"),
    ("港澳通行证：C" + "12345678", "passport"),
    ("税号 91" + "110000600037341L", "company_id"),
    ("车牌京A·" + "8K3B2", "licence_plate"),
    ("收货地址：上海市徐汇区漕溪北路" + "1200号3栋", "postal_address"),
    ("jsmith at gmail dot " + "com", "email"),
    ("jsmith[at]gmail.com", "email"),
    ("lihua88 @ " + "qq.com", "email"),
    ("lihua88@" + "例子.中国", "email"),
]

LEFT_ALONE = """
order number 219-09-9941 was shipped
insurance policy PDF 2024-05.pdf
Steuer-ID: 11 Stellen
the tax id column is bigint(20)
社保接口 2024-05-01 下线
医保结算 v2.3.1
CPF mask: ###.###.###-##
PESEL uses 11 digits
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
https://app:x@git.acme.com/a.git
Ciphers aes256-gcm@openssh.com
meet at noon dot
+0800 and +1.5% and C++ 11 and +1 23 45
微信支付回调 pay_v3
粤语课程 A12345
邮箱@例子.中国
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
        ("gateway 192.168.1.1/24", "gateway [REDACTED:private_address]/24"),
        ("ping fd12:3456::1 now", "ping [REDACTED:private_address] now"),
        ("100.101.102.103 of the VPN", "[REDACTED:private_address] of the VPN"),
    ],
)
def test_private_addresses_are_hidden_unless_the_policy_says_no(text: str, expected: str) -> None:
    assert redact(text, Policy()).text == expected
    assert redact(text, Policy(private_addresses=False)).text == text


@pytest.mark.parametrize(
    "text",
    [
        "listening on 127.0.0.1:8000 and 0.0.0.0",
        "203.0.113.7, 192.0.2.1 and 8.8.8.8",
        "10.0.0.0/8, 10.1.0.0 and 10.1.255.255 are no machines",
        "curl http://169.254.169.254/latest/meta-data",
        "Windows 10.0.19041.1 or 10.0.999.1",
        "version 10.2.3.4, release: 10.2.3.5, x==10.1.2.3",
        "tool-10.1.2.3.tar.gz",
        "std::vector<int>",
        "2001:db8::1 and ::1",
    ],
)
def test_an_address_of_no_private_machine_is_left_alone(text: str) -> None:
    assert redact(text, Policy()).text == text


def test_check_digits_are_checked() -> None:
    assert is_identity_number(IDENTITY)
    assert not is_card_number("4111")
    assert not is_card_number("4" * 16)
    assert not is_iban("GB82")
