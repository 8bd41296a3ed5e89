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
    """A fact as a script submits it, right or wrong."""

    name: str
    submitted: Plain
    """A map as above; or anything else, which is a fault."""

    @property
    def fields(self) -> dict[str, Plain]:
        """The submitted map: `{"value": "2027-03-19", …}`; empty if it is not a map."""
        return self.submitted if isinstance(self.submitted, dict) else {}

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
    """Return what is wrong with the form of a fact, whatever its source; empty if nothing is.

    A fact must be a map with a known confidence and a description. It must have a value if it
    is verified or derived, and none if it is pending.
    """
    if not isinstance(fact.submitted, dict):
        return (
            f"Fact {quote(fact.name)} is {describe(fact.submitted)}: make it {{value, description, "
            "source, confidence}."
        )
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
