"""What is said to the memory itself, in both languages, and what only sounds like it."""

from __future__ import annotations

from datetime import date

import pytest

from daily_memory.core.wishes.intents import Intent, find_intent

TODAY = date(2026, 1, 29)


# What people say for each, a line each.
SAID = {
    "add": """\
添加记忆: 我们用 pnpm
add memory: we use pnpm""",
    "archive": """\
归档旧记忆
归档记忆
归档过期记忆
把旧记忆归档
把过期的记忆归档
请归档旧记忆
归档老记忆
archive old memories
archive memories
archive my old memories
archive the old memories
archive expired memories
archive my memories""",
    "backup": """\
备份记忆
备份一下记忆
back up my memory
backup my memories
back up memories
make a backup of my memory""",
    "cleanup": """\
清理旧记忆
清理记忆
清理过期记忆
清理一下旧记忆
清理过期的记忆
请清理旧记忆
帮我清理旧记忆
清一下旧记忆
整理记忆
整理一下旧记忆
把旧记忆清理一下
清理老记忆
清理三个月前的记忆
清理 90 天前的记忆
清理90天以前的记忆
清理半年前的记忆
清理一年前的记忆
清理去年的记忆
清理超过三个月的记忆
清理两周前的记忆
归档三个月前的记忆
归档去年的记忆
清理 3 个月以前的旧记忆
clean up old memories
clean up memories
clean up memory
clean up the old memories
clean old memories
cleanup old memories
tidy up memories
clear old memories
please clean up my memories
clean up expired memories
clean up my old memories
clean up memories older than 90 days
clean up memories older than three months
clean up memories older than 3 months
clean up memories older than a year
clean up memories from last year
clean up memories older than two weeks
archive memories older than six months
archive memories older than 90 days
把三个月前的记忆归档
检查记忆里有没有密码
are there passwords in my memory""",
    "decrypt": """\
解密记忆
取消记忆加密
把记忆解密
decrypt my memory
decrypt memories
remove encryption from my memory""",
    "dedupe": """\
合并重复记忆
合并重复的记忆
记忆去重
去重记忆
合并相似的记忆
清理重复记忆
删除重复记忆
去除重复记忆
给记忆去重
把重复的记忆合并
merge duplicate memories
merge duplicates
dedupe memories
deduplicate memories
deduplicate my memory
remove duplicate memories
clean up duplicate memories
merge similar memories
merge my duplicate memories""",
    "delete": """\
删除记忆: redis
删除记忆：2026-11-19#1
删除记忆 2026-11-19#1
删掉记忆: redis
删除这条记忆: 2026-11-19#1
删除 2026-11-19#1
删除今天的记忆
删除昨天的记忆
删除关于 redis 的记忆
忘记关于 redis 的记忆
把关于 redis 的记忆删掉
把 2026-11-19#1 删掉
把 2026-11-19#1 删除
请删除记忆: redis
删除 2026-11-19 的记忆
把昨天的记忆都删了
删除2026年11月19日的记忆
删除有关 redis 的记忆
忘掉 2026-11-19#1
忘掉关于 redis 的一切
移除记忆: redis
删除上周的记忆
清空今天的记忆
delete memory: redis
delete memory 2026-11-19#1
delete 2026-11-19#1
delete memories about redis
forget memories about redis
remove memory: 2026-11-19#1
delete the memory about redis
delete the memory of redis
please delete memory: redis
delete my memories about redis
forget what you know about redis
forget everything about redis
delete everything about redis
delete today's memories
delete yesterday's memories
delete memories from yesterday
delete memories from 2026-11-19
delete the memories of 2026-11-19
erase the memory about redis
get rid of the memory about redis
delete all memories about redis
delete last week's memories""",
    "delete-old": """\
清除旧记忆
purge old memories""",
    "doctor": """\
检查记忆健康""",
    "edit": """\
编辑 2026-11-19#1
edit 2026-11-19#1
修改记忆 2026-11-19#1""",
    "encrypt": """\
加密记忆
加密我的记忆
加密所有记忆
把记忆加密
给记忆加密
请加密记忆
对记忆进行加密
encrypt memory
encrypt my memory
encrypt my memories
encrypt the memory
encrypt all memories
please encrypt my memory
turn on encryption""",
    "export": """\
导出记忆
导出所有记忆
导出全部记忆
导出我的记忆
请导出记忆
帮我导出记忆
把记忆导出
把记忆导出来
把记忆导出为 json
把记忆导出成 html
导出记忆为 markdown
导出记忆到 backup.json
导出上个月的记忆
导出记忆为 zip
导出记忆数据
export memory
export memories
export my memory
export my memories
export all memories
export all my memories
export the memories as json
export my memory as html
export memories to backup.json
export memory to markdown
please export my memories""",
    "import": """\
导入记忆: backup.json
导入记忆 backup.json
从 backup.json 导入记忆
从备份恢复记忆: backup.zip
import memories from backup.json
import memory backup.zip
import my memories from backup.json""",
    "list": """\
查看所有记忆
查看上周的记忆
查看最近7天的记忆
show last week's memories
show all memories""",
    "mark": """\
把 2026-11-19#1 标记为重要
把 2026-11-19#1 标记为过时
把2026-11-19#1标为重要
标记 2026-11-19#1 为重要
把这条标记为过时
把这条标记为重要
把这条记忆标记为重要
标记这条为过时
这条很重要
2026-11-19#1 过时了
把 2026-11-19#1 设为私密
把上一条标记为重要
mark 2026-11-19#1 as important
mark 2026-11-19#1 important
mark this as important
mark this memory as outdated
mark this as outdated
mark it as important
flag 2026-11-19#1 as outdated
2026-11-19#1 is outdated
make 2026-11-19#1 private
unmark 2026-11-19#1
mark the last one as important
mark memory 2026-11-19#1 as important""",
    "projects": """\
项目列表
列出项目
查看项目
有哪些项目
列出所有项目
查看项目列表
记忆项目列表
哪些项目有记忆
显示所有项目
list projects
list my projects
show projects
show all projects
projects
which projects have memories
list all projects
memory projects
what projects are there""",
    "recent": """\
查看记忆
查看最近的记忆
最近的记忆
列出记忆
show memories
show recent memories
list memories
view memories
show me my recent memories""",
    "reindex": """\
重建索引
rebuild the index""",
    "rekey": """\
更换记忆密钥
change the memory key""",
    "report": """\
记忆报告
查看记忆报告
生成记忆报告
记忆统计
给我一份记忆报告
记忆分析报告
记忆分析
看看记忆统计
分析记忆
生成一份记忆报告
memory report
show memory report
show me the memory report
memory statistics
memory stats
give me a memory report
generate a memory report
report on my memory
analyze my memory
make a memory report""",
    "restore": """\
恢复归档
恢复归档的记忆
恢复所有归档的记忆
恢复归档记忆
取出归档的记忆
把归档的记忆恢复
取消归档
从归档恢复记忆
恢复 2026-11-01 的记忆
恢复归档 2026-11-01
恢复 2026-11-01#1
restore archived memories
restore archive
restore the archive
restore all archived memories
restore memories from archive
restore my archived memories
unarchive memories
unarchive 2026-11-01
bring back archived memories
restore 2026-11-01#1""",
    "review": """\
find duplicate memories
回顾记忆
审核记忆
检查记忆
审核旧记忆
审查记忆
复查记忆
看看哪些记忆过时了
哪些记忆过时了
有没有矛盾的记忆
记忆体检
review memories
review my memories
review memory
review the memories
check my memories
check memories
which memories are outdated
are there outdated memories
audit my memories
review old memories
find outdated memories""",
    "sanitize": """\
清理记忆里的密码
隐藏记忆里的敏感信息
隐藏记忆中的密钥
清除记忆中的敏感信息
过滤记忆里的敏感信息
给记忆脱敏
记忆脱敏
删除记忆里的密码
hide secrets in my memories
hide the secrets in memory
remove secrets from my memory
remove passwords from memories
sanitize my memory
sanitize memories
redact secrets in my memories
clean secrets from memory""",
    "save": """\
记住这个
记住这个吧
请记住这个
帮我记住这个
把这个记住
保存这个
保存这次对话
保存当前对话
把这次对话存到记忆里
记一下这个
请保存对话
保存对话
save this
save this conversation
please save this
remember this
save the conversation
save this chat to memory
can you save this?
store this in memory
save this session
save our conversation""",
    "search": """\
搜索记忆: redis
搜索记忆：redis 缓存
搜索记忆 redis
搜记忆 redis
搜一下记忆：部署
查找记忆: 部署
查一下记忆里的部署
在记忆里找 redis
在记忆中搜索一下 redis
搜索关于 redis 的记忆
找找关于 redis 的记忆
记忆里有没有关于 redis 的内容
帮我搜索记忆: redis
从记忆里查 redis
检索记忆: redis
有没有关于 redis 的记忆
search memory: redis
search memories: redis
search memory for redis
search my memory for redis
search memories about redis
search the memory for redis TTL
find memories about redis
look up redis in memory
search for redis in my memories
look for redis in my memories
what do you remember about redis
what do you remember about redis?
find redis in my memory
memory search redis
search in memory: redis""",
    "settings": """\
记忆设置
查看记忆设置
修改记忆设置
打开记忆设置
显示记忆设置
记忆配置
查看记忆配置
看看记忆设置
记忆的设置
我的记忆设置
把记忆保留天数改为 30 天
关闭自动保存
打开自动保存
记忆设置 retrieval.max_results 改为 8
每次最多显示 10 条
保留天数是多少
memory settings
show memory settings
show me the memory settings
open memory settings
change memory settings
memory config
memory configuration
memory options
view memory settings
my memory settings
what are my memory settings
what are the memory settings?
show my memory settings
list memory settings
edit memory settings
memory preferences
set retention days to 30
turn off auto save
change the memory settings
自动归档旧记忆
turn on automatic archiving
archive old memories automatically""",
    "show": """\
看看昨天的记忆
查看 2026-11-19 的记忆
show yesterday's memories
show memories from 2026-11-19
show 2026-11-19#1
查看 2026-11-19#1""",
    "skip": """\
不要保存
这次不保存
别保存
不保存
请不要保存
这次别记
不用保存了
不要保存这次对话
本次对话不要保存
不要记录这次对话
不要记住这个
别记录
don't save
don't save this
do not save
please don't save this
dont save this
don't remember this
don't record this
skip saving
no need to save this
don't store this conversation
do not save this conversation please
never mind, don't save it""",
    "summarize": """\
总结记忆
总结一下记忆
更新记忆摘要
生成记忆摘要
归纳记忆
汇总记忆
总结我的记忆
summarize memories
summarize my memory
update the memory summary
summarise my memories
make a memory summary
refresh the memory summary""",
    "summary": """\
记忆摘要
查看记忆摘要
memory summary
show the memory summary""",
    "today": """\
查看今日记忆
查看今天的记忆
今日记忆
今天的记忆
看看今天的记忆
看一下今日记忆
显示今天的记忆
列出今天的记忆
请查看今日记忆
今天记了什么
今天都记了些什么
今天保存了什么
打开今日记忆
给我看今天的记忆
show today's memories
show today's memory
show me today's memories
view today's memories
list today's memories
today's memories
view today's memory
show memories from today
what did you remember today
what did you save today?
what was saved today
display today's memories
show me what was saved today
see today's memories""",
    "undo-delete": """\
撤销删除
恢复删除的记忆
恢复刚才删除的记忆
把刚才删除的记忆恢复
撤销刚才的删除
取消删除
把删掉的记忆找回来
找回删除的记忆
恢复误删的记忆
undo delete
undo the delete
undo the last delete
restore deleted memories
bring back the deleted memories
recover deleted memory
undelete
undelete memories
undo the deletion
bring back what I deleted
undo that deletion
undo memory delete""",
}


