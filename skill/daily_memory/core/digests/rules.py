"""Lasting rules of the user: "never push without asking", "以后都用中文回答".

A rule says that it holds every time, asks for consent, forbids something in general, or is to be
remembered. What refers to this line, here or now ends with the task.
"""

from __future__ import annotations

import re

from daily_memory.core.digests import cues
from daily_memory.core.digests.wording import has_terms, is_about_saving
from daily_memory.core.phrases.saving import is_fact_to_remember

_FLAGS = re.IGNORECASE | re.VERBOSE
# "This project" and "from now on" are general.
_GENERAL = re.compile(
    r"""
      \b (?: this | these | our | the ) \ (?: projects? | repos? | codebase ) \b
    | 这个?(?:项目|仓库)[里中]?
    | \b from\ now\ on \b | 从现在[起开] | \b we \b [^.;]{1,60} \b here \b
    """,
    _FLAGS,
)
_POINTS = re.compile(
    r"""
      [这那它该此](?!么) | 刚才 | 上[面述] | 下面 | 现在 | (?<![首事优要])先(?!问|经) | 暂[时且]
    | 目前 | 本次 | 今天 | 以后再
    | \b (?: this | that | these | those | here | now | yet | today | for\ the\ moment ) \b
    """,
    _FLAGS,
)
_EVERY_TIME = re.compile(
    r"""
      一律 | 始终[用要] | 今后 | 往后 | 从现在[起开]
    | 以后(?=[请别不要每所凡用写把])
    | (?: (?<![\u4e00-\u9fff]) | (?<=[你您我们请]) )  # “部署以后” is after something
      以后 [^，,。；;]{0,12} 都(?!可以|能|行|会)
    | 所有 [^，,。；;]{1,20} 必须
    | 永远(?=[不别用要只]) | 千万 | 绝(?:对)?不[能要可许准得] | 凡是 | 任何(?:时候|情况)
    | 每次 .{0,14} (?: 都?[要得] | 必须 | 务必 | 先 | 请 )
    | (?: 我们? | 用户 ) 更? (?: 偏好 | 习惯 | 喜欢 ) | 约定(?!了) | 统一用
    | \b (?: from\ now\ on | going\ forward | in\ (?: the\ )? future | as\ a\ rule | conventions?
        | (?: i | we | user ) \ prefers? | whenever\ (?: you | we )
        | (?: every | each )\ time\ (?: you | we ) ) \b
    | (?: ^ \W* | [,;:.]\ | \b (?: please | and | but | also | so | just | we | you | must
        | should | to | i\ want ) \ ) (?: always | never (?!\ mind ) ) \b
    | \b no \ \w .{0,40} \ ever \b
    | \b every \ \w .{0,40} \b (?: must | should | has\ to | needs\ to ) \b
    """,
    _FLAGS,
)
_CONSENT = re.compile(
    r"""
      先问(?:一下|过)?我 | (?: 经 | 没有?) 我 (?: 的 )? (?: 同意 | 确认 | 允许 ) | 未经
    | \b (?: ask | check\ with ) \ me \ (?: first | before ) | without\ (?: asking | my )
    | (?: unless | until | only\ (?: if | when ) ) \ i \ (?: say | ask | tell | approve )
    """,
    _FLAGS,
)
_FORBIDS = re.compile(
    r"""
      (?: ^ \W* | [，,。；;：:] \s* ) (?: 请 | 都 )?
      (?: 不要(?![紧了]) | 别(?![的人急忘管担]) | 禁止 | 不[准许得] | 切勿 | 请勿 )
    | (?: ^ \W* | [,;:.]\ | \b (?: please | and | but ) \ ) (?: do\ not | don['’]t )
      \ (?! worry | forget | bother | mind | know | think | need | understand | see | have )
    """,
    _FLAGS,
)
# "请记住我们刚才说的" asks to save the conversation, and states no fact.
_OF_TALK = re.compile("记住[^：:，,。]{0,4}(?:刚才|上面|以上|[这本]次|对话|讨论|聊)")
# A thing that was spoken of before.
_DEFINITE = re.compile(r"\b(?:the|it|its|them|him|her|your|my)\b", re.IGNORECASE)


def is_rule(text: str) -> bool:
    """Tell whether a sentence of the user, in simplified characters, is a lasting rule.

    >>> is_rule("Don't add comments to generated code"), is_rule("don't change that line")
    (True, False)
    """
    if is_fact_to_remember(text) and not _OF_TALK.search(text):
        return True
    # First what few sentences have: a summary asks it of every statement of a memory.
    holds_always = bool(_EVERY_TIME.search(text) or _CONSENT.search(text))
    rest = _GENERAL.sub(" ", text)
    if not holds_always and not _FORBIDS.search(rest):
        return False
    if cues.ASKS.search(text) or is_about_saving(text) or not has_terms(text, 2):
        return False
    return not _POINTS.search(rest) and (holds_always or not _DEFINITE.search(rest))
