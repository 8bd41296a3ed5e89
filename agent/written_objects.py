"""Finds the objects in a text and reads them leniently: as JSON, as Python, or as a mixture.

Models write prose around objects, use Python's spelling (`True`, single quotes), put raw newlines
into strings, and forget closing braces. `objects_in` yields every object with its position, those
that cannot be read included. The time of all this grows linearly with the length of the text.
"""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final

import re2

from controlplane.agent import REPLY
from controlplane.agent.action_fields import CODE_NAMES, OTHER_NAMES
from controlplane.gates.python_syntax import parse_expression

MAX_OBJECTS: Final = 50
"""Objects that are looked at. To find the end of one, the text may be read up to its own end."""
MAX_DEPTH: Final = 100
"""Deeper objects are not written by models, and Python's parsers fail on them."""
MAX_PYTHON_CHARS: Final = 100_000
"""Longer texts are not read as Python: its parser needs much memory for them."""

_CODE: Final = "|".join(CODE_NAMES)
"""A name of code: `code|script|...`"""
_OTHER: Final = "|".join(sorted(OTHER_NAMES))
"""A name of another field of an action: `done|plan|...`"""

OPENING: Final = re2.compile(r"""\{\s*(?:["']|\w+\s*:)""")
"""Finds the beginning of an object: `{"`, `{'` or `{name:`."""

ACTION_OPENING: Final = re2.compile(rf"""\{{\s*["']?(?:{_CODE}|{_OTHER})["']?\s*:""")
"""Finds the beginning of an object whose first field is one of an action: `{"state":`."""

_CODE_KEY: Final = rf"""(?:"(?:{_CODE})"|'(?:{_CODE})'|\b(?:{_CODE})["']?)\s*:"""
"""A key of code: `"code":`. One quotation mark is enough, since a stray one before the key makes the key's own look
like those of another string."""
_WHOLE_LONG_STRING: Final = r"""\"{3}(?:[^\\]|\\.)*?\"{3}|'{3}(?:[^\\]|\\.)*?'{3}"""
"""A string of Python in three quotation marks."""
_WHOLE_STRING: Final = r""""(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'"""
"""A string in one quotation mark."""
_LONG_QUOTE: Final = r"""\"{3}|'{3}"""
_BRACE_OR_QUOTE: Final = r"""[{}"']"""

MARK: Final = re2.compile(
    f"(?s){_CODE_KEY}|{_WHOLE_LONG_STRING}|{_LONG_QUOTE}|{_WHOLE_STRING}|{_BRACE_OR_QUOTE}"
)
"""Finds what matters on the way to the closing brace of an object: a key of code, a whole string, which is skipped, a
quotation mark of a string without an end, or a brace. The first form that fits counts."""

TOKEN: Final = re2.compile(r"""(?s)"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|\b(?:true|false|null)\b""")
"""Finds a string, or a word that JSON and Python spell differently."""
PYTHON_WORDS: Final = {"true": "True", "false": "False", "null": "None"}


@dataclass(frozen=True, slots=True)
class WrittenObject:
    """An object in a text."""

    start: int
    end: int | None
    """The position after the closing brace; None if there is none."""
    value: dict[str, object] | None
    """None if the object cannot be read."""
    is_action: bool
    """True if it seems to be an action, also if it cannot be read.

    It has a key of code outside of its strings. An object without an end may have lost that: if its first field is one
    of an action, it seems to be an action, too."""


@dataclass(frozen=True, slots=True)
class ObjectSpan:
    """Where an object ends, and whether a key of code was on the way."""

    end: int | None
    has_code_key: bool


def objects_in(text: str) -> Iterator[WrittenObject]:
    """Yield the first 50 objects of a text in order, without those inside of a closed one."""
    last_end = 0  # of the last closed object
    for opening in islice(OPENING.finditer(text), MAX_OBJECTS):
        start = opening.start()
        if start < last_end:
            continue
        span = span_of_object(text, start)
        value = None
        is_action = span.has_code_key
        if span.end is not None:
            value = read_object(text[start : span.end])
            last_end = span.end
        elif ACTION_OPENING.match(text, start):
            is_action = True
        yield WrittenObject(start, span.end, value, is_action)


def span_of_object(text: str, start: int) -> ObjectSpan:
    """Return where the object that opens at `start` ends. Braces inside of strings do not count."""
    depth = 0
    has_code_key = False
    for mark in MARK.finditer(text, start):
        token = mark[0]
        if token.endswith(":"):
            has_code_key = True
        elif token in ('"', "'", '"""', "'''"):
            break  # a string without an end
        elif depth > MAX_DEPTH:
            break
        elif token == "{":
            depth += 1
        elif token == "}":
            depth -= 1
            if depth == 0:
                return ObjectSpan(mark.end(), has_code_key)
    return ObjectSpan(None, has_code_key)


def read_object(text: str) -> dict[str, object] | None:
    """Return the object that is the whole of a text; None if it is not one, or has two codes.

    {"done": false}           JSON
    {'done': False}           Python
    {'done': false, "a": 1}   both mixed
    """
    for read in (read_json, read_python, read_python_with_json):
        with suppress(ValueError, SyntaxError, TypeError, RecursionError, MemoryError):
            value = read(text)
            if isinstance(value, dict):
                return value
    return None


def read_json(text: str) -> object:
    """Return a JSON value; strings may have raw newlines, which models often write."""
    return json.loads(text, strict=False, object_pairs_hook=unambiguous_object)


def unambiguous_object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """Return the object of these fields. Raises `ValueError` if it has two codes.

    Which of them is meant cannot be known, and JSON would silently take the last one.
    """
    names = [name for name, _ in pairs]
    codes = [name for name in names if name in CODE_NAMES]
    has_repeated_name = len(set(names)) < len(names)
    if len(codes) > 1 and has_repeated_name:
        msg = "it has two codes"
        raise ValueError(msg)
    return dict(pairs)


def read_python(text: str) -> object:
    """Return the value of a Python literal; None if it is too long."""
    if len(text) > MAX_PYTHON_CHARS:
        return None
    tree = parse_expression(text, REPLY)
    for node in ast.walk(tree):
        if isinstance(node, ast.Dict):
            pairs: list[tuple[str, object]] = []
            for key in node.keys:
                pairs.append((str(getattr(key, "value", "")), None))
            unambiguous_object(pairs)
    return ast.literal_eval(tree)


def read_python_with_json(text: str) -> object:
    """Return the value of a Python literal in which strings and words may be JSON's."""

    def python_spelling(token: Any) -> str:
        written = str(token[0])
        if written in PYTHON_WORDS:
            return PYTHON_WORDS[written]
        return written.replace("\n", "\\n")  # a raw newline ends a string of Python

    return read_python(TOKEN.sub(python_spelling, text))
