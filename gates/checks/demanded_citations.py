"""Objects to an answer that lacks a citation which the request demands.

A request may demand any citation (`Cite the record`), rows in a given form (`cite rows
as /logs/lent.tsv#row=<RowID>`), or the files that it says to read.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Final

import re2

from controlplane.gates.evidence import Evidence
from controlplane.gates.opinions import Inapplicable, Objection, Opinion
from controlplane.gates.paths import base_name
from controlplane.gates.quoting import quote
from controlplane.gates.request_text import own_words_of
from controlplane.gates.submission import Case, Submission


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
    fault = _fault_of_no_citation(submission, request)
    if not fault:
        fault = _fault_of_no_row(submission, request)
    if fault:
        return fault
    return Objection(
        demands=tuple(_files_to_read(request, evidence)),
        missing_message="{paths} is what the request is about, and it is not cited.",
    )


def _fault_of_no_citation(submission: Submission, request: str) -> str:
    """Return the fault of an answer that cites nothing, if the request asks for a citation.

    `request` is the request's own words: `Which book is lent? Cite the record.`
    """
    if submission.citations or not _demands_citation(request):
        return ""
    return (
        "Nothing is cited, but the request asks for a citation: read what the answer rests "
        "on, and cite it."
    )


_SENTENCE_END: Final = re2.compile(r"[.!?]|\n\s*\n")
_ASKS_FOR_CITATION: Final = re2.compile(r"\b(?:[Cc]ite|grounding refs?)\b")
"""`Cite the record`, `with grounding refs`"""
_MAY_NEED_NO_CITATION: Final = re2.compile(
    r"(?i)\b(?:every|each|all|any|if|no|not|don't|never)\b"
)
"""Words of a sentence that may demand no citation: `cite every record that differs`.

An answer without citations fulfils it if no record differs. So does one for `do not cite`.
"""


def _demands_citation(request: str) -> bool:
    """Return True if a sentence asks for a citation unconditionally.

    True for `Cite the record.`, false for `Cite every record that differs.`
    """
    for sentence in _SENTENCE_END.split(request):
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
    if row_form is None or not _states_positive_number(submission.answer_text):
        return ""
    for citation in submission.citations:
        if citation.startswith(row_form["start"]):
            return ""
    return (
        f"No row is cited; rows are cited as {quote(row_form['form'])}: check which rows the "
        "answer rests on."
    )


def _states_positive_number(text: str) -> bool:
    """Return True if a text has a number above 0: any digit from 1 to 9."""
    return any(digit in text for digit in "123456789")


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
