"""Prompts that continue the last conversation: "继续", "where were we?".

Such a prompt has no word of its own: all words are common, and at least one is about continuing or
about earlier. Word lists recognize it, not a list of phrases. Days are not in the lists: a question
that names only a day is answered by that day.
"""

from __future__ import annotations

from daily_memory.core.search import text

_LONGEST = 60
_LONGEST_WORD = 4

_CUES = frozenset(
    "again back before carried carry catch continue continued continuing earlier far"
    " finish finished keep last leave left next outstanding pause paused pending pick"
    " picking previous previously proceed progress recap remain remaining remains remind"
    " resume resumed resuming started stopped unfinished was were where".split()
)
_FILLERS = frozenset(
    "a about ago ah all along already am an and any anything are as at be been bring can"
    " chat conversation could day did do does doing done evening everything exactly for"
    " friday from get go going good got had happened has have hello hey hi how i "
    " in is it item items its job just let lets list me monday morning my"
    " need night now of off ok okay on our out over part place please point project ready"
    " right saturday session shall should so speed spot start step steps still stop stuff"
    " sunday sure talking task tasks tell thanks that the their them then there"
    " these they thing things this those through thursday time to today together tonight"
    " tuesday up us want we wednesday week weekend well what "
    " which will with work worked working would yes yesterday yet you your".split()
)
_CUES_ZH = frozenset(
    "继续 接着 接上 续 往下 下去 恢复 接下来 下一步 没做 没干 没弄 没写 没搞 没完 没处理"
    " 没有做 未完 完的 剩 遗留 上次 上回 上一次 那天 刚才 刚刚 之前 先前 以前 前面 进度"
    " 进展 待办 收尾 来着 哪 在做 在干 在搞 在忙 在弄".split()
)
_FILLERS_ZH = frozenset(
    "昨天 昨晚 昨日 前天 早上 今早 中午 上午 下午 晚上 星期 周末 今天 现在 时候 时间 之后"
    " 以后 然后 我们 咱们 你们 大家 那个 这个 那些 这些 那里 这里 那边 这边 什么 怎么"
    " 怎样 东西 工作 任务 活儿 事情 事项 内容 部分 项目 开发 地方 位置 步骤 问题 话题"
    " 会话 对话 聊天 讨论 进行 处理 开始 开工 完成 结束 推进 中断 断点 状态 情况 回顾"
    " 回忆 回到 梳理 告诉 知道 记得 可以 需要 应该 一起 尾巴 停下 停住 卡住 一点 点儿"
    " 思路 程度 阶段 的 地 得 了 吧 呢 吗 嘛 啊 呀 哦 嗯 呗 哈 啦 着 过 把 被 给 跟 和 与"
    " 对 让 我 你 您 咱 他 它 请 帮 那 这 就 再 又 也 来 先 从 在 到 都 还 有 没 未 要 想"
    " 能 步 点 件 是 做 干 搞 弄 写 说 聊 谈 讲 看 活 事 些 下 上 一 二 三 四 五 六 日 天"
    " 周 个 几 回 次 里 儿 头 去 走 跑 停 卡 断 忙 完 好 行 哪 啥 嗨 按 照 往 半".split()
)


def is_continuation(prompt: str) -> bool:
    """Tell whether a prompt only asks to continue the last conversation.

    >>> is_continuation("接着昨天的干"), is_continuation("接着昨天的缓存方案干")
    (True, False)
    >>> is_continuation("What was I doing?"), is_continuation("What was I doing in auth.py?")
    (True, False)
    """
    if len(prompt) > _LONGEST:
        return False
    folded = text.fold(prompt.lower())
    words = text.folded_tokens(folded)
    has_cue = any(word in _CUES for word in words) or any(cue in folded for cue in _CUES_ZH)
    return has_cue and all(_is_common(word) for word in words)


def _is_common(word: str) -> bool:
    """Tell whether a word, or each word of a run of Chinese characters, is in the lists."""
    if word in _CUES or word in _FILLERS:
        return True
    ends = {0}
    for start in range(len(word)):
        if start in ends:
            for length in range(1, _LONGEST_WORD + 1):
                part = word[start : start + length]
                if part in _FILLERS_ZH or part in _CUES_ZH:
                    ends.add(start + len(part))
    return len(word) in ends
