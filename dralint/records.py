"""Plain shapes of data: groups of values, and `NamedTuple` as that of `typing`, but made in a tenth of the time.

A start makes dozens of these tuples, and waits for each. `typing` compiles the annotation of each field, and a
constructor for each class. Here annotations stay text, and the constructor is compiled with the first instance. A
module that uses it has `from __future__ import annotations`.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import NamedTuple as NamedTuple
    from typing import TypeVar

    _K = TypeVar("_K")
    _V = TypeVar("_V")
else:
    from collections import _tuplegetter

    class _Record(tuple):
        """What all of them have in common."""

        __slots__ = ()
        _fields: tuple[str, ...] = ()
        _field_defaults: dict[str, Any] = {}  # noqa: RUF012 - nobody changes it

        def __new__(cls, *values, **named):
            """Make the constructor, and with it the first instance."""
            names = ", ".join(cls._fields)
            made = eval(f"lambda _cls, {names}: _new(_cls, ({names},))", {"_new": tuple.__new__})
            made.__defaults__ = tuple(cls._field_defaults.values())
            made.__name__, made.__qualname__ = "__new__", f"{cls.__qualname__}.__new__"
            cls.__new__ = staticmethod(made)
            return made(cls, *values, **named)

        @classmethod
        def _make(cls, values):
            return cls(*values)

        def _replace(self, /, **changes):
            made = tuple.__new__(type(self), map(changes.pop, self._fields, self))
            if changes:
                msg = f"Got unexpected field names: {list(changes)!r}"
                raise ValueError(msg)
            return made

        def _asdict(self):
            return dict(zip(self._fields, self, strict=True))

        def __repr__(self):
            fields = ", ".join(f"{name}={value!r}" for name, value in self._asdict().items())
            return f"{type(self).__name__}({fields})"

        def __getnewargs__(self):
            return tuple(self)

    def _tuple_of(_, name, bases, namespace):
        """Return the tuple with names that the body of a class describes."""
        fields = tuple(namespace["__annotations__"])
        defaults = {field: namespace.pop(field) for field in fields if field in namespace}
        for number, field in enumerate(fields):
            namespace[field] = _tuplegetter(number, "")
        namespace |= {"__slots__": (), "_fields": fields, "_field_defaults": defaults, "__match_args__": fields}
        return type(name, (_Record,), namespace)

    NamedTuple = type.__new__(type("_Making", (type,), {"__new__": _tuple_of}), "NamedTuple", (), {})


def grouped(pairs: Iterable[tuple[_K, _V]]) -> dict[_K, list[_V]]:
    """Return the values of each key, in the order of the pairs."""
    found: dict[_K, list[_V]] = {}
    for key, value in pairs:
        found.setdefault(key, []).append(value)
    return found


def lazily(module: dict[str, Any], homes: Mapping[str, str]) -> Callable[[str], Any]:
    """Return the `__getattr__` of a module that imports a name from its home below `dralint` when it is first used.

    Args:
        module: the globals of the module.
        homes: the home of each name.
    """

    def find(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {module['__name__']!r} has no attribute {name!r}")
        module[name] = getattr(import_module(f"dralint.{homes[name]}"), name)
        return module[name]

    return find
