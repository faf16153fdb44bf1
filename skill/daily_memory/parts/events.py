"""`Memory.handle`: an event of a host, recorded and answered."""

from __future__ import annotations

from daily_memory.core.hosts import events
from daily_memory.services.writing import hook
from daily_memory.storage import signatures
from daily_memory.workspace import Workspace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager

    from daily_memory.core.hosts.events import Event
    from daily_memory.services.reading.inject import Injection
    from daily_memory.services.writing.hook import Handled


def handle(
    workspace: Workspace,
    event: Event,
    inject: Callable[..., Injection],
    in_time: AbstractContextManager[object],
    settle: Callable[[], object],
    *,
    recalls: bool,
) -> Handled:
    """Record an event, and return what to tell its conversation; see `Memory.handle`."""
    settings = workspace.settings
    if not recalls:
        silent = settings.recall._replace(at_start=False, at_prompt=False, review_days=0)
        settings = settings._replace(recall=silent)
    root = workspace.save_root()

    def recall(query: str, known: frozenset[str], conversation: str, resumed: str) -> Injection:
        return inject(
            query,
            max_chars=settings.recall.max_chars,
            known=known,
            conversation=conversation,
            resumed=resumed,
            is_hurried=True,
        )

    handled = hook.handle(
        root,
        event,
        settings,
        workspace.now(),
        recall,
        in_time,
        settle,
        project=workspace.project_name,
    )
    if workspace.person:
        from daily_memory.parts import live  # a hook of the user's does without

        live.note_origin(workspace, event.conversation)
    if not recalls or event.meaning != events.START:
        return handled
    reminders = [signatures.untold(root), handled.reminder]
    if workspace.has_settings():
        from daily_memory.storage import shown_warnings

        loaded = workspace.load_settings()
        alert = shown_warnings.settings_warning(workspace.home, workspace.settings_root, loaded)
        reminders.insert(0, alert)
    return handled._replace(reminder=" ".join(filter(None, reminders)))
