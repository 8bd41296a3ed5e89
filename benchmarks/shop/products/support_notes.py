"""Splits support notes: texts of a support team that describe a product and claim something of it.

The note "the sand tarp and is waterproof" describes `the sand tarp`, and claims
`waterproof`. The claim may be false, so it must not be used to find the product. Once the
product is found, its record shows if the claim is true.
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
    """The parts of a support note. Any other text is a description without claims."""

    description: str
    """The text before the claim: `the sand tarp`."""
    constraints: tuple[str, ...]
    """The properties that identify the product: `colour sand`."""
    claims: tuple[str, ...]
    """The properties that the note claims: `waterproof`."""


def mentions_note(text: str) -> bool:
    """Return True if a text, or a name such as `support_note`, has the word "note" or "claim"."""
    words = text.replace("-", " ").replace("_", " ")
    return _NOTE.search(words) is not None


def split_note(text: str, constraints: Sequence[str], *, is_note: bool) -> SupportNote:
    """Separate the claim at the end of a support note from the description of the product.

    `constraints` are properties that the asker has taken from the text, some from the claim:
    "the tarp and is waterproof and light", `["colour sand", "waterproof"]` ->
    `SupportNote("the tarp", constraints=("colour sand",), claims=("waterproof",))`. If none is
    from the claim, the claim is all of its words: `waterproof and light`.
    """
    claims_in_text = list(_CLAIM.finditer(text))
    if not is_note or not claims_in_text:
        return SupportNote(text, tuple(constraints), claims=())

    # The claim ends the note. An earlier "and has ..." belongs to the description.
    last_claim = claims_in_text[-1]
    description = text[: last_claim.start()].rstrip()
    claim = last_claim["claim"].strip()
    claim_words = normal_words(claim)
    claims = []
    identifying = []
    for constraint in constraints:
        if normal_words(constraint) in claim_words:
            claims.append(constraint)
        else:
            identifying.append(constraint)
    if claim and not claims:
        claims = [claim]
    return SupportNote(description, tuple(identifying), tuple(claims))
