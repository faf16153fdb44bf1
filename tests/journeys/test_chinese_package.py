"""The package of the large dictionary: built, installed beside the program, and used."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from email.parser import Parser
from pathlib import Path
from zipfile import ZipFile

import pytest
from scripts import build_dictionary

from tests.embedding import need

PACKAGE = Path(__file__).parents[2] / "packages/chinese"
DATA = "daily_memory_chinese/dictionary.sqlite3"
CEDICT = "冰箱 冰箱 [bing1 xiang1] /icebox/refrigerator/\n漏水 漏水 [lou4 shui3] /to leak/"
BUILD = "from hatchling import build; print(build.build_{kind}('dist'))"


def built(source: Path, kind: str) -> subprocess.CompletedProcess[str]:
    """Build a wheel or an sdist of a copy of the package, as pip does."""
    command = [sys.executable, "-c", BUILD.format(kind=kind)]
    return subprocess.run(command, cwd=source, capture_output=True, encoding="utf-8")


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """A copy of the package with a dictionary of two words."""
    need("hatchling")
    skipped = shutil.ignore_patterns("*.sqlite3", "__pycache__")
    copy = Path(shutil.copytree(PACKAGE, tmp_path / "source", ignore=skipped))
    counts = {"冰箱": 900, "漏水": 300}
    build_dictionary.build(CEDICT.split("\n"), counts, copy / DATA)
    return copy


def run(folder: Path, site: Path, *arguments: str) -> str:
    """Run `memory` in a folder, with what is installed in another one."""
    environment = {**os.environ, "HOME": str(folder), "PYTHONPATH": str(site)}
    command = [sys.executable, "-m", "daily_memory", *arguments]
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, encoding="utf-8"
    )
    return done.stdout


def test_the_wheel_is_found_by_doctor_and_used_by_search(source, tmp_path):
    assert built(source, "wheel").returncode == 0
    (wheel,) = (source / "dist").glob("*.whl")
    site, folder = tmp_path / "site", tmp_path / "app"
    ZipFile(wheel).extractall(site)
    folder.mkdir()
    run(folder, site, "init")
    run(folder, site, "save", "--topic", "The refrigerator", "--point", "it stands in the hall")

    assert "Chinese dictionary: installed" in run(folder, site, "doctor")
    assert "The refrigerator" in run(folder, site, "search", "冰箱在哪")
    assert "Chinese dictionary: not installed" in run(folder, tmp_path / "none", "doctor")
    assert "The refrigerator" not in run(folder, tmp_path / "none", "search", "冰箱在哪")


def test_the_licence_and_the_notice_are_in_the_wheel(source):
    built(source, "wheel")
    (wheel,) = (source / "dist").glob("*.whl")

    with ZipFile(wheel) as opened:
        name = next(name for name in opened.namelist() if name.endswith("licenses/NOTICE"))
        notice = opened.read(name).decode()
        about = opened.read(name.replace("licenses/NOTICE", "METADATA")).decode()

    assert notice == (PACKAGE / "NOTICE").read_text(encoding="utf-8")
    assert "CC-CEDICT" in notice
    assert Parser().parsestr(about)["License-Expression"] == "CC-BY-SA-4.0"


def test_the_sdist_has_the_dictionary(source, tmp_path):
    assert built(source, "sdist").returncode == 0
    (archive,) = (source / "dist").glob("*.tar.gz")
    shutil.unpack_archive(archive, tmp_path / "unpacked", filter="data")

    (unpacked,) = (tmp_path / "unpacked").iterdir()
    assert (unpacked / DATA).read_bytes() == (source / DATA).read_bytes()
    assert built(unpacked, "wheel").returncode == 0


def test_without_the_dictionary_nothing_is_built(source):
    (source / DATA).unlink()

    for kind in ("wheel", "sdist"):
        assert "dictionary.sqlite3" in built(source, kind).stderr
