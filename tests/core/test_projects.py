"""The list of projects as values: read in each form, and found by every name."""

from __future__ import annotations

import json

import pytest

from daily_memory.core import projects
from daily_memory.core.projects import Project

SHOP = Project("/work/shop", "a" * 32)
MALL = Project("/work/商城", "b" * 32, "mall", ("商城",))


def test_a_list_is_read_as_it_was_written():
    text = projects.format_projects([MALL, SHOP])

    assert projects.parse_projects(text.encode()) == (SHOP, MALL)
    assert json.loads(text)["version"] == "1.0"


def test_the_list_of_paths_that_there_was_at_first_is_read():
    assert projects.parse_projects('{"projects": ["/a/商城"]}'.encode()) == (Project("/a/商城"),)


@pytest.mark.parametrize(
    "text",
    ["", "[]", "{", '{"projects": null}', '{"projects": [5, null, {"path": 5}, {"path": ""}]}'],
)
def test_what_is_no_project_is_left_out(text):
    assert projects.parse_projects(text.encode()) == ()


def test_fields_of_the_wrong_type_are_left_out():
    text = '{"projects": [{"path": "/a", "id": 5, "name": null, "former": [1, "b"]}]}'

    assert projects.parse_projects(text.encode()) == (Project("/a", former=("b",)),)


@pytest.mark.parametrize(
    ("path", "name"),
    [("/work/shop", "shop"), ("/work/商城/", "商城"), ("/", "/"), ("C:\\work\\shop", "shop")],
)
def test_a_project_is_called_as_its_folder(path, name):
    assert Project(path).title == name


def test_a_new_name_keeps_the_old_one_in_mind():
    renamed = projects.renamed(SHOP, "store")

    assert (renamed.title, renamed.former) == ("store", ("shop",))
    assert projects.renamed(renamed, "shop") == SHOP._replace(former=("store",))


def test_a_moved_project_is_called_as_its_folder_unless_the_user_named_it():
    assert projects.moved(SHOP, "/old/kiosk") == Project("/old/kiosk", SHOP.id, "", ("shop",))
    assert projects.moved(SHOP, "/old/shop") == Project("/old/shop", SHOP.id)
    assert projects.moved(MALL, "/old/x") == MALL._replace(path="/old/x")


@pytest.mark.parametrize(
    ("name", "found"),
    [("shop", (SHOP,)), ("Shop", (SHOP,)), ("商城", (MALL,)), ("mall", (MALL,)), ("x", ())],
)
def test_a_project_is_found_by_each_of_its_names(name, found):
    assert projects.find_named([SHOP, MALL], name) == found


@pytest.mark.parametrize(
    ("name", "near"),
    [("shp", ["shop"]), ("商", ["商城"]), ("MALLS", ["mall"]), ("zzz", []), ("", [])],
)
def test_names_that_may_have_been_meant(name, near):
    assert projects.near_names(["shop", "mall", "商城", ""], name) == near
