"""The gate: nothing that is saved goes round it, and what fails, fails closed."""

from __future__ import annotations

import subprocess
import sys
import time
from datetime import date
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from daily_memory.core.redaction import privacy
from daily_memory.core.redaction.privacy import Policy, redact, redact_session
from daily_memory.core.redaction.user_patterns import Allowance
from daily_memory.core.redaction.view import Redaction, merged, original, view_of, windows
from daily_memory.model import Code, Note, Session

DAY = date(2026, 1, 29)
PASSWORD = "Tiger#" + "2931!"
TOKEN = "ghp_" + "a1B2" * 9
KEY_ID = "AKIA" + "Q3EGRUTZ7VN2K5WX"
ALL = Policy(private_addresses=True)

# ---------------------------------------------------------------------------- private blocks


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a<private>X</private>b", "a[REDACTED:private]b"),
        ("a<private>X", "a[REDACTED:private]"),
        ("<private>x<private>X</private>Y</private>b", "[REDACTED:private]b"),
        ("<private>x<private>X</private>b", "[REDACTED:private]"),
        ("</private>kept<private>X", "</private>kept[REDACTED:private]"),
        ("<PRIVATE>X</Private>b", "[REDACTED:private]b"),
        ("< private >X</ private >b", "[REDACTED:private]b"),
        ('<private reason="x">X</private>b', "[REDACTED:private]b"),
        ("<private/>kept", "<private/>kept"),
        ("<private />kept", "<private />kept"),
        ("```\n<private>X</private>\n```", "```\n[REDACTED:private]\n```"),
        ("&lt;private&gt;X&lt;/private&gt;b", "[REDACTED:private]b"),
        ("&amp;lt;private&amp;gt;X&amp;lt;/private&amp;gt;b", "[REDACTED:private]b"),
        ("\\u003cprivate\\u003eX\\u003c/private\\u003eb", "[REDACTED:private]b"),
        ("<pri\u200bvate>X</private>b", "[REDACTED:private]b"),
        ("<private>\nX\r\nX\n</private>\nb", "[REDACTED:private]\nb"),
        ("<private>X</private><private>Y</private>b", "[REDACTED:private][REDACTED:private]b"),
        ("【私密】X【/私密】b", "[REDACTED:private]b"),
        ("<私密>X</私密>b", "[REDACTED:private]b"),
        ("＜private＞X＜/private＞b", "[REDACTED:private]b"),
        ("＜ ＰＲＩＶＡＴＥ ＞X＜／Private＞b", "[REDACTED:private]b"),
        ("＜pri\u200bvate>X</privａte＞b", "[REDACTED:private]b"),
        ("＜　private　＞X＜　／　private　＞b", "[REDACTED:private]b"),
        ("＜private reason＝“x”＞X", "[REDACTED:private]"),
        ("《private》X《/private》b", "[REDACTED:private]b"),
        ("读了《private》一书", "读了《private》一书"),
        ("<private>X</privat>e</private>b", "[REDACTED:private]b"),
        ("ssh -i <private key> host", "ssh -i <private key> host"),
        ("<private note>X</private>b", "[REDACTED:private]b"),
        ("make the repo private", "make the repo private"),
    ],
)
def test_a_private_block_is_hidden_however_it_is_written(text: str, expected: str) -> None:
    off = Policy(secrets=False, personal=False)

    assert redact(text, off).text == expected


def test_a_private_block_over_several_texts_hides_all_between() -> None:
    texts = ["a<private>X", "X", "", "X</private>b", "c"]

    redacted = privacy.redact_all(texts, Policy())

    assert [found.text for found in redacted] == [
        "a[REDACTED:private]",
        "[REDACTED:private]",
        "",
        "[REDACTED:private]b",
        "c",
    ]


def test_behind_the_end_of_a_private_block_the_next_is_hidden_too() -> None:
    texts = ["<private>X", "X</private>b<private>Y</private>c"]

    redacted = privacy.redact_all(texts, Policy())

    assert redacted[1].text == "[REDACTED:private]b[REDACTED:private]c"


