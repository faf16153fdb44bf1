"""`memory projects`, and a project's name wherever a folder is taken."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest


@pytest.fixture
def both(cli, tmp_path, monkeypatch):
    """Two projects that have a session each, seen from outside both."""
    for name, topic in (("app", "Redis TTL 300"), ("商城", "支付用 Stripe")):
        (tmp_path / name / ".git").mkdir(parents=True, exist_ok=True)
        monkeypatch.chdir(tmp_path / name)
        cli("save", "--topic", topic, "--tag", "redis")
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    return cli


def test_projects_are_listed(both, tmp_path):
    lines = both("projects").out.splitlines()

    assert {line.split("  ")[-1] for line in lines} == {
        str(tmp_path / "app"),
        str(tmp_path / "商城"),
    }
    assert all("1 session  20" in line for line in lines)
    answer = both("projects", "list", "--json").json()["projects"]
    assert {one["name"]: one["sessions"] for one in answer} == {"app": 1, "商城": 1}
    assert all(one["exists"] and one["id"] for one in answer)


def test_without_projects_it_says_how_to_get_one(cli):
    assert "no projects yet" in cli("projects").err
    assert cli("projects", "--json").json() == {"projects": []}


def test_a_project_is_renamed_forgotten_and_added(both, tmp_path):
    renamed = both("projects", "rename", "商城", "mall")
    assert "is now called mall" in renamed.err
    assert "支付" in both("search", "支付", "--project", "mall").out
    assert "支付" in both("search", "支付", "--project", "商城").out

    assert "would be forgotten: mall" in both("projects", "forget", "mall", "--dry-run").err
    assert both("projects", "forget", "mall", "--json").json()["name"] == "mall"
    assert "mall" not in both("projects").out
    assert "known as 商城" in both("projects", "add", "../商城").err
    assert "forgotten; its memory stays: 商城" in both("projects", "forget", "../商城").err
    assert (tmp_path / "商城/.cursor/skills/memories/daily").is_dir()


def test_a_project_that_is_gone_is_shown_so(both, tmp_path):
    (tmp_path / "商城").rename(tmp_path / "gone")
    listing = tmp_path / "home/.cursor/skills/memories/projects.json"
    data = json.loads(listing.read_text(encoding="utf-8"))
    data["projects"].append({"path": "", "id": "a" * 32, "name": "lost"})
    listing.write_text(json.dumps(data), encoding="utf-8")

    shown = both("projects").out
    assert "not there              商城" in shown
    assert shown.rstrip().endswith("lost") or "lost\n" in shown
    assert "folder unknown" in both("projects", "forget", "lost", "--dry-run").err
    assert "a project that is gone is now called x" in both("projects", "rename", "lost", "x").err
    assert both("list", "--project", "商城").out == ""
    assert "is gone" in both("add", "x", "--project", "商城").err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["add"], "as in: memory projects add DIR"),
        (["list", "x"], "as in: memory projects list"),
        (["rename", "app"], "as in: memory projects rename OLD NEW"),
        (["rename", "app", "a/b"], "is not a valid name for a project"),
        (["add", "/nowhere"], "no folder '/nowhere'"),
        (["add", "app", "--dry-run"], "--dry-run does not go with"),
    ],
)
def test_what_can_not_be_is_refused(both, words, message):
    outcome = both("projects", *words)

    assert outcome.status == 2
    assert message in outcome.err


@pytest.mark.parametrize(
    "words",
    [["list"], ["show", "2026-01-29"], ["inject"], ["today"], ["add", "x"], ["doctor"], ["save"]],
)
def test_a_slip_in_a_name_is_an_error_everywhere(both, words):
    outcome = both(*words, "--project", "商场", stdin='{"topic": "x"}')

    assert outcome.status == 3
    assert "no project '商场'\nhint: did you mean 商城?" in outcome.err


def test_a_name_does_wherever_a_folder_does(both):
    (one,) = both("list", "--project", "商城", "--json").json()["sessions"]
    assert (one["topic"], one["project"]) == ("支付用 Stripe", "商城")

    assert both("show", one["id"], "--project", "商城").out.count("支付用 Stripe") == 1
    assert "支付用 Stripe" in both("show", one["date"], "--project", "商城").out
    assert "支付用 Stripe" in both("inject", "--project", "商城").out
    assert "支付用" in both("search", "支付", "--project", "商城", "--scope", "project").out
    assert "Redis" not in both("inject", "redis", "--project", "商城").out
    assert "支付用 Stripe" in both("today", "--project", "商城").out
    assert both("add", "记一笔 #pay", "--project", "商城", "--json").json()["scope"] == "project"
    assert len(both("list", "--project", "商城", "--json").json()["sessions"]) == 2


def test_a_day_of_a_project_without_sessions_is_not_found(both):
    assert "no sessions for 2000-01-01" in both("show", "2000-01-01", "--project", "商城").err


def test_who_has_a_session_of_an_id_is_told(both, tmp_path, monkeypatch):
    id_ = both("list", "--project", "app", "--json").json()["sessions"][0]["id"]
    bare = id_.removeprefix("app:")

    shown = both("show", bare, "--scope", "all")

    assert (shown.status, shown.out) == (4, "")
    assert f"name one of them: {id_}, 商城:{bare}\n" in shown.err
    assert "  [app]\n" in both("show", id_, "--scope", "all").err
    assert both("show", id_, "--json").json()["sessions"][0]["project"] == "app"
    monkeypatch.chdir(tmp_path / "app")
    at_home = both("show", bare, "--scope", "all")
    assert f"there is also 商城:{bare}\n" in at_home.err


def test_what_is_told_of_other_projects_bears_their_name(both, tmp_path):
    summary = tmp_path / "商城/.cursor/skills/memories/summary.md"
    summary.write_text("# 摘要\n支付走 Stripe\n", encoding="utf-8")

    told = both("inject", "redis ttl", "--scope", "all").out

    assert "project app" in told
    assert "[memory 商城:summary | project 商城" in told
    assert "支付走 Stripe" not in both("inject", "redis", "--project", "app").out


def test_a_moved_folder_is_found_again(both, tmp_path, monkeypatch):
    (tmp_path / "商城").rename(tmp_path / "mall")
    monkeypatch.chdir(tmp_path / "mall")

    assert str(tmp_path / "mall") in both("projects").out
    assert "支付" in both("search", "支付", "--project", "商城").out
    assert Path(".cursor/skills/memories/index/project-id").exists()


@pytest.mark.parametrize("words", [("list",), ("search", "支付"), ("show", "today"), ("inject",)])
def test_any_command_finds_a_moved_folder_again(both, tmp_path, monkeypatch, words):
    (tmp_path / "商城").rename(tmp_path / "mall")
    assert both("list", "--project", "mall").status == 3
    monkeypatch.chdir(tmp_path / "mall")

    assert both(*words).status == 0

    monkeypatch.chdir(tmp_path / "elsewhere")
    assert "支付" in both("list", "--project", "mall").out
    assert "支付" in both("list", "--project", "商城").out


def test_looking_into_a_copy_does_not_enter_it(both, tmp_path, monkeypatch):
    shutil.copytree(tmp_path / "商城", tmp_path / "copy")
    monkeypatch.chdir(tmp_path / "copy")

    assert "支付" in both("list").out

    names = {one["name"] for one in both("projects", "--json").json()["projects"]}
    assert names >= {"app", "商城"}
    path = tmp_path / "home/.cursor/skills/memories/projects.json"
    listed = json.loads(path.read_text(encoding="utf-8"))["projects"]
    assert str(tmp_path / "商城") in [one["path"] for one in listed]


def test_a_session_of_the_global_memory_names_its_project(cli):
    cli("save", "--topic", "全局的缓存", "--scope", "global")
    cli("save", "--topic", "项目的缓存")

    assert "[app]" in cli("list", "--scope", "global").out
    assert "[app]" in cli("show", "today", "--scope", "global").err
    assert "[app]" not in cli("show", "today", "--scope", "project").err
    assert cli("today", "--scope", "all").err.count("[app]") == 2
    assert cli("list", "--scope", "all").out.count("[app]") == 2
    assert cli("search", "缓存", "--scope", "all").out.count("[app]") == 2


# ---------------------------------------------------------------------------- which folder


@pytest.fixture
def package(cli, tmp_path, monkeypatch):
    """A package of a repository that has a memory; the command runs in the package."""
    cli("add", "Redis TTL is 300 seconds 缓存")
    (tmp_path / "app" / "packages" / "api").mkdir(parents=True)
    (tmp_path / "app" / "packages" / "api" / "package.json").write_text("{}")
    monkeypatch.chdir(tmp_path / "app" / "packages" / "api")
    return cli


@pytest.mark.parametrize("words", [(), ("--project", ".")])
def test_a_package_finds_and_saves_in_the_memory_of_its_repository(package, tmp_path, words):
    assert "300 seconds" in package("search", "缓存 redis ttl", *words).out

    package("add", "the api speaks gRPC", *words)

    assert not (tmp_path / "app" / "packages" / "api" / ".cursor").exists()
    assert len(package("list").out.splitlines()) == 2
    assert package("projects", "--json").json()["projects"][0]["path"] == str(tmp_path / "app")


def test_a_memory_made_in_a_package_on_purpose_is_its_own(package, tmp_path):
    inner = tmp_path / "app" / "packages" / "api"
    assert str(inner) in package("init", "--project", ".").out

    assert "nothing relevant" in package("search", "redis ttl").err
    package("add", "the api speaks gRPC")

    notes = package("doctor").out
    assert f"project: {inner} (the nearest folder with a memory)" in notes
    assert f"{tmp_path / 'app'}: has a memory too" in notes
    above = package("doctor", "--project", str(tmp_path / "app")).out
    assert f"`memory import {inner}`" in above


def test_doctor_says_which_folder_is_used_and_why(cli, tmp_path):
    assert f"project: {tmp_path / 'app'} (the top of a repository, .git)" in cli("doctor").err
    cli("add", "for all", "--scope", "global")
    (tmp_path / "app" / ".git").rmdir()
    (tmp_path / "app" / "go.mod").write_text("")
    answer = cli("doctor", "--json").json()
    assert answer["project"] == {"folder": str(tmp_path / "app"), "why": "it has go.mod"}
    (tmp_path / "app" / "go.mod").unlink()
    assert "project: the global memory alone (none here)" in cli("doctor").out
    assert "(it was named)" in cli("doctor", "--project", str(tmp_path / "app")).out
    assert "(none here)" in cli("doctor", "--scope", "project").err


def test_a_memory_of_another_user_is_told_of_and_can_be_trusted(cli, tmp_path, monkeypatch):
    cli("add", "Redis TTL is 300 seconds")
    monkeypatch.setattr(os, "geteuid", lambda: 54321)

    passed = cli("search", "redis ttl")
    refused = cli("search", "redis ttl", "--project", str(tmp_path / "app"))
    examined = cli("doctor").out

    assert "nothing relevant" in passed.err
    assert f"warning: '{tmp_path / 'app'}' is not used as a project" in passed.err
    assert (refused.status, "storage.safe_folders" in refused.err) == (2, True)
    assert "project: the global memory alone" in examined
    assert f"{tmp_path / 'app'}: is not used as a project: " in examined
    assert "; to trust it: memory config set --global storage.safe_folders" in examined

    cli("config", "set", "--global", "storage.safe_folders", f'["{tmp_path / "app"}"]')
    assert "300 seconds" in cli("search", "redis ttl").out


def test_only_the_user_s_own_settings_trust_a_folder(cli):
    refused = cli("config", "set", "storage.safe_folders", '["/srv"]')

    assert (refused.status, "--global" in refused.err) == (2, True)
    wrong = cli("config", "set", "--global", "storage.safe_folders", '["srv/app"]')
    assert "'srv/app' is not the path of a folder" in wrong.err
