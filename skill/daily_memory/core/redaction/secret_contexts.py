"""The places where a secret stands: URLs, headers, commands, configuration, sentences; one table.

`secret_rules` knows a secret by its shape; here only what stands around it tells. The group `v`
of a pattern is the secret, and `judge` has the last word on it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import cache

from daily_memory.core.batch import Row, Words, standing_rows
from daily_memory.core.lazy_pattern import lazy_pattern
from daily_memory.core.redaction import secret_words as words
from daily_memory.core.redaction.finding import Finding, View, around, has_any, joined
from daily_memory.named_tuples import NamedTuple

_VARIABLE = lazy_pattern(r"\$(?:[A-Za-z_][A-Za-z0-9_]*|[{(].*)")


def is_given(value: str) -> bool:
    """Tell whether a value is more than a placeholder or a variable."""
    return not words.is_placeholder(value) and not _VARIABLE.fullmatch(value)


def is_argument(value: str) -> bool:
    """Tell whether a word behind an option is its value."""
    return len(value) >= 4 and not value.startswith("-") and is_given(value)


def is_attached(value: str) -> bool:
    """Tell whether `-pVALUE` of mysql is a password, and not `-port`."""
    return is_argument(value) and not words.is_wordy(value)


def is_literal(value: str) -> bool:
    """Tell whether a text in quotes is a password, and not a sentence."""
    return " " not in value and not words.is_placeholder(value)


def is_userinfo(value: str) -> bool:
    """Tell whether what stands alone before the `@` of a URL is a token, and not a user."""
    return words.is_random(value, 16) or bool(re.fullmatch(r"[0-9a-f]{32,}", value))


def is_number(value: str) -> bool:
    """Tell whether the digits behind the word PIN or OTP may be one."""
    return len(value) > 2


def is_code_list(value: str) -> bool:
    """Tell whether words behind `recovery codes` are such codes."""
    return any(map(str.isdigit, value))


def is_bearer(value: str) -> bool:
    """Tell whether a word behind `Bearer` is a token."""
    return words.is_secret(value, words.TOKEN, quoted=True)


def is_basic(value: str) -> bool:
    """Tell whether a word behind `Basic` is a name and a password in base64."""
    user, colon, password = decoded(value).partition(":")
    return bool(user and colon) and not words.is_placeholder(password)


def is_signature(value: str) -> bool:
    """Tell whether a parameter of a signed URL is a signature."""
    return len(value) >= 16 and not words.is_wordy(value)


def is_credential(value: str) -> bool:
    """Tell whether what a header of one's own bears is a credential, and not the name of one."""
    parts = re.split("[^A-Za-z]+", value.lower())
    return is_given(value) and not value.isalpha() and _NAMES_OF_TOKENS.isdisjoint(parts)


_NAMES_OF_TOKENS = frozenset("token jwt key secret bearer access auth your my some test".split())


def is_set(value: str) -> bool:
    """Tell whether what is stored as a secret is told, and no file or variable that holds it."""
    return is_argument(value) and not words.is_code(value) and value[0] not in "@<-"


def is_generated(value: str) -> bool:
    """Tell whether a word may be a password that a program made, and nothing else."""
    if value.startswith(("/", "~", "./")) or "://" in value or "@" in value[1:-1]:
        return False
    return words.is_spoken_password(value) and not words.is_slug(value)


def decoded(value: str) -> str:
    """Return the text that is written in base64, "" where there is none.

    >>> decoded("aGVsbG8=")
    'hello'
    """
    # Loaded here, since most texts hold nothing in base64 and a hook counts each millisecond.
    import binascii

    data = value.replace("-", "+").replace("_", "/").rstrip("=")
    try:
        text = binascii.a2b_base64(data + "=" * (-len(data) % 4)).decode("utf-8")
    except (binascii.Error, ValueError):
        return ""
    return text if text.replace("\n", "").replace("\r", "").isprintable() else ""


class Context(NamedTuple):
    """A place where a secret stands. Triggers are parted by two blanks, as one may hold a blank.

    What stands in the group `about`, if there is one, has to leave it a secret; where it is
    followed by one certain sign the search is quickest. If `beside` has words, one of them has to
    stand in the same command.
    """

    kind: str
    triggers: str
    pattern: str
    judge: Callable[[str], bool] = is_given
    beside: tuple[str, ...] = ()