@pytest.mark.parametrize(
    ("text", "action"),
    [(line, action) for action, lines in SAID.items() for line in lines.split("\n")],
)
def test_there_are_many_ways_to_say_it(text, action):
    found = find_intent(text, TODAY)

    assert found is not None
    assert found.action == action


@pytest.mark.parametrize(
    ("text", "intent"),
    [
        ("搜索记忆: redis 缓存", Intent("search", "redis 缓存")),
        ("搜索记忆：缓存过期时间？", Intent("search", "缓存过期时间")),
        ("请帮我查找记忆 部署", Intent("search", "部署")),
        ("帮我查找记忆 部署", Intent("search", "部署")),
        ("search memory: redis TTL", Intent("search", "redis TTL")),
        ("Search my memories for the deploy script.", Intent("search", "the deploy script")),
        ("查看今日记忆", Intent("today")),
        ("今天的记忆", Intent("today")),
        ("Show today's memories", Intent("today")),
        ("show me the memories from today.", Intent("today")),
        ("查看昨天的记忆", Intent("show", "", ("2026-01-28",))),
        ("看看 2026-01-29 的记忆", Intent("show", "", ("2026-01-29",))),
        ("show me yesterday's memories", Intent("show", "", ("2026-01-28",))),
        ("show memories from 2026-01-29", Intent("show", "", ("2026-01-29",))),
        ("查看记忆", Intent("recent")),
        ("list memories", Intent("recent")),
        ("删除记忆: 2026-01-29#1", Intent("delete", "", ("2026-01-29#1",))),
        ("forget memories about redis", Intent("delete", "redis")),
        ("删除今天的记忆", Intent("delete", "", ("今天",))),
        ("请把2026-01-29的记忆都删掉。", Intent("delete", "", ("2026-01-29",))),
        ("删除 2026-01-29 的会话 2", Intent("delete", "", ("2026-01-29#2",))),
        ("删除 2026-01-29#2、2026-01-28#1", Intent("delete", "", ("2026-01-29#2", "2026-01-28#1"))),
        ("删除关于 redis 的所有记忆", Intent("delete", "redis")),
        ("delete memory about the deploy script", Intent("delete", "the deploy script")),
        ("Delete today's memories", Intent("delete", "", ("today",))),
        ("forget session 2 of 2026-01-29", Intent("delete", "", ("2026-01-29#2",))),
        ("撤销删除", Intent("undo-delete")),
        ("恢复刚才删除的记忆", Intent("undo-delete")),
        ("undo the last delete", Intent("undo-delete")),
        ("please bring back the deleted memories", Intent("undo-delete")),
        ("在记忆里搜索 redis", Intent("search", "redis")),
        ("找一下关于缓存的记忆", Intent("search", "缓存")),
        ("search my memories about redis", Intent("search", "redis")),
        ("search for redis in my memory", Intent("search", "redis")),
        ("忘掉与缓存相关的记忆", Intent("delete", "缓存")),
        ("把关于 redis 的记忆都删掉", Intent("delete", "redis")),
        ("删除会话 2026-01-29#1", Intent("delete", "", ("2026-01-29#1",))),
        ("清除昨天的记忆", Intent("delete", "", ("昨天",))),
        ("remove memories about redis", Intent("delete", "redis")),
        ("erase today's memories", Intent("delete", "", ("today",))),
        ("delete the session 2026-01-29#1", Intent("delete", "", ("2026-01-29#1",))),
        (
            "delete 2026-01-29#1 and 2026-01-29#2",
            Intent("delete", "", ("2026-01-29#1", "2026-01-29#2")),
        ),
        ("删除 2026-01-29 之前的记忆", Intent("delete-old", "2026-01-29")),
        ("删除超过 90 天的记忆", Intent("delete-old", "90")),
        ("delete memories before 2026-01-29", Intent("delete-old", "2026-01-29")),
        ("Delete all memories older than 90 days", Intent("delete-old", "90")),
        ("删除标签为 trial 的记忆", Intent("delete-tag", "trial")),
        ("删除带试验标签的所有记忆", Intent("delete-tag", "试验")),
        ("delete memories tagged trial", Intent("delete-tag", "trial")),
        ("把刚才删除的记忆恢复回来", Intent("undo-delete")),
        ("取消删除", Intent("undo-delete")),
        ("撤销记忆的修改", Intent("undo")),
        ("undo the last memory edit", Intent("undo")),
        ("recover my deleted memories", Intent("undo-delete")),
        ("把旧记忆归档", Intent("archive")),
        ("归档过期的记忆", Intent("archive")),
        ("archive old memories", Intent("archive")),
        ("合并重复的记忆", Intent("dedupe")),
        ("remove duplicate memories", Intent("dedupe")),
        ("清理记忆里的密码", Intent("sanitize")),
        ("hide secrets in my memories", Intent("sanitize")),
        ("恢复归档的记忆", Intent("restore")),
        ("恢复 2026-01-29 的记忆", Intent("restore", "", ("2026-01-29",))),
        ("restore archived memories of 2026-01-29", Intent("restore", "", ("2026-01-29",))),
        ("把 2026-01-29#1 标记为过时", Intent("mark", "outdated", ("2026-01-29#1",))),
        ("mark 2026-01-29#1 as important", Intent("mark", "important", ("2026-01-29#1",))),
        ("清理一下旧记忆", Intent("cleanup")),
        ("清理 2026-01-29 之前的记忆", Intent("cleanup", "2026-01-29")),
        ("归档 90 天前的记忆", Intent("cleanup", "90")),
        ("clean up memories before 2026-01-29", Intent("cleanup", "2026-01-29")),
        ("记忆配置", Intent("settings")),
        ("清理旧记忆", Intent("cleanup")),
        ("clean up old memories!", Intent("cleanup")),
        ("记忆报告", Intent("report")),
        ("帮我看看记忆报告", Intent("report")),
        ("Show me the memory report.", Intent("report")),
        ("report on my memories", Intent("report")),
        ("回顾记忆", Intent("review")),
        ("请审核一下旧记忆", Intent("review")),
        ("review my memories", Intent("review")),
        ("总结记忆", Intent("summarize")),
        ("更新记忆摘要", Intent("summarize")),
        ("Please summarize memories", Intent("summarize")),
        ("记忆设置", Intent("settings")),
        ("memory settings", Intent("settings")),
        ("记住这个", Intent("save")),
        ("save this", Intent("save")),
        ("这次不保存", Intent("skip")),
        ("don't save this conversation", Intent("skip")),
        ("上次我们怎么解决的？", Intent("search", "上次我们怎么解决的？")),
        ("What did we decide last time?", Intent("search", "What did we decide last time?")),
        ("清理三个月前的记忆", Intent("cleanup", "90")),
        ("清理半年前的旧记忆", Intent("cleanup", "182")),
        ("清理去年的记忆", Intent("cleanup", "28")),
        ("把两周前的记忆归档", Intent("cleanup", "14")),
        ("清理十二个月以前的记忆", Intent("cleanup", "360")),
        ("清理二十天前的记忆", Intent("cleanup", "20")),
        ("archive memories older than six months", Intent("cleanup", "180")),
        ("clean up memories from last year", Intent("cleanup", "28")),
        ("clean up memories older than half a year", Intent("cleanup", "182")),
        ("delete old memories", Intent("delete-old")),
        ("清除旧记忆", Intent("delete-old")),
        ("归档前年的记忆", Intent("cleanup", "393")),
        (
            "删除上周的记忆",
            Intent(
                "delete",
                "",
                (
                    "2026-01-19",
                    "2026-01-20",
                    "2026-01-21",
                    "2026-01-22",
                    "2026-01-23",
                    "2026-01-24",
                    "2026-01-25",
                ),
            ),
        ),
        (
            "delete last week's memories",
            Intent(
                "delete",
                "",
                (
                    "2026-01-19",
                    "2026-01-20",
                    "2026-01-21",
                    "2026-01-22",
                    "2026-01-23",
                    "2026-01-24",
                    "2026-01-25",
                ),
            ),
        ),
        (
            "delete memories from last week",
            Intent(
                "delete",
                "",
                (
                    "2026-01-19",
                    "2026-01-20",
                    "2026-01-21",
                    "2026-01-22",
                    "2026-01-23",
                    "2026-01-24",
                    "2026-01-25",
                ),
            ),
        ),
        ("查看上周的记忆", Intent("list", "", ("2026-01-19", "2026-01-25"))),
        ("show me last month's memories", Intent("list", "", ("2025-12-01", "2025-12-31"))),
        ("show memories from last week", Intent("list", "", ("2026-01-19", "2026-01-25"))),
        ("show 2026-01-29#1", Intent("show", "", ("2026-01-29#1",))),
        ("编辑 2026-01-29#1", Intent("edit", "", ("2026-01-29#1",))),
        ("彻底删除 2026-01-29#1", Intent("purge", "", ("2026-01-29#1",))),
        ("permanently delete 2026-01-29#1", Intent("purge", "", ("2026-01-29#1",))),
        ("把这条标记为过时", Intent("mark", "outdated")),
        ("mark this as important", Intent("mark", "important")),
        (
            "把 2026-01-29#1 和 2026-01-28#2 标为私密",
            Intent("mark", "private", ("2026-01-29#1", "2026-01-28#2")),
        ),
        ("unmark 2026-01-29#1", Intent("mark", "", ("2026-01-29#1",))),
        ("取消 2026-01-29#1 的重要标记", Intent("mark", "not important", ("2026-01-29#1",))),
        ("把这条的过时标记去掉", Intent("mark", "not outdated")),
        ("2026-01-29#1 不重要了", Intent("mark", "not important", ("2026-01-29#1",))),
        (
            "2026-01-29#1 is no longer important",
            Intent("mark", "not important", ("2026-01-29#1",)),
        ),
        ("remove the outdated mark from this one", Intent("mark", "not outdated")),
        ("save it", Intent("save")),
        ("保存一下", Intent("save")),
        ("forget this conversation", Intent("skip")),
        ("跳过这次对话", Intent("skip")),
        ("取消 2026-01-29#1 的标记", Intent("mark", "", ("2026-01-29#1",))),
        ("导出记忆", Intent("export", "json")),
        ("export my memory as html", Intent("export", "html")),
        ("导出上个月的记忆为 markdown", Intent("export", "md", ("2025-12-01", "2025-12-31"))),
        ("导出记忆到 备份.json", Intent("export", "备份.json")),
        ("back up my memories", Intent("backup", "zip")),
        ("导入记忆: backup.zip", Intent("import", "backup.zip")),
        ("import from backup.json", Intent("import", "backup.json")),
        ("加密记忆", Intent("encrypt")),
        ("encrypt my memory", Intent("encrypt")),
        ("解密记忆", Intent("decrypt")),
        ("turn off encryption", Intent("decrypt")),
        ("更换记忆密钥", Intent("rekey")),
        ("项目列表", Intent("projects")),
        ("which projects have memories", Intent("projects")),
        ("自动归档旧记忆", Intent("settings", "", ("set", "storage.auto_archive", "on"))),
        (
            "archive old memories automatically",
            Intent("settings", "", ("set", "storage.auto_archive", "on")),
        ),
        ("关闭自动归档", Intent("settings", "", ("set", "storage.auto_archive", "off"))),
        ("turn off review reminders", Intent("settings", "", ("set", "recall.review_days", "0"))),
        (
            "记忆设置 retrieval.max_results 改为 8",
            Intent("settings", "", ("set", "retrieval.max_results", "8")),
        ),
        (
            "memory settings storage.retention_days",
            Intent("settings", "", ("get", "storage.retention_days")),
        ),
        (
            "memory settings retrieval.max_results to default",
            Intent("settings", "", ("unset", "retrieval.max_results")),
        ),
        ("添加记忆: 我们用 pnpm", Intent("add", "我们用 pnpm")),
        ("add memory: we use pnpm", Intent("add", "we use pnpm")),
        ("查看记忆摘要", Intent("summary")),
        ("what do you remember about redis?", Intent("search", "redis")),
        ("记忆里有没有关于缓存的内容", Intent("search", "缓存")),
    ],
)
def test_a_wish_is_understood(text, intent):
    assert find_intent(text, TODAY) == intent


