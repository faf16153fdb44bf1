"""Names and values: `password = …` in every notation, and what only looks like it."""

from __future__ import annotations

import base64

import pytest

from daily_memory.core.redaction import names
from daily_memory.core.redaction.privacy import Policy, redact
from daily_memory.core.redaction.view import view_of

PASSWORD = "Tiger#" + "2931!"
STRONG = "k3J&" + "x9?Qz+7Lm"
TOKEN = "Zq81" + "xKp03RtYw77Nbv5Lc2Q"
HEX = "5f4dcc3b" + "5aa765d61d8327deb882cf99"
PEM_BODY = "MIIEowIBAAKCAQEA" + "b7Zk" * 12


def pem(kind: str = "RSA PRIVATE KEY") -> str:
    return f"-----BEGIN {kind}-----\n{PEM_BODY}\n{PEM_BODY[:30]}=\n-----END {kind}-----"


HIDDEN = [
    # assignments
    (f"DB_PASSWORD={PASSWORD}", PASSWORD),
    (f"export API_TOKEN='{TOKEN}'", TOKEN),
    (f"PGPASSWORD={PASSWORD} psql -h db", PASSWORD),
    (f'const dbPassword: string = "{PASSWORD}";', PASSWORD),
    (f'password = """{PASSWORD}"""', PASSWORD),
    (f"password = b'{PASSWORD}'", PASSWORD),
    (f'db_pass := "{PASSWORD}"', PASSWORD),
    (f"os.environ['API_TOKEN'] = '{TOKEN}'", TOKEN),
    (f"os.getenv('DB_PASSWORD', '{PASSWORD}')", PASSWORD),
    (f"if password == '{PASSWORD}':", PASSWORD),
    (f"spring.datasource.password={STRONG}", STRONG),
    (f"client_secret: {HEX}", HEX),
    ("password: '" + "swordfish" + "'", "swordfish"),
    (f"db:\n  user: app\n  password: {STRONG}", STRONG),
    (f"password:\n  {PASSWORD}", PASSWORD),
    (f'{{"user": "x", "password": "{PASSWORD}"}}', PASSWORD),
    (f'{{"body": "{{\\"password\\": \\"{PASSWORD}\\"}}"}}', PASSWORD),
    (f'{{"env": "DB_PASSWORD={PASSWORD}\\nDB_HOST=x"}}', PASSWORD),
    (f'password = "a\\"{PASSWORD}"', PASSWORD),
    (f'password = "{PASSWORD}', PASSWORD),
    (f"- name: DB_PASSWORD\n  value: {PASSWORD}", PASSWORD),
    (f'<add key="DbPassword" value="{PASSWORD}"/>', PASSWORD),
    (f"<password>{PASSWORD}</password>", PASSWORD),
    (f"| password | {PASSWORD} |", PASSWORD),
    (f"**password:** `{PASSWORD}`", PASSWORD),
    (f"Server=db;User Id=sa;Password={STRONG};Encrypt=true", STRONG),
    (f"https://x.dev/cb?access_token={TOKEN}&state=1", TOKEN),
    (f"https://x.dev/cb?password={PASSWORD.replace('#', '')}&state=1", PASSWORD[-6:]),
    (f"./deploy --token {TOKEN} -v", TOKEN),
    (f"--db-password={PASSWORD}", PASSWORD),
    (f"ENV DB_PASSWORD {STRONG}", STRONG),
    (f"X-Api-Key: {TOKEN}", TOKEN),
    (f"API key: {TOKEN}", TOKEN),
    (f"the key = {TOKEN}", TOKEN),
    (f"password%3D{PASSWORD}", PASSWORD),
    ("password = " + "aB3" * 200, "aB3aB3"),
    ("password=" * 20 + "x", "password=password=password="),
    # in two words
    ("passWord = 'hunter2'", "hunter2"),
    ("PASS_WORD=hunter2", "hunter2"),
    ("<userPassWord>hunter2</userPassWord>", "hunter2"),
    ("pass-word: hunter2x", "hunter2x"),
    ('pass_phrase = "correct horse battery staple"', "correct horse"),
    ("passPhrase: correct-horse-battery-staple9", "correct-horse"),
    ("pass phrase: correct-horse-battery-staple9", "correct-horse"),
    ("pass word: hunter2", "hunter2"),
    # sentences
    (f"the admin password is {PASSWORD}", PASSWORD),
    (f"the password for the staging box is {PASSWORD}", PASSWORD),
    (f"I changed the root password to {PASSWORD} yesterday", PASSWORD),
    (f"the token is {TOKEN}.", TOKEN),
    (f"log in with password {STRONG} please", STRONG),
    (f"use token {TOKEN} for the upload", TOKEN),
    (f"use api token {TOKEN}", TOKEN),
    (f"token|{TOKEN}", TOKEN),
    (f"密码：{PASSWORD}", PASSWORD),
    (f"口令是{PASSWORD}，别外传", PASSWORD),
    (f"密钥为 {TOKEN}", TOKEN),
    (f"密码为“{PASSWORD}”", PASSWORD),
    (f"把密码改成了「{PASSWORD}」", PASSWORD),
    (f"密码（生产环境）：{PASSWORD}", PASSWORD),
    (f"密码为“{PASSWORD}", PASSWORD),
    ("密码【k3J& x9?Qz】", "x9?Qz"),
    ("密码‘k3J& x9?Qz’", "k3J&"),
    ("password: " + "20310704", "20310704"),
    ("提取码: " + "a1b2", "a1b2"),
    ("验证码是" + "384756", "384756"),
    (f"AppSecret 是 {HEX}", HEX),
    (f"数据库密码 {PASSWORD}", PASSWORD),
    # disguises
    (f"ｐａｓｓｗｏｒｄ＝{PASSWORD}", PASSWORD),
    (f"pass\u200bword={PASSWORD}", PASSWORD),
    ('key = "AK' + 'IA" + "' + "Q3EGRUTZ7VN2K5WX" + '"', "Q3EGRUTZ7VN2K5WX"),
    (f"curl -H 'Authorization: Bearer \\\n {TOKEN}'", TOKEN),
    (base64.b64encode(f"password={PASSWORD}".encode()).decode(), "cGFzc3dvcmQ"),
    (base64.b64encode(pem().encode()).decode(), PEM_BODY[:8]),
    # cookies
    (f"Set-Cookie: sessionid={TOKEN}; Path=/; HttpOnly", TOKEN),
    (f"Cookie: theme=dark; id={HEX}; lang=zh", HEX),
    # keys
    (f"deploy key\n{pem()}\nput it in ~/.ssh", PEM_BODY),
    (f'"private_key": "{pem("PRIVATE KEY")}"'.replace("\n", "\\n"), PEM_BODY),
    (f"    {pem('OPENSSH PRIVATE KEY')}".replace("\n", "\n    "), PEM_BODY),
    (pem().partition("\n-----END")[0] + "\nthe end is lost", PEM_BODY),
    (f"密钥：\n{pem().partition(chr(10) + '-----END')[0]}", PEM_BODY),
    (pem("EC PRIVATE KEY") + "\nand\n" + pem("PGP PRIVATE KEY BLOCK"), PEM_BODY),
]

