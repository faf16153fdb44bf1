"""Which sentences of a user are rules that outlive their task."""

from __future__ import annotations

from datetime import date

import pytest

from daily_memory.core.digests import cues
from daily_memory.core.digests.digest import digest_observations
from daily_memory.core.digests.rules import is_rule
from daily_memory.core.observation import Observation

# Written before the patterns.
RULES = [
    "never touch config/prod.yaml by yourself, ask me first",
    "From now on, write commit messages in the imperative mood.",
    "Please always run the linter before you say you are done.",
    "I prefer small pull requests over one big one.",
    "We never store timestamps in local time here, always UTC.",
    "don't push to main without asking me",
    "New endpoints must always come with an integration test.",
    "Going forward use pnpm instead of npm in all our repos.",
    "Whenever you add a dependency, explain why in the PR description.",
    "In this project, every migration has to be reversible.",
    "以后都用中文回答我",
    "数据库字段一律用下划线命名，不要驼峰",
    "不要自己动 config/prod.yaml，要改先问我",
    "每次改完接口都要同步更新 openapi.yaml",
    "从现在开始，提交信息用英文写",
    "千万别直接在 main 上提交",
    "我习惯用 vim 的快捷键，别给我讲鼠标操作",
    "凡是涉及金额的计算都用 Decimal",
    "我们项目约定日志里不打印手机号",
    "涉及删除数据的操作必须经我同意才能执行",
    "以后提交信息都用英文写",
    "你以后提交信息都用英文写",
    "以后接口改动都要先更新文档",
    "所有的 SQL 必须走参数化查询",
    "请始终用中文回答",
    "Please remember that we use pnpm, not npm.",
    "请记住：测试用真实数据库",
    "以后我们发现问题都要先写测试",
    "以后每次重试都要等 5 秒",
    "Always write a test for each bug I found",
    "Always wait 10 seconds before retrying",
    "这个项目里不要用 class 组件",
    "每次部署都要等我确认",
]
OTHERS = [
    "don't change that line",
    "it always fails on the second run",
    "what's the difference between a mutex and a semaphore?",
    "I never said the cache was the problem",
    "should we always use UTC or is local time fine",
    "don't worry about the tests for now",
    "The retry loop never terminates when the queue is empty.",
    "can you rename it to user_id everywhere in this file",
    "revert the last change, it broke the login page",
    "every test in test_cart.py passes now",
    "用什么库好",
    "这一行先不要动",
    "这个接口每次都返回 500",
    "以后再加缓存，先把这个跑通",
    "不要紧，继续吧",
    "为什么日志里总是出现两条一样的记录",
    "他一直没有回复我",
    "把这里的变量名统一改成 userId",
    "我永远搞不懂这个正则是怎么匹配上的",
    "要不要都换成 TypeScript？",
    "以后有空都可以看看",
    "所有请求都要等三秒",
    "部署以后接口都要 500 毫秒",
    "合并以后测试都失败了",
    "never mind, I found it",
    "请记住我们的对话",
    "请记住上面讨论的方案",
    "记住我们刚才说的，继续",
]
# Written after them, and not used to change them.
MORE_RULES = [
    "Never commit generated files, they belong in .gitignore",
    "please don't use abbreviations in variable names",
    "I'd like you to always show me the diff before committing",
    "Each PR needs to have a changelog entry from now on",
    "Don't install anything globally without asking",
    "We always squash when merging into develop.",
    "Answer me in German unless I say otherwise",
    "Tests must never depend on the network.",
    "I prefer explicit imports, no star imports please",
    "If you're unsure about a requirement, ask me before writing code",
    "所有接口返回值一律带上 request_id",
    "以后别用 lodash 了，用原生方法",
    "不要自动帮我提交代码",
    "每次回答都请给出参考的文件路径",
    "线上数据库禁止手工改数据",
    "我喜欢先看方案再看代码",
    "今后发版前都要跑一遍回归测试",
    "没有我的确认不许删除任何文件",
    "单元测试统一用 vitest，别引入 jest",
    "绝对不能把密钥写进代码里",
]
MORE_OTHERS = [
    "I always forget the syntax for this, how does it go again",
    "don't use the cache for the second request",
    "the worker should never have started before the migration, that's the bug",
    "no, don't rename it, keep the old one",
    "could you always return a list from parse_args",
    "it never reaches the else branch",
    "is there a convention for naming these hooks",
    "Always getting 403 since this morning",
    "please move the helper to utils.py and run the tests",
    "the docs say you must always call close(), is that true?",
    "不要用缓存，直接读数据库试试",
    "别的接口都没问题，就这个报错",
    "先别提交，我再看看",
    "以后可能会支持多租户，目前不用考虑",
    "这种写法每次渲染都要重新计算，太慢了",
    "他们喜欢把日志打到 stdout",
    "不要改返回值的结构，前端还没上线",
    "有没有什么约定俗成的目录结构",
    "禁止访问的页面返回了 200，应该是 403",
    "把所有 var 都换成 const",
    "remember to run the tests",
    "remember that we use pnpm?",
]


@pytest.mark.parametrize("text", RULES)
def test_a_rule_is_recognized(text):
    assert is_rule(text)


@pytest.mark.parametrize("text", OTHERS)
def test_orders_reports_and_questions_are_no_rules(text):
    assert not is_rule(text)


def test_most_sentences_that_the_patterns_were_not_made_for_are_judged_right():
    assert sum(map(is_rule, MORE_RULES)) >= 18
    assert sum(map(is_rule, MORE_OTHERS)) <= 2


@pytest.mark.parametrize(
    "text",
    [
        "should we use Redis or Postgres",
        "用什么库好",
        "is there a way to cache it",
        "要不要换 pnpm",
    ],
)
def test_a_question_needs_no_question_mark(text):
    assert cues.ASKS.search(text)


@pytest.mark.parametrize(
    "text", ["should work now", "没什么问题", "do not touch it", "有 3 个文件"]
)
def test_what_begins_like_a_question_may_be_none(text):
    assert not cues.ASKS.search(text)


def decisions(*said: tuple[str, str]) -> tuple[str, ...]:
    return digest_observations(
        [Observation("", role, text) for role, text in said], date(2026, 1, 29)
    ).decisions


def test_a_rule_in_the_first_message_is_kept_word_for_word():
    said = "Never touch config/prod.yaml by yourself, ask me first. Now fix the login redirect."

    assert decisions(("user", said), ("assistant", "Fixed the redirect in login.py.")) == (
        "Never touch config/prod.yaml by yourself, ask me first.",
    )


def test_a_rule_of_the_assistant_is_none_of_the_user():
    assert (
        decisions(("user", "解释一下游标"), ("assistant", "每次都要先关闭游标再提交事务。")) == ()
    )


def test_a_question_of_the_user_decides_nothing():
    talk = [
        ("user", "we need a queue"),
        ("assistant", "I suggest Redis streams or RabbitMQ."),
        ("user", "should we use RabbitMQ"),
        ("assistant", "Redis streams are enough."),
        ("user", "ok thanks"),
    ]

    assert not any("should we" in text for text in decisions(*talk))
