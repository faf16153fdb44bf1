"""Secrets that a layout or a neighbour gives away: tables, headings, calls, lines, lists."""

from __future__ import annotations

import pytest

from daily_memory.core.redaction import layouts, words
from daily_memory.core.redaction.privacy import Policy, redact
from daily_memory.core.redaction.view import view_of

PASSWORD = "Tiger#" + "2931!"
PLAIN = "tiger" + "2931"
RANDOM = "Zq81xKp03" + "RtYw77Nbv5Lc2Q"
TOKEN = "ghp_" + "a1B2c3D4e5" * 4

HIDDEN = [
    # tables, CSV, SQL
    f"| 用户 | 密码 |\n| --- | --- |\n| bob | {PASSWORD} |",
    f"> | user | password | note |\n> |---|:---:|---|\n> | bob | `{PASSWORD}` | x |\ntext",
    f"a | token\n--|--\nx | {RANDOM}",
    f"user,password\nbob,{PASSWORD}\namy,short\n",
    f"name\tpassword\r\nbob\t{PASSWORD}",
    f"INSERT INTO users (name, password) VALUES ('bob', '{PASSWORD}');",
    f"insert into t(a, password) values (now(), 'x'), (NULL, '{PASSWORD}')",
    # headings and blocks
    f"密码\n{PASSWORD}",
    f"## 密码\n\n{PASSWORD}\n\n下一节",
    f"### Password\n{PASSWORD}\n",
    f"Password:\n\n    {PASSWORD}\n",
    f"password: |\n  {PASSWORD}\n",
    f"password: >-\n  {PASSWORD}",
    # calls and lists
    f'DriverManager.getConnection(url, "root", "{PASSWORD}")',
    f"requests.get(url, auth=('bob', '{PASSWORD}'))",
    f'client.setPassword("{PASSWORD}");',
    f'co = cohere.Client("{RANDOM}{RANDOM}")',
    f'auth: ["bob", "{PASSWORD}"]',
    f'http.Header{{"Authorization": {{"Bearer {RANDOM}"}}}}',
    f'http.Header{{"X-Api-Key": []string{{"{RANDOM}"}}}}',
    f"createHmac('sha256', '{PASSWORD}').update(body)",
    f'hmac.New(sha256.New, []byte("{PASSWORD}"))',
    f"hmac.new('{PASSWORD}'.encode(), body, 'sha256')",
    f"jwt.sign({{ sub: 'user-42' }}, '{PASSWORD}')",
    f'jwt.encode({{"sub": "42"}}, "{PASSWORD}", algorithm="HS256")',
    f'new SecretKeySpec("{PASSWORD}".getBytes(), "HmacSHA256")',
    # tables that are drawn
    f"│ user │ password │\n├──────┼──────────┤\n│ bob  │ {PASSWORD} │",
    f"║ 密码 ║ {PASSWORD} ║",
    f"+------+----------+\n| user | password |\n+------+----------+\n| bob  | {PASSWORD} |\n",
    f" id | password\n----+----------\n  1 | {PASSWORD}\n",
    f"│ Nutzer │ Passwort │\n├────────┼──────────┤\n│ bob    │ {PASSWORD} │",
    f'PASSWORDS = ["x", "{PASSWORD}"]',
    f'var dbPwd string = "{PASSWORD}"',
    f'variable "db_password" {{\n  type = string\n  default = "{PASSWORD}"\n}}',
    # names of the environment, directives, flags
    f"ENV DB_PASSWORD {PLAIN}",
    "POSTGRES_PASSWORD=" + "qinghua",
    f"REDISCLI_AUTH={PLAIN}",
    f"bindpw {PLAIN}",
    f"[database]\npass = {PLAIN}",
    f"consul -token {RANDOM}",
    'passphrase: "correct horse ' + 'battery staple"',
    'the passphrase is "correct horse ' + 'battery staple"',
    # sentences
    f"my password's {PLAIN}",
    f"password (staging) is {PLAIN}",
    f"password → {PLAIN}",
    "the wifi password is " + "bananabreeze.",
    f"I reset the console password for bob this morning: {PASSWORD}",
    f"{PASSWORD} lets you into the login page",
    f"用户名admin密码{PLAIN}",
    f"密码 => {PLAIN}",
    "密码：" + "qinghua。",
    "门禁密码" + "482913",
    "邮箱授权码 " + "qwertyuiopasdfgh",
    f"AccessKey ak LTAI sk {RANDOM}A1",
    # in other clothes
    f"data=%7B%22password%22%3A%22{PLAIN}%22%7D",
    f"&quot;password&quot;:&quot;{PLAIN}&quot;",
    f"\x1b[32mpassword\x1b[0m: {PLAIN}",
    f'k = "{TOKEN[:20]}" . "{TOKEN[20:]}"',
    f'k = ("{TOKEN[:20]}"\n     "{TOKEN[20:]}")',
    f"the key is {TOKEN[:20]}\n{TOKEN[20:]} ok",
    f"GITHUB_TOKEN={TOKEN[:4]}\n{TOKEN[4:]}",
    f"{'csk-' + RANDOM}\n{RANDOM}",
    f"<secret><![CDATA[{RANDOM}]]></secret>",
    f"document.cookie = 'sid={RANDOM}'",
    f"curl -b 'sid={RANDOM}' https://x",
]

