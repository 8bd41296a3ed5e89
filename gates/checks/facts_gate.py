"""Judges the facts that a script keeps in its scratchpad: gate 2.

    scratchpad["facts"] = {
        "due": {"value": "2027-03-19", "description": "the day on which loan 02 is due",
                "source": "/loans.csv", "confidence": "verified"}
    }

A verified fact names the file or tool that it comes from. A derived fact names what it
was computed from, such as another fact. A pending fact has no value yet.
"""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass
from typing import Final

from controlplane.gates.evidence import Evidence
from controlplane.gates.opinions import Inapplicable, Opinion
from controlplane.gates.quoting import Plain, describe, quote
from controlplane.gates.submission import Case, Submission
from controlplane.sandbox.interface import bounds

# A fact that a script keeps in its scratchpad, and faults of its form.
#
# "due": {"value": "2027-03-19", "description": "the day on which loan 02 is due",
#         "source": "/loans.csv", "confidence": "verified"}

_CONFIDENCES: Final = ("verified", "derived", "pending")


@dataclass(frozen=True, slots=True)
class _Fact:
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
        """One of `_CONFIDENCES`, or anything else that a script wrote."""
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


def _fault_of_form(fact: _Fact) -> str:
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

    if confidence not in _CONFIDENCES:
        return (
            f"Fact {name} has the confidence {describe(confidence)}: use one of "
            f"{', '.join(_CONFIDENCES)}."
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


_ORIGINS: Final = frozenset({"task", "identity"})
"""Words that a derived fact may give as its source: the request, and the user who sent it."""


def judge_fact_shapes(
    submission: Submission, evidence: Evidence, case: Case
) -> Opinion:
    """Reject a fact without value, description, source or confidence, or with a wrong source.

    A script keeps facts in its scratchpad: `{"due": {"value": "2027-03-19", "description":
    "the day on which loan 02 is due", "source": "/loans.csv", "confidence": "verified"}}`.

    - A verified fact names a path that was read, or a tool that was run. A file that
      was only written is not a source.
    - A derived fact names what was read, a verified fact, an earlier derived fact,
      "task" or "identity".
    - A pending fact has no value.

    Further keys of a fact and any kind of value are accepted.
    """
    submitted = submission.facts
    if submitted is None:
        return Inapplicable("no facts are kept")
    if not isinstance(submitted, dict):
        return (
            f"`facts` is {describe(submitted)}: make it a map of names to {{value, description, "
            "source, confidence}."
        )

    facts = [_Fact(name, fact) for name, fact in submitted.items()]

    # What a derived fact may name: first the request, the user and every verified fact, whether it
    # comes earlier or later. A verified fact with a fault rejects the submission anyway.
    known_names = set(_ORIGINS)
    known_names.update(fact.name for fact in facts if fact.confidence == "verified")

    faults: list[str] = []
    for fact in facts:
        fault = _fault_of_form(fact)
        if not fault and fact.confidence == "verified":
            # To find the file that is spelled most like a source takes time, so only faults that
            # are shown have this hint.
            is_shown = len(faults) < bounds.SHOWN_FAULTS
            fault = _fault_of_source(fact, evidence, with_hint=is_shown)
        elif not fault and fact.confidence == "derived":
            fault = _fault_of_derivation(fact, known_names, evidence)
        if fault:
            faults.append(fault)
        elif fact.confidence == "derived":
            # Known only from here on, so that two facts cannot be derived from each other
            known_names.add(fact.name)
    return faults


def _fault_of_derivation(fact: _Fact, known_names: Set[str], evidence: Evidence) -> str:
    """Return the fault of a derived fact that names nothing known, or an empty string.

    Known are the names in `known_names`, such as those of verified facts, and every path or
    tool that was read or run. The source `fee_eur * count` names two facts.
    """
    for source in fact.sources:
        names_known_fact = any(word in known_names for word in _names_in(source))
        if names_known_fact or _was_read(source, evidence):
            return ""
    return (
        f"Fact {quote(fact.name)} is derived from {describe(fact.source)}, which is no known "
        'fact: name the verified facts it was computed from, "task" if the request holds it, or '
        '"identity" if who asks decides it.'
    )


def _fault_of_source(fact: _Fact, evidence: Evidence, *, with_hint: bool) -> str:
    """Return the fault of a verified fact with a source that was not read, or an empty string.

    Without a trace, it is not known what was read, so any source is accepted.
    """
    sources = fact.sources
    if not sources:
        return (
            f"Fact {quote(fact.name)} is verified without a source: name the path that was read or the "
            "tool that was run."
        )
    if not evidence.has_trace:
        return ""
    for source in sources:
        if not _was_read(source, evidence):
            hint = evidence.nearest_note(source) if with_hint else ""
            return (
                f"Fact {quote(fact.name)} is verified by {quote(source)}, which was not read{hint}: "
                "read it, and see that it holds the value, or name the path or the tool where the "
                "value was found."
            )
    return ""


def _was_read(source: str, evidence: Evidence) -> bool:
    """Return True if a source is a path that was read, or a tool that was run.

    A file that was only written does not count.
    """
    access = evidence.find(source.strip()).access
    return access is not None and access.is_read_or_executed


def _names_in(source: str) -> set[str]:
    """Return the names that a source may mean: `fee_eur * count` -> `fee_eur`, `count`.

    The whole text is one of them, because the name of a fact may have blanks. `Task` and
    `Identity` (see `_ORIGINS`) may be written with a capital.
    """
    characters: list[str] = []
    for character in source:
        belongs_to_name = character.isalnum() or character in "_-."
        characters.append(character if belongs_to_name else " ")
    names = {source.strip()}
    for word in "".join(characters).split():
        name = word.strip(".-")
        names.add(name)
        if name.lower() in _ORIGINS:
            names.add(name.lower())
    return names
