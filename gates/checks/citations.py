"""Judges what a submission cites: gates 3 and 4, and the rule `demanded-citation`.

Each citation must be spelled as its file is, `/docs/Loans.md` and not `docs/loans.md`, because
graders compare citations as strings (gate 3); a call of the trial must have accessed the file
(gate 4); and what the request says to cite must be cited. A citation is a path with or without a
fragment, such as `/logs/lent.tsv#row=7`. `Evidence.find` returns the known file that it refers to.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Final

import re2

from controlplane.gates.checks.justification import has_quotation
from controlplane.gates.evidence import Evidence
from controlplane.gates.opinions import Inapplicable, Objection, Opinion
from controlplane.gates.paths import base_name, canonical, split_fragment
from controlplane.gates.quoting import Plain, describe, quote
from controlplane.gates.request_text import own_words_of
from controlplane.gates.submission import Case, Submission, fault_of_reason
from controlplane.gates.text_folding import surrogate_at
from controlplane.sandbox.interface import bounds

_TAKE_BACK: Final = "take it back with `scratchpad.uncite(path)`"
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
    elif isinstance(submission.refs, list):
        faults = [
            f"{describe(path)} is not a path: cite strings."
            for path in submission.refs
            if not isinstance(path, str)
        ]
    elif submission.refs is not None:
        faults = [f"`refs` is {describe(submission.refs)}: it must be a list of paths."]
    else:
        return Inapplicable("nothing is cited")

    seen: set[str] = set()
    for citation in submission.citations:
        fault = _fault_of_spelling(citation, evidence)
        if fault:
            faults.append(fault)
        elif citation in seen:
            faults.append(f"{quote(citation)} is cited twice: {_TAKE_BACK}.")
        seen.add(citation)
    return faults


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
        return f"{quote(citation)} is not a file: {_TAKE_BACK}."
    if target.is_directory:
        return f"{quote(citation)} is a folder: cite the files in it that were read, and {_TAKE_BACK}."

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
        f"{_TAKE_BACK}."
    )


def judge_accessed_citations(
    submission: Submission, evidence: Evidence, case: Case
) -> Opinion:
    """Reject a citation of a path that this trial's calls never accessed.

    Journals call this gate `citations were read`. But a file that was only written is accepted,
    too, and one that was deleted after it was read. Seeing a name in a listing is not enough. A
    citation with a fragment, or in another spelling, counts as the file that it refers to.
    """
    if not evidence.has_trace:
        return Inapplicable("there is no trace of what was read")
    if not submission.citations:
        return Inapplicable("nothing is cited")
    faults: list[str] = []
    for citation in submission.citations:
        target = evidence.find(citation)
        if target.access is not None or target.is_directory:  # gate 3 rejects a folder
            continue
        # The hint takes time, so only the faults that are shown get one.
        hint = ""
        is_shown = len(faults) < bounds.SHOWN_FAULTS
        if is_shown:
            # " (nearest that was read: `/a.md`)"
            hint = evidence.nearest_note(citation)
        faults.append(
            f"{quote(citation)} was not read in this trial{hint}: read it, and see that it "
            f"supports the answer; if it does not, {_TAKE_BACK}."
        )
    return faults


def ask_demanded_citations(
    submission: Submission, evidence: Evidence, case: Case
) -> Opinion:
    """Object to an answer that is done and lacks a demanded citation.

    Returns one of:

    - an `Inapplicable`, for an answer with another outcome;
    - a text, the fault that no record or no row is cited;
    - an `Objection` that demands the files, if any, which the request says to read. The caller
      finds which of them are not cited, and makes a fault of these: "`/logs/lent.tsv` is what
      the request is about, and it is not cited."
    """
    if not case.is_done(submission):
        return Inapplicable(
            "a refusal cites what it rests on, whatever the request asks for"
        )
    request = own_words_of(case.instruction)
    if not submission.citations and _demands_citation(request):
        return (
            "Nothing is cited, but the request asks for a citation: read what the answer rests "
            "on, and cite it."
        )
    fault = _fault_of_no_row(submission, request)
    if fault:
        return fault
    return Objection(
        demands=tuple(_files_to_read(request, evidence)),
        missing_message="{paths} is what the request is about, and it is not cited.",
    )


_END_OF_SENTENCE: Final = re2.compile(r"[.!?]|\n\s*\n")
_ASKS_FOR_CITATION: Final = re2.compile(r"\b(?:[Cc]ite|grounding refs?)\b")
"""`Cite the record`, `with grounding refs`"""
_MAY_NEED_NO_CITATION: Final = re2.compile(
    r"(?i)\b(?:every|each|all|any|if|no|not|don't|never)\b"
)
"""Words of a sentence that may demand no citation: `cite every record that differs`.

