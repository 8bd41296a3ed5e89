"""Reads roles, limits and words from the text of the workspace's documents."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass

from benchmarks.ecom.player.knowledge import BLOCK, WORD, Knowledge, NotStated


@dataclass(frozen=True, slots=True)
class DiscountRules:
    """Whether the asker may give a discount, for which reasons, and how much."""

    is_entitled: bool
    reasons: tuple[str, ...]
    threshold_cents: int
    high_percent: int
    low_percent: int

    def maximum(self, subtotal_cents: int) -> int:
        """Return the highest percentage that a basket of this subtotal may get."""
        return self.high_percent if subtotal_cents >= self.threshold_cents else self.low_percent


def discount_rules(known: Knowledge) -> DiscountRules:
    """Return the rules for discounts. Raises `NotStated`."""
    text = re.sub(r"\s+", " ", known.document_text("discounts"))
    limits = sorted({int(each) for each in re.findall(r"\b(\d{1,2}) ?(?:%|per ?cent\b)", text)} - {0, 1})
    threshold = re.search(r"(?:EUR|€) ?([\d.,]*\d)|([\d.,]*\d) ?(?:EUR|€|euros?)", text)
    if not limits or threshold is None:
        msg = "the document about discounts states no limits"
        raise NotStated(msg)
    return DiscountRules(
        is_entitled=has_role_of(known, "discounts"),
        reasons=tuple(known.words_in("discounts")),
        threshold_cents=round(float((threshold[1] or threshold[2]).replace(",", "")) * 100),
        high_percent=limits[-1],
        low_percent=limits[0],
    )


def has_role_of(known: Knowledge, name: str) -> bool:
    """Say whether the asker has a role that a document names. Raises `NotStated`."""
    return bool({*known.identity.roles} & {*known.words_in(name)} - {"employee", "customer"})


def open_state(known: Knowledge) -> str:
    """Return the state of a basket that may be bought: the word that its document repeats most. Raises `NotStated`."""
    words = Counter(known.words_in("checkout"))
    if not words:
        msg = "the document about baskets names no state"
        raise NotStated(msg)
    return words.most_common(1)[0][0]


def verbs_of(known: Knowledge, tool: str) -> list[str]:
    """Return a tool's subcommands, in the order in which its help lists them."""
    told = known.output_of({"run": tool, "args": ["--help"]})
    return re.findall(rf"{tool.rsplit('/', 1)[1]} ([a-z][\w-]+) <", told)


def words_beside(known: Knowledge, name: str, command: str) -> set[str]:
    """Return the words in back quotes of the paragraph of a document that holds a command. Raises `NotStated`."""
    paragraphs = re.split(BLOCK, known.document_text(name))
    return {word for each in paragraphs if command in re.sub(r"\s+", " ", each) for word in WORD.findall(each)}


def yes_or_no(known: Knowledge, is_yes: bool) -> str:
    """Return the workspace's word for yes or no. Raises `NotStated`."""
    behind = r"(?:\byes\b|is so)[^`]*`([^`/]+)`[^`]*`([^`/]+)`"
    words = known.find_in_document("agents", rf"(?i){behind}|`([^`/]+)` for yes[^`]*`([^`/]+)`")
    yes, no = [each for each in words.groups() if each]
    return yes if is_yes else no