def test_a_private_block_that_nothing_closes_ends_with_its_text() -> None:
    texts = ["a<private>X", "b<private>Y</private>"]

    redacted = privacy.redact_all(texts, Policy())

    assert [found.text for found in redacted] == ["a[REDACTED:private]", "b[REDACTED:private]"]


# ---------------------------------------------------------------------------- sessions

FULL = Session(
    date=DAY,
    number=3,
    time=f"{TOKEN}",
    topic=f"topic {TOKEN}",
    summary=f"summary {TOKEN}",
    key_points=(f"point {TOKEN}", "<private>X", "X", "X</private> kept"),
    decisions=(f"decision {TOKEN}",),
    code=(Code(f"py {TOKEN}", f"key = '{TOKEN}'"), Code("py", "x = 1")),
    open_questions=(f"question {TOKEN}",),
    next_steps=(f"step {TOKEN}",),
    files=(f"a/{TOKEN}.py",),
    tags=("ok", TOKEN, f"x{PASSWORD}", "li@" + "qq.com"),
    notes=(Note(f"heading {TOKEN}", f"text {TOKEN}"),),
    conversation=TOKEN,
    source=TOKEN,
    project=TOKEN,
    origin=TOKEN,
    continues=TOKEN,
    digest=TOKEN,
    copy=2,
)


def test_the_sample_has_a_token_in_every_field_of_text() -> None:
    without = [name for name in Session._fields if TOKEN not in repr(getattr(FULL, name))]

    assert without == ["date", "number", "copy"]


def test_every_text_of_a_session_is_redacted() -> None:
    session, counts = redact_session(FULL, ALL)

    assert TOKEN not in repr(session)
    assert "X" not in repr(session.key_points)
    assert session.key_points[-1] == "[REDACTED:private] kept"
    assert session.code == (Code("", "key = '[REDACTED:github_token]'"), Code("py", "x = 1"))
    assert session.notes == (
        Note("heading [REDACTED:github_token]", "text [REDACTED:github_token]"),
    )
    assert session.tags == ("ok", "redacted", f"x{PASSWORD}")
    assert (session.date, session.number, session.copy) == (DAY, 3, 2)
    assert counts == (("email", 1), ("github_token", 19), ("private", 3))


def test_a_session_without_secrets_is_left_as_it_is() -> None:
    session = Session(DAY, 1, "10:00", "主题", continues="2026-01-28#1~2", digest="0f" * 8)

    assert redact_session(session, ALL) == (session, ())


# ---------------------------------------------------------------------------- policy


@pytest.mark.parametrize(
    "text", ["轮换签名密钥 (2026-01-29#3)", "rotate the password (2026-01-29#3, 2026-01-30#12~2)"]
)
def test_the_id_of_a_session_is_no_password(text: str) -> None:
    assert redact(text, ALL).text == text


@pytest.mark.parametrize(
    "text",
    [
        "password: {}",
        "DB_PASSWORD={}",
        '"password": "{}"',
        "密码是{}",
        "用密码 {} 登录",
        "密码 ({})",
    ],
)
def test_what_only_looks_like_the_id_of_a_session_may_be_a_password(text: str) -> None:
    assert "1990-05-12#7" not in redact(text.format("1990-05-12#7"), ALL).text


def test_secrets_stay_where_the_policy_says_so() -> None:
    text = f"{TOKEN} password={PASSWORD}"

    assert redact(text, Policy(secrets=False)).text == text


def test_what_is_hidden_is_counted_by_kind() -> None:
    redacted = redact(f"{TOKEN} {KEY_ID} {TOKEN} a@" + "qq.com", Policy())

    assert redacted.counts == (("aws_key", 1), ("email", 1), ("github_token", 2))


def test_a_pattern_of_the_user_hides_its_matches() -> None:
    policy = Policy(patterns=(r"EMP-\d{6}", "x*"))

    assert redact("by EMP-123456\nand EMP-654321.", policy).text == (
        "by [REDACTED:custom]\nand [REDACTED:custom]."
    )


def test_a_match_around_a_mark_takes_the_mark_in() -> None:
    policy = Policy(patterns=("a.{4}", "[.]{2}b"))

    assert redact("a[REDACTED:x]..b c", policy).text == "[REDACTED:custom][REDACTED:custom] c"