LEFT_ALONE = [
    "a -- b2\n|-x-|",
    "createHmac('sha256', config.key2).update('v2-body1')",
    "createHmac('sha256', process.env['HMAC_KEY2'])",
    "createHmac('sha256', os.environ.get('HMAC_KEY_V2'))",
    "createCipheriv('aes-256-cbc', Buffer.from(key, 'hex'), iv",
    "jwt.verify(token, 'keys/public2.pem'",
    'http.Header{"Accept": {"text/html", "v2"}}',
    '{"password": {"type": "string2"}}',
    "│ password │ varchar(72) │",
    "│ package2 │ latest │\n├──────────┼────────┤\n│ keytar2  │ 7.9.0  │",
    "type=password id=pw2",
    "密码" + "的故事很长" * 20 + " and more",
    "密码的故事",
    "| password | user |\n|---|---|\n| x |\n| y",
    "| id | user | password |\n|---|---|---|\n| 1 | bob | x |\n| only |",
    'login("bob", "${PASSWORD}")',
    "| user | password |\n| --- | --- |\n| string | string |",
    "| 密码 | 必填 |\n| --- | --- |\n| 8-20 位 | 是 |",
    "| a | b |\n| --- | --- |",
    "x | y\n----------\nno table",
    "user,password\none,two,three\n",
    "first,second\nbob,amy\n",
    "INSERT INTO users (name, password) VALUES (?, ?)",
    "INSERT INTO users (name, age) VALUES ('bob', 'x')",
    "INSERT INTO users (password) VALUES ('${PASSWORD}'",
    "## 密码\n用户的密码要加密存储。",
    "### Password\nMust have 8 characters.",
    "this is a rather long line that ends with the word password\nTiger2931",
    "password:\n  type: string\n  minLength: 8",
    "connect(user=user, password=password)",
    'boto3.client("s3", "us-west-2")',
    'login("bob", "secret page")',
    "DB_PASSWORD is required",
    "bypass tiger2931",
    "pass: 12, fail: 3",
    "the password is mandatory.",
    "密码：required。",
    "密码管理器 1Password",
    "令牌过期时间 3600 秒",
    "密码1000次",
    "password fix in issue#4287 and react@18, see user@build2.acme",
    "arn:aws:secretsmanager:us-east-1:1:secret:db-Ab3dEf",
    '--password "$PASS"',
    "cookie: theme=dark",
    "PASSWORDS = [first, second]",
    'tokens = ["a", "b"]',
    "sk-\nand\nghp_\nnext line",
    "salt = (a + b)",
    "License: LGPLv3+_or_GPLv2+",
    '"x"\n"y"',
    "key = abc" + "defghijklmnopqrstuvwxyz0123456789ABC",
]


@pytest.mark.parametrize("text", HIDDEN)
def test_what_only_its_place_or_its_neighbour_tells_is_hidden(text: str) -> None:
    hidden = redact(text, Policy()).text

    for secret in (PASSWORD, PLAIN, RANDOM, TOKEN[4:20], TOKEN[20:], "qinghua", "bananabreeze"):
        assert secret not in hidden
    assert "[REDACTED:" in hidden


@pytest.mark.parametrize("text", LEFT_ALONE)
def test_a_layout_without_a_secret_is_left_alone(text: str) -> None:
    assert redact(text, Policy()).text == text