LEFT_ALONE = """
use token authentication-v2 here
re.match("pass|fail2ban_v7|skip", line)
the password field is required
the password must be at least 12 characters
password policy: 12+ chars, one digit
passwords are hashed with argon2id
password: string;
password?: string
password: { type: String, required: true }
password VARCHAR(255) NOT NULL
password=None
password: sha256
password = getpass.getpass()
password: ${DB_PASSWORD}
password="$PASSWORD"
password: ********
password: <your-password>
password = input("Password: ")
password_timeout = 3000
password_file=/run/secrets/db_password
password = config['db']['password']
password: see https://acme.dev/vault
password: 2026-01-29
"password": "Password"
secret: Optional[str] = None
secret = os.getenv('APP_SECRET')
secret = vault:secret/data/app#key
SECRET_KEY = "change-me-in-production"
token = get_token()
const token = await fetchToken(user.id);
token: process.env.GITHUB_TOKEN
token: ${{ secrets.NPM_TOKEN }}
token = "..."
token: xxxxxxxx
token 已过期，需要重新登录
"token": "test token here"
we spend 3k tokens per call
max_tokens = 4096
token_type: bearer
tokenizer = AutoTokenizer.from_pretrained(name)
token: sha256
token: src/auth/token/v2
OPENAI_API_KEY=YOUR_API_KEY
api_key = settings.API_KEY
api_key: key.pem
API key rotation is documented in RUNBOOK.md
AWS_ACCESS_KEY_ID=AKIAIOSFODNN7EXAMPLE
sk-xxxxxxxxxxxxxxxx
sk-loading-spinner-container-big
primary_key=True
cache key: user:1:profile
keyboard layout: us
primary key is order_id
session_id=09901e6c-8aa0-487e-ac75-5e0066870c49
request id 50b9c3e8-5eff-47ca-a8b5-57be4ceae89c
fixed in fb946705a53f006bef086f334b04a5b599a6cf72
"integrity": "sha512-7FAH71gH9gJjDf//2aA+A2879b1/8ac/GBdb49ead1J6dbj9Iie0j71G8c9=="
requests==2.31.0 --hash=sha256:031236ea05d26f16650b8f8af0eb2830ad91498cd890592f2246b4f612ccb445
h1:3D9458c925g2Ghf40E5+b6bghj82H/fIg+6hA7ge39/=
ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI dev@laptop
ETag: "53e44c486484041dfc20c5882912d3b0"
toolu_01A09q90qw90lq917835lq9
Set-Cookie: theme=dark; Path=/; Max-Age=3600
Cookie: session_token=<session_token_here>
the header is "-----BEGIN RSA PRIVATE KEY-----" and then base64
-----BEGIN PUBLIC KEY-----
src/auth/password_reset.py line 85
tests/test_token_bucket.py::test_refill
rename userPasswordHash to passwordDigest
密码不能为空
密码：必填
密码长度至少 8 位
密码：******
密码的哈希是 5f4dcc3b5aa765d61d8327deb882cf99
密码用 bcrypt 加密
忘记密码链接 https://acme.dev/reset
提取码：abcd
主键是 order_id
pipeline passed: 120 tests
SGVsbG8gd29ybGQsIHRoaXMgaXMgYSB0ZXh0
UGxlYXNlIHJlc2V0IHlvdXIgcGFzc3dvcmQgc29vbg==
""".strip().split("\n")


