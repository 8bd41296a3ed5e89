"""`str.format`, `str.format_map` and `string.Formatter` for scripts: fields reach attributes through the guard.

`Formatter` stands alone instead of deriving from the library's, so that `super()` leads to nothing unguarded.
"""

from __future__ import annotations

import _string  # type: ignore[import-not-found]
from collections import UserString
from collections.abc import Callable, Iterable
from typing import Any

from sandbox.library.current_step import STEP

MAX_NESTING = 2


class Formatter:
    """What `string.Formatter` does, for scripts."""

    def format(self, form: str, /, *arguments: Any, **values: Any) -> str:
        """Return the filled form."""
        return self.vformat(form, arguments, values)

    def vformat(self, form: str, arguments: Any, values: Any) -> str:
        """Return the filled form; arguments by number, values by name."""
        used: set[Any] = set()
        text, _ = self._filled(form, arguments, values, MAX_NESTING, 0, used)
        self.check_unused_args(used, arguments, values)
        return text

    def parse(self, form: str) -> Iterable[Any]:
        """Return the parts of a form: literal text, field, format, conversion."""
        parts: Iterable[Any] = _string.formatter_parser(str.__str__(form))
        return parts

    def get_field(self, field: str, arguments: Any, values: Any) -> tuple[Any, Any]:
        """Return the value of a field and the key it starts from, attributes read through the guard."""
        first, rest = _string.formatter_field_name_split(str.__str__(field))
        value = self.get_value(first, arguments, values)
        for is_attribute, key in rest:
            value = STEP.guard.read(value, key) if is_attribute else value[key]
        return value, first

    def get_value(self, key: Any, arguments: Any, values: Any) -> Any:
        """Return an argument by number or a value by name."""
        return arguments[key] if isinstance(key, int) else values[key]

    def format_field(self, value: Any, form: str) -> str:
        """Return one value as text."""
        return format(value, form)

    def convert_field(self, value: Any, conversion: str | None) -> Any:
        """Return a value after `!s`, `!r` or `!a`."""
        if conversion is None:
            return value
        if conversion not in ("s", "r", "a"):
            msg = f"Unknown conversion specifier {conversion!s}"
            raise ValueError(msg)
        return str(value) if conversion == "s" else repr(value) if conversion == "r" else ascii(value)

    def check_unused_args(self, used: set[Any], arguments: Any, values: Any) -> None:
        """Do nothing; a subclass may object to what no field used."""

    def _filled(
        self, form: str, arguments: Any, values: Any, depth: int, auto: int | None, used: set[Any]
    ) -> tuple[str, int | None]:
        if depth < 0:
            msg = "Max string recursion exceeded"
            raise ValueError(msg)
        parts: list[str] = []
        for literal, field, spec, conversion in self.parse(form):
            parts.append(literal)
            if field is None:
                continue
            field, auto = _numbered(field, auto)
            value, first = self.get_field(field, arguments, values)
            used.add(first)
            value = self.convert_field(value, conversion)
            spec, auto = self._filled(spec or "", arguments, values, depth - 1, auto, used)
            parts.append(self.format_field(value, spec))
        return "".join(parts), auto


class _MethodFormatter(Formatter):
    """What `str.format` says where `string.Formatter` lets the tuple speak."""

    def get_value(self, key: Any, arguments: Any, values: Any) -> Any:
        """Return an argument by number or a value by name."""
        if isinstance(key, int) and key >= len(arguments):
            msg = f"Replacement index {key} out of range for positional args tuple"
            raise IndexError(msg)
        return super().get_value(key, arguments, values)


class _MapFormatter(Formatter):
    """What `str.format_map` says where `string.Formatter` lets the tuple speak."""

    def get_value(self, key: Any, arguments: Any, values: Any) -> Any:
        """Return a value by name."""
        if isinstance(key, int):
            msg = "Format string contains positional fields"
            raise ValueError(msg)  # noqa: TRY004 - what Python raises
        return values[key]


def _numbered(field: str, auto: int | None) -> tuple[str, int | None]:
    """Give an empty field the next number; refuse to mix empty and numbered ones, as `str.format` does."""
    first = field.partition(".")[0].partition("[")[0]
    if first == "":
        if auto is None:
            msg = "cannot switch from manual field specification to automatic field numbering"
            raise ValueError(msg)
        return f"{auto}{field}", auto + 1
    if first.isdigit():
        if auto:
            msg = "cannot switch from automatic field numbering to manual field specification"
            raise ValueError(msg)
        return field, None
    return field, auto


def guarded_format(name: str, bound: str | None) -> Callable[..., str]:
    """Return `str.format` or `str.format_map`, bound to a text or not, with guarded fields."""

    def form(*arguments: Any, **values: Any) -> str:
        text, rest = (arguments[0], arguments[1:]) if bound is None else (bound, arguments)
        if not isinstance(text, str):
            msg = f"descriptor {name!r} requires a 'str' object but received {type(text).__name__!r}"
            raise TypeError(msg)
        if name == "format_map":
            return _MapFormatter().vformat(text, (), rest[0])
        return _MethodFormatter().vformat(text, rest, values)

    return form


def seal_user_string() -> None:
    """Have `UserString` format its text with guarded fields: the library's hands it on to `str` itself."""

    def format(self: Any, /, *arguments: Any, **values: Any) -> str:
        return guarded_format("format", self.data)(*arguments, **values)

    def format_map(self: Any, mapping: Any) -> str:
        return guarded_format("format_map", self.data)(mapping)

    UserString.format = format  # type: ignore[method-assign, assignment]
    UserString.format_map = format_map  # type: ignore[method-assign]
