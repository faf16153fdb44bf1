"""Checks that a tag may be released, and prints its notes: its section of CHANGELOG.md.

    python scripts/check_release.py v0.1.0

The exit status is 1 if the tag is not the version of the package, or if the changelog does not have
a section with its date: `## 0.1.0 (2026-01-29)`.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parent.parent


def release_notes(tag: str, version: str, changelog: str) -> str:
    """Return the notes of a release.

    Raises:
        ValueError: the tag must not be released, with the reason.
    """
    if tag != f"v{version}":
        raise ValueError(f"the tag is {tag}, the version of the package {version}")
    sections = re.split(r"^## ", changelog, flags=re.MULTILINE)[1:]
    section = next((text for text in sections if text.split()[:1] == [version]), "")
    heading, _, notes = section.partition("\n")
    if not re.fullmatch(rf"{re.escape(version)} \(\d{{4}}-\d\d-\d\d\)", heading.strip()):
        raise ValueError(f"CHANGELOG.md has no section `## {version} (YYYY-MM-DD)`")
    if not notes.strip():
        raise ValueError(f"the section {version} of CHANGELOG.md is empty")
    return notes.strip()


def package_version() -> str:
    """Return the version of the package, which is in one place."""
    source = (CHECKOUT / "skill" / "daily_memory" / "__init__.py").read_text(encoding="utf-8")
    match = re.search(r'^__version__ = "(.+)"$', source, re.MULTILINE)
    assert match
    return match[1]


def run() -> int:
    changelog = (CHECKOUT / "CHANGELOG.md").read_text(encoding="utf-8")
    try:
        print(release_notes(sys.argv[1], package_version(), changelog))
    except ValueError as error:
        print(f"not released: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(run())
