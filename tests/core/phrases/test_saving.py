"""What a user says about saving is understood; what is said about saving other things is not."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daily_memory.core.phrases.saving import is_save_refused, is_save_requested

REFUSALS = """\
不要保存
不要保存。
这次不保存
别保存
先别保存
请勿保存
無需儲存
不用记录这次对话
别记了
不要记录
这个不用记
跳过保存
跳过本次对话的保存
本次对话不保存
这次就不用保存了吧
这段对话别存了
别記錄這次對話
不要把这次对话记下来
不要把这个存到记忆里
我不希望你记住这次对话
麻烦不要记住这个
能不能不要保存？
可以不保存吗
好的，谢谢，这次不保存
帮我看看这个 bug，不要保存
如果可以的话，不要保存
don't save
DON'T SAVE
Don’t save this.
ok, don't save it
do not save this
don't remember this
no need to save
no need to remember this
you don't need to save this
don't save anything
please don't save this conversation
do not record this conversation
this conversation should not be saved
I don't want this saved
I don't want you to save this
I'd rather you didn't save this
don't add this to memory
don't put this in your memory
skip saving this session
Could you not save this?
If possible, don't save this conversation
Thanks! Don't save this chat please
Fix the crash when saving, and please don't save this conversation
please 不要保存
don't save 这次对话
这个 session 不要 save
别记
勿存
这是工资表，别记
以下内容不要保存
这段聊天别留底
敏感对话
这是一次敏感对话，请注意
这次对话很敏感
本次对话保密
请保密
这个不要外传
无痕模式
off the record
Off the record: 下个月有人要走
off the record, what do you think of the plan?
this is off the record
let's keep this between us
this stays between you and me
this is a sensitive conversation
This conversation is confidential.
please treat this conversation as confidential
keep this conversation private
incognito please
don't keep a record of this
don't write this down
leave this out of your memory
don't save this: Tom earns 400 a day
ok, please don't save this conversation: it is about money
Don't remember any of this: Tom 400
不要保存：帮我写一封辞职信
以下内容不要保存：张三 400，李四 520
不要记录下面的对话：张三
don't save the following: Tom 400
(don't save this) compare the salaries
compare the salaries (please don't save this conversation).
（这次不要保存）帮我写一封辞职信
算一下工资（不要保存）
帮我算一下补偿（不要保存）：月薪 23000，工龄 4 年
compare the two (don't save), Tom 400 and Jerry 520
【不要保存】帮我写一封辞职信
**不要保存** 帮我写一封辞职信""".split("\n")

NO_REFUSALS = """\

你好
不要保存到数据库
点击不要保存按钮
点击“不要保存”按钮
按钮「不要保存」没有反应
> 不要保存
`don't save`
要不要保存？
为什么不保存？
不保存吗？
不保存的话会丢数据吗
别忘了保存
不要保存密码
不要记录日志
我不记得了
保存不了
我们不保存用户数据
如果校验失败，不要保存
如果我没有回复，这次对话不要保存
文件没有变化时，不要保存
编辑器里不要保存时自动格式化
don't save the file as UTF-16
don't save the conversation to disk in plain text
don't store the session in redis
don't log it
do not log this anywhere in the request handler
don't forget to save this
I don't remember
I don't remember, sorry
we don't save
the tests don't save state between runs
If the form is invalid, don't save.
When the user cancels, do not save it
the endpoint is off the record
is this off the record?
not off the record
`off the record`
off-the-record messaging
the API returns sensitive data
the cache sits between us and the database
labels: public, internal, confidential
make the methods private
keep this private
add a private conversation flag
if this is a sensitive conversation, mask it
this is not a sensitive conversation
in incognito mode the login fails
run out of memory
leave this out of the build
敏感词过滤
敏感数据要脱敏
处理敏感对话的接口
支持普通对话、敏感对话、群聊
敏感对话、私密聊天、群聊
这不是敏感对话
这是敏感对话吗
按钮「保密」没反应
对用户信息保密
这个接口很敏感
无痕浏览器里打不开
表单校验失败，别记
the file is not saved: disk full
don't save this file: it is generated
the option (don't save) is missing here
退出有两种：保存后退出（先保存），直接退出（不保存），默认是前者
save the text (don't save this file)
「不保存」按钮（不要保存）没有反应
don't log this: it is the whole request
the dialog has "Don't save" and "Save\"""".split("\n")

REQUESTS = """\
记住这个
记住这个：测试前先清库
记住：我们用 FastAPI
记住我们的 API 前缀是 /api/v2
请记住
请记住我喜欢 TypeScript
请记住，以后都用中文回答
请记住 pnpm 是我们的包管理器
记下来
把这个记下来
帮我记一下这个
保存这次对话
请把这次对话保存下来
把这个存到记忆里
保存到记忆
save this
save this conversation
save this session please
save 这次对话
add this to memory
remember this
please remember this
ok, remember this for next time
can you remember this?
remember: never push to main
save this: the key is in the vault
add this to memory: we use pnpm
Remember that we use pnpm, not npm""".split("\n")

NO_REQUESTS = """\

保存
保存这个文件
把这个写到文件里
记住密码
记住我
记住登录状态
记住了
记住了吗？
你还记得这个吗
请记住密码框的状态要持久化
如果用户勾选了“记住这个”
如果对话结束，保存这次对话
save
save it
save this file
save this to disk
add this to the config
when the user clicks save, remember this
remember to add tests
remember that checkbox
Remember that bug we fixed?
remember that we use redis?
do you remember that we used redis?
I remember that
implement remember me checkbox""".split("\n")


@pytest.mark.parametrize("text", REFUSALS)
def test_a_refusal_is_understood_and_is_no_request(text: str) -> None:
    answer = (is_save_refused(text), is_save_requested(text))

    assert answer == (True, False)


@pytest.mark.parametrize("text", NO_REFUSALS)
def test_talk_about_saving_something_else_is_no_refusal(text: str) -> None:
    answer = is_save_refused(text)

    assert answer is False


def test_two_labels_of_a_list_are_no_refusal() -> None:
    text = "两个按钮：\n保存：写入磁盘\n不要保存：丢弃修改\n加个图标"

    answer = is_save_refused(text)

    assert answer is False


@pytest.mark.parametrize("text", REQUESTS)
def test_a_request_is_understood_and_is_no_refusal(text: str) -> None:
    answer = (is_save_requested(text), is_save_refused(text))

    assert answer == (True, False)


@pytest.mark.parametrize("text", NO_REQUESTS)
def test_talk_about_remembering_something_else_is_no_request(text: str) -> None:
    answer = is_save_requested(text)

    assert answer is False


def test_a_phrase_in_a_code_block_is_not_the_users_own_voice() -> None:
    text = "看看这段：\r\n```\r\n不要保存\r\n```\r\n谢谢 🙏"

    answer = is_save_refused(text)

    assert answer is False


def test_a_phrase_after_a_code_block_counts() -> None:
    text = "看看这段：\n```\nx = 1\n```\n这次不保存"

    answer = is_save_refused(text)

    assert answer is True


@pytest.mark.parametrize("text", ["{}不要保存", "不要保存\n{}"])
def test_a_phrase_at_either_end_of_a_very_long_message_counts(text: str) -> None:
    message = text.format("日志 log line 🚀\n" * 100_000)

    answer = is_save_refused(message)

    assert answer is True


def test_a_phrase_deep_inside_a_pasted_text_does_not_count() -> None:
    message = "x\n" * 10_000 + "不要保存\n" + "x\n" * 10_000

    answer = is_save_refused(message)

    assert answer is False


def test_a_clause_too_long_for_a_phrase_is_none() -> None:
    message = "please " * 20 + "don't save"

    answer = is_save_refused(message)

    assert answer is False


@pytest.mark.parametrize("unit", ["save ", "不要保存到 ", "“", "don't save, ", " ", "请", "记住 "])
def test_ten_megabytes_of_anything_take_no_time(unit: str) -> None:
    message = unit * (10_000_000 // len(unit))

    started = time.process_time()
    is_save_refused(message)
    is_save_requested(message)

    assert time.process_time() - started < 15


@given(st.text())
def test_any_text_gets_an_answer(text: str) -> None:
    answers = {is_save_refused(text), is_save_requested(text)}

    assert answers <= {True, False}
