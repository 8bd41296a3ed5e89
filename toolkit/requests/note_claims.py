"""A note that claims something of a product beside what describes it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from toolkit.text import normal_words

_CLAIM: Final = re.compile(
    r"\b(?:and|,)\s+(?:also\s+)?(?:has|have|supports?|is|comes with|offers)\s+(?P<claim>[^.;]+)", re.IGNORECASE
)
_NOTE: Final = re.compile(r"\b(?:note|claim)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class NoteClaim:
    """The constraints that describe the product, and those that the note claims of it."""

    base: tuple[str, ...]
    extra: tuple[str, ...] = ()
    claim: str = ""
    """What is claimed and stands in no constraint."""


def note_claim(name: str, description: str, constraints: Sequence[str]) -> NoteClaim:
    """Return what a note claims. `name` says whether it is one; of anything else all constraints describe."""
    found = list(_CLAIM.finditer(description))
    if not _NOTE.search(name.replace("-", " ").replace("_", " ")) or not found:
        return NoteClaim(tuple(constraints))
    claim = found[-1]["claim"].strip()
    extra = tuple(each for each in constraints if normal_words(each) in normal_words(claim))
    base = tuple(each for each in constraints if each not in extra)
    return NoteClaim(base, extra, "" if extra else claim)