@pytest.mark.parametrize(("text", "secret"), HIDDEN)
def test_a_secret_is_hidden_in_every_notation(text: str, secret: str) -> None:
    redacted = redact(text, Policy()).text

    assert secret not in redacted
    assert "[REDACTED:" in redacted
    assert "withheld" not in redacted


@pytest.mark.parametrize("text", LEFT_ALONE)
def test_what_only_looks_like_a_secret_is_left_alone(text: str) -> None:
    assert redact(text, Policy()).text == text


@pytest.mark.parametrize(
    ("name", "least"),
    [("password", "ab1x"), ("api_token", "ab1-x2yz"), ("key", "aZ3k9Qx7Lm2pR5tV")],
)
def test_how_short_a_value_may_be_depends_on_what_its_name_promises(name: str, least: str) -> None:
    """The bounds of `words._LEAST`, each from both sides."""
    hidden = redact(f"{name} = {least}", Policy()).text
    kept = redact(f"{name} = {least[:-1]}", Policy()).text

    assert least not in hidden
    assert kept == f"{name} = {least[:-1]}"


@pytest.mark.parametrize(
    "text", ["secret: hunter2", "password=changeme123", "client_secret = letmein9"]
)
def test_a_secret_that_a_person_made_up_is_hidden(text: str) -> None:
    assert redact(text, Policy()).text.endswith(("[REDACTED:secret]", "[REDACTED:password]"))


