"""What a release needs: one version, a changelog, and workflows that name what is here."""

from __future__ import annotations

import re
from importlib.metadata import distributions
from pathlib import Path
from typing import Any

import pytest
import yaml
from scripts import check_release, sbom

from daily_memory import __version__

CHECKOUT = Path(__file__).resolve().parent.parent
WORKFLOWS = sorted((CHECKOUT / ".github" / "workflows").glob("*.yml"))
CHANGELOG = "# Changelog\n\n## 0.2.0 (2026-03-01)\n\n- New.\n\n## 0.1.0 (unreleased)\n\n- First.\n"


def test_the_notes_of_a_release_are_its_section_of_the_changelog():
    assert check_release.release_notes("v0.2.0", "0.2.0", CHANGELOG) == "- New."


@pytest.mark.parametrize(
    ("tag", "version", "reason"),
    [
        ("v0.2.1", "0.2.0", "the tag is v0.2.1"),
        ("v0.1.0", "0.1.0", "no section `## 0.1.0 "),
        ("v0.3.0", "0.3.0", "no section `## 0.3.0 "),
    ],
)
def test_a_tag_that_does_not_fit_is_refused(tag, version, reason):
    with pytest.raises(ValueError, match=re.escape(reason)):
        check_release.release_notes(tag, version, CHANGELOG)


def test_the_version_is_in_one_place():
    assert check_release.package_version() == __version__
    project = (CHECKOUT / "pyproject.toml").read_text(encoding="utf-8")
    assert not re.search(r"^version =", project, re.MULTILINE)


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_a_workflow_runs_scripts_that_exist_and_may_do_no_more_than_it_says(path):
    workflow = yaml.safe_load(path.read_text(encoding="utf-8"))
    steps = [step for job in workflow["jobs"].values() for step in job["steps"]]
    scripts = re.findall(
        r"(?:\.ci|scripts)/[\w.]+", " ".join(step.get("run", "") for step in steps)
    )

    assert workflow["permissions"] == {"contents": "read"}
    assert scripts
    assert all((CHECKOUT / script).is_file() for script in scripts)
    assert all("@" in step["uses"] for step in steps if "uses" in step)


def test_the_bill_of_materials_names_what_is_installed_and_what_it_needs():
    bill: Any = sbom.document(distributions())
    own = bill["metadata"]["component"]
    names = {each["name"] for each in bill["components"]}
    needs = {each["ref"]: each["dependsOn"] for each in bill["dependencies"]}

    assert (own["name"], own["version"]) == ("daily-memory", __version__)
    assert {"filelock", "rapidfuzz", "pyyaml"} <= names
    assert not {"pip", "daily-memory"} & names
    assert any(ref.startswith("pkg:pypi/filelock@") for ref in needs[own["bom-ref"]])
    assert {ref for listed in needs.values() for ref in listed} <= set(needs)
