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
"""Sources besides paths, tools and other facts: the request, and who sent it."""
_Fact: TypeAlias = dict[str, Plain]
"""A fact as it is submitted, with any keys."""


def judge_fact_shapes(
    submission: Submission, evidence: Evidence, case: Case
) -> Opinion:
    """Reject a fact without value, description, source or confidence, or with a wrong source.

    - A verified fact names a path that was read, or a tool that was run. A file that
      was only written is not a source.
    - A derived fact names what was read, a verified fact, a derived fact above it,
      "task" or "identity".
    - A pending fact has no value.

    Further keys of a fact and any kind of value are accepted.
    """
    facts = submission.facts
    if facts is None:
        return Inapplicable("no facts are kept")
    if not isinstance(facts, dict):
        return (
            f"`facts` is {describe(facts)}: make it a map of names to {{value, description, "
            "source, confidence}}."
        )

    # 1. A derived fact may name any verified fact, above or below it.
    known_names = set(ORIGINS)
    for name, fact in facts.items():
        if _confidence_of(fact) == "verified":
            known_names.add(name)

    # 2. It may also name a derived fact above it, so each derived fact is known from here on.
    faults: list[str] = []
    for name, fact in facts.items():
        is_shown = len(faults) < bounds.SHOWN_FAULTS
        fault = _fault_of_fact(name, fact, known_names, evidence, with_hint=is_shown)
        if fault:
            faults.append(fault)
        elif _confidence_of(fact) == "derived":
            known_names.add(name)
    return faults


def _confidence_of(fact: Plain) -> Plain:
    """Return the confidence of a fact; None if the fact is not a map, or has none."""
    return fact.get("confidence") if isinstance(fact, dict) else None


def _fault_of_fact(
    name: str,
    fact: Plain,
    known_names: Set[str],
    evidence: Evidence,
    *,
    with_hint: bool,
) -> str:
    """Return what is wrong with a fact, or an empty string.

    A derived fact may name any of `known_names`. With `with_hint`, the fault of a source
    that was not read also names the file that is spelled most like it. To find this file
    takes time, so only faults that are shown get the hint.
    """
    if not isinstance(fact, dict):
        return (
            f"Fact {quote(name)} is {describe(fact)}: make it {{value, description, source, "
            "confidence}}."
        )
    confidence = fact.get("confidence")
    value = fact.get("value")
    description = fact.get("description")
    if confidence not in CONFIDENCES:
        return (
            f"Fact {quote(name)} has the confidence {describe(confidence)}: use one of "
            f"{', '.join(CONFIDENCES)}."
        )
    if not isinstance(description, str) or not description.strip():
        return f"Fact {quote(name)} has no description: say in words what its value is."
    if confidence == "pending" and value not in (None, ""):
        return (
            f"Fact {quote(name)} is pending and yet holds {describe(value)}: name as its source "
            "where the value was read (verified) or what it was computed from (derived); leave "
            "out a value that was not found."
        )
    if confidence != "pending" and value is None:
        return (
            f"Fact {quote(name)} is {confidence} without a value: give it the value that its "
            "source holds."
        )
    match confidence:
        case "verified":
            return _fault_of_source(name, fact, evidence, with_hint=with_hint)
        case "derived":
            return _fault_of_derivation(name, fact, known_names, evidence)
    return ""  # a pending fact needs no source


def _fault_of_derivation(
    name: str, fact: _Fact, known_names: Set[str], evidence: Evidence
) -> str:
    """Return the fault of a derived fact that names nothing known, or an empty string.

    Known are the names in `known_names`, and every path or tool that was read or run.
    """
    for source in _sources(fact):
        names_known_fact = any(word in known_names for word in _names_in(source))
        if names_known_fact or _was_read(source, evidence):
            return ""
    return (
        f"Fact {quote(name)} is derived from {describe(fact.get('source'))}, which is no known "
        'fact: name the verified facts it was computed from, "task" if the request holds it, or '
        '"identity" if who asks decides it.'
    )


def _fault_of_source(
    name: str, fact: _Fact, evidence: Evidence, *, with_hint: bool
) -> str:
    """Return the fault of a verified fact with a source that was not read, or an empty string."""
    sources = _sources(fact)
    if not sources:
        return (
            f"Fact {quote(name)} is verified without a source: name the path that was read or the "
            "tool that was run."
        )
    if not evidence.has_trace:
        return ""
    for source in sources:
        if not _was_read(source, evidence):
            hint = evidence.nearest_note(source) if with_hint else ""
            return (
                f"Fact {quote(name)} is verified by {quote(source)}, which was not read{hint}: "
                "read it, and see that it holds the value, or name the path or the tool where the "
                "value was found."
            )
    return ""


def _was_read(source: str, evidence: Evidence) -> bool:
    """Return True if a source is a path that was read, or a tool that was run."""
    access = evidence.find(source.strip()).access
    return access is not None and access.is_found


def _sources(fact: _Fact) -> list[str]:
    """Return the sources of a fact, which is one text or a list of texts."""
    source = fact.get("source")
    entries = source if isinstance(source, list) else [source]
    return [entry for entry in entries if isinstance(entry, str) and entry.strip()]


def _names_in(source: str) -> set[str]:
    """Return the names that a source may mean: `fee_eur * count` -> `fee_eur`, `count`.

    The whole text is one of them, because the name of a fact may have blanks. `Task` and
    `Identity` are also returned in lower case.
    """
    characters: list[str] = []
    for character in source:
        belongs_to_name = character.isalnum() or character in "_-."
        characters.append(character if belongs_to_name else " ")
    names = {source.strip()}
    for word in "".join(characters).split():
        name = word.strip(".-")
        names.add(name)
        if name.lower() in ORIGINS:
            names.add(name.lower())
    return names
