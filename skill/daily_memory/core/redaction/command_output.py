"""The output of commands that print a secret: `pass show`, `vault kv get -field`, `openssl rand`.

Nothing in the value reveals it; the command above it does.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from daily_memory.core.lazy_pattern import lazy_pattern
from daily_memory.core.redaction import words
from daily_memory.core.redaction.rules import Rules
from daily_memory.core.redaction.view import MARK, Redaction, View, has_any
from daily_memory.core.triggers import Batch
from daily_memory.named_tuples import NamedTuple

KIND = "secret"
# What of the output is secret. ALONE: its only line, if it looks like a secret. FIRST: the first
# line, and others that look like one. ALL: every line.
ALONE, FIRST, ALL = range(1, 4)


class Command(NamedTuple):
    """A command that prints a secret; two blanks separate the triggers, in lower case.

    Where the pattern has a group `name`, the name has to promise a secret.
    """

    triggers: str
    pattern: str
    secret: int = FIRST


# Options between the words of a command; a word for a secret.
_PARTS = (
    ("<options>", r"[^\n|;]{0,300}?"),
    ("<secret>", r"(?:password|passwd|passphrase|secret|token|api-?key|credential)s?"),
)
COMMANDS = (
    # stores of secrets
    Command(
        "vault  op read  op item  bw get  rbw get  lpass show  lookup  keyring  doppler  infisical"
        "  chamber read  berglas  akeyless  sops  ansible-vault  auth token  find-", r"""
        (?:vault\s+(?:kv\s+get|read|token\s+create|unwrap|print\s+token)|op\s+(?:read|item\s+get)
        |bw\s+get\s+(?:password|totp)|rbw\s+get|lpass\s+show|secret-tool\s+lookup|keyring\s+get
        |(?:doppler|infisical)\s+secrets\s+get|chamber\s+read|berglas\s+access
        |akeyless\s+get-secret-value|sops\s<options>--extract|ansible-vault\s+(?:view|decrypt)
        |(?:gh|glab|fly|flyctl|hcp)\s+auth\s+token
        |security\s+find-(?:generic|internet)-password\b<options>\s-\w*[gw])\b"""),
    Command("pass ",
        r"(?:go)?pass\s+(?:show\s|otp\s|generate\s|(?:-o\s+)?[\w.@-]+/[\w./@-]+\s*$)"),
    # clouds
    Command("aws  gcloud  secret  token  whoami  az ", r"""
        (?:aws\s<options>(?:--with-decryption|get-secret-value|get-login-password
        |get-random-password|get-authorization-token|get-password-data)
        |az\s<options>(?:secret\s+show|get-access-token|keys?\s+list|credential\s+show
        |reset-credentials?|show-connection-string)
        |gcloud\s<options>(?:print-(?:access|identity)-token|versions\s+access|kms\s+decrypt)
        |(?:kubectl|oc|k)\s<options>(?:get\s+secrets?/?\s?<options>(?:jsonpath|go-template
        |custom-columns|base64)|create\s+token)|oc\s+whoami\s+-(?:t|-show-token))\b"""),
    # a variable or a setting by its name
    Command('aws configure  -raw  config get  config:get  printenv  echo $  echo "$  printf', r"""
        (?:aws\s+configure\s+get\s+(?:[\w.]*\.)?|(?:terraform|tofu|terragrunt)\s+output\s<options>-raw\s+
        |(?:pulumi\s+config\s+get|heroku\s+config:get|printenv)\s+
        |(?:echo|printf)\s+(?:-\w+\s+|["']?%s(?:\\n)?["']?\s+)?["']?\$\{?(?=\w+[}"']*\s*$))(?P<name>[\w:-]+)"""),
    # a file that is named for its content
    Command("cat /  /secrets/  password  passwd  token  secret  _key", r"""
        (?:cat|head|tail|less|grep|Get-Content)\s<options>(?:/secrets/[\w.-]+
        |(?P<name>[A-Za-z_-]*(?:[Pp]ass|[Tt]oken|[Ss]ecret|_key)[\w-]*))(?:\.txt)?["']?\s*$""",
        ALONE),
    # generators
    Command(
        "openssl  gen-random  pwgen  apg  makepasswd  xkcdpass  diceware  bw generate  genkey"
        "  genpsk  keygen  /dev/", r"""
        (?:openssl\s+rand\b(?!<options>-out\b)|gpg2?\s<options>--gen-random\b
        |(?:pwgen|apg|makepasswd|xkcdpass|diceware|bw\s+generate|wg\s+gen(?:key|psk)
        |consul\s+keygen)(?=\s|$)(?!\s+(?:--help|-h|--version)\b)
        |(?:head|dd|tr|cat|od|xxd|base64|hexdump)\s<options>/dev/u?random\b)""", ALL),
    Command("secrets.  randombytes  securerandom  generate_key  secret_key", r"""
        \S*\s?[^\n]{0,300}?(?:secrets\.(?:token_\w+|choice)|randomBytes\(|SecureRandom\.
        |Fernet\.generate_key|get_random_secret_key)""", ALL),
    # any tool that is asked to show a secret
    Command("secret  token  password  passwd  passphrase  credential  api-key  apikey", r"""
        [a-z][\w.-]{0,30}\s[^\n|;]{0,200}?(?<![\w/.=-])
        (?:(?:get|show|print|reveal|view|fetch|read|decrypt|display|access|issue|generate|create
            |new|reset|rotate)(?:-[a-z]{1,20}){0,3}[-\s:](?:[\w:/-]{1,40}\s){0,4}?
            (?:[a-z]{1,20}-){0,3}<secret>
          |<secret>\s(?:get|show|print|reveal|view|read|create|generate|new|issue|reset|rotate)
          |(?:initial|bootstrap|admin|root)-(?:password|token))
        (?![\w.=/])""", ALONE),
)  # fmt: skip
RULES = Rules(
    [(command.triggers.split("  "), command.pattern) for command in COMMANDS],
    re.IGNORECASE | re.VERBOSE,
    before=r"(?:\S*/)?",
    parts=_PARTS,
)

# A line of a shell. Without a prompt it must begin with a known tool.
_PROMPT = lazy_pattern(
    r"""[ \t>|]{0,4}
        (?:(?:➜[ ]{1,2}(?:\S{1,40}[ ]git:\(\S{1,60}\)(?:[ ]✗)?|~\S{0,40})
          |[^\n$%\#>❯➜λ]{0,80}(?:[$%❯➜λ]|(?<=[\w~/\])])\#)|\#|(?:PS[ ]|[A-Z]:)[^\n>]{1,80}>
          |>>>|irb[^\n>]{0,40}>)[ ]{1,3})
        (?P<command>[^\n]{2,2000}(?:(?<=\\)\n[^\n]{0,2000}){0,9})""",
    re.VERBOSE,
)
_SIGN = lazy_pattern("[$%#>❯➜λ] ")
_MOST_PROMPT, _MOST_TOOL, _MOST_LINES = 200, 20, 40
_BARE = lazy_pattern(r"(?P<command>[^\n]{2,2000})")
_LINE = lazy_pattern(r"\n([^\n]*)")
_TOOLS = frozenset(
    "vault op pass gopass bw rbw lpass secret-tool keyring security aws az gcloud gh glab kubectl"
    " oc heroku doppler infisical chamber sops terraform pulumi openssl gpg pwgen cat".split()
)
_IN_COMMAND = lazy_pattern(r"\$\([^()\n]{0,500}\)|`[^`\n]{0,500}`")
_ECHOED = lazy_pattern(
    r"""(?:echo|printf)\s+[^$`\n]{0,80}(?:\$\(|`)(?P<command>[^()`\n]{1,500})[)`]["']?(?P<rest>.*)"""
)
# Signs between quotes separate no commands.
_IN_QUOTES = lazy_pattern(r"'[^'\n]{0,2000}'|\"[^\"\n]{0,2000}\"")
_SIGNLESS = dict.fromkeys(map(ord, "|;&<>"), "_")
_SEPARATOR = lazy_pattern(r"&&|\|\||;|\n")
_TO_FILE = lazy_pattern(r"(?<![0-9&<>=-])>{1,2}\s?(?!/dev/(?:stdout|stderr|tty)|&)\S")
# What passes the secret on that it reads from a pipe.
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


def output_findings(view: View) -> Iterator[Redaction]:
    """Yield the secrets that commands of a pasted terminal printed."""
    text, sign = view.text, -1
    for start in _hinted_lines(view):
        if sign < start:  # most lines have none: to look for the next one once is quicker
            found = _SIGN.search(text, start)
            sign = found.start() if found else len(text)
        line = prompt = _PROMPT.match(text, start) if sign - start < _MOST_PROMPT else None
        if not prompt and text[start : start + _MOST_TOOL].partition(" ")[0] in _TOOLS:
            line = _BARE.match(text, start)
        secret = printed_secret(line["command"]) if line else 0
        if line and secret:
            yield from _in_output(text, line.end(), secret if prompt else ALONE, pasted=True)


def _hinted_lines(view: View) -> list[int]:
    """Return where each line begins that has a trigger of a command."""
    starts: set[int] = set()
    for trigger in view.found(RULES.triggers):
        at = view.lowered.find(trigger)
        while at >= 0:
            starts.add(view.text.rfind("\n", 0, at) + 1)
            end = view.lowered.find("\n", at)
            at = view.lowered.find(trigger, end) if end >= 0 else -1
    return sorted(starts)


def hidden_output(command: str, text: str) -> str:
    """Return the output of a command with the secrets hidden that it is meant to print."""
    secret = printed_secret(command)
    found = list(_in_output("\n" + text, 0, secret, pasted=False)) if secret else []
    for secret_in in reversed(found):
        text = f"{text[: secret_in.start - 1]}[REDACTED:{KIND}]{text[secret_in.end - 1 :]}"
    return text


def printed_secret(command: str) -> int:
    """Return which output of a command line is secret: ALONE, FIRST or ALL; 0 for none."""
    if not has_any(command.lower(), RULES.triggers):
        return 0
    command = _IN_QUOTES.sub(lambda quoted: quoted.group().translate(_SIGNLESS), command)
    return max(map(_printed_by, _SEPARATOR.split(command)), default=0)


def _printed_by(part: str) -> int:
    """Return which output of one command is secret, given what it is piped into."""
    part = part[_LEADS.match(part).end() :]  # type: ignore[union-attr]  # may be empty
    echoed = _ECHOED.match(part)
    part = echoed["command"] + echoed["rest"] if echoed else _IN_COMMAND.sub("_", part)
    first, *pipes = part.split("|")
    passed = all((pipe.split() or [""])[0].rpartition("/")[2] in _PASSING for pipe in pipes)
    if not passed or _TO_FILE.search(part):
        return 0
    for number, _ in RULES.present(Batch([part.lower()])):
        found = RULES.compiled(number).match(part if number < len(RULES) - 1 else first)
        name = found.groupdict().get("name") if found else None
        if found and (name is None or words.promise_of(name) > words.NOTHING):
            return COMMANDS[number].secret
    return 0


def _in_output(text: str, start: int, secret: int, *, pasted: bool) -> Iterator[Redaction]:
    """Yield what is secret of the lines behind a command.

    In a pasted terminal they end at the next command, a blank line or the end of a code block.
    """
    lines: list[tuple[int, str]] = []
    for match in _LINE.finditer(text, start):
        line = match[1]
        if pasted and (line.lstrip().startswith("```") or _is_prompt(line)):
            break
        if line.strip():
            lines.append((match.start(1), line))
        if len(lines) == _MOST_LINES or (pasted and lines and not line.strip()):
            break
    if secret == ALONE and len(lines) > 1:
        return
    for number, (place, line) in enumerate(lines):
        first, last = _secret_in(line, sure=secret == ALL or (secret == FIRST and not number))
        if first < last:
            yield Redaction(place + first, place + last, KIND)


def _is_prompt(line: str) -> bool:
    return _SIGN.search(line, 0, _MOST_PROMPT) is not None and _PROMPT.match(line) is not None


def _secret_in(line: str, *, sure: bool) -> tuple[int, int]:
    """Return where a line of output is secret; nowhere is (0, 0)."""
    output = line.strip()
    start = line.find(output)
    if MARK.search(output) or len(output) < 4 or not any(map(str.isalnum, output)):
        return 0, 0
    field = _FIELD.match(line)
    if field and not output.startswith("{"):
        is_value = field["name"].lower() in _VALUE_NAMES and not _is_message(field["v"])
        if is_value or _looks_secret(field["v"]):
            return field.span("v")
        if not sure or field["name"].isalpha():
            return 0, 0
    if (sure and not _is_message(output)) or _looks_secret(output):
        return start, start + len(output)
    return 0, 0


def _is_message(output: str) -> bool:
    return " " in output and _MESSAGE.search(output) is not None


def _looks_secret(output: str) -> bool:
    """Tell whether one word looks like a secret, and like nothing else that a tool prints."""
    if " " in output or "://" in output or output.startswith(("/", "./", "~/")):
        return False
    if len(output) < 6 or words.is_slug(output):
        return False
    return words.is_spoken_password(output) or words.is_random(output)
