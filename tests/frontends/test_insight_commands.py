"""The commands that look at the memory as a whole: `memory report`, `review` and `summarize`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from daily_memory.frontends.cli import terminal


@pytest.fixture
def filled(cli):
    """The command line in a project that said one thing, and later another."""
    for day, topic, decision in (
        ("2026-01-02", "后端框架", "用 Flask 写后端接口"),
        ("2026-01-09", "Backend", "Replaced Flask by FastAPI"),
    ):
        session = {"date": day, "time": "10:00", "topic": topic, "decisions": [decision]}
        cli("save", stdin=json.dumps({**session, "tags": ["后端"]}))
    return cli


SUMMARY = Path(".cursor/skills/memories/summary.md")


# ---------------------------------------------------------------------------- report


def test_a_report_is_numbers_as_text(filled):
    out = filled("report", "--days", "4000").out

    assert "sessions 2, days with sessions 2, observations 0" in out
    assert "  2  后端" in out
    assert "  1.00 of 1 on average" in out


def test_the_library_the_command_and_the_page_give_the_same_numbers(filled, tmp_path):
    told = filled("report", "--days", "4000", "--json").json()

    outcome = filled("report", "--days", "4000", "--html", "report.html")

    page = Path("report.html").read_text(encoding="utf-8")
    assert (outcome.out, outcome.err) == ("", "report.html: open it in a browser\n")
    assert told["sessions"] == 2
    assert f"<dd>{told['sessions']}</dd>" in page
    assert "<script" not in page


def test_a_page_with_the_numbers_as_json(filled):
    outcome = filled("report", "--html", "report.html", "--json")

    assert outcome.json()["flags"]["private"] == 0
    assert Path("report.html").exists()


def test_a_file_that_is_there_is_replaced_only_if_told(filled):
    Path("report.html").write_text("mine", encoding="utf-8")

    refused = filled("report", "--html", "report.html")

    assert refused.status == 2
    assert "is there already" in refused.err
    assert Path("report.html").read_text(encoding="utf-8") == "mine"
    assert filled("report", "--html", "report.html", "--force").status == 0


@pytest.mark.parametrize(
    ("words", "error"),
    [
        (("--days", "0"), "--days: 0 is not between 1 and"),
        (("--days", "9999999999"), "is not between 1 and"),
        (("--force",), "--force goes with --html FILE only"),
    ],
)
def test_a_report_that_can_not_be_is_refused(cli, words, error):
    refused = cli("report", *words)

    assert refused.status == 2
    assert error in refused.err


# ---------------------------------------------------------------------------- review


def test_a_review_shows_both_statements_and_what_would_mend_them(filled):
    outcome = filled("review")

    assert outcome.out.startswith(
        "contradicted later: 1\n"
        "  2026-01-02#1    后端框架\n"
        "  2026-01-09#1    Backend\n"
        '      "用 Flask 写后端接口" … but later "Replaced Flask by FastAPI"\n'
        "      memory mark 2026-01-02#1 --outdated\n"
    )
    assert outcome.err == "2 sessions: nothing was changed\n"


def test_what_a_review_proposes_mends_it(filled):
    (found, *_) = filled("review", "--json").json()["findings"]

    assert filled(*found["command"].split()[1:]).status == 0

    assert filled("review").err == "2 sessions: nothing to look at\n"


def test_a_review_shows_the_first_of_each_kind(cli):
    for number in range(7):
        topic = {"topic": f"第 {number} 次", "conversation": f"c{number}", "tags": ["x"]}
        cli("save", stdin=json.dumps(topic))
    cli("add", "geheim #private")

    outcome = cli("review", "--limit", "2")

    assert "thin or noisy: 7, the first 2: --limit 0 shows all\n" in outcome.out
    assert outcome.out.count("memory edit") == 2
    assert outcome.err == "8 sessions; 1 private not looked at: nothing was changed\n"
    assert cli("review", "--limit", "0").out.count("memory edit") == 7
    assert cli("review", "--limit", "-1").status == 2


# ---------------------------------------------------------------------------- summarize


def test_a_summary_is_shown_and_written(filled):
    outcome = filled("summarize")

    assert outcome.out == "## 有效的决策\n- Replaced Flask by FastAPI (2026-01-09#1)\n"
    assert outcome.err.endswith("summary.md: 1 line; written\n")
    assert outcome.out in SUMMARY.read_text(encoding="utf-8")
    assert filled("summarize").err.endswith("1 line; unchanged\n")


def test_a_trial_writes_nothing(filled):
    outcome = filled("summarize", "--dry-run")

    assert outcome.err.endswith("1 line; would change\n")
    assert not SUMMARY.exists()


def test_a_summary_as_json_and_with_little_room(filled):
    for number in range(20):
        session = {"topic": "x", "decisions": [f"决定把组件 gamma{number} 放进服务 {number}"]}
        filled("save", stdin=json.dumps(session))

    told = filled("summarize", "--max-chars", "200", "--json").json()

    assert told["changed"] is True
    assert len(told["text"]) <= 200
    assert told["left_out"] > 10
    assert f"{told['left_out']} more did not fit" in filled("summarize", "--max-chars", "200").err
    assert filled("summarize", "--max-chars", "20").status == 2


def test_a_memory_that_lays_nothing_down(cli):
    cli("save", stdin=json.dumps({"topic": "聊了聊"}))

    outcome = cli("summarize")

    assert outcome.out == ""
    assert outcome.err.endswith("summary.md: 0 lines; unchanged\n")


def test_a_person_at_a_terminal_is_reminded_of_a_review_once(cli, monkeypatch):
    cli("save", stdin=json.dumps({"topic": "旧的", "date": "2020-01-01"}))
    silent = cli("list")
    monkeypatch.setattr(terminal, "is_terminal", lambda: True)

    as_json = cli("list", "--json")
    reminded = cli("list")
    again = cli("today")

    assert "审核" not in silent.err + as_json.err + again.err
    assert "天没有审核" in reminded.err
