from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daily_memory.core.search import ranking, text, translation
from daily_memory.core.search.glossary import Glossary, headwords
from daily_memory.core.search.query import Rarity, prepare
from daily_memory.core.search.translation import TranslatedScorer
from daily_memory.model import Session
from tests.core.memories import ListedPostings, with_words

TODAY = date(2026, 1, 29)
GLOSSARY = (Glossary(),)


def day(number, topic, *points, **fields):
    return Session(TODAY, number, topic=topic, key_points=points, **fields)


def read(question, *sessions, dictionaries=GLOSSARY):
    return translation.read(question, ListedPostings(sessions), dictionaries)


def search(question, sessions, *, weight=1.0, dictionaries=GLOSSARY):
    """Return what a search finds, as `services.reading.sources` puts it together."""
    scorer, keys = candidates(question, sessions, weight=weight, dictionaries=dictionaries)
    query = prepare(question, ListedPostings(sessions), TODAY)
    found = with_words(sessions[key] for key in keys)
    return ranking.relevant(ranking.rank(query, found, TODAY, translated=scorer))


def candidates(question, sessions, *, weight=1.0, dictionaries=GLOSSARY):
    """Return what scores the translated question, and the keys of what is read."""
    memory = ListedPostings(sessions)
    query = prepare(question, memory, TODAY)
    scorer = TranslatedScorer(translation.read(question, memory, dictionaries, weight=weight))
    return scorer, ranking.candidates(query, memory, TODAY, translated=scorer)


def meanings(reading):
    return {(term.word, term.term) for term in reading.query.terms}


ENGLISH = [
    day(1, "Secrets rotation", "Database passwords every 90 days, signing keys every year"),
    day(2, "Circuit breaker around the payment provider", "Opens after five failures"),
    day(3, "Thread pool exhaustion", "Moved exports to an executor with 8 threads"),
    day(4, "Canary release", "5 % of traffic for half an hour"),
]
CHINESE = [
    day(1, "数据库密码轮换", "每 90 天一次"),
    day(2, "支付服务商熔断策略", "连续五次失败就打开"),
    day(3, "线程池耗尽", "导出任务挪到 8 个线程的执行器"),
    day(4, "灰度发布", "先放 5% 的流量"),
]


@pytest.mark.parametrize(
    ("question", "number"),
    [
        ("数据库密码多久轮换一次", 1),
        ("支付服务商挂了的时候熔断策略是怎样的", 2),
        ("線程池被耗盡怎麼回事", 3),
        ("灰度发布的流量比例", 4),
    ],
)
def test_a_chinese_question_finds_an_english_session(question, number):
    best = search(question, ENGLISH)[0]

    assert best.session.number == number
    assert best.translated > 0.4
    assert best.keyword > ranking.SEARCH_FLOOR


@pytest.mark.parametrize(
    ("question", "number"),
    [
        ("how often are database passwords rotated?", 1),
        ("circuit breaker of the payment provider", 2),
        ("why was the thread pool exhausted", 3),
        ("canary release traffic", 4),
    ],
)
def test_an_english_question_finds_a_chinese_session(question, number):
    assert search(question, CHINESE)[0].session.number == number


def test_a_session_in_the_language_of_the_question_is_not_scored_by_its_translation():
    mixed = [*ENGLISH, *CHINESE]
    question = "database passwords"

    found = search(question, mixed)

    by_itself = ranking.rank(
        prepare(question, ListedPostings(mixed), TODAY), with_words(ENGLISH), TODAY
    )
    assert found[0] == by_itself[0]
    assert [each.session.topic for each in found if each.translated] == ["数据库密码轮换"]


def test_the_sessions_are_read_that_promise_the_most_in_either_language():
    less = [day(number, "database") for number in range(1, 13)]
    english = [day(number, "database passwords") for number in range(13, 25)]
    chinese = [day(number, "数据库密码") for number in range(25, 37)]

    # The newest first: the numbers are those of one day.
    def read_for(question):
        return [key + 1 for key in candidates(question, [*less, *english, *chinese])[1]]

    assert read_for("database passwords") == [*range(24, 12, -1), 36, 35, 34, 33]
    assert read_for("数据库密码") == [*range(36, 24, -1), 24, 23, 22, 21]


