from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daily_memory.core.search import fields, text
from daily_memory.core.search.keywords import keywords, suggest_tags, suggest_topic
from daily_memory.model import FLAG_TAGS, Code, Session

DAY = date(2026, 1, 29)
PLAYER = Session(
    DAY,
    key_points=(
        "播放器优化：首帧缓存从 3s 降到 1.2s",
        "使用 Redis 缓存接口数据，TTL 选择 600 秒",
        "修复 C++ 解码线程死锁",
    ),
)


def test_keywords_are_words_as_written_the_telling_ones_first():
    session = Session(DAY, topic="缓存方案", key_points=("Redis caches, maxRetryCount 3 使用的",))

    found = keywords(session)

    assert found[0] == "缓存"
    assert {"方案", "redis", "caches", "maxRetryCount"} <= set(found)
    assert found.index("maxRetryCount") < found.index("3")


def test_a_lonely_character_is_a_keyword():
    assert keywords(Session(DAY, topic="茶 C++ Cat cats")) == ["c++", "cat", "茶"]


@given(st.lists(st.text(st.sampled_from("aB_9.缓存的 cache3.1#+"), max_size=30), max_size=4))
def test_keywords_are_at_most_sixteen_words_of_the_session(points):
    session = Session(DAY, key_points=tuple(points))

    found = keywords(session)

    assert set(text.terms("\n".join(found))) <= set(fields.read(session).impacts)
    assert len(found) == len(set(found)) <= 16
    assert bool(found) == bool(fields.read(session).impacts)


def test_tags_name_what_a_session_is_about():
    assert suggest_tags(PLAYER) == ("缓存", "优化", "接口", "播放器", "死锁")


def test_tags_of_code_are_words_and_no_numbers():
    session = Session(
        DAY, topic="Fix the RetryPolicy in retry_policy.py", code=(Code("py", "x = 404"),)
    )

    found = suggest_tags(session)

    assert found[0] == "retry_policy"
    assert "404" not in found


def test_a_word_that_holds_a_tag_is_not_another_tag():
    found = suggest_tags(Session(DAY, topic="database databases 登陆接口超时了 ab"))

    assert "databases" not in found


def test_a_word_inside_other_words_is_not_said_again():
    often = "cluster " * 60
    once = "the redix, a tredixo and redixes; " + often
    twice = "the redix and the redix; " + often

    tags = [suggest_tags(Session(DAY, topic=text), said=text) for text in (once, twice)]

    assert ["redix" in each for each in tags] == [False, True]


def test_the_topic_is_the_first_sentence():
    assert suggest_topic(PLAYER) == "播放器优化：首帧缓存从 3s 降到 1.2s"
    assert suggest_topic(Session(DAY, summary="- We moved. Then we slept.")) == "We moved"
    assert suggest_topic(Session(DAY, summary="# \n", key_points=("好的。走吧",))) == "好的"


def test_a_long_sentence_is_cut_at_a_word_or_in_chinese_at_a_character():
    english = suggest_topic(Session(DAY, summary="word " * 40))
    chinese = suggest_topic(Session(DAY, summary="字" * 100))

    assert english == f"{'word ' * 10}word…"
    assert chinese == f"{'字' * 59}…"


def test_a_session_that_says_nothing_has_no_topic_and_no_tags():
    session = Session(DAY, tags=("redis",))

    assert (suggest_topic(session), suggest_tags(session)) == ("", ())


def test_no_suggested_tag_is_a_flag():
    said = (
        "Our private npm registry; private subnet; outdated dependency; important header",
        "重要：私密的依赖过时了。私密、重要、过时",
    )

    found = suggest_tags(Session(DAY, topic="Private methods", key_points=said))

    assert found
    assert not FLAG_TAGS & {tag.casefold() for tag in found}


def test_a_flag_takes_the_place_of_no_other_suggestion():
    assert suggest_tags(Session(DAY, topic="private private registry")) == ("registry",)


def test_a_piece_of_chinese_is_no_tag():
    said = (
        "缓存过期时间定为 300 秒",
        "图书封面缺失时显示默认图，默认图放在 CDN",
        "接入滑块的成本",
    )

    assert suggest_tags(Session(DAY, key_points=said)) == ("缓存", "cdn")


def test_chinese_that_stands_by_itself_or_in_several_places_is_a_tag():
    said = ("轮换周期 90 天", "把验证码改成滑块，滑块：第三方", "先接入滑块再说")

    assert {"轮换周期", "滑块"} <= set(suggest_tags(Session(DAY, key_points=said)))


LONG = "cluster node shard " * 30


