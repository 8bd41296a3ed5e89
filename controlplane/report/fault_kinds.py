"""The kind of a fault: a grader's remark without what varies between trials.

`missing '/loans/l-17.json' (3 of 5)` and `missing '/loans/l-2.json' (1 of 4)` are of one kind:
`missing … (… of …)`. A report groups the failures of a run by it.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

import re2

from controlplane.gates.surrogates import encodable
from controlplane.sandbox.interface import bounds

_QUOTED: Final = r"""'[^']*'|"[^"]*"|`[^`]*`|\[[^\]]*\]"""
"""A quotation, or a list in brackets: `'note b7'`, `[1, 2]`."""
_PATH: Final = (
    r"/(?:"
    r"[^\s,;:)]"  # a character of a name
    r"|[ ][^,;:/]*[^\s,;:/]/"  # a space, and the rest of the folder's name up to its slash
    r")+"
)
"""A path. A space only belongs to it if the folder's slash follows.

`/docs/a b/c.md` is one path, with ` b/` by the second branch; `/docs/a is old` has the
path `/docs/a`.
"""
_LETTER: Final = r"\pL\pM\pN_"
_NUMBER: Final = rf"[-+]?\d[{_LETTER}.,:%-]*"
"""A number with what touches it: `-3.5%`, `12:40`, `3rd`."""
_WORD: Final = rf"[{_LETTER}.]*[{_LETTER}]/*|\.+/*"
"""A word, with the slashes behind it, so that `/or` in `and/or` is not taken for a path."""
_VARYING_OR_WORD: Final = re2.compile(rf"{_QUOTED}|{_PATH}|{_NUMBER}|(?P<word>{_WORD})")
_REPEATED: Final = re2.compile(r"…(?:[\s,;]*(?:and )?…)+")
"""Several ellipses that only commas or `and` set apart: `…, … and …`."""


@lru_cache(maxsize=50_000)  # A page of a growing run is made again and again.
def kind_of_fault(words: str) -> str:
    """Return the grader's words with an ellipsis for everything that varies between trials.

    `note 'b7' has 3 lines` becomes `note … has … lines`.
    """
    shortened: str = _VARYING_OR_WORD.sub(_word_or_ellipsis, encodable(words))
    kind: str = _REPEATED.sub("…", shortened)
    if len(kind) > bounds.SHOWN_TITLE_CHARS:
        return kind[: bounds.SHOWN_TITLE_CHARS - 1] + "…"
    return kind


def _word_or_ellipsis(match: re2._Match[str]) -> str:
    return match["word"] or "…"
