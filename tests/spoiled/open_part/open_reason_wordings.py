"""Reasons of citations: some that name something in the file, some that name nothing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

TABLES: Final[Mapping[str, Mapping[str, str]]] = {
    "good-reasons": {
        "read": "read for this: {reason}",
        "id-first": "{name}: what the answer rests on",
        "shows": "shows {name}",
        "upper": "NEEDED: {reason}",
        "quoted": 'the entry of "{name}"',
        "long": "opened and checked before answering; {reason}",
    },
    "empty-reasons": {
        "of-this": "the return of this payment",
        "relevant": "relevant record",
        "the-file": "the file that was asked about",
        "evidence": "supporting evidence for the answer",
        "source": "source of truth here",
        "checked": "I checked this one",
        "belongs": "belongs to the matter at hand",
        "dots": "see above, same as before",
    },
}
