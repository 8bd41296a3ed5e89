"""Finds corrected copies of files by words in their names: `fees (corrected).md` and `fees.md`.

The copy and its original form a family, a list of two paths with the copy first. The original
has mistakes, so an answer must not rest on it.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection
from typing import Final

_CORRECTED: Final = """
    corrected correction revised revision amended amendment updated erratum korrigiert korrektur berichtigt
    ueberarbeitet überarbeitet corrigé corrige rectifié corregido corregida corretto rettificato corrigido
    gecorrigeerd poprawiony poprawione korekta opraveno rättad rettet korrigerad 訂正 訂正版 修正 修正版
"""
CORRECTED_WORDS: Final = frozenset(_CORRECTED.split())
"""Words that mark a corrected copy in a file's name, in European languages and Japanese."""
_NAME_SIGNS: Final = re.compile(r"[\s_.()\[\]-]+")
"""What stands between the words of a name: ` (` and `).` in `fees (corrected).md`."""


def families_by_correction(paths: Collection[str]) -> list[list[str]]:
    """Return pairs of a corrected copy and its original, which is in the same folder.

    `["/fees.md", "/fees (corrected).md"]` -> `[["/fees (corrected).md", "/fees.md"]]`
    """
    originals = {}
    for path in paths:
        originals[_words_of_name(path)] = path
    pairs = []
    for path in paths:
        folder, words = _words_of_name(path)
        plain_words = tuple(word for word in words if word not in CORRECTED_WORDS)
        original = originals.get((folder, plain_words))
        if original is not None and len(plain_words) < len(words):
            pairs.append([path, original])
    return pairs


def _words_of_name(path: str) -> tuple[str, tuple[str, ...]]:
    """Return a path's folder and the words of its name: `/a/Fees 1.md` -> `/a`, `fees 1 md`."""
    folder, _, name = path.rpartition("/")
    words = _NAME_SIGNS.split(unicodedata.normalize("NFC", name).casefold())
    return folder, tuple(word for word in words if word)
