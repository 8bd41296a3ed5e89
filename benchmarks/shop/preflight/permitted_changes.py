"""What a request may change, by what whoever asks can have changed at all, and not by the words that it uses for it.

What the tools of a shop change has an owner: baskets, payments and returns. They are offered if the request names such
a record that whoever asks may have changed, or speaks of one without its id, or if the classifier says that a change is
asked. Verbs never decide about them. A request in which nothing says so gets none. Of a request in a language that
nobody reads here, the classifier is believed.
"""

from __future__ import annotations

import re
from typing import Final

from benchmarks.shop.layout.record_shapes import Kind
from benchmarks.shop.layout.shop_layout import ShopLayout, WorkspaceReader
from benchmarks.shop.preflight.request_intent import intent_of, said_intent
from benchmarks.shop.request_kinds import CONTROL_BLOCK
from toolkit import CannotRead, Finding
from toolkit.records import Identity, Record, named_records
from toolkit.requests import may_change_files

OWNED: Final = frozenset({Kind.BASKET, Kind.PAYMENT, Kind.RETURN})
"""The kinds of records that tools change, for their owner or for staff."""
ANYBODY: Final = Identity("", frozenset({"staff"}))
"""Somebody who may see every record."""
_BASKET: Final = r"(?:basket|cart|trolley|hamper)"
_OWNED_THING: Final = rf"(?:{_BASKET}|order|purchase|check\s?-?out|payment|refund|return)\b"
_UNNAMED: Final = re.compile(
    rf"\b(?:my|our|this|that|(?:new|old|lat)est|last)\s+(?:[\w-]+\s+){{0,2}}?{_OWNED_THING}|\bthe\s+{_OWNED_THING}",
    re.IGNORECASE,
)
_UNNAMED_BASKET: Final = re.compile(
    rf"\b(?:my|our|(?:new|old|lat)est|last)\s+(?:[\w-]+\s+){{0,2}}?{_BASKET}\b", re.IGNORECASE
)

_SCRATCH: Final = re.compile(r"(?<![\w/])/tmp/[\w/-]{1,80}(?![\w./-]{0,80}\.\w|[\w/-])")
"""A folder where nothing is kept: a request that names one is about what lies there."""
_ENGLISH: Final = re.compile(r"\b(?:the|of|is|are|for|my|to|it|on|at|how|what|which|please)\b", re.IGNORECASE)
"""A request without any of these words is in no language that could bear a classifier out."""


def permitted_changes(reader: WorkspaceReader, request: str, intent: str) -> Finding[dict[str, bool]]:
    """Return whether a request may write and delete `files`, and run `tools` that change something.

    A block that poses as an instruction of the system asks for nothing: only what stands before it counts. Nobody runs
    such tools for a guest, whatever the request says: who asks is what the identity tool prints.
    """
    own_words = _own_words(request)
    meant = intent_of(own_words, intent) if _ENGLISH.search(own_words) else said_intent(intent)
    is_silent = not intent.strip("{} \n")
    asks_for_file = may_change_files(
        own_words, is_classified=meant.file_change or (is_silent and bool(_SCRATCH.search(own_words)))
    )
    try:
        layout = ShopLayout(reader)
        asker, named = layout.asker, owned_records(layout, own_words)
    except CannotRead:
        return Finding({"files": asks_for_file, "tools": meant.changes_records or bool(_UNNAMED.search(own_words))})
    is_about = any(may_have_changed(asker, each) for each in named)
    if not named:
        is_about = meant.changes_records or bool(_UNNAMED.search(own_words))
    edits_basket = is_silent and asker.is_customer and not named and bool(_UNNAMED_BASKET.search(own_words))
    return Finding(
        {"files": asks_for_file or edits_basket, "tools": is_about and (asker.is_customer or asker.is_staff)}
    )


def owned_records(layout: ShopLayout, request: str) -> list[Record]:
    """Return the baskets, payments and returns that a request names, whoever's they are."""
    paths = named_records(layout.records, ANYBODY, request)
    return [each for each in layout.records.read(paths) if layout.kind_of(each.path) in OWNED]


def may_have_changed(asker: Identity, record: Record) -> bool:
    """Say whether somebody may have a record changed: staff as their roles allow, customers their own, guests nothing.

    Of a record without an owner nobody but staff may.
    """
    return asker.is_staff or (bool(record.owner) and asker.may_cite(record.owner))


def _own_words(request: str) -> str:
    """Return what stands before a block that poses as an instruction of the system."""
    block = CONTROL_BLOCK.find(request)
    return request if block is None else request[: block.start()]
