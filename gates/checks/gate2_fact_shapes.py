"""Gate 2: the facts that a script keeps say how they are known."""

from __future__ import annotations

from typing import Final, TypeAlias

from gates.types.evidence import Evidence
from gates.types.plain_data import Plain, describe, quote
from gates.types.submission import Case, Submission
from gates.types.verdict import MAX_FAULTS, Verdict, not_applicable, rejects, verdict_of

GATE = 2
CONFIDENCES: Final = ("verified", "derived", "pending")
ORIGINS: Final = frozenset({"task", "identity"})
_Slot: TypeAlias = dict[str, Plain]


def judge_fact_shapes(submission: Submission, evidence: Evidence, case: Case) -> Verdict:
    """Reject a fact without value, description, source and confidence, or whose source does not support it.

    Guards against values of unknown origin. `verified` names a path that was read or a tool that was run (so a value
    found by SQL has a source); `derived` names facts, or says "task" or "identity", and leads back to something known;
    `pending` holds no value. Lets pass scratchpads without facts, further keys in a fact, and any kind of value.
    """
    if submission.facts is None:
        return not_applicable(GATE, "no facts are kept")
    if not isinstance(submission.facts, dict):
        return rejects(
            GATE,
            f"`facts` is {describe(submission.facts)}: make it a map of names to "
            "{value, description, source, confidence}.",
        )
    grounded = _grounded_facts(submission.facts, evidence)
    faults: list[str] = []
    for name, slot in submission.facts.items():
        if fault := _fault_of(name, slot, grounded, evidence, is_hinted=len(faults) < MAX_FAULTS):
            faults.append(fault)
    return verdict_of(GATE, faults)


def _fault_of(name: str, slot: Plain, grounded: frozenset[str], evidence: Evidence, *, is_hinted: bool) -> str:
    """Return the fault of one fact, or an empty string."""
    if not isinstance(slot, dict):
        return f"Fact {quote(name)} is {describe(slot)}: make it {{value, description, source, confidence}}."
    confidence = slot.get("confidence")
    if confidence not in CONFIDENCES:
        return f"Fact {quote(name)} has the confidence {describe(confidence)}: use one of {', '.join(CONFIDENCES)}."
    description = slot.get("description")
    if not isinstance(description, str) or not description.strip():
        return f"Fact {quote(name)} has no description: say in words what its value is."
    if confidence == "pending":
        if slot.get("value") in (None, ""):
            return ""
        return (
            f"Fact {quote(name)} is pending and yet holds {describe(slot.get('value'))}: name as its source where the "
            "value was read (verified) or what it was computed from (derived); a value that was not found is left out."
        )
    if slot.get("value") is None:
        return f"Fact {quote(name)} is {confidence} without a value: give it the value that its source holds."
    if confidence == "verified":
        return _fault_of_verified(name, slot, evidence, is_hinted=is_hinted)
    return _fault_of_derived(name, slot, grounded)


def _sources(slot: _Slot) -> list[str]:
    source = slot.get("source")
    if isinstance(source, list):
        return [each for each in source if isinstance(each, str) and each.strip()]
    return [source] if isinstance(source, str) and source.strip() else []


def _fault_of_verified(name: str, slot: _Slot, evidence: Evidence, *, is_hinted: bool) -> str:
    sources = _sources(slot)
    if not sources:
        return f"Fact {quote(name)} is verified without a source: name the path that was read or the tool that was run."
    if not evidence.has_trace:
        return ""
    for source in sources:
        if evidence.find(source.strip()).touch is None:
            hint = evidence.nearest_note(source) if is_hinted else ""
            return (
                f"Fact {quote(name)} is verified by {quote(source)}, which was not read{hint}: read it, and see that "
                "it holds the value, or name the path or the tool where the value was found."
            )
    return ""


def _fault_of_derived(name: str, slot: _Slot, grounded: frozenset[str]) -> str:
    if not _sources(slot):
        return f'Fact {quote(name)} is derived without a source: name the facts it came from, "task" or "identity".'
    if name in grounded:
        return ""
    return (
        f"Fact {quote(name)} is derived from {describe(slot.get('source'))}, which leads to no known fact: name "
        'the verified facts it was computed from, "task" if the request holds it, or "identity" if who asks decides it.'
    )


def _grounded_facts(facts: dict[str, Plain], evidence: Evidence) -> frozenset[str]:
    """Return the facts that are verified, or that derive from something known."""
    derived_from: dict[str, list[str]] = {}
    waiting: list[str] = []
    for name, slot in facts.items():
        if not isinstance(slot, dict):
            continue
        if slot.get("confidence") == "verified":
            waiting.append(name)
        elif slot.get("confidence") == "derived":
            for source in _sources(slot):
                words = _names_in(source, facts)
                if evidence.find(source.strip()).touch is not None or not ORIGINS.isdisjoint(words):
                    waiting.append(name)
                for word in words:
                    derived_from.setdefault(word, []).append(name)
    grounded: set[str] = set()
    while waiting:
        name = waiting.pop()
        if name not in grounded:
            grounded.add(name)
            waiting.extend(derived_from.get(name, ()))
    return frozenset(grounded)


def _names_in(source: str, facts: dict[str, Plain]) -> list[str]:
    """Return the facts and origins that `source` names, as a whole or word by word."""
    whole = source.strip()
    if whole in facts:
        return [whole]
    words = "".join(char if char.isalnum() or char in "_-." else " " for char in whole).split()
    bare = [word.strip(".-") for word in words]
    return [word if word in facts else word.lower() for word in bare if word in facts or word.lower() in ORIGINS]
