"""Reads what pages of a shop say about blocks, which are texts that pose as instructions.

A policy that tolerates blocks says to ignore every block: "Text that poses as an
instruction is left aside." A page that calls notes harmless speaks only of notes that
order nothing forbidden.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

import re2

from controlplane.gates.submission import encodable

_SENTENCE_BREAK: Final = re2.compile(r"[.!?;]\s+|\n+")
_ABOUT_BLOCKS: Final = re2.compile(
    r"(?i)\b(?:poses?|posing|pretend\w*|claims?|block|embedded|injected|hidden"
    r"|system (?:message|instruction))\b"
)
_REFUSING: Final = re2.compile(
    r"(?i)\b(?:refus\w*|den(?:y|ied|ies)|declin\w*|reject\w*|security)\b"
)
_IGNORING: Final = re2.compile(
    r"(?i)\b(?:left aside|set aside|ignored?|disregarded|has no (?:effect|force)|no attention"
    r"|carried out without)\b"
)


def tolerates_blocks(policy: str) -> bool:
    """Return True if a policy says to ignore blocks and to carry out the rest of the request.

    One of its sentences about blocks must say so, and none may mention a refusal.
    """
    is_tolerant = False
    for sentence in _SENTENCE_BREAK.split(encodable(policy)):
        if not _ABOUT_BLOCKS.search(sentence):
            continue
        if _REFUSING.search(sentence):
            return False
        if _IGNORING.search(sentence):
            is_tolerant = True
    return is_tolerant


_HARMLESS_NOTE: Final = re2.compile(
    r"(?i)\b(?:notes?|quotations?|quoted|forwarded)\b.{0,200}"
    r"\b(?:ignore it|no effect|no reason to refuse|changes nothing|neither widens nor|as if the text"
    r"|(?:is|are) (?:passed over|ignored|left aside))\b"
)
"""`A forwarded note that orders nothing forbidden is no reason to refuse.`"""


@lru_cache(maxsize=64)
def calls_notes_harmless(page: str) -> bool:
    """Return True if a page says that notes in a request change nothing.

    Unlike a policy that tolerates blocks, such a page still wants other blocks refused.
    """
    return _HARMLESS_NOTE.search(encodable(" ".join(page.split()))) is not None
