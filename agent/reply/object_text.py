"""Reads the text of an object leniently: as JSON, as Python, or as a mixture.

Models that are asked for JSON also write Python (`{'done': True}`), and put raw newlines into
strings.
"""

from __future__ import annotations

import ast
import json
from contextlib import suppress
from typing import Any, Final

import re2

from controlplane.agent import REPLY
from controlplane.agent.reply.action_fields import CODE_NAMES
from controlplane.gates.python_syntax import parse_expression

MAX_PYTHON_CHARS: Final = 100_000
"""Longer texts are not parsed as Python, because its parser needs much memory for them."""
STRING: Final = r""""(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'"""
"""A string: `"a } b"` or `'a } b'`."""
_VALUE_TOKEN: Final = re2.compile(rf"(?s){STRING}|\b(?:true|false|null)\b")
"""Matches a string, or a word of JSON that Python spells differently."""
_PYTHON_WORDS: Final = {"true": "True", "false": "False", "null": "None"}


def read_object(text: str) -> dict[str, object] | None:
    """Return the fields of an object that is written as text; None if it cannot be read.

    | text | read as |
    |---|---|
    | `{"done": false}` | JSON |
    | `{'done': False}` | Python |
    | `{'done': false, "a": 1}` | a mixture |
    """
    for read in (_read_json, _read_python, _read_mixture):
        with suppress(ValueError, SyntaxError, TypeError, RecursionError, MemoryError):
            value = read(text)
            if isinstance(value, dict):
                return value
    return None


def _read_json(text: str) -> object:
    """Return a JSON value. Strings may have raw newlines, which models often write."""
    return json.loads(text, strict=False, object_pairs_hook=_unambiguous_object)


def _unambiguous_object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """Return an object of these pairs. Raises `ValueError` if it seems to be two actions."""
    _refuse_two_scripts([name for name, _ in pairs])
    return dict(pairs)


def _refuse_two_scripts(names: list[str]) -> None:
    """Raise `ValueError` if an object seems to be two actions in one. `names` are its keys.

    An action has one script, in a field `code` or `script`. With two scripts and a repeated
    key, it is unknown which script the model meant:

        {"code": "1", "code": "2"}                                  refused
        {"state": "a", "code": "1", "state": "b", "script": "2"}    refused
        {"code": "1", "script": "2"}                                accepted
    """
    script_fields = [name for name in names if name in CODE_NAMES]
    has_repeated_name = len(set(names)) < len(names)
    if len(script_fields) > 1 and has_repeated_name:
        msg = "it has two scripts"
        raise ValueError(msg)


def _read_python(text: str) -> object:
    """Return the value of a Python literal; None if the text is too long.

    Raises `TypeError` for a value that JSON does not have, such as the set `{1, 2}`.
    """
    if len(text) > MAX_PYTHON_CHARS:
        return None
    tree = parse_expression(text, REPLY)  # `REPLY` names the text in Python's warnings.
    for node in ast.walk(tree):
        if isinstance(node, ast.Dict):
            # Keys that are not constants have no `value`. `literal_eval` refuses them.
            _refuse_two_scripts([str(getattr(key, "value", "")) for key in node.keys])
    value = ast.literal_eval(tree)
    json.dumps(value)  # Raises `TypeError`, as above.
    return value


def _read_mixture(text: str) -> object:
    """Return the value of a Python literal with words and raw newlines of JSON."""
    return _read_python(_VALUE_TOKEN.sub(_python_spelling, text))


def _python_spelling(token: Any) -> str:
    """Return a token of JSON as Python spells it: `true` -> `True`."""
    written = str(token[0])
    if written in _PYTHON_WORDS:
        return _PYTHON_WORDS[written]
    return written.replace("\n", "\\n")  # A raw newline would end a Python string.
