"""Changes that a trial made of a file, and the texts that it read or wrote there."""

from __future__ import annotations

from controlplane.gates.evidence import Evidence
from controlplane.gates.trial.accesses import Access
from controlplane.gates.trial.changes import Change, ChangingAction
from controlplane.gates.trial.seen_text import SeenText
from controlplane.gates.trial.text_kind import TextKind


def written(text: str) -> SeenText:
    """Return a text that the trial itself wrote into the file."""
    return SeenText(text, TextKind.OWN)


def evidence_of(actions: list[ChangingAction], texts: list[SeenText]) -> Evidence:
    """Return the evidence of a trial that made these changes of a file, in this order.

    `texts` are all that it read or wrote there: `[SeenText("one"), written("two")]`
    after `["write"]`.
    """
    changes = tuple(Change("/b-104.json", action) for action in actions)
    access = Access("/b-104.json", actions=frozenset({"read"}), seen=tuple(texts))
    return Evidence(has_trace=True, accesses={"/b-104.json": access}, changes=changes)
