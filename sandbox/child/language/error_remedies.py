"""Remedies for two usual mistakes of scripts.

They use the text of a file as if it were parsed (`text["id"]`), or a name before it has a value.
"""

from __future__ import annotations

import ast
from typing import Final

_INDEXED_BY_KEY: Final = ("string indices must be integers", "byte indices must be integers")
"""The beginnings of Python's messages for `text["key"]`."""

_METHODS_OF_DATA: Final = ("get", "items", "keys", "values", "append")
"""Methods of mappings and lists that scripts call on the text of a JSON file."""

PARSE_IT: Final = 'this is a text; of a JSON file write `harness.read(path).json()["key"]`'
OPEN_FILE: Final = "this is the text already; leave `.read()` out"


def remedy_for_text_use(error: BaseException) -> str:
    """Return what to write if a script uses a text as a mapping, a list or a file.

    For example `harness.read("/a.json").content["id"]`, which must be parsed first. Empty for every
    other error.
    """
    if type(error) is TypeError and error.args:
        message = str(error.args[0])
        if message.startswith(_INDEXED_BY_KEY):
            return PARSE_IT
    if type(error) is AttributeError and type(error.obj) is str:
        if error.name in _METHODS_OF_DATA:
            return PARSE_IT
        if error.name in ("read", "readlines", "content"):
            return OPEN_FILE
    return ""


def is_assigned(name: str, source: str) -> bool:
    """Say whether a script assigns to a name somewhere, so that it was used too early."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Store):
            return True
    return False
