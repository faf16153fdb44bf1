"""The projects that a user's memory has seen: `projects.json` as values, and their names."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

from daily_memory.named_tuples import NamedTuple

VERSION = "1.0"


class Project(NamedTuple):
    """A project: its folder ("" where it is not known any more), and what tells it from others.

    `id` stands in the project's memory too, and goes with it wherever it is moved. `name` is what
    the user calls it, "" for the name of its folder; `former` are names that it had before.
    """

    path: str
    id: str = ""
    name: str = ""
    former: tuple[str, ...] = ()

    @property
    def title(self) -> str:
        """What it is called."""
        return self.name or folder_name(self.path)


def folder_name(path: str) -> str:
    """Return the name of a folder; of the top one, its path."""
    separator = "/" if "/" in path else "\\"
    return path.rstrip(separator).rpartition(separator)[2] or path


def parse_projects(data: bytes) -> tuple[Project, ...]:
    """Return the projects of a `projects.json`; what is no project is left out.

    A list of paths alone, as it was written at first, is read as well.
    """
    try:
        listed = json.loads(data)
        items = listed.get("projects") if isinstance(listed, dict) else None
    except (ValueError, RecursionError):
        return ()
    found = map(_parse_project, items if isinstance(items, list) else [])
    return tuple(one for one in found if one is not None)


def _parse_project(item: object) -> Project | None:
    if isinstance(item, str):
        return Project(item)
    if not isinstance(item, dict) or not isinstance(item.get("path"), str):
        return None
    texts = [item.get(field) for field in ("id", "name")]
    id_, name = (text if isinstance(text, str) else "" for text in texts)
    former = item.get("former")
    names = former if isinstance(former, list) else []
    project = Project(item["path"], id_, name, tuple(one for one in names if isinstance(one, str)))
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
    """Return the project under another name; the one that it had is kept among the former."""
    former = dict.fromkeys([*project.former, project.title])
    former.pop(name, None)
    own = "" if project.path and name == folder_name(project.path) else name
    return project._replace(name=own, former=tuple(one for one in former if one))


def moved(project: Project, path: str) -> Project:
    """Return the project at another path; a name that the user gave stays."""
    if project.name:
        return project._replace(path=path)
    return named(project, folder_name(path))._replace(path=path, name="")


def find_named(projects: Sequence[Project], name: str) -> tuple[Project, ...]:
    """Return the projects that have a name, else in other letter case, else that had it."""
    ways = (
        [project for project in projects if project.title == name],
        [project for project in projects if project.title.casefold() == name.casefold()],
        [project for project in projects if name in project.former],
    )
    return tuple(next((found for found in ways if found), []))


def near_names(names: Iterable[str], name: str) -> list[str]:
    """Return the names that one may have meant: like it, or with it as a part."""
    import difflib  # only for a slip of the fingers

    known = {one.casefold(): one for one in names if one}
    wanted = name.casefold()
    near = difflib.get_close_matches(wanted, known, n=3, cutoff=0.5)
    near += [one for one in known if wanted and (wanted in one or one in wanted)]
    return [known[match] for match in dict.fromkeys(near)][:3]
