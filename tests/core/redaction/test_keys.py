"""Private keys, and text in base64 or hex in which a secret is."""

from __future__ import annotations

import base64
from collections.abc import Callable

import pytest

from daily_memory.core.redaction.privacy import Policy, redact

PASSWORD = "Tiger#" + "2931!"


def test_a_key_of_putty_is_hidden_to_its_last_line() -> None:
    body = "Zk7b" * 16
    text = f"Private-Lines: 14\n{body}\n{body}\nZk7b=\nPrivate-MAC: 12ab"

    assert redact(text, Policy()).text == (
        "Private-Lines: 14\n[REDACTED:private_key]\nPrivate-MAC: 12ab"
    )


def encoded(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


@pytest.mark.parametrize("made", [encoded, lambda text: text.encode().hex()])
def test_text_in_base64_or_in_hex_is_hidden_if_it_holds_a_secret(
    made: Callable[[str], str],
) -> None:
    secret, harmless = f"password={PASSWORD} host=db", "the secret of good tea is patience"

    assert redact(f"see {made(secret)}", Policy()).text == "see [REDACTED:encoded_secret]"
    assert redact(made(harmless), Policy()).text == made(harmless)


def test_a_private_key_in_base64_is_hidden() -> None:
    body = "Zk7b" * 16
    key = f"-----BEGIN PRIVATE KEY-----\n{body}\n{body}\n-----END PRIVATE KEY-----\n"

    assert redact(f"see {encoded(key)}", Policy()).text == "see [REDACTED:encoded_secret]"


def test_a_password_in_chinese_text_in_base64_is_hidden() -> None:
    assert (
        "[REDACTED:encoded_secret]" in redact(encoded(f"密码：{PASSWORD}，别外传"), Policy()).text
    )


@pytest.mark.parametrize(
    ("lines", "rest"),
    [
        # the first line has 16 characters at least, the others four
        (["Zk7b" * 4], []),
        (["Zk7b" * 16, "Zk7b"], []),
        (["Zk7b" * 16], ["Zk7"]),
        ([], ["Zk7b" * 3 + "Zk7"]),
        (["> " + "Zk7b" * 16 + ",", "# Zk7b"], []),
        (["Proc-Type: 4,ENCRYPTED", "", "Zk7b" * 16], []),
    ],
)
def test_a_key_without_an_end_ends_with_its_last_line(lines: list[str], rest: list[str]) -> None:
    begin = "-----BEGIN PRIVATE KEY-----"
    kept = [*rest, "so much for it"]
    text = "\n".join([begin, *lines, *kept])

    head = "[REDACTED:private_key]" if lines else begin
    assert redact(text, Policy()).text == "\n".join([head, *kept])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # between its marks a key has 16 letters, in lines of any form
        ("{begin}Zk7b Zk7b Zk7b Zk7b{end}", "[REDACTED:private_key]"),
        ("{begin}Zk7b Zk7b Zk7b Zk7{end}", "{begin}Zk7b Zk7b Zk7b Zk7{end}"),
        ("{begin}{end}", "{begin}{end}"),
        ("{end} {begin}Zk7b Zk7b Zk7b Zk7b{end}", "{end} [REDACTED:private_key]"),
        # what is behind a key without an end is not part of the next one
        (
            "{begin}\nZk7bZk7bZk7bZk7b\nso much for it\n{begin}Zk7b Zk7b Zk7b Zk7b{end}",
            "[REDACTED:private_key]\nso much for it\n[REDACTED:private_key]",
        ),
    ],
)
def test_a_key_goes_from_its_first_mark_to_its_last(text: str, expected: str) -> None:
    marks = {"begin": "-----BEGIN PRIVATE KEY-----", "end": "-----END PRIVATE KEY-----"}

    assert redact(text.format(**marks), Policy()).text == expected.format(**marks)
