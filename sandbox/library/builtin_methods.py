"""Methods of built-in types, replaced for the whole process: where CPython's own let a script reach stale memory.

A bytearray takes its numbers before it looks at its memory, because asking an object for its number may run a script
that frees that memory. A `UnicodeError` shows the place of a fault only if it lies in its text.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from types import NoneType
from typing import Any, Final

from sandbox.library.type_slots import NotReplaced, replace_methods

_Method = Callable[..., Any]


def install() -> None:
    """Replace them in this process. Raises `NotReplaced`."""
    replace_methods(bytearray, _METHODS)
    for kind, text in ((UnicodeDecodeError, bytes), (UnicodeEncodeError, str), (UnicodeTranslateError, str)):
        replace_methods(kind, {"__str__": _describing(kind, text)})
    for name, *faulty in (("contains", ""), ("delitem", 0), ("mod", 0), ("setitem", 0, 0)):
        try:
            getattr(operator, name)(bytearray(), *faulty)
        except (IndexError, TypeError) as error:  # It comes through a line of this module.
            if error.__traceback__ is None or error.__traceback__.tb_next is None:
                raise NotReplaced(bytearray) from None


def _number(value: Any) -> Any:
    """Return the plain number of an index or a bound; None stays."""
    return None if value is None else operator.index(value)


def _place(index: Any) -> Any:
    """Return an index or a slice of plain numbers."""
    if type(index) is slice:
        return slice(_number(index.start), _number(index.stop), _number(index.step))
    return operator.index(index)


_BUFFERS: Final = (bytes, bytearray, memoryview)


def _settled(value: Any) -> Any:
    """Return an argument that runs nothing when it is asked for its number or its bytes."""
    kind = type(value)
    if kind is tuple:
        return tuple(map(_settled, value))
    if issubclass(kind, _BUFFERS):
        return value
    if hasattr(kind, "__buffer__"):  # From Python 3.12 on, a class may define it.
        return bytes(memoryview(value))
    return operator.index(value) if hasattr(kind, "__index__") else value


def _searching(method: _Method) -> _Method:
    def search(self: Any, sub: Any, start: Any = None, end: Any = None, /) -> Any:
        bounds = _number(start), _number(end)
        return method(self, _settled(sub), *bounds)

    return search


def _taking(method: _Method) -> _Method:
    def take(self: Any, /, *arguments: Any, **named: Any) -> Any:
        return method(self, *map(_settled, arguments), **{name: _settled(each) for name, each in named.items()})

    return take


_SET: Final[_Method] = bytearray.__setitem__
_DELETE: Final[_Method] = bytearray.__delitem__
_CONTAINS: Final[_Method] = bytearray.__contains__


def _set_item(self: Any, index: Any, value: Any, /) -> None:
    place = _place(index)  # Bytes for a slice are copied before anything is written.
    _SET(self, place, value if type(place) is slice else operator.index(value))


def _delete_item(self: Any, index: Any, /) -> None:
    _DELETE(self, _place(index))


def _contains(self: Any, sub: Any, /) -> bool:
    found: bool = _CONTAINS(self, _settled(sub))
    return found


def _format(self: Any, values: Any, /) -> Any:
    return bytearray(bytes(self) % values)


def _format_other(self: Any, form: Any, /) -> Any:
    return bytearray(bytes(form) % self) if issubclass(type(form), bytearray) else NotImplemented


_SEARCHES: Final = ("find", "rfind", "index", "rindex", "count", "startswith", "endswith")
_TAKERS: Final = (
    *("split", "rsplit", "partition", "rpartition", "replace", "translate", "strip", "lstrip", "rstrip"),
    *("removeprefix", "removesuffix"),
)
_METHODS: Final[dict[str, _Method]] = {
    **{name: _searching(getattr(bytearray, name)) for name in _SEARCHES},
    **{name: _taking(getattr(bytearray, name)) for name in _TAKERS},
    "__setitem__": _set_item,
    "__delitem__": _delete_item,
    "__contains__": _contains,
    "__mod__": _format,
    "__rmod__": _format_other,
}


def _describing(kind: type[Exception], text: type) -> _Method:
    """Return the `__str__` of a kind of `UnicodeError` whose fault lies in `text`."""
    describe, fields = kind.__str__, {name: vars(kind)[name].__get__ for name in ("object", "start", "reason")}
    encoding = vars(kind)["encoding"].__get__ if "encoding" in vars(kind) else lambda error: None

    def shown(self: Any, /) -> str:
        held, start, reason = (read(self) for read in fields.values())
        is_sound = (
            issubclass(type(held), text) and start >= 0 and {type(reason), type(encoding(self))} <= {str, NoneType}
        )
        return describe(self) if is_sound else BaseException.__str__(self)

    return shown
