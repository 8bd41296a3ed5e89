"""JSON schemas of arguments: the Python type that a prompt shows, and the check before a call.

- `type_text` returns the type that a schema
  stands for, as Python writes it: `list[str]`.
- `schema_fault` returns why a value does not fit a schema: ` is int, not str '7'`.

A schema may come from an untrusted server. So the work on a schema is limited, and only
its structure is checked: types, enumerations, bounds, keys, alternatives, and
references within the schema. Any other part of a schema accepts every value. Patterns
are not checked, because they could take very long.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterator, Mapping
from types import NoneType
from typing import Any, Final, NamedTuple, TypeAlias

from controlplane.sandbox.interface import bounds

# The types of JSON, and the equality of values in JSON.


class _Type(NamedTuple):
    """A type of JSON schemas in Python."""

    name: str
    """As prompts and messages write it."""
    kinds: tuple[type, ...]
    """The Python types of its values."""


_TYPES: Final[Mapping[str, _Type]] = {
    "string": _Type("str", (str,)),
    "integer": _Type("int", (int, float)),
    "number": _Type("float", (int, float)),
    "boolean": _Type("bool", (bool,)),
    "array": _Type("list", (list, tuple)),
    "object": _Type("dict", (dict,)),
    "null": _Type("None", (NoneType,)),
}
"""By the name that a JSON schema gives them."""


def _has_type(value: Any, name: str) -> bool:
    """Return True if a value has the JSON schema type `name`, one of `_TYPES`."""
    if name == "integer":
        # In JSON, 2.0 is an integer, too: it stays the same if it is rounded down.
        return _is_number(value) and value == value // 1
    if name == "number":
        return _is_number(value)
    # The type itself, because an object of a script may pretend another one to `isinstance`.
    return issubclass(type(value), _TYPES[name].kinds)


def _is_number(value: Any) -> bool:
    """Return True if a value is a number that JSON can hold. A truth value is not a number."""
    kind = type(value)
    if issubclass(kind, int):
        return kind is not bool and int.bit_length(value) <= bounds.MOST_INT_BITS
    return issubclass(kind, float) and math.isfinite(value)


def is_same(value: Any, expected: Any) -> bool:
    """Return True if two values are equal in JSON, where 1 equals 1.0 but not true."""
    if isinstance(value, dict) and isinstance(expected, dict):
        if value.keys() != expected.keys():
            return False
        return all(is_same(item, expected[key]) for key, item in value.items())

    if isinstance(value, (list, tuple)) and isinstance(expected, (list, tuple)):
        if len(value) != len(expected):
            return False
        return all(map(is_same, value, expected))

    if isinstance(value, bool) != isinstance(expected, bool):
        return False
    return bool(value == expected)


# The parts of a JSON schema. A part that has another form than a schema may have is left out.

_Schema: TypeAlias = Mapping[str, Any]


def _type_names(schema: _Schema) -> list[str]:
    """Return the names of the types that a schema allows; empty if the schema does not say."""
    declared = schema.get("type")
    if isinstance(declared, str):
        return [declared]
    if isinstance(declared, list):
        return [str(name) for name in declared]
    return []


def alternatives(schema: _Schema) -> list[Any]:
    """Return the schemas of `anyOf` or `oneOf`; empty if there are none."""
    declared = schema.get("anyOf") or schema.get("oneOf")
    return declared if isinstance(declared, list) else []


def _allowed_values(schema: _Schema) -> list[Any] | None:
    """Return the values of `enum` or `const`; None if the schema does not list values."""
    if "enum" in schema:
        declared = schema["enum"]
        return declared if isinstance(declared, list) else None
    if "const" in schema:
        return [schema["const"]]
    return None


def _resolved(schema: Any, root: _Schema, level: int = 0) -> _Schema:
    """Return the schema that a reference stands for; any other schema as it is.

    `{"$ref": "#/$defs/Size"}` stands for `root["$defs"]["Size"]`. Anything other than a
    schema becomes `{}`, which accepts every value.
    """
    if not isinstance(schema, Mapping):
        return {}
    reference = schema.get("$ref")
    if not isinstance(reference, str) or level > bounds.MOST_LEVELS:
        return schema
    if not reference.startswith(("#/$defs/", "#/definitions/")):
        # `root` is the schema of one parameter. Of its tool's whole schema, it has only
        # the definitions, so another reference cannot be followed.
        return {}

    target: Any = root
    for key in reference.removeprefix("#/").split("/"):
        target = target.get(key, {}) if isinstance(target, Mapping) else {}
    return _resolved(target, root, level + 1)


def _declared_keys(schema: _Schema) -> Mapping[str, Any]:
    """Return the schemas of the keys that a schema declares, by key."""
    declared = schema.get("properties")
    return declared if isinstance(declared, Mapping) else {}


def _schema_of_further_keys(schema: _Schema) -> Any:
    """Return the schema of keys that are not declared.

    False forbids such keys; None means that any value is accepted.
    """
    if "patternProperties" in schema:
        return None
    return schema.get("additionalProperties")


# The Python type that a JSON schema stands for, such as `list[str]` or `'asc' | 'desc'`.
#
# Prompts and error messages show it, because a model reads it more easily than the schema.

# Limits of the text of a schema, because a prompt has little room. The rest is written as `any`.
_MAX_TEXT_PARTS: Final = 200
"""All types, alternatives and keys together."""
_MAX_ENUM_VALUES: Final = 20
"""Values of one enumeration."""
_MAX_ALTERNATIVES: Final = 12
"""Alternatives of one choice."""
_MAX_KEYS: Final = 12
"""Keys of one object."""

# Alternatives, items of lists and keys of objects are shown only above these levels of nesting:
# `list[list[list[list]]]`. Keys take the most room, so they have the lowest limit.
_MAX_ALTERNATIVE_LEVEL: Final = 4
_MAX_ITEM_LEVEL: Final = 3
_MAX_KEY_LEVEL: Final = 2


def type_text(schema: _Schema) -> str:
    """Return a schema's type as Python writes it: `{"type": "string"}` -> `str`."""
    return _TypeWriter(schema).text_of(schema)


