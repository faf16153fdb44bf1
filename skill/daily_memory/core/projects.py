"""The projects that a user's memory has seen: `projects.json` as values, and their names."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

from daily_memory.named_tuples import NamedTuple

VERSION = "1.0"


class Project(NamedTuple):
    """A project: its folder ("" if unknown by now), id and names.

    `id` is in the project's memory too, and moves with it. `name` is what the user calls it, "" for
    the name of its folder; `former` are earlier names.
    """

    path: str
    id: str = ""
    name: str = ""
    former: tuple[str, ...] = ()

    @property
    def title(self) -> str:
        return self.name or folder_name(self.path)


def folder_name(path: str) -> str:
    """Return the name of a folder; of the top one, its path."""
    separator = "/" if "/" in path else "\\"
    return path.rstrip(separator).rpartition(separator)[2] or path


def parse_projects(data: bytes) -> tuple[Project, ...]:
    """Return the projects of a `projects.json`; an item may be a path alone."""
    try:
        listed = json.loads(data)
        items = listed.get("projects") if isinstance(listed, dict) else None
    except (ValueError, RecursionError):
        return ()
    parsed = map(_parse_project, items if isinstance(items, list) else [])
    return tuple(project for project in parsed if project is not None)


def _parse_project(item: object) -> Project | None:
    if isinstance(item, str):
        return Project(item)
    if not isinstance(item, dict) or not isinstance(item.get("path"), str):
        return None
    texts = [item.get(field) for field in ("id", "name")]
    id_, name = (text if isinstance(text, str) else "" for text in texts)
    former = item.get("former")
    names = former if isinstance(former, list) else []
    project = Project(item["path"], id_, name, tuple(old for old in names if isinstance(old, str)))
    return project if project.title else None


def format_projects(projects: Iterable[Project]) -> str:
    """Return the text of a `projects.json`, in the order of the paths."""
    items = [
        {
            "path": project.path,
            "id": project.id,
            **({"name": project.name} if project.name else {}),
            **({"former": list(project.former)} if project.former else {}),
        }
        for project in sorted(projects)
    ]
    value = {"version": VERSION, "projects": items}
    return json.dumps(value, ensure_ascii=False, indent=2) + "\n"


def named(project: Project, name: str) -> Project:
    """Return the project renamed; its old name is kept in `former`."""
    former = dict.fromkeys([*project.former, project.title])
    former.pop(name, None)
    own = "" if project.path and name == folder_name(project.path) else name
    return project._replace(name=own, former=tuple(filter(None, former)))


def moved(project: Project, path: str) -> Project:
    """Return the project at another path; a name given by the user stays."""
    if project.name:
        return project._replace(path=path)
    return named(project, folder_name(path))._replace(path=path, name="")


def find_named(projects: Sequence[Project], name: str) -> tuple[Project, ...]:
    """Return the projects of a name, otherwise ignoring case, otherwise those that had it."""
    ways = (
        [project for project in projects if project.title == name],
        [project for project in projects if project.title.casefold() == name.casefold()],
        [project for project in projects if name in project.former],
    )
    return tuple(next(filter(None, ways), []))


def near_names(names: Iterable[str], name: str) -> list[str]:
    """Return the names that a mistyped one may have meant."""
    import difflib  # only for typing errors

    known = {text.casefold(): text for text in names if text}
    folded = name.casefold()
    near = difflib.get_close_matches(folded, known, n=3, cutoff=0.5)
    near += [text for text in known if folded and (folded in text or text in folded)]
    return [known[text] for text in dict.fromkeys(near)][:3]