@pytest.mark.parametrize("pattern", ["[", "(a+)+$"])
def test_with_a_pattern_that_cannot_be_used_every_text_is_withheld(pattern: str) -> None:
    assert redact("a" * 50, Policy(patterns=(pattern,))).text == "[REDACTED:withheld]"


@pytest.mark.parametrize(
    "pattern", [r"EMP-\d{6}", r"E\w+-\d{6}", r"E\w+-\d+.*6", r"E.*M.*P.*-123456"]
)
def test_a_pattern_finds_its_match_anywhere_in_a_long_line(pattern: str) -> None:
    for before in (0, 75, 150, 1_995, 3_995):
        line = "x " * before + "EMP-123456"

        assert redact(line, Policy(patterns=(pattern,))).text.endswith("[REDACTED:custom]")


def test_a_slow_pattern_sees_little_of_a_line_at_a_time() -> None:
    begin = time.process_time()
    redact("ab" * 5_000, Policy(patterns=(".*a.*b.*c",)))

    # Over the whole line it would take hours.
    assert time.process_time() - begin < 30


@pytest.mark.parametrize("allowed", ["li@" + "qq.com", r"\w+@qq\.com", "["])
def test_what_is_allowed_is_never_hidden(allowed: str) -> None:
    text = "li@" + "qq.com and bob@" + "163.com"

    redacted = redact(text, Policy(allow=(allowed,))).text

    assert ("li@" in redacted) == (allowed != "[")
    assert "bob@" not in redacted


def test_a_private_block_is_hidden_even_if_it_is_allowed() -> None:
    text = "<private>x</private>"

    assert redact(text, Policy(allow=(text, ".*"))).text == "[REDACTED:private]"


# ---------------------------------------------------------------------------- failing closed


def test_a_fault_in_a_search_withholds_the_text() -> None:
    def broken() -> float:
        raise RuntimeError

    policy = Policy(patterns=("x",), allowance=Allowance(broken))

    assert redact("some text", policy) == ("[REDACTED:withheld]", (("withheld", 1),))


def test_a_text_that_does_not_come_to_rest_is_withheld() -> None:
    policy = Policy(patterns=(r"x|b\[REDACTED:custom\]",))

    assert redact("bbbx", policy).text == "[REDACTED:custom]"
    assert redact("bbbbbbbbx", policy).text == "[REDACTED:withheld]"


def test_a_text_of_a_size_that_nobody_measured_is_withheld() -> None:
    assert redact("x" * (privacy.MAX_CHARS + 1), Policy()).text == "[REDACTED:withheld]"


# ---------------------------------------------------------------------------- properties

FRAGMENTS = [
    *("password", "=", ":", " ", "\n", '"', "'", "\\", "<private>", "</private>", "密码", "是"),
    *("：", "token", TOKEN, KEY_ID, PASSWORD, "a@" + "b.com", "[REDACTED:x]", "[REDACTED:", "]"),
    *("-----BEGIN RSA PRIVATE KEY-----", "-----END RSA PRIVATE KEY-----", "MIIE" * 8, "://"),
    *("Bearer ", "Cookie: a=", "eyJ", ".", "/", "@", "x", "1", "１", "\u200b", "İ", "+", "，"),
]
TEXTS = st.one_of(
    st.lists(st.sampled_from(FRAGMENTS), max_size=12).map("".join), st.text(max_size=60)
)


@settings(deadline=None)
@given(TEXTS)
def test_a_redacted_text_has_nothing_left_to_hide(text: str) -> None:
    once = redact(text, ALL)

    assert redact(once.text, ALL) == (once.text, ())


@settings(deadline=None)
@given(st.lists(TEXTS, max_size=4), TEXTS)
def test_a_redacted_session_stays_as_it_is(points: list[str], topic: str) -> None:
    session = Session(DAY, topic=topic, key_points=tuple(points), notes=(Note(topic, topic),))

    once, _ = redact_session(session, ALL)

    assert redact_session(once, ALL)[0] == once


@settings(deadline=None)
@given(st.text(max_size=40), st.text(max_size=40))
def test_a_token_never_survives_whatever_stands_around_it(before: str, after: str) -> None:
    text = f"{before} {TOKEN} {after}"

    assert TOKEN not in redact(text, Policy()).text


