"""States that a page puts in backticks: "It becomes `approved` if it is `requested`."

A return can be approved only in some states. The page on returns names them, and a check before
the call compares the return's own state with them.
"""

from __future__ import annotations

import re
from typing import Final

from controlplane.benchmarks.shop.texts.documents import marked_words

_STATE: Final = re.compile(r"(?=.*[a-z])[a-z0-9]+(?:[-_][a-z0-9]+)*")
"""A word that may be a state: `awaiting_refund`. It has a letter, unlike a date."""


def marked_states(text: str) -> list[str]:
    """Return the words in backticks that may be states, each once."""
    words = dict.fromkeys(marked_words(text))
    return [word for word in words if _STATE.fullmatch(word)]
