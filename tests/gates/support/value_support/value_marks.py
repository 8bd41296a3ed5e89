"""Marks of an answer's values: each says which line of a file states the value, if any does."""

from __future__ import annotations

from collections.abc import Mapping

from controlplane.gates.support.sources import Source
from controlplane.gates.support.support_texts import Mark
from controlplane.gates.support.value_support import ValueMarker


def marks_of(answer: str, files: Mapping[str, str]) -> tuple[Mark, ...]:
    """Return the marks of an answer's values in order, after a trial that has read these files.

    `marks_of("It is 470 EUR.", {"/a.txt": "470 EUR"})` -> one mark, with the support `found`, whose
    text is `/a.txt:1`.
    """
    sources = [Source(path, text) for path, text in files.items()]
    return ValueMarker(sources).marks(answer)
