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
from typing import NamedTuple

from controlplane.agent.evidence.log.citing.cited_files import CitedFiles
from controlplane.agent.evidence.log.citing.quotation_search import (
    UNKNOWN_LINE,
    QuotationSearch,
)
from controlplane.gates.submission import fault_of_reason


class CitedPlace(NamedTuple):
    """What an answer cites: a file, and a line of it."""

    spelling: str
    """The path as listings show it, `/docs/fees.md`; also with a fragment, `/docs/fees.md#row=7`, if
    the script has cited one."""
    line: int
    """The line on which the quotation begins, from 1; 0 without one, or if it is not known."""


@dataclass(frozen=True, slots=True)
class Citations:
    """Checks the citations of one trial."""

    cited_files: CitedFiles
    """Finds the file that a script cites, and what was read of it."""
    quotation_search: QuotationSearch = field(default_factory=QuotationSearch)
    """Finds the line of a quotation."""

    def check(self, path: str, reason: str, quotation: str = "") -> CitedPlace:
        """Return the place that a script cites, by a path and a reason or a quotation.

        Raises `ValueError`, with a message for the script, if the file was not read, it does
        not have the quotation, or there is no quotation and the reason is too short.
        """
        if quotation:
            return self._place_of_quotation(path, quotation)
        fault = fault_of_reason(path, reason)
        if fault:
            raise ValueError(fault)
        spelling = self.cited_files.spelling_of(path)  # Raises if it was not read.
        return CitedPlace(spelling, UNKNOWN_LINE)

    def _place_of_quotation(self, path: str, quotation: str) -> CitedPlace:
        """Return the place that is cited by a path and a quotation. The reason may be short."""
        spelling = self.cited_files.spelling_of(path)  # Raises if it was not read.
        read_texts = self.cited_files.texts_of(spelling)
        # Raises if no text has the quotation.
        line = self.quotation_search.line_of(quotation, spelling, read_texts)
        return CitedPlace(spelling, line)
