"""Checks the citations of a trial's scripts.

A script cites a file that a call has read, with a reason, or with a quotation from the text that
the call returned. After `read("/docs/fees.md")` has returned three lines, of which the last is
`Fee: 7 EUR`:

    check("/docs/fees.md", "has the fee")                  -> CitedPlace("/docs/fees.md", line=0)
    check("/DOCS/fees.md", "has the fee", "fee: 7 eur")    -> CitedPlace("/docs/fees.md", line=3)
    check("/docs/loans.md", "has the fee")                 -> ValueError: it was not read
"""

from __future__ import annotations

from typing import NamedTuple

from controlplane.agent.evidence.log.citing.cited_files import CitedFiles
from controlplane.agent.evidence.log.citing.quotation_search import (
    UNKNOWN_LINE,
    QuotationSearch,
)
from controlplane.agent.evidence.log.evidence_collector import EvidenceCollector
from controlplane.agent.evidence.log.evidence_parts import EvidenceParts
from controlplane.gates.submission import fault_of_reason


class CitedPlace(NamedTuple):
    """What an answer cites: a file, and a line of it."""

    spelling: str
    """The path as listings show it, `/docs/fees.md`; also with a fragment, `/docs/fees.md#row=7`, if
    the script has cited one."""
    line: int
    """The line on which the quotation begins, from 1; 0 without one, or if it is not known."""


class Citations:
    """Checks the citations of one trial, and keeps the quotations that were found."""

    def __init__(self, evidence: EvidenceCollector, parts: EvidenceParts) -> None:
        self._evidence = evidence
        """`view()` returns what the trial has read so far. It is put together anew after
        `invalidate()`."""
        self._cited_files = CitedFiles(evidence, parts.workspace.cited_paths)
        self._quotation_search = QuotationSearch()
        self._quotations = parts.quotations
        """The quotations that were found. They are a part of the evidence."""

    def check(self, path: str, reason: str, quotation: str = "") -> CitedPlace:
        """Return the place that a script cites, by a path and a reason or a quotation.

        Raises `ValueError`, with a message for the script, if the file was not read, it does
        not have the quotation, or there is no quotation and the reason is too short.
        """
        if quotation:
            return self._place_of_quotation(path, quotation)
        return self._place_of_file(path, reason)

    def _place_of_file(self, path: str, reason: str) -> CitedPlace:
        """Return the place that is cited by a path and a reason."""
        fault = fault_of_reason(path, reason)
        if fault:
            raise ValueError(fault)
        spelling = self._cited_files.spelling_of(path)  # Raises if it was not read.
        return CitedPlace(spelling, UNKNOWN_LINE)

    def _place_of_quotation(self, path: str, quotation: str) -> CitedPlace:
        """Return the place that is cited by a path and a quotation. The reason may be short."""
        spelling = self._cited_files.spelling_of(path)  # Raises if it was not read.
        access = self._evidence.view().find(spelling).access
        read_texts = access.seen if access is not None else ()
        # Raises if no text has the quotation.
        line = self._quotation_search.line_of(quotation, spelling, read_texts)
        self.add_quotation(spelling, quotation)
        return CitedPlace(spelling, line)

    def add_quotation(self, spelling: str, quotation: str) -> None:
        """Keep a quotation that was found. A resumed trial adds those of its earlier run, too."""
        path = self._evidence.view().find(spelling).path  # without a fragment
        self._quotations.add(path, quotation)
        self._evidence.invalidate()  # The cached evidence lacks the new quotation.
