"""Credentials in the shapes that are published, made up by a seeded generator: nobody's."""

from __future__ import annotations

import base64
import random
import string
from typing import NamedTuple

_UPPER = string.ascii_uppercase
_ALNUM = string.ascii_letters + string.digits


class Secret(NamedTuple):
    """A secret, and the text that it stands in."""

    kind: str
    value: str
    text: str


def made_up(seed: int = 7) -> list[Secret]:
    """Return one secret of each kind, each in a sentence, Chinese and English by turns."""
    chance = random.Random(seed)

    def some(alphabet: str, length: int) -> str:
        return "".join(chance.choice(alphabet) for _ in range(length))

    def token(size: int) -> str:
        return base64.urlsafe_b64encode(chance.randbytes(size)).decode().rstrip("=")

    # The heads are cut so that this file itself holds nothing that a scanner takes for a token.
    plain = {
        "aws_access_key": "AK" + "IA" + some(_UPPER + "234567", 16),
        "github": "gh" + "p_" + some(_ALNUM, 36),
        "github_fine": "github" + "_pat_" + some(_ALNUM, 22) + "_" + some(_ALNUM, 59),
        "gitlab": "gl" + "pat-" + some(_ALNUM, 20),
        "slack": "xo"
        + "xb-"
        + some(string.digits, 12)
        + "-"
        + some(string.digits, 12)
        + "-"
        + some(_ALNUM, 24),
        "openai": "sk" + "-proj-" + some(_ALNUM, 48),
        "anthropic": "sk" + "-ant-api03-" + some(_ALNUM, 93) + "AA",
        "google": "AI" + "za" + some(_ALNUM, 35),
        "stripe": "sk" + "_live_" + some(_ALNUM, 24),
        "npm": "np" + "m_" + some(_ALNUM, 36),
        "jwt": "ey" + "J" + token(24) + ".ey" + "J" + token(40) + "." + token(32),
    }
    found = []
    for place, (kind, value) in enumerate(plain.items()):
        sentence = "请用 {} 登录测试环境" if place % 2 else "the staging key is {}, rotate it"
        found.append(Secret(kind, value, sentence.format(value)))
    password, phrase = some(_ALNUM, 18), some(_ALNUM, 20)
    pem = "\n".join(some(_ALNUM + "+/", 64) for _ in range(6))
    found += [
        Secret("password", password, f'password = "{password}"'),
        Secret("口令", phrase, f"数据库密码：{phrase}"),
        Secret("env", (value := some(_ALNUM, 24)), f"export DB_PASSWORD={value}"),
        Secret(
            "url", (value := some(_ALNUM, 16)), f"postgres://admin:{value}@db.internal:5432/app"
        ),
        Secret("bearer", (value := some(_ALNUM, 40)), f"Authorization: Bearer {value}"),
        Secret("json", (value := some(_ALNUM, 22)), f'{{"client_secret": "{value}"}}'),
        Secret("private", (value := some(_ALNUM, 30)), f"<private>其实是 {value}</private>"),
        Secret(
            "pem", pem, f"-----BEGIN RSA PRIVATE KEY-----\n{pem}\n-----END RSA PRIVATE KEY-----"
        ),
    ]
    return found


def cores(value: str) -> list[str]:
    """Return pieces of a secret that are long enough to be nothing else."""
    parts = [part for part in value.split("\n") if len(part) >= 12]
    return [part[len(part) // 4 : len(part) // 4 + 10] for part in parts]
