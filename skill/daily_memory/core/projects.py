"""The projects that a user's memory knows: `projects.json` as values, and their names."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

from daily_memory.core.json_fields import list_in, parse_object, text_in, texts
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
    items = list_in(parse_object(data) or {}, "projects")
    return tuple(project for project in map(_parse_project, items) if project is not None)


def _parse_project(item: object) -> Project | None:
    if isinstance(item, str):
        return Project(item)
    if not isinstance(item, dict) or not isinstance(item.get("path"), str):
        return None
    former = tuple(texts(list_in(item, "former")))
    project = Project(item["path"], text_in(item, "id"), text_in(item, "name"), former)
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


def renamed(project: Project, name: str) -> Project:
    """Return the project renamed; the old name is kept in `former`."""
    former = dict.fromkeys([*project.former, project.title])
    former.pop(name, None)
    own = "" if project.path and name == folder_name(project.path) else name
    return project._replace(name=own, former=tuple(filter(None, former)))


def moved(project: Project, path: str) -> Project:
    """Return the project at another path; a name that the user gave stays."""
    if project.name:
        return project._replace(path=path)
    return renamed(project, folder_name(path))._replace(path=path, name="")


def find_named(projects: Sequence[Project], name: str) -> tuple[Project, ...]:
    """Return the projects with a name, or else ignoring case, or else that had it."""
    ways = (
        [project for project in projects if project.title == name],
        [project for project in projects if project.title.casefold() == name.casefold()],
        [project for project in projects if name in project.former],
    )
    return tuple(next(filter(None, ways), []))


def near_names(names: Iterable[str], name: str) -> list[str]:
    """Return names similar to a mistyped one."""
    import difflib  # only for typing errors

    known = {text.casefold(): text for text in names if text}
    folded = name.casefold()
    near = difflib.get_close_matches(folded, known, n=3, cutoff=0.5)
    near += [text for text in known if folded and (folded in text or text in folded)]
    return [known[text] for text in dict.fromkeys(near)][:3]
