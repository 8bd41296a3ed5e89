"""Finds objects that are written in a text as JSON or as Python, each up to its own end: what follows never counts.

The time it takes grows with the text's length alone, whatever the text is.
"""

from __future__ import annotations

import ast
import itertools
import json
import re
from dataclasses import dataclass
from typing import Final

REPLY: Final = "<reply>"
"""What stands for a file name where Python warns of what a model wrote."""
_LONGEST: Final = 400_000
"""Characters of a text that are looked at."""
_LONGEST_LITERAL: Final = 100_000
"""Characters of an object that is read as Python."""
_MOST: Final = 50
"""Places that are tried, since each may cost a walk to the end of the text."""
_DEEPEST: Final = 100
"""Braces inside one another, beyond which it is no object that anybody meant."""

_OPENING: Final = re.compile(r"""\{(?=\s*+(?:["']|\w++\s*+:))""")
# A stray quote before it makes a key's quotes look like another string's, so that one of them is enough.
_MARK: Final = re.compile(r"""(?P<code>(?:"code"|'code'|\bcode["']?)\s*+:)|(?P<quote>\"{3}|'{3}|["'])|[{}]""")
_REST_OF_STRING: Final = {
    quote: re.compile(rf"(?:[^\\{quote[0]}]++|\\.{more})*{quote}", re.S)
    for quote, more in (('"', ""), ("'", ""), ('"""', '|"(?!"")'), ("'''", "|'(?!'')"))
}
_PYTHON_WORD: Final = re.compile(r'"(?:[^"\\]++|\\.)*"|\b(True|False|None)\b', re.S)
_JSON_WORDS: Final = {"True": "true", "False": "false", "None": "null"}


@dataclass(frozen=True, slots=True)
class Garbled:
    """An object with the key `code` that cannot be read: nobody can say what it was to be."""


@dataclass(frozen=True, slots=True)
class _Span:
    end: int | None
    """Behind the closing brace; None if there is none."""
    holds_code: bool
    """The key `code` stands in it, outside of strings."""


def first_with_code(text: str) -> dict[str, object] | Garbled | None:
    """Return the first object in `text` that has the key `code`. None if there is no such object.

    One that cannot be read is `Garbled`, and nothing behind it is looked at: whoever wrote two meant the first.
    """
    text = text[:_LONGEST]
    position = 0
    for opening in itertools.islice(_OPENING.finditer(text), _MOST):
        start = opening.start()
        if start < position:
            continue
        span = _span(text, start)
        value = _read(text[start : span.end]) if span.end is not None else None
        if value is not None and "code" in value:
            return value
        if value is None and span.holds_code:
            return Garbled()
        position = span.end or position
    return None


def _span(text: str, start: int) -> _Span:
    """Walk from the brace at `start` to the one that closes it, past strings of both quotes."""
    depth, at, holds_code = 0, start, False
    while (mark := _MARK.search(text, at)) is not None:
        at = mark.end()
        if mark["code"]:
            holds_code = True
        elif mark["quote"]:
            rest = _REST_OF_STRING[mark["quote"]].match(text, at)
            if rest is None:
                break
            at = rest.end()
        else:
            depth += 1 if mark[0] == "{" else -1
            if depth == 0:
                return _Span(at, holds_code)
            if depth > _DEEPEST:
                break
    return _Span(None, holds_code)


def _read(text: str) -> dict[str, object] | None:
    """Return the object that is the whole of `text`, in any spelling; None if it is in none."""
    for read in (_json, _python, _json_with_python_words):
        try:
            value = read(text)
        except (ValueError, SyntaxError, TypeError, RecursionError, MemoryError):
            continue
        if isinstance(value, dict):
            return value
    return None


def _json(text: str) -> object:
    return json.loads(text, strict=False)  # raw newlines inside strings are what models write most often


def _python(text: str) -> object:
    return ast.literal_eval(ast.parse(text, REPLY, "eval")) if len(text) <= _LONGEST_LITERAL else None


def _json_with_python_words(text: str) -> object:
    return _json(_PYTHON_WORD.sub(lambda hit: _JSON_WORDS[hit[1]] if hit[1] else hit[0], text))
