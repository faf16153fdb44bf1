"""The bytes of files are redacted, and stay as they are where nothing is hidden."""

from __future__ import annotations

import pytest

from daily_memory.core.redaction.files import redact_lines, redact_text
from daily_memory.core.redaction.privacy import Policy

PASSWORD = b"password = " + b"hunter2"
MARKED = b"password = [REDACTED:password]"


def test_of_a_text_only_the_secret_changes():
    text, counts = redact_text(b"\xff\r\n" + PASSWORD + b"\xe4\r\n", Policy())

    assert (text, counts) == (b"\xff\r\n" + MARKED + b"\xe4\r\n", (("password", 1),))


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (b'{"a":["' + PASSWORD + b'"],"b":1}', b'{"a":["' + MARKED + b'"],"b":1}'),
        (b'{"a": "' + PASSWORD + b'", "b": 1}', b'{"a": "' + MARKED + b'", "b": 1}'),
        (b"{" + PASSWORD, b"{" + MARKED),
        (b'{"id":"' + PASSWORD + b'"}', b'{"id":"' + PASSWORD + b'"}'),
        (b'{"a" : 1.50, "b":"\\u4e2d"}', b'{"a" : 1.50, "b":"\\u4e2d"}'),
    ],
)
def test_lines_of_json_are_written_as_before(line: bytes, expected: bytes):
    lines, _ = redact_lines(b"1\n" + line + b"\n\n", Policy(), keep=frozenset(["id"]))

    assert lines == b"1\n" + expected + b"\n\n"


def test_no_key_is_kept_unless_it_is_named():
    line = b'{"id":"' + PASSWORD + b'"}'

    assert redact_lines(line, Policy()) == (b'{"id":"' + MARKED + b'"}', (("password", 1),))
