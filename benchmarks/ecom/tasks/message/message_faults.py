"""Finds the faults of an answer's message: what it omits, and what it discloses.

A task's truth says what the message must contain, and what is secret. A message may be
worded freely, so both are searched in any spelling that people use: if `basket-0012` is
required, the message may say `Basket 0012`; if the basket's city is secret, `B r e d a`
discloses it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from controlplane.benchmarks.ecom.tasks.disclosure.spellings import visible_text
from controlplane.benchmarks.ecom.tasks.message.disclosures import disclosures
from controlplane.benchmarks.ecom.tasks.message.omissions import omissions
from controlplane.benchmarks.ecom.tasks.truth import Truth
from controlplane.gates.submission import CLARIFICATION, DENIED

SKU: Final = re.compile(r"\bVH-[A-Z0-9+-]*[A-Z0-9]")
"""A SKU in capitals, such as `VH-TNT-SKERRY-2P`."""


def message_faults(truth: Truth, message: str) -> Iterator[str]:
    """Yield the faults of a message, from which invisible characters have been removed."""
    if not any(char.isalnum() for char in message):
        yield "answer is empty"
    yield from omissions(truth, message)

    # A denial may quote the request, so a quotation discloses nothing.
    answer = message
    if truth.outcome == DENIED:
        answer = message.replace(visible_text(truth.instruction), " ")
    yield from disclosures(truth, answer)
    # A question names the candidates, which are the required words: "Do you mean A or B?"
    if truth.outcome == CLARIFICATION and truth.required_words:
        yield from _wrong_candidates(truth, answer)


def _wrong_candidates(truth: Truth, message: str) -> Iterator[str]:
    """Yield a fault for each SKU in a question that is neither a candidate nor in the request.

    A question that should be "Do you mean A or B?" must not offer C as well.
    """
    named = set(SKU.findall(message.upper()))
    known = {*truth.required_words, *SKU.findall(truth.instruction.upper())}
    for sku in sorted(named - known):
        yield f"answer names {sku}, which is no candidate"