CONTEXTS = (
    # --- URLs and connection strings
    Context(
        "password",
        "://",
        r"""://[^\s/?\#@:"'`<>]{0,128}:(?P<v>[^\s"'`<>/]{1,256})@(?=[\w\[{$%*-])""",
    ),
    Context(  # a slash in the password that nobody escaped
        "password",
        "://",
        r"""://[\w.+-]{1,64}:(?![0-9]{1,5}/)(?P<v>[^\s"'`<>@:]{1,128}/[^\s"'`<>@]{0,128})
            @(?=[\w.-]{1,99}[:/])""",
    ),
    Context("token", "://", r"""://(?P<v>[^\s/?\#@:"'`<>]{16,256})@(?=[\w\[-])""", is_userinfo),
    Context(  # what proxies of the other kind are shared as
        "token",
        "trojan://  vless://  hysteria://  hysteria2://  hy2://  tuic://  ss://  ssr://",
        r"""(?<![a-z])(?:trojan|vless|hysteria2?|hy2|tuic|ssr?)://(?P<v>[^\s@/?\#"'`<>]{4,512})@""",
    ),
    Context(
        "token",
        "vmess://  ss://  ssr://",
        r"(?<![a-z])(?:vmess|ssr?)://(?P<v>[A-Za-z0-9+/=_-]{20,4000})(?![@:])",
    ),
    Context(
        "token",
        "appid=  appkey=  key=  ak=  sk=  sign=",
        r"[?&](?:app_?(?:id|key)|key|[as]k|sign)=(?P<v>[0-9a-f]{32})(?![0-9a-z])",
    ),
    Context(  # the DSN of Go's MySQL driver
        "password",
        "@tcp(  @unix(",
        r"""(?<![\w.-])[\w.-]{1,64}:(?P<v>[^\s@"'`]{1,128})@(?:tcp|unix)\(""",
    ),
    Context(  # a proxy without a scheme
        "password",
        "@",
        r"""(?<![\w./@-])[\w.-]{1,64}:(?P<v>[^\s:@/"'`<>]{4,64})
            @[\w-]{1,63}(?:\.[\w-]{1,63}){1,6}:[0-9]{2,5}""",
    ),
    Context(
        "password", "jdbc:oracle", r"""jdbc:oracle:\w+:[^/\s@]{1,64}/(?P<v>[^\s@"']{1,128})@"""
    ),
    Context(
        "password",
        "sqlplus  impdp  expdp",
        r"""\b(?:sqlplus|impdp|expdp)\s+(?:-\w+\s+){0,4}\w+/(?P<v>[^\s@"'/]{3,128})@""",
    ),
    Context(
        "password",
        "accountkey=  sharedaccesskey=  sharedsecret=  accesskey=",
        r"(?:accountkey|sharedaccesskey|sharedsecret|accesskey)=(?P<v>[A-Za-z0-9+/]{20,200}={0,2})",
    ),
    Context(
        "signature",
        "signature=  sig=",
        r"[?&,;\s](?:x-(?:amz|goog|oss)-)?sig(?:nature)?=(?P<v>[\w%+/=.-]{16,2000})",
        is_signature,
    ),
    Context(  # a cookie that names a session, wherever it stands
        "cookie",
        "sessid=  sessionid=  connect.sid=  _session=  session_id=",
        r"""(?<!\w)(?:\w{0,12}sess(?:ion)?_?id|connect\.sid|\w{1,20}_session)=(?P<v>[\w%.+/-]{10,400})""",
        lambda value: words.is_random(value, 10),
    ),
    Context("token", "security-token=", r"security-token=(?P<v>[\w%+/=.-]{16,4000})"),
    Context(  # .pgpass
        "password",
        ":543  :*:  :643",
        r"""(?<![^\s：，:`])[\w.*-]{1,100}:[0-9*]{1,5}:[\w.*-]{1,64}:[\w.*-]{1,64}:
            (?P<v>[^\s:，。`]{4,128})(?![^\s，。`])""",
        is_argument,
    ),
    # --- headers
    Context(
        "token",
        "bearer",
        r"""\bbearer\s{1,4}\\?["']?(?P<v>[A-Za-z0-9._~+/=\-]{8,8000})""",
        is_bearer,
    ),
    Context(
        "basic_auth", "basic", r"\bbasic\s{1,4}(?P<v>[A-Za-z0-9+/_\-]{6,2000}={0,2})", is_basic
    ),
    Context(
        "token",
        "authorization",
        r"""authorization\\?["']?\s{0,4}[:=,]\s{0,4}\\?["']?
            (?:(?:token|apikey|api-key|key|negotiate|ntlm|ssws|jwt|digest|qbox|qiniu)\s{1,4})?
            (?P<v>[A-Za-z0-9._~+/=:\-]{8,8000})""",
        is_bearer,
    ),
    Context(
        "token",
        "authorization",
        r"""authorization\\?["']?\s{0,4}[:=,]\s{0,4}\\?["']?(?:bearer|token|apikey)\s{1,4}
            (?P<v>[A-Za-z0-9._~+/=\-]{6,8000})""",
        is_credential,
    ),
    Context("token", "ssws", r"\bSSWS\s+(?P<v>[\w-]{30,200})"),
    # --- commands
    Context(
        "password",
        "curl  wget  http",
        r"""(?<=\s)(?:-u|--user|-a|--auth|--proxy-user|-U)[ =]?["']?
            [^\s:"'/]{1,128}:(?P<v>[^\s"'`/]{1,256})""",
    ),
    Context(
        "password",
        "mysql  mariadb",
        r"""(?<=\s)-p["']?(?P<v>[^\s"'`=-][^\s"'`]{3,128})""",
        is_attached,
    ),
    Context(
        "password", "sshpass", r"""\bsshpass\s+-p\s?["']?(?P<v>[^\s"'`]{3,128})""", is_argument
    ),
    Context(
        "password",
        "login  mongo  psftp  pscp  plink  snowsql  twine  influx  cqlsh  arangosh  useradd"
        "  usermod  lftp  rdesktop  mosquitto  winrm  clickhouse  cypher-shell  beeline  ncftp",
        r"""\b(?:login|mongo\w{0,8}|psftp|pscp|plink|snowsql|twine|influx|cqlsh|arangosh|useradd
            |usermod|rdesktop|mosquitto_\w+|evil-winrm|clickhouse-client|cypher-shell|beeline
            |ncftp\w*)\b[^\n|;&]{0,150}?
            \s(?:-p|-pw|(?-i:-P))[ =]?["']?(?P<v>[^\s"'`-][^\s"'`]{3,128})""",
        is_argument,
    ),
    Context(
        "password",
        "net user",
        r"""\bnet\ user\s+[\w.-]{1,64}\s+["']?(?P<v>[^\s"'`/*][^\s"'`]{3,128})""",
        is_argument,
    ),
    Context(
        "password",
        "add_user  change_password",
        r"""\b(?:add_user|change_password)\s+[\w.-]{1,64}\s+["']?(?P<v>[^\s"'`-][^\s"'`]{3,128})""",
        words.is_spoken_password,
    ),
    Context(
        "password",
        "ssh-keygen",
        r"""\bssh-keygen\b[^\n|;&]{0,150}?\s(?-i:-[NP])\s{0,2}["']?
            (?P<v>[^\s"'`-][^"'`\n]{3,128})""",
        is_argument,
    ),
    Context("token", "vault login", r"\bvault\s+login\s+(?P<v>[\w.-]{20,200})", words.is_random),
    Context(
        "password",
        "securestring  pscredential  networkcredential",
        r"""(?:ConvertTo-SecureString\s+(?:-\w+\s+){0,3}
              |(?:PS|Network)Credential\s?\(\s?["'][^"'\n]{1,64}["']\s?,\s?)
            ["'](?P<v>[^"'\n]{3,128})["']""",
    ),
    Context(
        "password",
        "wpa_passphrase",
        r"""\bwpa_passphrase\s+\S{1,64}\s+["']?(?P<v>[^\s"'`]{8,63})""",
        is_argument,
    ),
    Context("token", "sonar.login", r"sonar\.login=(?P<v>\w{20,100})"),
    Context(  # switches and routers
        "password",
        "secret 0  secret 5  secret 7  secret 8  secret 9  password 0  password 7  community"
        "  pre-shared-key  key-string  authentication-key",
        r"""\b(?:(?:secret|password)\ [05-9]|snmp(?:-server)?\ community|key-string
            |authentication-key\ \d{1,9}\ md5|pre-shared-key(?:\ (?:local|remote))?)
            \s+["']?(?P<v>[^\s"'`]{4,200})""",
        is_attached,
    ),
    Context(  # a key as the user, without a password
        "token",
        "curl",
        r"""(?<=\s)-u\s?["']?(?P<v>[\w.-]{16,200}):["']?(?=\s|$)""",
        words.is_random,
    ),
    Context("password", "ftp>", r"ftp>\s?user\s+\S{1,64}\s+(?P<v>\S{4,128})", is_argument),
    Context(
        "password", "xfreerdp  mstsc", r"""(?<=\s)/p:["']?(?P<v>[^\s"'`]{4,128})""", is_argument
    ),
    Context(
        "password",
        "net use",
        r"""\bnet\ use\b[^\n]{0,150}?\s(?P<v>[^\s"'`/\\:][^\s"'`/\\]{3,127})\s+/user:""",
        words.is_spoken_password,
    ),
    Context(  # a command that reads the password from a text
        "password",
        "<<<",
        r"""(?:sudo\s+-\w*S|-stdin|--with-token|--passphrase-fd\s0|passwd)[^\n<]{0,80}<<<\s?["']?
            (?P<v>[^\s"'`]{4,200})""",
        is_argument,
    ),
    Context(
        "password",
        "openssl",
        r"""\bopenssl\s+(?:enc\b[^\n|;&]{0,150}?\s-k|passwd(?:\s+-\S{1,20}){0,4})\s+["']?
            (?P<v>[^\s"'`-][^\s"'`]{3,128})""",
        words.is_spoken_password,
    ),
    Context(  # expect
        "password",
        "send ",
        r"""\bsend\s+(?:--\s+)?["'](?P<v>[^"'\\\n]{4,128})\\[rn]["']""",
        words.is_spoken_password,
    ),
    Context(  # lftp -u user,password
        "password",
        "lftp",
        r"""\blftp\b[^\n|;&]{0,150}?\s-u\s{0,2}["']?[\w.@-]{1,64},(?P<v>[^\s"'`]{3,128})""",
        is_argument,
    ),
    Context(  # what a test types into a form
        "password",
        "password  passwd  pwd",
        r"""(?:password|passwd|pwd)[^\n]{0,40}?\.(?:send_?keys|fill|type|setValue|enter_text|input
            |sendText)\(\s?["'](?P<v>[^"'\n]{4,128})["']""",
    ),
    Context(
        "password",
        "password for",
        r"""\bpassword\ for\ ["'][^"'\n]{1,120}["']:\s?(?P<v>[^\s"'`]{5,200})""",
        words.is_spoken_password,
    ),
    Context(  # the password of an application, as Google hands it out
        "password",
        "password  passwd  passis  pass=  pass:  pass：  pass是  pass\"  pass'  pass`  pass\t"
        "  pass\n  pass\r  pass\f  pass\v  密码  授权码  pass ",
        r"""(?:pass(?:word|wd)?|密码|授权码)["'`]?\s{0,2}(?:is|[=:：是])\s{0,2}["'“]?
            (?P<v>[a-z]{4}(?:\ [a-z]{4}){3})(?![a-z]|\ [a-z])""",
    ),
    Context(
        "password",
        "redis-cli",
        r"""\bredis-cli\b[^\n|]{0,150}?\s-a[ =]?["']?(?P<v>[^\s"'`-][^\s"'`]{2,128})""",
        is_argument,
    ),
    Context(
        "password",
        "requirepass  masterauth  auth ",
        r"""(?:\b(?:requirepass|masterauth)|(?<![\w.-])(?-i:AUTH))\s{1,8}
            (?:default\s+)?["']?(?P<v>[^\s"'`]{5,200})""",
        words.is_spoken_password,
    ),
    Context(
        "password",
        "htpasswd",
        r"""\bhtpasswd\s+-\w*b\w*\s+(?:\S{1,200}\s+){1,2}["']?(?P<v>[^\s"'`]{3,128})""",
        is_argument,
    ),
    Context(
        "password",
        "ldapsearch  ldapmodify  ldapadd  ldapwhoami  ldapdelete",
        r"""\bldap[a-z]{3,9}\b[^\n|]{0,150}?\s-w[ =]?["']?(?P<v>[^\s"'`-][^\s"'`]{2,128})""",
        is_argument,
    ),
    Context(
        "password",
        "sqlcmd  isql",
        r"""\b(?:sqlcmd|isql|tsql)\b[^\n|]{0,150}?\s(?-i:-P)[ =]?["']?
            (?P<v>[^\s"'`-][^\s"'`]{2,128})""",
        is_argument,
    ),
    Context(
        "password",
        "7z  zip  rar",
        r"""\b(?:7za?|zip|unzip|rar|unrar|unar)\b[^\n|]{0,100}?\s(?:-hp|-p|(?-i:-P)\s?)["']?
            (?P<v>[^\s"'`-][^\s"'`]{3,128})""",
        is_attached,
    ),
    Context(
        "password",
        "smbclient  rpcclient  smbmap",
        r"""\b(?:smbclient|rpcclient|smbmap)\b[^\n|]{0,150}?-U[ =]?["']?
            [^\s%"']{1,64}%(?P<v>[^\s"'`]{3,128})""",
        is_argument,
    ),
    Context(
        "password",
        "net use",
        r"""\bnet\ use\b[^\n]{0,150}?/user:\S+\s+(?P<v>[^\s"'`/][^\s"'`]{3,128})""",
        is_argument,
    ),
    Context(
        "password",
        "/pass:  /password:",
        r"""(?<=\s)/pass(?:word)?:["']?(?P<v>[^\s"'`]{3,128})""",
        is_argument,
    ),
    Context(  # openssl -passin
        "password",
        "pass:",
        r"""\bpass:(?P<v>[^\s"'`]{4,128})""",
        words.is_spoken_password,
    ),
    Context(
        "password",
        "chpasswd",
        r"""echo\s+(?:-\w+\s+)?["']?[\w.-]{1,64}:(?P<v>[^\s"'|]{3,128})["']?\s*\|
            \s*(?:sudo\s+)?chpasswd""",
        is_argument,
    ),
    Context(
        "password",
        "sudo -  -stdin  --with-token",
        r"""(?:echo|printf)\s+(?:-\w+\s+)?["']?(?P<v>[^\s"'|]{3,200})["']?\s*\|
            [^\n|]{0,60}?(?:sudo\s+-\w*S|-stdin|--with-token)""",
        is_argument,
    ),
    Context(
        "encoded_secret",
        "base64 -d  base64 --decode",
        r"""echo\s+(?:-n\s+)?["']?(?P<v>[A-Za-z0-9+/]{8,2000}={0,2})["']?
            \s*\|\s*base64\s+(?:-d|--decode)""",
        is_basic,
    ),
    Context(
        "password",
        "machine",
        r"\bmachine\s+\S{1,200}\s+login\s+\S{1,200}\s+password\s+(?P<v>\S{3,200})",
    ),
    Context(
        "password",
        "pass ",
        r"^\s{0,8}(?:\d{3}\s)?PASS\s+(?P<v>\S{4,128})\s*$",
        words.is_spoken_password,
    ),
    Context(
        "password",
        "identified",
        r"""\bidentified\s+(?:with\s+\S{1,40}\s+)?(?:by|as)\s+(?:password\s+)?
            ["'](?P<v>[^"'\n]{3,128})["']""",
    ),
    Context(
        "password",
        "password",
        r"""\bpassword(?:\s+encrypted)?(?:\s+|\(\s*)['"](?P<v>[^'"\n]{4,128})['"]""",
        lambda value: is_literal(value) and not value.isalpha(),
    ),
    # --- what is stored as a secret
    Context(  # gh secret set NAME -b"…", aws ssm put-parameter --type SecureString --value …
        "secret",
        "-b\"  -b'  -b   --body  --value  --secret-string  --secret-value  --string-value"
        "  --plaintext",
        r"""\s(?:-b|--body|--value|--secret-string|--secret-value|--string-value|--plaintext)[ =]?
            ["']?(?P<v>[^\s"'`-][^\s"'`]{3,400})""",
        is_set,
        ("secret", "securestring", "keyvault"),
    ),
    Context(  # fly secrets set A=…, vault kv put secret/db value=…, --from-literal=dsn=…
        "secret",
        "secrets set  secret set  secrets put  secrets:set  config:set  kv put  from-literal",
        r"""(?:(?:secrets?[ :](?:set|put|import)|config:set|kv\s+put)\s[^\n|;]{0,200}?\w+=
            |secret\s+generic\s[^\n|;]{0,200}?--from-literal[= ][\w.-]+=)["']?
            (?P<v>[^\s"'`@][^\s"'`]{3,400})""",
        is_set,
    ),
    Context(  # echo … | gh secret set NAME, wrangler secret put NAME <<< …
        "secret",
        "secret  env add",
        r"""(?:echo|printf)\s+(?:-\w+\s+|["']%s(?:\\n)?["']\s+)?["']?(?P<v>[^\s"'|]{4,400})["']?\s*\|
            [^\n|]{0,60}?(?:secrets?\s(?:set|put|create)|env\s+add)""",
        is_set,
    ),
    Context(
        "secret",
        "<<<",
        r"""(?:secrets?[ :](?:set|put|create)|env\s+add)\b[^\n<]{0,120}<<<\s?["']?
            (?P<v>[^\s"'`]{4,400})""",
        is_set,
    ),
    Context(
        "password",
        "mkpasswd",
        r"""\bmkpasswd\s+(?:-\S{1,20}\s+(?:[\w-]{1,20}\s+)?){0,4}["']
            (?P<v>[^\s"'`]{3,128})["']""",
        is_argument,
    ),
    # --- what servers print when they start for the first time
    Context(  # a line that ends with the password it speaks of
        "password",
        "password  passwd  passphrase  credential  token  secret  unseal key  root pass",
        r"""(?:password|passwd|passphrase|secret|token|unseal\ key)\b
            (?P<about>\ [^\s:=](?:[^\n:=]{0,100}:|[^\n:=]{0,100}=))
            \s{1,4}["'`]?(?P<v>[^\s"'`，。；、]{6,400})["'`]?[.!]?[ \t]*$""",
        is_generated,
    ),
    Context(  # the password stands alone on one of the next two lines
        "password",
        "password  passwd  passphrase  secret  token",
        r"""(?:password|passwd|passphrase|secret|token)\b(?!\])(?P<about>[^\n]{0,120}\n)
            (?:(?:(?<=[:：]\n)|(?<=[:：]\s\n))(?:[ \t]*\n)?
              |(?=[ \t]*(?:new\ |generated\ )?value\s?[:=]))
            [ \t>|]{0,12}(?:(?:new\ |generated\ )?value\s?[:=]\s?)?
            (?P<v>[^\s"'`，。；、]{8,400})[ \t]*$""",
        is_generated,
    ),
    # --- the word for password in other languages
    Context(
        "password",
        f"{words.ABROAD}   è   password ist  password est  password lautet",
        rf"""(?:{"|".join(map(words.in_either_case, words.ABROAD.split("  ")))}|password)\w{{0,3}}
            (?:\ [^\s:：=.,;]{{1,24}}){{0,4}}?
            (?:\s?(?:[:：=—–]|->|→)|\ (?:est|es|ist|lautet|é|è|is|är|er|on|jest|je|это|ser[aá]|sarà
                |wird|будет)
            )\s{{1,3}}["'«„“]?(?P<v>[^\s"'»“”]{{4,128}})""",
        # "contraseña incorrecta: intento3" tells none.
        lambda value: (
            words.is_spoken_password(value) and not (value.isalnum() and words.is_wordy(value))
        ),
    ),
    # --- keys of one's own
    Context(  # the numbers that open an RSA or EC key in DER; Alipay hands out bare ones
        "private_key",
        "ibaak  ibadanbg  mhcaqee",
        r"""(?P<v>(?-i:MII[A-Za-z0-9+/]{3}(?:IBAAK|IBADANBg)|MHcCAQEE)
            [A-Za-z0-9+/=\s\\]{60,8000})""",
    ),
    Context(
        "mnemonic",
        "phrase  mnemonic  seed words  wallet words  backup words  recovery words  wallet seed"
        "  助记词  恢复词  种子词",
        r"""(?:mnemonic|(?:seed|recovery|backup|secret|wallet)\ (?:phrase|words)|wallet\ seed
            |助记词|恢复词|种子词)
            [^\n:：=]{0,20}?(?:[:：=是为下]|\ (?:is|are|was)|(?<=词)(?=\ ))[:：]?\s{0,3}["'“「]?
            (?P<v>(?:[a-z]{3,8}\ ){11,23}[a-z]{3,8})""",
    ),
    Context(  # 32 bytes in hex, as wallets write them
        "private_key",
        "private key  private_key  privatekey  private-key  privkey  wallet key  eth key"
        "  ethereum key  signer key  deployer key  私钥  私鑰",
        r"""(?:priv(?:ate)?[_ -]?key|私[钥鑰]|(?:wallet|eth(?:ereum)?|signer|deployer)\ key)
            ["'`*]{0,3}\s{0,3}(?:[(（][^)）\n]{1,20}[)）])?\s{0,3}(?:is|[=:：是为])?\s{0,3}["'`]?
            (?P<v>(?:0x)?[0-9a-f]{64})(?![0-9a-z])""",
    ),
    # --- short numbers
    Context(
        "pin",
        "pin",
        r"""\b(?<![-/.])(?:(?:my|your|his|her|our|their|the|card|sim|bank|door|gate|alarm|phone)\ )?
            pins?(?:\ (?:code|number|no\.?))?["'`*]{0,3}\s?(?:is|was|are|to|[=:：是为])\s?
            ["'`*]{0,3}(?P<v>[0-9]{4,8})(?![0-9A-Za-z.])""",
        is_number,
    ),
    Context(
        "pin",
        "pin",
        r"""\b(?:(?:my|card|sim|bank|door)\ pin|pin\ code|PIN\ ?码)\s?
            (?P<v>[0-9]{4,8})(?![0-9A-Za-z.])""",
        is_number,
    ),
    Context(
        "otp",
        "otp  code  passcode",
        r"""\b(?:otp|totp|one[- ]time\ (?:password|passcode|code|pin)|pass\s?code
            |(?:verification|security|login|sign-?in|sms|2fa|mfa|two-factor|access|door|gate|lock
               |unlock|entry|alarm|confirmation|auth|authenticator|recovery|backup|reset|safe)
             [ _-]codes?)["'`*]{0,3}\s?(?:is|was|are|to|[=:：是为])?\s?["'`*]{0,3}
            (?P<v>[0-9]{4,8}|[0-9]{3}[ -][0-9]{3})(?![0-9A-Za-z.]|\s?(?:px|ms|%))""",
        is_number,
    ),
    Context(
        "otp",
        "code",
        r"""(?<![\w.-])(?P<v>[0-9]{4,8})\s(?:is|as)\s(?:your|the|my|our|a)\s(?:\w{1,20}\s){0,3}
            (?:code|otp|pin|passcode)\b""",
        is_number,
    ),
    Context(
        "otp",
        "2fa  mfa  combination",
        r"""(?:\b(?:2fa|mfa)(?:\s(?:code|token|pin))?|\b(?:safe|lock|locker|vault)\ combination)
            \s?(?:is|[:=：是为])?\s?(?P<v>[0-9]{4,8})(?![0-9A-Za-z.])""",
        is_number,
    ),
    Context(
        "card_code",
        "cvv  cvc  安全码",
        r"""(?:\bcv[vc]2?|安全码)(?:\ (?:code|is))?["'`*]{0,3}\s?[=:：是为]?\s?["'`]?
            (?P<v>[0-9]{3,4})(?![0-9A-Za-z.])""",
        is_number,
    ),
    Context(
        "recovery_code",
        "recovery code  backup code  scratch code  recovery_code  backup_code  恢复码  备用码",
        r"""(?:(?:recovery|backup|scratch)[ _]codes?|恢复码|备用(?:验证)?码)["'`*]{0,3}\s?
            (?:is|are|[=:：是为])?\s{0,3}["'`]?
            (?P<v>[a-z0-9]{4,10}(?:-[a-z0-9]{4,10}){0,3}
              (?:[ ,，、\n]{1,3}(?=[a-z-]{0,10}[0-9])
                [a-z0-9]{4,10}(?:-[a-z0-9]{4,10}){0,3}){0,15})""",
        is_code_list,
    ),
    Context(
        "license_key",
        "license  licence  product  activation  serial  registration  序列号  激活码  注册码"
        "  产品密钥",
        r"""(?:(?:license|licence|product|activation|serial|registration)[ _](?:key|code|number)
            |serial|序列号|激活码|注册码|产品密钥)["'`*]{0,3}\s?(?:is|[=:：是为])?\s?["'`]?
            (?P<v>(?=[A-Z-]{0,40}[0-9])[A-Z0-9]{4,8}(?:-[A-Z0-9]{4,8}){2,7})(?![\w-])""",
    ),
    # --- sentences
    Context(  # 用 bob / … 登录
        "password",
        "登录  登陆  登进  连上  连接  访问",
        r"""(?:用|以|拿)\s?(?:账号|帐号|账户|用户)?\s?["'`]?[\w.@-]{1,64}["'`]?
            \s?(?:[/,，、:：和]|加)\s?(?:密码|口令)?\s?["'`]?(?P<v>[^\s"'`，。；、]{5,128})["'`]?\s?(?:去|来)?
            (?:登录|登陆|登进|连上|连接|访问)""",
        words.is_spoken_password,
    ),
    Context(
        "password",
        "登录用  登陆用",
        r"""登[录陆]用\s?["'`]?[\w.@-]{1,64}["'`]?(?:\s?[/,，、:：]\s?|\s)["'`]?
            (?P<v>[^\s"'`，。；、]{5,128})""",
        words.is_spoken_password,
    ),
    Context(
        "password",
        "账号密码  帐号密码  账密  账户密码  用户名密码  credential  creds  login:  logins:",
        r"""(?:账号密码|帐号密码|账密|账户密码|用户名密码|\bcredentials?(?:\ [^\n:：]{1,40}(?=:))?
            |\bcreds?|\blogins?(?=:))
            \s?(?:是|为|[:：=]|are|is)?\s?["'`(（]?[\w.@-]{1,64}\s?[/:|,，、]\s?["'`]?
            (?P<v>[^\s"'`，。；、)）]{4,128})""",
        words.is_spoken_password,
    ),
    Context(
        "password",
        "log in  login  logged in  sign in  signed in  signin  ssh  connect  authenticate",
        r"""\b(?:log(?:ged)?[ -]?in|sign(?:ed)?[ -]?in|ssh|connect(?:ed)?|authenticated?)\s
            (?:to\s\S{1,60}\s)?(?:with|as|using)\s["'`]?[\w.@-]{1,64}["'`]?
            (?:\s?[/:|,]\s?|\ and\ )["'`]?(?P<v>[^\s"'`，。；、]{5,128})""",
        words.is_spoken_password,
    ),
    Context(  # root/…, admin: …; `test` with what may follow it, since most commands have the word
        "password",
        "root  admin  guest  测试号  测试账号  号test  ：test  :test  test/  test:  test /  test :"
        "  test\t  test\n  test\r  test\f  test\v   test ",
        r"""(?<![\w./:@-])
            (?:root|admin|administrator|guest|test|(?:测试号|测试账号)[:：]?\s?[\w.@-]{1,64})
            (?:\s?[/:]\s?|(?<=[号：:\ ]test)\s)
            (?P<v>[^\s"'`，。；、/\\]{5,64})(?![^\s，。；、"'`])""",
        words.is_human_password,
    ),
    Context(  # user bob, password …
        "password",
        "user  login  account  用户  账号  帐号",
        r"""(?:\b(?:user(?:name)?|login|account)|用户名?|账号|帐号)\s{0,2}[:=：是为]?\s{0,2}
            ["'`]?[\w.@-]{1,64}["'`]?\s{0,2}[,;，、/]?\s{0,2}(?:and\s)?(?:the\s)?
            (?:pass(?:word|code)?|pwd|pw|密码|口令)\s{0,2}[:=：是为]?\s{0,2}(?:is\s)?
            ["'`]?(?P<v>[^\s"'`，。；、]{4,128})""",
        words.is_spoken_password,
    ),
    Context(  # the old password was …, the new one is …
        "password",
        "new one",
        r"""\bpass(?:word|phrase|code)\b[^\n]{0,120}?\bnew\ one\ (?:is|will\ be|=)\s?["'`]?
            (?P<v>[^\s"'`，。；、]{5,128})""",
        words.is_spoken_password,
    ),
    Context(  # 账号/密码：root/…, user and password are …
        "password",
        "user/  user /  user and  user&  username/  username and  username /  login/  login /"
        "  login and  账号  账户  帐号  用户",
        r"""(?:user(?:name)?|login|账号|账户|帐号|用户名?)\s?(?:/|和|、|\||,|，|&|and|\+)\s?
            (?:password|pass|pwd|密码|口令)\s{0,3}(?:is|are|是|为|:|：|=|——|-)?\s{0,3}[:：]?\s{0,3}
            ["'`]?[\w.@-]{1,64}\s?(?:/|,|，|:|\||、|\s)\s?
            (?P<v>[^\s"'`，。；、]{4,128})""",
        words.is_spoken_password,
    ),
    Context(  # “…” is the password, 用 “…” 作为密码
        "password",
        "password  passphrase  密码  口令",
        r"""["'`“「](?P<v>[^\s"'`“”「」]{5,64})["'`”」]\s?
            (?:(?:(?:is|as|was)\ (?:the|my|our|his|her|their|a|its|[\w-]{1,30}['’]s)|as)
                \ (?:\w{1,20}\ ){0,3}?
                pass(?:word|phrase)
              |(?:是|作为|当)[^\n，。]{0,10}(?:密码|口令))""",
        words.is_spoken_password,
    ),
    Context(
        "password",
        "password  passphrase  密码  口令",
        r"""(?<![^\s，。：:,])(?P<v>[^\s"'`“”，。：:,]{5,64})\s
            (?:(?:(?:is|as|was)\ (?:the|my|our|his|her|their|its|[\w-]{1,30}['’]s)|as)
                \ (?:\w{1,20}\ ){0,3}?
                pass(?:word|phrase)
              |(?:是|作为|当)[^\n，。]{0,10}(?:密码|口令))""",
        words.is_spoken_password,
    ),
    Context(  # openai 的 key 用这个 …, 密码改了，新的是 …
        "password",
        "新的  用这个  改成  改为  换成  换为  设成  设为  设置为  重置为  更新为  这个是  是这个"
        "  给你  发你  如下  就是  还是",
        r"""(?:密码|口令|密钥|秘钥|token|key|令牌)[^\n]{0,24}?
            (?:新的|用这个|改成|改为|换成|换为|设成|设为|设置为|重置为|更新为
              |这个是|是这个|给你|发你|如下|就是|还是)
            [了是]?\s{0,3}[:：]?\s{0,3}[“"'`「]?(?P<v>[!-~]{5,400})""",
        words.is_spoken_password,
    ),
)