class _TypeWriter:
    """Writes the Python types for parts of one JSON schema `root`: `list[str]`, `str | None`.

    A long schema is cut: what is nested too deeply, or comes too late, is `any`.
    """

    def __init__(self, root: _Schema) -> None:
        self._root = root
        """The whole schema. References in its parts (`$ref`) are looked up in it."""
        self.written_parts = 0
        """The types, alternatives and keys that were written so far."""

    def text_of(self, schema: Any, level: int = 0) -> str:
        """Return the text of a part of the schema, `level` levels below its root.

        Alternatives and types are joined: `{"type": ["string", "null"]}` -> `str | None`.
        After `_MAX_TEXT_PARTS`, every part is `any`.
        """
        if self.written_parts >= _MAX_TEXT_PARTS:
            return "any"
        self.written_parts += 1
        schema = _resolved(schema, self._root)
        values = _allowed_values(schema)
        if values:
            return _text_of_values(values)

        texts: list[str] = []
        if level < _MAX_ALTERNATIVE_LEVEL:
            for alternative in alternatives(schema)[:_MAX_ALTERNATIVES]:
                texts.append(self.text_of(alternative, level + 1))
        for name in _type_names(schema):
            texts.append(self._text_of_type(name, schema, level))
        each_once = dict.fromkeys(texts)
        return " | ".join(each_once) or "any"

    def _text_of_type(self, name: str, schema: _Schema, level: int) -> str:
        """Return one type of a schema, with the types of its items or keys, if any.

        `name` is the type in JSON's words: `array` -> `list[str]`, `integer` -> `int`.
        """
        items = schema.get("items")
        if name == "array" and isinstance(items, Mapping) and level < _MAX_ITEM_LEVEL:
            return f"list[{self.text_of(items, level + 1)}]"
        keys = schema.get("properties")
        if name == "object" and isinstance(keys, Mapping) and level < _MAX_KEY_LEVEL:
            texts = []
            for key, key_schema in list(keys.items())[:_MAX_KEYS]:
                texts.append(f"{key!r}: {self.text_of(key_schema, level + 1)}")
            return f"dict {{{', '.join(texts)}}}" if texts else "dict"
        return _TYPES[name].name if name in _TYPES else "any"


