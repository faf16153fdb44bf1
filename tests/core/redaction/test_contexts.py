"""Each place of a secret: a sample that is hidden; and places without one."""

from __future__ import annotations

import pytest

from daily_memory.core.redaction import contexts
from daily_memory.core.redaction.privacy import Policy, redact
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
    ("cy.get('#password').type('tigerbox')", "tigerbox"),
    (f"Password for 'https://bob@acme.dev': {PASSWORD}", PASSWORD),
    ("app password: abcd efgh ijkl mnop", "abcd efgh ijkl mnop"),
    (f"echo {BASIC} | base64 -d", BASIC),
    (f"PRIVATE_KEY=0x{HEX}{HEX}", f"0x{HEX}{HEX}"),
    ("my PIN is " + "4821", "4821"),
    ("PIN 码 " + "4821", "4821"),
    ("your verification code is " + "482913", "482913"),
    ("482913" + " is your login code", "482913"),
    ("2FA: " + "482913", "482913"),
    ("Done.2FA: " + "482913", "482913"),
    ("CVV：" + "482", "482"),
    ("recovery codes: a1b2c-d3e4f", "a1b2c-d3e4f"),
    ("序列号：A1B2-C3D4-E5F6", "A1B2-C3D4-E5F6"),
    (f"用 bob / {PASSWORD} 登录", PASSWORD),
    (f"登录用 bob {PLAIN}", PLAIN),
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
    (
        f"aws ssm put-parameter --name x --type SecureString --value '{PASSWORD}'",
        PASSWORD,
    ),
    (
        f"aws ssm put-parameter --name x --value '{PASSWORD}' --type SecureString",
        PASSWORD,
    ),
    (f"echo secret; az keyvault secret set -n db --value={PASSWORD} | jq", PASSWORD),
    (f"vault kv put secret/db value={PASSWORD}", PASSWORD),
    (f"kubectl create secret generic db --from-literal=dsn={PASSWORD}", PASSWORD),
    (f"printf '%s' '{PASSWORD}' | gh secret set DB", PASSWORD),
    (f"wrangler secret put API <<< '{PASSWORD}'", PASSWORD),
    (f"mkpasswd -m sha-512 '{PASSWORD}'", PASSWORD),
    (f"A temporary password is generated for root@localhost: {STRONG}", STRONG),
    (f"Unseal Key 1: {SECRET}=", f"{SECRET}="),
    (f"Please use the following password to proceed:\n\n{HEX}\n", HEX),
    (
        f"Password for the [elastic] user successfully reset.\nNew value: {STRONG}",
        STRONG,
    ),
    (f"le mot de passe du wifi est {PASSWORD}", PASSWORD),
    (f"Пароль от админки: {PLAIN}", PLAIN),
    (f"HASŁO: {PLAIN}", PLAIN),
    (f"la password del database è {PLAIN}", PLAIN),
]

