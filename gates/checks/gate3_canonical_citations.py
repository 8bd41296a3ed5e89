"""Gate 3: citations have the canonical spelling that a grader compares."""

from __future__ import annotations

from gates.checks.demanded_citations import faults_of_demanded_citations
from gates.types.canonical_paths import canonical, split_fragment
from gates.types.evidence import Evidence
from gates.types.plain_data import Foreign, Plain, describe, quote, surrogate_at
from gates.types.submission import Case, Submission
from gates.types.verdict import Verdict, not_applicable, rejects, verdict_of

GATE = 3
MIN_REASON_CHARS = 8
TAKE_BACK = "take it back with `scratchpad.uncite(path)`"


def judge_canonical_citations(submission: Submission, evidence: Evidence, case: Case) -> Verdict:
    """Reject citations that are no map of canonical paths to reasons, or fewer than the instruction demands.

    Guards against references that fail a grader's string comparison: relative paths, `..`, double or trailing slashes,
    another case, an alias, a folder, the same file twice. Lets pass a submission without citations, spaces in names,
    names without an extension, executables, and one file with different fragments.
    """
    given = submission.refs_why
    missing = faults_of_demanded_citations(submission, evidence, case)
    if given is None:
        if submission.refs is None:
            return rejects(GATE, *missing) if missing else not_applicable(GATE, "nothing is cited")
        return _judge_bare_refs(submission, evidence, missing)
    if not isinstance(given, dict):
        return rejects(
            GATE,
            f"`refs_why` is {describe(given)}: it must be a map of paths to reasons; use "
            "`scratchpad.cite(path, reason)` for each.",
        )
    faults = [fault_of_reason(path, reason) for path, reason in given.items()]
    faults += _faults_of_paths(submission.citations, evidence)
    found = missing + [fault for fault in faults if fault]
    return verdict_of(GATE, found)


def _judge_bare_refs(submission: Submission, evidence: Evidence, missing: list[str]) -> Verdict:
    given = submission.refs
    if not isinstance(given, list):
        return rejects(GATE, f"`refs` is {describe(given)}: it must be a list of paths.")
    faults = missing + [f"{describe(each)} is no path: cite strings." for each in given if not isinstance(each, str)]
    faults += [fault for fault in _faults_of_paths(submission.citations, evidence) if fault]
    return verdict_of(GATE, faults)


def fault_of_reason(path: str, reason: Plain) -> str:
    """Return the fault of a citation's reason, whatever stands at `path`, or an empty string."""
    if not isinstance(reason, str):
        what = "no text" if isinstance(reason, Foreign) else describe(reason)
        return f"The reason for {quote(path)} is {what}: say in words what was found there."
    if len(reason.strip()) < MIN_REASON_CHARS:
        return (
            f"The reason for {quote(path)} is {quote(reason)}, under {MIN_REASON_CHARS} characters: name what was "
            "found there."
        )
    return ""


def _faults_of_paths(citations: tuple[str, ...], evidence: Evidence) -> list[str]:
    faults: list[str] = []
    first: dict[str, str] = {}
    for reference in citations:
        fault = _fault_of_spelling(reference, evidence)
        if not fault:
            found = evidence.find(reference).citation
            if found in first:
                fault = f"{quote(reference)} is cited twice, once as {quote(first[found])}: {TAKE_BACK}."
            first.setdefault(found, reference)
        faults.append(fault)
    return faults


def _fault_of_spelling(reference: str, evidence: Evidence) -> str:
    """Return the fault of the spelling of `reference`, with the right spelling if it is known."""
    if surrogate_at(reference) is not None:
        return f"{quote(reference)} holds a lone surrogate, which no path can: cite the path as it was read."
    found = evidence.find(reference)
    if found.path == "/":
        return f"{quote(reference)} is no file: {TAKE_BACK}."
    if found.is_directory:
        return f"{quote(reference)} is a folder: cite the files in it that were read, and {TAKE_BACK}."
    if found.is_known and reference != found.citation:
        known_from = "was read as" if found.touch is not None else "is listed as"
        return f"{quote(reference)} {known_from} {quote(found.path)}: cite {quote(found.citation)}."
    base, fragment = split_fragment(reference)
    right = canonical(base.strip())
    if not found.is_known and base != right:
        what = "a folder or a misspelt file" if base.endswith("/") else "not an absolute canonical path"
        return f"{quote(reference)} is {what}: read and cite {quote(right + fragment)}, and {TAKE_BACK}."
    return ""
