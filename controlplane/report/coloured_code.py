"""Tells the colours of Python code as runs of characters, so that the page can colour plain text."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Final

_KINDS: Final = (
    ("Token.Keyword", "k"),
    ("Token.Name.Builtin", "b"),
    ("Token.Name.Exception", "b"),
    ("Token.Name.Function", "f"),
    ("Token.Name.Class", "f"),
    ("Token.Name.Decorator", "f"),
    ("Token.Operator.Word", "k"),
    ("Token.Literal.String", "s"),
    ("Token.Literal.Number", "n"),
    ("Token.Comment", "c"),
)
"""The letter of each kind of token, by the beginning of its name in Pygments; all others are plain, `p`."""


def code_marks(code: str) -> str:
    """Return runs as `4k1p12s`: how many UTF-16 units, and the letter of their kind."""
    runs: list[tuple[str, int]] = []
    lexed, kind_of = _python_lexer()
    for _, token, text in lexed(code):
        kind, units = kind_of(token), len(text) if text.isascii() else len(text.encode("utf-16-le")) // 2
        # Blanks have no colour of their own: they lengthen the run before them.
        if runs and (runs[-1][0] == kind or text.isspace()):
            runs[-1] = (runs[-1][0], runs[-1][1] + units)
        else:
            runs.append((kind, units))
    return "".join(f"{units}{kind}" for kind, units in runs)


@lru_cache(maxsize=1)
def _python_lexer() -> tuple[Callable[[str], Iterable[tuple[int, object, str]]], Callable[[object], str]]:
    from pygments.lexers.python import PythonLexer

    @lru_cache(maxsize=256)
    def kind_of(token: object) -> str:
        name = str(token)
        return next((letter for beginning, letter in _KINDS if name.startswith(beginning)), "p")

    return PythonLexer().get_tokens_unprocessed, kind_of
