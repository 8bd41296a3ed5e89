"""Changes that a trial made of a file, and the texts that it read or wrote there.

The trial of `evidence_of(changes=["write", "write"], texts=[read("one"), written("junk"),
written("one")])` read the file, wrote another text into it, and then wrote the first text back.
"""

from __future__ import annotations

from controlplane.gates.evidence import Evidence
from controlplane.gates.trial import Access, Change, ChangingAction, SeenText, TextKind


def read(text: str) -> SeenText:
    """Return a text that the trial read from the file, which is all of the file."""
    return SeenText(text, TextKind.WHOLE)


def read_beginning(text: str) -> SeenText:
    """Return the beginning of the file, which the trial read without the rest."""
    return SeenText(text, TextKind.WHOLE, is_cut=True)


def written(text: str) -> SeenText:
    """Return a text that the trial itself wrote into the file."""
    return SeenText(text, TextKind.OWN)


def evidence_of(*, changes: list[ChangingAction], texts: list[SeenText]) -> Evidence:
    """Return the evidence of a trial that made these changes of one file, in this order.

    `texts` are what the trial read from the file or wrote into it, in order.
    """
    made_changes = tuple(Change("/b-104.json", action) for action in changes)
    access = Access("/b-104.json", actions=frozenset({"read"}), seen=tuple(texts))
    return Evidence(
        has_trace=True, accesses={"/b-104.json": access}, changes=made_changes
    )
