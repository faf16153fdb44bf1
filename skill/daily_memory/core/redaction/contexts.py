"""Secrets that the surrounding text reveals: URLs, headers, commands, settings, sentences.

`tokens.py` knows secrets by their own shape.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from daily_memory.core.lazy_pattern import lazy_pattern
from daily_memory.core.redaction import words
from daily_memory.core.redaction.rules import Rules
from daily_memory.core.redaction.view import Redaction, View
from daily_memory.core.triggers import Search
from daily_memory.named_tuples import NamedTuple

_VARIABLE = lazy_pattern(r"\$(?:[A-Za-z_][A-Za-z0-9_]*|[{(].*)")
_TOKEN_NAMES = frozenset("token jwt key secret bearer access auth your my some test".split())


def _is_given(value: str) -> bool:
    return not words.is_placeholder(value) and not _VARIABLE.fullmatch(value)


def _is_argument(value: str) -> bool:
    return len(value) >= 4 and not value.startswith("-") and _is_given(value)


def _is_attached(value: str) -> bool:
    """Tell whether `-pVALUE` of mysql is a password, and not `-port`."""
    return _is_argument(value) and not words.is_wordy(value)


def _is_literal(value: str) -> bool:
    is_word = value.isalpha() and not words.is_weak_password(value)
    return " " not in value and not is_word and not words.is_placeholder(value)


def _is_user_token(value: str) -> bool:
    return words.is_random(value) or bool(re.fullmatch(r"[0-9a-f]{32,}", value))


def _has_digit(value: str) -> bool:
    return any(map(str.isdigit, value))


def _is_bearer(value: str) -> bool:
    return words.is_secret(value, words.TOKEN, quoted=True)


def _is_basic(value: str) -> bool:
    """Tell whether a value is a name and a password in base64."""
    user, colon, password = decoded(value).partition(":")
    return bool(user and colon) and not words.is_placeholder(password)


def _is_credential(value: str) -> bool:
    parts = re.split("[^A-Za-z]+", value.lower())
    return _is_given(value) and not value.isalpha() and _TOKEN_NAMES.isdisjoint(parts)


def _is_stored(value: str) -> bool:
    """Tell whether a stored secret is in the command, and not in a file or variable."""
    return _is_argument(value) and not words.is_code(value) and value[0] not in "@<-"


def _is_generated(value: str) -> bool:
    if value.startswith(("/", "~", "./")) or "://" in value or "@" in value[1:-1]:
        return False
    return words.is_spoken_password(value) and not words.is_slug(value)


def _is_foreign(value: str) -> bool:
    # "contraseña incorrecta: intento3" holds none.
    is_word = value.isalnum() and words.is_wordy(value)
    return words.is_spoken_password(value) and not is_word


def decoded(value: str) -> str:
    """Return the text that is encoded in base64, "" if there is none.

    >>> decoded("aGVsbG8=")
    'hello'
    """
    # Loaded here, as most texts have no base64.
    import binascii

    data = value.replace("-", "+").replace("_", "/").rstrip("=")
    try:
        text = binascii.a2b_base64(data + "=" * (-len(data) % 4)).decode("utf-8")
    except (binascii.Error, ValueError):
        return ""
    return text if text.replace("\n", "").replace("\r", "").isprintable() else ""


class Context(NamedTuple):
    """A place of secrets: the group `v` of the pattern, if the judge takes its value for one.

    Two blanks separate the triggers. The group `about`, if there is one, must not say that the
    value is something else, such as a hash.
    """

    kind: str
    judge: Callable[[str], bool]
    triggers: str
    pattern: str


# What many patterns have in common.
_PARTS = (
    ("<arg>", r"""["']?(?P<v>[^\s"'`-][^\s"'`]{2,128})"""),
    ("<word>", r"""["'`]?(?P<v>[^\s"'`，。；、]{4,128})"""),
    ("<user>", r"""["'`]?[\w.@-]{1,64}["'`]?"""),
    ("<options>", r"[^\n|;&]{0,150}?"),
)  # fmt: skip
_is_spoken = words.is_spoken_password

