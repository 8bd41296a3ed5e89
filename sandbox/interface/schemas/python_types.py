"""The Python type that a JSON schema stands for, such as `list[str]` or `'asc' | 'desc'`.

Prompts and error messages show it, because a model reads it more easily than the schema.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from controlplane.sandbox.interface import bounds
from controlplane.sandbox.interface.schemas.json_types import PYTHON_TYPES
from controlplane.sandbox.interface.schemas.schema_parts import (
    Schema,
    allowed_values,
    alternatives,
    resolved,
    type_names,
)
from controlplane.sandbox.interface.schemas.work_limit import WorkLimit

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


def type_text(schema: Schema) -> str:
    """Return a schema's type as Python writes it: `{"type": "string"}` -> `str`."""
    return TypeWriter(schema).text_of(schema)


class TypeWriter:
    """Writes the Python types for parts of one JSON schema `root`: `list[str]`, `str | None`.

    A long schema is cut: what is nested too deeply, or comes too late, is `any`.
    """

    def __init__(self, root: Schema) -> None:
        self._root = root
        """The whole schema. References in its parts (`$ref`) are looked up in it."""
        self._parts = WorkLimit(_MAX_TEXT_PARTS)

    @property
    def written_parts(self) -> int:
        """The types, alternatives and keys that were written so far."""
        return _MAX_TEXT_PARTS - self._parts.remaining

    def text_of(self, schema: Any, level: int = 0) -> str:
        """Return the text of a part of the schema, `level` levels below its root.

        Alternatives and types are joined: `{"type": ["string", "null"]}` -> `str | None`.
        After `_MAX_TEXT_PARTS`, every part is `any`.
        """
        if not self._parts.take_one():
            return "any"
        schema = resolved(schema, self._root)
        values = allowed_values(schema)
        if values:
            return _text_of_values(values)

        texts: list[str] = []
        if level < _MAX_ALTERNATIVE_LEVEL:
            for alternative in alternatives(schema)[:_MAX_ALTERNATIVES]:
                texts.append(self.text_of(alternative, level + 1))
        for name in type_names(schema):
            texts.append(self._text_of_type(name, schema, level))
        without_repetition = dict.fromkeys(texts)
        return " | ".join(without_repetition) or "any"

    def _text_of_type(self, name: str, schema: Schema, level: int) -> str:
        """Return one type of a schema, with the types of its items or keys, if any.

        `name` is the type in JSON's words: `array` -> `list[str]`, `integer` -> `int`.
        """
        items = schema.get("items")
        if name == "array" and isinstance(items, Mapping) and level < _MAX_ITEM_LEVEL:
            return f"list[{self.text_of(items, level + 1)}]"
        keys = schema.get("properties")
        if name == "object" and isinstance(keys, Mapping) and level < _MAX_KEY_LEVEL:
            return self._text_of_object(keys, level)
        return PYTHON_TYPES.get(name, "any")

    def _text_of_object(self, keys: Mapping[str, Any], level: int) -> str:
        """Return the type of a mapping with its keys: `dict {'size': int}`."""
        if not keys:
            return PYTHON_TYPES["object"]
        texts = []
        for key, key_schema in list(keys.items())[:_MAX_KEYS]:
            texts.append(f"{key!r}: {self.text_of(key_schema, level + 1)}")
        return f"dict {{{', '.join(texts)}}}"


def _text_of_values(values: list[Any]) -> str:
    """Return the values of an enumeration: `'asc' | 'desc'`."""
    texts = []
    for value in values[:_MAX_ENUM_VALUES]:
        texts.append(repr(value)[: bounds.SHOWN_VALUE_CHARS])
    return " | ".join(texts)
