"""Judges words: whether a name promises a secret, and whether a value looks like one."""

from __future__ import annotations

import re
from functools import lru_cache

from daily_memory.core.lazy_pattern import lazy_pattern
from daily_memory.core.redaction.view import MARK

# How much a name promises. PASSWORD: any value that a person may have chosen. TOKEN: a value made
# by a machine. HINT: only a value that can hardly be anything else.
NOTHING, HINT, TOKEN, PASSWORD = range(4)
# The shortest value that is taken for a secret.
_LEAST = (0, 16, 8, 4)

_PART = lazy_pattern(
    r"""
      (?:[Pp]ass|PASS)(?:[ _-](?i:word|phrase|code|wd)|Word|Phrase|Code|Wd)(?![a-z])
    | [A-Z]?[a-z]+ | [A-Z]+(?![a-z]) | [0-9]+
    """,
    re.VERBOSE,
)
_WITHIN = str.maketrans("", "", " _-")

_PASSWORD_WORDS = frozenset(
    "passwords passwrd passcode passwort kennwort pwd pwds psw psswd pw rootpwd mypwd dbpass "
    "userpass rootpass adminpass sshpass ftppass mailpass smtppass redispass mysqlpass proxypass "
    "requirepass masterauth storepass keypass psk".split()
)
_TOKEN_WORDS = frozenset(
    "secrets apikeys encodingaeskey accesskeyid accesskeysecret secretid privkey credential "
    "credentials authorization passkey mnemonic xsrf jwt bearer "
    "sessionid sessid phpsessid jsessionid".split()
)
_HINT_WORDS = frozenset(
    "auth key ak sk pass pin otp cookie session sid sig "
    "signature hmac salt seed cvv dsn webhook nonce cred creds pat".split()
)
_SECRET_WORDS = _PASSWORD_WORDS | _TOKEN_WORDS | _HINT_WORDS
# Words that people write without a gap: PGPASSWORD, npmtoken.
_PASSWORD_ENDS = ("password", "passwd", "passphrase", "userpwd", "dbpwd", "bindpw", "rootpw")
_TOKEN_ENDS = ("token", "secret", "apikey", "accesskey", "secretkey", "privatekey")
_ENDS = (*_PASSWORD_ENDS, *_TOKEN_ENDS)
_PASSWORD_WITH = frozenset("mysql redis root db smtp user admin ftp ssh ldap".split())
# `…_key` is a secret after these words; a `cache_key` is not.
_SECRET_KEYS = frozenset(
    "api secret access private auth signing sign encryption encrypt master account shared app "
    "service license client admin root webhook jwt aes hmac ssh deploy server consumer "
    "write read security crypt cipher rest subscription openai anthropic claude gemini deepseek "
    "dashscope qwen moonshot kimi zhipu baidu tencent aliyun azure google aws github gitlab stripe "
    "sendgrid mailgun twilio datadog dd newrelic relic algolia cloudflare cohere mistral groq "
    "rapidapi x heroku fastly airtable codecov openrouter tavily serpapi pinecone weaviate amap "
    "integration personal bot application instrumentation".split()
)
# The word for password in languages that write blanks and signs as English does.
ABROAD = (
    "mot de passe  contraseña  clave secreta  passwort  kennwort  senha  palavra-passe  parola"
    "  wachtwoord  hasło  hasła  lösenord  adgangskode  passord  salasana  heslo  şifre  parolă"
    "  jelszó  lozinka  geslo  slaptažodis  parool  пароль  пароля  гасло  κωδικός  mật khẩu"
    "  kata sandi  clé d'api  clé secrète  clave de api  clave api  chave de api  chave api"
    "  chiave api  api-schlüssel  รหัสผ่าน  पासवर्ड  كلمة المرور  كلمة السر  סיסמה  סיסמא"
)

