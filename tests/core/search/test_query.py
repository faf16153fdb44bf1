from datetime import date
from math import log

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daily_memory.core.search import query as querying
from daily_memory.core.search.dates import Period
from daily_memory.core.search.query import prepare
from daily_memory.model import Session
from tests.core.memories import ListedPostings

TODAY = date(2026, 1, 29)
MEMORY = ListedPostings(
    [
        Session(TODAY, topic="redis cache TTL", key_points=("timeout of the connection pool",)),
        Session(TODAY, topic="播放器优化", key_points=("首帧缓存", "数据库迁移")),
    ]
)
EMPTY = ListedPostings([])


def test_a_known_word_is_looked_for_as_it_is():
    query = prepare("What TTL for Redis?", MEMORY, TODAY)

    assert [(term.term, term.word, term.kind) for term in query.terms] == [
        ("ttl", "TTL", "exact"),
        ("redi", "Redis", "exact"),
    ]
    assert query.mass == sum(term.weight for term in query.terms)


def test_an_unknown_word_becomes_words_like_it_and_still_weighs():
    query = prepare("conection", MEMORY, TODAY)

    assert [(term.term, term.word, term.kind) for term in query.terms] == [
        ("connect", "conection", "fuzzy")
    ]
    assert query.terms[0].weight < query.mass


def test_a_mistyped_stop_word_asks_for_nothing():
    assert prepare("redis thier", MEMORY, TODAY) == prepare("redis", MEMORY, TODAY)


@pytest.mark.parametrize("question", ["ttk", "缓冲", "err404"])
def test_short_words_chinese_and_codes_are_not_expanded(question):
    query = prepare(question, MEMORY, TODAY)

    assert all(term.kind == "exact" for term in query.terms)


def test_a_technical_word_finds_its_name_in_the_other_language_weakly():
    english = prepare("cache", MEMORY, TODAY)
    chinese = prepare("超时", MEMORY, TODAY)

    assert [(term.term, term.kind) for term in english.terms] == [
        ("cach", "exact"),
        ("缓存", "synonym"),
        ("redi", "synonym"),
    ]
    assert english.terms[1].weight < english.terms[0].weight
    assert [(term.term, term.word, term.kind) for term in chinese.terms] == [
        ("timeout", "超时", "synonym")
    ]


def test_a_long_name_in_the_other_language_shares_its_weight_among_its_pairs():
    query = prepare("database", MEMORY, TODAY)

    assert [term.term for term in query.terms] == ["数据", "据库"]


def test_words_that_say_little_and_single_characters_weigh_less():
    general = prepare("used redis", MEMORY, TODAY)
    chinese = prepare("播放的", MEMORY, TODAY)
    share = {term.term: term.weight for term in chinese.terms}

    assert general.mass < 2 * prepare("redis", MEMORY, TODAY).mass + 5
    assert share["播"] < share["播放"]


@pytest.mark.parametrize(
    ("term", "share"),
    [("redis", 1.0), ("use", 0.5), ("播放", 1.0), ("播", 0.5), ("的", 0.15), ("的播", 0.3)],
)
def test_what_a_term_weighs_by_its_form(term, share):
    assert querying.form_share(term) == pytest.approx(share)


def test_a_word_in_the_other_language_weighs_a_third_and_half_of_that_if_it_is_unknown():
    rarity = querying.Rarity(MEMORY.count)

    weights = [prepare(word, MEMORY, TODAY).terms[-1].weight for word in ("cache", "超时", "缓存")]

    assert weights == pytest.approx([0.3 * rarity(1), 0.15 * rarity(1), 0.3 * rarity(1)])


@pytest.mark.parametrize(
    ("question", "term", "weight"),
    [
        # The memory has "cache" and "缓存", and "queue" alone of a kind of two words.
        ("cache", "redi", 0.3),
        ("缓存", "redi", 0.3),
        ("message queue", "kafka", 2 * 0.6),
        # It has nothing of the first question, and is in Chinese for all that the second tells.
        ("消息队列", "kafka", 2 * 0.6 * 0.5),
        ("缓存 消息队列", "kafka", 2 * 0.6),
        ("orm", "gorm", 0.6),
    ],
)
def test_a_name_weighs_by_the_words_of_its_kind_and_more_where_the_kind_is_nowhere(
    question, term, weight
):
    sessions = ["redis cache 缓存", "kafka queue", "gorm"]
    memory = ListedPostings([Session(TODAY, n, topic=each) for n, each in enumerate(sessions)])

    weights = {each.term: each.weight for each in prepare(question, memory, TODAY).terms}

    assert weights[term] == pytest.approx(weight * querying.Rarity(3)(1))