def test_a_word_of_the_trade_is_no_mistyped_stop_word():
    sessions = [day(1, "Redis 缓存方案")]

    assert search("cache", sessions)[0].translated


def test_names_numbers_and_commands_stay_as_they_are():
    sessions = [day(1, "Redis 7.2 failover"), day(2, "Postgres failover")]

    assert search("Redis 7.2 主从切换", sessions)[0].session.number == 1


def test_chinese_words_in_an_english_question_stay_as_they_are():
    sessions = [day(1, "灰度发布"), day(2, "会员支付超时")]

    (found,) = search("timeout of the 会员 subscription", sessions)

    assert found.session.number == 2
    assert found.translated


def test_what_is_found_by_names_alone_is_not_translated():
    sessions = [day(1, "Redis 缓存方案", "TTL 定为 300 秒")]

    (found,) = search("redis ttl", sessions)

    assert not found.translated


def test_a_name_finds_a_session_whose_language_lacks_the_other_words():
    sessions = [day(1, "Wardenclyffe 塔", "1917 年拆除，用来抵债"), day(2, "交流电机")]

    (found,) = search("who paid for building and demolishing the Wardenclyffe tower", sessions)

    assert found.translated
    assert found.relevance > ranking.SEARCH_FLOOR


def test_the_best_translation_of_a_word_counts_and_not_their_number():
    sessions = [day(1, "interface, api, endpoint"), day(2, "api timeout")]

    found = search("接口超时", sessions)

    assert [each.session.number for each in found] == [2, 1]


def test_the_memory_decides_which_translation_is_meant():
    reading = read("镜像太大", day(1, "The image is too large"), day(2, "unrelated words"))

    assert ("镜像", "imag") in meanings(reading)
    assert ("镜像", "mirror") not in meanings(reading)


def test_a_word_without_a_known_translation_is_read_by_its_parts():
    reading = read("连接池耗尽", day(1, "The connection was closed"))

    assert ("连接", "connect") in meanings(reading)


def test_a_phrase_is_one_word_where_the_memory_has_it_and_else_its_words():
    assert ("thread pool", "线程") in meanings(read("thread pool", day(1, "线程池")))
    assert ("thread", "线程") in meanings(read("thread pool", day(1, "主线程卡住")))


def test_words_that_only_ask_weigh_nothing_and_unknown_ones_half():
    sessions = [day(1, "cache")]

    plain, asked = read("缓存", *sessions), read("为什么缓存", *sessions)
    unknown = read("缓存犰狳", *sessions)

    assert plain.query.mass == asked.query.mass
    assert unknown.query.mass > plain.query.mass


def test_too_little_of_a_question_is_no_answer():
    sessions = [day(1, "The cache is warm"), day(2, "weather")]

    assert search("孔雀 犰狳 企鹅 鸵鸟 蜥蜴 蟋蟀 珊瑚 琵琶 葡萄 玫瑰 缓存", sessions) == []


def test_a_weight_lowers_the_score_and_explains_itself():
    full, half = (search("数据库密码", ENGLISH, weight=weight)[0] for weight in (1.0, 0.5))
    reading = read("数据库密码", *ENGLISH)

    assert half.score == pytest.approx(full.score / 2)
    assert "数据库 → databas (translation)" in ranking.explain(full, reading.query)
    assert "translated: 0." in "\n".join(ranking.explain(full, reading.query))


class Large:
    """A dictionary that knows little, and errs on a word of the trade."""

    entries = (("缓存", ["buffer"]), ("冰箱", ["refrigerator", "fridge"]), ("冰", ["ice"]))

    def glosses(self, words):
        return {word: tuple(all_) for word, all_ in self.entries if word in words}

    def frequencies(self, words):
        return {word: 500 for word, _ in self.entries if word in words}

    def headwords(self, phrases):
        entries = ((word, all_, 1.0) for word, all_ in self.entries)
        return headwords(entries, frozenset(phrases))


