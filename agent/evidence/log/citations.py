"""Checks the citations of a trial's scripts.

A script cites a file that a call has read, with a reason, or with a quotation from the text that
the call returned. If it spells the path in another way than listings, the answer gets the listed
path. After `read("/docs/fees.md")` has returned a text with `Fee: 7 EUR` in its third line:

    check("/DOCS/fees.md", reason="has the fee", quotation="fee: 7 eur") -> /docs/fees.md, line 3
    check("/docs/loans.md", reason="has the fee")  -> ValueError: it was not read in this trial
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import islice
from typing import Final, NamedTuple

from controlplane.agent.evidence.log.evidence_view import EvidenceView
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
    """The path as listings spell it, with a fragment such as `#row=7` if it had one."""
    line: int
    """The line on which the quotation begins, from 1; 0 if it is unknown, or without one."""


@dataclass(slots=True)
class Citations:
    """Checks the citations of one trial, and keeps the quotations that were found.

    A script cites `/DOCS/fees.md`, with a reason or a quotation. A call must have read this
    file, and have returned the quotation. The answer cites the file in the *spelling* of
    listings: `/docs/fees.md`.
    """

    evidence: EvidenceView
    """The evidence so far. Its `current()` is cached, because it takes long to collect."""
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
        access = self.evidence.current().find(spelling).access
        seen_texts = () if access is None else access.seen
        line = self._quotation_search.line_of(quotation, spelling, seen_texts)
        self.add_quotation(spelling, quotation)
        return CitedPlace(spelling, line)

    def _spelling_to_cite(self, path: str) -> str:
        """Return the spelling in which to cite `path`. Raises `ValueError` if it is not citable."""
        # Most citations name a file by the path of a call. That is found at once. Other paths
        # are looked up in all the evidence.
        spelling = self.cited_paths.quick_path_to_cite(path)
        if spelling is not None:
            return spelling
        return spelling_to_cite(path, self.evidence.current())

    def add_quotation(self, spelling: str, quotation: str) -> None:
        """Keep a quotation that was found. A resumed trial adds those of its recorded steps, too."""
        path = self.evidence.current().find(spelling).path
        self.quotations.add(path, quotation)
        self.evidence.invalidate()  # The cached evidence lacks the new quotation.


def spelling_to_cite(path: str, evidence: Evidence) -> str:
    """Return the spelling in which to cite a path, which may have a fragment such as `#row=7`.

    Raises `ValueError`, with a message for the script, if the path is a folder, or was
    not read. The message names the most similar path that was read.
    """
    reference = evidence.find(path)
    if reference.is_directory:
        msg = f"{quote(path)} is a folder: cite the files in it that were read."
        raise ValueError(msg)
    if reference.access is None:
        near = nearest(path, islice(evidence.accesses, MOST_COMPARED_PATHS))
        hint = f" (nearest that was read: {quote(near)})" if near else ""
        msg = (
            f"{quote(path)} was not read in this trial{hint}: read it before citing it."
        )
        raise ValueError(msg)
    return reference.citation
