"""What commands print that print a secret: `pass show`, `vault kv get -field`, `openssl rand`.

Nothing about the value itself tells; the command above it does.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from daily_memory.core.lazy_pattern import lazy_pattern
from daily_memory.core.redaction import words
from daily_memory.core.redaction.rules import Rules
from daily_memory.core.redaction.view import MARK, Finding, View
from daily_memory.named_tuples import NamedTuple

KIND = "secret"
# What of the output is secret. ALONE: its only line, if it looks so. FIRST: the first line, and
# what looks so of the others. ALL: every line.
ALONE, FIRST, ALL = range(1, 4)


class Row(NamedTuple):
    """A command that prints a secret; triggers are in lower case and parted by two blanks.

    Where the pattern has a group `name`, the name has to promise a secret.
    """

    triggers: str
    pattern: str
    secret: int = FIRST


# An option or more between the words of a command.
_ANY = r"[^\n|;]{0,300}?"
ROWS = (
    Row("vault ", r"vault\s+(?:kv\s+get|read|token\s+create|unwrap|print\s+token)\b"),
    Row("op read  op item", r"op\s+(?:read|item\s+get)\b"),
    Row(
        "pass ",
        r"(?:go)?pass\s+(?:show\s|otp\s|generate\s|(?:-o\s+)?[\w.@-]+/[\w./@-]+\s*$)",
    ),
    Row(
        "bw get  rbw get  lpass show", r"(?:bw\s+get\s+(?:password|totp)|rbw\s+get|lpass\s+show)\b"
    ),
    Row("lookup  keyring", r"(?:secret-tool\s+lookup|keyring\s+get)\b"),
    Row("find-", rf"security\s+find-(?:generic|internet)-password\b{_ANY}\s-\w*[gw]"),
    Row(
        "aws",
        rf"aws\s{_ANY}(?:--with-decryption|get-secret-value|get-login-password|get-random-password"
        r"|get-authorization-token|get-password-data)\b",
    ),
    Row("aws configure", r"aws\s+configure\s+get\s+(?:[\w.]*\.)?(?P<name>\w+)"),
    Row(
        "az ",
        rf"az\s{_ANY}(?:secret\s+show|get-access-token|keys?\s+list|credential\s+show"
        r"|reset-credentials?|show-connection-string)\b",
    ),
    Row(
        "gcloud",
        rf"gcloud\s{_ANY}(?:print-(?:access|identity)-token|versions\s+access|kms\s+decrypt)\b",
    ),
    Row("auth token", r"(?:gh|glab|fly|flyctl|hcp)\s+auth\s+token\b"),
    Row(
        "secret  token  whoami",
        rf"(?:kubectl|oc|k)\s{_ANY}(?:get\s+secrets?/?\s?{_ANY}(?:jsonpath|go-template"
        r"|custom-columns|base64)|create\s+token)|oc\s+whoami\s+-(?:t|-show-token)\b",
    ),
    Row(
        "doppler  infisical  chamber  berglas  akeyless",
        r"(?:(?:doppler|infisical)\s+secrets\s+get|chamber\s+read|berglas\s+access"
        r"|akeyless\s+get-secret-value)\b",
    ),
    Row("sops  ansible-vault", rf"sops\s{_ANY}--extract|ansible-vault\s+(?:view|decrypt)\b"),
    Row("-raw", rf"(?:terraform|tofu|terragrunt)\s+output\s{_ANY}-raw\s+(?P<name>[\w-]+)"),
    Row(
        "config get  config:get",
        r"(?:pulumi\s+config\s+get|heroku\s+config:get)\s+(?P<name>[\w:-]+)",
    ),
    Row("printenv", r"printenv\s+(?P<name>\w+)"),
    Row(
        'echo $  echo "$  printf',
        r"(?:echo|printf)\s+(?:-\w+\s+)?[\"']?\$\{?(?P<name>\w+)[}\"']*\s*$",
    ),
    Row(  # a file that is named for what is in it
        "cat /  /secrets/  password  passwd  token  secret  _key",
        rf"(?:cat|head|tail|less|grep|Get-Content)\s{_ANY}(?:/secrets/[\w.-]+"
        r"|(?P<name>[A-Za-z_-]*(?:[Pp]ass|[Tt]oken|[Ss]ecret|_key)[\w-]*))(?:\.txt)?[\"']?\s*$",
        ALONE,
    ),
    # --- what makes one
    Row("openssl", rf"openssl\s+rand\b(?!{_ANY}-out\b)", ALL),
    Row("gen-random", rf"gpg2?\s{_ANY}--gen-random\b", ALL),
    Row(
        "pwgen  apg  makepasswd  xkcdpass  diceware  bw generate  genkey  genpsk  keygen",
        r"(?:pwgen|apg|makepasswd|xkcdpass|diceware|bw\s+generate|wg\s+gen(?:key|psk)"
        r"|consul\s+keygen)(?=\s|$)(?!\s+(?:--help|-h|--version)\b)",
        ALL,
    ),
    Row("/dev/", rf"(?:head|dd|tr|cat|od|xxd|base64|hexdump)\s{_ANY}/dev/u?random\b", ALL),
    Row(
        "secrets.  randombytes  securerandom  generate_key  secret_key",
        r"\S*\s?[^\n]{0,300}?(?:secrets\.(?:token_\w+|choice)|randomBytes\(|SecureRandom\."
        r"|Fernet\.generate_key|get_random_secret_key)",
        ALL,
    ),
    # --- any tool that is told to show a secret
    Row(
        "secret  token  password  passwd  passphrase  credential  api-key  apikey",
        r"""[a-z][\w.-]{0,30}\s[^\n|;]{0,200}?(?<![\w/.=-])
            (?:(?:get|show|print|reveal|view|fetch|read|decrypt|display|access|issue|generate|create
                |new|reset|rotate)(?:-[a-z]{1,20}){0,3}[-\s:](?:[\w:/-]{1,40}\s){0,4}?
                (?:[a-z]{1,20}-){0,3}(?:password|passwd|passphrase|secret|token|api-?key|credential)s?
              |(?:password|passwd|passphrase|secret|token|api-?key|credential)s?\s
                (?:get|show|print|reveal|view|read|create|generate|new|issue|reset|rotate)
              |(?:initial|bootstrap|admin|root)-(?:password|token))
            (?![\w.=/])""",
        ALONE,
    ),
)
RULES = Rules(
    [(row.triggers.split("  "), row.pattern) for row in ROWS],
    re.IGNORECASE | re.VERBOSE,
    before=r"(?:\S*/)?",
)

# A line of a shell; without a prompt it is one only where a known tool begins it.
_PROMPT = lazy_pattern(
    r"""[ \t>|]{0,4}
        (?:(?:[^\n$%\#>❯➜λ]{0,80}(?:[$%❯➜λ]|(?<=[\w~/\])])\#)|\#|(?:PS[ ]|[A-Z]:)[^\n>]{1,80}>
          |>>>|irb[^\n>]{0,40}>|➜[ ]{1,2}\S{1,40}(?:[ ]git:\(\S{1,60}\))?(?:[ ]✗)?)[ ]{1,3})
        (?P<command>[^\n]{2,2000}(?:(?<=\\)\n[^\n]{0,2000}){0,9})""",
    re.VERBOSE,
)
_SIGN = lazy_pattern("[$%#>❯➜λ] ")
_MOST_PROMPT, _MOST_TOOL = 200, 20
_BARE = lazy_pattern(r"(?P<command>[^\n]{2,2000})")
_TOOLS = frozenset(
    "vault op pass gopass bw rbw lpass secret-tool keyring security aws az gcloud gh glab kubectl"
    " oc heroku doppler infisical chamber sops terraform pulumi openssl gpg pwgen cat".split()
)
_IN_COMMAND = lazy_pattern(r"\$\([^()\n]{0,500}\)|`[^`\n]{0,500}`")
# A sign between quotes parts no commands.
_IN_QUOTES = lazy_pattern(r"'[^'\n]{0,2000}'|\"[^\"\n]{0,2000}\"")
_SIGNLESS = dict.fromkeys(map(ord, "|;&<>"), "_")
_PARTS = lazy_pattern(r"&&|\|\||;|\n")
_TO_FILE = lazy_pattern(r"(?<![0-9&<>=-])>{1,2}\s?(?!/dev/(?:stdout|stderr|tty)|&)\S")
# What comes behind a pipe and passes the secret on.
_PASSING = frozenset(
    "base64 jq yq tr head tail cut sed awk gawk tee cat grep fold rev sort column less more xargs"
    " openssl python python3 node gunzip".split()
)
_LEADS = lazy_pattern(
    r"""\s*(?:(?:sudo|time|env|then|do|exec|command)\s+|[A-Z_]+=\S*\s+
          |(?:docker|podman|kubectl|oc|nerdctl)(?:[ -]compose)?\s+exec\s+(?:-\S+\s+){0,9}\S+\s+
            (?:--\s+)?
          |ssh\s+(?:-\S+\s+){0,9}\S+\s+["']?){0,4}""",
    re.VERBOSE,
)
_MOST_LINES = 40
_MESSAGE = lazy_pattern(
    r"""error|not\ found|no\ such|denied|fail|cannot|can't|could\ not|unable|usage|invalid|warning
      |unknown|missing|expired|required|no\ value|not\ in\ the|log\ ?in|please|success|copied
      |created|updated|saved|wrote|uploaded|already|enter\ |forbidden|unauthori
      |no\ \w+\ (?:token|secret)
      |错误|失败|未找到|不存在|无法|没有""",
    re.VERBOSE | re.IGNORECASE,
)
# `Value: …`, `"SecretString": "…",`, `password    …`
_FIELD = lazy_pattern(
    r"""\s*["']?(?P<name>[\w.-]{1,60})["']?(?:\s?[:=]\s?|\s{2,})["']?
        (?P<v>[^\s"',][^\n]{2,4000}?)["']?,?\s*$""",
    re.VERBOSE,
)
_VALUE_NAMES = frozenset("value secretstring secretbinary plaintext token password data".split())


def output_findings(view: View) -> Iterator[Finding]:
    """Yield the secrets that commands of a pasted terminal printed."""
    sign = -1
    for start in _hinted_lines(view):
        if sign < start:  # most lines have none: to look for the next one once is quicker
            found = _SIGN.search(view.text, start)
            sign = found.start() if found else len(view.text)
        prompt = _PROMPT.match(view.text, start) if sign - start < _MOST_PROMPT else None
        line = prompt or _bare(view.text, start)
        secret = printed_secret(line["command"]) if line else 0
        if line and secret:
            yield from _in_output(view.text, line.end(), secret if prompt else ALONE)


def _bare(text: str, start: int) -> re.Match[str] | None:
    word = text[start : start + _MOST_TOOL].partition(" ")[0]
    return _BARE.match(text, start) if word in _TOOLS else None


def _hinted_lines(view: View) -> list[int]:
    """Return where each line begins in which a word stands that such a command has."""
    starts: set[int] = set()
    for hint in view.batch.present(RULES.triggers):
        at = view.lowered.find(hint)
        while at >= 0:
            starts.add(view.text.rfind("\n", 0, at) + 1)
            end = view.lowered.find("\n", at)
            at = view.lowered.find(hint, end) if end >= 0 else -1
    return sorted(starts)


def hidden_output(command: str, text: str) -> str:
    """Return what a command printed, with the secrets that it is there to print hidden."""
    secret = printed_secret(command)
    if not secret:
        return text
    # Nothing else stands in its output: no line of it begins another command.
    found = list(_in_output("\n" + text, 0, secret, ends=""))
    for one in reversed(found):
        text = f"{text[: one.start - 1]}[REDACTED:{KIND}]{text[one.end - 1 :]}"
    return text


def printed_secret(command: str) -> int:
    """Return what is secret of what a command line prints: ALONE, FIRST or ALL; 0 for nothing.

    >>> printed_secret("pass show work/mail") == FIRST, printed_secret("pass show a | pbcopy")
    (True, 0)
    """
    lowered = command.lower()
    if not any(hint in lowered for hint in RULES.triggers):
        return 0
    command = _IN_QUOTES.sub(lambda quoted: quoted.group().translate(_SIGNLESS), command)
    return max(map(_printed_by, _PARTS.split(command)), default=0)


def _printed_by(part: str) -> int:
    """Return it for one command, with what it is piped into."""
    part = part[_LEADS.match(part).end() :]  # type: ignore[union-attr]  # may be empty
    if not part.startswith(("echo ", "printf ")):
        part = _IN_COMMAND.sub("_", part)
    first, *pipes = part.split("|")
    passed = all((pipe.split() or [""])[0].rpartition("/")[2] in _PASSING for pipe in pipes)
    if not passed or _TO_FILE.search(part):
        return 0
    lowered = part.lower()
    for number, row in enumerate(ROWS):
        if not any(hint in lowered for hint in row.triggers.split("  ")):
            continue
        found = RULES.compiled(number).match(part if number < len(ROWS) - 1 else first)
        if found and _is_promising(found):
            return row.secret
    return 0


def _is_promising(found: re.Match[str]) -> bool:
    name = found.groupdict().get("name")
    return name is None or words.promise_of(name) > words.NOTHING


def _in_output(text: str, start: int, secret: int, ends: str = "```") -> Iterator[Finding]:
    """Yield what is secret of the lines behind a command, up to the next one or a blank line."""
    lines: list[tuple[int, str]] = []
    position = text.find("\n", start) + 1 or len(text)
    while position < len(text) and len(lines) < _MOST_LINES:
        end = text.find("\n", position)
        end = len(text) if end < 0 else end
        line = text[position:end]
        if (ends and line.lstrip().startswith(ends)) or (ends and _is_prompt(line)):
            break
        if line.strip():
            lines.append((position, line))
        elif lines and ends:
            break
        position = end + 1
    if secret == ALONE and len(lines) > 1:
        return
    for number, (place, line) in enumerate(lines):
        first, last = _secret_in(line, sure=secret == ALL or (secret == FIRST and not number))
        if first < last:
            yield Finding(place + first, place + last, KIND)


def _is_prompt(line: str) -> bool:
    return _SIGN.search(line, 0, _MOST_PROMPT) is not None and _PROMPT.match(line) is not None


def _secret_in(line: str, *, sure: bool) -> tuple[int, int]:
    """Return where a line of output is secret; nowhere is (0, 0)."""
    said = line.strip()
    start = line.find(said)
    if MARK.search(said) or len(said) < 4 or not any(map(str.isalnum, said)):
        return 0, 0
    field = _FIELD.match(line)
    if field and not said.startswith("{"):
        is_value = field["name"].lower() in _VALUE_NAMES
        is_told = is_value and not _is_message(field["v"])
        if is_told or _looks_secret(field["v"]):
            return field.span("v")
        if not sure or field["name"].isalpha():
            return 0, 0
    if (sure and not _is_message(said)) or _looks_secret(said):
        return start, start + len(said)
    return 0, 0


def _is_message(said: str) -> bool:
    return " " in said and _MESSAGE.search(said) is not None


def _looks_secret(said: str) -> bool:
    """Tell whether one word looks like a secret, and like nothing else that a tool prints."""
    if " " in said or "://" in said or said.startswith(("/", "./", "~/")):
        return False
    if len(said) < 6 or words.is_slug(said):
        return False
    return words.is_spoken_password(said) or words.is_random(said)
