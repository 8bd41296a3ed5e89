"""Finds the objects in a text and reads them leniently: as JSON, as Python, or as a mixture.

Models write prose around objects, use Python's syntax (`True`, single quotes), put raw newlines
into strings, and forget closing braces. `objects_in` yields each object with its position, even if
the object cannot be read. The time grows linearly with the length of the text.
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
"""Max objects in a text. Each of them may cost one pass over the rest of the text."""
MAX_DEPTH: Final = 100
"""Models do not write deeper objects, and Python's parsers fail on them."""
MAX_PYTHON_CHARS: Final = 100_000
"""Longer texts are not parsed as Python, because its parser needs much memory for them."""

_CODE: Final = "|".join(CODE_NAMES)
"""Pattern of the names of code: `code|script|...`"""
_OTHER: Final = "|".join(sorted(OTHER_NAMES))
"""Pattern of the names of the other fields of an action: `done|plan|...`"""

OPENING: Final = re2.compile(r"""\{\s*(?:["']|\w+\s*:)""")
"""Matches the start of an object: `{"`, `{'` or `{name:`."""

ACTION_OPENING: Final = re2.compile(rf"""\{{\s*["']?(?:{_CODE}|{_OTHER})["']?\s*:""")
"""Matches the start of an object whose first field belongs to an action: `{"state":`."""

_CODE_KEY: Final = rf"""(?:"(?:{_CODE})"|'(?:{_CODE})'|\b(?:{_CODE})["']?)\s*:"""
"""A key of code: `"code":`. The opening quotation mark may be missing, because a stray quotation
mark before the key may have used it up as the end of a string."""
_WHOLE_LONG_STRING: Final = r"""\"{3}(?:[^\\]|\\.)*?\"{3}|'{3}(?:[^\\]|\\.)*?'{3}"""
"""A Python string in triple quotation marks."""
_WHOLE_STRING: Final = r""""(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'"""
"""A string in single or double quotation marks."""
_LONG_QUOTE: Final = r"""\"{3}|'{3}"""
_BRACE_OR_QUOTE: Final = r"""[{}"']"""

MARK: Final = re2.compile(
    f"(?s){_CODE_KEY}|{_WHOLE_LONG_STRING}|{_LONG_QUOTE}|{_WHOLE_STRING}|{_BRACE_OR_QUOTE}"
)
"""Matches the tokens that matter on the way to the closing brace of an object.

They are a key of code, a whole string, the quotation mark of an unclosed string, and a brace. The
order matters, because the first alternative that matches counts."""

TOKEN: Final = re2.compile(r"""(?s)"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|\b(?:true|false|null)\b""")
"""Matches a string, or a word that JSON and Python spell differently."""
PYTHON_WORDS: Final = {"true": "True", "false": "False", "null": "None"}


@dataclass(frozen=True, slots=True)
class WrittenObject:
    """An object in a text."""

    start: int
    end: int | None
    """The position after the closing brace; None without a closing brace."""
    value: dict[str, object] | None
    """None if the object cannot be read."""
    is_action: bool
    """True if it looks like an action, even if it cannot be read.

    It then has a key of code outside its strings. For an object without an end, it is enough if the
    first field belongs to an action, because the code may be missing."""


@dataclass(frozen=True, slots=True)
class ObjectSpan:
    """The end of an object, and whether the object has a key of code."""

    end: int | None
    """The position after the closing brace; None without a closing brace."""
    has_code_key: bool


def objects_in(text: str) -> Iterator[WrittenObject]:
    """Yield the first 50 objects of a text in order, except objects inside a closed object."""
    last_end = 0  # the end of the last closed object
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
    """Return the end of the object that opens at `start`. Braces inside strings do not count."""
    depth = 0
    has_code_key = False
    for mark in MARK.finditer(text, start):
        token = mark[0]
        if token.endswith(":"):
            has_code_key = True
        elif token in ('"', "'", '"""', "'''"):
            break  # an unclosed string
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
    """Return the object that a text consists of; None if it is not an object, or has two codes.

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
    """Return a JSON value. Strings may have raw newlines, which models often write."""
    return json.loads(text, strict=False, object_pairs_hook=unambiguous_object)


def unambiguous_object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """Return the object with these fields. Raises `ValueError` if it has two codes.

    Nobody can know which code the model meant, and JSON would silently take the last one.
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
    """Return the value of a Python literal that may also have strings and words of JSON."""

    def python_spelling(token: Any) -> str:
        written = str(token[0])
        if written in PYTHON_WORDS:
            return PYTHON_WORDS[written]
        return written.replace("\n", "\\n")  # A raw newline would end a Python string.

    return read_python(TOKEN.sub(python_spelling, text))
