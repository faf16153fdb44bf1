"""Private blocks: where one begins and ends, over several texts."""

from __future__ import annotations

import pytest

from daily_memory.core.redaction.private_blocks import private_findings
from daily_memory.core.redaction.view import views_of


@pytest.mark.parametrize(
    ("texts", "left"),
    [
        (["a<private>X</private>b<private>Y</private>c"], ["a|b|c"]),
        (["a<private>X<private>Y</private>Z</private>b"], ["a|b"]),
        (["a<private>X<private>Y</private>Z"], ["a|"]),
        (["a</private>b"], ["a</private>b"]),
        (["<private>X", "X</private>b<private>Y</private>c"], ["|", "|b|c"]),
        (["<private>X", "<private>Y</private>Z</private>b"], ["|", "|b"]),
        (["<private>X", "", "</private>b</private>c", "d"], ["|", "", "|c", "d"]),
        (["a<private>X", "b<private>Y</private>"], ["a|", "b|"]),
        (["</private>a<private>X", "b"], ["</private>a|", "b"]),
        (["<private>X", "</private>", "c<private>Y", "Z</private>d"], ["|", "|", "c|", "|d"]),
        (
            ["a<private/>b", "c《private》d", "e《private》X《/private》f"],
            ["a<private/>b", "c《private》d", "e|f"],
        ),
        (["<private/>a<private>X</private>b"], ["<private/>a|b"]),
        (["a<private>X</private/>b"], ["a|"]),
        (["a<private key>X</private/>b"], ["a|"]),
        (["a<private reason='x'>X</private>b", "<private key>"], ["a|b", "<private key>"]),
        (["a&lt;private&gt;X&lt;/private&gt;b", "a【私密】X【/私密】b"], ["a|b", "a|b"]),
    ],
)
def test_what_is_not_private_is_left(texts: list[str], left: list[str]) -> None:
    views = views_of(texts)

    shown = []
    for view, findings in zip(views, private_findings(views), strict=True):
        text = view.text
        for found in reversed(findings):
            text = f"{text[: found.start]}|{text[found.end :]}"
        shown.append(text)

    assert shown == left