# Every other word that a place is known by, in a line as people write it.
DER_KEYS = ("MIIBVAIBADANBg" + "b7Zk" * 30, "MHcCAQEE" + "b7Zk" * 30)
NUMBERS = ("4821", "482913", "482", "A1B2-C3D4-E5F6", "a1b2c-d3e4f", f"0x{HEX}{HEX}")
FOURS = "abcd efgh ijkl mnop"
VALUES = {PASSWORD, STRONG, PLAIN, SECRET, HEX, BASIC, MNEMONIC, *DER_KEYS, *NUMBERS, FOURS}
WORDINGS = [
    # URLs and connection strings
    f"vless://{PLAIN}@vps.acme.dev:443",
    f"hysteria://{PLAIN}@vps.acme.dev:443",
    f"hysteria2://{PLAIN}@vps.acme.dev:443",
    f"hy2://{PLAIN}@vps.acme.dev:443",
    f"tuic://{PLAIN}@vps.acme.dev:443",
    f"ss://{PLAIN}@vps.acme.dev:443",
    f"ssr://{PLAIN}@vps.acme.dev:443",
    f"ss://{SECRET}",
    f"ssr://{SECRET}",
    f"https://api.acme.dev/v1?appkey={HEX}",
    f"https://api.acme.dev/v1?app_key={HEX}",
    f"https://maps.acme.dev/v1?key={HEX}",
    f"https://maps.acme.dev/v1?ak={HEX}",
    f"https://maps.acme.dev/v1?q=a&sk={HEX}",
    f"https://maps.acme.dev/v1?q=a&sign={HEX}",
    f"app:{PLAIN}@unix(/run/mysqld.sock)/shop",
    f"impdp scott/{PLAIN}@db full=y",
    f"expdp scott/{PLAIN}@db full=y",
    f"Endpoint=sb://acme;SharedAccessKey={SECRET}",
    f"Endpoint=sb://acme;SharedSecret={SECRET}",
    f"Endpoint=https://acme;AccessKey={SECRET}",
    f"https://s3.acme.dev/x?X-Amz-Signature={SECRET}",
    f"https://s3.acme.dev/x?X-Goog-Signature={SECRET}",
    f"https://s3.acme.dev/x?Signature={SECRET}",
    f"JSESSIONID={SECRET}",
    f"connect.sid={SECRET}",
    f"_acme_session={SECRET}",
    f"session_id={SECRET}",
    f"*:*:shop:app:{PLAIN}",
    f"db:6432:shop:app:{PLAIN}",
    # headers
    f"it has bearer {SECRET} in it",
    f"it has basic {BASIC} in it",
    f"authorization=qiniu {SECRET}",
    f"authorization: {SECRET}",
    f"api.acme.dev/?security-token={SECRET}",
    # commands
    f"wget --auth admin:{PASSWORD} https://x",
    f"http -a admin:{PASSWORD} https://x",
    f"curl --user admin:{PASSWORD} https://x",
    f"curl --proxy-user admin:{PASSWORD} https://x",
    f"mariadb -u root -p{STRONG} shop",
    f"mongosh -u root -p {STRONG} shop",
    f"psftp bob@h -pw {STRONG}",
    f"pscp -pw {STRONG} a.txt bob@h:",
    f"plink -ssh bob@h -pw {STRONG}",
    f"snowsql -a acme -P {STRONG}",
    f"twine upload -u bob -p {STRONG} dist/x",
    f"influx -username bob -p {STRONG}",
    f"cqlsh -u bob -p {STRONG} h",
    f"arangosh -p {STRONG}",
    f"useradd -m -p {STRONG} bob",
    f"usermod -p {STRONG} bob",
    f"rdesktop -u bob -p {STRONG} h",
    f"mosquitto_pub -u bob -P {STRONG} -t x",
    f"evil-winrm -i h -u bob -p {STRONG}",
    f"clickhouse-client -u bob -P {STRONG}",
    f"cypher-shell -u neo4j -p {STRONG}",
    f"beeline -n bob -p {STRONG}",
    f"ncftpput -u bob -p {STRONG} h / a",
    f"ldapmodify -x -D cn=admin -w {PASSWORD}",
    f"ldapadd -x -D cn=admin -w {PASSWORD}",
    f"ldapwhoami -x -D cn=admin -w {PASSWORD}",
    f"ldapdelete -x -D cn=admin -w {PASSWORD}",
    f"isql -S db -U sa -P {PASSWORD}",
    f"zip -r -P {STRONG} a.zip docs",
    f"unzip -p{STRONG} a.zip",
    f"rar a -hp{STRONG} a.rar docs",
    f"rabbitmqctl change_password bob {PASSWORD}",
    f'New-Object PSCredential("bob", "{PASSWORD}")',
    f'new NetworkCredential("bob", "{PASSWORD}")',
    f"username admin secret 5 {STRONG}",
    f"username admin secret 7 {STRONG}",
    f"username admin secret 8 {STRONG}",
    f"username admin secret 9 {STRONG}",
    f"username admin password 0 {STRONG}",
    f"username admin password 7 {STRONG}",
    f"snmp-server community {STRONG} RO",
    f"pre-shared-key local {STRONG}",
    f"key-string {STRONG}",
    f"ip ospf authentication-key 1 md5 {STRONG}",
    f"mstsc /v:h /u:bob /p:{PASSWORD}",
    f"gh auth login --with-token <<< {SECRET}",
    f"gpg --passphrase-fd 0 <<< '{PASSWORD}'",
    f"openssl passwd -6 {PASSWORD}",
    f"page.fill('#passwd', x).fill('{PASSWORD}')",
    f"driver.find('pwd').send_keys('{PASSWORD}')",
    f"find('pwd').setValue('{PASSWORD}')",
    f"masterauth {PASSWORD}",
    f"AUTH {PASSWORD}",
    f"AUTH default {PASSWORD}",
    f"rpcclient -U bob%{PASSWORD} h",
    f"smbmap -H h -U bob%{PASSWORD}",
    f"cmdkey /add:h /user:bob /password:{PASSWORD}",
    f"echo '{PASSWORD}' | sudo -S apt update",
    f"echo {SECRET} | gh auth login --with-token",
    f"echo {BASIC} | base64 --decode",
    # stored secrets
    f"gh secret set DB -b'{PASSWORD}'",
    f"gh secret set DB -b {PASSWORD}",
    f"gh secret set DB --body {PASSWORD}",
    f"aws secretsmanager create-secret --secret-string {PASSWORD}",
    f"acme secret put --secret-value {PASSWORD}",
    f"acme secret put --string-value {PASSWORD}",
    f"acme secret encrypt --plaintext {PASSWORD}",
    f"fly secrets set DSN={PASSWORD}",
    f"fly secret set DSN={PASSWORD}",
    f"acme secrets put dsn={PASSWORD}",
    f"firebase functions:secrets:set DSN={PASSWORD}",
    f"heroku config:set DSN={PASSWORD}",
    f"echo '{PASSWORD}' | vercel env add DSN",
    f"vercel env add DSN <<< '{PASSWORD}'",
    # what servers print
    f"The generated passwd for root is: {STRONG}",
    f"The passphrase for bob is: {STRONG}",
    f"The secret for bob is: {STRONG}",
    f"The token for bob is: {STRONG}",
    f"Use the passwd below:\n{STRONG}",
    f"Use the passphrase below:\n{STRONG}",
    f"Use the secret below:\n{STRONG}",
    f"Use the token below:\n{STRONG}",
    f"app password is {FOURS}",
    f"应用密码：{FOURS}",
    f"授权码是 {FOURS}",
    # other languages, and the account that many systems have
    f"das Password ist {PLAIN}",
    f"le password est {PLAIN}",
    f"das Password lautet {PLAIN}",
    f"测试号test {PASSWORD}",
    f"账号：test {PASSWORD}",
    f"账号test {PASSWORD}",
    f"test/{PASSWORD}",
    f"test:{PASSWORD}",
    f"log in: test {PASSWORD}",
    f"test / {PASSWORD}",
    f"test : {PASSWORD}",
    # keys
    DER_KEYS[0],
    f"the key of the signer:\n{DER_KEYS[1]}",
    f"wallet seed: {MNEMONIC}",
    f"seed words: {MNEMONIC}",
    f"wallet words: {MNEMONIC}",
    f"backup words: {MNEMONIC}",
    f"recovery words: {MNEMONIC}",
    f"恢复词：{MNEMONIC}",
    f"种子词是 {MNEMONIC}",
    f"private key: 0x{HEX}{HEX}",
    f"privateKey=0x{HEX}{HEX}",
    f"private-key: 0x{HEX}{HEX}",
    f"privkey 0x{HEX}{HEX}",
    f"wallet key: 0x{HEX}{HEX}",
    f"eth key: 0x{HEX}{HEX}",
    f"ethereum key is 0x{HEX}{HEX}",
    f"signer key: 0x{HEX}{HEX}",
    f"deployer key: 0x{HEX}{HEX}",
    f"私钥是 0x{HEX}{HEX}",
    f"私鑰：0x{HEX}{HEX}",
    # short numbers
    "the card PIN is 4821",
    "pin code: 4821",
    "PIN 码：4821",
    "我的 PIN 码是 4821",
    "otp: 482913",
    "the passcode is 482913",
    "door code 4821",
    "482913 is your OTP code",
    "mfa code 482913",
    "safe combination: 4821",
    "CVC: 482",
    "安全码是 482",
    "backup code: a1b2c-d3e4f",
    "scratch code: a1b2c-d3e4f",
    "recovery_code: a1b2c-d3e4f",
    "backup_code: a1b2c-d3e4f",
    "恢复码：a1b2c-d3e4f",
    "备用码：a1b2c-d3e4f",
    "license key: A1B2-C3D4-E5F6",
    "licence key: A1B2-C3D4-E5F6",
    "product key: A1B2-C3D4-E5F6",
    "activation code: A1B2-C3D4-E5F6",
    "serial A1B2-C3D4-E5F6",
    "registration code: A1B2-C3D4-E5F6",
    "激活码：A1B2-C3D4-E5F6",
    "注册码是 A1B2-C3D4-E5F6",
    "产品密钥：A1B2-C3D4-E5F6",
    # sentences
    f"用 bob / {PASSWORD} 登陆",
    f"用 bob / {PASSWORD} 登进后台",
    f"拿 bob / {PASSWORD} 连上数据库",
    f"以 bob / {PASSWORD} 连接",
    f"用 bob / {PASSWORD} 访问",
    f"登陆用 bob {PASSWORD}",
    f"账号密码：bob/{PASSWORD}",
    f"帐号密码：bob/{PASSWORD}",
    f"账户密码是 bob/{PASSWORD}",
    f"用户名密码：bob/{PASSWORD}",
    f"credentials: bob/{PASSWORD}",
    f"creds: bob/{PASSWORD}",
    f"login: bob/{PASSWORD}",
    f"logins: bob/{PASSWORD}",
    f"login as bob / {PASSWORD}",
    f"I logged in as bob / {PASSWORD}",
    f"sign in with bob / {PASSWORD}",
    f"I signed in as bob / {PASSWORD}",
    f"signin with bob / {PASSWORD}",
    f"ssh as bob / {PASSWORD}",
    f"connect to db1 as bob / {PASSWORD}",
    f"authenticate with bob / {PASSWORD}",
    f"admin/{PASSWORD}",
    f"guest/{PASSWORD}",
    f"测试号 bob/{PASSWORD}",
    f"测试账号：bob/{PASSWORD}",
    f"login bob, password {PASSWORD}",
    f"account bob, password {PASSWORD}",
    f"用户 bob，密码 {PASSWORD}",
    f"账号 bob，密码 {PASSWORD}",
    f"帐号 bob，口令 {PASSWORD}",
    f"user/password: root/{PASSWORD}",
    f"user / password: root/{PASSWORD}",
    f"user and password are root/{PASSWORD}",
    f"user&password: root/{PASSWORD}",
    f"username/password: root/{PASSWORD}",
    f"username and password: root/{PASSWORD}",
    f"username / password: root/{PASSWORD}",
    f"login/password: root/{PASSWORD}",
    f"login / password: root/{PASSWORD}",
    f"login and password: root/{PASSWORD}",
    f"账户/密码：root/{PASSWORD}",
    f"帐号和密码：root/{PASSWORD}",
    f"用户名、密码：root/{PASSWORD}",
    f"“{PASSWORD}” as the passphrase",
    f"用“{PASSWORD}”作为口令",
    f"密码改了，新的是 {PASSWORD}",
    f"令牌用这个 {SECRET}",
    f"密码改成 {PASSWORD}",
    f"密码改为 {PASSWORD}",
    f"口令换成 {PASSWORD}",
    f"口令换为 {PASSWORD}",
    f"密码设成 {PASSWORD}",
    f"密码设为 {PASSWORD}",
    f"密码设置为 {PASSWORD}",
    f"密码重置为 {PASSWORD}",
    f"密钥更新为 {SECRET}",
    f"token 这个是 {SECRET}",
    f"key 是这个 {SECRET}",
    f"密码给你 {PASSWORD}",
    f"秘钥发你 {SECRET}",
    f"密码如下 {PASSWORD}",
    f"密码就是 {PASSWORD}",
    f"密码还是 {PASSWORD}",
    # the word for password in other languages
    f"contraseña: {PASSWORD}",
    f"la clave secreta es {PASSWORD}",
    f"das Passwort lautet {PASSWORD}",
    f"das Kennwort ist {PASSWORD}",
    f"a senha é {PASSWORD}",
    f"a palavra-passe é {PASSWORD}",
    f"parola: {PASSWORD}",
    f"het wachtwoord: {PASSWORD}",
    f"hasło to: {PASSWORD}",
    f"zmiana hasła: {PASSWORD}",
    f"lösenord är {PASSWORD}",
    f"adgangskode er {PASSWORD}",
    f"passord er {PASSWORD}",
    f"salasana on {PASSWORD}",
    f"heslo je {PASSWORD}",
    f"şifre: {PASSWORD}",
    f"parolă: {PASSWORD}",
    f"jelszó: {PASSWORD}",
    f"lozinka je {PASSWORD}",
    f"geslo je {PASSWORD}",
    f"slaptažodis: {PASSWORD}",
    f"parool on {PASSWORD}",
    f"пароль это {PASSWORD}",
    f"нового пароля: {PASSWORD}",
    f"гасло: {PASSWORD}",
    f"κωδικός: {PASSWORD}",
    f"mật khẩu: {PASSWORD}",
    f"kata sandi: {PASSWORD}",
    f"la clé d'api est {SECRET}",
    f"la clé secrète est {SECRET}",
    f"la clave de api es {SECRET}",
    f"clave api: {SECRET}",
    f"a chave de api é {SECRET}",
    f"chave api: {SECRET}",
    f"la chiave api è {SECRET}",
    f"der api-schlüssel lautet {SECRET}",
    f"รหัสผ่าน: {PASSWORD}",
    f"पासवर्ड: {PASSWORD}",
    f"كلمة المرور: {PASSWORD}",
    f"كلمة السر: {PASSWORD}",
    f"סיסמה: {PASSWORD}",
    f"סיסמא: {PASSWORD}",
]