@pytest.mark.parametrize(
    "text",
    [
        'const storageKey = "user-settings-v2";',
        'const STORAGE_KEY = "app_state_2024";',
        "appKey: 'dashboard-2024'",
        "const sessionStorageKey = 'wizard-step-2024'",
        "secret: tls-cert2",
        "secret: test1",
        "password=changeme!",
        "--- PASS: TestBuildDAGs (0.00s)",
        "    --- PASS: TestMatch/IPv6_CIDR#01 (0.00s)",
        "令牌桶限流 100qps",
        "パスワードは必須です（8文字以上）",
    ],
)
def test_what_only_looks_like_a_secret_is_left_whole(text: str) -> None:
    assert redact(text, Policy()).text == text


def test_the_kind_in_a_mark_is_no_name() -> None:
    text = "[REDACTED:password]: k3J&x9 [REDACTED:token] = Zq81xKp03RtYw77"

    assert redact(text, Policy()).text == text


def test_a_key_without_an_end_is_hidden_as_far_as_a_key_may_go() -> None:
    line = "Zk7b" * 16
    text = "-----BEGIN PRIVATE KEY-----\n" + f"{line}\n" * 600

    redacted = redact(text, Policy()).text

    assert redacted.startswith("[REDACTED:private_key]\n")
    assert 100 <= redacted.count(line) <= 101


def test_what_stands_around_a_secret_is_left_as_it_is() -> None:
    text = f"一\r\n\tDB_PASSWORD='{PASSWORD}' # ok \u2028\x00，好。\n"

    redacted = redact(text, Policy()).text

    assert redacted == "一\r\n\tDB_PASSWORD='[REDACTED:password]' # ok \u2028\x00，好。\n"


@pytest.mark.parametrize("sign", ["?", "?page=1&"])
def test_a_secret_in_a_url_ends_before_what_follows_it(sign: str) -> None:
    text = f"/a{sign}token={TOKEN}#top"

    assert redact(text, Policy()).text == f"/a{sign}token=[REDACTED:token]#top"


@pytest.mark.parametrize("verb", ["use", "Show", "enable", "disable", "hide"])
def test_a_verb_before_a_name_is_no_part_of_it(verb: str) -> None:
    assert redact(f"{verb} key: {TOKEN}", Policy()).text == f"{verb} key: [REDACTED:api_key]"


def test_a_chinese_name_far_from_any_value_hides_no_later_one() -> None:
    text = f"密码{'一' * 60}，密码：tiger908"

    assert redact(text, Policy()).text == text.replace("tiger908", "[REDACTED:password]")


def named(text: str) -> list[tuple[str, str]]:
    """Return what a name gives away in a text, with its kind."""
    view = view_of(text)
    searches = view.batch.searches(names.SEARCHES).get(0, ())
    findings = [found for search in searches for found in search.find(view)]
    return [(view.text[found.start : found.end], found.kind) for found in findings]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("PASSWD={}", "password"),
        ("mypwd = {}", "password"),
        ("user_psw = {}", "password"),
        ("wifi_psk = {}", "password"),
        ("app_secret = {}", "secret"),
        ("ci_token = {}", "token"),
        ("master_key = {}", "api_key"),
        ("CREDENTIAL={}", "secret"),
        ("my_auth = {}", "secret"),
        ("my_cookie = {}", "cookie"),
        ("bearer = {}", "secret"),
        ("mnemonic = {}", "secret"),
        ("webhook = {}", "secret"),
        ("sessid = {}", "secret"),
        ("kennwort = {}", "password"),
        ("jwt = {}", "secret"),
        ("signature = {}", "secret"),
        ("bindpw = {}", "password"),
        ("rootpw = {}", "password"),
        ("pw = {}", "password"),
        ("ak = {}", "secret"),
        ("sk = {}", "secret"),
        ("pin = {}", "secret"),
        ("otp = {}", "secret"),
        ("sid = {}", "secret"),
        ("sig = {}", "secret"),
        ("seed = {}", "secret"),
        ("cvv = {}", "secret"),
        ("dsn = {}", "secret"),
        ("pat = {}", "secret"),
        ("salt = {}", "secret"),
        ("nonce = {}", "secret"),
    ],
)
def test_each_stem_of_a_name_is_known_and_gives_the_kind(text: str, kind: str) -> None:
    assert named(text.format(TOKEN)) == [(TOKEN, kind)]


