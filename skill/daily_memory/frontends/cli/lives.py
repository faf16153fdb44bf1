"""How live sessions and their observations are given as JSON."""

from __future__ import annotations

from daily_memory.core.observation import Observation
from daily_memory.storage.observations import Live


def live_as_json(live: Live) -> dict[str, object]:
    """Return a live session as the JSON object that every door gives."""
    return {
        "conversation": live.conversation,
        "source": live.host or None,
        "project": live.project or None,
        "began": live.began or None,
        "ended": live.ended or None,
        "id": live.digested or None,
        "skipped": live.skipped or None,
        "count": len(live.observations),
        "path": live.path,
    }


def observation_as_json(observation: Observation) -> dict[str, object]:
    """Return an observation as the JSON object that every door gives."""
    return {
        "at": observation.at,
        "kind": observation.kind,
        "text": observation.text,
        "tool": observation.tool or None,
        "files": list(observation.files),
        "tags": list(observation.tags),
        "private": observation.private,
    }
