"""Text forms for scripts: the fields of `str.format`, `format_map` and `string.Formatter` read through the guard."""

from __future__ import annotations

import string
from collections import UserString
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any, Final

from sandbox.library.current_step import STEP

_GET_FIELD: Final[Any] = string.Formatter.get_field
_Part = tuple[str, str | None, str | None, str | None]


class _Guarded:
    """Stands for a value while a field is looked up in it, and reads attributes through the guard."""

    __slots__ = ("held",)

    def __init__(self, value: Any) -> None:
        self.held = value

    def __getattribute__(self, name: str) -> Any:
        return _Guarded(STEP.guard.read(_held(self), name))

    def __getitem__(self, key: Any) -> Any:
        return _Guarded(_held(self)[key])


_held: Final[Callable[[_Guarded], Any]] = vars(_Guarded)["held"].__get__


def _get_field(self: Any, field_name: str, args: Any, kwargs: Any) -> tuple[Any, Any]:
    """Return the value of a field and the key that it starts from, as `string.Formatter` asks for them."""
    reader = SimpleNamespace(get_value=lambda *given: _Guarded(self.get_value(*given)))
    found, first = _GET_FIELD(reader, field_name, args, kwargs)
    return _held(found), first


class _MethodFormatter(string.Formatter):
    """`str.format` and `format_map` by way of `string.Formatter`, with their own numbering and messages."""

    def __init__(self, *, takes_positions: bool) -> None:
        self._takes_positions = takes_positions
        self._next: int | None = 0
        """The number of the next empty field; None once a field has a number of its own."""

    def parse(self, format_string: str) -> Iterator[Any]:
        """Return the parts of a form, empty fields numbered."""
        for literal, field, spec, conversion in super().parse(str.__str__(format_string)):
            yield literal, None if field is None else self._numbered(field), spec, conversion

    def _numbered(self, field: str) -> str:
        first = field.partition(".")[0].partition("[")[0]
        if first == "" and self._next is None:
            msg = "cannot switch from manual field specification to automatic field numbering"
            raise ValueError(msg)
        if first == "" and self._next is not None:
            self._next += 1
            return f"{self._next - 1}{field}"
        if first.isdigit() and self._next:
            msg = "cannot switch from automatic field numbering to manual field specification"
            raise ValueError(msg)
        self._next = None if first.isdigit() else self._next
        return field

    def get_value(self, key: int | str, args: Any, kwargs: Any) -> Any:
        """Return an argument by number or a value by name."""
        if isinstance(key, str):
            return kwargs[key]
        if not self._takes_positions:
            msg = "Format string contains positional fields"
            raise ValueError(msg)
        if key >= len(args):
            msg = f"Replacement index {key} out of range for positional args tuple"
            raise IndexError(msg)
        return args[key]


def guarded_format(name: str, bound: str | None) -> Callable[..., str]:
    """Return `str.format` or `str.format_map`, bound to a text or not, with guarded fields."""

    def form(*arguments: Any, **values: Any) -> str:
        text, *rest = arguments if bound is None else (bound, *arguments)
        if not isinstance(text, str):
            msg = f"descriptor {name!r} requires a 'str' object but received {type(text).__name__!r}"
            raise TypeError(msg)
        if name == "format_map":
            return _MethodFormatter(takes_positions=False).vformat(text, (), rest[0])
        return _MethodFormatter(takes_positions=True).vformat(text, rest, values)

    return form


def install() -> None:
    """Guard the fields of the library's own classes in this process."""
    methods = {name: _user_string_method(name) for name in ("format", "format_map")}
    for owner, guarded in ((string.Formatter, {"get_field": _get_field}), (UserString, methods)):
        for name, method in guarded.items():
            setattr(owner, name, method)


def _user_string_method(name: str) -> Callable[..., str]:
    def form(self: Any, /, *arguments: Any, **values: Any) -> str:
        return guarded_format(name, self.data)(*arguments, **values)

    form.__name__ = form.__qualname__ = name
    return form