def test_only_the_value_is_taken_out_of_a_row_and_of_a_form() -> None:
    table = f"| user | password |\n|---|---|\n| bob | {PASSWORD} |\n| amy | {PLAIN} |\n\nrest"
    form = f"key={RANDOM}{RANDOM}&user=bob"

    assert redact(table, Policy()).text == (
        "| user | password |\n|---|---|\n| bob | [REDACTED:password] |"
        "\n| amy | [REDACTED:password] |\n\nrest"
    )
    assert redact(form, Policy()).text == "key=[REDACTED:api_key]&user=bob"


def test_a_very_long_table_is_read_to_its_bound() -> None:
    rows = "\n".join(["| bob | x |"] * 600)
    text = f"| user | password |\n|---|---|\n| bob | {PASSWORD} |\n{rows}"

    assert PASSWORD not in redact(text, Policy()).text


def test_a_name_above_a_token_is_no_part_of_it() -> None:
    text = f"aws configure get aws_secret_access_key\n{TOKEN}"

    assert redact(text, Policy()).text.startswith("aws configure get aws_secret_access_key\n[RED")


def test_the_host_of_a_url_stays() -> None:
    assert redact(f"rediss://default:{PLAIN}@cache.acme.dev:6380", Policy()).text == (
        "rediss://default:[REDACTED:password]@cache.acme.dev:6380"
    )


@pytest.mark.parametrize("value", ["Q7!ppf*Zk2", "tiger@9081", "coffee#453530", "aB3$xYz!9"])
def test_a_strong_password_looks_like_nothing_else(value: str) -> None:
    assert words.is_strong_password(value)


@pytest.mark.parametrize(
    "value",
    [
        "issue#4287",
        "react@18.2.0",
        "bob@host2",
        "a=1&b=2xy",
        "x1!",
        "**",
        "$var12",
        "no-digits!x",
        "密码a1!b2",
    ],
)
def test_other_words_with_digits_and_signs_are_no_strong_password(value: str) -> None:
    assert not words.is_strong_password(value)


def laid_out(text: str) -> list[tuple[str, str]]:
    """Return what the layout of a text gives away, with its kind."""
    view = view_of(text)
    searches = view.batch.searches(layouts.SEARCHES).get(0, ())
    findings = [found for search in searches for found in search.find(view)]
    return [(view.text[found.start : found.end], found.kind) for found in findings]


@pytest.mark.parametrize(
    "column",
    [
        *(
            "密码",
            "口令",
            "密钥",
            "秘钥",
            "令牌",
            "私钥",
            "提取码",
            "授权码",
            "パスワード",
            "비밀번호",
        ),
        *("mot de passe", "contraseña", "clave secreta", "Passwort", "Kennwort", "senha", "parola"),
        *("wachtwoord", "hasło", "lösenord", "heslo", "пароль", "гасло", "סיסמה", "password"),
    ],
)
def test_a_column_is_known_by_its_name_in_each_language(column: str) -> None:
    text = f"| user | {column} |\n|---|---|\n| bob | {PASSWORD} |"

    assert laid_out(text) == [(PASSWORD, "password")]


@pytest.mark.parametrize(
    "rule",
    [
        *("|---|---|", "| --- | --- |", "|:--|:--|", "| :-- | :-- |", "---|---", "--- | ---"),
        *("-----+-----", "+----+----+", "> |---|---|", "|---:|---:|", "| ---: | ---: |"),
        *("|:--:|:--:|", "| :--: | :--: |"),
    ],
)
def test_a_table_is_known_by_each_kind_of_rule(rule: str) -> None:
    head, row = ("user | token", f"bob | {RANDOM}")
    if rule.strip("> ")[0] in "|+":
        head, row = f"| {head} |", f"| {row} |"

    assert laid_out(f"{head}\n{rule}\n{row}\n") == [(RANDOM, "secret")]


def test_the_names_of_columns_are_on_the_line_above_the_rule() -> None:
    text = f"a | b | c\nuser | token\n--- | ---\nbob2 | {RANDOM}\n"

    assert laid_out(text) == [(RANDOM, "secret")]