# Followed by one of these, a name means something else: `password_hash`, `token_type`.
_HARMLESS_TAILS = frozenset(
    "hash hashes hashed digest id ids name names type types length len size field fields file "
    "files path paths url urls uri endpoint policy policies reset strength expires expiry expired "
    "expiration ttl count counts limit limits usage bucket manager client provider store service "
    "helper util utils validator validation valid rule rules regex pattern format hint label "
    "placeholder prompt input box form page link error errors message msg required enabled "
    "disabled visible title text min max age version algorithm alg method mode scope scopes "
    "generator parser reader writer handler factory class model schema table column index "
    "attempts retries history rotation change changed updated at ref refs reference arn source "
    "timeout delay interval seconds minutes hours days ms "
    "callback listener event action status state budget window rate price cost".split()
)
_HARMLESS_HEADS = frozenset(
    "max min num number n count total is has have can should use enable disable show hide forgot "
    "forget public pub primary foreign sort partition cache map dict object idempotency i18n "
    "translation row no without missing invalid wrong bad shortcut hot group per used prompt "
    "completion input output cached remaining".split()
)

# Words in the place of a secret.
_HARMLESS_VALUES = frozenset(
    "password passwd pass secret token key apikey api_key string str text varchar char bytes int "
    "number bool boolean object any none null nil undefined true false yes no on off empty unset "
    "blank required optional missing invalid wrong correct incorrect expired disabled enabled "
    "hidden redacted masked removed omitted encrypted hashed unknown default test example sample "
    "dummy fake foo bar baz foobar placeholder value todo tbd changeme change_me changeit "
    "change-me replaceme replace_me here void never self this type field input user username "
    "admin email login basic bearer digest jwt oauth hmac secretstr securestring var let const "
    "return await async function lambda env environ prompt ask vault keychain keyring "
    "credentials authorization authentication private public internal n/a na nan".split()
)
_TECH = lazy_pattern(
    r"""
    (?:md[45]|sha[0-9]{1,3}|sha-?[0-9]{1,3}|bcrypt|scrypt|argon2(?:id|i|d)?|pbkdf2|hs[0-9]{3}
     |rs[0-9]{3}|es[0-9]{3}|aes[-_]?[0-9]*(?:[-_][a-z]+)?|rsa[-_]?[0-9]*|ed25519|ecdsa|x509|pkcs[0-9]+
     |base(?:16|32|58|64)(?:url|[_-]?(?:de|en)code)?|utf-?(?:8|16|32)|oauth[12]?|http[123]?|ipv[46]|python[0-9.]*
     |hmac(?:[-_]?(?:with)?[-_]?(?:sha|md)[-_]?[0-9]*)?|nodejs?[0-9.]*|java[0-9]*|k8s|s3|ec2|i18n|l10n|auth0|web3|mysql[0-9]?|neo4j|x-?[a-z0-9]*-key
     |[a-z]*(?:password|passwd|pwd|token|secret|key)[a-z]*[0-9]{0,2})
    """,
    re.VERBOSE,
)
_PLACEHOLDER = lazy_pattern(
    r"""
      [xX*.•●▪_\-#?0…=]{3,}                        # xxxxxx, ******, ...
    | <[^<>]*> | \[[^\[\]]*\] | \{[^{}]*\} | \{\{.*  # <token>, [token], {token}, {{ token }}
    | \$\{\{?[^{}]*\}?\} | \$\(.* | \$\{\{?[^{}]*     # ${TOKEN}, $(pass show x)
    | \$(?:[A-Z][A-Z0-9_]{1,60}|[a-z_]{2,60})            # $DB_PASSWORD
    | %[A-Za-z_][A-Za-z0-9_]*% | %\(?[A-Za-z_]*\)?[sdrq] | \#\{.*
    | (?i:(?:your|my|the|some|enter|insert|put|replace|use|add|paste|type|fill)[-_ ]?.{0,40}
          (?:key|token|secret|password|passwd|pwd|pass|here|value|id|name|code|credential)s?
          (?:[-_ ]?here)?)
    | (?i:change[-_]?(?:me|it|this)[^0-9]{0,8}|replace[-_]?(?:me|with|this).{0,40}|your[-_].*)
    | (?i:.*(?:placeholder|example|redacted|xxxx|\.\.\.|…|\*\*\*\*|dummy).*)
    | (?:[A-Za-z][A-Za-z0-9+.-]*:)//.*                # a URL is judged elsewhere
    | (?:arn|vault|env|op|ssm|kms|file|keyring|projects|enc|ref|sops|secretref|sm):.*
    | /\^.* | \^.*\$ | \(\?.*                         # a regular expression
    """,
    re.VERBOSE,
)
_EXPRESSION = lazy_pattern(
    r"""
      [$@:\#&*!%~^.]{0,2}[A-Za-z_][A-Za-z0-9_.:>?!-]*(?:\(|\[)   # a call, an element
    | (?:await|new|return|function|lambda|async|typeof|not|import|require|defined)\b.*
    """,
    re.VERBOSE,
)
_FILE_NAME = lazy_pattern(
    r"""[A-Za-z0-9_.~/\\:-]*\.(?:ya?ml|json|txt|pem|key|crt|cer|env|py|[jt]sx?|md|toml|ini|conf|cfg
    |sh|go|rs|java|kt|html?|css|xml|php|rb|cs|sql|csv|log|lock|p12|pfx|jks|gpg|asc|properties)""",
    re.VERBOSE,
)
_HUMP = lazy_pattern(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_NUMBERS = lazy_pattern(
    r"""
      v?[0-9]+(?:\.[0-9a-z]+)+(?:[-+][0-9A-Za-z.]+)?    # a version
    | [0-9]{4}[-/.][0-9]{1,2}(?:[-/.][0-9]{1,2})?(?:[T ].*)?  # a date
    | [0-9]{1,2}:[0-9]{2}(?::[0-9.]+)?                    # a time
    | [0-9.,]+\s?(?:%|[kKmMgG][iI]?[bB]?|[mun]?s|m|h|d|[qrt]ps|px|r?em|days?|hours?|min(?:utes)?|x)
    | [0-9]+(?:[-~/][0-9]+)+ | [<>=~]*[0-9.]+ | 0x[0-9a-fA-F]{1,40}
    """,
    re.VERBOSE,
)
_MOST_TECH = 40
# So many pieces show whether a long value is made of words.
_MOST_PIECES = 16
_MOST_SLUG_DIGITS = 4
# So much of a value shows whether it is a placeholder.
_MOST_READ = 300
_UUID = lazy_pattern(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_HEX = lazy_pattern(r"[0-9a-f]{64,}|[0-9A-F]{64,}")
_SYMBOLS = lazy_pattern(r"[!@#$%^&*+?=~|]")
_SEPARATORS = lazy_pattern(r"[^A-Za-z0-9]+")
TRAILING = ",.;:、，。；：)]}>'\"`"


@lru_cache(maxsize=4096)
def promise_of(name: str) -> int:
    """Return how much a name promises a secret: NOTHING, HINT, TOKEN or PASSWORD."""
    parts = [part.lower().translate(_WITHIN) for part in _PART.findall(name)]
    words = [part for part in parts if not part.isdigit()]
    places = [place for place, word in enumerate(words) if _is_stem(word)]
    if not places or _HARMLESS_HEADS.intersection(words[: places[-1]]):
        return NOTHING
    if _HARMLESS_TAILS.intersection(words[places[-1] + 1 :]):
        return NOTHING
    word, before = words[places[-1]], words[places[-1] - 1] if places[-1] else ""
    # MYSQL_PASS and MYSQL_PASS_PROD, but not the `pass_rate` of tests.
    is_pass = word == "pass" and (before in _PASSWORD_WITH or (before and word == words[-1]))
    if is_pass or word in _PASSWORD_WORDS or word.endswith(_PASSWORD_ENDS):
        return PASSWORD
    if word in _TOKEN_WORDS or word.endswith(_TOKEN_ENDS) or _is_secret_key(word, before):
        return TOKEN
    return HINT


def _is_stem(word: str) -> bool:
    return word in _SECRET_WORDS or word.endswith(_ENDS) or _is_secret_key(word, "")


def _is_secret_key(word: str, before: str) -> bool:
    """Tell whether a word is the key of something secret, in one word or two."""
    return word.endswith("key") and (word[:-3] or before) in _SECRET_KEYS


# A sentence about a secret may have some of these: "password for user x was changed: …".
_MAY_DESCRIBE = frozenset("reset changed updated change rotation at service client manager".split())


def is_of_secret(label: str) -> bool:
    """Tell whether a label is that of a secret, and not of its hash, its name or its length."""
    parts = [part.lower() for part in _PART.findall(label)]
    return _HARMLESS_TAILS.difference(_MAY_DESCRIBE).isdisjoint(parts)


def is_slug(value: str) -> bool:
    """Tell whether a value is words and short numbers, as the key of a cache or a store is."""
    pieces = [piece for piece in _SEPARATORS.split(value) if piece]
    numbers = [piece for piece in pieces if piece.isdigit() and len(piece) <= _MOST_SLUG_DIGITS]
    rest = [piece for piece in pieces[:_MOST_PIECES] if piece not in numbers]
    return bool(rest) and all(map(_is_word, rest))


def is_placeholder(value: str) -> bool:
    """Tell whether a value is a placeholder: `${TOKEN}`, `<your-key>`, `xxxx`, our mark."""
    return (
        value.lower() in _HARMLESS_VALUES
        or len(set(value)) < (2 if value.isdigit() else 3)
        or _PLACEHOLDER.fullmatch(value[:_MOST_READ]) is not None
    )


def is_code(value: str) -> bool:
    """Tell whether an unquoted value is an expression, a file or a version, not a literal."""
    return bool(
        _EXPRESSION.match(value) or _FILE_NAME.fullmatch(value) or _NUMBERS.fullmatch(value)
    )


def is_wordy(value: str) -> bool:
    """Tell whether a value is made of words and separators: an identifier, a path, plain text."""
    if _SYMBOLS.search(value.lstrip("$@#&*!%~^").rstrip("!?*")):
        return False
    pieces = [piece for piece in _SEPARATORS.split(value) if piece]
    return all(map(_is_word, pieces[:_MOST_PIECES]))


def _is_word(piece: str) -> bool:
    """Tell whether letters, and a digit at most, are one word or several written as camelCase."""
    letters = piece[:-1] if piece[-1].isdigit() else piece
    humps: list[str] = _HUMP.findall(letters)
    # Behind the first, a word has three letters: aBcDe is none. ALLCAPS may have two.
    return len("".join(humps)) == len(letters) and all(
        len(hump) > 2 or (len(hump) == 2 and hump.isupper()) for hump in humps[1:]
    )


def is_random(value: str, least: int = 16) -> bool:
    """Tell whether a value of at least so many characters looks drawn by a machine."""
    if len(value) < least or " " in value or is_wordy(value) or _UUID.fullmatch(value):
        return False
    if "abcdefgh" in value.lower():  # an alphabet is no key
        return False
    # Where letters and digits take turns often: `k3j9x0…` and not `node20-alpine3`.
    turns = len(re.findall(r"[A-Za-z](?=[0-9])|[0-9](?=[A-Za-z])", value))
    return is_mixed(value) or (has_both(value) and turns * 6 >= len(value))


def is_mixed(value: str) -> bool:
    """Tell whether a value has small and large letters and digits."""
    return all(any(map(test, value)) for test in (str.islower, str.isupper, str.isdigit))


def has_both(value: str) -> bool:
    """Tell whether a value has letters and digits."""
    return any(map(str.isdigit, value)) and any(map(str.isalpha, value))


def is_secret(value: str, promise: int, *, quoted: bool) -> bool:
    """Tell whether a value behind a name that promises so much is a secret."""
    if len(value) < _LEAST[promise] or is_placeholder(value):
        return False
    if not quoted and not value.isdigit() and is_code(value):
        return False
    if promise == PASSWORD:
        return _is_password(value, quoted=quoted)
    if promise == TOKEN:
        return _is_token(value)
    return is_random(value) or _HEX.fullmatch(value) is not None


def is_spoken_password(value: str) -> bool:
    """Tell whether a word in running text can only be a password."""
    return (
        len(value) >= 5
        and (has_both(value) or not is_wordy(value))
        and not is_placeholder(value)
        and not is_code(value)
        and not _is_tech(value)
        and not _is_path(value)
    )


def is_passphrase(value: str) -> bool:
    """Tell whether a value is four or more words, as a passphrase is."""
    pieces = _SEPARATORS.split(value)
    return len(pieces) > 3 and all(piece.isalnum() and len(piece) > 1 for piece in pieces)


def is_constant(name: str) -> bool:
    """Tell whether a name is written as that of a variable of the environment: `DB_PASSWORD`."""
    return "_" in name.strip("_") and name.isupper()


def is_worded_secret(value: str) -> bool:
    """Tell whether a value is a word and digits, as people make up a secret: `hunter2`."""
    made_up = re.fullmatch(r"[A-Za-z]{4,}[0-9]{1,6}[!#*@]?", value)
    return len(value) > 6 and bool(made_up) and not is_placeholder(value) and not _is_tech(value)


def is_weak_password(value: str) -> bool:
    """Tell whether a value is one word in small letters, which only an assignment gives away."""
    is_word = re.fullmatch("[a-z]{4,}", value) is not None
    return is_word and not is_placeholder(value) and not _is_tech(value)


# A word and digits, as in people's passwords, but not `issue#12` and `react@18`.
_MADE_UP = lazy_pattern(
    r"[A-Za-z]{3,}(?:[@#$!*][0-9]{3,}|[._][0-9]{2,}(?=[!#*@$%^&])|[0-9]{2,}(?=[#*@$%^&]))[!#*@$%^&]{0,3}"
)
_NUMBERED = lazy_pattern(
    r"(?i:issue|pr|mr|bug|ticket|task|build|run|case|job|gh|pull|merge)s?[#!][0-9]+"
)
_HOST_OR_VERSION = lazy_pattern(r"[\w.+-]+@(?:[\w-]*[A-Za-z][\w.-]*|[0-9]{1,3}(?:\.[\w.-]+)?)")
_STRONG_SIGN = lazy_pattern(r"[!@#$%^&*](?=.)|[#*@$%^&]$|[+?~=].*[+?~=]")


def is_strong_password(value: str) -> bool:
    """Tell whether a word has letters, digits and signs as only a password has them."""
    bare = value.strip("*_~")
    if not (6 <= len(value) <= 64 and value.isascii() and bare and has_both(value)):
        return False
    if _HOST_OR_VERSION.fullmatch(value) or _NUMBERED.fullmatch(value):
        return False
    if bare[0] in "$%&#@+=?-!^." or not _STRONG_SIGN.search(bare):
        return False
    return (
        is_spoken_password(value)
        and not re.search(r"[=&?%+][A-Za-z_]{2,}|[A-Za-z_]{2}[=&?%]|=[^=]+&\w+=", value)
    ) or _MADE_UP.fullmatch(value) is not None


def is_human_password(value: str) -> bool:
    """Tell whether a word behind an account looks like its password: `tiger908`, `Kx9!pq`."""
    return is_strong_password(value) or (
        re.fullmatch(r"[A-Za-z]{3,}[@!#_.$]?[0-9]{2,6}[!#*@]?", value) is not None
        and is_spoken_password(value)
    )


def is_lone_password(value: str, after: str) -> bool:
    """Tell whether small letters that end a clause are a password, and not a word about one."""
    is_end = not after.strip() or after[0] in "，。；！!" or after in (". ", ".\n", ".")
    return is_end and len(value) > 5 and is_weak_password(value) and not _WORD_ENDING.search(value)


# How most words end that describe a password: expired, missing, mandatory.
_WORD_ENDING = lazy_pattern(
    "(?:ed|ing|ion|ions|ive|al|ly|ment|ness|ent|ant|er|ers|or|ic|ous|text|ory|ary|ful|less|ty|ct|ble"
    "|ts|en|ce|words?|name|one|ure|ize|ise|fy|here|where|self|time|day|base)$"
)


def _is_password(value: str, *, quoted: bool) -> bool:
    if value.isdigit():
        return True
    if _is_tech(value) or _is_path(value) or _NUMBERS.fullmatch(value):
        return False
    # A literal of one word may be a weak password; "Password" is a label.
    is_weak = quoted and re.fullmatch("[a-z]{6,}", value) is not None
    return is_weak or any(map(str.isdigit, value)) or not is_wordy(value)


def _is_token(value: str) -> bool:
    is_other = _is_path(value) or _NUMBERS.fullmatch(value) or " " in value or _is_tech(value)
    return not is_other and not is_wordy(value)


def _is_tech(value: str) -> bool:
    """Tell whether a value names an algorithm, a tool or a variable: sha256, python3, token2."""
    return len(value) <= _MOST_TECH and _TECH.fullmatch(value.lower()) is not None


def _is_path(value: str) -> bool:
    """Tell whether a value is words between several slashes: a/b/c2. `/work1` may be a password."""
    pieces = [piece for piece in _SEPARATORS.split(value)[:_MOST_PIECES] if piece]
    return value.count("/") + value.count("\\") > 1 and all(
        piece.isdigit() or _is_word(piece) for piece in pieces
    )


def trimmed(value: str) -> str:
    """Return an unquoted value without the punctuation of the sentence that it ends."""
    mark = MARK.match(value) if value.startswith("[") else None
    return mark.group() if mark else value.rstrip(TRAILING)
