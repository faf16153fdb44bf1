"""Our named tuples do what those of `typing` do: each test runs with both."""

from __future__ import annotations

import copy
import pickle
import typing
from typing import Any

import pytest

from daily_memory import named_tuples


class Ours(named_tuples.NamedTuple):
    """A place in a file."""

    line: int
    path: str = "记忆.md"
    words: tuple[str, ...] = ()

    @property
    def where(self) -> str:
        return f"{self.path}:{self.line}"


class Theirs(typing.NamedTuple):
    """A place in a file."""

    line: int
    path: str = "记忆.md"
    words: tuple[str, ...] = ()

    @property
    def where(self) -> str:
        return f"{self.path}:{self.line}"


@pytest.fixture(params=[Ours, Theirs])
def kind(request) -> Any:
    return request.param


def test_values_are_given_by_place_by_name_or_not_at_all(kind):
    assert tuple(kind(3)) == (3, "记忆.md", ())
    assert tuple(kind(3, "a")) == tuple(kind(path="a", line=3)) == (3, "a", ())
    assert tuple(kind(3, words=("x",))) == tuple(kind._make([3, "记忆.md", ("x",)]))


def test_fields_are_read_by_name_and_not_changed(kind):
    value = kind(3, "a", ("x",))

    assert (value.line, value.path, value.words, value.where) == (3, "a", ("x",), "a:3")
    for name in ("line", "where", "other"):
        with pytest.raises(AttributeError):
            setattr(value, name, 4)
    assert not hasattr(value, "__dict__")


@pytest.mark.parametrize(
    ("values", "named"),
    [((), {}), ((), {"path": "a"}), ((1, "a", (), 4), {}), ((1,), {"line": 2}), ((1,), {"no": 2})],
)
def test_a_value_too_many_or_too_few_is_an_error(kind, values, named):
    with pytest.raises(TypeError):
        kind(*values, **named)


def test_a_copy_has_other_values_under_the_same_names(kind):
    value = kind(3)

    assert value._replace(path="a", line=4) == kind(4, "a")
    assert value._replace() == value
    assert value == kind(3)
    # TypeError since Python 3.13.
    with pytest.raises((TypeError, ValueError)):
        value._replace(other=1)


def test_it_is_a_tuple_that_knows_its_fields(kind):
    value = kind(3)

    line, *rest = value
    assert (line, rest) == (3, ["记忆.md", ()])
    assert value == (3, "记忆.md", ())
    assert value < kind(4)
    assert hash(value) == hash((3, "记忆.md", ()))
    assert kind._fields == kind.__match_args__ == ("line", "path", "words")
    assert kind._field_defaults == {"path": "记忆.md", "words": ()}
    assert value._asdict() == {"line": 3, "path": "记忆.md", "words": ()}
    assert repr(value) == f"{kind.__name__}(line=3, path='记忆.md', words=())"
    assert kind.__doc__ == "A place in a file."


def test_it_can_be_copied_and_pickled(kind):
    value = kind(3, words=("x",))

    for other in (copy.copy(value), copy.deepcopy(value), pickle.loads(pickle.dumps(value))):
        assert other == value
        assert type(other) is kind
