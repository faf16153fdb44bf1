"""Each place of a secret: a sample that is hidden; and places without one."""

from __future__ import annotations

import pytest

from daily_memory.core.redaction import contexts
from daily_memory.core.redaction.view import view_of

PASSWORD = "Tiger#" + "2931!"
STRONG = "k3J" + "&x9?Qz+7Lm"
PLAIN = "x7Kq" + "92LmPz"
SECRET = "Zq81" + "xKp03RtYw77Nbv5Lc2Q"
HEX = "5f4dcc3b" + "5aa765d61d8327deb882cf99"
BASIC = "cm9vdDpUaWdl" + "ciMyOTMxIQ=="
DER = "MIIEpA" + "IBAAKCAQEA" + "b7Zk" * 30
MNEMONIC = " ".join(["legal", "winner", "thank", "year", "wave", "sausage"] * 2)

PLACES = [
    (f"postgres://app:{PLAIN}@db:5432/x", PLAIN),
    (f"postgres://app:{PLAIN}/9@db:5432/x", f"{PLAIN}/9"),
    (f"git clone https://{HEX}@github.com/acme/app.git", HEX),
    (f"app:{PLAIN}@tcp(db:3306)/shop", PLAIN),
    (f"proxy=bob:{PLAIN}@proxy.acme.dev:3128", PLAIN),
    (f"jdbc:oracle:thin:scott/{PLAIN}@db:1521:x", PLAIN),
    (f"sqlplus scott/{PLAIN}@db", PLAIN),
    (f"AccountName=a;AccountKey={SECRET}==;Suffix=x", SECRET + "=="),
    (f"https://a.blob/x?sv=2022&sig={SECRET}%3D", f"{SECRET}%3D"),
    (f"X-Amz-Security-Token={SECRET}", SECRET),
    (f"db:5432:shop:app:{PLAIN}", PLAIN),
    (f"Authorization: Bearer {SECRET}", SECRET),
    (f"Proxy-Authorization: Basic {BASIC}", BASIC),
    (f"authorization: token {SECRET}", SECRET),
    (f"Authorization: SSWS {SECRET}12345678", f"{SECRET}12345678"),
    (f"curl -u admin:{PASSWORD} https://x", PASSWORD),
    (f"mysql -u root -p{STRONG} shop", STRONG),
    (f"sshpass -p {PASSWORD} ssh root@h", PASSWORD),
    (f"docker login -u bob -p {STRONG} reg", STRONG),
    (f"redis-cli -h x -a {PASSWORD} ping", PASSWORD),
    (f"requirepass {PASSWORD}", PASSWORD),
    (f"htpasswd -cb .htpasswd bob {PASSWORD}", PASSWORD),
    (f"ldapsearch -x -D cn=admin -w {PASSWORD} -b dc=x", PASSWORD),
    (f"sqlcmd -S db -U sa -P {PASSWORD}", PASSWORD),
    (f"7z x a.7z -p{PASSWORD}", PASSWORD),
    (f"smbclient //h/x -U bob%{PASSWORD}", PASSWORD),
    (f"net use z: \\\\h\\x /user:bob {PASSWORD}", PASSWORD),
    (f"cmdkey /add:h /user:bob /pass:{PASSWORD}", PASSWORD),
    (f"openssl enc -aes-256-cbc -pass pass:{PASSWORD}", PASSWORD),
    (f'echo "root:{PASSWORD}" | sudo chpasswd', PASSWORD),
    (f"echo {PASSWORD} | docker login --password-stdin", PASSWORD),
    (f"machine h login bob password {PASSWORD}", PASSWORD),
    (f"220 ready\nPASS {PASSWORD}\n", PASSWORD),
    (f"CREATE USER bob IDENTIFIED BY '{PASSWORD}'", PASSWORD),
    (f"ALTER ROLE bob PASSWORD '{PASSWORD}'", PASSWORD),
    (f"应用私钥：{DER}", DER),
    (f"mnemonic: {MNEMONIC}", MNEMONIC),
    (f"my recovery phrase is {MNEMONIC}", MNEMONIC),
    (f"助记词 {MNEMONIC}", MNEMONIC),
    (f"trojan://{PLAIN}@vps.acme.dev:443", PLAIN),
    (f"vmess://{SECRET}{SECRET}", SECRET + SECRET),
    (f"https://api.acme.dev/weather?q=x&appid={HEX}", HEX),
    (f"net user bob {PASSWORD} /add", PASSWORD),
    (f"net use z: {STRONG} /user:bob", STRONG),
    (f"rabbitmqctl add_user bob {PASSWORD}", PASSWORD),
    (f"ssh-keygen -t ed25519 -N '{PASSWORD}' -f key", PASSWORD),
    (f"vault login {SECRET}", SECRET),
    (f'ConvertTo-SecureString "{PASSWORD}" -AsPlainText -Force', PASSWORD),
    (f"wpa_passphrase home {PASSWORD}", PASSWORD),
    (f"mvn sonar:sonar -Dsonar.login={HEX}", HEX),
    (f"username admin secret 0 {PASSWORD}", PASSWORD),
    (f"curl -u {SECRET}: https://x", SECRET),
    (f"ftp> user bob {PASSWORD}", PASSWORD),
    (f"xfreerdp /u:bob /p:{PASSWORD} /v:h", PASSWORD),
    (f'sudo -S id <<< "{PASSWORD}"', PASSWORD),
    (f"openssl enc -aes-256-cbc -k {PASSWORD} -in x", PASSWORD),
    (f'send "{PASSWORD}\\r"', PASSWORD),
    (f"lftp -u bob,{PASSWORD} ftp.acme.dev", PASSWORD),
    (f"cy.get('#password').type('{PASSWORD}')", PASSWORD),
    (f"Password for 'https://bob@acme.dev': {PASSWORD}", PASSWORD),
    ("app password: abcd efgh ijkl mnop", "abcd efgh ijkl mnop"),
    (f"echo {BASIC} | base64 -d", BASIC),
    (f"PRIVATE_KEY=0x{HEX}{HEX}", f"0x{HEX}{HEX}"),
    ("my PIN is " + "4821", "4821"),
    ("PIN 码 " + "4821", "4821"),
    ("your verification code is " + "482913", "482913"),
    ("482913" + " is your login code", "482913"),
    ("2FA: " + "482913", "482913"),
    ("CVV：" + "482", "482"),
    ("recovery codes: a1b2c-d3e4f", "a1b2c-d3e4f"),
    ("序列号：A1B2-C3D4-E5F6", "A1B2-C3D4-E5F6"),
    (f"用 bob / {PASSWORD} 登录", PASSWORD),
    (f"登录用 bob {PASSWORD}", PASSWORD),
    (f"账密：bob/{PASSWORD}", PASSWORD),
    (f"log in as bob / {PASSWORD}", PASSWORD),
    (f"username bob password {PASSWORD}", PASSWORD),
    (f"the old password was x, the new one is {PASSWORD}", PASSWORD),
    (f"root/{PASSWORD} 可以登录", PASSWORD),
    (f"try {PASSWORD} as password", PASSWORD),
    (f"账号/密码：root/{PASSWORD}", PASSWORD),
    (f"“{PASSWORD}”是管理员密码", PASSWORD),
    (f"{PASSWORD} is the admin password", PASSWORD),
    (f"openai 的 key 用这个 {SECRET}", SECRET),
    (f"sign in, then PHPSESSID={SECRET}", SECRET),
    ("Authorization: Bearer " + "abc.def-ghi", "abc.def-ghi"),
    (f'gh secret set DB -b"{PASSWORD}"', PASSWORD),
    (f"aws ssm put-parameter --name x --type SecureString --value '{PASSWORD}'", PASSWORD),
    (f"aws ssm put-parameter --name x --value '{PASSWORD}' --type SecureString", PASSWORD),
    (f"echo secret; az keyvault secret set -n db --value={PASSWORD} | jq", PASSWORD),
    (f"vault kv put secret/db value={PASSWORD}", PASSWORD),
    (f"kubectl create secret generic db --from-literal=dsn={PASSWORD}", PASSWORD),
    (f"printf '%s' '{PASSWORD}' | gh secret set DB", PASSWORD),
    (f"wrangler secret put API <<< '{PASSWORD}'", PASSWORD),
    (f"mkpasswd -m sha-512 '{PASSWORD}'", PASSWORD),
    (f"A temporary password is generated for root@localhost: {STRONG}", STRONG),
    (f"Unseal Key 1: {SECRET}=", f"{SECRET}="),
    (f"Please use the following password to proceed:\n\n{HEX}\n", HEX),
    (f"Password for the [elastic] user successfully reset.\nNew value: {STRONG}", STRONG),
    (f"le mot de passe du wifi est {PASSWORD}", PASSWORD),
    (f"Пароль от админки: {PLAIN}", PLAIN),
    (f"HASŁO: {PLAIN}", PLAIN),
    (f"la password del database è {PLAIN}", PLAIN),
]

