from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daily_memory.core.search import fields, ranking
from daily_memory.core.search.matching import Match
from daily_memory.core.search.query import Choice, ParsedQuery, Term, prepare
from daily_memory.core.search.ranking import Decay, RankedSession
from daily_memory.model import Code, Session
from tests.core.memories import ListedPostings, with_words

TODAY = date(2026, 1, 29)


def search(question, sessions, *, decay=ranking.DEFAULT_DECAY, **options):
    memory = ListedPostings(sessions)
    query = prepare(question, memory, TODAY)
    keys = ranking.candidates(query, memory, TODAY, decay=decay, **options)
    return ranking.rank(query, with_words(sessions[key] for key in keys), TODAY, decay=decay)


def numbers(ranked):
    return [each.session.number for each in ranked]


def day(number, **fields):
    return Session(TODAY, number, **fields)


def test_the_session_that_has_more_of_the_question_comes_first():
    sessions = [
        day(1, topic="redis", key_points=("the cluster",)),
        day(2, topic="redis TTL", key_points=("the TTL is 600 seconds",)),
        day(3, topic="postgres"),
    ]

    found = search("what TTL did we choose for redis?", sessions)

    assert numbers(found) == [2, 1]


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("播放器优化", "播放器首帧的优化"),
        ("API重构", "重构了 API 层"),
        ("connection-pool timeout", "the connection pool had a timeout"),
        ("C++", "the C++ decoder"),
        ("max_retry_count", "set maxRetryCount to 3"),
        ("資料庫", "资料库迁移"),
        ("缓存", "the cache is warm"),
        ("timeuot", "a timeout"),
        ("上次我们讨论的缓存方案", "缓存方案用 Redis"),
    ],
)
def test_a_developer_finds_what_was_said(question, said):
    sessions = [day(1, key_points=(said,)), day(2, key_points=("天气不错 and the sun shines",))]

    found = search(question, sessions)

    assert numbers(found) == [1]


@pytest.mark.parametrize("question", ["", "\0", "??? 😀", "the of and", "zebra", "\ud800"])
def test_a_question_with_no_word_of_the_memory_finds_nothing(question):
    assert search(question, [day(1, topic="redis TTL")]) == []


def test_words_side_by_side_as_asked_win():
    sessions = [
        day(1, key_points=("pool of the worker and a connection",)),
        day(2, key_points=("worker of the connection pool and a",)),
        day(3, key_points=("池连",)),
    ]

    assert numbers(search("connection pool", sessions))[0] == 2


def test_one_word_of_many_is_weak_and_one_rare_word_strong():
    sessions = [day(1, key_points=("we use redis here",)), day(2, key_points=("lunch",))]

    weak = search("redis zebra giraffe monkey elephant tiger lion bear wolf", sessions)[0]
    strong = search("redis", sessions)[0]

    assert weak.keyword < ranking.INJECT_FLOOR < strong.keyword


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("order 88213", "the refund of 88213 is stuck"),
        ("订单 88213", "订单 88213 的退款卡住了"),
        ("order 61000", "61,000 EUR were refunded"),
        ("order E4031", "the gateway answers E4031"),
        ("order 120s", "it waits for 120 s"),
    ],
)
def test_a_number_anywhere_outranks_a_common_word_in_titles(question, said):
    orders = [day(number, topic="order 订单", tags=("order",)) for number in range(2, 6)]
    sessions = [day(1, topic="Payments", key_points=("a", "b", said)), *orders]

    assert numbers(search(question, sessions))[0] == 1


@pytest.mark.parametrize(
    ("question", "relevant"),
    [
        ("office wifi password code", False),
        ("where is the office wifi router and its password?", False),
        ("office", True),
        ("how do we use the office?", True),
        ("tax office schema", True),
    ],
)
def test_one_word_of_several_is_no_answer(question, relevant):
    sessions = [day(1, topic="Tax office", key_points=("the XML schema has changed",)), day(2)]

    found = search(question, sessions)

    assert (found[0].relevance > ranking.INJECT_FLOOR) is relevant


def test_the_same_share_of_a_question_says_more_in_more_words():
    sessions = [day(1, key_points=("a tax office",)), day(2, key_points=("发票",))]

    tax, office, invoice = [
        search(question, sessions)[0].match.breadth for question in ("tax", "tax office", "发票")
    ]

    assert invoice == tax < office


def test_a_name_answers_a_question_whose_other_words_are_in_another_language():
    (found,) = search("用哪个包管理工具 pnpm", [day(1, key_points=("we use pnpm, not npm",))])

    assert found.relevance > ranking.SEARCH_FLOOR


