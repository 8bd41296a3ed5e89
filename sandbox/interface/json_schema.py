"""JSON schemas of arguments: the Python type that a prompt shows, and the check of a value before its call.

Only what decides on structure is checked: types, enumerations, bounds, required and unknown keys, alternatives and
references within the schema. A keyword that is not known here, and every pattern, refuses nothing.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterator, Mapping
from itertools import count, islice
from typing import Any, Final, TypeAlias

from controlplane.sandbox.interface import bounds

Schema: TypeAlias = Mapping[str, Any]
_TYPES: Final[Mapping[str, tuple[str, Callable[[Any], bool]]]] = {
    "string": ("str", lambda value: issubclass(type(value), str)),
    "integer": ("int", lambda value: _is_number(value) and value == value // 1),
    "number": ("float", lambda value: _is_number(value)),
    "boolean": ("bool", lambda value: type(value) is bool),
    "array": ("list", lambda value: issubclass(type(value), (list, tuple))),
    "object": ("dict", lambda value: issubclass(type(value), dict)),
    "null": ("None", lambda value: value is None),
}
_BOUNDS: Final[Mapping[str, tuple[str, str, Callable[[Any, Any], bool]]]] = {
    "minimum": ("number", "at least", operator.ge),
    "maximum": ("number", "at most", operator.le),
    "exclusiveMinimum": ("number", "more than", operator.gt),
    "exclusiveMaximum": ("number", "less than", operator.lt),
    "minLength": ("string", "at least", operator.ge),
    "maxLength": ("string", "at most", operator.le),
    "minItems": ("array", "at least", operator.ge),
    "maxItems": ("array", "at most", operator.le),
}


def _is_number(value: Any) -> bool:
    if issubclass(type(value), int):
        return type(value) is not bool and int.bit_length(value) <= bounds.MOST_INT_BITS
    return issubclass(type(value), float) and math.isfinite(value)


def _alternatives(schema: Schema) -> list[Any]:
    given = schema.get("anyOf") or schema.get("oneOf")
    return given if isinstance(given, list) else []


def _names(schema: Schema) -> list[str]:
    """Return the names of the types that a schema allows; none if it does not say."""
    kind = schema.get("type")
    return (
        [kind]
        if isinstance(kind, str)
        else [str(name) for name in kind]
        if isinstance(kind, list)
        else []
    )


def _resolved(schema: Any, root: Schema, level: int = 0) -> Schema:
    """Return a schema with its reference followed; one that allows everything for what is no schema."""
    if not isinstance(schema, Mapping):
        return {}
    place = schema.get("$ref")
    if not isinstance(place, str) or level > bounds.MOST_LEVELS:
        return schema
    if not place.startswith(("#/$defs/", "#/definitions/")):
        return {}  # The root of a parameter's schema has only these of its tool's.
    found: Any = root
    for word in place.removeprefix("#").strip("/").split("/"):
        found = found.get(word, {}) if isinstance(found, Mapping) else {}
    return _resolved(found, root, level + 1)


def type_text(
    schema: Schema, root: Schema | None = None, level: int = 0, steps: Iterator[int] | None = None
) -> str:
    """Return a schema's type as Python writes it, such as `list[str]`, `float | None` or `'asc' | 'desc'`. It takes one
    of the `steps` for each part, 200 if none are given; what is left without one is `any`."""
    root = schema if root is None else root
    steps = islice(count(), 200) if steps is None else steps
    if next(steps, None) is None:
        return "any"
    schema = _resolved(schema, root)
    values = schema.get("enum") or ([schema["const"]] if "const" in schema else [])
    if isinstance(values, list) and values:
        return " | ".join(repr(value)[: bounds.SHOWN_VALUE_CHARS] for value in values[:20])
    parts = (
        [type_text(one, root, level + 1, steps) for one in _alternatives(schema)[:12]]
        if level < 4
        else []
    )
    for name in _names(schema):
        plain = _TYPES.get(name, ("any",))[0]
        if name == "array" and isinstance(schema.get("items"), Mapping) and level < 3:
            plain = f"list[{type_text(schema['items'], root, level + 1, steps)}]"
        if (
            name == "object"
            and isinstance(keys := schema.get("properties"), Mapping)
            and keys
            and level < 2
        ):
            shown = (
                f"{key!r}: {type_text(one, root, level + 1, steps)}"
                for key, one in list(keys.items())[:12]
            )
            plain = f"dict {{{', '.join(shown)}}}"
        parts.append(plain)
    return " | ".join(dict.fromkeys(parts)) or "any"


def schema_fault(value: Any, schema: Schema) -> str:
    """Return why a value does not fit a schema, as ` is a str, not int`, with the place in it; empty if it fits, or if
    nothing is found within the bounds."""
    if (
        len(schema) == 1
        and (names := _names(schema))
        and names[0] in _TYPES
        and _TYPES[names[0]][1](value)
    ):
        return ""  # as most arguments, at a tenth of the time
    return _fault(value, schema, schema, 0, count())


def _fault(value: Any, schema: Any, root: Schema, level: int, compared: Iterator[int]) -> str:
    schema = _resolved(schema, root)
    # Values of one argument or result that are compared with a schema: alternatives may repeat each other without end.
    if level > bounds.MOST_LEVELS or next(compared) > 20_000:
        return ""
    if options := _alternatives(schema):
        faults = [_fault(value, one, root, level + 1, compared) for one in options]
        if all(faults):
            named = [
                fault for fault in faults if not fault.startswith(" is ")
            ]  # A fault inside says more.
            return named[0] if len(named) == 1 else _mismatch(value, schema, root, compared)
    names = [name for name in _names(schema) if name in _TYPES]
    allowed = schema.get("enum", [schema["const"]] if "const" in schema else None)
    if names and not any(_TYPES[name][1](value) for name in names):
        return _mismatch(value, schema, root, compared)
    if isinstance(allowed, list) and not any(is_same(value, one) for one in allowed):
        return _mismatch(value, schema, root, compared)
    return next(_faults_inside(value, schema, root, level, compared), "")


def _mismatch(value: Any, schema: Schema, root: Schema, compared: Iterator[int]) -> str:
    return f" is {type_text(schema, root, steps=islice(compared, 200))}, not {_shown(value)}"


def is_same(one: Any, other: Any) -> bool:
    """Say whether two values are the same in JSON, where 1 is 1.0 and not true."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(
            is_same(value, other[key]) for key, value in one.items()
        )
    if isinstance(one, (list, tuple)) and isinstance(other, (list, tuple)):
        return len(one) == len(other) and all(map(is_same, one, other))
    return bool(one == other) and isinstance(one, bool) is isinstance(other, bool)


