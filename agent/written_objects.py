"""Finds the objects in a text and reads them leniently: as JSON, as Python, or as a
mixture.

Models write prose around objects, use Python's syntax (`True`, single quotes), put raw
newlines into strings, and forget closing braces. `objects_in` yields each object with
its position, even if the object cannot be read. The time grows linearly with the length
of the text.
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
"""Max objects that are read in a text. Each may cost one pass over the rest of the
text."""
MAX_DEPTH: Final = 100
"""Models do not write deeper objects, and Python's parsers fail on them."""
MAX_PYTHON_CHARS: Final = 100_000
"""Longer texts are not parsed as Python, because its parser needs much memory for
them."""

_CODE_NAME: Final = f"(?:{'|'.join(CODE_NAMES)})"
"""A name of the code: `code`, `script`, ..."""
_OTHER_NAME: Final = f"(?:{'|'.join(sorted(OTHER_NAMES))})"
"""A name of another field of an action: `done`, `plan`, ..."""

OPENING: Final = re2.compile(r"""\{\s*(?:["']|\w+\s*:)""")
"""Matches the start of an object: `{"`, `{'` or `{name:`."""

ACTION_OPENING: Final = re2.compile(
    rf"""\{{\s*["']?(?:{_CODE_NAME}|{_OTHER_NAME})["']?\s*:"""
)
"""Matches the start of an object whose first field belongs to an action:
`{"state":`."""

# The tokens by which an object's closing brace is found: keys of code, strings and
# braces.

_CODE_KEY: Final = rf"""(?:"{_CODE_NAME}"|'{_CODE_NAME}'|\b{_CODE_NAME}["']?)\s*:"""
"""A key of code: `"code":`, or only `code":`. That is left of `"a"b", "code":`, because
its strings are taken to be `"a"` and `", "`."""
_LONG_STRING: Final = r"""\"{3}(?:[^\\]|\\.)*?\"{3}|'{3}(?:[^\\]|\\.)*?'{3}"""
"""A whole string of Python in triple quotation marks."""
_UNCLOSED_LONG_STRING: Final = r"""\"{3}|'{3}"""
"""The opening quotation mark of such a string without an end."""
_STRING: Final = r""""(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'"""
"""A whole string: `"a } b"`."""
_UNCLOSED_STRING: Final = r"""["']"""
"""The opening quotation mark of a string without an end."""
_BRACE: Final = "[{}]"

OBJECT_TOKEN: Final = re2.compile(
    "(?s)"
    + "|".join(
        # The first alternative that matches counts, so the longer ones come first.
        (
            _CODE_KEY,
            _LONG_STRING,
            _UNCLOSED_LONG_STRING,
            _STRING,
            _UNCLOSED_STRING,
            _BRACE,
        )
    )
)
"""Matches the next token. `{"state": "a } b", "code": "{}"}` has the tokens

    {   "state"   "a } b"   "code":   "{}"   }
"""

VALUE_TOKEN: Final = re2.compile(
    r"""(?s)"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|\b(?:true|false|null)\b"""
)
"""Matches a string, or one of the words that Python spells `True`, `False` and
`None`."""
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
    """True if it has a key of code outside its strings, even if it cannot be read.

    Without an end, the code may be missing. Then a first field such as `"state":` is
    enough."""


@dataclass(frozen=True, slots=True)
class ObjectSpan:
    """The end of an object, and whether the object has a key of code."""

    end: int | None
    """The position after the closing brace; None without a closing brace."""
    has_code_key: bool


def objects_in(text: str) -> Iterator[WrittenObject]:
    """Yield the objects of a text in order, without those inside a closed object.

    Only the first `MAX_OBJECTS` openings are looked at, inner ones included.
    """
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
    """Return the end of the object that opens at `start`. Braces in strings do not
    count, and a string without an end leaves the object without one."""
    depth = 0
    has_code_key = False
    for match in OBJECT_TOKEN.finditer(text, start):
        token = match[0]
        is_code_key = token.endswith(
            ":"
        )  # Whole strings end with their quotation mark.
        if is_code_key:
            has_code_key = True
        elif token in ('"', "'", '"""', "'''"):
            break  # A string without an end.
        elif depth > MAX_DEPTH:
            break
        elif token == "{":
            depth += 1
        elif token == "}":
            depth -= 1
            if depth == 0:
                return ObjectSpan(match.end(), has_code_key)
    return ObjectSpan(None, has_code_key)


def read_object(text: str) -> dict[str, object] | None:
    """Return the object that the whole text is; None if it is none, or has two codes.

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
    """Return the object with these fields. Raises `ValueError` as `refuse_two_codes`
    does."""
    refuse_two_codes([name for name, _ in pairs])
    return dict(pairs)


def refuse_two_codes(names: list[str]) -> None:
    """Raise `ValueError` if the keys of an object include two codes, and some key
    twice.

    Of two fields `code`, nobody knows which one the model meant, and JSON would
    silently take the last. One `code` and one `script` are clear, because `code` takes
    precedence.
    """
    codes = [name for name in names if name in CODE_NAMES]
    has_repeated_name = len(set(names)) < len(names)
    if len(codes) > 1 and has_repeated_name:
        msg = "it has two codes"
        raise ValueError(msg)


def read_python(text: str) -> object:
    """Return the value of a Python literal; None if the text is longer than
    `MAX_PYTHON_CHARS`."""
    if len(text) > MAX_PYTHON_CHARS:
        return None
    tree = parse_expression(text, REPLY)
    for node in ast.walk(tree):
        if isinstance(node, ast.Dict):
            # Keys that are not constants have no `value`. `literal_eval` refuses them.
            refuse_two_codes([str(getattr(key, "value", "")) for key in node.keys])
    return ast.literal_eval(tree)


def read_python_with_json(text: str) -> object:
    """Return the value of a Python literal that may have `true`, `false`, `null` and
    raw newlines in strings."""

    def python_spelling(token: Any) -> str:
        written = str(token[0])
        if written in PYTHON_WORDS:
            return PYTHON_WORDS[written]
        return written.replace("\n", "\\n")  # A raw newline would end a Python string.

    return read_python(VALUE_TOKEN.sub(python_spelling, text))
