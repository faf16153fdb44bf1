"""Changes one section as a command that edits or deletes does; run as a program by the tests.

python -m tests.reliability.splice edit|delete|renumber ID
"""

from __future__ import annotations

import contextlib
import sys

from daily_memory import Memory
from daily_memory.core.format import session_json
from daily_memory.errors import DailyMemoryError
from daily_memory.storage import day_sections, days
from daily_memory.storage.fs.lock import locked
from daily_memory.storage.index import indexer


def main(action: str, name: str) -> int:
    """Change the section and bring the index up to date."""
    root = Memory().workspace.save_root()
    wanted = session_json.parse_id(name)
    try:
        with locked(root):
            section = days.find_section(root, wanted)
            assert section is not None
            if action == "edit":
                edited = section.session._replace(topic="edited 改过的主题")
                day_sections.replace_section(root, section, edited, language="zh")
            elif action == "delete":
                day_sections.rewrite_section(root, section, lambda _day, _lines: "")
            else:
                day_sections.renumber(root, section)
            with contextlib.suppress(DailyMemoryError):
                # As after a save: the section is changed, and the next reader makes up for it.
                indexer.update(root)
    except DailyMemoryError as error:
        sys.stderr.write(f"error: {error.message}\n")
        return error.exit_status
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
