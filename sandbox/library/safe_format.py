"""Text forms for scripts: the fields of `str.format`, `format_map` and `string.Formatter` read through the guard."""

from __future__ import annotations

import string
from collections import UserString
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, Final

from sandbox.library.current_step import STEP

_GET_FIELD: Final[Any] = string.Formatter.get_field


class _Guarded:
    """Stands for a value while a field is looked up in it and shown; reads attributes through the guard."""

    __slots__ = ("held",)

    def __init__(self, value: Any) -> None:
        self.held = value

    def __getattribute__(self, name: str) -> Any:
        return _Guarded(STEP.guard.read(_held(self), name))

    def __getitem__(self, key: Any) -> Any:
        return _Guarded(_held(self)[key])

    def __format__(self, spec: str) -> str:
        return format(_held(self), spec)

    def __str__(self) -> str:
        return str(_held(self))

    def __repr__(self) -> str:
        return repr(_held(self))


_held: Final[Callable[[_Guarded], Any]] = vars(_Guarded)["held"].__get__


def _get_field(self: Any, field_name: str, args: Any, kwargs: Any) -> tuple[Any, Any]:
    """Return the value of a field and the key that it starts from, as `string.Formatter` asks for them."""
    reader = SimpleNamespace(get_value=lambda *given: _Guarded(self.get_value(*given)))
    found, first = _GET_FIELD(reader, field_name, args, kwargs)
    return _held(found), first


def guarded_format(name: str, bound: str | None) -> Callable[..., str]:
    """Return `str.format` or `str.format_map`, bound to a text or not, with guarded fields."""

    def form(*arguments: Any, **values: Any) -> str:
        text, *rest = arguments if bound is None else (bound, *arguments)
        if not isinstance(text, str):
            msg = f"descriptor {name!r} requires a 'str' object but received {type(text).__name__!r}"
            raise TypeError(msg)
        if name == "format_map":
            return str.format_map(text, _Guarded(*rest))
        return str.format(text, *map(_Guarded, rest), **{key: _Guarded(each) for key, each in values.items()})

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