def test_newer_comes_first_among_equals_of_a_day_too():
    sessions = [
        Session(TODAY - timedelta(days=1), 1, topic="redis"),
        day(2, topic="redis"),
        day(1, topic="redis"),
        day(1, topic="redis", copy=2),
    ]

    found = search("redis", sessions, decay=Decay(1.0, 1.0))

    assert [(str(each.session.id)) for each in found] == [
        "2026-01-29#2",
        "2026-01-29#1",
        "2026-01-29#1~2",
        "2026-01-28#1",
    ]


def test_what_is_old_fades_unless_it_is_important():
    old = TODAY - timedelta(days=400)
    sessions = [
        Session(old, 1, topic="redis"),
        Session(old, 2, topic="redis", tags=("important",)),
        Session(TODAY + timedelta(days=9), 3, topic="redis"),
    ]

    found = search("redis", sessions, decay=Decay(0.95, 0.0), important=frozenset({1}))

    assert [each.decay for each in found][:2] == [1.1, 1.0]
    assert numbers(found)[-1] == 1
    assert found[-1].decay == pytest.approx(0.95**400)


def test_what_is_outdated_counts_half():
    found = search("redis", [day(1, topic="redis", tags=("outdated",)), day(2, topic="redis")])

    assert [(each.session.number, each.decay) for each in found] == [(2, 1.0), (1, 0.5)]


def test_a_day_in_the_question_raises_what_is_near_it():
    sessions = [day(1, topic="redis"), Session(date(2025, 5, 4), 2, topic="redis")]

    found = search("5月4日的 redis", sessions)

    assert numbers(found) == [2, 1]
    assert found[0].date > 0.1


def test_only_allowed_sessions_are_candidates():
    sessions = [day(1, topic="redis"), day(2, topic="redis")]

    assert numbers(search("redis", sessions, allowed=frozenset({0}))) == [1]


def test_a_common_word_only_refines_what_a_rare_one_found(monkeypatch):
    monkeypatch.setattr(ranking, "MOST_POSTINGS", 3)
    monkeypatch.setattr(ranking, "CANDIDATES", 2)
    common = [day(number, topic="cache") for number in range(3, 9)]
    sessions = [day(1, topic="redis"), day(2, topic="redis cache"), *common]

    found = search("redis cache", sessions)
    memory = ListedPostings(sessions)
    scores = ranking.accumulated(prepare("redis cache", memory, TODAY), memory, None, 2)

    assert numbers(found) == [2, 1]
    (redis,) = prepare("redis", memory, TODAY).terms
    cache = prepare("cache", memory, TODAY).terms[0]
    impacts = fields.read(sessions[1]).impacts
    of_redis, of_cache = redis.weight * impacts["redi"], cache.weight * impacts["cach"]
    assert scores == {
        0: pytest.approx(redis.weight * fields.read(sessions[0]).impacts["redi"]),
        1: pytest.approx(of_redis + of_cache),
    }


def test_what_a_session_promises_is_the_sum_of_what_its_words_tell():
    sessions = [
        day(1, topic="redis", key_points=("ttl",)),
        day(2, key_points=("ttl of 88213",)),
        day(3, topic="lunch"),
    ]
    memory = ListedPostings(sessions)
    first, second = (fields.read(session).impacts for session in sessions[:2])
    terms = (Term("redi", "redis", 2.0), Term("ttl", "ttl", 1.0), Term("88213", "88213", 3.0))
    query = ParsedQuery(terms, (), (), 6.0, (), (), 3)
    choices: tuple[Choice, ...] = (((0, 2.0),), ((1, 1.0), (2, 3.0)))

    def promised(query: ParsedQuery, allowed: set[int] | None = None) -> dict[int, float]:
        return ranking.accumulated(query, memory, allowed, 16)

    # A number tells the same wherever it is.
    of_second = second["ttl"] + 3 * 255
    assert promised(query) == {0: 2 * first["redi"] + first["ttl"], 1: of_second}
    assert promised(query, {1, 2}) == {1: of_second}
    # Of the ways to say a word, the best counts.
    of_first = max(2 * first["redi"], first["ttl"])
    assert promised(query._replace(concepts=(choices,))) == {0: of_first, 1: of_second}


def test_of_a_common_word_alone_the_newest_are_read(monkeypatch):
    monkeypatch.setattr(ranking, "MOST_POSTINGS", 3)
    sessions = [day(number, topic="cache") for number in range(1, 9)]

    assert numbers(search("cache", sessions)) == [8, 7, 6]


def test_a_refined_session_may_lack_the_common_word(monkeypatch):
    monkeypatch.setattr(ranking, "MOST_POSTINGS", 1)
    monkeypatch.setattr(ranking, "CANDIDATES", 1)
    sessions = [day(1, topic="cache"), day(2, topic="cache"), day(3, topic="redis")]

    assert numbers(search("redis cache", sessions)) == [3]


