"""What the user must be told about the settings when a conversation starts: once.

Nothing that a file says is in it: a stranger's would speak to the assistant.
"""

from __future__ import annotations

from daily_memory.core.layers import InForce
from daily_memory.storage import notices
from daily_memory.storage.roots import Root


def of_settings(home: str, root: Root, found: InForce) -> str:
    """Return what is wrong with the settings of a root, in both languages; "" if that was told."""
    problems = (*found.faults, *found.refused)
    if not notices.note(home, f"settings of {root.path}", "\n".join(map(str, problems))):
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
