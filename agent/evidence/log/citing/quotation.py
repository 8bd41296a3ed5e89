"""A quotation of a cited file, in the form in which it is looked for in texts.

A script cites `/docs/fees.md` with a quotation of some words of it. In the search, case, accents and
blanks do not matter:

    bare_quotation("Fee: 7 EUR")   -> fee:7eur, which occurs in the text `FEE:  7 eur per month`
    bare_quotation("7")            -> ValueError: it is in almost any text
"""

from __future__ import annotations

from typing import Final

from controlplane.agent.evidence.log.citing.bare_text import BareText
from controlplane.gates.quoting import quote
from controlplane.sandbox.interface import bounds

MIN_QUOTATION_CHARS: Final = 3
"""The shortest quotation, in characters that are not blanks. Shorter ones occur in any text."""


def bare_quotation(text: str) -> str:
    """Return a quotation as `BareText` has it. Raises `ValueError` if it is too short or too long."""
    bare_text = BareText.of(text).joined
    is_too_long = len(text) > bounds.MOST_QUOTATION_CHARS
    if is_too_long or len(bare_text) < MIN_QUOTATION_CHARS:
        size = f"{MIN_QUOTATION_CHARS} to {bounds.MOST_QUOTATION_CHARS} characters"
        msg = f"a quotation has {size}: {quote(text)}"
        raise ValueError(msg)
    return bare_text
