"""Escapes the raw newlines in the strings of an object, which Python does not allow.

{'say': 'one        ->  {'say': 'one\\ntwo'}
two'}
"""

from __future__ import annotations

from typing import Any, Final

import re2

STRING: Final = r""""(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'"""
"""A string: `"a } b"` or `'a } b'`."""
_STRING: Final = re2.compile(f"(?s){STRING}")


def with_escaped_newlines(text: str) -> str:
    """Return a text in which each newline inside of a string is written as `\\n`."""
    return str(_STRING.sub(_escaped, text))


def _escaped(string: Any) -> str:
    """Return a string without raw newlines."""
    return str(string[0]).replace("\n", "\\n")
