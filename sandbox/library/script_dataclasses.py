"""`dataclass` and `make_dataclass` for scripts: the library's own, with annotations and names that it understands."""

from __future__ import annotations

import dataclasses
import re
import sys
import typing
from collections.abc import Iterable
from contextlib import suppress
from inspect import get_annotations
from typing import Any, Final

from sandbox.language.attribute_names import exact_name, is_special, normal_name
from sandbox.library.module_facades import Facade
from sandbox.library.script_builtins import keep_patterns_plain

_MARKS: Final = {"ClassVar": typing.ClassVar, "InitVar": dataclasses.InitVar, "KW_ONLY": dataclasses.KW_ONLY}
_MARK: Final = re.compile(rf"\s*(\w+)\.({'|'.join(_MARKS)})\b")
_FLAGS: Final = frozenset(
    {"init", "repr", "eq", "order", "frozen", "kw_only", "slots", "unsafe_hash", "match_args", "weakref_slot"}
)


def dataclass(cls: Any = None, /, **options: Any) -> Any:
    """Do what `dataclasses.dataclass` does.

    Text such as "typing.ClassVar[int]" is replaced meanwhile: the library looks for a module, and finds a facade.
    """

    def decorate(given: Any) -> Any:
        if issubclass(given, str):  # A field called `format` would be the unguarded method.
            msg = "a data class cannot derive from str; hold the text in a field"
            raise TypeError(msg)
        written: dict[str, Any] = {}
        with suppress(NameError, TypeError, AttributeError):  # From Python 3.14 on, one may name what is not there yet.
            written = get_annotations(given)
        marks = {name: mark for name, text in written.items() if (mark := _mark(text)) is not None}
        if not marks:
            return keep_patterns_plain(dataclasses.dataclass(given, **options))
        given.__annotations__ = written | marks
        made: Any = dataclasses.dataclass(given, **options)
        made.__annotations__ = given.__annotations__ = written
        return keep_patterns_plain(made)

    return decorate if cls is None else decorate(cls)


def _mark(text: Any) -> Any:
    """Return the mark that an annotation written as text names by way of a facade; None for any other annotation."""
    found = _MARK.match(text) if isinstance(text, str) else None
    is_by_facade = found is not None and type(vars(sys.modules["__main__"]).get(found[1])) is Facade
    return _MARKS[found[2]] if found is not None and is_by_facade else None


def make_dataclass(cls_name: str, fields: Iterable[Any], **options: Any) -> Any:
    """Make a dataclass of a name, fields and flags. Names of fields become source text, so they are checked first."""
    if set(options) - _FLAGS:
        msg = "make_dataclass takes a name, fields and flags here"
        raise TypeError(msg)
    listed: list[Any] = [exact_name(each) for each in fields]
    listed = [each if type(each) is str else tuple(map(exact_name, each)) for each in listed]
    for each in listed:
        if is_special(normal_name(each if type(each) is str else each[0])):
            msg = f"a field may not be called {each!r}"
            raise TypeError(msg)
    if sys.version_info >= (3, 12):
        options["module"] = "__main__"
    made = dataclasses.make_dataclass(exact_name(cls_name), listed, namespace={"__module__": "__main__"}, **options)
    return keep_patterns_plain(made)
