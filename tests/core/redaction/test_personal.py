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
    ("卡号：" + "1234 5678 9012 3456", "id_number"),
    (f"iban {IBAN}", "iban"),
    ("tel: +1 (415) " + "555-0132", "phone"),
    ("座机 010-" + "62345678", "phone"),
    ("passport no. E" + "12345678", "id_number"),
    ("身份证 " + "110101900307747", "id_number"),
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
    ("身份证（15位）：" + "110101900307747", "id_number"),
    ("身份证 1101 0119 9003 07" + "74 75", "id_number"),
    ("香港身份证 A" + "123456(3)", "id_number"),
    ("港澳通行证：C" + "12345678", "id_number"),
    ("税号 91" + "110000600037341L", "id_number"),
    ("车牌京A·" + "8K3B2", "licence_plate"),
    ("收货地址：上海市徐汇区漕溪北路" + "1200号3栋", "postal_address"),
    ("jsmith at gmail dot " + "com", "email"),
    ("jsmith[at]gmail.com", "email"),
    ("lihua88 @ " + "qq.com", "email"),
    ("ping fe80:1:2:3:4:5:6:7 now", "private_address"),
    ("ping 10.0.255.1 now", "private_address"),
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
admin@router.lan
user@example.com
noreply@github.com
12345+bob@users.noreply.github.com
https://bob@acme.com/x
scp a.tgz bob@acme.com:/srv
ssh bob@acme.com
deploy to bob@acme.com:/srv
deploy to bob@acme.com:~/app
rsync -a x bob@acme.com
sftp bob@acme.com
mosh bob@acme.com
ping 10.0.256.1
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
        (
            "host 10.1.2.0 and net 10.1.2.0/24",
            "host [REDACTED:private_address] and net 10.1.2.0/24",
        ),
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


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("电话 010-62345678", "phone"),
        ("手机号码：010 6234 5678", "phone"),
        ("联系方式：010-62345678", "phone"),
        ("传真 010-62345678", "phone"),
        ("phone 415 555 0132", "phone"),
        ("tel: 415-555-0132", "phone"),
        ("telephone 415-555-0132", "phone"),
        ("mobile 415-555-0132", "phone"),
        ("cell: 415-555-0132", "phone"),
        ("fax 415-555-0132", "phone"),
        ("whatsapp 415-555-0132", "phone"),
        ("护照号码 E12345678", "id_number"),
        ("passport number: AB1234567", "id_number"),
        ("通行证 C12345678", "id_number"),
        ("回乡证：H12345678", "id_number"),
        ("台胞证 T12345678", "id_number"),
        ("idcard 110101900307747", "id_number"),
        ("id card: 110101900307747", "id_number"),
        ("身分证 A123456789", "id_number"),
        ("身份證 A123456789", "id_number"),
        ("身分證 A123456789", "id_number"),
        ("HKID A123456(3)", "id_number"),
        ("统一社会信用代码 91110000600037341L", "id_number"),
        ("纳税人识别号：91110000600037341L", "id_number"),
        ("企鹅号：123456789", "im_account"),
        ("wechat id: zhang_wei88", "im_account"),
        ("vx：zhang_wei88", "im_account"),
        ("住址：上海市徐汇区漕溪北路1200号", "postal_address"),
        ("家住漕溪北路1200号", "postal_address"),
        ("寄到上海市漕溪北路1200号", "postal_address"),
        ("邮寄地址：上海市漕溪北路1200号", "postal_address"),
        ("银行卡 1234 5678 9012 3456", "id_number"),
        ("card number 1234 5678 9012 3456", "id_number"),
        ("jsmith[at]acme.com", "email"),
        ("jsmith(at)acme.com", "email"),
        ("jsmith（at）acme.com", "email"),
        ("jsmith{at}acme.com", "email"),
        ("jsmith at acme dot org", "email"),
        ("lihua88#foxmail.com", "email"),
        ("lihua88#163.com", "email"),
        ("lihua88#126.com", "email"),
        ("lihua88 @ gmail.com", "email"),
        ("lihua88 @ outlook.com", "email"),
        ("lihua88 @ hotmail.com", "email"),
        ("lihua88 @ sina.com", "email"),
        ("lihua88 @ aliyun.com", "email"),
        ("lihua88 @ icloud.com", "email"),
        ("lihua88 @ yahoo.com", "email"),
        ("lihua88 @ proton.me", "email"),
        ("沪A12345", "licence_plate"),
        ("粤B·D12345", "licence_plate"),
        ("琼C8K3B2", "licence_plate"),
        ("social insurance number 512 449 032", "id_number"),
        ("national insurance AB 12 34 56 C", "id_number"),
        ("national id 123-456-789", "id_number"),
        ("tax id: 12-3456789", "id_number"),
        ("VAT number DE123456789", "id_number"),
        ("medicaid 123456789", "id_number"),
        ("health insurance 123456789", "id_number"),
        ("member id: 123456789", "id_number"),
        ("patient id 1234567", "id_number"),
        ("medical record no. 1234567", "id_number"),
        ("driver's license D1234567", "id_number"),
        ("driving licence: 12345678", "id_number"),
        ("Steuernummer 21/815/08150", "id_number"),
        ("Versichertennummer: A123456789", "id_number"),
        ("numéro fiscal: 1234567890123", "id_number"),
        ("Aadhaar: 1234 5678 9012", "id_number"),
        ("personnummer 811228-9874", "id_number"),
        ("снилс 112-233-445 95", "id_number"),
        ("マイナンバー 123456789012", "id_number"),
        ("個人番号：123456789012", "id_number"),
        ("주민등록번호 800101-1234567", "id_number"),
        ("社保号：123456789", "id_number"),
        ("公积金账号：123456789", "id_number"),
        ("病历号 1234567", "id_number"),
        ("驾驶证号：123456789012", "id_number"),
        ("ITIN 912-34-5678", "id_number"),
        ("TFN: 123 456 782", "id_number"),
        ("NIE: X1234567L", "id_number"),
        ("CNPJ: 12.345.678/0001-95", "id_number"),
        ("PESEL: 44051401359", "id_number"),
        ("NIP: 123-456-32-18", "id_number"),
        ("BSN: 123456782", "id_number"),
        ("CPR: 010190-1234", "id_number"),
        ("AHV: 756.1234.5678.97", "id_number"),
        ("инн: 500100732259", "id_number"),
    ],
)
def test_each_word_for_personal_data_is_known(text: str, kind: str) -> None:
    assert kind in dict(redact(text, Policy()).counts)