@pytest.mark.parametrize(
    "text",
    [
        *("密码：{}", "密 码：{}", "密碼：{}", "口令：{}", "口 令：{}", "密钥：{}", "密鑰：{}"),
        *("密匙：{}", "私钥：{}", "私鑰：{}", "私匙：{}", "秘钥：{}", "秘鑰：{}", "秘匙：{}"),
        *("金钥：{}", "金鑰：{}", "金匙：{}", "令牌：{}", "权杖：{}", "凭证：{}", "凭据：{}"),
        *("憑證：{}", "助记词：{}", "暗号：{}", "授权码：{}", "验证码：{}", "校验码：{}"),
        *("动态码：{}", "提取码：{}", "访问码：{}", "激活码：{}", "安全码：{}", "注册码：{}"),
        *("邀请码：{}", "兑换码：{}", "恢复码：{}", "解锁码：{}", "解压码：{}", "取件码：{}"),
        *("门禁码：{}", "序列号：{}", "卡密：{}", "パスワード：{}", "暗証番号：{}", "비밀번호: {}"),
    ],
)
def test_each_chinese_name_is_known(text: str) -> None:
    assert named(text.format(TOKEN)) == [(TOKEN, "password")]


@pytest.mark.parametrize(
    "text",
    [
        *("密码“{}”", "密码‘{}’", "密码「{}」", "密码『{}』", "密码《{}》", "密码（{}）"),
        *("密码({})", "密码【{}】", 'password: "{}"', "password: '{}'", "password: `{}`"),
        *("password: “{}”", "password: ‘{}’", "password: &quot;{}&quot;", "password=%22{}%22"),
    ],
)
def test_a_value_is_hidden_in_each_kind_of_quotes(text: str) -> None:
    assert named(text.format(TOKEN)) == [(TOKEN, "password")]


@pytest.mark.parametrize("quotes", [*zip("“‘「『《（【", "”’」』》）】", strict=True)])
def test_a_value_in_quotes_may_have_blanks(quotes: tuple[str, str]) -> None:
    assert named(f"密码{quotes[0]}k3J& x9{quotes[1]}") == [("k3J& x9", "password")]


@pytest.mark.parametrize(
    ("count", "expected"), [(7, []), (8, ["banana"]), (9, ["token: banana", "banana"])]
)
def test_of_more_than_seven_names_in_a_row_all_is_hidden(count: int, expected: list[str]) -> None:
    assert [value for value, _ in named("token: " * count + "banana")] == expected


def test_a_long_value_is_hidden_to_its_end() -> None:
    value = "k9x" * 80 + "." * 16 + "k9x" * 30

    assert named(f"password = {value} x") == [(value, "password")]


@pytest.mark.parametrize(
    "near",
    [
        *("password ", "passwd ", "passphrase ", "pwd ", "login ", "log in ", "sign in "),
        *("signed in ", "credential ", "creds ", "wifi ", "wi-fi ", "密码", "密碼", "口令", "登录"),
        *("登陆", "账号", "帐号", "账密", "后台", "服务器"),
    ],
)
def test_a_strong_password_is_hidden_near_each_word_that_speaks_of_one(near: str) -> None:
    assert named(f"{near}and so on: {PASSWORD}") == [(PASSWORD, "password")]


