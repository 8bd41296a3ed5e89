"""The texts that a simple search looks for, told by its pattern, so that files without them need not be searched."""

from __future__ import annotations

import re
from typing import Final

_BOUNDARY: Final = r"\b"
_PLAIN: Final = re.compile(r"(?:[\w \"'/:@=<>,;&%!~-]|\\[^\w\s|]|\|)+")
"""A choice of texts as `re.escape` writes them; an escaped bar is left out, since the others part the choice."""
_ESCAPED: Final = re.compile(r"\\(.)")


def sought_texts(pattern: str) -> tuple[str, ...]:
    """Return texts of which every line that a regular expression matches holds one; none if that is not certain.

    It is for a choice of plain texts, perhaps between word boundaries: `\\b(?:ret\\-17|ret\\-18)\\b`.
    """
    choice = pattern.removeprefix(_BOUNDARY).removesuffix(_BOUNDARY)
    if choice.startswith("(?:") and choice.endswith(")"):
        choice = choice[3:-1]
    if not _PLAIN.fullmatch(choice):
        return ()
    return tuple(_ESCAPED.sub(r"\1", each) for each in choice.split("|"))
