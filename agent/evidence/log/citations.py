"""Checks the citations of a trial's scripts.

A script cites a file that a call has read, with a reason, or with a quotation from the text that
the call returned. After `read("/docs/fees.md")` has returned three lines, of which the last is
`Fee: 7 EUR`:

    check("/docs/fees.md", "has the fee")                  -> CitedPlace("/docs/fees.md", line=0)
    check("/DOCS/fees.md", "has the fee", "fee: 7 eur")    -> CitedPlace("/docs/fees.md", line=3)
    check("/docs/loans.md", "has the fee")                 -> ValueError: it was not read
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import islice
from typing import Final, NamedTuple

from controlplane.agent.evidence.log.evidence_collector import EvidenceCollector
from controlplane.agent.evidence.log.found_quotations import FoundQuotations
from controlplane.agent.evidence.log.quotation_search import (
    UNKNOWN_LINE,
    QuotationSearch,
)
from controlplane.agent.evidence.paths.cited_paths import CitedPaths
from controlplane.gates.evidence import Evidence
from controlplane.gates.paths import nearest
from controlplane.gates.quoting import quote
from controlplane.gates.submission import fault_of_reason

MOST_COMPARED_PATHS: Final = 100
"""How many read paths are compared with a mistyped path, to suggest the nearest one."""


class CitedPlace(NamedTuple):
    """What an answer cites: a file, and a line of it."""

    spelling: str
    """The path as listings spell it. It has a fragment, such as `#row=7`, if the script cited
    one."""
    line: int
    """The line on which the quotation begins, from 1. It is 0 if the script did not quote, or
    if the line is not known."""


@dataclass(slots=True)
class Citations:
    """Checks the citations of one trial, and keeps the quotations that were found."""

    evidence: EvidenceCollector
    """Has what the trial has read so far (`view()`)."""
    cited_paths: CitedPaths
    """The path by which to cite each file."""
    quotations: FoundQuotations
    """The quotations that were found. They are a part of the evidence."""
    _quotation_search: QuotationSearch = field(default_factory=QuotationSearch)
    """Looks for quotations in the texts that were read."""

    def check(self, path: str, reason: str, quotation: str = "") -> CitedPlace:
        """Return the place that a script cites, by a path and a reason or a quotation.

        Raises `ValueError`, with a message for the script, if
        - the path was not read (the message names the most similar path that was),
        - the path is a folder,
        - the quotation is not in the text that was read at the path, or
        - there is no quotation, and the reason is shorter than 8 characters.
        """
        if quotation:
            return self._quoted_place(path.strip(), quotation)
        fault = fault_of_reason(path, reason)
        if fault:
            raise ValueError(fault)
        return CitedPlace(self._spelling_to_cite(path.strip()), UNKNOWN_LINE)

    def _quoted_place(self, path: str, quotation: str) -> CitedPlace:
        """Return the place of a quotation in the text that was read at a path, and keep it."""
        spelling = self._spelling_to_cite(path)
        access = self.evidence.view().find(spelling).access
        seen_texts = () if access is None else access.seen
        line = self._quotation_search.line_of(quotation, spelling, seen_texts)
        self.add_quotation(spelling, quotation)
        return CitedPlace(spelling, line)

    def _spelling_to_cite(self, path: str) -> str:
        """Return a path as listings spell it: `/docs/fees.md` for `/DOCS/fees.md`.

        Raises `ValueError`, with a message for the script, if the path is a folder, or was
        not read.
        """
        # Most citations name a file by the path of a call, which is found at once.
        spelling = self.cited_paths.quick_path_to_cite(path)
        if spelling is not None:
            return spelling
        evidence = self.evidence.view()  # takes long to collect after each call
        reference = evidence.find(path)
        if reference.is_directory:
            msg = f"{quote(path)} is a folder: cite the files in it that were read."
            raise ValueError(msg)
        if reference.access is None:
            raise ValueError(_message_of_unread(path, evidence))
        return reference.citation

    def add_quotation(self, spelling: str, quotation: str) -> None:
        """Keep a quotation that was found. A resumed trial adds those of its recorded steps, too."""
        path = self.evidence.view().find(spelling).path  # without a fragment
        self.quotations.add(path, quotation)
        self.evidence.invalidate()  # The cached evidence lacks the new quotation.


def _message_of_unread(path: str, evidence: Evidence) -> str:
    """Return the message that a cited path was not read. It names the most similar one that was."""
    near = nearest(path, islice(evidence.accesses, MOST_COMPARED_PATHS))
    hint = f" (nearest that was read: {quote(near)})" if near else ""
    return f"{quote(path)} was not read in this trial{hint}: read it before citing it."