def test_of_a_word_in_a_language_that_a_memory_has_not_each_character_is_a_quarter():
    query = prepare("播放器", EMPTY, TODAY)

    assert query.mass == pytest.approx(0.75 * querying.Rarity(0)(0))


def test_a_word_counts_by_its_length_once():
    query = prepare("redis pool", MEMORY, TODAY)

    assert sum(weight for _, weight in query.grams) == pytest.approx(query.mass)
    assert len(query.grams) == 4
    (pair,) = prepare("connection pool", MEMORY, TODAY).pairs
    assert pair.weight == pytest.approx(prepare("connection pool", MEMORY, TODAY).mass / 2)


def test_what_a_mistyped_word_may_mean_weighs_by_how_likely_it_is():
    memory = ListedPostings([Session(TODAY, topic=topic) for topic in ("file", "file", "fill")])
    rarity = querying.Rarity(3)

    query = prepare("fiel", memory, TODAY)

    assert [(term.term, term.word, term.frequency) for term in query.terms] == [
        ("file", "fiel", 2),
        ("fill", "fiel", 1),
    ]
    assert [term.weight for term in query.terms] == pytest.approx(
        [0.75 * 2 / 3 * rarity(2), 0.75 * 1 / 3 * rarity(1)]
    )
    assert query.mass == pytest.approx(rarity(2))


@pytest.mark.parametrize(
    ("question", "near"),
    [
        ("首缓存帧", {"存帧", "首缓"}),  # moved
        ("首缓存", {"首缓"}),  # 首帧缓存 without a character
        ("数迁库", {"数迁", "迁库", "数库"}),  # and 迁 may be the wrong one
        ("首饰缓存", {"首缓"}),  # nothing has 饰
        ("首帧", set()),
    ],
)
def test_pairs_that_nothing_has_are_looked_for_near_each_other(question, near):
    query = prepare(question, MEMORY, TODAY)

    assert {term.term for term in query.terms if term.kind == "near"} == near
    assert {term.weight > 0 for term in query.terms if term.kind == "near"} <= {True}


def test_a_word_that_is_asked_for_as_well_is_no_guess():
    (term,) = prepare("connection conection", MEMORY, TODAY).terms

    assert (term.kind, term.weight) == ("exact", querying.Rarity(MEMORY.count)(1))


def test_a_mistyped_part_of_a_name_and_a_mistyped_month_are_read_as_they_were_meant():
    memory = ListedPostings([Session(TODAY, topic="python2 in january")])

    name = prepare("pyfhon2", memory, TODAY)
    month = prepare("python in Jnauary", memory, TODAY)

    assert {term.term: term.kind for term in name.terms} == {
        "python2": "fuzzy",
        "python": "fuzzy",
        "2": "exact",
    }
    assert month == prepare("python in january", memory, TODAY)
    assert month.dates


@pytest.mark.parametrize(
    ("question", "known", "shares"),
    [
        # A character at an end is in one pair, any other in two: each counts half a word.
        ("播放器", "播放", {"放器": 0.5}),
        ("播放器", "放器", {"播放": 0.5}),
        ("播放器缓存", "播放 缓存", {"放器": 0.25, "器缓": 0.25}),
        ("播放器缓存", "播放器", {"器缓": 0.25, "缓存": 0.75}),
        ("播放 器", "播放", {}),
        # Other words change nothing of that.
        ("redis 播放器 ttl", "播放 redis ttl", {"放器": 0.5}),
    ],
)
def test_of_an_unknown_pair_what_is_in_no_known_one_weighs(question, known, shares):
    memory = ListedPostings([Session(TODAY, topic=known)])

    weights = dict(prepare(question, memory, TODAY).grams)

    unknown = querying.Rarity(1)(0)
    pairs = {gram: weight for gram, weight in weights.items() if gram >= "一"}
    open_ = {gram: weight for gram, weight in pairs.items() if gram not in known and weight}
    assert open_ == pytest.approx({pair: share * unknown for pair, share in shares.items()})


