"""A fact that a script keeps in its scratchpad, and faults of its form.

"due": {"value": "2027-03-19", "description": "the day on which loan 02 is due",
        "source": "/loans.csv", "confidence": "verified"}
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from controlplane.gates.plain_data import Plain
from controlplane.gates.quoting import describe, quote

CONFIDENCES: Final = ("verified", "derived", "pending")


@dataclass(frozen=True, slots=True)
class Fact:
    """A fact as it is submitted, with any fields."""

    name: str
    fields: dict[str, Plain]

    @property
    def confidence(self) -> Plain:
        """One of `CONFIDENCES`, or anything else that a script wrote."""
        return self.fields.get("confidence")

    @property
    def source(self) -> Plain:
        """What the script gives as the source: one text or a list of texts, or anything else."""
        return self.fields.get("source")

    @property
    def sources(self) -> list[str]:
        """The texts of the source that are not empty."""
        entries = self.source if isinstance(self.source, list) else [self.source]
        return [entry for entry in entries if isinstance(entry, str) and entry.strip()]


def fault_of_form(fact: Fact) -> str:
    """Return what is wrong with the form of a fact, whatever its source; empty if nothing is."""
    confidence = fact.confidence
    value = fact.fields.get("value")
    description = fact.fields.get("description")
    name = quote(fact.name)

    if confidence not in CONFIDENCES:
        return (
            f"Fact {name} has the confidence {describe(confidence)}: use one of "
            f"{', '.join(CONFIDENCES)}."
        )
    if not isinstance(description, str) or not description.strip():
        return f"Fact {name} has no description: say in words what its value is."
    if confidence == "pending" and value not in (None, ""):
        return (
            f"Fact {name} is pending and yet holds {describe(value)}: name as its source "
            "where the value was read (verified) or what it was computed from (derived); leave "
            "out a value that was not found."
        )
    if confidence != "pending" and value is None:
        return (
            f"Fact {name} is {confidence} without a value: give it the value that its "
            "source holds."
        )
    return ""
