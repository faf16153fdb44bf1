"""The forms of what people say to the memory itself, in both languages, a line each.

Words in braces stand for those of `_WORDS`. What a form names is a group: `what` (words to look
for), `ids`, `day`, `when` (days in words), `age`, `tag`, `mark`, `unmark`, `format`, `file`,
`setting`.

A blank is one blank: the forms are written without `re.VERBOSE`, to be read as they are said.
"""

from __future__ import annotations

from collections.abc import Iterator

SAVE, SKIP, ADD, SEARCH = "save", "skip", "add", "search"
TODAY, RECENT, LIST, WHEN, SHOW = "today", "recent", "list", "when", "show"
EDIT, MARK, PURGE = "edit", "mark", "purge"
UNDO, UNDO_DELETE = "undo", "undo-delete"
DELETE, DELETE_WHEN, DELETE_OLD = "delete", "delete-when", "delete-old"
DELETE_TAG, DELETE_ALL = "delete-tag", "delete-all"
CLEANUP, ARCHIVE, DEDUPE = "cleanup", "archive", "dedupe"
SANITIZE, RESTORE = "sanitize", "restore"
REPORT, REVIEW, SUMMARIZE, SUMMARY = "report", "review", "summarize", "summary"
EXPORT, BACKUP, IMPORT = "export", "backup", "import"
ENCRYPT, DECRYPT, REKEY = "encrypt", "decrypt", "rekey"
PROJECTS, DOCTOR, REINDEX = "projects", "doctor", "reindex"
SETTINGS, AUTO_ARCHIVE = "settings", "auto-archive"

_ID = r"(?:[\w.-]+:)?[0-9]{4}-[0-9]{2}-[0-9]{2}\#[0-9]+(?:~[0-9]+)?"
_DATE = r"[0-9]{4}-[0-9]{2}-[0-9]{2}"
_NUMBER_ZH = r"(?:[0-9]{1,5}|[一二两兩三四五六七八九十]{1,3}|半)"
_SPAN_ZH = rf"{_NUMBER_ZH}\s*个?\s*(?:天|日|周|星期|礼拜|月|年)"
_NUMBER_EN = (
    r"(?:[0-9]{1,5}|an?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|half an?)"
)

_FILE = r"[^\s:：，,；;。“”\"'<>|*?]+\.(?:jsonl|json|md|html|zip)"
_INTO = (
    rf"(?:(?P<file>{_FILE})"
    r"|(?P<format>json|jsonl|md|markdown|html|网页|zip|压缩包|a (?:web )?page))"
)

