"""The JSON objects that the command line, MCP and HTTP answer with, made of what `Memory` returns.

Their types are in `shapes`, which only programs that run for long can load. A search comes through
here on every prompt: nothing is imported at the top.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, TypeAlias

    from daily_memory import results

    Json: TypeAlias = Any


def session(found: results.StoredSession, *, names_project: bool = False) -> Json:
    """Return a session with its place.

    With `names_project` it has the name of its root's project if it has none of its own, as a
    session of another project always does.
    """
    from daily_memory.core.format.session_json import format_session

    root_project = found.root.project if names_project or not found.root.is_own else ""
    continues = found.session.continues
    return {
        **format_session(found.session),
        "id": found.id,
        "continues": found.root.scoped(continues) if continues else None,
        "project": found.session.project or root_project or None,
        "origin": found.origin or None,
        "scope": found.root.scope,
        "root": found.root.path,
        "path": found.root.name_of(found.path),
        "line_range": list(found.span),
        **({"archived": True} if found.archived else {}),
    }


def saved(result: results.SaveResult) -> Json:
    is_saved = not result.skipped
    return {
        "id": result.id or None,
        "date": result.session.date.isoformat(),
        "session": result.session.number if is_saved else None,
        "path": result.path or None,
        "line_range": list(result.span) if is_saved else None,
        "scope": result.scope,
        "redactions": dict(result.redactions),
        "skipped": result.skipped or None,
        "warnings": list(result.warnings),
    }


def search(result: results.SearchResult, *, explain: bool = False) -> Json:
    return {
        "query": result.query,
        "method": result.method,
        "count": len(result.hits),
        "results": [_hit(hit, explain=explain) for hit in result.hits],
        "warnings": list(result.warnings),
    }


def _hit(hit: results.Hit, *, explain: bool) -> Json:
    session = hit.session
    return {
        "id": hit.id,
        "date": session.date.isoformat(),
        "session": session.number,
        "time": session.time,
        "topic": session.topic,
        "tags": list(session.tags),
        "project": session.project or hit.root.project or None,
        "scope": hit.root.scope,
        "score": round(hit.score, 4),
        "scores": {
            "keyword": round(hit.keyword, 4),
            "semantic": None if hit.semantic is None else round(hit.semantic, 4),
            "decay": round(hit.decay, 4),
        },
        "snippet": hit.snippet,
        "matched": list(hit.matched),
        "important": session.is_important,
        "outdated": session.is_outdated,
        "conversation": session.conversation or None,
        "origin": session.origin or None,
        "path": hit.root.name_of(hit.path),
        "line_range": list(hit.span),
        **({"archived": True} if hit.archived else {}),
        **({"translated": True} if hit.translated else {}),
        **({"explanation": list(hit.explanation)} if explain else {}),
    }


def records(question: str, result: results.RecordResult, *, explain: bool = False) -> Json:
    hits = [
        {
            **record(hit.record),
            "score": round(hit.score, 4),
            "snippet": hit.snippet,
            **({"translated": True} if hit.translated else {}),
            **({"explanation": list(hit.explanation)} if explain else {}),
        }
        for hit in result.hits
    ]
    return {"query": question, "results": hits, "warnings": list(result.warnings)}


def record(record: results.Record) -> Json:
    return record._asdict()


def live(live: results.LiveSession) -> Json:
    """Return a live session, without its observations."""
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


def observation(observation: results.Observation) -> Json:
    return {
        "at": observation.at,
        "kind": observation.kind,
        "text": observation.text,
        "tool": observation.tool or None,
        "files": list(observation.files),
        "tags": list(observation.tags),
        "private": observation.private,
    }


def ended(ended: results.Ended) -> Json:
    return {
        "conversation": ended.conversation,
        "id": ended.id or None,
        "skipped": ended.skipped or None,
        "warnings": list(ended.warnings),
    }


def undone(undone: results.Undone, *, dry_run: bool = False) -> Json:
    operation = undone.operation
    return {
        "undone": operation.id,
        "at": operation.at,
        "action": operation.action,
        "undoes": operation.undoes if operation.is_undo else None,
        "ids": [new for _, new in undone.ids],
        "renumbered": {old: new for old, new in undone.ids if old != new},
        "kept": list(undone.kept),
        "undo": next(filter(None, undone.redo), None),
        "dry_run": dry_run,
        "warnings": list(undone.warnings),
    }


def operation(listed: results.ListedOperation) -> Json:
    root, operation = listed.root, listed.operation
    return {
        "id": operation.id,
        "at": operation.at,
        "action": operation.action,
        "undoes": operation.undoes if operation.is_undo else None,
        "count": len(operation.topics),
        "sessions": [
            {"id": root.scoped(id_), "topic": topic} for id_, topic in operation.topics.items()
        ],
        "scope": root.scope,
        "root": root.path,
    }


def purged(purged: results.Purged, *, dry_run: bool = False) -> Json:
    return {
        "purged": [target.name for target in purged.targets],
        "places": {target.name: list(target.places) for target in purged.targets},
        "elsewhere": list(purged.elsewhere),
        "repositories": list(purged.repositories),
        "dry_run": dry_run,
    }


def encryption_plan(plan: results.EncryptionPlan) -> Json:
    return {
        "path": plan.root.path,
        "scope": plan.root.scope,
        "to_convert": list(plan.change),
        "as_it_is": len(plan.keep),
        "to_remove": list(plan.remove),
    }


def conversion(result: results.Conversion) -> Json:
    return {
        "path": result.root.path,
        "scope": result.root.scope,
        "converted": result.changed,
        "as_it_was": result.kept,
        "removed": list(result.removed),
        "failed": [fault._asdict() for fault in result.failed],
    }


def key(key: results.KeyInfo) -> Json:
    """Return a key; nothing that opens anything is in it."""
    return {
        "key_file": key.path,
        "recipient": key.recipient,
        "passphrase": key.is_protected,
        "new_key": key.is_new,
        "old_key": key.copy or None,
    }


def proposal(proposal: results.Proposal) -> Json:
    return {
        "kind": proposal.kind,
        "count": proposal.number,
        "what": proposal.what,
        "why": proposal.why,
        "command": proposal.command,
        "ids": list(proposal.ids),
    }


def review(reviewed: results.Reviewed) -> Json:
    return {
        "sessions": reviewed.sessions,
        "private": reviewed.private,
        "counts": dict(reviewed.counts),
        "findings": [
            {
                "kind": remark.finding.kind,
                "ids": [remark.root.scoped(session.id) for session in remark.finding.sessions],
                "topics": [session.topic for session in remark.finding.sessions],
                "reason": remark.finding.reason,
                "command": remark.command,
                "scope": remark.root.scope,
                "project": remark.root.project or None,
            }
            for remark in reviewed.remarks
        ],
    }


def summary(summary: results.Summary) -> Json:
    return {
        "path": summary.path,
        "scope": summary.scope,
        "changed": summary.is_changed,
        "left_out": summary.left_out,
        "text": summary.text,
        "lines": [
            {
                "kind": line.kind,
                "text": line.text,
                "ids": list(line.ids),
                "origin": line.origin or None,
            }
            for line in summary.lines
        ],
    }


def doctor(path: str, report: results.Report) -> Json:
    return {
        "path": path,
        "sessions": report.sessions,
        "days": report.days,
        "faults": [fault._asdict() for fault in report.faults],
        "remarks": [remark._asdict() for remark in report.remarks],
        "mended": list(report.mended),
        "chinese_dictionary": report.has_dictionary,
    }


def project(listed: results.ListedProject) -> Json:
    return {
        "name": listed.project.title,
        "path": listed.project.path or None,
        "id": listed.project.id or None,
        "former_names": list(listed.project.former),
        "exists": listed.is_there,
        "sessions": listed.sessions,
        "unread_days": listed.unread,
        "last_use": listed.last_use or None,
    }


def report(counts: results.Counts) -> Json:
    """Return the numbers of a report, the most frequent names first.

    Sessions without a project or host do not count there.
    """
    return {
        "first": counts.first.isoformat(),
        "last": counts.last.isoformat(),
        "sessions": sum(counts.sessions.values()),
        "observations": sum(counts.observations.values()),
        "flags": dict(counts.flags),
        "bytes": dict(counts.bytes),
        "days": [
            {
                "date": day.isoformat(),
                "sessions": counts.sessions.get(day, 0),
                "observations": counts.observations.get(day, 0),
            }
            for day in sorted({*counts.sessions, *counts.observations})
        ],
        "tags": _rows("tag", counts.tags),
        "projects": _rows("project", counts.projects),
        "hosts": _rows("host", counts.hosts),
        "topics": {
            "unit": counts.topics.unit,
            "periods": [day.isoformat() for day in counts.topics.periods],
            "tags": [
                {"tag": tag, "sessions": list(numbers)}
                for tag, numbers in counts.topics.tags.items()
            ],
        },
        "redactions": _rows("kind", counts.redactions, "count"),
        "recall": {
            **counts.recall._asdict(),
            "most": [hit._asdict() for hit in counts.recall.most],
        },
        "quality": {**counts.quality._asdict(), "reasons": _rows("reason", counts.quality.reasons)},
    }


def _rows(name: str, counts: Mapping[str, int], unit: str = "sessions") -> list[Json]:
    from daily_memory.core.pages.report import ranked

    return [{name: value, unit: number} for value, number in ranked(counts)]