# The examples of the registry that SWIFT publishes.
@pytest.mark.parametrize(
    "iban",
    [
        *("AD1200012030200359100100", "AT611904300234573201", "BE68539007547034"),
        *("CH9300762011623852957", "DE89370400440532013000", "ES9121000418450200051332"),
        *("FR1420041010050500013M02606", "IT60X0542811101000000123456", "NL91ABNA0417164300"),
        *("NO9386011117947", "PL61109010140000071219812874", "SE4550000000058398257466"),
        *("SA0380000000608010167519", "TR330006100519786457841326"),
        *("MT84MALT011000012345MTLCAST001S", "XK051212012345678906"),
    ],
)
def test_an_iban_is_known_by_its_country_its_length_and_its_check_digits(iban: str) -> None:
    assert is_iban(iban)
    assert is_iban(" ".join(iban[place : place + 4] for place in range(0, len(iban), 4)))
    assert not is_iban(iban[:-1])
    assert not is_iban("ZZ" + iban[2:])
    assert not is_iban(f"{iban[:-1]}{(int(iban[-1], 36) + 1) % 10}")
    assert f"iban {iban} ok" != redact(f"iban {iban} ok", Policy()).text


@pytest.mark.parametrize(
    ("digits", "valid"),
    [
        ("4111111111111111", False),  # two digits only: a made-up number
        ("4242424242424242", False),
        ("4012888888881881", True),
        ("5105105105105100", True),
        ("378282246310005", True),
        ("30569309025904", True),
        ("4222222222225", False),  # 13 digits
        ("6222021234567890129", False),
        ("62220212345678901281", False),  # 20 digits
    ],
)
def test_a_card_has_14_to_19_digits_and_a_check_digit(digits: str, valid: bool) -> None:
    assert is_card_number(digits) is valid


@pytest.mark.parametrize("born", ["19900001", "19901301", "19900100", "19900132"])
def test_an_identity_number_has_a_date_of_the_calendar(born: str) -> None:
    assert not any(is_identity_number(f"110101{born}747{last}") for last in "0123456789X")


@pytest.mark.parametrize("born", ["19900101", "19901231"])
def test_an_identity_number_has_one_check_digit(born: str) -> None:
    found = [last for last in "0123456789X" if is_identity_number(f"110101{born}747{last}")]

    assert len(found) == 1


def test_an_identity_number_may_end_in_a_letter() -> None:
    assert is_identity_number("11010519491231002X")
    assert is_identity_number("11010519491231002x")
    assert not is_identity_number("110105194912310021")


def test_a_phone_number_has_nine_to_fifteen_digits() -> None:
    assert redact("+44 20 7946", Policy()).text == "+44 20 7946"
    assert redact("call +44 20 79461", Policy()).text == "call [REDACTED:phone]"
    assert redact("call +441 20946 09581 23", Policy()).text == "call [REDACTED:phone]"
    assert redact("x +441 20946 09581 234", Policy()).text == "x +441 20946 09581 234"


@pytest.mark.parametrize(
    "address", ["10.1.2.3", "100.64.0.1", "100.127.9.9", "169.254.1.1", "172.16.0.1", "172.31.9.9"]
)
def test_each_private_network_is_known(address: str) -> None:
    assert redact(f"at {address} now", Policy()).text == "at [REDACTED:private_address] now"


@pytest.mark.parametrize("address", ["11.1.2.3", "100.63.0.1", "172.15.0.1", "172.32.0.1"])
def test_the_networks_beside_are_public(address: str) -> None:
    assert redact(f"at {address} now", Policy()).text == f"at {address} now"


def test_the_name_of_a_mailbox_has_64_characters_at_most() -> None:
    name = "a1" * 32

    assert redact(f"{name}@qq.com", Policy()).text == "[REDACTED:email]"
    assert redact(f"b{name}@qq.com", Policy()).text == "b[REDACTED:email]"