_WORDS = {
    "id": _ID,
    "ids": rf"{_ID}(?:(?:[\s,，、和与]|\band\b)+{_ID})*",
    "date": _DATE,
    "session": r"(?:会话|會話|session|memory|memories|记忆|記憶)",
    # ------------------------------------------------------------ the memory
    "mem": (
        r"(?:(?:我们|咱们|我|你|全部|所有|整个|这个项目|本项目|项目)的?)*"
        r"(?:记忆|記憶)(?:数据|库|内容)?"
    ),
    "memory": (
        r"(?:(?:all|of|my|the|our|your|whole|entire|project|this project['’]s) )*"
        r"(?:memory|memories)"
    ),
    "old": r"(?:旧|老|舊|过期|過期|过时|陈旧|以前|很久以前|早期)的?",
    "stale": r"(?:old|older|expired|stale|outdated|ancient)",
    # ------------------------------------------------------------ verbs
    "view": (
        r"(?:给我|让我)?(?:查看|看看|看一下|看下|看|显示|列出|列一下|打开|展示|浏览)(?:一下)?"
    ),
    "show": r"(?:show|list|view|display|see|open|print|give)(?: me)?",
    "find": r"(?:搜索|查找|检索|搜|查|找找|找)(?:一下|一搜|下)?",
    "drop": r"(?:删除|删掉|删了|刪除|刪掉|清除|清空|移除|去掉|忘掉|忘记|忘記)",
    "delete": r"(?:delete|forget|remove|erase|get rid of|drop)",
    "clean": r"(?:清理|清一清|整理|打扫)(?:一下|下)?",
    "tidy": r"(?:clean(?: ?up)?|tidy(?: up)?|cleanup)",
    "store": r"(?:归档|歸檔|存档)(?:一下)?",
    "back": r"(?:恢复|恢復|还原|還原|找回|取回)",
    "about": r"(?:关于|有关|關於)",
    "take": r"(?:把|将|將|给|对)",
    # ------------------------------------------------------------ ages
    "day_zh": r"(?:今天|今日|昨天|昨日|[0-9]{4}-[0-9]{2}-[0-9]{2})",
    "day_en": r"(?:today|yesterday|[0-9]{4}-[0-9]{2}-[0-9]{2})",
    "age_zh": (
        rf"(?:超过|早于|大于)\s*{_SPAN_ZH}|{_SPAN_ZH}\s*(?:之|以)?前|{_DATE}\s*(?:之|以)?前"
    ),
    "year_zh": r"[去前]年(?:(?:之|以|及以)前)?",
    "year_en": r"(?:from|of) last year",
    "whose": r"的?(?:所有|全部)?的?(?:旧|老|舊)?的?",
    "age_en": (
        rf"(?:(?:that are |which are )?(?:older than|over|from more than)"
        rf" {_NUMBER_EN} (?:days?|weeks?|months?|years?)(?: ago| old)?"
        rf"|(?:from |of )?before {_DATE})"
    ),
    # ------------------------------------------------------------ other
    "double": r"(?:重复|重複|相似|相同|雷同)的?",
    "doubled": r"(?:near-)?(?:duplicate|duplicated|similar|redundant)s?",
    "secret": r"(?:密码|密碼|密钥|密鑰|敏感信息|敏感数据|隐私信息|秘密|口令)",
    "secrets": r"(?:secrets|passwords|credentials|keys|sensitive (?:data|information))",
    "flag_zh": r"(?:重要|过时|過時|私密|私有)",
    "flag": r"(?:important|outdated|obsolete|private)",
    "this_zh": (
        r"(?:这条|这个|这一条|上一条|上条|最后一条|最新一?条|最近一条|刚才那条|刚才的)"
        r"(?:记忆|会话)?"
    ),
    "this": r"(?:this|it|that|the last|the latest|the newest)(?: (?:one|memory|session))?",
    "into_zh": rf"(?:(?:为|成|到|至|格式)?\s*{_INTO}(?:\s*(?:格式|文件))?)",
    "into": rf"(?: (?:as|to|into) {_INTO})",
    "file": _FILE,
    "settings": r"memory (?:settings?|config(?:uration)?|options|preferences)",
    "setting": r"(?:\s*[:：]?\s*(?P<setting>[a-z]+\.[a-z_]+(?:[\s=:：改设設恢为為].*?)?))",
}