def _text_of_values(values: list[Any]) -> str:
    """Return the values of an enumeration: `'asc' | 'desc'`."""
    texts = []
    for value in values[:_MAX_ENUM_VALUES]:
        texts.append(repr(value)[: bounds.SHOWN_VALUE_CHARS])
    return " | ".join(texts)


# The bounds of a JSON schema: the size of a number, and the length of a text or a list.


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
"""By the keyword of a bound: the type to which it applies, what it demands in words, and the
comparison of a number or a length with it."""


def _bound_fault(value: Any, schema: _Schema) -> str:
    """Return the first bound, in the schema's order, that a number or a length breaks.

    `{"minimum": 1}` with the value 0 -> ` is at least 1, not 0`. Empty if there is none.
    """
    for keyword, bound in schema.items():
        if keyword not in _BOUNDS or not _is_number(bound):
            continue
        type_name, words, is_within = _BOUNDS[keyword]
        if not _has_type(value, type_name):
            continue
        if type_name == "number":
            if not is_within(value, bound):
                return f" is {words} {bound}, not {value}"
        elif not is_within(len(value), bound):
            return f" is {words} {bound} long, not {len(value)}"
    return ""


# The check of a value against a JSON schema.

_MAX_COMPARED_VALUES: Final = 20_000
"""Comparisons of a value with a part of its schema. With alternatives
within alternatives, a short schema could demand millions."""


def schema_fault(value: Any, schema: _Schema) -> str:
    """Return why a value does not fit a schema; empty if it fits.

    The fault begins with the place inside the value:
    `['lines'][0]['qty'] is int, not str 'two'`.
    """
    if _fits_single_type(value, schema):
        return ""
    return _SchemaCheck(schema).fault(value, schema, level=0)


def _fits_single_type(value: Any, schema: _Schema) -> bool:
    """Return True if a schema only demands a type, and the value has it.

    Most schemas are like that, and most values fit. This check takes a tenth of the
    time of the full check.
    """
    if len(schema) != 1:  # it demands more than `{"type": "string"}`
        return False
    names = _type_names(schema)
    return bool(names) and names[0] in _TYPES and _has_type(value, names[0])


_MISMATCH: Final = " is "
"""The beginning of a fault of a value as a whole: ` is int, not str 'two'`. A fault inside of it begins
otherwise: `['size'] is int, not str 'two'`, ` needs the key 'id'`."""


