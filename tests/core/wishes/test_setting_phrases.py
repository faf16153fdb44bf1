"""What people say of a setting, in Chinese and English."""

from __future__ import annotations

from datetime import date

import pytest

from daily_memory.core.settings import KEYS, get_key, value_fault
from daily_memory.core.wishes import setting_phrases
from daily_memory.core.wishes.intents import Intent, find_intent
from daily_memory.core.wishes.setting_phrases import parse_setting
from daily_memory.services.configuring import parse_value


@pytest.mark.parametrize(
    ("text", "name", "value"),
    [
        ("把记忆保留天数改为 30 天", "storage.retention_days", 30),
        ("记忆保留三个月", "storage.retention_days", 90),
        ("只保留 30 天的记忆", "storage.retention_days", 30),
        ("keep memories for 2 weeks", "storage.retention_days", 14),
        ("set the retention period to 1 year", "storage.retention_days", 365),
        ("turn off auto save", "recording.auto_save", False),
        ("Please turn auto-save ON.", "recording.auto_save", True),
        ("关闭自动保存", "recording.auto_save", False),
        ("请把自动保存打开。", "recording.auto_save", True),
        ("不要自动保存", "recording.auto_save", False),
        ("每次最多显示 10 条", "retrieval.max_results", 10),
        ("搜索最多返回十条结果", "retrieval.max_results", 10),
        ("show me at most 8 results", "retrieval.max_results", 8),
        ("max_results = 12", "retrieval.max_results", 12),
        ("把 retrieval.max_results 设为 7", "retrieval.max_results", 7),
        ("把搜索方式改为关键词", "retrieval.method", "keyword"),
        ("change the search method to hybrid", "retrieval.method", "hybrid"),
        ("把标题语言改成英文", "recording.language", "en"),
        ("搜索范围改为不限", "retrieval.search_scope_days", 0),
        ("search only the last 7 days", "retrieval.search_scope_days", 7),
        ("只搜索最近两周", "retrieval.search_scope_days", 14),
        ("时间衰减率改为 0.95", "retrieval.time_decay_rate", 0.95),
        ("存储位置改为仅全局", "storage.location", "global-only"),
        ("加密改为 age", "storage.encryption", "age"),
        ("disable redaction", "recording.sanitize_sensitive", False),
    ],
)
def test_a_setting_is_changed_by_what_people_call_it(text, name, value):
    found = parse_setting(text)

    assert found[:2] == ("set", name)
    assert parse_value(name, found[2]) == value
    assert not value_fault(get_key(name), parse_value(name, found[2]))
    assert find_intent(text, date(2026, 1, 29)) == Intent("settings", words=found)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("搜索方式是什么？", ("get", "retrieval.method")),
        ("what is the retention period?", ("get", "storage.retention_days")),
        ("恢复自动保存的默认值", ("unset", "recording.auto_save")),
        ("reset auto save to the default", ("unset", "recording.auto_save")),
        ("自动保存改为默认", ("unset", "recording.auto_save")),
    ],
)
def test_a_setting_is_asked_for_and_reset(text, words):
    assert parse_setting(text) == words


@pytest.mark.parametrize(
    "text",
    [
        "",
        "关闭自动保存按钮的弹窗",
        "turn off auto save in the editor",
        "把保留天数写进文档",
        "set the timeout to 30",
        "不要保存",
        "保存 3",
        "保留 3 条记忆",
        "保留 30 天的日志",
        "最多显示 10 个用户",
        "加密这个文件",
    ],
)
def test_what_is_about_something_else_is_no_setting(text):
    assert parse_setting(text) == ()


def test_each_name_belongs_to_one_setting():
    names = [setting_phrases._folded(name) for _, name in setting_phrases._all_names()]

    assert len(set(names)) == len(names)
    assert {key for key, _ in setting_phrases._all_names()} == {key.name for key in KEYS}
    assert setting_phrases._NAMES.keys() <= {key.name for key in KEYS}
    for key, values in setting_phrases._VALUES.items():
        for word, value in values.items():
            assert not value_fault(get_key(key), parse_value(key, value)), word