def test_nothing_is_near_a_word_on_another_line_or_far_away() -> None:
    assert named(f"the login page\n{PASSWORD}") == []
    assert named("login " + "and so on " * 5 + PASSWORD) == []
    assert named(PASSWORD + " and so on" * 4 + " login") == []
    assert named(PASSWORD + " and so on, login") == [(PASSWORD, "password")]


@pytest.mark.parametrize(
    "text",
    [
        *("密码哈希：{}", "密码摘要：{}", "密码加密：{}", "密码规则：{}", "密码策略：{}"),
        *("密钥长度：{}", "密钥位数：{}", "密码强度：{}", "密码正则：{}", "密钥格式：{}"),
        *("密钥算法：{}", "密钥类型：{}", "密码字段：{}", "密码参数：{}", "密钥文件：{}"),
        *("密钥路径：{}", "密码链接：{}", "密码页面：{}", "密码错误：{}", "密码校验：{}"),
        *("密钥名称：{}", "密码变量：{}", "密码管理：{}", "令牌时间：{}", "令牌过期：{}"),
        *("令牌有效期：{}", "密码次数：{}", "密钥数量：{}", "密码周期：{}", "令牌间隔：{}"),
        *("令牌限制：{}", "令牌上限：{}", "令牌超时：{}", "令牌接口：{}", "密钥版本：{}"),
        "令牌桶：{}",
    ],
)
def test_what_is_said_about_a_chinese_name_is_no_value_of_it(text: str) -> None:
    assert named(text.format(TOKEN)) == []


@pytest.mark.parametrize(
    "unit", ["位", "次", "个", "秒", "分钟", "天", "条", "字", "种", "年", "kb", "s", "qps", "%"]
)
def test_digits_with_a_unit_are_no_chinese_password(unit: str) -> None:
    assert named(f"密码：482913{unit}") == []
    assert named("密码：482913") == [("482913", "password")]


@pytest.mark.parametrize(
    ("shortest", "shorter"),
    [("密码：4821", "密码：482"), ("提取码：a1b2", "提取码：a1b"), ("密码482913", "密码48291")],
)
def test_a_chinese_name_asks_for_a_length(shortest: str, shorter: str) -> None:
    assert len(named(shortest)) == 1
    assert named(shorter) == []


def test_each_text_of_a_list_is_judged_and_what_follows_the_list_is_not() -> None:
    text = f'passwords = ["{PASSWORD}", "string", "{TOKEN}"], other = ["{STRONG}"]'

    assert set(named(text)) == {(PASSWORD, "password"), (TOKEN, "password")}
    assert set(named(f'password = ["{PASSWORD}", "{TOKEN}"')) == {(PASSWORD, "password")}


def test_test_runners_name_no_secret() -> None:
    assert named(f"18 passed, see {STRONG}") == []
    assert named(f"--- PASS: Test{TOKEN}") == []


_PHRASE = ("correct horse battery staple", "password")


