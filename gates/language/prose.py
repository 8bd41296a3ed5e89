"""A text for people in the one form that patterns are written for: blanks, quotation marks and line ends are levelled.

Several blanks between back quotes or double quotes are kept, because an answer may have to repeat them.
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
_BLANKS: Final = re.compile(r" +")
_WRAPPED: Final = re.compile(r"(?m)(^[^\n]{20,}[^\s.:;!?]) ?\n(?=[a-z(][\w'(-]*(?:[ ,.!?)]|$)(?![:=]))")


@lru_cache(maxsize=256)
def plain_text(text: str) -> str:
    """Return `text` with single blanks, straight quotation marks, `\\n` line ends and hard-wrapped sentences rejoined.

    A line is taken for wrapped where it has 20 characters or more and ends within a sentence, and the next one goes on
    in lower case; tables, lists and blocks of `key: value` stay as they are.
    """
    levelled = text.replace("\r\n", "\n").translate(_SIGNS)
    parts: list[str] = []
    end = 0
    for kept in _KEPT.finditer(levelled):
        parts += [_BLANKS.sub(" ", levelled[end : kept.start()]), kept[0]]
        end = kept.end()
    parts.append(_BLANKS.sub(" ", levelled[end:]))
    return _WRAPPED.sub(r"\1 ", "".join(parts))