@pytest.mark.parametrize(
    "text",
    [
        "搜索记忆模块的单元测试在哪里？",
        "给记忆设置加一个按钮",
        "the memory settings page is broken",
        "delete the memory leak in cache.py",
        "删除今天的记忆功能的代码",
        "删除 2026-01-29 的日志",
        "undo the delete migration",
        "撤销删除按钮的改动",
        "清理旧记忆的函数有 bug",
        "总结记忆模块的设计",
        "记忆报告的页面样式坏了",
        "review the memory module",
        "summarize the memory leak",
        "写一个函数，查看今日记忆的数量",
        "refactor the search",
        "undo the last edit",
        "撤销修改",
        "find memory leaks",
        "look for leaks in memory",
        "remove duplicate rows",
        "删除重复的代码",
        "restore the old version",
        "把 2026-01-29#1 标记为完成",
        "合并重复的记忆模块",
        "不要删除今天的记忆",
        "don't delete my memories",
        "删除最近的记忆",
        "删除去年的记忆",
        "delete memories older than last year",
        "删除一些记忆",
        "查看内存的记忆",
        "导出用户的记忆力测试结果",
        "导出报表的记忆",
        "delete the memory profiler's memories",
        "清理内存",
        "加密记忆卡的驱动",
        "list projects in the database",
        "import os",
        "mark this test as flaky",
        "归档日志",
        "",
    ],
)
def test_what_is_about_something_else_is_no_wish(text):
    assert find_intent(text, TODAY) is None


def test_a_long_text_is_read_in_time_that_grows_with_it():
    for text in ("搜索记忆" * 50_000, "search memory " * 50_000, " " * 200_000, "请" * 100_000):
        find_intent(text, TODAY)
