"""Judges the spelling of the citations of a submission: gate 3.

Each citation must be spelled as its file is, `/docs/Loans.md` and not `docs/loans.md`, because
graders compare citations as strings. A citation is a path with or without a fragment, such as
`/logs/lent.tsv#row=7`. `Evidence.find` returns the known file that it refers to, however it
is spelled.
"""

from __future__ import annotations

from typing import Final

from controlplane.gates.checks.justification import has_quotation
from controlplane.gates.evidence import Evidence
from controlplane.gates.opinions import Inapplicable, Opinion
from controlplane.gates.paths import canonical, split_fragment
from controlplane.gates.quoting import Plain, describe, quote
from controlplane.gates.submission import Case, Submission, fault_of_reason
from controlplane.gates.surrogates import surrogate_at

TAKE_BACK: Final = "take it back with `scratchpad.uncite(path)`"
"""Ends the messages about citations that a script should remove."""


def judge_canonical_citations(
    submission: Submission, evidence: Evidence, case: Case
) -> Opinion:
    """Reject citations that are not canonical paths, and reasons that say nothing.

    A canonical path is absolute, without `..` and double slashes, in the case of the file's
    name: `/docs/Loans.md`. Folders are rejected, and the same file twice.

    A script gives its citations as `refs_why`, a map of paths to reasons. Recorded answers
    and solvers without reasons give `refs`, a list of paths. `submission.citations` has the
    paths of either.
    """
    if submission.refs_why is not None:
        faults = _faults_of_reasons(submission.refs_why, evidence)
    elif submission.refs is not None:
        faults = _faults_of_list(submission.refs)
    else:
        return Inapplicable("nothing is cited")
    return faults + _faults_of_paths(submission.citations, evidence)


def _faults_of_reasons(reasons: Plain, evidence: Evidence) -> list[str]:
    """Return the faults of `refs_why`, the map of cited paths to reasons.

    `{"/docs/Loans.md": "the fee is 7 EUR"}` has none. A path that was cited with a quotation
    from its file may have any text as its reason.
    """
    if not isinstance(reasons, dict):
        return [
            f"`refs_why` is {describe(reasons)}: it must be a map of paths to reasons; use "
            "`scratchpad.cite(path, reason)` for each."
        ]
    faults: list[str] = []
    for path, reason in reasons.items():
        cited_file = evidence.find(path).path  # however `path` is spelled
        if isinstance(reason, str) and has_quotation(cited_file, evidence):
            continue
        fault = fault_of_reason(path, reason)
        if fault:
            faults.append(fault)
    return faults


def _faults_of_list(paths: Plain) -> list[str]:
    """Return the faults of `refs`, which must be a list of strings."""
    if not isinstance(paths, list):
        return [f"`refs` is {describe(paths)}: it must be a list of paths."]
    faults: list[str] = []
    for path in paths:
        if not isinstance(path, str):
            faults.append(f"{describe(path)} is not a path: cite strings.")
    return faults


def _faults_of_paths(citations: tuple[str, ...], evidence: Evidence) -> list[str]:
    """Return a fault for each misspelt path, and for each citation that is given twice."""
    faults: list[str] = []
    seen: set[str] = set()
    for citation in citations:
        fault = _fault_of_spelling(citation, evidence)
        if fault:
            faults.append(fault)
        elif citation in seen:
            faults.append(f"{quote(citation)} is cited twice: {TAKE_BACK}.")
        seen.add(citation)
    return faults


def _fault_of_spelling(citation: str, evidence: Evidence) -> str:
    """Return what is wrong with the spelling of a citation, or an empty string.

    `docs/loans.md` -> "`docs/loans.md` was read as `/docs/Loans.md`: cite `/docs/Loans.md`."
    """
    if surrogate_at(citation) is not None:
        return (
            f"{quote(citation)} holds a lone surrogate, which a path cannot: cite the path as it "
            "was read."
        )
    # The file that it means: its canonical `path`, and `citation`, this path with the fragment
    target = evidence.find(citation)
    if target.path == "/":  # the root folder, also the target of an empty path
        return f"{quote(citation)} is not a file: {TAKE_BACK}."
    if target.is_directory:
        return f"{quote(citation)} is a folder: cite the files in it that were read, and {TAKE_BACK}."

    # A file that was read or listed: the citation must be its path, with or without a fragment.
    if target.is_known:
        if citation == target.citation:
            return ""
        is_or_was = "was read" if target.access is not None else "is listed"
        return f"{quote(citation)} {is_or_was} as {quote(target.path)}: cite {quote(target.citation)}."

    # An unknown file: gate 4 rejects its citation, and this gate judges only the form of the path.
    path, fragment = split_fragment(citation)
    canonical_path = canonical(path.strip())
    if path == canonical_path:
        return ""
    if path.endswith("/"):
        form = "a folder or a misspelt file"
    else:
        form = "not an absolute canonical path"
    return (
        f"{quote(citation)} is {form}: read and cite {quote(canonical_path + fragment)}, and "
        f"{TAKE_BACK}."
    )