def test_a_cell_is_hidden_from_its_first_letter_to_its_last() -> None:
    text = f"| user | password |\n|---|---|\n| bob | **X{PASSWORD}X** |\n> | `bob` | 'x9-ab' |"

    assert laid_out(text) == [(f"X{PASSWORD}X", "password"), ("x9-ab", "password")]


@pytest.mark.parametrize("sign", [",", ";", "\t"])
def test_a_list_of_values_is_known_by_its_first_line(sign: str) -> None:
    text = f"name{sign}password\nbob{sign}{PASSWORD}\namy{sign}{PLAIN}\n"

    assert laid_out(text) == [(PASSWORD, "password"), (PLAIN, "password")]


@pytest.mark.parametrize(
    "call",
    [
        *('mysqli("db", "bob", "{}")', 'PDO("db", "bob", "{}")', 'WiFi.begin("home", "{}")'),
        *('jwt.sign("bob", "{}")', 'Fernet("x", "{}")', 'x = AES.new("x", "{}")'),
        *('hmac.new("x", "{}")', 'Cipher("x", "{}")', 'connect("bob", "{}")'),
        *('getConnection("bob", "{}")', 'login("bob", "{}")', 'log_in("bob", "{}")'),
        *('signIn("bob", "{}")', 'auth("bob", "{}")', 'authenticate("bob", "{}")'),
        *('Credentials("bob", "{}")', 'new Client("bob", "{}")', 'Bot("bob", "{}")'),
        *('Api("bob", "{}")', 'basicAuth("bob", "{}")', 'digest_auth("bob", "{}")'),
        *('setUser("bob", "{}")', 'withBasic("bob", "{}").auth', 'createUser("bob", "{}")'),
        *('addUser("bob", "{}")', 'UsernamePasswordAuthenticationToken("bob", "{}")'),
        'auth = ["bob", "{}"]',
    ],
)
def test_each_call_that_takes_a_password_is_known(call: str) -> None:
    assert PASSWORD in dict(laid_out(call.format(PASSWORD)))


@pytest.mark.parametrize(
    "call",
    [
        *("createHmac('sha256', '{}')", "createCipheriv('aes-256-cbc', '{}', iv)"),
        *("createDecipher('aes192', '{}')", "createSecretKey('{}', 'utf8')"),
        *("hash_hmac('sha256', $body, '{}')", "hmac.create('{}')", "HmacSHA256('{}', body)"),
        *("hmac.digest('{}', body)", "new SecretKeySpec('{}', x)", "jwt.verify(x, '{}')"),
        *("jwt.decode(x, '{}')", "jwt.encode(x, '{}')", "createHmac(f(x), '{}')"),
    ],
)
def test_each_call_that_takes_a_key_is_known(call: str) -> None:
    assert (PASSWORD, "secret") in laid_out(call.format(PASSWORD))


@pytest.mark.parametrize(
    "call",
    [
        *(
            f"createHmac('{encoding}', x)"
            for encoding in ("utf8", "utf-8", "ascii", "latin1", "binary", "hex", "base64")
        ),
        *("createHmac('base64url', x)", "createHmac('buffer', x)", f"Client('{RANDOM[:15]}')"),
        *("createHmac('sha256', x); log('tiger#2931!')", "createHmac('sha256',\n'tiger#2931!')"),
        *("connect('host=db2;port=5432;')", "login('bob', 'a1b')", "login('bob', '/var/x2')"),
        *("login('tiger2931', x)", "login('bob', 'two words2')", "login('bob', 'k3J& x9')"),
        *("login('bob', 'k3J/x9?Q')", "login('bob', 'k3=J&9;x')", "login('bob', 'x7Kq-92Lm')"),
        # brackets within brackets: eight around a key, none around a password
        "createHmac(f(f(f(f(f(f(f(f(x)))))))), 'tiger#2931!')",
        "createHmac(f(g(\n), 'tiger#2931!'))",
        "login(f('bob'), 'tiger2931')",
    ],
)
def test_an_argument_that_is_no_secret_is_left(call: str) -> None:
    assert laid_out(call) == []


def test_each_row_of_an_insert_is_judged_by_its_columns() -> None:
    text = (
        "INSERT IGNORE INTO `users` (id, name, password, note) VALUES"
        f" (1, 'bob', '{PASSWORD}', 'a1 b2'), (now(), 'amy', '{PLAIN}', 'x7!yy'); '{RANDOM}'"
    )

    assert laid_out(text) == [(PASSWORD, "password"), (PLAIN, "password")]


