"""Finds the document that says who may see and do what, and the sentence of it that a refusal rests on."""

from __future__ import annotations

import re
from typing import Final

from benchmarks.shop.findings.shop_layout import ShopLayout
from toolkit import CannotRead, Reference
from toolkit.layout import marked_paths

_ABOUT_ACCESS: Final = re.compile(r"DENIED|permission|identity|approvals?|widen|who may", re.IGNORECASE)
_SENTENCES: Final = re.compile(r"(?<=[.;:])\s+|\n\s*(?:[-*]|\d+\.)\s")
_NAMED_SO: Final = re.compile(r"secur|access|permission|rights", re.IGNORECASE)
_LONGEST: Final = 160


def access_policy(layout: ShopLayout) -> str:
    """Return the path of the document on access: the one that the rules name where they speak of permission.

    Raises `CannotRead` if they name none, or several.
    """
    sentences = [
        each for each in re.split(r"(?<=[.;:])\s+|\n\s*(?:[-*]|\d+\.)\s", layout.rules) if _ABOUT_ACCESS.search(each)
    ]
    named = list(dict.fromkeys(path for each in sentences for path in marked_paths(each) if path.endswith(".md")))
    found = [path for path in named if _NAMED_SO.search(path)] or named
    if len(found) != 1 or found[0] not in layout.documents:
        msg = f"the rules name no single document on access, but {', '.join(found) or 'none'}"
        raise CannotRead(msg)
    return found[0]


def cited_rule(layout: ShopLayout, path: str, words: str) -> Reference:
    """Return a reference to a document with its sentence that holds most of some words, else its first, as reason."""
    text = re.sub(r"\s+", " ", layout.documents[path])
    sentences = [each.strip(" #-*") for each in re.split(r"(?<=[.!?;])\s", text)]
    cue = re.compile(words, re.IGNORECASE)
    best = max((each for each in sentences if len(each) > 8), key=lambda each: len(cue.findall(each)), default=text)
    return Reference(path, f"it says: {best[:_LONGEST]}")
