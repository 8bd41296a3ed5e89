"""The parameters and the results of tools, as their schemas declare them."""

from __future__ import annotations

import hashlib
import json
import keyword
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from pydantic_core import to_jsonable_python

from controlplane.gates.text_folding import encodable
from controlplane.sandbox.interface import (
    REQUIRED,
    CallError,
    Parameter,
    Plain,
    error_codes,
)

# The parameters of a tool, as scripts pass them.
#
# A tool declares its parameters by a JSON schema. Scripts pass them as arguments of a
# Python call, so a parameter such as `from` needs another name there: `from_`.

# Names in scripts: a tool or an argument with any name gets a Python identifier.
#
# Tools may come from elsewhere, with names that Python does not allow: scripts call
# `get-order` as `harness.get_order(...)`, and pass its argument `from` as `from_=...`.

_MAX_NAME_CHARS: Final = 60
"""A longer name is cut, so that it takes little room in scripts and prompts."""
_NAME_OF_NOTHING: Final = "tool"
"""The name for a text without a letter or digit."""


def plain_name(text: str) -> str:
    """Return a text as ASCII letters, digits and underscores: `get-order` -> `get_order`.

    It has no underscore at its beginning, since scripts may not use such names.
    """
    characters = []
    for character in text:
        is_plain = character.isascii() and character.isalnum()
        characters.append(character if is_plain else "_")
    plain = "".join(characters)[:_MAX_NAME_CHARS].lstrip("_")
    return plain or _NAME_OF_NOTHING


def is_adapted(name: object) -> bool:
    """Return True if a name has characters that scripts cannot use, such as `get-order`."""
    return plain_name(str(name)) != name


def script_name(
    text: str, taken: Collection[str] = (), reserved: Collection[str] = ()
) -> str:
    """Return a name like `text` that is valid in scripts, and is neither reserved nor taken.

    - `2fa` -> `t_2fa`, since a name cannot begin with a digit.
    - `from` -> `from_`, since it is a keyword of Python.
    - `answer` -> `answer_` if it is reserved.
    - `get-order` -> `get_order_2` if `get_order` is taken.
    """
    plain = plain_name(text)
    if plain[0].isdigit():
        plain = f"t_{plain}"
    elif keyword.iskeyword(plain):
        plain = f"{plain}_"

    name = f"{plain}_" if plain in reserved else plain
    number = 2
    while name in taken:
        name = f"{plain}_{number}"
        number += 1
    return name


def script_names(
    names: Iterable[str], taken: Collection[str] = (), reserved: Collection[str] = ()
) -> dict[str, str]:
    """Return the name in scripts of each parameter, tool or server: `from` -> `from_`.

    None is in `taken` or `reserved`.

    Those whose own names are valid get theirs first. So if there are both `to-do`
    and `to_do`, the latter keeps its name, and the former is `to_do_2`.
    """
    all_taken = set(taken)
    names_in_scripts = {}
    for name in sorted(names, key=is_adapted):
        names_in_scripts[name] = script_name(str(name), all_taken, reserved)
        all_taken.add(names_in_scripts[name])
    return names_in_scripts


def check_kind(name: str, value: object, kind: Any, rule: str) -> None:
    """Raise `TypeError` for a declared value of another kind: "clock is a datetime, not '9:00'"."""
    if not isinstance(value, kind):
        msg = f"{name} {rule}, not {value!r:.100}"
        raise TypeError(msg)


