"""Sessions whose text tries to be a page, a script, a link, or something else than it is."""

from __future__ import annotations

from datetime import date, timedelta

from daily_memory.model import Code, Note, Session

TEXTS = (
    "<script>window.hacked = 1</script>",
    "</script><script>window.hacked = 1</script>",
    "</pre></article></main><img src=x onerror='window.hacked = 1'>",
    "<img src=https://evil.example/x.png>",
    '"><svg onload=window.hacked=1>',
    "<iframe src='javascript:window.hacked=1'></iframe>",
    "[click](javascript:window.hacked=1)",
    "javascript:window.hacked=1",
    "<a href='javascript:window.hacked=1'>click</a>",
    "data:text/html,<script>window.hacked=1</script>",
    "<meta http-equiv=refresh content='0;url=https://evil.example/'>",
    "<base href='https://evil.example/'>",
    "<style>* { display: none; background: url(https://evil.example/) }</style>",
    "<link rel=stylesheet href=https://evil.example/x.css>",
    "<form action=https://evil.example><input id=q></form>",
    "</title></style></textarea><!--",
    "<![CDATA[ ]]> &lt;script&gt; &#x3c;script&#x3e; &amp;",
    "\u202egnp.exe\u202c \u200bhidden\ufeff \x1b[31m \x00 \U000e0041",
    "</noscript><object data=https://evil.example></object>",
    "<math><mtext><table><mglyph><style><img src onerror=window.hacked=1>",
    "{{7*7}} ${window.hacked=1} `${1}`",
    "一行很长的中文" * 60,
    "x" * 900,
)


def hostile_sessions(count: int) -> list[Session]:
    """Return so many, with Chinese ones in between, three a day."""
    return [
        _session(TEXTS[place % len(TEXTS)], place)
        if place % 2
        else Session(
            _day(place),
            place % 3 + 1,
            "10:30:45",
            topic=f"缓存方案讨论 {place}",
            summary="决定把登录会话放进 Redis，TTL 300 秒。",
            key_points=("改 config/settings.yaml", "先写测试 👨‍👩‍👧"),
            code=(Code("python", "def 缓存(键: str) -> None:\n    print('<b>')"),),
            tags=("缓存", "redis", *(("重要",) if place % 10 == 0 else ())),
        )
        for place in range(count)
    ]


def _day(place: int) -> date:
    return date(2025, 10, 1) + timedelta(days=place // 3)


def _session(text: str, place: int) -> Session:
    return Session(
        _day(place),
        place % 3 + 1,
        "09:00",
        topic=text,
        summary=text,
        key_points=(text, text),
        decisions=(text,),
        code=(Code(text, text),),
        open_questions=(text,),
        next_steps=(text,),
        files=(text,),
        tags=(text.replace(" ", "-"),),
        notes=(Note("", text), Note(text, text)),
        conversation=text,
        source=text,
        project=text,
        origin=text,
        continues=text,
    )