def test_chinese_words_of_grammar_ask_for_nothing():
    memory = ListedPostings([Session(TODAY, topic="为什么我们没有缓存")])

    asked = prepare("为什么我们没有缓存", memory, TODAY)

    assert [term.term for term in asked.terms] == ["缓", "存", "有缓", "缓存"]
    assert prepare("为什么我们没有", memory, TODAY).mass == 0


def test_words_of_grammar_count_beside_a_single_character():
    memory = ListedPostings([Session(TODAY, topic="我们用 pnpm")])

    few = prepare("用", memory, TODAY)
    small_talk = prepare("他们用的是什么", memory, TODAY)

    assert small_talk.mass > 3 * few.mass


def test_neighbours_are_pairs_across_stop_words():
    query = prepare("timeout of the connection pool, 优化播放器", MEMORY, TODAY)
    terms = [term.term for term in query.terms]

    pairs = [(terms[pair.first], terms[pair.second]) for pair in query.pairs]

    assert pairs == [("timeout", "connect"), ("connect", "pool")]


def test_a_mistyped_word_is_the_neighbour_that_the_word_meant_is():
    query = prepare("conection pool", MEMORY, TODAY)
    terms = [term.term for term in query.terms]

    assert [(terms[pair.first], terms[pair.second]) for pair in query.pairs] == [
        ("connect", "pool")
    ]


def test_letters_of_short_words_count_as_well():
    query = prepare("db 缓存", MEMORY, TODAY)

    assert {gram for gram, _ in query.grams} == {" db", "缓存"}


@pytest.mark.parametrize(
    "question",
    ["还记得我们讨论过的缓存吗", "last time we talked about 缓存", "上次我们讨论的缓存"],
)
def test_words_that_refer_to_earlier_work_are_not_looked_for(question):
    terms = {term.term for term in prepare(question, MEMORY, TODAY).terms}

    assert {"缓存"} <= terms
    assert not terms & {"讨", "论", "讨论", "talk", "time", "last"}


def test_a_mistyped_word_weighs_what_the_word_meant_does():
    mistyped, right = prepare("conection", MEMORY, TODAY), prepare("connection", MEMORY, TODAY)

    assert mistyped.mass == pytest.approx(right.mass)


def test_a_word_that_all_sessions_have_tells_almost_nothing():
    rarity = querying.Rarity(1000)

    assert rarity(1000) < 0.01 * rarity(1)


def test_a_date_counts_in_full_where_it_is_said_and_is_hardly_missed_elsewhere():
    sessions = ListedPostings([Session(TODAY, topic="redis on january 12")])

    query = prepare("redis on January", sessions, TODAY)

    weights = {term.term: term.weight for term in query.terms}
    assert weights["januari"] == weights["redi"]
    assert query.mass == pytest.approx(1.3 * weights["redi"])


def test_a_year_counts_little_as_most_dates_have_it():
    sessions = ListedPostings([Session(TODAY, topic="redis 2026-01-12")])

    weights = {t.term: t.weight for t in prepare("redis on 2026-01-12", sessions, TODAY).terms}

    assert weights["12"] == weights["redi"]
    assert weights["2026"] == pytest.approx(0.3 * weights["redi"])


def test_a_day_in_the_question_is_noted():
    query = prepare("redis yesterday", MEMORY, TODAY)

    day = date(2026, 1, 28)
    assert query.dates == (Period(day, day),)


@given(st.text(), st.sampled_from([MEMORY, EMPTY]))
def test_any_text_is_a_question(question, memory):
    query = prepare(question, memory, TODAY)

    assert len(query.terms) <= querying.MAX_TERMS
    assert all(term.weight > 0 for term in query.terms)


def test_a_megabyte_is_a_question_too():
    query = prepare("redis\0" * 200_000, MEMORY, TODAY)

    assert [term.term for term in query.terms] == ["redi"]


