"""Warnings that a user has seen, so that they are not repeated at each start.

They are in the user's home: a cloned repository must not be able to hide a warning.
"""

from __future__ import annotations

import os

from daily_memory.core.config_layers import EffectiveSettings
from daily_memory.errors import DailyMemoryError
from daily_memory.storage.fs import files
from daily_memory.storage.roots import Root

_FOLDER = os.path.join(".config", "daily-memory", "told")


def is_new(home: str, topic: str, message: str) -> bool:
    """Return whether this message on a topic was not shown yet, and record it; "" clears it."""
    path = os.path.join(home, _FOLDER, _digest(topic))
    if not message:
        if os.path.lexists(path):
            files.remove(path)
        return False
    digest = _digest(message).encode()
    try:
        if files.find_bytes(path) == digest:
            return False
        files.make_folder(os.path.dirname(path))
        files.replace(path, digest)
    except DailyMemoryError:
        pass  # better shown at each start than never
    return True


def _digest(text: str) -> str:
    return files.digest(text.encode("utf-8", "surrogatepass"))


def settings_warning(home: str, root: Root, found: EffectiveSettings) -> str:
    """Return what is wrong with the settings of a root, in both languages; "" if that was shown."""
    problems = (*found.faults, *found.refused)
    if not is_new(home, f"settings of {root.path}", "\n".join(map(str, problems))):
        return ""
    alerts = []
    if found.faults:
        places = ", ".join(
            dict.fromkeys(
                f"{fault.path}:{fault.line}" if fault.line else fault.path for fault in found.faults
            )
        )
        stops = found.settings.closed
        zh = "改好之前不会记录任何对话" if stops else "改好之前按最严格的值处理"
        en = "nothing is recorded" if stops else "the strictest values are used"
        alerts.append(
            f"记忆设置有错误（{places}）：{zh}，详情见 `memory doctor`。"
            f" / The memory settings have a fault ({places}): {en} until you fix it. Run"
            " `memory doctor` for details."
        )
    if found.refused:
        names = ", ".join(one.message.partition(":")[0] for one in found.refused)
        alerts.append(
            f"已忽略项目 {root.config} 中的设置：{names}（项目只能收紧，不能放宽你的设置）。"
            f" / Ignored {names} in {root.config}: a project can't loosen your own settings."
        )
    return " ".join(alerts)