def test_a_second_dictionary_adds_words_and_ours_knows_better():
    sessions = [day(1, "cache"), day(2, "buffer"), day(3, "The fridge in the kitchen")]
    both = (*GLOSSARY, Large())

    assert search("冰箱", sessions) == []
    assert search("冰箱", sessions, dictionaries=both)[0].session.number == 3
    assert search("缓存", sessions, dictionaries=both)[0].session.number == 1


def test_a_word_of_grammar_has_no_meaning_in_the_second_dictionary_either():
    large = Listed(
        {"的": ["taxi", "target"], "什么": ["something"], "冰箱": ["fridge"]}, {"冰箱": 500}
    )
    sessions = [day(1, "The fridge in the kitchen"), day(2, "A taxi, a target, something")]

    reading = read("冰箱的什么", *sessions, dictionaries=(*GLOSSARY, large))

    assert meanings(reading) == {("冰箱", "fridg")}


def test_a_word_that_every_session_has_in_some_translation_is_no_answer():
    large = Listed(
        {"哪年": ["year", "time", "day", "date"], "冰箱": ["fridge"]}, {"哪年": 500, "冰箱": 500}
    )
    said = ("a year", "some time", "one day", "the date")
    sessions = [day(number, said[number % 4], "weather") for number in range(40)]
    fridge = day(40, "The fridge in the kitchen")

    both = (*GLOSSARY, large)

    assert search("哪年", sessions, dictionaries=both) == []
    assert [each.session for each in search("冰箱", [*sessions, fridge], dictionaries=both)] == [
        fridge
    ]


class Listed:
    """A dictionary of a few words, with how often each occurs among 60 million."""

    def __init__(self, entries, frequencies):
        self._entries, self._frequencies = entries, frequencies

    def glosses(self, words):
        return {word: tuple(all_) for word, all_ in self._entries.items() if word in words}

    def frequencies(self, words):
        return {word: count for word, count in self._frequencies.items() if word in words}

    def headwords(self, phrases):
        entries = ((word, all_, 1.0) for word, all_ in self._entries.items())
        return headwords(entries, frozenset(phrases))


SMALL = Listed(
    {
        "研究": ["study", "research"],
        "研究生": ["graduate student"],
        "学习": ["learn", "study"],
        "生命": ["life"],
        "命": ["fate"],
        "缓存": ["cache"],
        "缓存服务": ["caching service"],
        "一二三四五六七八": ["digits"],
        "杂物": ["mixed", "mingled", "blended", "sundry", "varied", "assorted", "odd"],
    },
    {"研究": 9000, "生命": 9000, "研究生": 10, "命": 500, "缓存": 100, "缓存服务": 50}
    | {"一二三四五六七八": 5, "杂物": 90},
)
OTHER = Listed({"科研": ["study"], "研究": ["investigation"]}, {})


def rare(reading, frequency):
    return Rarity(reading.query.texts)(frequency)


def choices(reading):
    """Return the ways to say each word of a question, without how rare they are."""
    terms = reading.query.terms
    return [
        [
            {terms[at].term: round(w / rare(reading, terms[at].frequency), 3) for at, w in way}
            for way in ways
        ]
        for ways in reading.query.concepts
    ]


