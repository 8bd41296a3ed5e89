"""Brings a text into the form that the patterns expect: one kind of space, quotation mark and line end.

Runs of spaces between back quotes or double quotes stay, because an answer may have to repeat them.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

_SIGNS: Final = str.maketrans(
    {"“": '"', "”": '"', "„": '"', "«": '"', "»": '"', "’": "'", "‘": "'"}
    | dict.fromkeys("\u00a0\u2007\u2009\u202f", " ")
)
_KEPT: Final = re.compile(r"`[^`\n]*`|\"[^\"\n]*\"")
_SPACES: Final = re.compile(r" +")
_WRAPPED: Final = re.compile(r"(?m)(^[^\n]{20,}[^\s.:;!?]) ?\n(?=[a-z(][\w'(-]*(?:[ ,.!?)]|$)(?![:=]))")


@lru_cache(maxsize=256)
def normalize_text(text: str) -> str:
    """Return `text` with single spaces, straight quotation marks, `\\n` line ends and hard-wrapped sentences rejoined.

    A line counts as wrapped if it has at least 20 characters and ends within a sentence, and the next line continues in
    lower case. Tables, lists and blocks of `key: value` stay as they are.
    """
    unified = text.replace("\r\n", "\n").translate(_SIGNS)
    parts: list[str] = []
    end = 0
    for kept in _KEPT.finditer(unified):
        parts += [_SPACES.sub(" ", unified[end : kept.start()]), kept[0]]
        end = kept.end()
    parts.append(_SPACES.sub(" ", unified[end:]))
    return _WRAPPED.sub(r"\1 ", "".join(parts))