def _faults_inside(
    value: Any, schema: Schema, root: Schema, level: int, compared: Iterator[int]
) -> Iterator[str]:
    """Yield the faults of a value's bounds, of its keys and of its items."""
    for name in filter(_BOUNDS.__contains__, schema):
        kind, words, holds = _BOUNDS[name]
        if _is_number(bound := schema[name]) and _TYPES[kind][1](value):
            measure, unit = (value, "") if kind == "number" else (len(value), " long")
            if not holds(measure, bound):
                yield f" is {words} {bound}{unit}, not {measure}"
    inside = list[tuple[Any, Any, Any]]()
    if (
        _TYPES["array"][1](value)
        and isinstance(schema.get("items"), Mapping)
        and "prefixItems" not in schema
    ):
        inside = [(number, item, schema["items"]) for number, item in enumerate(value)]
    if _TYPES["object"][1](value):
        given, required, rest = (
            schema.get(name) for name in ("properties", "required", "additionalProperties")
        )
        keys = given if isinstance(given, Mapping) else {}
        rest = None if "patternProperties" in schema else rest
        needed = (
            [key for key in required if isinstance(key, str)] if isinstance(required, list) else []
        )
        yield from (f" needs the key {key!r}" for key in needed if key not in value)
        yield from (f" has no key {key!r}" for key in value if rest is False and key not in keys)
        inside = [(key, item, keys.get(key, rest)) for key, item in value.items()]
    for place, item, inner in inside:
        if fault := _fault(item, inner, root, level + 1, compared):
            yield f"[{place!r}]{fault}"


def _shown(value: Any) -> str:
    text = type(value).__name__
    if issubclass(type(value), int) and int.bit_length(value) > bounds.MOST_INT_BITS:
        return f"{text} of more than {bounds.MOST_INT_BITS} bits"
    is_plain = type(value) in (str, int, float, bool)
    return (
        f"{text} {value!r:.60}"
        if is_plain and len(repr(value)) <= bounds.SHOWN_VALUE_CHARS
        else text
    )
