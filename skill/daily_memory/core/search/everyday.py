"""Words of everyday work: they are in the notes of any project, and tell little of one.

"Fix the typo in the README" is an order like any other, whatever the memory has on typos; "fix the
typo in the Redis guide" may have to do with what it has on Redis.
"""

from __future__ import annotations

import re
from collections.abc import Collection

from daily_memory.core.lazy_pattern import lazy_pattern
from daily_memory.core.search import text
from daily_memory.core.search.stopwords import CHINESE, GENERAL

# Words that are in most notes of developers, and tell them apart least.
USUAL = frozenset(
    """
    add added adds use used uses using fix fixed fixes make makes made change changed changes
    set sets get gets new old need needs want wants work works like also see run runs file files
    code line lines value values name names test tests thing things way one two user assistant
    true false none null return returns def class import self string list data type function
    first last time day today please thanks let yes problem now good
    ask asked help great okay nice sure need needed something anything nothing everything someone
    pick put keep kept still back done using never always maybe really actually already instead
    however because without within every each both either other another next step steps part parts
    remove removed removes move moved replace replaced create created build built check checked
    update updated updates delete deleted open close read write start stop wait try call called
    left right true big small long short bit lot number end start whole able best better worst most
    least less many much few own seems seem looks look show shows shown think know knows
    src hour hours minute minutes second seconds week weeks month months monday tuesday wednesday
    january february march april june july august september october november december
    thursday friday saturday sunday today tomorrow question questions answer mb gb kb tb ms
    http https www com org net html gt lt nbsp amp ok null undefined
    """.split()
)
# What people have an assistant do, and the things that every project has.
_ORDERS = frozenset(
    """
    again apply ask branch bug bugs bump case chinese class clean color colour comment comments
    commit commits compile console correct crash decrease dependencies dependency describe dev diff
    directory disable doc docs document documentation edge edit enable english ensure error errors
    execute explain extract fail failed failing fails fast faster folder format function functions
    generate handle handling implement import imports improve increase init input install issue
    issues leak leaks library lint linter loading log logging logs main memory merge message
    messages method methods missing module modules optimize option options order output package
    packages page parameter parameters params pass passes perform performance pr print project
    proper pull push readme refactor rename repo repository request restart result results return
    revert review rewrite root screen script scripts section secure server setup simplify source
    space spaces spelling split summarize summary support sync tab tabs text title todo translate
    type types typo typos undo unit unused upgrade upload user users variable variables verify
    version warning warnings weather
    """.split()
)
# The same in Chinese, longer ones before their parts.
_ORDERS_ZH = lazy_pattern(
    "一下|一遍|一次|一个|一些|这个|那个|这里|那里|这段|那段|帮我|帮忙|给我|麻烦|看看|看下|试试|再试|还是|不行|不对"
    "|没有|没用|有没有|现在|然后|继续|开始|问题|错误|报错|出错|异常|错别字|错字|拼写|代码|程序|脚本|文件|目录"
    "|文件夹|函数|方法|变量|参数|类型|模块|接口|注释|文档|说明|标题|单元|测试|用例|日志|依赖|版本|分支|提交"
    "|推送|拉取|合并|构建|编译|打包|格式化|格式|运行|执行|启动|重启|停止|安装|卸载|更新|升级|修改|修复|修正"
    "|解决|处理|实现|完成|优化|重构|重写|重命名|改名|删除|删掉|去掉|移除|清理|添加|增加|加上|新增|新建|创建"
    "|生成|写个|写一|检查|检测|查看|查一|解释|分析|总结|翻译|中文|英文|成中|成英|服务|项目|工程|仓库|警告|性能"
    "|功能|页面|内容|结果|信息|好的|可以|谢谢|怎么|为什么|什么|如何"
)
# Options and joined names are of one project, whatever words they are made of.
_NAME = lazy_pattern(r"(?<![\w-])--[a-z][\w-]+|[A-Za-z0-9]+(?:_[A-Za-z0-9]+)+")
_MOST_IN_PASSING = 2
# A closed class of words: what asks.
_ASKS = lazy_pattern(
    r"\?\s*$|^\W*(?:how|what|which|when|where|who|why|did|does|do|is|are|was|were|should|can)\b"
    r"|什么|怎么|怎样|如何|哪|多少|多久|多长|几|为何|是否|有没有|吗|呢",
    re.IGNORECASE,
)
_GENERAL_STEMS = frozenset(map(text.stem, USUAL | _ORDERS | GENERAL))


def telling_terms(question: str) -> frozenset[str]:
    """Return the terms of a question that are more than everyday words.

    >>> sorted(telling_terms("fix the typo in the README")), sorted(telling_terms("修一下测试"))
    ([], [])
    >>> sorted(telling_terms("修复 Redis 的缓存测试"))
    ['redi', '缓存']
    """
    folded = text.fold(question)
    telling = {term for name in _NAME.findall(folded) for term in text.terms(name)}
    rest = folded if folded.isascii() else _ORDERS_ZH.sub(" ", folded)
    for token in text.folded_tokens(rest):
        if text.is_cjk(token):
            telling.update(pair for pair in text.run_pairs(token) if CHINESE.isdisjoint(pair))
        else:
            terms = text.word_terms(token)
            telling.update(term for term in terms if len(term) > 1 and term not in _GENERAL_STEMS)
    return frozenset(telling)


def is_question(message: str) -> bool:
    """Tell whether a message asks something, instead of giving an order.

    >>> is_question("How long are logs kept?"), is_question("fix the failing test")
    (True, False)
    """
    return bool(_ASKS.search(text.fold(message)))


def is_about(words: Collection[str], telling: frozenset[str], subject: str) -> bool:
    """Tell whether a text with these words of an order has more than everyday words of it.

    `telling` are the order's `telling_terms`. One telling word may be said in passing: it has to be
    in the `subject` of the text, or come with two other words of the order.

    >>> telling = telling_terms("compile the crawler")
    >>> is_about(["crawler"], telling, "Crawler: table extraction")
    True
    >>> is_about(["crawler"], telling, "Favicon")
    False
    """
    shared = telling.intersection(term for word in words for term in text.terms(word))
    if not shared:
        return False
    return (_count(shared) > 1 or _count(words) > _MOST_IN_PASSING) or not shared.isdisjoint(
        text.terms(subject)
    )


def _count(words: Collection[str]) -> int:
    """Return how many words these are; a Chinese one of two or three characters is its pairs."""
    pairs = sum(len(word) > 1 and CHINESE.isdisjoint(word) for word in words if text.is_cjk(word))
    return sum(not text.is_cjk(word) for word in words) + (pairs + 1) // 2