HARMLESS_PLACES = [
    "postgres://localhost:5432/crm",
    "postgres://user:password@localhost/db",
    "postgres://${USER}:${PASSWORD}@db/x",
    "git@github.com:acme/app.git",
    "https://github.com/acme/app",
    "http://localhost:3000/@fs/x",
    "https://medium.com/@user/post",
    "Authorization: Bearer <token>",
    "Authorization: Bearer ${TOKEN}",
    "Bearer authentication is not enabled",
    "basic authentication with LDAP",
    'curl -u "$USER:$PASS" https://x',
    "mysql -u root -p shop < dump.sql",
    "docker run -p 8080:80 nginx",
    "docker exec web mkdir -p build",
    "AUTH required",
    "unzip -p archive.zip",
    "PASS src/token.test.ts (5.2 s)",
    "IDENTIFIED BY '${PASSWORD}'",
    "password = 'required'",
    "账号/密码登录改为扫码登录",
    "username/password login flow",
    "this is the forgotten password page",
    "密钥还是放在环境变量里",
    "curl -u <user>:<password> https://x",
    "CREATE USER app IDENTIFIED BY '<password>'",
    "rediss://cache:6379",
    "GPIO pin 17, error code 500123",
    "pin: true",
    "Erlang OTP 26.2.1",
    "recovery code page",
    "the seed phrase screen",
    "serial: none",
    "登录用短信，用 admin 登录",
    "log in with google and continue",
    "echo aGVsbG8gd29ybGQ= | base64 -d",
    "openssl passwd -6",
    "ssh-keygen -t ed25519 -C deploy",
    "net use",
    "admin/index.html and test/v2",
    "Authorization: Bearer my-token",
    "Authorization: Bearer access-token.",
    'gh secret set KEY --body "$KEY"',
    "gh secret set KEY -b @key.txt",
    "ls secret; curl -b theme2 https://x | grep secret\nsecret",
    "the options of secret:\n  --value default-v2 (of the secret)",
    "gh secret set KEY --body $KEY --value eu-west-1",
    "gh variable set REGION --body eu-west-1",
    "gh variable set REGION -b eu-west-1",
    "kubectl create configmap web --from-literal=mode=blue2",
    "vault kv put secret/app @app.json",
    "A temporary password is sent to user2@example.com",
    "the admin password is here: /var/lib/x2",
    "Initial admin password: /var/lib/x/admin2.txt",
    "Token expires in: 3600s",
    "secret name of the app: app-tls-2024",
    "Enter the token:\n$ ls",
    "the token\nvalue: enabled-v2",
    "le mot de passe doit contenir 12 caractères",
    "contraseña incorrecta: intento3",
    "пароль: минимум 8 символов",
]


@pytest.mark.parametrize(("text", "secret"), PLACES)
def test_a_secret_is_hidden_where_its_place_tells(text: str, secret: str) -> None:
    view = view_of(text)

    found = [view.text[f.start : f.end] for f in contexts.context_findings(view)]

    assert secret in [value.strip() for value in found]


@pytest.mark.parametrize("text", HARMLESS_PLACES)
def test_a_place_without_a_secret_is_left_alone(text: str) -> None:
    assert list(contexts.context_findings(view_of(text))) == []


def test_each_place_of_the_table_has_a_sample() -> None:
    without = [
        context
        for number, context in enumerate(contexts.CONTEXTS)
        if not any(contexts.RULES.compiled(number).search(text) for text, _ in PLACES)
    ]

    assert without == []


def test_base64_of_bytes_is_no_text() -> None:
    assert contexts.decoded("/////////////w==") == ""
    assert contexts.decoded("A") == ""
