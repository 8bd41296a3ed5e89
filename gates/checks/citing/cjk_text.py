"""Compares reasons in Chinese or Japanese with texts.

These languages are written without spaces, so pieces of text are compared, not words.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from controlplane.gates.text_folding import bare_text
from controlplane.gates.values.spans import LAST_BEFORE_CJK

LEAST_CJK_CHARS: Final = 4
"""How many characters in a row a reason must share with the file, or all if it has fewer."""


def shares_cjk_text(reason: str, texts: Iterable[str]) -> bool:
    """Return True if a reason shares four Chinese or Japanese characters in a row with a text.

    `貸出記録を確認` shares `貸出記録` with `貸出記録: 3 冊`.
    """
    pieces = _cjk_pieces(bare_text(reason))  # without blanks and accents
    if not pieces:
        return False
    for text in texts:
        bare = bare_text(text)
        if any(piece in bare for piece in pieces):
            return True
    return False


def _cjk_pieces(reason: str) -> set[str]:
    """Return the pieces of a reason in Chinese or Japanese, four characters from each place on.

    `貸出記録を確認` -> `貸出記録`, `出記録を`, `記録を確`, `録を確認`. A shorter reason is one piece.
    """
    if reason.isascii():
        return set()
    last_start = max(len(reason) - LEAST_CJK_CHARS, 0)
    pieces = {
        reason[start : start + LEAST_CJK_CHARS] for start in range(last_start + 1)
    }
    # A piece counts if its first character is Chinese or Japanese (by its code point).
    return {piece for piece in pieces if piece[0] > LAST_BEFORE_CJK}