@settings(deadline=None)
@given(TEXTS, TEXTS)
def test_a_private_block_never_survives_whatever_stands_around_it(before: str, after: str) -> None:
    text = f"{before}<private>mine alone</private>{after}"

    for policy in (Policy(), Policy(secrets=False, personal=False, private_addresses=False)):
        assert "mine alone" not in redact(text, policy).text


@pytest.mark.parametrize("between", ["\n", " "])
def test_a_long_text_has_nothing_left_to_hide_either(between: str) -> None:
    filler = between.join(["some words of a long text"] * 400)
    text = between.join([filler, f"password={PASSWORD}", filler, TOKEN, filler, KEY_ID])

    once = redact(text, ALL)

    assert once.counts == (("aws_key", 1), ("github_token", 1), ("password", 1))
    assert redact(once.text, ALL) == (once.text, ())


@pytest.mark.parametrize("before", ["HFHF", "HFF"])
def test_what_hiding_bares_in_a_long_text_is_found_where_it_moved_to(before: str) -> None:
    filler = "some words of a long text\n" * 900
    phrase = " ".join(["legal", "winner", "thank", "year", "wave", "sausage"] * 2)
    texts = {"F": filler, "H": f"<private>{filler}</private>"}

    text = "".join(texts[part] for part in before) + f"mnemonic: {phrase}482913 is your OTP code"

    assert "482913" not in redact(text, Policy()).text


@given(st.text())
def test_a_view_leads_back_to_each_character(text: str) -> None:
    view = view_of(text)

    assert len(view.lowered) == len(view.text)
    for place in range(len(view.text)):
        found = original(view, Redaction(place, place + 1, "x"))
        assert found.end == found.start + 1
        assert len(view_of(text[found.start : found.end]).text) == 1


# ---------------------------------------------------------------------------- helpers


def test_a_sum_of_texts_is_read_as_one_text_and_a_lone_plus_is_left() -> None:
    assert view_of("'a' + 'b' + \"c").text == "'ab' + \"c"
    assert view_of("1 + 'b").text == "1 + 'b"


def test_overlapping_findings_become_one() -> None:
    findings = [Redaction(8, 9, "c"), Redaction(4, 7, "b"), Redaction(0, 5, "a")]

    assert merged(findings) == [Redaction(0, 7, "a"), Redaction(8, 9, "c")]


def test_the_stretches_around_triggers_cover_three_lines_and_do_not_overlap() -> None:
    view = view_of("0\nkey\n2\n3\n4\nkey\nkey")

    assert windows(view, ("key",)) == [(2, 9), (12, 19)]


def test_a_stretch_of_a_very_long_line_is_bounded() -> None:
    view = view_of("a" * 20_000 + "key" + "a" * 20_000)

    assert windows(view, ("key",)) == [(19_400, 30_000)]


# ---------------------------------------------------------------------------- time

HOSTILE = [
    *("a.", "a@", "a@b.com ", "<private>", "<private ", "&lt;private ", "【私密】"),
    *("-----BEGIN RSA PRIVATE KEY-----", "-----BEGIN PRIVATE KEY-----\nAAAA\n", "eyJ", "eyJa."),
    *("/", "://", "://a:", "pass", "password=", "password: ", "password-", 'secret"', 'token\\"'),
    *("token ", "auth ", "密码", "密码的", "密码是", "sk-", "AKIA", "xoxb-", "1", "12 ", "aA1"),
    *('"', '"+', "\u200b", "ａ", "curl -u ", "mysql -p", "bearer ", "cookie: a=", "machine a "),
    *("\\", "\n", "[REDACTED:x]", "password=[REDACTED:x]", "Private-Lines: 1 a ", "MIIEoIBAAK"),
    *(
        "otpauth://",
        "[pass:",
        "pass:\\",
        "password: sk-&",
        "://a:@tcp(token",
        "user/password ",
        "echo a|",
        "10.",
        "fe80:",
        "电话",
        "@a.",
        "{{",
        "a:1:a:",
        "-",
    ),
    *(
        "password\n",
        "密码\n",
        "password: |\n ",
        "|--|\n|password|\n",
        "password,b\n",
        "a_A1",
        "ghp_\n",
    ),
    *("insert into a (b) values (", 'login("', "%22password%22:", '"a"\n "', "\x1b[0m", "$2b$12$"),
    *("10.0.0.1 ", "+1 ", "DE89 ", "# qq.com", "user a password ", "recovery code a1b2c ", "pin "),
]


