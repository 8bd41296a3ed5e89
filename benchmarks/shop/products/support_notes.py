"""Splits support notes, which describe a product and then claim something about it.

The note "the sand tarp, and is waterproof" describes `the sand tarp`, and claims
`waterproof`. The claim may be false, so it must not be used to find the product.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from controlplane.benchmarks.shop.texts.text import normal_words

_CLAIM: Final = re.compile(
    r"\b(?:and|,)\s+(?:also\s+)?(?:has|have|supports?|is|comes with|offers)\s+(?P<claim>[^.;]+)",
    re.IGNORECASE,
)
"""`and is CLAIM`, `, also comes with CLAIM`, up to the end of the sentence."""
_NOTE: Final = re.compile(r"\b(?:note|claim)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class SupportNote:
    """A description of a product, apart from the claims about the product."""

    description: str
    """The text before the claim: `the sand tarp`."""
    constraints: tuple[str, ...]
    """The properties that identify the product: `colour sand`."""
    claims: tuple[str, ...]
    """The properties that the note claims: `waterproof`; empty for texts that are no notes."""


def split_note(name: str, text: str, constraints: Sequence[str]) -> SupportNote:
    """Separate the claim at the end of a support note from the description of the product.

    Only a support note has a claim. A text is one if its `name`, such as `support-note`
    or `claim_3`, has the word "note" or "claim". Those of the `constraints` that the
    claim contains are claims as well, and stand for it.
    """
    claims_in_text = list(_CLAIM.finditer(text))
    if not _is_note(name) or not claims_in_text:
        return SupportNote(text, tuple(constraints), claims=())

    last_claim = claims_in_text[-1]
    claim = last_claim["claim"].strip()
    claim_words = normal_words(claim)
    identifying = []
    claims = []
    for constraint in constraints:
        if normal_words(constraint) in claim_words:
            claims.append(constraint)
        else:
            identifying.append(constraint)
    if claim and not claims:
        claims.append(claim)
    description = text[: last_claim.start()].rstrip()
    return SupportNote(description, tuple(identifying), tuple(claims))


def _is_note(name: str) -> bool:
    """Return True if a name such as `support_note` has the word "note" or "claim"."""
    words = name.replace("-", " ").replace("_", " ")
    return _NOTE.search(words) is not None