class _SchemaCheck:
    """Finds the first fault of one value against its schema `root`.

    For the value `{"size": "two"}` and a schema in which `size` is an integer, the fault is
    `['size'] is int, not str 'two'`: what follows the name of the value in a message.
    """

    def __init__(self, root: _Schema) -> None:
        self._root = root
        self._remaining_comparisons = _MAX_COMPARED_VALUES
        """The comparisons that are still allowed."""

    def fault(self, value: Any, schema: Any, level: int) -> str:
        """Return the first fault of a value, or of a value inside it; empty if there is none.

        `schema` is the part of the schema for this value, `level` levels below the root.
        If the search takes too much work, it ends without a fault. That is safe: the check
        only helps scripts, and the tool itself refuses wrong values.
        """
        if level > bounds.MOST_LEVELS or self._remaining_comparisons <= 0:
            return ""
        self._remaining_comparisons -= 1
        schema = _resolved(schema, self._root)

        fault = self._fault_of_alternatives(value, schema, level)
        if fault:
            return fault
        if not _has_declared_type(value, schema) or not _is_allowed(value, schema):
            return self._mismatch(value, schema)
        fault = _bound_fault(value, schema) or _key_fault(value, schema)
        if fault:
            return fault
        for key, item, item_schema in _items_with_schemas(value, schema):
            fault = self.fault(item, item_schema, level + 1)
            if fault:
                return f"[{key!r}]{fault}"
        return ""

    def _fault_of_alternatives(self, value: Any, schema: _Schema, level: int) -> str:
        """Return the fault of a value that fits no alternative (`anyOf`); empty if one fits.

        If only one alternative has the type of the value, the fault inside the value
        says more than that the value fits none: `['size'] is int, not str 'two'`.
        """
        faults = []
        # All are looked at, also after one that fits: each counts as work.
        for choice in alternatives(schema):
            faults.append(self.fault(value, choice, level + 1))
        if not faults or "" in faults:
            return ""

        # A fault inside the value means that the alternative demands its type.
        faults_inside = [fault for fault in faults if not fault.startswith(_MISMATCH)]
        if len(faults_inside) == 1:
            return faults_inside[0]
        return self._mismatch(value, schema)

    def _mismatch(self, value: Any, schema: _Schema) -> str:
        """Return the fault of a value that the schema as a whole does not allow.

        The text shows the schema as a Python type: ` is list[str], not int 3`.
        """
        writer = _TypeWriter(self._root)
        text = writer.text_of(schema)
        # A check may create many such texts, and each takes as much work as the
        # comparisons do. So the parts of the text count as comparisons.
        self._remaining_comparisons -= writer.written_parts
        return f"{_MISMATCH}{text}, not {_value_text(value)}"


def _items_with_schemas(
    value: Any, schema: _Schema
) -> Iterator[tuple[object, object, Any]]:
    """Yield the items of a list or a mapping, each with its index or key, and its schema."""
    if _has_type(value, "object"):
        keys = _declared_keys(schema)
        for key, item in value.items():
            yield key, item, keys.get(key, _schema_of_further_keys(schema))
        return

    items = schema.get("items")
    # With `prefixItems` there is no schema that holds for all items of a list.
    has_one_schema = isinstance(items, Mapping) and "prefixItems" not in schema
    if has_one_schema and _has_type(value, "array"):
        for index, item in enumerate(value):
            yield index, item, items


def _has_declared_type(value: Any, schema: _Schema) -> bool:
    """Return True if a value has one of the types that a schema names, or if it names none."""
    names = [name for name in _type_names(schema) if name in _TYPES]
    return not names or any(_has_type(value, name) for name in names)


def _is_allowed(value: Any, schema: _Schema) -> bool:
    """Return True if a value is among those that a schema lists, or if it lists none."""
    allowed = _allowed_values(schema)
    if allowed is None:
        return True
    return any(is_same(value, allowed_value) for allowed_value in allowed)


def _key_fault(value: Any, schema: _Schema) -> str:
    """Return the first fault in the keys of a mapping; empty if there is none.

    It lacks a required key (` needs the key 'id'`), or has one that it may not have (` has no
    key 'size'`). The caller puts the name of the mapping in front. Other values have no keys.
    """
    if not _has_type(value, "object"):
        return ""
    required = schema.get("required")
    if isinstance(required, list):
        for key in required:
            if isinstance(key, str) and key not in value:
                return f" needs the key {key!r}"

    may_have_further_keys = _schema_of_further_keys(schema) is not False
    if not may_have_further_keys:
        known_keys = _declared_keys(schema)
        for key in value:
            if key not in known_keys:
                return f" has no key {key!r}"
    return ""


def _value_text(value: Any) -> str:
    """Return the type of a value, and the value itself if it is plain and short: `str 'two'`."""
    kind = type(value)
    if issubclass(kind, int) and int.bit_length(value) > bounds.MOST_INT_BITS:
        return f"{kind.__name__} of more than {bounds.MOST_INT_BITS} bits"
    if kind in (str, int, float, bool) and len(repr(value)) <= bounds.SHOWN_VALUE_CHARS:
        return f"{kind.__name__} {value!r}"
    return kind.__name__