@pytest.mark.parametrize(
    ("question", "memory", "wanted", "unknown"),
    [
        # The first translation is the likeliest; one of two words has half of the weight for each.
        ("研究", "study research", [[{"studi": 1.0}, {"research": 0.8}]], 0),
        ("研究生", "graduate student", [[{"graduat": 0.5, "student": 0.5}]], 0),
        ("redis 研究", "redis study", [[{"redi": 1.0}], [{"studi": 1.0}]], 0),
        # The words of a run are those that are used most.
        ("研究生命", "study graduate student life fate", [[{"studi": 1.0}], [{"life": 1.0}]], 0),
        ("研究命", "study fate", [[{"studi": 1.0}], [{"fate": 0.3}]], 0),
        # What the memory has no word for counts half, and so do its parts, cut in the middle.
        ("研究犰狳", "study", [[{"studi": 1.0}]], 0.5),
        ("生命", "fate", [[{"fate": 0.3}]], 0.25),
        ("缓存服务", "cache", [[{"cach": 1.0}]], 0.5),
        ("缓存服务", "fate", [], 1.0),
        ("命", "fate", [], 0),
        ("一二三四五六七八", "digits", [[{"digit": 1.0}]], 0),
        # So many ways to say a word are looked for.
        (
            "杂物",
            "mixed mingled blended sundry varied assorted odd",
            [
                [
                    *({"mix": 1.0}, {"mingl": 0.8}, {"blend": 0.64}),
                    *({"sundri": 0.512}, {"vari": 0.41}, {"assort": 0.328}),
                ]
            ],
            0,
        ),
        ("graduate student", "研究生", [[{"研究": 1.0, "究生": 1.0}]], 0),
        ("study life", "研究 学习 生命", [[{"研究": 1.0}, {"学习": 0.8}], [{"生命": 1.0}]], 0),
        ("study", "学习", [[{"学习": 1.0}]], 0),
        ("study", "科研 研究", [[{"研究": 1.0}, {"科研": 0.7}]], 0),
        ("redis study", "redis 研究", [[{"redi": 1.0}], [{"研究": 1.0}]], 0),
        ("the study of 缓存", "研究 缓存", [[{"研究": 1.0}], [{"缓存": 1.0}]], 0),
        ("study okapi", "研究", [[{"研究": 1.0}]], 0.5),
        ("used study", "研究", [[{"研究": 1.0}]], 0.25),
    ],
)
def test_each_word_is_read_as_what_the_memory_calls_it(question, memory, wanted, unknown):
    reading = read(question, day(1, memory), day(2, "zzz"), dictionaries=(SMALL, OTHER))

    assert choices(reading) == wanted
    best = [
        max(sum(weight for _, weight in way) for way in ways) for ways in reading.query.concepts
    ]
    assert reading.query.mass - sum(best) == pytest.approx(unknown * rare(reading, 0))
    for term in reading.query.terms:
        is_translated = text.is_cjk(term.term) != text.is_cjk(term.word)
        assert term.kind == ("translation" if is_translated else "exact")


@pytest.mark.parametrize(
    ("question", "memory", "is_empty"),
    [
        ("redis study", "redis 研究", False),
        ("redis 研究", "redis study", False),
        ("redis study", "redis", True),
        ("", "redis", True),
    ],
)
def test_a_question_without_a_translation_is_known(question, memory, is_empty):
    assert read(question, day(1, memory), dictionaries=(SMALL,)).is_empty == is_empty


@pytest.mark.parametrize(
    ("question", "memory", "term", "worth"),
    [
        ("redis study", "redis 研究", "研究", 0.9),
        ("redis 研究", "redis study", "studi", 0.55),
        # A name alone is no translation.
        ("redis study", "redis 研究", "redi", 0.9 * 0.85),
    ],
)
def test_what_a_translated_answer_counts_among_others(question, memory, term, worth):
    reading = read(question, day(1, memory), dictionaries=(SMALL,))
    place = [each.term for each in reading.query.terms].index(term)

    assert reading.worth(0.5, [place]) == pytest.approx(0.5 * worth)
    assert reading._replace(weight=0.4).worth(1.0, [place]) == pytest.approx(0.4 * worth)


@pytest.mark.parametrize("question", ["World War II", "phase iii", "ii"])
def test_a_roman_number_can_be_asked_for(question):
    assert read(question, *CHINESE).query.concepts == ()


@given(st.text())
def test_any_text_can_be_read(question):
    for reading in (read(question, *ENGLISH), read(question, *CHINESE)):
        terms = reading.query.terms
        places = [place for all_ in reading.query.concepts for way in all_ for place, _ in way]

        assert all(place < len(terms) for place in places)
        assert reading.query.mass >= 0