@pytest.mark.parametrize(
    ("text", "value", "kind"),
    [
        # "is" and a word in small letters at the end of a clause: eight of them
        ("the password is bananas2, remember", "bananas2", "password"),
        ("the password is bananabread. Remember it", "bananabread", "password"),
        ("密码：bananabread。", "bananabread", "password"),
        ("password = '''tiger2931'''", "tiger2931", "password"),
        # a blank between
        (f"with token {TOKEN} it works", TOKEN, "token"),
        (f"the api key {TOKEN} works", TOKEN, "api_key"),
        # a lone word is one only for an assignment in capitals
        ("DB_PASSWORD=tiger", "tiger", "password"),
        ("REDIS_AUTH=tiger2931", "tiger2931", "secret"),
        (f"authorization = {TOKEN}", TOKEN, "secret"),
        (f"## key\n{TOKEN}\n", TOKEN, "api_key"),
        (f'password = "{TOKEN}', TOKEN, "password"),
        # a list of texts in braces
        (f'passwords = {{"{PASSWORD}"}}', PASSWORD, "password"),
        ("pass = tiger2931", "tiger2931", "secret"),
        # cookies are judged one by one, unless the name has a single one
        (f"my_cookie = {TOKEN}", TOKEN, "cookie"),
        (f"cookie: a=b\npassword = {TOKEN}", TOKEN, "password"),
        # a name has 64 letters at most
        (f"{'x' * 55}_password = {TOKEN}", TOKEN, "password"),
        # a heading ends a line of 32 characters at most, or begins one
        (f"{'x' * 30} jwt\n{TOKEN}", TOKEN, "secret"),
        (f"{'x' * 60}\njwt\n{TOKEN}", TOKEN, "secret"),
        # what is all of a line may be a made-up word
        ("bindpw banana9\n", "banana9", "password"),
        (" - bindpw 'banana9'\n", "banana9", "password"),
        ("\nbindpw banana9\n", "banana9", "password"),
        ("DB_PASSWD banana9 x", "banana9", "password"),
        # what only a machine or a person who makes up a password writes is one anywhere
        (f"use token {TOKEN[:10]}", TOKEN[:10], "token"),
        ("the password a1b2c# works", "a1b2c#", "password"),
        ("the password abcdefghi# works", "abcdefghi#", "password"),
        (f"the key {TOKEN}x works", f"{TOKEN}x", "api_key"),
        # words are a passphrase only where the name speaks of a phrase
        ('ssh_passphrase = "correct horse battery staple"', *_PHRASE),
        ("the passphrase is `correct horse battery staple`", *_PHRASE),
        # what mail services hand out for other programs
        ("授权码：abcdefghijklmnop", "abcdefghijklmnop", "password"),
        # options
        ("run --pass tiger908 x", "tiger908", "secret"),
        ("run --pwd tiger908 x", "tiger908", "password"),
        ("run -pw tiger908 x", "tiger908", "password"),
        (f"run --key {TOKEN[:16]} x", TOKEN[:16], "api_key"),
        (f"ENV MY_SALT {TOKEN[:16]}", TOKEN[:16], "secret"),
        ("secrets = hunter2", "hunter2", "secret"),
        # quotes that hold more, or less, than a value
        ('password = """k3J& x9"""', "k3J& x9", "password"),
        ("password: “load_k9(x)”", "load_k9(x)", "password"),
        ("password = '''k3J& x9'''", "k3J& x9", "password"),
        ('密码（"k3J&x9"）', "k3J&x9", "password"),
        ("密码“k3J&x9\n和 ab”", "k3J&x9", "password"),
        (f"密码“k3J&x9 {'和' * 200}”", "k3J&x9", "password"),
        # the partner belongs to another mark, or more is said between the two
        ("密钥【k3J9dkw8Zq2LmX0p 之后改【配置】", "k3J9dkw8Zq2LmX0p", "password"),
        ("密码‘k3J&x9qq，然后再说‘好’", "k3J&x9qq", "password"),
        ("密码（admin123 初始）", "admin123", "password"),
        # marks right behind an English name
        (f"我的 token「{TOKEN}」", TOKEN, "token"),
        ("password“hunter22”", "hunter22", "password"),
        ("the password “hunter22” works", "hunter22", "password"),
        (f"api key【{TOKEN} 以后改【配置】", TOKEN, "api_key"),
        # the parameters of a URL and of a form end, other values go on
        (f"/a?token={TOKEN}&x", TOKEN, "token"),
        (f"token={TOKEN}&user_id=5", TOKEN, "token"),
        ("password=k3J&x=9?Qz", "k3J&x=9?Qz", "password"),
        (f"jwt={TOKEN}&amp?", f"{TOKEN}&amp?", "secret"),
        # a row of a table begins with its sign, or has blanks
        ("|password|tiger908|", "tiger908|", "password"),
        ("| `password`|tiger908|", "tiger908|", "password"),
        (f"{'x' * 70}\n|password|tiger908|", "tiger908|", "password"),
        ("see password| tiger908", "tiger908", "password"),
        (f"match token|{TOKEN}", TOKEN, "token"),
        # right behind a Chinese name there is a word of six letters, or a usual count of digits
        *[(f"密码{value}", value, "password") for value in ("a1b2x#", "4829", "482913")],
        ("密码48291300", "48291300", "password"),
        (f"密码{'一' * 12}：{PASSWORD}", PASSWORD, "password"),
        ("验证码：" + "48" * 16, "48" * 16, "password"),
    ],
)
def test_the_form_of_an_assignment_decides_what_is_a_value(
    text: str, value: str, kind: str
) -> None:
    assert (value, kind) in named(text)


