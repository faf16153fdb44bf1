"""Prints a bill of materials (CycloneDX 1.6, JSON): what is installed beside this Python.

    bare/bin/python scripts/sbom.py > daily-memory.cdx.json

It needs nothing but Python, so that `bare` can hold daily-memory, what it depends on, and no more.
The same environment gives the same text.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable
from importlib.metadata import Distribution, distributions

OWN = "daily-memory"
# They come with every environment, and are no part of ours.
TOOLS = {"pip", "setuptools", "wheel"}


def document(installed: Iterable[Distribution]) -> dict[str, object]:
    """Return the bill of materials of an environment."""
    by_name = {name_of(each): each for each in installed}
    components = {name: component(name, by_name[name]) for name in sorted({*by_name} - TOOLS)}
    depends = [
        {"ref": components[name]["bom-ref"], "dependsOn": wanted(by_name[name], components)}
        for name in components
    ]
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {"component": components.pop(OWN)},
        "components": list(components.values()),
        "dependencies": depends,
    }


def component(name: str, distribution: Distribution) -> dict[str, object]:
    """Return what is told of a package: its name, version, address and licence."""
    address = f"pkg:pypi/{name}@{distribution.version}"
    told: dict[str, object] = {"type": "application" if name == OWN else "library", "name": name}
    told |= {"version": distribution.version, "purl": address, "bom-ref": address}
    license_ = "".join(distribution.metadata.get_all("License-Expression") or [])
    classified = [
        text.rpartition(" :: ")[2]
        for text in distribution.metadata.get_all("Classifier") or []
        if text.startswith("License :: ")
    ]
    # The oldest field of all may have a whole licence.
    written = distribution.metadata.get_all("License") or []
    named = classified or [text for text in written if "\n" not in text]
    if license_:
        told["licenses"] = [{"expression": license_}]
    elif named:
        told["licenses"] = [{"license": {"name": text}} for text in named]
    return told


def wanted(distribution: Distribution, components: dict[str, dict[str, object]]) -> list[object]:
    """Return the references of what a package needs and has here."""
    names = {simple(re.split(r"[^\w.-]", text)[0]) for text in distribution.requires or []}
    return [components[name]["bom-ref"] for name in sorted(names & {*components})]


def name_of(distribution: Distribution) -> str:
    return simple(distribution.metadata["Name"])


def simple(name: str) -> str:
    """Return a name as the package index writes it."""
    return re.sub(r"[-_.]+", "-", name).lower()


if __name__ == "__main__":
    json.dump(document(distributions()), sys.stdout, indent=2)
    print()