# Below a name, a line each, what means it as a whole message. More special forms come first.
_FORMS = r"""
save:
    (?:保存|存|记)(?:一下|下来|起来)?(?:这个|这些|对话|会话)?
    (?:save|keep|remember)(?: (?:it|this|all of this|everything))?
skip:
    (?:forget|skip) (?:this|the|our) (?:conversation|session|chat)
    (?:忘掉|忘记|跳过)(?:这次|本次)?(?:对话|会话)
search:
    {find}{mem}(?:[里中裡])?(?:\s*[:：]\s*|\s+)(?P<what>\S.*?)
    {find}{mem}[里中裡]的\s*(?P<what>\S.*?)
    {find}\s*{about}\s*(?P<what>\S.*?)\s*的{mem}
    (?:在|从|從){mem}[里中裡]?(?:面)?{find}(?:\s*[:：]\s*|\s*)(?P<what>\S.*?)
    {mem}[里中裡]?(?:面)?有没有(?:{about})?\s*(?P<what>\S.*?)\s*的(?:内容|记录|信息|东西)?
    有没有(?:{about})\s*(?P<what>\S.*?)\s*的{mem}
    search (?:in |through )?{memory}(?: (?:for|about))?(?:\s*:\s*| )(?P<what>\S.*?)
    (?:find|show(?: me)?|list) {memory} (?:about|on) (?P<what>\S.*?)
    (?:search|look) for (?P<what>\S.*?) in (?:my|our|your) (?:memory|memories)
    (?:find|look up) (?P<what>\S.*?) in (?:(?:my|our|your|the) )?(?:memory|memories)
    what do (?:you|we) remember about (?P<what>\S.*?)
    memory search(?:\s*:\s*| )(?P<what>\S.*?)
add:
    (?:添加|新增|加一条|记一条|写一条)(?:一条)?{mem}(?:\s*[:：]\s*|\s+)(?P<what>\S.*?)
    add (?:a |this )?(?:memory|note to {memory})\s*:\s*(?P<what>\S.*?)
today:
    (?:{view})?\s*(?:今日|今天)的?(?:所有|全部)?的?{mem}
    (?:今日|今天)(?:都)?(?:记了|记住了|保存了|存了|记录了)(?:些)?(?:什么|啥|哪些)
    (?:{show} )?(?:(?:my|the|all of) )?today['’]?s (?:memory|memories)
    {show} {memory} (?:of|from|for) today
    what (?:did (?:you|we)|have (?:you|we)|was|has been) (?:remember|remembered|save|saved) today
    {show} what was (?:saved|remembered) today
list:
    {view}(?:所有|全部)的?{mem}
    {show} all (?:of )?(?:my |the )?memories
recent:
    {view}(?:最近的?|近期的?)?{mem}
    最近的{mem}
    {show} (?:my |the )?(?:recent|latest|last) (?:memory|memories)
    recent memories
    {show} {memory}
show:
    {view}\s*(?:{session}\s*)?(?P<ids>{id})(?:\s*的?{mem})?
    {show} (?:the )?(?:{session} )?(?P<ids>{id})
edit:
    (?:编辑|修改|更正|改一下)\s*(?:{session}\s*)?(?P<ids>{id})(?:\s*的?{mem})?
    (?:edit|correct) (?:the )?(?:{session} )?(?P<ids>{id})
when:
    {view}\s*(?P<when>\S.{{0,20}}?)\s*的?(?:所有|全部)?的?{mem}
    {show} (?P<when>\S.{{0,20}}?)['’]s (?:memory|memories)
    {show} {memory} (?:of|from|for|in) (?P<when>\S.{{0,30}}?)
mark:
    (?:{take}\s*)?(?:{session}\s*)?(?P<ids>{ids}|{this_zh})\s*(?:都)?(?:标记|標記|标|设|设置)(?:为|為|成|作)(?P<mark>{flag_zh})的?(?:{mem})?
    (?:标记|標記)\s*(?P<ids>{ids}|{this_zh})\s*(?:为|為|成)(?P<mark>{flag_zh})
    (?P<ids>{ids}|这条记忆|这条)\s*(?:已经|已|很|是)?(?P<mark>{flag_zh})(?:了|的)?
    (?:取消|清除|去掉)\s*(?P<ids>{ids}|{this_zh})\s*的?(?:所有|全部)?(?P<mark>标记|標記)
    (?:取消|清除|去掉)\s*(?P<ids>{ids}|{this_zh})\s*的?(?P<unmark>{flag_zh})(?:标记|標記)?
    {take}\s*(?P<ids>{ids}|{this_zh})\s*的?(?P<unmark>{flag_zh})(?:标记|標記)(?:取消|清除|去掉)
    (?P<ids>{ids}|{this_zh})\s*(?:已经)?不再?(?P<unmark>{flag_zh})(?:了)?
    (?:mark|flag|set|make) (?:{session} )?(?P<ids>{ids}|{this}) (?:as )?(?P<mark>{flag})
    (?:{session} )?(?P<ids>{ids}) is (?P<mark>{flag})
    (?:{session} )?(?P<ids>{ids}) is (?:not|no longer) (?P<unmark>{flag})(?: any ?more)?
    (?:remove|clear) the (?P<unmark>{flag}) (?:mark|flag) (?:from|of) (?P<ids>{ids}|{this})
    (?P<mark>unmark|clear the marks of) (?:{session} )?(?P<ids>{ids}|{this})
delete-old:
    {drop}\s*(?P<age>{age_zh}){whose}{mem}
    {drop}{old}{mem}
    {delete} {memory} (?P<age>{age_en})
    (?:{delete}|purge) (?:all )?(?:the |my )?{stale} (?:memory|memories)
delete-tag:
    {drop}\s*(?:标签为|标签是|带有?标签)\s*(?P<tag>\S+?)\s*的(?:所有|全部)?{mem}
    {drop}\s*带有?\s*(?P<tag>\S+?)\s*标签的(?:所有|全部)?{mem}
    {delete} {memory} (?:tagged(?: as)?|with (?:the )?tag) (?P<tag>\S+?)
purge:
    (?:彻底|永久|徹底){drop}\s*(?:{session}\s*)?(?:[:：]\s*)?(?P<ids>{ids})
    (?:purge|(?:permanently|completely) {delete}) (?:the )?(?:{session} )?(?P<ids>{ids})
delete:
    {drop}\s*(?:这条|那条)?(?:{session}\s*)?(?:[:：]\s*)?(?P<ids>{ids})(?:\s*的?{mem})?
    {take}\s*(?:{session}\s*)?(?P<ids>{ids})\s*(?:都|全部)?(?:给)?{drop}
    {delete} (?:the )?(?:{session}\s*:? )?(?P<ids>{ids})
    {drop}\s*(?P<day>{day_zh}\s*的?\s*{session}\s*[0-9]+)
    {delete} (?:the )?(?P<day>{session} [0-9]+ (?:of|from) {day_en})
    {drop}\s*(?P<day>{day_zh})\s*的?(?:所有|全部)?的?{mem}
    {take}\s*(?P<day>{day_zh})\s*的?(?:所有|全部)?的?{mem}(?:都|全部|全)?(?:给)?{drop}
    {delete} (?:all )?(?:of )?(?:my )?(?P<day>{day_en})['’]?s (?:memory|memories)
    {drop}(?:这条|那条)?{mem}(?:\s*[:：]\s*|\s+)(?P<what>\S.*?)
    {drop}\s*(?:{about}|和|与|跟)\s*(?P<what>\S.*?)\s*(?:有关|相关|有關|相關)?的(?:所有|全部)?的?(?:{mem}|一切|所有内容)
    {take}\s*(?:{about})\s*(?P<what>\S.*?)\s*的(?:所有|全部)?的?{mem}(?:都|全部)?{drop}
    {delete} {memory}(?:\s*:\s*| (?:of|about|from|on) )(?P<what>\S.*?)
    {delete} (?:everything|anything|what you (?:know|remember)) (?:about|on) (?P<what>\S.*?)
delete-when:
    {drop}\s*(?P<when>\S.{{0,20}}?)\s*的?(?:所有|全部)?的?{mem}
    {delete} (?:all )?(?:of )?(?:my )?(?P<when>\S.{{0,20}}?)['’]s (?:memory|memories)
delete-all:
    {drop}(?:所有|全部)?的?{mem}
    {take}(?:所有|全部)?的?{mem}(?:都|全部|全)?(?:给)?{drop}
    (?:{delete}|clear|wipe) {memory}
undo:
    (?:撤销|撤回|撤銷)(?:刚才的?|上次的?)?(?:对)?{mem}的?(?:修改|编辑|标记|更改|合并)
    undo (?:the |that |my |last )*memory (?:edit|change|mark|merge)
undo-delete:
    (?:撤销|撤回|撤銷|取消|{back})(?:我)?(?:刚才的?|刚刚?|上次的?|上一次的?)?{drop}(?:的?{mem})?
    {back}(?:我)?(?:刚才|刚刚|刚|被)?(?:误)?(?:删除|删掉|删|刪除)的?(?:那条|那些)?{mem}
    {take}(?:我)?(?:刚才|刚刚|刚|被)?(?:误)?(?:删除|删掉|删|刪除)的{mem}(?:都)?{back}(?:回?来)?
    undo (?:the |that |my |last )*(?:delete|deletion)(?: of {memory})?
    undo (?:the |that |my |last )*memory (?:delete|deletion)
    (?:bring back|restore|recover) (?:the |my )?deleted {memory}
    undelete(?: {memory})?
    (?:bring back|restore) what (?:I|you|we|was) (?:just )?deleted
auto-archive:
    自动{store}(?:{old})?{mem}
    (?:{old})?{mem}自动{store}
    archive (?:(?:the|my) )?(?:{stale} )?memories (?:automatically|by (?:itself|themselves))
    automatically archive (?:(?:the|my) )?(?:{stale} )?memories
restore:
    (?:{back}|取出|取消)(?:所有|全部)?的?(?:已)?{store}(?:了)?的?(?:{mem})?(?:\s*[:：]?\s*(?P<ids>{id}|{date}))?
    (?:从{store}(?:里|中)?|{take}(?:已)?{store}(?:了)?的{mem}(?:都)?){back}(?:回来|{mem})?
    {back}\s*(?P<ids>{id}|{date})(?:\s*的?(?:{store})?的?{mem})?
    (?:restore|unarchive|bring back) (?:all )?(?:the |my )?archived {memory}
    (?:restore|unarchive|bring back) (?:the |my )?archived {memory} (?:of|from) (?P<ids>{date})
    (?:restore|bring back) (?:everything |{memory} )?(?:from )?(?:the )?archive
    unarchive {memory}
    (?:restore|unarchive) (?:{memory} (?:of|from) )?(?P<ids>{id}|{date})
archive:
    {store}(?:{old})?{mem}
    {take}(?:{old})?{mem}(?:都)?{store}
    archive (?:(?:the|my) )?(?:{stale} )?{memory}
dedupe:
    (?:合并|合併|清理|去除|{drop}){double}{mem}
    (?:给|对)?{mem}去重
    去重{mem}
    {take}{double}{mem}(?:都)?(?:合并|合併)(?:起来|掉)?
    (?:merge|{tidy}|{delete}) (?:(?:the|my) )?{doubled} memories
    merge (?:the )?duplicates(?: in {memory})?
    (?:dedupe|deduplicate) {memory}
sanitize:
    (?:清理|隐藏|隱藏|过滤|{drop}){mem}[里中裡]?的?{secret}
    (?:给|对)?{mem}脱敏
    (?:hide|redact|{tidy}|{delete}) (?:the |all )?{secrets} (?:in|from) {memory}
    (?:sanitize|redact) {memory}
cleanup:
    (?:检查|看看|查找)?(?:一下)?{mem}[里中裡]?(?:有没有|的){secret}
    (?:are there (?:any )?|find (?:the |all )?){secrets} in {memory}
    (?:{clean}|{store}|清除)\s*(?P<age>{age_zh}|{year_zh}){whose}{mem}
    {take}\s*(?P<age>{age_zh}|{year_zh}){whose}{mem}(?:都)?(?:{clean}|{store})(?:掉)?
    {clean}(?:{old})?{mem}
    (?:清|扫)一下{old}{mem}
    {take}(?:{old})?{mem}{clean}(?:掉)?
    (?:{tidy}|archive) {memory} (?P<age>{age_en}|{year_en})
    (?:{tidy}|clear) (?:(?:the|my) )?(?:{stale} )?{memory}
report:
    (?:{view}|生成|做|给我)?(?:一下|一份)?{mem}的?(?:分析|使用)?(?:报告|報告|统计|統計|分析)
    (?:分析|统计)(?:一下)?{mem}
    (?:(?:{show}|make|generate|create) )?(?:a |the |my )?memory (?:report|statistics|stats)
    (?:(?:{show}|make|generate|create) )?(?:a |the )?report (?:on|of|about) {memory}
    analy[sz]e {memory}
review:
    (?:回顾|回顧|审核|審核|审查|检查|复查|体检)(?:一下)?(?:{old})?{mem}
    {mem}(?:审核|体检|检查)
    (?:看看|检查|查查)?(?:有没有|有哪些|哪些){mem}?(?:过时|過時|矛盾|冲突)(?:了)?的?(?:{mem})?
    (?:看看|检查)?(?:有没有|有哪些|哪些){mem}(?:已经)?(?:过时|過時|矛盾|冲突)(?:了)?
    (?:review|check|audit) (?:(?:the|my) )?(?:{stale} )?{memory}
    (?:find|{show}) (?:outdated|contradictory|conflicting|{doubled}) memories
    (?:查找|找出|{view}){double}{mem}
    (?:which|what) (?:of my )?memories are (?:outdated|contradictory|wrong)
    are there (?:any )?(?:outdated|contradictory|conflicting) memories
summarize:
    (?:总结|總結|归纳|汇总)(?:一下)?{mem}
    (?:更新|刷新|生成|重新生成)(?:{mem})的?摘要
    summari[sz]e {memory}
    (?:update|refresh|make|create) (?:a |the |my )?memory summary
summary:
    (?:{view})?{mem}的?摘要
    (?:{show} )?(?:the |my )?memory summary
export:
    导出(?:一下)?{mem}{into_zh}?
    导出(?:一下)?(?P<when>\S.{{0,20}}?)的?(?:所有|全部)?的?{mem}{into_zh}?
    {take}(?:所有|全部)?{mem}(?:都)?导出(?:来|一下)?{into_zh}?
    export {memory}(?: (?:of|from) (?P<when>\S.{{0,20}}?))?{into}?
backup:
    备份(?:一下)?{mem}(?:(?:到|至)\s*(?P<file>{file}))?
    {take}{mem}备份(?:一下)?
    (?:back ?up|make a backup of|create a backup of) {memory}(?: to (?P<file>{file}))?
import:
    导入{mem}(?:文件)?(?:\s*[:：]\s*|\s+)(?P<file>{file})
    从\s*(?P<from>{file})\s*导入{mem}
    从备份(?:恢复|导入){mem}(?:\s*[:：]\s*|\s+)(?P<file>{file})
    import (?:{memory} )?(?:from )?(?P<file>{file})
decrypt:
    (?:关闭|关掉|停用)(?:{mem})?的?加密
    turn off (?:memory )?encryption
encrypt:
    (?:打开|开启|启用)(?:{mem})?的?加密
    turn on (?:memory )?encryption
decrypt:
    (?:解密|取消加密){mem}
    取消{mem}的?加密
    {take}{mem}解密
    decrypt {memory}
    remove (?:the )?encryption (?:from|of) {memory}
encrypt:
    加密{mem}
    {take}{mem}(?:进行)?加密(?:起来)?
    encrypt {memory}
rekey:
    (?:更换|换|换掉|更新){mem}的?(?:密钥|加密密钥|钥匙)
    (?:{take})?{mem}的?密钥(?:换|更换)(?:掉|一下)?
    (?:change|replace|renew) (?:the |my )?(?:memory key|key of {memory})
    rekey {memory}
projects:
    (?:{view}|有)?(?:一下)?(?:所有|全部|哪些|记忆)?的?项目(?:列表|清单)
    {view}(?:所有|全部)?的?项目
    (?:都)?有哪些项目(?:有记忆)?
    哪些项目有{mem}
    {show} (?:all )?(?:(?:my|the) )?projects
    (?:the )?(?:list of |memory )?projects
    (?:which|what) projects (?:are there|(?:have|has) {memory})
doctor:
    (?:检查|诊断){mem}(?:的)?(?:健康|故障|问题|文件|索引|状态)
    诊断{mem}
    (?:check|diagnose) (?:the )?(?:health of {memory}|memory (?:health|files|for faults))
reindex:
    (?:重建|重新建立|重做)(?:{mem})?的?索引
    (?:rebuild|remake) (?:the )?(?:memory )?index
settings:
    (?:{view}|修改|更改|调整|把|将)?{mem}的?(?:设置|設置|配置|选项){setting}?
    (?:(?:{show}|set|change|reset|edit) )?(?:the |my )?{settings}{setting}?
    what (?:are|is) (?:the |my )?{settings}
"""

_GROUPS = {name: f"(?:{source})" for name, source in _WORDS.items()}


def _forms() -> Iterator[tuple[str, str]]:
    action = ""
    for line in _FORMS.strip().split("\n"):
        if line.startswith(" "):
            yield action, line.strip().format_map(_GROUPS)
        else:
            action = line.removesuffix(":")


# What each form means, and its regular expression.
FORMS = tuple(_forms())
