"""Remedies for four usual mistakes of scripts.

They use the text of a file as if it were parsed (`text["id"]`), compute
with a number that is still text, use a name before it has a value, or a key
that a mapping does not have.
"""

from __future__ import annotations

import ast
from types import FrameType
from typing import Final

import re2

_INDEXED_BY_KEY: Final = (
    "string indices must be integers",
    "byte indices must be integers",
)
"""The beginnings of Python's messages for `text["key"]`."""

_METHODS_OF_DATA: Final = ("get", "items", "keys", "values", "append")
"""Methods of mappings and lists that scripts call on the text of a JSON file."""

# After `harness.read("/a.json").content["id"]`, or `.get("id")`
PARSE_TEXT: Final = (
    'this is a text; of a JSON file write `harness.read(path).json()["key"]`'
)
# After `with harness.read("/a.md").content as file:`
OMIT_WITH: Final = (
    "nothing is opened here: leave `with` out, `text = harness.read(path).content`"
)
# After `row["price"] * 1.2`
CONVERT_TEXT: Final = (
    "one value is text, as all values of a CSV file are: write float(value)"
)
# After `harness.read("/a.md").content.read()`
OMIT_READ: Final = "this is the text already; leave `.read()` out"


def remedy_for_text_use(error: BaseException) -> str:
    """Return what to write if a script uses a text as a mapping, a list or a file.

    For example `harness.read("/a.json").content["id"]`, which must be parsed first.
    Empty for every other error.
    """
    if type(error) is TypeError and error.args:
        message = str(error.args[0])
        if message.startswith(_INDEXED_BY_KEY):
            return PARSE_TEXT
        if message.endswith("does not support the context manager protocol"):
            return OMIT_WITH
        if _names_text_and_number(message):
            return CONVERT_TEXT
    if type(error) is AttributeError and type(error.obj) is str:
        if error.name in _METHODS_OF_DATA:
            return PARSE_TEXT
        if error.name in ("read", "readlines", "content"):
            return OMIT_READ
    return ""


_NUMBER_NAMES: Final = ("'int'", "'float'", "real number")
"""The names of a number in Python's messages about a text that was used in its place or with it."""


def _names_text_and_number(message: str) -> bool:
    """Return True if the message of a `TypeError` is about a text in the place of a number.

    Python says so in two ways, which are shown below.
    """
    # `must be real number, not str`
    if message.endswith("not str"):
        return "real number" in message

    # `unsupported operand type(s) for +: 'int' and 'str'`
    names_number = any(name in message for name in _NUMBER_NAMES)
    return "'str'" in message and names_number


_MAX_KEYS: Final = 12
"""Keys that a message names."""
_MAX_KEY_CHARS: Final = 40
_NAME: Final = re2.compile(r"[A-Za-z_]\w*")


def remedy_for_missing_key(error: BaseException, frame: FrameType, line: str) -> str:
    """Return a sentence with the keys that a dict has instead of a missing one.

    For the line `row["kilograms"]` it is `row has the keys date, hive, kg`. Empty if
    `error` is not about a missing key, or if no dict is found. `frame` is the frame in
    which the line ran.
    """
    if type(error) is not KeyError or len(error.args) != 1:
        return ""
    missing_key = error.args[0]
    if type(missing_key) is not str:
        return ""

    # The dict is probably the first variable in the line that is a dict without this key.
    for name in _NAME.findall(line):
        value = frame.f_locals.get(name)
        if type(value) is not dict or not value or missing_key in value:
            continue
        keys = [key[:_MAX_KEY_CHARS] for key in value if type(key) is str]
        more = ", …" if len(keys) > _MAX_KEYS else ""
        return f"{name} has the keys {', '.join(keys[:_MAX_KEYS])}{more}"
    return ""


def is_assigned(name: str, source: str) -> bool:
    """Return True if a script assigns to a name somewhere, so that it was used too early."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Name)
            and node.id == name
            and isinstance(node.ctx, ast.Store)
        ):
            return True
    return False