@dataclass(frozen=True, slots=True)
class ToolParameters:
    """The parameters of a tool, each with a name that is valid in scripts."""

    in_scripts: tuple[Parameter, ...]
    """The parameters, with the required ones first."""
    own_names: Mapping[str, str]
    """The tool's own name of each parameter, by its name in scripts: `from_` -> `from`."""

    def with_own_names(self, arguments: Mapping[str, Plain]) -> dict[str, Plain]:
        """Return a script's arguments with the tool's own names: `from_` -> `from`."""
        return {self.own_names[name]: value for name, value in arguments.items()}

    @classmethod
    def of_schema(
        cls, schema: Mapping[str, Any], limit: int | None = None
    ) -> ToolParameters:
        """Return the parameters that a JSON schema declares; of many only the first `limit`.

        `{"properties": {"id": {"type": "integer"}}, "required": ["id"]}` declares one.
        Anyone may have written the schema, so any part of it may have another type.
        """
        properties = schema.get("properties")
        if not isinstance(properties, Mapping):
            properties = {}
        properties = dict(list(properties.items())[:limit])
        required_names = schema.get("required")
        if not isinstance(required_names, list):
            required_names = []
        names_in_scripts = script_names(properties)
        required = []
        optional = []
        own_names = {}
        for own_name, property_schema in properties.items():
            name = names_in_scripts[own_name]
            own_names[name] = str(own_name)
            # The type `any` checks nothing. The schema is checked instead.
            full_schema = _full_schema(property_schema, schema)
            if own_name in required_names:
                required.append(Parameter(name, "any", REQUIRED, schema=full_schema))
            else:
                default = full_schema.get("default")
                optional.append(Parameter(name, "any", default, schema=full_schema))
        return cls((*required, *optional), own_names)


def _full_schema(property_schema: object, schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return the schema of a property, with the definitions to which a `$ref` in it may refer."""
    full_schema: dict[str, Any] = {}
    if isinstance(property_schema, Mapping):
        full_schema.update(property_schema)
    for key in ("$defs", "definitions"):
        if schema.get(key):
            full_schema[key] = schema[key]
    return full_schema


# The result of a tool's call, as scripts get it.
#
# A script gets the returned value as JSON, and a path such as `/calls/find_order/3f9a0c12be`.
# An answer can cite the result by this path, as it cites a file.

_MAX_RESULT_CHARS: Final = 900_000
"""The largest result in characters. A message to a script's process cannot carry more."""
MAX_FAULT_CHARS: Final = 500
_DIGEST_CHARS: Final = 10
"""The number of hexadecimal digits in a result's path. With ten,
two results of a trial practically never have the same path."""


def citable_result(operation: str, path: str, **texts: str) -> dict[str, Plain]:
    """Return the fields of a call's result: `texts`, and `call_path`, the path to cite it by.

    Raises `CallError` if the texts are too long for a script.
    """
    size = sum(len(text) for text in texts.values())
    if size > _MAX_RESULT_CHARS:
        msg = (
            f"{operation} returned {size:,} characters, and at most "
            f"{_MAX_RESULT_CHARS:,} are passed on: ask it for less"
        )
        raise CallError(error_codes.FAILED_PRECONDITION, msg)
    result: dict[str, Plain] = {"call_path": path}
    for name, text in texts.items():
        result[name] = encodable(text)  # Without characters that RE2 cannot read.
    return result


def result_path(folder: str, arguments: Mapping[str, object], *texts: str) -> str:
    """Return the path to cite a result by: `/calls/find_order/3f9a0c12be`.

    The same call with the same result has the same path.
    """
    content = json.dumps([arguments, *texts], sort_keys=True, default=str)
    digest = hashlib.sha256(content.encode("utf-8", "replace")).hexdigest()
    return f"{folder}/{digest[:_DIGEST_CHARS]}"


def json_text(tool: str, value: object) -> str:
    """Return a value that a tool returned as JSON.

    Raises `CallError` for a value that JSON cannot express.
    """
    try:
        # Bytes become text, or URL-safe base64 if they are not UTF-8.
        try:
            data = to_jsonable_python(value, bytes_mode="utf8")
        except UnicodeDecodeError:
            data = to_jsonable_python(value, bytes_mode="base64")
        return encodable(json.dumps(data, ensure_ascii=False, separators=(",", ":")))
    except (ValueError, RecursionError) as error:
        # Such as a function, or a list that contains itself.
        kind = type(value).__name__
        fault = f"{tool} returned {kind}, which is no data: {error}"
        shown = " ".join(fault.split())[:MAX_FAULT_CHARS]
        raise CallError(error_codes.INTERNAL, shown) from None