_CLAUSE_END = lazy_pattern("[，。；、！？」』”）】]")


def context_findings(view: View) -> Iterator[Finding]:
    """Yield the secrets that stand in one of the places of the table."""
    lowered = view.lowered
    # Many rows have triggers in common.
    known: dict[str, list[tuple[int, int]]] = {}
    for number, triggers in view.batch.once(_rows):
        for trigger in triggers:
            if trigger not in known:
                # Most texts have none: to look here saves a call.
                known[trigger] = around(view, trigger) if trigger in lowered else []
        context = CONTEXTS[number]
        for span in joined([span for trigger in triggers for span in known[trigger]]):
            for match in _matches(view, number, span):
                value, start = match["v"], match.start("v")
                if words.is_placeholder(value):
                    continue
                if not words.is_of_secret(match.groupdict().get("about") or ""):
                    continue
                value = _CLAUSE_END.split(value, maxsplit=1)[0] or value
                # The last `=` of base64 belongs to it.
                value = value if value.endswith("=") else words.trimmed(value) or value
                if context.judge(value):
                    yield Finding(start, start + len(value), context.kind)


def _matches(view: View, number: int, span: tuple[int, int]) -> Iterator[re.Match[str]]:
    beside, since = CONTEXTS[number].beside, span[0]
    for match in _compiled(number).finditer(view.text, *span):
        if not beside or _is_beside(view.lowered, beside, match.start(), since):
            since = match.end()
            yield match


# A command and what parts it from the next, and so much of it.
_COMMAND = lazy_pattern(r"(?<![\w-])[a-z][\w.-]{0,20}\s", re.ASCII)
_COMMAND_END = lazy_pattern(r"[\n|;]")
_MOST_COMMAND = 320


def _is_beside(lowered: str, beside: Sequence[str], at: int, since: int) -> bool:
    """Tell whether one of the words stands in the command that has an option at this place."""
    before = lowered[max(since, at - _MOST_COMMAND) : at]
    after = lowered[at : at + _MOST_COMMAND]
    if not has_any(before, beside) and not has_any(after, beside):
        return False
    before = _COMMAND_END.split(before)[-1]
    command = _COMMAND.search(before)
    if not command:
        return False
    return has_any(before[command.start() :] + _COMMAND_END.split(after, 1)[0], beside)


def _rows(words: Words) -> tuple[Row, ...]:
    return standing_rows(_triggers(), words)


@cache
def _triggers() -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(context.triggers.split("  ")) for context in CONTEXTS)


@cache
def _compiled(number: int) -> re.Pattern[str]:
    flags = re.ASCII | re.IGNORECASE | re.VERBOSE | re.MULTILINE
    return re.compile(CONTEXTS[number].pattern, flags)
