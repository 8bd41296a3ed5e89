"""Gates 3 and 4, and the rule on demanded citations: what is cited is spelled as it was read,
and was read."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Final

import re2

from controlplane.gates.evidence import Evidence, base_name, canonical, split_fragment
from controlplane.gates.justification import has_quotation
from controlplane.gates.request_text import own_words_of
from controlplane.gates.submission import (
    OK,
    Case,
    Inapplicable,
    Objection,
    Opinion,
    Submission,
    describe,
    fault_of_reason,
    quote,
    surrogate_at,
)
from controlplane.sandbox.interface import bounds

TAKE_BACK: Final = "take it back with `scratchpad.uncite(path)`"
MOST_NAMED_SOURCES: Final = 20
"""At most this many of the files that a request names are checked."""


def judge_canonical_citations(submission: Submission, evidence: Evidence, case: Case) -> Opinion:
    """Reject citations that are not a map of canonical paths to reasons.

    Guards against references that fail a grader's string comparison: relative paths, `..`, double
    or trailing slashes, another case, an alias, a folder, the same file twice. Accepts a submission
    without citations, spaces in names, names without an extension, executables, and one file with
    different fragments.
    """
    reasons = submission.refs_why
    if reasons is not None:
        return _faults_of_reasons(submission, evidence)
    paths = submission.refs
    if paths is None:
        return Inapplicable("nothing is cited")
    if not isinstance(paths, list):
        return f"`refs` is {describe(paths)}: it must be a list of paths."
    faults = [
        f"{describe(path)} is not a path: cite strings."
        for path in paths
        if not isinstance(path, str)
    ]
    return faults + _faults_of_paths(submission.citations, evidence)


def _faults_of_reasons(submission: Submission, evidence: Evidence) -> Opinion:
    """Return the faults of a map of paths to reasons. A reason may be short if the citation has a
    quotation that was found in the file."""
    reasons = submission.refs_why
    if not isinstance(reasons, dict):
        return (
            f"`refs_why` is {describe(reasons)}: it must be a map of paths to reasons; use "
            "`scratchpad.cite(path, reason)` for each."
        )
    faults: list[str] = []
    for path, reason in reasons.items():
        is_quoted = isinstance(reason, str) and has_quotation(evidence.find(path).path, evidence)
        fault = "" if is_quoted else fault_of_reason(path, reason)
        if fault:
            faults.append(fault)
    return faults + _faults_of_paths(submission.citations, evidence)


def _faults_of_paths(citations: tuple[str, ...], evidence: Evidence) -> list[str]:
    """Return a fault for each misspelt path, and for each path that is cited twice."""
    faults: list[str] = []
    first_spellings: dict[str, str] = {}
    for reference in citations:
        fault = _fault_of_spelling(reference, evidence)
        if fault:
            faults.append(fault)
            continue
        cited = evidence.find(reference).citation
        first = first_spellings.setdefault(cited, reference)
        if first is not reference:
            faults.append(
                f"{quote(reference)} is cited twice, once as {quote(first)}: {TAKE_BACK}."
            )
    return faults


def _fault_of_spelling(reference: str, evidence: Evidence) -> str:
    """Return the fault of the spelling of a reference, with the right spelling if it is known."""
    if surrogate_at(reference) is not None:
        return f"{quote(reference)} holds a lone surrogate, which a path cannot: cite the path as it was read."
    target = evidence.find(reference)
    if target.path == "/":
        return f"{quote(reference)} is not a file: {TAKE_BACK}."
    if target.is_directory:
        return (
            f"{quote(reference)} is a folder: cite the files in it that were read, and {TAKE_BACK}."
        )
    if target.is_known:
        if reference == target.citation:
            return ""
        known_from = "was read as" if target.access is not None else "is listed as"
        return (
            f"{quote(reference)} {known_from} {quote(target.path)}: cite {quote(target.citation)}."
        )
    base, fragment = split_fragment(reference)
    right = canonical(base.strip())
    if base == right:
        return ""
    fault = (
        "a folder or a misspelt file" if base.endswith("/") else "not an absolute canonical path"
    )
    return (
        f"{quote(reference)} is {fault}: read and cite {quote(right + fragment)}, and {TAKE_BACK}."
    )


def judge_read_citations(submission: Submission, evidence: Evidence, case: Case) -> Opinion:
    """Reject a citation of a path that this trial's calls never accessed.

    Guards against references that a model remembers, guesses or invents. A fragment counts as its
    base path, and another spelling as the path that it reached (gate 3 demands the right one). A
    name in a listing does not count as read. Accepts a file that was deleted after it was read, or
    that was only written.
    """
    if not evidence.has_trace:
        return Inapplicable("there is no trace of what was read")
    if not submission.citations:
        return Inapplicable("nothing is cited")
    faults: list[str] = []
    for reference in submission.citations:
        target = evidence.find(reference)
        if target.access is not None or target.is_directory:
            continue
        hint = evidence.nearest_note(reference) if len(faults) < bounds.SHOWN_FAULTS else ""
        faults.append(
            f"{quote(reference)} was not read in this trial{hint}: read it, and see that it supports the "
            f"answer; if it does not, {TAKE_BACK}."
        )
    return faults


# Citations that the request demands

_SENTENCE_END: Final = re2.compile(r"[.!?]|\n\s*\n")
_CITE: Final = re2.compile(r"\b(?:[Cc]ite|grounding refs?)\b")
"""A word with which a sentence asks for a citation: `Cite the record`."""
_MAYBE_NONE: Final = re2.compile(r"(?i)\b(?:every|each|all|any|if|no|not|don't|never)\b")
"""A word that makes a citation conditional: for `cite every record that differs`, an answer without
citations is right if no record differs."""
_ROW_FORMAT: Final = re2.compile(r"(?:^|\s)((/[^\s#]+#[\pL\pN_]+=)<[\pL\pN_]+>)")
"""The form of a citation of rows: `/logs/lent.tsv#row=<RowID>`."""
_SOURCE: Final = re2.compile(
    r"\b(?:[Rr]ead|[Ll]ook at|upload)\s(?:[a-zA-Z]+\s){0,8}?(/[\pL\pN_./#-]+)"
)
"""A file that the request says to read: `read the log /logs/lent.tsv`."""


def ask_demanded_citations(submission: Submission, evidence: Evidence, case: Case) -> Opinion:
    """Object to an OK answer without a citation that the request demands: any file, rows, a file
    it says to read."""
    if submission.outcome != OK:
        return Inapplicable("a refusal cites what it rests on, whatever the request asks for")
    text = own_words_of(case.instruction)
    if not submission.citations and _demands_citation(text):
        return "Nothing is cited, but the request asks for a citation: read what the answer rests on, and cite it."
    rows = _ROW_FORMAT.search(text)
    if rows is not None:
        cites_rows = any(path.startswith(rows[2]) for path in submission.citations)
        states_number = any(digit in submission.answer_text for digit in "123456789")
        if not cites_rows and states_number:
            return f"No row is cited; rows are cited as {quote(rows[1])}: check which rows the answer rests on."
    return Objection(
        demands=tuple(_read_sources(text, evidence)),
        lacking="{paths} is what the request is about, and it is not cited.",
    )


def _demands_citation(text: str) -> bool:
    """Return whether a sentence asks for a citation unconditionally: true for `Cite the record.`,
    false for `Cite every record that differs.`"""
    for sentence in _SENTENCE_END.split(text):
        if _CITE.search(sentence) and not _MAYBE_NONE.search(sentence):
            return True
    return False


def _read_sources(text: str, evidence: Evidence) -> Iterator[str]:
    """Yield the files that a request says to read and that the trial did read.

    Leaves out folders, fragments and files directly below `/`.
    """
    named = [match[1].rstrip(".-") for match in islice(_SOURCE.finditer(text), MOST_NAMED_SOURCES)]
    for name in dict.fromkeys(named):
        is_file_below_root = (
            "#" not in name and "/" in name[1:] and "." in base_name(name).strip(".")
        )
        path = evidence.find(name).path
        if is_file_below_root and (not evidence.has_trace or path in evidence.accesses):
            yield path