@pytest.mark.parametrize(
    ("word", "said", "expected"),
    [
        # where much is said, a word has to be said twice, by itself
        ("redix", "redix", False),
        ("redix", "redix and redix", True),
        ("redix", "xredix and redix", False),
        # an abbreviation once; a longer word is none
        ("qps", "QPS", True),
        ("qps", "qps and qps", False),
        ("abcd", "ABCD", False),
        ("abcd", "abcd and abcd", True),
        # a form of a word is none, a name with one is
        ("quickly", "quickly and quickly", False),
        ("running", "running and running", False),
        ("shifted", "shifted and shifted", False),
        ("moved_ed", "moved_ed and moved_ed", True),
    ],
)
def test_what_a_word_needs_to_be_a_tag(word, said, expected):
    session = Session(DAY, topic=said)

    assert (word in suggest_tags(session, said=f"{said} {LONG}")) == expected


def test_where_little_is_said_a_word_is_a_tag_at_once():
    session = Session(DAY, topic="redix")

    assert suggest_tags(session, said=f"redix {LONG}"[:400]) == ("redix",)
    assert suggest_tags(session, said=f"redix {LONG}"[:401]) == ()


@pytest.mark.parametrize(
    ("said", "expected"),
    [("接滑块,换滑块来", True), ("接滑块,接滑块来", False), ("接滑块来,换滑块来", False)],
)
def test_chinese_with_more_than_one_neighbour_on_either_side_is_a_word(said, expected):
    session = Session(DAY, topic="滑块")

    assert ("滑块" in suggest_tags(session, said=said)) == expected


def test_measures_are_no_tags():
    assert suggest_tags(Session(DAY, topic="p99 latency 28s 2.3mb v2 120 1x")) == ("latency",)


def test_the_heaviest_of_many_words_comes_first():
    many = " ".join(f"w{a}{b}x" for a in "abcdefghij" for b in "klmnopqr")

    found = keywords(Session(DAY, topic="zebra", key_points=(f"{many} timeout",)))

    assert found[:2] == ["zebra", "timeout"]
    assert len(found) == 16


def test_of_words_of_the_same_weight_the_more_telling_come_first():
    said = "3 ab 的茶 added alpha timeout"

    assert keywords(Session(DAY, topic=said)) == ["timeout", "alpha", "ab", "added", "3", "的茶"]


@pytest.mark.parametrize(
    ("said", "tags"),
    [
        # A technical word counts twice, Chinese that may be a word half.
        ("zebra abc cache 滑块", ("cache", "zebra", "abc", "滑块")),
        ("alpha alpha cache", ("alpha", "cache")),
        # Words of less than four letters count less.
        ("zebra yard", ("yard", "zebra")),
        ("qp zebra", ("zebra", "qp")),
        # A word that holds another, or is held, is not named beside it, but for the shortest.
        ("qp qp qpzebra", ("qp", "qpzebra")),
        ("qpr qpr qprzebra", ("qpr",)),
        (f"{'y' * 24} {'z' * 25}", ("y" * 24,)),
        # A technical word is one in any neighbourhood, and what holds it is none beside it.
        ("换缓存了", ("缓存",)),
        ("缓存层", ("缓存",)),
        # Addresses, colors, numbers of commits, endings of files and options are no words.
        ("zebra https://quagga.example/okapi www.kudu.example", ("zebra",)),
        ("zebra #facade 0xdecade 1a2b3cdef main.rs -v --oryx --dry-run", ("main", "zebra")),
    ],
)
def test_which_words_are_tags_and_in_which_order(said, tags):
    assert suggest_tags(Session(DAY, topic=said)) == tags


def test_a_technical_word_is_a_tag_wherever_it_is_said():
    tags = suggest_tags(Session(DAY, topic="cache 超时"), said=f"a cache, 超时重试 {LONG}")

    assert tags == ("cache", "超时")


@pytest.mark.parametrize(
    ("said", "topic"),
    [
        ("Is it? Yes", "Is it"),
        ("好！的", "好"),
        ("好；的", "好"),
        ("one\ntwo", "one"),
        (" - * a", "a"),
        ("etc.", "etc"),
        ("the X axis", "the X axis"),
        ("。好", "。好"),
        ("v1.2 is out. Yes", "v1.2 is out"),
        ("a" * 60, "a" * 60),
        ("a" * 61, "a" * 59 + "…"),
        ("x" * 30 + " " + "y" * 40, "x" * 30 + " " + "y" * 28 + "…"),
        ("x" * 31 + " " + "y" * 40, "x" * 31 + "…"),
    ],
)
def test_where_the_first_sentence_ends_and_is_cut(said, topic):
    assert suggest_topic(Session(DAY, topic=said)) == topic
