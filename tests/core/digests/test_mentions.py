"""Names in a text: files, functions and classes, codes of errors, tags; and what is none."""

from __future__ import annotations

from datetime import date

import pytest

from daily_memory.core.digests.digest import digest
from daily_memory.core.digests.mentions import error_codes, file_paths, identifiers
from daily_memory.core.digests.messages import Message
from daily_memory.model import FLAG_TAGS

DAY = date(2026, 1, 29)


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ("npm 报错 E404，找不到包", ["E404"]),
        ("connect ECONNREFUSED 127.0.0.1:6379", ["ECONNREFUSED"]),
        ("抛出了 TypeError，不是 ValueError。", ["TypeError", "ValueError"]),
        ("HTTP 500, HTTP/1.1 502 and status code 404", ["HTTP-500", "HTTP-502", "HTTP-404"]),
        ("接口返回 502，偶尔报 500", ["HTTP-502", "HTTP-500"]),
        ("fatal error C1083 and LNK2038", ["C1083", "LNK2038"]),
        ("SQLSTATE[42P01] … SQLSTATE: 40P01", ["SQLSTATE-42P01", "SQLSTATE-40P01"]),
        ("error TS2345, error[E0382], CS0246", ["TS2345", "E0382", "CS0246"]),
        ("ERR_MODULE_NOT_FOUND, SIGSEGV", ["ERR_MODULE_NOT_FOUND", "SIGSEGV"]),
        ("pod 状态 CrashLoopBackOff", ["CrashLoopBackOff"]),
        ("Segmentation fault (core dumped)", ["Segmentation-fault"]),
        ("CVE-2024-3094 and 0x80070005", ["CVE-2024-3094", "0x80070005"]),
        ("in 500 ms, 404 rows, port 5432, #E404a, EVERYTHING, COVID19", []),
    ],
)
def test_codes_of_errors_are_found_and_numbers_are_not(text, codes):
    assert list(error_codes(text)) == codes


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("`TokenStore.refresh()` 清掉了 `inflight`", ["TokenStore"]),
        ("调用 export_orders() 之后", ["export_orders"]),
        ("the RetryPolicy of `api.retry_later`", ["RetryPolicy", "retry_later"]),
        ("`std::vector`, `x = 1`, print(1), Redis, `a`", []),
    ],
)
def test_functions_and_classes_are_found_and_plain_words_are_not(text, names):
    assert list(identifiers(text)) == names


def test_paths_are_files_and_not_addresses_or_products():
    text = "改 src/app.py:3 和 `文档/设计.md`，见 https://x.org/a.html，用 Node.js，问 a@b.md"

    assert list(file_paths(text)) == ["src/app.py", "文档/设计.md"]


# ---------------------------------------------------------------------------- tags


def tags_of(*turns: str) -> tuple[str, ...]:
    messages = [
        Message("assistant" if index % 2 else "user", text) for index, text in enumerate(turns)
    ]
    return digest(messages, DAY).tags


LONG = "我们先看了日志和监控，没有别的发现。" * 25


def test_a_piece_of_grammar_is_no_word_and_what_has_many_neighbours_is_one() -> None:
    tags = tags_of(
        "排班太慢，新排班页面到底用哪个组件，店长排班经常出错",
        f"排班页面到底用拖拽还是表格，取决于店长。{LONG}",
        "到底用拖拽吧，排班",
    )

    assert "页面" in tags
    assert "底用" not in tags


def test_a_short_word_is_a_tag_where_it_is_an_abbreviation() -> None:
    long = "We looked at the logs and the graphs and found nothing else. " * 10
    tags = tags_of(
        "the ANR rate of the app and the len of the buf are off",
        f"The ANR comes from the buf; its len is wrong. {long}",
        "ok, the ANR and the len and the buf",
    )

    assert "ANR" in tags
    assert "buf" not in tags


def test_a_form_of_a_verb_is_no_tag_in_a_long_conversation() -> None:
    long = "We looked at the logs and the graphs and found nothing else. " * 10
    tags = tags_of(
        "checkout keeps flaking in staging, flaking since the deploy of checkout",
        f"It was flaking as checkout raced with the seed. {long}",
    )

    assert "checkout" in tags
    assert "flaking" not in tags


def test_no_tag_of_a_digest_is_a_flag() -> None:
    tags = tags_of(
        "our `Private` npm registry and the Important header: make the methods private #private",
        "The methods are private now, the Important header is set, the Private registry answers.",
        "the outdated dependency is gone; 重要的是私密仓库，过时的依赖删了。私密仓库、过时的依赖",
    )

    assert "registry" in tags
    assert not FLAG_TAGS & {tag.casefold() for tag in tags}