def test_every_hit_explains_itself():
    sessions = [
        Session(
            date(2026, 1, 28),
            1,
            topic="redis cache",
            key_points=("连接超时",),
            code=(Code("", "redis"),),
        )
    ]
    memory = ListedPostings(sessions)
    query = prepare("yesterday redis timeout cahce", memory, TODAY)

    found = ranking.rank(query, with_words(sessions), TODAY)[0]

    assert ranking.matched(found.match.terms, query) == ("redis", "cahce", "timeout")
    assert ranking.explain(found, query)[:4] == (
        "redis (exact)",
        "cahce → cach (fuzzy)",
        "timeout → 超时 (synonym)",
        "in topic, points, code",
    )
    assert any(line.startswith("date named") for line in ranking.explain(found, query))
    plain = found._replace(date=0.0)
    assert not any(line.startswith("date named") for line in ranking.explain(plain, query))


def test_a_hit_that_has_few_words_of_the_question_says_so():
    sessions = [day(1, topic="redis")]
    query = prepare("redis zebra giraffe", ListedPostings(sessions), TODAY)

    found = ranking.rank(query, with_words(sessions), TODAY)[0]

    assert f"for the floor, few words × {found.match.breadth:.3f}" in ranking.explain(found, query)


@given(
    st.text(st.sampled_from("redis cache 缓存的"), max_size=30),
    st.lists(st.text(st.sampled_from("redis cache 缓存的\n"), max_size=40), max_size=5),
)
def test_scores_are_between_nothing_and_one_and_in_order(question, said):
    sessions = [day(number, key_points=(text,)) for number, text in enumerate(said)]

    found = search(question, sessions)

    scores = [each.score for each in found]
    assert all(0 < score <= 1 for score in scores)
    assert scores == sorted(scores, reverse=True)
    assert all(0 <= part <= 1 for each in found for part in each.match[:4])


@given(st.floats(0, 1), st.floats(0, 1), st.integers(-9, 9999))
def test_a_weight_is_between_the_floor_and_one(rate, floor, age):
    weight = Decay(rate, floor).weight(age)

    assert floor <= weight + 1e-9
    assert weight <= 1 + 1e-9


def test_a_single_character_is_found():
    assert numbers(search("茶", [day(1, topic="绿茶")])) == [1]


def test_where_even_the_best_is_weak_nothing_is_relevant():
    found = search("redis TTL", [day(1, topic="redis TTL"), day(2, code=(Code("", "redis"),))])
    best, other = found
    weak = other._replace(relevance=ranking.SEARCH_FLOOR / 3)

    assert ranking.relevant(found) == found
    assert ranking.relevant([best, weak]) == [best]
    assert ranking.relevant([weak]) == ranking.relevant([]) == []
    assert ranking.relevant(found, floor=1.0) == []


def test_a_session_that_has_nothing_of_the_question_is_no_hit():
    memory = ListedPostings([day(1, topic="redis")])
    query = prepare("redis", memory, TODAY)

    found: list[RankedSession] = ranking.rank(query, with_words([day(2, topic="postgres")]), TODAY)

    assert found == []


@pytest.mark.parametrize("origin", ["import", "git: Alice 张"])
def test_what_others_wrote_comes_behind_what_fits_alike(origin):
    sessions = [day(1, topic="redis 缓存", origin=origin), day(2, topic="redis 缓存")]

    first, second = search("redis 缓存", sessions)

    assert (first.session.number, second.session.number) == (2, 1)
    assert second.score == pytest.approx(first.score * 0.9)
    assert second.keyword == first.keyword


def test_words_meet_by_accident_where_each_is_common():
    both = [day(n, topic="redis timeout") for n in range(5)]
    redis = [day(n, topic="redis cache") for n in range(5, 45)]
    timeouts = [day(n, topic="timeout of the upload") for n in range(45, 95)]
    memory = ListedPostings([*both, *redis, *timeouts, *[day(n, topic="logs") for n in range(5)]])
    query = prepare("redis timeout", memory, TODAY)

    # Of 100 sessions, 45 are about Redis and 55 about time-outs.
    assert ranking.by_accident(query.terms[:2], query.texts) == pytest.approx(
        100 * 45 / 116 * 55 / 116
    )
    assert ranking.by_accident(query.terms[:1], query.texts) == pytest.approx(100 * 45 / 116)
    assert ranking.by_accident([], query.texts) == 100