@pytest.mark.parametrize("shape", HOSTILE)
def test_a_hostile_text_takes_no_longer_than_its_length_allows(shape: str) -> None:
    text = (shape * 100_000)[:100_000]

    begin = time.process_time()
    redact(text, ALL)
    spent_s = time.process_time() - begin

    # In seconds of the processor. The bound only tells linear (0.2) from quadratic (minutes).
    assert spent_s < 15


@pytest.mark.parametrize(
    "text",
    [
        "cookie: a=" + "MIIEAKIA" * 500,
        "token " + "ABCDEFGH" * 500,
        'secret="' + "key" * 2_600 + '"',
        "password=" + "a.b-" * 60 + "!",
        "-----BEGIN PRIVATE KEY-----\n" + "+" * 4_000 + "-",
        "key = " + ",abc" * 2_000,
    ],
)
def test_a_long_value_is_judged_at_once(text: str) -> None:
    begin = time.process_time()
    redact("\n".join([text] * 10), ALL)

    assert time.process_time() - begin < 15


def test_blanks_without_end_behind_a_name_take_no_time() -> None:
    begin = time.process_time()
    redact("password" + " " * 200_000, ALL)

    assert time.process_time() - begin < 15


def test_start_up_compiles_no_pattern_and_a_line_is_no_output_of_a_command() -> None:
    program = (
        "import re, sys, json; real, seen = re.compile, []\n"
        "re.compile = lambda *given: seen.append(given[0]) or real(*given)\n"
        "from daily_memory.core.redaction import privacy\n"
        "print(json.dumps([seen, [m for m in ('dataclasses', 'base64', 'json.x') "
        "if m in sys.modules]]))\n"
        "privacy.redact('$ pass show x', privacy.Policy())\n"
        "print('daily_memory.core.redaction.command_output' in sys.modules)"
    )
    root = Path(privacy.__file__).parents[3]

    done = subprocess.run(
        [sys.executable, "-c", program], cwd=root, capture_output=True, text=True, check=True
    )

    assert done.stdout.split("\n")[:2] == ["[[], []]", "False"]


@pytest.mark.parametrize(
    "tag",
    ['password-=-"Hx7pQ2mK9wLz"', '{"client_secret":-"Hx7pQ2mK9wLz4d"}', "x" * 101],
)
def test_a_secret_whose_blanks_became_hyphens_is_no_tag(tag):
    session = Session(date(2026, 1, 29), topic="x", tags=("redis-cache", tag))

    assert privacy.redact_session(session, Policy())[0].tags == ("redis-cache", "redacted")


def test_many_sessions_together_give_what_each_gives_alone():
    secret = "password = " + "hunter2"
    clean = Session(date(2026, 1, 1), 1, topic="Redis 缓存", tags=("redis-cache", "缓存"))
    sessions = [
        clean._replace(topic="wake up"),
        clean._replace(topic=secret, tags=("redis-cache", "password-is-hunter2", "x" * 200)),
        clean._replace(summary="<private>a", key_points=("redis", "b</private>")),
        clean._replace(topic="redis", key_points=("redis", "wake up", secret)),
    ] * 9

    together = list(privacy.redact_sessions(sessions, Policy()))

    assert together == [redact_session(session, Policy()) for session in sessions]
    assert [bool(counts) for _, counts in together[:4]] == [False, True, True, True]
    assert list(privacy.redact_sessions([], Policy())) == []


@pytest.mark.parametrize("filler", ["", "nothing of it is in these words. " * 200])
@pytest.mark.parametrize("end", ["\t", "\n", " "])
def test_a_trigger_that_ends_in_a_blank_is_known_in_long_texts_too(filler, end):
    # Four words of four letters, as a mail service hands them out for other programs.
    code = " ".join(("abcd", "efgh", "ijkl", "mnop"))

    found = redact(f"{filler}\npass{end}: {code}\n{filler}", Policy())

    assert code not in found.text
