"""Guards of `str.format`, which reads attributes: `"{0.__class__}".format(x)`."""

from __future__ import annotations

import string
from functools import partial
from types import BuiltinMethodType, MethodDescriptorType
from typing import Any

from controlplane.sandbox.child.language.special_names import READABLE, needs_no_guard


def check_format(template: str) -> None:
    """Raise `AttributeError` if a field of a format reads an attribute that needs a guard.

    `"{0.name}"` is permitted, `"{0.__class__}"` is not.
    """
    for _, field, format_spec, _ in string.Formatter().parse(template):
        for name in _attributes_in_field(field or ""):
            if name not in READABLE and not needs_no_guard(name):
                msg = f"a format cannot read {name!r}; put the value itself into the format"
                raise AttributeError(msg)
        # It may have fields of its own, as in `"{0:{1.width}}"`.
        check_format(format_spec or "")


def _attributes_in_field(field: str) -> list[str]:
    """Return the attributes that a field reads: `"0.x[a.b].y"` -> `["x", "y"]`."""
    # 1. Remove items such as `[a.b]`, whose dots separate no attributes: `0.x[a.b].y` -> `0.x.y`.
    before_items, *item_parts = field.split("[")  # "0.x" and ["a.b].y"]
    without_items = before_items
    for part in item_parts:
        _item, _, after_item = part.partition("]")  # "a.b" and ".y"
        without_items += after_item

    # 2. Split at the dots. The first part names the argument of the format.
    _argument, *attributes = without_items.split(".")
    return attributes


def checked_format(template: str, /, *values: Any, **named_values: Any) -> str:
    """Do the same as `str.format`. Raises `AttributeError` for a field that needs a guard."""
    check_format(template)
    return str.format(template, *values, **named_values)


def checked_format_map(template: str, mapping: Any, /) -> str:
    """Do the same as `str.format_map`. Raises `AttributeError` for a field that needs a guard."""
    check_format(template)
    return str.format_map(template, mapping)


checked_format.__name__ = "format"
checked_format.__qualname__ = "format"
checked_format_map.__name__ = "format_map"
checked_format_map.__qualname__ = "format_map"


def checked_formatter(method: Any, name: str) -> Any:
    """Return the checked form of `str.format` or `str.format_map`; any other method as it is.

    `name` is the name by which the script read the method.
    """
    # 1. The method of the class, as in `str.format`.
    if type(method) is MethodDescriptorType:
        if method is str.format:
            return checked_format
        if method is str.format_map:
            return checked_format_map

    # 2. The method of a text, as in `"{}".format`. Each text has a method object of its own, so it
    #    is recognized by its name.
    if type(method) is BuiltinMethodType and isinstance(method.__self__, str):
        if name == "format":
            return partial(checked_format, method.__self__)
        if name == "format_map":
            return partial(checked_format_map, method.__self__)
    return method
