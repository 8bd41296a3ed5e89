"""Gate 2: each fact that a scratchpad keeps has a value, a description, a source and a
confidence."""

from __future__ import annotations

from collections.abc import Set
from typing import Final, TypeAlias

from controlplane.gates.evidence import Evidence
from controlplane.gates.submission import (
    Case,
    Inapplicable,
    Opinion,
    Plain,
    Submission,
    describe,
    quote,
)
from controlplane.sandbox.interface import bounds

CONFIDENCES: Final = ("verified", "derived", "pending")
ORIGINS: Final = frozenset({"task", "identity"})
"""Sources besides paths, tools and other facts: the request, and who asks."""
_Slot: TypeAlias = dict[str, Plain]


def judge_fact_shapes(submission: Submission, evidence: Evidence, case: Case) -> Opinion:
    """Reject a fact that lacks a value, description, source or confidence, or that its source does
    not support.

    Guards against values of unknown origin. `verified` names a path that was read or a tool that
    was run (so a value found by SQL has a source), not one that was only written; `derived` names
    what was read, a verified fact, one derived above it, "task" or "identity"; `pending` has no
    value. Accepts scratchpads without facts, further keys in a fact, and any kind of value.
    """
    facts = submission.facts
    if facts is None:
        return Inapplicable("no facts are kept")
    if not isinstance(facts, dict):
        return f"`facts` is {describe(facts)}: make it a map of names to {{value, description, source, confidence}}."
    known_names = set(ORIGINS)
    for name, slot in facts.items():
        if isinstance(slot, dict) and slot.get("confidence") == "verified":
            known_names.add(name)
    faults: list[str] = []
    for name, slot in facts.items():
        has_room = len(faults) < bounds.SHOWN_FAULTS
        fault = _fault_of_fact(name, slot, known_names, evidence, with_hint=has_room)
        if fault:
            faults.append(fault)
        elif isinstance(slot, dict) and slot.get("confidence") == "derived":
            known_names.add(name)
    return faults


def _fault_of_fact(
    name: str, slot: Plain, known_names: Set[str], evidence: Evidence, *, with_hint: bool
) -> str:
    if not isinstance(slot, dict):
        return f"Fact {quote(name)} is {describe(slot)}: make it {{value, description, source, confidence}}."
    confidence = slot.get("confidence")
    value = slot.get("value")
    description = slot.get("description")
    if confidence not in CONFIDENCES:
        return f"Fact {quote(name)} has the confidence {describe(confidence)}: use one of {', '.join(CONFIDENCES)}."
    if not isinstance(description, str) or not description.strip():
        return f"Fact {quote(name)} has no description: say in words what its value is."
    if confidence == "pending":
        if value in (None, ""):
            return ""
        return (
            f"Fact {quote(name)} is pending and yet holds {describe(value)}: name as its source where the value was "
            "read (verified) or what it was computed from (derived); leave out a value that was not found."
        )
    if value is None:
        return f"Fact {quote(name)} is {confidence} without a value: give it the value that its source holds."
    if confidence == "derived":
        return _fault_of_derivation(name, slot, known_names, evidence)
    return _fault_of_source(name, slot, evidence, with_hint=with_hint)


def _fault_of_derivation(name: str, slot: _Slot, known_names: Set[str], evidence: Evidence) -> str:
    """Return the fault of a fact that was computed: it names a known fact, the task, who asks,
    or what was read."""
    for source in _sources(slot):
        if _was_read(source, evidence) or not known_names.isdisjoint(_names_in(source)):
            return ""
    return (
        f"Fact {quote(name)} is derived from {describe(slot.get('source'))}, which is no known fact: name the "
        'verified facts it was computed from, "task" if the request holds it, or "identity" if who asks decides it.'
    )


def _fault_of_source(name: str, slot: _Slot, evidence: Evidence, *, with_hint: bool) -> str:
    """Return the fault of a fact that was read: each of its sources was read, or is a tool that
    was run."""
    sources = _sources(slot)
    if not sources:
        return f"Fact {quote(name)} is verified without a source: name the path that was read or the tool that was run."
    if not evidence.has_trace:
        return ""
    for source in sources:
        if not _was_read(source, evidence):
            hint = evidence.nearest_note(source) if with_hint else ""
            return (
                f"Fact {quote(name)} is verified by {quote(source)}, which was not read{hint}: read it, and see that "
                "it holds the value, or name the path or the tool where the value was found."
            )
    return ""


def _was_read(source: str, evidence: Evidence) -> bool:
    """Say whether a source is a path that was read, or a tool that was run."""
    access = evidence.find(source.strip()).access
    return access is not None and access.is_found


def _sources(slot: _Slot) -> list[str]:
    """Return the sources of a fact, which names one or lists several."""
    source = slot.get("source")
    listed = source if isinstance(source, list) else [source]
    return [entry for entry in listed if isinstance(entry, str) and entry.strip()]


def _names_in(source: str) -> set[str]:
    """Return what a source may name: the whole of it, or its words."""
    characters = (char if char.isalnum() or char in "_-." else " " for char in source)
    words = {word.strip(".-") for word in "".join(characters).split()}
    origins = {word.lower() for word in words} & ORIGINS
    return {source.strip(), *words, *origins}
