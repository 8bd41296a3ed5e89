"""Reads a value that a model has written as Python, or as a mixture of Python and JSON.

| text | read as |
|---|---|
| `{'done': False}` | Python |
| `{'done': false, "a": 1}` | a mixture: the words of JSON are replaced by those of Python |
"""

from __future__ import annotations

import ast
import json
from typing import Any, Final

import re2

from controlplane.agent import REPLY
from controlplane.agent.reply.objects.two_scripts import refuse_two_scripts
from controlplane.gates.python_syntax import parse_expression

MAX_PYTHON_CHARS: Final = 100_000
"""Longer texts are not parsed as Python, because its parser needs much memory for them."""
STRING: Final = r""""(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'"""
"""A string: `"a } b"` or `'a } b'`."""
_VALUE_TOKEN: Final = re2.compile(rf"(?s){STRING}|\b(?:true|false|null)\b")
"""Matches a string, or a word of JSON that Python spells differently."""
_PYTHON_WORDS: Final = {"true": "True", "false": "False", "null": "None"}


def read_python(text: str) -> object:
    """Return the value of a Python literal; None if the text is too long.

    The caller looks for an object, and drops None like any other value. Raises `TypeError` for a
    value that JSON does not have, such as the set `{1, 2}`, and `ValueError` for an object with
    two scripts: `{'code': '1', 'code': '2'}`.
    """
    if len(text) > MAX_PYTHON_CHARS:
        return None
    tree = parse_expression(text, REPLY)  # `REPLY` names the text in Python's warnings.
    for node in ast.walk(tree):
        if isinstance(node, ast.Dict):
            # Only here are repeated keys still seen: a `dict` keeps the last of them.
            # Keys that are not constants have no `value`. `literal_eval` refuses them.
            names = [str(getattr(key, "value", "")) for key in node.keys]
            refuse_two_scripts(names)
    value = ast.literal_eval(tree)
    json.dumps(value)  # Only to raise `TypeError` if JSON does not have such a value.
    return value


def read_mixture(text: str) -> object:
    """Return the value of a Python literal with words and raw newlines of JSON."""
    return read_python(_VALUE_TOKEN.sub(_python_spelling, text))


def _python_spelling(token: Any) -> str:
    """Return a token of JSON as Python spells it: `true` -> `True`."""
    written = str(token[0])
    if written in _PYTHON_WORDS:
        return _PYTHON_WORDS[written]
    return written.replace("\n", "\\n")  # A raw newline would end a Python string.