CONTEXTS = (
    # --- URLs and connection strings
    Context("password", _is_given, "://", r"""
        ://[^\s/?\#@:"'`<>]{0,128}:(?P<v>[^\s"'`<>/]{1,256})@(?=[\w\[{$%*-])"""),
    # a slash in the password that is not escaped
    Context("password", _is_given, "://", r"""
        ://[\w.+-]{1,64}:(?![0-9]{1,5}/)(?P<v>[^\s"'`<>@:]{1,128}/[^\s"'`<>@]{0,128})
        @(?=[\w.-]{1,99}[:/])"""),
    Context("token", _is_user_token, "://", r"""://(?P<v>[^\s/?\#@:"'`<>]{16,256})@(?=[\w\[-])"""),
    # links to share a proxy
    Context("token", _is_given,
        "trojan://  hysteria://  hysteria2://  hy2://  tuic://  ss://  ssr://",
        r"""(?<![a-z])(?:trojan|vless|vmess|hysteria2?|hy2|tuic|ssr?)://
        (?P<v>[^\s@/?\#"'`<>]{4,512}(?=@)|[A-Za-z0-9+/=_-]{20,4000}(?![@:]))"""),
    Context("token", _is_given, "appid=  key=  ak=  sk=  sign=",
        r"[?&](?:app_?(?:id|key)|key|[as]k|sign)=(?P<v>[0-9a-f]{32})(?![0-9a-z])"),
    Context("cookie", _is_user_token, "sessid=  sessionid=  connect.sid=  _session=  session_id=",
        r"""(?<!\w)(?:\w{0,12}sess(?:ion)?_?id|connect\.sid|\w{1,20}_session)=
        (?P<v>[\w%.+/-]{16,400})"""),
    # Go's MySQL driver; a proxy without a scheme
    Context("password", _is_given, "@", r"""
        (?<![\w./@-])[\w.-]{1,64}:(?P<v>[^\s:@/"'`<>][^\s:@"'`<>]{3,63})
        @(?:(?:tcp|unix)\(|[\w-]{1,63}(?:\.[\w-]{1,63}){1,6}:[0-9]{2,5})"""),
    Context("password", _is_given, "jdbc:oracle  sqlplus  impdp  expdp", r"""
        (?:jdbc:oracle:\w+:|\b(?:sqlplus|impdp|expdp)\s+(?:-\w+\s+){0,4})[^/\s@]{1,64}
        /(?P<v>[^\s@"'/]{3,128})@"""),
    # .pgpass
    Context("password", _is_argument, ":543  :*:  :643", r"""
        (?<![^\s：，:`])[\w.*-]{1,100}:[0-9*]{1,5}:[\w.*-]{1,64}:[\w.*-]{1,64}:
        (?P<v>[^\s:，。`]{4,128})(?![^\s，。`])"""),
    # --- headers
    Context("token", _is_bearer, "bearer  authorization", r"""
        (?:\bbearer\s{1,4}\\?["']?|authorization\\?["']?\s{0,4}[:=,]\s{0,4}\\?["']?
        (?:(?!basic)[a-z-]{2,12}\s{1,4})?)(?P<v>[A-Za-z0-9._~+/=:\-]{8,8000})"""),
    Context("token", _is_credential, "authorization", r"""
        authorization\\?["']?\s{0,4}[:=,]\s{0,4}\\?["']?(?:bearer|token|apikey)\s{1,4}
        (?P<v>[A-Za-z0-9._~+/=\-]{6,8000})"""),
    # a name and a password in base64
    Context("basic_auth", _is_basic, "basic  echo", r"""
        \b(?:basic\s{1,4}|echo\s+(?:-n\s+)?["']?)(?P<v>[A-Za-z0-9+/_\-]{6,2000}={0,2})"""),
    # --- commands
    Context("password", _is_given, "curl  wget  http", r"""
        (?<=\s)(?:-u|--user|-a|--auth|--proxy-user|-U)[ =]?["']?
        [^\s:"'/]{1,128}:(?P<v>[^\s"'`/]{1,256})"""),
    # a key as the user, without a password
    Context("token", words.is_random, "curl",
        r"""(?<=\s)-u\s?["']?(?P<v>[\w.-]{16,200}):["']?(?=\s|$)"""),
    Context("password", _is_attached, "mysql  mariadb  7z  zip  rar", r"""
        \b(?:mysql\w*|mariadb\w*|7za?|unzip|zip|rar|unrar|unar)\b<options>\s-h?p<arg>"""),
    Context("password", _is_argument,
        "login  mongo  psftp  pscp  plink  snowsql  twine  influx  cqlsh  arangosh  useradd"
        "  usermod  rdesktop  mosquitto  winrm  clickhouse  cypher-shell  beeline  ncftp  sshpass"
        "  sqlcmd  isql  zip  redis-cli  ldap  ssh-keygen  xfreerdp  mstsc  cmdkey"
        "  lftp  smbclient  rpcclient  smbmap", r"""
        \b(?:(?:login|mongo\w{0,8}|psftp|pscp|plink|snowsql|twine|influx|cqlsh|arangosh|useradd
            |usermod|rdesktop|mosquitto_\w+|evil-winrm|clickhouse-client|cypher-shell|beeline
            |ncftp\w*|sshpass|sqlcmd|isql|tsql|zip)\b<options>\s(?:-p|-pw|(?-i:-P))
          |redis-cli\b<options>\s-a|ldap[a-z]{3,9}\b<options>\s-w
          |ssh-keygen\b<options>\s(?-i:-[NP])|(?:xfreerdp|mstsc|cmdkey)\b<options>\s/p(?:ass(?:word)?)?:
          |(?:smbclient|rpcclient|smbmap|lftp)\b<options>\s-u[ =]?["']?[^\s%,"']{1,64}[%,])
        [ =]?<arg>"""),
    # a command, a user, the password
    Context("password", _is_argument,
        "net user  net use  add_user  change_password  wpa_passphrase  ftp>  htpasswd", r"""
        (?:\bnet\ user\s+[\w.-]{1,64}|\bnet\ use\b[^\n]{0,150}?/user:\S+|\bwpa_passphrase\s+\S{1,64}
          |\b(?:add_user|change_password)\s+[\w.-]{1,64}|ftp>\s?user\s+\S{1,64}
          |\bhtpasswd\s+-\w*b\w*(?:\s+\S{1,200}){1,2})\s+(?!/)<arg>"""),
    Context("token", words.is_random, "vault login  sonar.login",
        r"(?:\bvault\s+login\s+|sonar\.login=)(?P<v>[\w.-]{20,200})"),
    Context("password", _is_given, "securestring  pscredential  networkcredential", r"""
        (?:ConvertTo-SecureString\s+(?:-\w+\s+){0,3}
        |(?:PS|Network)Credential\s?\(\s?["'][^"'\n]{1,64}["']\s?,\s?)
        ["'](?P<v>[^"'\n]{3,128})["']"""),
    # SQL; what a test types into a form
    Context("password", _is_literal, "password  passwd  pwd", r"""
        (?:\bmkpasswd\s[^\n"']{0,60}|\bpassword(?:\s+encrypted)?(?:\s+|\(\s*)
        |(?:password|passwd|pwd)[^\n]{0,40}?\.(?:send_?keys|fill|type|set_?value|enter_text|input
        |sendText)\(\s?)["'](?P<v>[^"'\n]{4,128})["']"""),
    # switches and routers
    Context("password", _is_attached,
        "secret 0  secret 5  secret 7  secret 8  secret 9  password 0  password 7  community"
        "  pre-shared-key  key-string  authentication-key", r"""
        \b(?:(?:secret|password)\ [05-9]|snmp(?:-server)?\ community|key-string
        |authentication-key\ \d{1,9}\ md5|pre-shared-key(?:\ (?:local|remote))?)\s+<arg>"""),
    Context("password", _is_spoken, "net use", r"""
        \bnet\ use\b[^\n]{0,150}?\s(?P<v>[^\s"'`/\\:][^\s"'`/\\]{3,127})\s+/user:"""),
    Context("password", _is_spoken, "openssl  auth ", r"""
        (?:\bopenssl\s+(?:enc\b<options>\s-k|passwd(?:\s+-\S{1,20}){0,4})
        |(?<![\w.-])(?-i:AUTH)(?:\s+default)?)\s+<arg>"""),
    # expect
    Context("password", _is_spoken, "send ",
        r"""\bsend\s+(?:--\s+)?["'](?P<v>[^"'\\\n]{4,128})\\[rn]["']"""),
    # the password of an application, as Google hands it out
    Context("password", _is_given, "pass  密码  授权码", r"""
        (?:pass(?:word|wd)?|密码|授权码)["'`]?\s{0,2}(?:is|[=:：是])\s{0,2}["'“]?
        (?P<v>[a-z]{4}(?:\ [a-z]{4}){3})(?![a-z]|\ [a-z])"""),
    Context("password", _is_given, "machine",
        r"\bmachine\s+\S{1,200}\s+login\s+\S{1,200}\s+password\s+(?P<v>\S{3,200})"),
    Context("password", _is_spoken, "pass ", r"^\s{0,8}(?:\d{3}\s)?PASS\s+(?P<v>\S{4,128})\s*$"),
    Context("password", _is_given, "identified", r"""
        \bidentified\s+(?:with\s+\S{1,40}\s+)?(?:by|as)\s+(?:password\s+)?
        ["'](?P<v>[^"'\n]{3,128})["']"""),
    # --- commands that read a secret from a text, or store one
    Context("password", _is_stored, "<<<", r"""
        (?:sudo\s+-\w*S|-stdin|--with-token|--passphrase-fd\s0|passwd|env\s+add
        |secrets?[ :](?:set|put|create))[^\n<]{0,120}<<<\s?<arg>"""),
    Context("password", _is_stored, "echo  printf", r"""
        (?:echo|printf)\s+(?:-\w+\s+|["']%s(?:\\n)?["']\s+)?["']?(?P<v>[^\s"'|]{3,400})["']?\s*\|
        [^\n|]{0,60}?(?:sudo\s+-\w*S|chpasswd|-stdin|--with-token|env\s+add
        |secrets?\s(?:set|put|create))"""),
    # gh secret set NAME -b"…", aws ssm put-parameter --value … --type SecureString
    Context("secret", _is_stored, "secret  securestring  keyvault", r"""
        (?:secret|securestring|keyvault)[^\n|;]{0,200}?
        [ \t](?:-b|--body|--value|--(?:secret|string)-(?:string|value)|--plaintext)[ =]?<arg>"""),
    Context("secret", _is_stored, "--value",
        r"""\s--value[ =]?<arg>(?=[^\n|;]{0,200}securestring)"""),
    # fly secrets set A=…, vault kv put secret/db value=…, --from-literal=dsn=…
    Context("secret", _is_stored, "secret  config:set  kv put", r"""
        (?:(?:secrets?[ :](?:set|put|import)|config:set|kv\s+put)\s[^\n|;]{0,200}?\w+=
        |secret\s+generic\s[^\n|;]{0,200}?--from-literal[= ][\w.-]+=)["']?
        (?P<v>[^\s"'`@][^\s"'`]{3,400})"""),
    # --- what servers print at their first start
    # a line that ends with the password it speaks of
    Context("password", _is_generated,
        "password  passwd  passphrase  token  secret  unseal key", r"""
        (?:password|passwd|passphrase|secret|token|unseal\ key)\b
        (?P<about>\ [^\s:=](?:[^\n:=]{0,100}:|[^\n:=]{0,100}=))
        \s{1,4}["'`]?(?P<v>[^\s"'`，。；、]{6,400})["'`]?[.!]?[ \t]*$"""),
    # the password is alone on one of the next two lines
    Context("password", _is_generated, "password  passwd  passphrase  secret  token", r"""
        (?:password|passwd|passphrase|secret|token)\b(?!\])(?P<about>[^\n]{0,120}\n)
        (?:(?:(?<=[:：]\n)|(?<=[:：]\s\n))(?:[ \t]*\n)?
        |(?=[ \t]*(?:new\ |generated\ )?value\s?[:=]))
        [ \t>|]{0,12}(?:(?:new\ |generated\ )?value\s?[:=]\s?)?
        (?P<v>[^\s"'`，。；、]{8,400})[ \t]*$"""),
    # --- the word for password in other languages
    Context("password", _is_foreign,
        f"{words.ABROAD}   è   password ist  password est  password lautet", rf"""
        (?u:{words.ABROAD.replace("  ", "|").replace(" ", "[ ]")}|password)\w{{0,3}}
        (?:\ [^\s:：=.,;]{{1,24}}){{0,4}}?
        (?:\s?(?:[:：=—–]|->|→)|\ (?:est|es|ist|lautet|é|è|is|är|er|on|jest|je|это|ser[aá]|sarà
        |wird|будет))\s{{1,3}}["'«„“]?(?P<v>[^\s"'»“”]{{4,128}})"""),
    # --- private keys
    # the numbers that open an RSA or EC key in DER; Alipay hands out bare ones
    Context("private_key", _is_given, "ibaak  ibadanbg  mhccaqee", r"""
        (?P<v>(?-i:MII[A-Za-z0-9+/]{3}(?:IBAAK|IBADANBg)|MHcCAQEE)[A-Za-z0-9+/=\s\\]{60,8000})"""),
    # 12 to 24 words, as wallets write them
    Context("mnemonic", _is_given,
        "phrase  mnemonic  seed words  wallet words  backup words  recovery words  wallet seed"
        "  助记词  恢复词  种子词", r"""
        (?:mnemonic|(?:seed|recovery|backup|secret|wallet)\ (?:phrase|words|seed)
        |助记词|恢复词|种子词)
        [^\n:：=]{0,20}?(?:[:：=是为下]|\ (?:is|are|was)|(?<=词)(?=\ ))[:：]?\s{0,3}["'“「]?
        (?P<v>(?:[a-z]{3,8}\ ){11,23}[a-z]{3,8})"""),
    # --- short numbers
    Context("code", _is_given, "pin  otp  code  2fa  mfa  combination", r"""
        # `user.pin` is code; no name in code begins with a digit
        (?:(?<![\w/.-])|(?<=[a-z]\.)(?=2fa))(?:pins?(?:\ ?(?:number|no\.?|码))?|t?otp|2fa|mfa
        |(?:safe|lock|locker|vault)\ combination
        |(?:pass|pin|one-time|verification|security|login|sign-?in|sms|2fa|mfa|two-factor|access
        |door|gate|lock|unlock|entry|alarm|confirmation|auth|authenticator|recovery|backup|reset
        |safe)[ _-]?(?:codes?|password|pin))["'`*]{0,3}\s?(?:is|was|are|to|[=:：是为])?\s?
        ["'`*]{0,3}(?P<v>[0-9]{3}[ -][0-9]{3}|[0-9]{4,8})(?![0-9A-Za-z.]|\s?(?:px|ms|%))"""),
    Context("code", _is_given, "cvv  cvc  安全码", r"""
        (?:\bcv[vc]2?|安全码)(?:\ (?:code|is))?["'`*]{0,3}\s?[=:：是为]?\s?["'`]?
        (?P<v>[0-9]{3,4})(?![0-9A-Za-z.])"""),
    Context("code", _is_given, "code", r"""
        (?<![\w.-])(?P<v>[0-9]{4,8})\s(?:is|as)\s(?:your|the|my|our|a)\s(?:\w{1,20}\s){0,3}
        (?:code|otp|pin|passcode)\b"""),
    Context("code", _has_digit,
        "recovery code  backup code  scratch code  recovery_code  backup_code  恢复码  备用码", r"""
        (?:(?:recovery|backup|scratch)[ _]codes?|恢复码|备用(?:验证)?码)["'`*]{0,3}\s?
        (?:is|are|[=:：是为])?\s{0,3}["'`]?
        (?P<v>[a-z0-9]{4,10}(?:-[a-z0-9]{4,10}){0,3}
        (?:[ ,，、\n]{1,3}(?=[a-z-]{0,10}[0-9])[a-z0-9]{4,10}(?:-[a-z0-9]{4,10}){0,3}){0,15})"""),
    Context("license_key", _is_given,
        "licen  product  activation  serial  registration  序列号  激活码  注册码  产品密钥", r"""
        (?:(?:licen[cs]e|product|activation|serial|registration)[ _](?:key|code|number)|serial
        |序列号|激活码|注册码|产品密钥)["'`*]{0,3}\s?(?:is|[=:：是为])?\s?["'`]?
        (?P<v>(?=[A-Z-]{0,40}[0-9])[A-Z0-9]{4,8}(?:-[A-Z0-9]{4,8}){2,7})(?![\w-])"""),
    # --- sentences
    # log in as bob / …, 账号密码：bob/…
    Context("password", _is_spoken,
        "密码  账密  cred  login  log in  logged in  sign in  signed in  signin  ssh  connect"
        "  authenticate", r"""
        (?:(?:账号|帐号|账户|用户名)密码|账密|\bcred(?:ential)?s?(?:\ [^\n:：]{1,40}(?=:))?
          |\blogins?(?=:)|\b(?:log(?:ged)?[ -]?in|sign(?:ed)?[ -]?in|ssh|connect(?:ed)?
          |authenticated?)\s(?:to\s\S{1,60}\s)?(?:with|as|using))(?![a-z])
        \s?(?:是|为|[:：=]|are|is)?\s?["'`(（]?<user>(?:\s?[/:|,，、]\s?|\ and\ )<word>"""),
    # 登录用 bob …, user and password are …
    Context("password", _is_spoken, "登录用  登陆用  user  login  账号  账户  帐号  用户", r"""
        (?:登[录陆]用|(?:user(?:name)?|login|账号|账户|帐号|用户名?)\s?(?:[/和、|&+]|and)\s?
          (?:password|pass|pwd|密码|口令)(?![a-z]))
        \s?(?:is|are|[是为:：=]|——|-)?\s{0,3}["'`]?<user>(?:\s?[/,，:：|、]\s?|\s)<word>"""),
    # 用 bob / … 登录
    Context("password", _is_spoken, "登录  登陆  登进  连上  连接  访问", r"""
        [用以拿]\s?(?:账号|帐号|账户|用户)?\s?<user>\s?(?:[/,，、:：和]|加)\s?(?:密码|口令)?\s?<word>
        ["'`]?\s?[去来]?(?:登[录陆进]|连[上接]|访问)"""),
    # root/…, admin: …; `test` with what may follow it, since most commands have the word
    Context("password", words.is_human_password,
        "root  admin  guest  测试号  测试账号  号test  ：test  test/  test:  test /  test :"
        "   test ", r"""
        (?<![\w./:@-])
        (?:root|admin|administrator|guest|test|(?:测试号|测试账号)[:：]?\s?[\w.@-]{1,64})
        (?:\s?[/:]\s?|(?<=[号：:\ ]test)\s)
        (?P<v>[^\s"'`，。；、/\\]{5,64})(?![^\s，。；、"'`])"""),
    # user bob, password …
    Context("password", _is_spoken, "user  login  account  用户  账号  帐号", r"""
        (?:\b(?:user(?:name)?|login|account)|用户名?|账号|帐号)\s{0,2}[:=：是为]?\s{0,2}
        <user>\s{0,2}[,;，、/]?\s{0,2}(?:and\s)?(?:the\s)?
        (?:pass(?:word|code)?|pwd|pw|密码|口令)(?![a-z])\s{0,2}[:=：是为]?\s{0,2}(?:is\s)?<word>"""),
    # “…” is the password, 用 “…” 作为密码
    Context("password", _is_spoken, "password  passphrase  密码  口令", r"""
        (?<![^\s，。：:,"'`“「])(?P<v>[^\s"'`“”「」，。：:,]{5,64})["'`”」]?\s?
        (?:(?:(?:is|as|was)\s(?:the|my|our|his|her|their|its|a|[\w-]{1,30}['’]s)|as)
        \s(?:\w{1,20}\s){0,3}?pass(?:word|phrase)|(?:是|作为|当)[^\n，。]{0,10}(?:密码|口令))"""),
    # openai 的 key 用这个 …, 密码改了，新的是 …; the old password was …, the new one is …
    Context("password", _is_spoken,
        "新的  用这个  改成  改为  换成  换为  设成  设为  设置为  重置为  更新为  这个是  是这个"
        "  给你  发你  如下  就是  还是  new one", r"""
        (?:密码|口令|密钥|秘钥|token|key|令牌|pass(?:word|phrase|code))[^\n]{0,60}?
        (?:新的|用这个|[改换设][成为]|(?:设置|重置|更新)为|这个是|是这个|给你|发你|如下|[就还]是
        |\bnew\ one\ (?:is|will\ be|=))[了是]?\s{0,3}[:：]?\s{0,3}[“"'`「]?(?P<v>[!-~]{5,400})"""),
)  # fmt: skip

RULES = Rules(
    [(context.triggers.split("  "), context.pattern) for context in CONTEXTS],
    re.ASCII | re.IGNORECASE | re.VERBOSE | re.MULTILINE,
    parts=_PARTS,
)
_CLAUSE_END = lazy_pattern("[，。；、！？」』”）】]")


def context_findings(view: View) -> Iterator[Redaction]:
    """Yield the secrets in one of the places of the table."""
    for number, match in RULES.matches(view):
        context = CONTEXTS[number]
        value, start = match["v"], match.start("v")
        if words.is_placeholder(value):
            continue
        if not words.is_of_secret(match.groupdict().get("about") or ""):
            continue
        value = _CLAUSE_END.split(value)[0] or value
        # The last `=` of base64 belongs to it.
        value = value if value.endswith("=") else words.trimmed(value) or value
        if context.judge(value):
            yield Redaction(start, start + len(value), context.kind)


SEARCH = Search(context_findings, RULES.triggers)