@pytest.mark.parametrize(
    "text",
    [
        "the password is banana, remember",
        "the token is bananabread, remember",
        f'the token is "{TOKEN} and more"',
        "验证码：bananabread。",
        "db_password=tiger",
        "use token node20-alpine3 here",
        "http://token:8080/x",
        "password(user.name or other2)",
        "password (see page2)",
        f"the key {TOKEN[:23]} works",
        f"Cookie: a={TOKEN}",
        f"run --key {TOKEN[:15]} x",
        f"salt {TOKEN[:20]}\n",
        "session 01JD4K7Q2X8V5N3M9B6C1Z0YWR\n",
        f"the salt {TOKEN[:20]} x",
        "match password|tiger908|skip",
        "match\n password|tiger908|skip",
        "密码(see page2)",
        "密码(load(page2))",
        f"password: [REDACTED:password]{TOKEN}",
        f"{'x' * 56}_password = {TOKEN}",
        f"{'x' * 31} jwt\n{TOKEN}",
        "and bindpw banana9\n",
        "bindpw banana9 x",
        f"use token {TOKEN[:9]}",
        "the password a1b2# works",
        "the password abcdefgh# works",
        'secret = "correct horse battery staple"',
        'password = "correct horse battery staple"',
        "授权码：abcdefghijklmno",
        "授权码：abcdefghijklmnopq",
        "密码a1b2#",
        "密码4829130",
        "验证码：" + "48" * 16 + "4",
        # another search hides the user of a URL; behind an ARN is the name of a secret
        f"https://token:{TOKEN}@x",
        f"arn:aws:secretsmanager:us:1:secret:{TOKEN}",
        'monkey = "Zq81xKp03RtYw77Nbv5Lc2Q"',
        f"cookies: a={TOKEN}",
        f"author: {TOKEN}",
        f"authority = {TOKEN}",
        f"the very long line of a text that ends with its key\n{TOKEN}",
    ],
)
def test_the_form_of_an_assignment_decides_what_is_none(text: str) -> None:
    assert named(text) == []


@pytest.mark.parametrize("link", ["password: ", "password: |\n ", "%22password%22:"])
def test_names_that_are_values_of_each_other_are_hidden_to_the_last(link: str) -> None:
    hidden = redact(link * 5000 + "\nall is well", Policy())

    assert hidden.counts == (("password", 1),)
    assert hidden.text.count("password") < 12
    assert hidden.text.endswith(" is well")


@pytest.mark.parametrize("count", range(1, 12))
@pytest.mark.parametrize(
    "form", ["password: {}", 'password":"{}"', "password => {}", "password={}"]
)
@pytest.mark.parametrize("value", [STRONG, PASSWORD, "a/b+" + "c1" * 140])
def test_the_value_of_the_last_of_many_names_is_hidden_whole(
    form: str, value: str, count: int
) -> None:
    first = form.partition("{}")[0]
    hidden = redact("x " + first * count + form.format(value), Policy()).text

    assert not any(value[place : place + 4] in hidden for place in range(len(value) - 3))


@pytest.mark.parametrize("count", [1, *range(8, 13)])
@pytest.mark.parametrize("last", ["password is ", "password 是 ", "token ", "--password "])
def test_the_last_of_many_names_may_have_its_value_in_another_form(last: str, count: int) -> None:
    assert STRONG not in redact(f"x {'password: ' * count}{last}{STRONG}", Policy()).text
