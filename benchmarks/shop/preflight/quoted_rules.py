"""Finds the document that says who may see and do what, and the sentence of it that a refusal rests on."""

from __future__ import annotations

import re
from typing import Final

from benchmarks.shop.layout.shop_layout import ShopLayout
from benchmarks.shop.layout.shop_tools import IDENTITY
from toolkit import CannotRead, Reference
from toolkit.layout import named_paths

_ABOUT_ACCESS: Final = re.compile(r"DENIED|permission|identity|approvals?|widen|who may", re.IGNORECASE)
_SENTENCES: Final = re.compile(r"(?<=[.;:])\s+|\n\s*(?:[-*]|\d+\.)\s")
_NAMED_SO: Final = re.compile(r"secur|access|permission|rights", re.IGNORECASE)
_LONGEST: Final = 160


def access_policy(layout: ShopLayout) -> str:
    """Return the path of the document on access: by what the rules say of it, by its name, or by the identity tool.

    Raises `CannotRead` if none of them leads to a single document.
    """
    sentences = [each for each in _SENTENCES.split(layout.rules) if _ABOUT_ACCESS.search(each)]
    said = {path for each in sentences for path in named_paths(each)} & layout.documents.keys()
    called = {path for path in layout.documents if _NAMED_SO.search(path)}
    telling = {path for path, text in layout.documents.items() if layout.tools.get(IDENTITY) in named_paths(text)}
    for found in (said & called, called, said & telling, said, telling):
        if len(found) == 1:
            return found.pop()
    msg = f"no single document tells who may see and do what, but {', '.join(sorted(said | called)) or 'none'}"
    raise CannotRead(msg)


def cited_rule(layout: ShopLayout, path: str, words: str) -> Reference:
    """Return a reference to a document with its sentence that holds most of some words, else its first, as reason."""
    text = re.sub(r"\s+", " ", layout.documents[path])
    sentences = [each.strip(" #-*") for each in re.split(r"(?<=[.!?;])\s", text)]
    cue = re.compile(words, re.IGNORECASE)
    best = max((each for each in sentences if len(each) > 8), key=lambda each: len(cue.findall(each)), default=text)
    return Reference(path, f"it says: {best[:_LONGEST]}")
