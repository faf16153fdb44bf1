"""How fast the redaction is: ordinary text, hostile text, and a short text in a new process.

    python scripts/bench/redaction.py [--chars 1000000] [--limit-s 2] [--runs 3]

Ordinary text is made of lines of this repository, drawn with a seed. A hostile text repeats one
shape that makes many rules begin and none end. Each figure is processor time, so that other work
on the machine counts for little, and also a multiple of one pass of the regular expression `\\w+`
over the same ordinary text in the same run. The exit status is 1 where a limit is missed.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "skill"))

from daily_memory.core.redaction.privacy import Policy, redact  # noqa: E402  # from this checkout

ORDINARY_LIMIT_S = 0.5
GROWTH_LIMIT = 2.5
SHORT = "decided to rotate the key every 90 days，密码放在 vault 里"
SHAPES = (
    *(
        "a.",
        "a@",
        "a@b.com ",
        "@a.",
        "<private>",
        "&lt;private ",
        "【私密】",
        "://",
        "://a:",
        "http://",
    ),
    *("-----BEGIN RSA PRIVATE KEY-----", "-----BEGIN PRIVATE KEY-----\nAAAA\n", "eyJ", "eyJa."),
    *(
        "/",
        "\\",
        "=",
        ":",
        '"',
        "'",
        "`",
        "-",
        "+",
        "#",
        "|",
        " ",
        "\n",
        "1",
        "12 ",
        "1-",
        "a",
        "aA1",
    ),
    *("password", "password=", "password: ", "password\n", "password: |\n ", 'secret"', "key="),
    *("密码", "密码：", "密码是", "密码\n", "令牌 ", "私钥", "token ", "auth ", "pin ", "otp "),
    *("|--|\n|password|\n", "password|\n--|\n", "password,b\n", "insert into a (b) values ("),
    *("ghp_\n", "sk-\n", "AKIA", "AKIA\n", "xoxb-", "a_A1", "a-b-c-", "A1B2C-", "$2b$12$", "$6$"),
    *(
        "10.",
        "10.0.0.1 ",
        "fd12:",
        "+1 ",
        "DE89 ",
        "电话",
        "身份证",
        "微信",
        "京A",
        "(at)",
        "# qq.com",
    ),
    *("curl -u ", "mysql -p", "bearer ", "cookie: a=", "curl -b a=", 'login("', "user a password "),
    *(
        "[REDACTED:x]",
        "password=[REDACTED:x]",
        "%22password%22:",
        "\x1b[0m",
        '"a"\n "',
        '"+"',
        "ａ",
    ),
    *(
        "a1b2c3d4e5f6",
        "aGVsbG8gd29ybGQ",
        "mnemonic: abc ",
        "recovery code a1b2c ",
        "{{",
        '{\\"a\\":',
    ),
)


def ordinary(chars: int) -> str:
    """Return so many characters of lines of this repository, prose and code."""
    files = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("skill/**/*.py")])
    # The rules themselves and their page are no ordinary text.
    files = [
        file for file in files if file.parent.name != "redaction" and file.name != "privacy.md"
    ]
    lines = [line for file in files for line in file.read_text(encoding="utf-8").split("\n")]
    chosen, length, drawn = [], 0, random.Random(7)
    while length < chars:
        chosen.append(drawn.choice(lines))
        length += len(chosen[-1]) + 1
    # An opened private block would hide the rest, and the rest would cost nothing.
    return re.sub("private|私密", "privacy", "\n".join(chosen))[:chars]


def spent_s(work: Callable[[], object], runs: int) -> float:
    """Return the least processor time of some runs, in seconds."""
    times = []
    for _ in range(runs):
        begin = time.process_time()
        work()
        times.append(time.process_time() - begin)
    return min(times)


def cold_ms(program: str, runs: int) -> float:
    """Return the median time of a new process, in milliseconds."""
    folder = ROOT / "skill"
    # Set, it would make every start compile every module again.
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    times = []
    for _ in range(runs):
        begin = time.perf_counter()
        subprocess.run([sys.executable, "-c", program], cwd=folder, env=environment, check=True)
        times.append((time.perf_counter() - begin) * 1000)
    return statistics.median(times)


def main() -> int:
    """Print the figures; return 1 where one is over its limit."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--chars", type=int, default=1_000_000)
    parser.add_argument("--limit-s", type=float, default=2.0, help="for a hostile text")
    parser.add_argument("--runs", type=int, default=3)
    given = parser.parse_args()
    policy, missed = Policy(), 0
    redact(SHORT, policy)

    text = ordinary(given.chars)
    beside = spent_s(lambda: re.findall(r"\w+", text), given.runs)
    took = spent_s(lambda: redact(text, policy), given.runs)
    missed += took > ORDINARY_LIMIT_S
    print(f"{len(text):,} characters, one pass of \\w+: {beside:.3f} s")
    print(f"ordinary text: {took:.3f} s, {took / beside:.0f} x (limit {ORDINARY_LIMIT_S} s)")

    print(f"hostile text (limits {given.limit_s} s, growth {GROWTH_LIMIT}), slowest first:")
    rows = []
    for shape in SHAPES:
        whole = (shape * (given.chars // len(shape) + 1))[: given.chars]
        half = whole[: given.chars // 2]
        seconds = spent_s(lambda whole=whole: redact(whole, policy), 1)  # type: ignore[misc]  # bound at once
        growth = seconds / max(spent_s(lambda half=half: redact(half, policy), 1), 1e-3)  # type: ignore[misc]  # bound at once
        rows.append((seconds, growth, shape))
        missed += seconds > given.limit_s or (growth > GROWTH_LIMIT and seconds > given.limit_s / 4)
    for seconds, growth, shape in sorted(rows, reverse=True):
        print(f"  {seconds:6.3f} s  {seconds / beside:4.0f} x  growth {growth:.2f}  {shape!r}")

    bare = cold_ms("pass", 15)
    loaded = cold_ms("import daily_memory.core.redaction.privacy", 15)
    used = cold_ms(
        "from daily_memory.core.redaction.privacy import Policy, redact; "
        f"redact({SHORT!r}, Policy())",
        15,
    )
    print(f"a new process: {bare:.1f} ms bare, +{loaded - bare:.1f} ms to load the rules,")
    print(f"  +{used - loaded:.1f} ms for the first short text")
    return 1 if missed else 0


if __name__ == "__main__":
    raise SystemExit(main())