# A value as short as its place allows; without its last letter it is left alone.
SHORTEST = [
    ("https://api.acme.dev/x?sig={}", "a1Zq81xKp03RtYw7"),
    ("mysql -p{} shop", "k9#Z"),
    ("sqlplus scott/{}@db", "x7K"),
    ("connect.sid={}", "a1Zq81xKp03RtYw7"),
    ("trojan://{}@vps.acme.dev:443", "x7Kq"),
    ("vmess://{}", "Zq81xKp03RtYw77Nbv5L"),
    ("my PIN is {}", "4821"),
    ("CVV: {}", "482"),
    ("machine h login bob password {}", "x7K"),
    ("CREATE USER bob IDENTIFIED BY '{}'", "x7K"),
    ("wpa_passphrase home {}", "x7Kq"),
    ("redis-cli -a {} ping", "x7Kq"),
]

HARMLESS_PLACES = [
    "cy.get('#password').type('Save')",
    "cy.get('#password').type('changeme')",
    "cy.get('#password').type('Tiger 2931!')",
    "use basic aGVsbG93b3JsZDEy here",  # helloworld12
    "use basic dXNlcjpwYXNzd29yZA== here",  # user:password
    "gh secret set KEY --body @secrets/prod1!x",
    "Initial admin password: ./data/k3x9!",
    "Initial admin password: ~/data/k3x9!",
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


def hidden(text: str) -> str:
    """Return a text with its secrets hidden; personal data stays."""
    return redact(text, Policy(personal=False, private_addresses=False)).text


@pytest.mark.parametrize(("text", "secret"), PLACES)
def test_a_secret_is_hidden_where_its_place_tells(text: str, secret: str) -> None:
    assert secret in text
    assert secret not in hidden(text)


@pytest.mark.parametrize("text", WORDINGS)
def test_each_wording_of_a_place_is_known(text: str) -> None:
    redacted = hidden(text)

    assert any(value in text and value not in redacted for value in VALUES)


@pytest.mark.parametrize(("text", "value"), SHORTEST)
def test_a_value_shorter_than_its_place_asks_for_is_left(text: str, value: str) -> None:
    assert value not in hidden(text.format(value))
    assert value[:-1] in hidden(text.format(value[:-1]))


@pytest.mark.parametrize("text", HARMLESS_PLACES)
def test_a_place_without_a_secret_is_left_alone(text: str) -> None:
    assert list(contexts.context_findings(view_of(text))) == []


@pytest.mark.parametrize("number", range(len(contexts.CONTEXTS)))
def test_each_trigger_of_a_place_has_a_sample(number: int) -> None:
    samples = [text for text, *_ in PLACES] + WORDINGS
    there = [text.lower() for text in samples if contexts.RULES.compiled(number).search(text)]

    triggers = contexts.CONTEXTS[number].triggers.split("  ")

    assert [trigger for trigger in triggers if not any(trigger in text for text in there)] == []


def test_a_place_tells_only_kinds_of_secrets_that_a_reader_knows() -> None:
    kinds = "basic_auth code cookie license_key mnemonic password private_key secret token"

    assert " ".join(sorted({context.kind for context in contexts.CONTEXTS})) == kinds


def test_base64_of_bytes_is_no_text() -> None:
    assert contexts.decoded("/////////////w==") == ""
    assert contexts.decoded("A") == ""


@pytest.mark.parametrize(
    ("encoded", "text"),
    [
        ("aGVsbG8=", "hello"),
        ("aGVsbG8", "hello"),
        ("fn5-", "~~~"),
        ("Pz8_", "???"),
        ("YQpi", "a\nb"),
    ],
)
def test_base64_is_read_in_both_alphabets_with_and_without_its_end(encoded: str, text: str) -> None:
    assert contexts.decoded(encoded) == text


def test_a_mark_says_what_kind_of_secret_was_there() -> None:
    assert (
        redact(f"Authorization: Basic {BASIC}", Policy()).text
        == "Authorization: Basic [REDACTED:basic_auth]"
    )


def in_contexts(text: str) -> list[str]:
    view = view_of(text)
    return [view.text[found.start : found.end] for found in contexts.context_findings(view)]


def test_a_placeholder_or_a_hash_hides_no_secret_that_follows() -> None:
    for first in ("curl -u bob:password https://x", f"password hash for bob: {PLAIN}"):
        assert in_contexts(f"{first}\ncurl -u bob:{PASSWORD} https://x\n") == [PASSWORD]


@pytest.mark.parametrize(
    "value", ["/srv/k3J9x", "~/k3J9x?Qz", "./k3J9x?Qz", "s3://k3J9x?Qz", "k3J9x@acme.dev"]
)
def test_a_line_may_end_with_a_path_or_an_address(value: str) -> None:
    assert in_contexts(f"password for user bob: {value}\n") == []
    assert in_contexts(f"password for user bob: {PLAIN}\n") == [PLAIN]


def test_a_variable_and_a_placeholder_are_given_to_no_command() -> None:
    assert in_contexts("curl -u bob:$PASS https://x; curl -u bob:${PASS:-x} https://x") == []
    assert in_contexts("curl -u bob:<password> https://x") == []


def test_base64_may_lack_its_end() -> None:
    assert contexts.decoded("aGVsbG8") == contexts.decoded("aGVsbG8=") == "hello"
    assert contexts.decoded("Ym9iOnB3Cg==") == "bob:pw\n"
    assert contexts.decoded("Ym9iDQo=") == "bob\r\n"
    assert contexts.decoded("Pj4-Pz8_") == contexts.decoded("Pj4+Pz8/") == ">>>???"
    assert contexts.decoded("AAECAw==") == contexts.decoded("a") == ""
