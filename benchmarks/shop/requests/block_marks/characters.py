"""Patterns of single characters, of which the patterns of marks are made.

A mark is one way in which a block in a request begins (`mark.py`). `COLON` matches one colon,
and `at_most(3, COLON)` up to three. All patterns are matched by RE2.
"""

from __future__ import annotations

from typing import Final

COLON: Final = "[:：]"
SENTENCE_END: Final = r"[.?!。？！]"
WORD_SIGN: Final = r"[\pL\pN_]"
r"""A letter, a digit or `_`, in any script. (In RE2, `\w` matches ASCII only.)"""
IN_LINE: Final = r"[^\n]"
"""Any character but a line break."""
NO_LETTER: Final = r"[^\n\pL\pN]"
"""A blank or a sign: neither a letter nor a digit nor a line break."""
NAME_SIGN: Final = r"[^\s!-,./:-@\[-^`{-~]"
"""A character of a name such as `system-note`: anything but blanks and signs other than `-` and `_`.

The class lists what it excludes, because RE2 repeats a class of few ranges faster.
"""
CHINESE_SIGN: Final = r"[\x{4e00}-\x{9fff}]"
OTHER_SCRIPT_SIGN: Final = (
    r"[\x{400}-\x{4ff}"  # Cyrillic
    r"\x{590}-\x{6ff}"  # Hebrew and Arabic
    r"\x{2e80}-\x{9fff}"  # Chinese and Japanese
    r"\x{ac00}-\x{d7af}]"  # Korean
)
"""A letter of a script that the request's own text is not written in."""


def at_most(most: int, character: str) -> str:
    """Return the pattern for 0 to `most` repetitions of a pattern of one character.

    All repetitions in marks have a limit, so that a mark does not begin far from the words
    that make it one. Limits are low, because RE2 makes that many copies of the pattern.
    """
    return f"{character}{{0,{most}}}"
