"""`NamedTuple` as `typing` has it, at a quarter of the cost: the values of this package.

A search makes fifty such types before it begins, and uses each a few times. `typing.NamedTuple`
compiles a constructor for each of them, and `typing` has to be loaded first: a sixth of the search
(docs/decisions/0001). Here all types share one constructor, which takes 100 ns longer when it is
called. mypy and editors see `typing.NamedTuple` itself.

>>> class Point(NamedTuple):
...     x: int
...     y: int = 0
>>> Point(3), Point(y=1, x=2)._replace(x=4)
(Point(x=3, y=0), Point(x=4, y=1))
"""

from __future__ import annotations

import collections
from functools import cache
from operator import itemgetter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any
    from typing import NamedTuple as NamedTuple
else:
    # What `collections.namedtuple` reads a field with, twice as fast as a property; no other
    # Python than CPython has to have it.
    _field = getattr(
        collections, "_tuplegetter", lambda place, doc: property(itemgetter(place), doc=doc)
    )

    class _Making(type):
        """Makes the types: each annotation of a class is a field, its value the default."""

        def __new__(cls, name: str, bases: tuple[type, ...], body: dict[str, Any]) -> _Making:
            # Without slots each value would carry a dictionary, and take further attributes.
            made = super().__new__(cls, name, bases, {**body, "__slots__": ()})
            made._fields = made.__match_args__ = tuple(made.__annotations__)
            made._field_defaults = {field: body[field] for field in made._fields if field in body}
            for place, field in enumerate(made._fields):
                setattr(made, field, _field(place, ""))
            return made

    class NamedTuple(tuple, metaclass=_Making):
        """A tuple whose places have names."""

        def __new__(cls, *values: object, **named: object) -> NamedTuple:
            if named or len(values) != len(cls._fields):
                values = _completed(cls, values, named)
            return tuple.__new__(cls, values)

        @classmethod
        def _make(cls, values: Iterable[object]) -> NamedTuple:
            return cls(*values)

        def _replace(self, **changes: object) -> NamedTuple:
            # What is left over names no field, which the constructor tells.
            values = tuple(map(changes.pop, self._fields, self))
            return type(self)(*values, **changes) if changes else tuple.__new__(type(self), values)

        def _asdict(self) -> dict[str, object]:
            return dict(zip(self._fields, self, strict=True))

        def __repr__(self) -> str:
            return _shape(type(self)) % tuple(self)

        def __getnewargs__(self) -> tuple[object, ...]:
            return tuple(self)

    @cache
    def _shape(cls: type[NamedTuple]) -> str:
        return f"{cls.__name__}({', '.join([f'{field}=%r' for field in cls._fields])})"

    def _completed(
        cls: type[NamedTuple], values: tuple[object, ...], named: dict[str, object]
    ) -> tuple[object, ...]:
        """Return a value for each field, in order: as given by place or name, or the default."""
        defaults, missing = cls._field_defaults, cls._fields[len(values) :]
        try:
            rest = [named.pop(field) if field in named else defaults[field] for field in missing]
        except KeyError as error:
            raise TypeError(f"{cls.__name__} needs a value for {error}") from None
        if len(values) > len(cls._fields):
            raise TypeError(f"{cls.__name__} has {len(cls._fields)} fields, not {len(values)}")
        if named:
            raise TypeError(f"{cls.__name__} can't take {sorted(named)} by name")
        return (*values, *rest)