def test_usual_words_are_common_in_a_memory_that_has_them_once():
    query = prepare("release tests", ListedPostings([day(1, topic="release tests")]), TODAY)

    assert ranking.by_accident(query.terms[:1], query.texts) == pytest.approx(1 / 17)
    assert ranking.by_accident(query.terms[:2], query.texts) == pytest.approx(1 / 17)
    query = prepare("测试发布", ListedPostings([day(1, topic="发布 测试")]), TODAY)
    assert ranking.by_accident(query.terms, query.texts) == pytest.approx(1 / 17)


def test_an_identifier_is_as_rare_as_the_rarest_of_its_parts():
    sessions = [day(n, topic="save the set") for n in range(2, 11)]
    memory = ListedPostings([day(1, topic="save_as_dataset"), *sessions])
    query = prepare("save_as_dataset", memory, TODAY)

    assert {term.frequency for term in query.terms} == {1, 10}
    assert ranking.by_accident(query.terms, query.texts) == pytest.approx(10 * 1 / 26)


@pytest.mark.parametrize("sessions", [1, 2, 4, 16, 64, 1000])
def test_two_words_that_one_session_has_are_no_accident_in_any_memory(sessions):
    days = [day(1, topic="release checklist"), *[day(2, topic="logs")] * (sessions - 1)]
    query = prepare("release checklist", ListedPostings(days), TODAY)

    assert (
        ranking.by_accident(query.terms[:2], query.texts)
        <= 1 / 64
        < ranking.by_accident(query.terms[:1], query.texts)
    )


def test_chinese_pairs_that_overlap_are_one_word_of_an_accident():
    sessions = [day(1, topic="缓存过期"), *[day(n, topic="日志") for n in range(2, 11)]]
    query = prepare("缓存过期", ListedPostings(sessions), TODAY)

    assert ranking.by_accident(query.terms, query.texts) == pytest.approx(10 / 26**2)


def test_of_equal_scores_those_that_came_later_are_the_best():
    assert ranking.best_of({1: 3.0, 2: 5.0, 3: 3.0, 4: 1.0}, 2) == [2, 3]
    assert ranking.best_of({}, 2) == []


def test_a_character_that_is_in_a_pair_is_not_looked_for():
    terms = [Term(term, term, 1.0) for term in ("播", "播放", "器", "pool", "p")]
    near = Term("器械", "器械", 1.0, "near")

    assert [each.term for each in ranking.without_held(terms)] == ["播放", "器", "pool", "p"]
    assert ranking.without_held([*terms[1:], near]) == [*terms[1:], near]


@pytest.mark.parametrize(
    ("kind", "line"),
    [
        ("exact", "Redis (exact)"),
        ("near", "Redis (near)"),
        ("fuzzy", "Redis → redi (fuzzy)"),
    ],
)
def test_a_term_that_was_found_is_told_as_it_was_asked(kind, line):
    assert ranking.term_line(Term("redi", "Redis", 1.0, kind)) == line


def test_what_has_half_as_much_as_the_floor_is_shown_beside_an_answer():
    match = Match()
    weak, half, good = (
        RankedSession(day(number), 0.0, 0.0, 0.0, 1.0, match, relevance)
        for number, relevance in enumerate((0.049, 0.05, 0.1), 1)
    )

    assert ranking.relevant([good, half, weak], floor=0.1) == [good, half]
    assert ranking.relevant([half, weak], floor=0.1) == []


def test_each_reason_for_a_place_has_a_line():
    query = prepare("redis", ListedPostings([day(1, topic="redis")]), TODAY)
    match = Match(0.5, 0.25, 0.125, 0.0625, 0.75, (0,), ("topic", "code"))
    ranked = RankedSession(
        day(1, topic="redis", origin="codex"), 0.4, 0.3, 0.1, 0.9, match, 0.2, 0.6
    )

    assert ranking.explain(ranked, query) == (
        "redis (exact)",
        "in topic, code",
        "translated: 0.600 of the question",
        "keyword 0.300 (bm25 0.500, statement 0.250, side by side 0.125, letters 0.062)",
        "for the floor, few words × 0.750",
        "date named + 0.100",
        "decay × 0.900",
        "of which origin × 0.900 (codex)",
    )
    bare = RankedSession(day(1), 0.4, 0.3, 0.0, 0.9, match._replace(breadth=1.0), 0.2)
    assert len(ranking.explain(bare, query)) == 4


def test_what_is_important_is_a_candidate_before_what_is_newer():
    sessions = [Session(date(2020, 1, 1), 1, topic="redis"), day(1, topic="redis")]
    memory = ListedPostings(sessions)
    query = prepare("redis", memory, TODAY)

    assert ranking.candidates(query, memory, TODAY, important={0}) == [0, 1]
    assert ranking.candidates(query, memory, TODAY) == [1, 0]
