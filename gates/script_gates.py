"""Gates 1, 2 and 7: the `verify` and the facts that a script submits with its answer."""

from __future__ import annotations

from collections.abc import Iterator, Set
from typing import Final, TypeAlias

from gates.evidence import Evidence
from gates.rules import Inapplicable, Opinion
from gates.submission import Case, Plain, Submission, describe, quote

CONFIDENCES: Final = ("verified", "derived", "pending")
ORIGINS: Final = frozenset({"task", "identity"})
NO_SCRIPT: Final = Inapplicable("the submission does not come from a script")
_Slot: TypeAlias = dict[str, Plain]


def judge_verify_signature(submission: Submission, evidence: Evidence, case: Case) -> Opinion:
    """Reject a script's answer whose `verify` cannot be called with one argument.

    Guards against untested answers: gate 7 needs a function to call. Accepts any callable that takes the scratchpad: a
    lambda, a function of another name, further parameters with defaults.
    """
    if not submission.from_script:
        return NO_SCRIPT
    probe = submission.probe
    if probe is None or not probe.is_callable:
        return (
            "`verify` is not a function: define `def verify(sp): return <what must hold of sp>` and call "
            "`harness.answer(scratchpad, verify)`."
        )
    if not probe.takes_one_argument:
        return (
            "`verify` must be callable with one argument, the scratchpad: write `def verify(sp): …` and pass the "
            "function itself, not its result."
        )
    return None


def judge_fact_shapes(submission: Submission, evidence: Evidence, case: Case) -> Opinion:
    """Reject a fact that lacks a value, description, source or confidence, or that its source does not support.

    Guards against values of unknown origin. `verified` names a path that was read or a tool that was run (so a value
    found by SQL has a source), not one that was only written; `derived` names what was read, a verified fact, one
    derived above it, "task" or "identity"; `pending` has no value. Accepts scratchpads without facts, further keys in a
    fact, and any kind of value.
    """
    facts = submission.facts
    if facts is None:
        return Inapplicable("no facts are kept")
    if not isinstance(facts, dict):
        return f"`facts` is {describe(facts)}: make it a map of names to {{value, description, source, confidence}}."
    slots = {name: slot for name, slot in facts.items() if isinstance(slot, dict)}
    known = {*ORIGINS, *(name for name, slot in slots.items() if slot.get("confidence") == "verified")}
    faults: list[str] = []
    for name, slot in facts.items():
        # Max facts whose fault comes with a hint.
        if fault := _fault_of_fact(name, slot, known, evidence, with_hint=len(faults) < 8):
            faults.append(fault)
        elif slots[name].get("confidence") == "derived":
            known.add(name)
    return faults


def _fault_of_fact(name: str, slot: Plain, known: Set[str], evidence: Evidence, *, with_hint: bool) -> str:
    if not isinstance(slot, dict):
        return f"Fact {quote(name)} is {describe(slot)}: make it {{value, description, source, confidence}}."
    confidence, value, description = slot.get("confidence"), slot.get("value"), slot.get("description")
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
    sources = _sources(slot)
    if confidence == "derived":
        if _is_grounded(slot, known, evidence):
            return ""
        return (
            f"Fact {quote(name)} is derived from {describe(slot.get('source'))}, which is no known fact: name the "
            'verified facts it was computed from, "task" if the request holds it, or "identity" if who asks decides it.'
        )
    if not sources:
        return f"Fact {quote(name)} is verified without a source: name the path that was read or the tool that was run."
    unread = (source for source in sources if evidence.has_trace and not _is_found(source, evidence))
    source = next(unread, None)
    if source is None:
        return ""
    hint = evidence.nearest_note(source) if with_hint else ""
    return (
        f"Fact {quote(name)} is verified by {quote(source)}, which was not read{hint}: read it, and see that it holds "
        "the value, or name the path or the tool where the value was found."
    )


def _is_found(source: str, evidence: Evidence) -> bool:
    """Say whether a source is a path that was read, or a tool that was run."""
    access = evidence.find(source.strip()).access
    return access is not None and access.is_found


def _sources(slot: _Slot) -> list[str]:
    source = slot.get("source")
    given = source if isinstance(source, list) else [source]
    return [named for named in given if isinstance(named, str) and named.strip()]


def _is_grounded(slot: _Slot, known: Set[str], evidence: Evidence) -> bool:
    """Say whether a derived fact names a known one, the task, who asks, or what was read."""
    return any(
        _is_found(source, evidence) or not known.isdisjoint(_names_in(source, known)) for source in _sources(slot)
    )


def _names_in(source: str, known: Set[str]) -> Iterator[str]:
    """Yield what `source` names, as a whole or word by word."""
    yield source.strip()
    words = "".join(char if char.isalnum() or char in "_-." else " " for char in source).split()
    for word in (word.strip(".-") for word in words):
        yield word if word in known else word.lower() if word.lower() in ORIGINS else ""


def judge_verify_reply(submission: Submission) -> Opinion:
    """Reject an answer that its own `verify` rejects, or whose `verify` checks nothing.

    Guards against answers that drifted from what the script found, and against `return True`. Calls `verify` on the
    submission (it must return yes), then with answer, outcome and refs blanked (it must not), then on the submission
    again (it must return yes again). An exception in the second call counts as a no. The reply is the script's
    untrusted claim.
    """
    probe = submission.probe
    if not submission.from_script or probe is None:
        return NO_SCRIPT
    says_yes, error = probe.ask(False)
    if error:
        return (
            f"`verify` did not answer: {quote(error, 300)}. Make it compare `sp` with values that the script "
            "already holds (it need not call the harness), and return True or False."
        )
    if not says_yes:
        return (
            "`verify(scratchpad)` did not return True (or a mapping whose `ok` is true) for this answer: compare both "
            "with what was read, and correct the one that is wrong."
        )
    if probe.ask(True) == (True, "") and submission.answer_text.strip():
        return (
            "`verify` also says yes when answer, outcome and refs are blank, so it checks nothing: have it test "
            '`sp["answer"]`, for example `return str(expected) in sp["answer"]`.'
        )
    if probe.ask(False) != (True, ""):
        return (
            "`verify(scratchpad)` returned True for this answer and something else when it was asked again: have it "
            "depend on `sp` and on values that the script holds, and change nothing."
        )
    return None