@pytest.mark.parametrize(
    ("header", "value"),
    [
        ("Cookie: sid=a1b2c3d4", "a1b2c3d4"),
        ("Cookie: sess=a1b2c3d4", "a1b2c3d4"),
        ("Cookie: user=a1b2c3d4", "a1b2c3d4"),
        ("Cookie: key=a1b2c3d4", "a1b2c3d4"),
        ("Cookie: app_id=a1b2c3d4", "a1b2c3d4"),
        ("Set-Cookie: auth=a1b2c3d4; Path=/", "a1b2c3d4"),
        ("Cookie: lang=zh; csrf=a1b2c3d4", "a1b2c3d4"),
        ("Cookie: xsrf=a1b2c3d4", "a1b2c3d4"),
        ("Cookie: remember=a1b2c3d4", "a1b2c3d4"),
        ("Cookie: login=a1b2c3d4", "a1b2c3d4"),
        ("Cookie: uid=a1b2c3d4", "a1b2c3d4"),
        ("Cookie: ticket=a1b2c3d4", "a1b2c3d4"),
        ("Cookie: sso=a1b2c3d4", "a1b2c3d4"),
        ("Cookie: x=" + "Zq81xKp03RtYw77N", "Zq81xKp03RtYw77N"),
        ("curl -b 'token=a1b2c3d4' https://x", "a1b2c3d4"),
        ("curl --cookie 'jwt=a1b2c3d4' https://x", "a1b2c3d4"),
    ],
)
def test_a_cookie_that_lets_somebody_in_is_hidden(header: str, value: str) -> None:
    assert laid_out(header) == [(value, "cookie")]


@pytest.mark.parametrize(
    "header", ["Cookie: sid=a1b2c3d", "Cookie: sid=abcdefgh", "Cookie: theme=dark2024"]
)
def test_a_cookie_that_lets_nobody_in_is_left(header: str) -> None:
    assert laid_out(header) == []


@pytest.mark.parametrize("head", ["ghp_", "sk-", "hf_", "npm_", "xoxb-", "SG.", "eyJ"])
def test_a_token_that_a_line_cuts_is_hidden_in_both(head: str) -> None:
    first, rest = f"{head}a1B2c3D4e5F6g7H8i9J0", "k1L2m3N4o5P6q7R8.s9T0u1V2w3X4y5Z6"
    rest = rest if head in ("SG.", "eyJ") else rest.replace(".", "")

    assert laid_out(f"it is {first}\n  > {rest} now") == [(first, "token"), (rest, "token")]


def test_of_a_line_that_is_cut_only_the_token_is_hidden() -> None:
    first, rest = "ghp_a1B2c3D4e5F6g7H8", "i9J0k1L2m3N4o5P6q7R8"

    assert laid_out(f"GITHUB_TOKEN={first}\n{rest} ok") == [(first, "token"), (rest, "token")]
    assert laid_out(f"see x/y.{first}\n{rest} ok") == [(first, "token"), (rest, "token")]
    assert laid_out(f"see x{first}\n{rest} ok") == []


def test_the_first_argument_of_a_call_is_a_secret_if_it_is_random() -> None:
    assert laid_out(f"Client('{RANDOM[:16]}')") == [(RANDOM[:16], "password")]


@pytest.mark.parametrize("value", ["x7Kq92LmPz", "k3J&x9Qz/a", "tiger908"])
def test_the_second_argument_of_a_call_is_its_password(value: str) -> None:
    assert laid_out(f'login("bob", "{value}")') == [(value, "password")]


def test_a_key_is_found_behind_eight_brackets() -> None:
    call = f"createHmac({'f(' * 7}x{')' * 7}, '{PASSWORD}')"

    assert laid_out(call) == [(PASSWORD, "secret")]


@pytest.mark.parametrize("rule", ["---|", "--- |"])
def test_a_table_may_have_one_column(rule: str) -> None:
    assert laid_out(f"token|\n{rule}\n{RANDOM}|\n") == [(RANDOM, "secret")]


def test_each_table_of_a_text_is_read() -> None:
    table = "| user | token |\n|---|---|\n| bob | {} |\n\n"

    assert laid_out(table.format("none") + table.format(RANDOM)) == [(RANDOM, "secret")]