@pytest.mark.parametrize(
    "question",
    [
        *(
            "just now",
            "where did we leave off",
            "where we left off",
            "where were we",
            "what is to do",
            "next step",
        ),
        *("what is to-do", "what did we do this morning", "unfinished", "outstanding", "刚才"),
        *("上周", "本周", "周三", "星期三", "礼拜三", "近三天", "过去三天", "还没做的", "没完成"),
        *("下一步", "前天", "昨天", "这周", "今年", "last friday", "in january", "两天前", "去年"),
    ],
)
def test_a_question_may_ask_for_what_was_done_on_some_days(question):
    assert querying.asked_period(question, TODAY)


@pytest.mark.parametrize("question", ["redis cache", "播放器", "the quarter of a cluster", "留下"])
def test_most_questions_ask_for_no_days(question):
    assert querying.asked_period(question, TODAY) is None
    assert prepare(question, MEMORY, TODAY).dates == ()


def test_how_rare_a_word_is():
    assert querying.Rarity(1000)(0) == pytest.approx(log(2002))
    assert querying.Rarity(1000)(1000) == pytest.approx(log(1 + 0.5 / 1000.5))
    assert querying.Rarity(1)(1) == querying.Rarity(100)(1) < querying.Rarity(101)(1)


def test_a_question_is_read_to_its_4000th_character():
    assert prepare("ab " * 1331 + "xx redis", MEMORY, TODAY).terms
    assert not prepare("ab " * 1332 + "abc redis", MEMORY, TODAY).terms


def test_a_question_has_128_words_at_most():
    many = [f"w{a}{b}{c}" for a in "abcdefgh" for b in "abcd" for c in "abcd"]

    assert prepare(" ".join([*many[:127], "redis"]), MEMORY, TODAY).terms
    assert not prepare(" ".join([*many, "redis"]), MEMORY, TODAY).terms


def test_eight_words_of_four_letters_may_be_mistyped():
    junk = [f"qzx{a}{b}w" for a in "ab" for b in "jkmn"]

    assert [term.term for term in prepare(f"{junk[0]} poll", MEMORY, TODAY).terms] == ["pool"]
    assert prepare("pol", MEMORY, TODAY).terms == ()
    assert prepare(" ".join([*junk[:7], "conection"]), MEMORY, TODAY).terms
    assert not prepare(" ".join([*junk, "conection"]), MEMORY, TODAY).terms


def test_words_that_are_known_or_usual_are_not_taken_for_mistyped_ones():
    memory = ListedPostings([Session(TODAY, topic="came code cash")])

    for question in ("come", "coded", "cache"):
        terms = prepare(question, memory, TODAY).terms
        assert all(term.kind == "exact" for term in terms), question
    assert prepare("conection", MEMORY, TODAY, corrects=False).terms == ()


def test_a_word_of_a_date_is_noted_as_one():
    memory = ListedPostings([Session(TODAY, topic="redis on january 12")])

    kinds = {term.term: term.kind for term in prepare("redis in January", memory, TODAY).terms}

    assert kinds == {"redi": "exact", "januari": "date"}


@pytest.mark.parametrize(
    ("term", "kind", "expected"),
    [("e4031", "exact", True), ("e4031", "fuzzy", False), ("order", "exact", False)],
)
def test_a_figure_is_asked_for_as_it_is_written(term, kind, expected):
    assert querying.Term(term, term, 1.0, kind).is_figure is expected


def test_a_name_in_the_other_language_is_found_wherever_it_is():
    memory = ListedPostings([Session(TODAY, topic="database timeout")])

    for question in ("redis 超时", "超时 redis", "的超时", "超时的"):
        assert "timeout" in {term.term for term in prepare(question, memory, TODAY).terms}
    for question in ("优化数据库", "数据库优化"):
        assert "databas" in {term.term for term in prepare(question, memory, TODAY).terms}


def test_the_pairs_of_a_name_in_the_other_language_share_its_weight():
    weights = [term.weight for term in prepare("database", MEMORY, TODAY).terms]

    assert weights == pytest.approx([0.15 * querying.Rarity(MEMORY.count)(1)] * 2)


def test_letters_of_a_common_word_weigh_no_more_than_it_does():
    memory = ListedPostings([Session(TODAY, number, topic="redis") for number in range(200)])
    query = prepare("redis", memory, TODAY)

    assert sum(weight for _, weight in query.grams) == pytest.approx(query.mass)