An answer without citations fulfils it if no record differs. So does one for `do not cite`.
"""


def _demands_citation(request: str) -> bool:
    """Return True if a sentence of a request, in its own words, asks for a citation unconditionally.

    True for `Cite the record.`, false for `Cite every record that differs.`
    """
    for sentence in _END_OF_SENTENCE.split(request):
        asks = _ASKS_FOR_CITATION.search(sentence)
        if asks and not _MAY_NEED_NO_CITATION.search(sentence):
            return True
    return False


_ROW_START: Final = r"(?P<start>/[^\s#]+#[\pL\pN_]+=)"
"""The beginning of each citation of a row: `/logs/lent.tsv#row=`."""
_ROW_PLACEHOLDER: Final = r"<[\pL\pN_]+>"
"""`<RowID>`, which stands for the id of a row."""
_ROW_FORM: Final = re2.compile(rf"(?:^|\s)(?P<form>{_ROW_START}{_ROW_PLACEHOLDER})")
"""The form in which a request wants rows to be cited: `/logs/lent.tsv#row=<RowID>`."""


def _fault_of_no_row(submission: Submission, request: str) -> str:
    """Return the fault of an answer that cites no row, if the request says how to cite rows.

    A request says so by a form, `cite rows as /logs/lent.tsv#row=<RowID>`. Only an answer with a
    number above 0 needs rows: `3 books`, but not `0` or `no records`.
    """
    row_form = _ROW_FORM.search(request)
    states_number = any(digit in submission.answer_text for digit in "123456789")
    if row_form is None or not states_number:
        return ""
    for citation in submission.citations:
        if citation.startswith(row_form["start"]):
            return ""
    return (
        f"No row is cited; rows are cited as {quote(row_form['form'])}: check which rows the "
        "answer rests on."
    )


_MOST_NAMED_SOURCES: Final = 20
"""At most this many of the files that a request names are checked."""
_WORDS_BETWEEN: Final = r"(?:[a-zA-Z]+\s){0,8}?"
"""At most eight words between `read` and the file that is to be read: `the log `. The last `?`
makes the pattern take as few as possible, and so find the first file."""
_FILE_TO_READ: Final = re2.compile(
    rf"\b(?:[Rr]ead|[Ll]ook at|upload)\s{_WORDS_BETWEEN}(?P<path>/[\pL\pN_./#-]+)"
)
"""A file that the request says to read: `read the log /logs/lent.tsv`, `the upload /in/a.csv`."""


def _files_to_read(request: str, evidence: Evidence) -> Iterator[str]:
    """Yield the files that a request says to read.

    Leaves out files that the trial's calls are known not to have read: gate 4 would
    reject their citations. Also leaves out folders, fragments and files directly below
    `/`, because these may mean something else in a request: `/help` may be a command.
    """
    # 1. Find the paths. A point or hyphen at the end belongs to the sentence.
    names: list[str] = []
    for match in islice(_FILE_TO_READ.finditer(request), _MOST_NAMED_SOURCES):
        names.append(match["path"].rstrip(".-"))

    # 2. Leave out what may be no file, and what cannot be cited.
    for name in dict.fromkeys(names):
        has_extension = "." in base_name(name).strip(".")
        is_below_root_folder = "/" in name[1:]  # `/logs/lent.tsv`, but not `/help`
        if "#" in name or not has_extension or not is_below_root_folder:
            continue
        path = evidence.find(name).path
        may_have_been_read = path in evidence.accesses or not evidence.has_trace
        if may_have_been_read:
            yield path
