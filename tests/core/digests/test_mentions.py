"""Names in a text: files, functions and classes, codes of errors; and what is none."""

from __future__ import annotations

import pytest

from daily_memory.core.digests.mentions import error_codes, identifiers, paths


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

    assert list(paths(text)) == ["src/app.py", "文档/设计.md"]
