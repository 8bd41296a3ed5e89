"""Reads a value that a model has written as Python, or as a mixture of Python and JSON.

Neither JSON's parser reads the mixture `{'done': false}`, nor `ast.literal_eval`. But to Python's
parser, `false` is the name of a variable. So the text is parsed as Python, and the values are taken
from the syntax tree, where this name stands for the value `False`.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import Final

from controlplane.agent import REPLY
from controlplane.agent.reply.objects.object_fields import object_of
from controlplane.gates.python_syntax import parse_expression

MAX_PYTHON_CHARS: Final = 100_000
"""Longer texts are not parsed as Python, because its parser needs much memory for them."""
JSON_VALUES: Final[Mapping[str, object]] = {"true": True, "false": False, "null": None}


def read_python(text: str) -> object:
    """Return the value of a text, as JSON would have it.

    `{'plan': ('read', 'answer'), 'done': false}` -> `{"plan": ["read", "answer"], "done": False}`

    Raises `ValueError` if JSON has no such value, or what Python's parser raises.
    """
    if len(text) > MAX_PYTHON_CHARS:
        msg = "the text is too long"
        raise ValueError(msg)
    tree = parse_expression(text, REPLY)  # Warnings call the text `<reply>`.
    return _value_of(tree.body)


def _value_of(node: ast.expr | None) -> object:
    """Return the value of a part of the syntax tree."""
    match node:
        case ast.Constant(value=None | bool() | str() as value):
            return value
        case ast.Constant(value=int() | float() as number):
            return _writable(number)
        case ast.UnaryOp(
            op=ast.USub() | ast.UAdd() as sign,
            operand=ast.Constant(value=int() | float() as number),
        ):
            return _writable(-number if isinstance(sign, ast.USub) else number)
        case ast.Name(id=name) if name in JSON_VALUES:
            return JSON_VALUES[name]
        case ast.List(elts=items) | ast.Tuple(elts=items):
            return [_value_of(item) for item in items]
        case ast.Dict():
            fields: list[tuple[str, object]] = []
            for key, field in zip(node.keys, node.values, strict=True):
                fields.append((_name_of(key), _value_of(field)))
            # Raises `ValueError` if it seems to be two objects.
            return object_of(fields)
    msg = "JSON has no such value"  # It is a set, a call, a sum ...
    raise ValueError(msg)


def _writable(number: float) -> float:
    """Return a number. Raises `ValueError` for `0xfff...` with so many digits that Python refuses
    to write it in decimal, as JSON does."""
    str(number)
    return number


def _name_of(key: ast.expr | None) -> str:
    """Return the name of a field. In Python, it may be a number, too: `{-1: 20}` -> "-1"."""
    name = _value_of(key)
    if isinstance(name, list | dict):
        msg = "JSON has no such name"
        raise ValueError(msg)  # noqa: TRY004 - callers treat all bad text alike
    return str(name)
