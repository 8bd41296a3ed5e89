"""A quotation is evidence once its citation counts, and not because it was looked for.

A trial that repeats its recorded steps checks its citations again. One that was refused when it was
recorded stays refused, even if the file has the quotation today. Then it must not support an answer.
"""

from __future__ import annotations

from controlplane.agent.events import Citation
from controlplane.agent.evidence import EvidenceLog
from tests.gates.library_workspace import TOOL_SCHEMA

PATH = "/docs/Loans.md"
QUOTATION = "A loan runs 21 days."
REASON = "it has the days of a loan"


def log_of_read_file() -> EvidenceLog:
    """Return the evidence of a trial that has read the file with the quotation."""
    log = EvidenceLog(TOOL_SCHEMA)
    result = {"path": PATH, "content": QUOTATION}
    log.add_call("read", {"path": PATH}, result, error=None)
    return log


def test_a_quotation_that_was_only_looked_for_is_not_evidence() -> None:
    log = log_of_read_file()

    place = log.citations.check(PATH, REASON, QUOTATION)

    assert place.line == 1
    assert log.view().quotations == {}


def test_the_quotation_of_a_citation_that_counts_is_evidence() -> None:
    log = log_of_read_file()
    accepted = Citation(
        path=PATH, reason=REASON, quote=QUOTATION, after_calls=1, spelling=PATH, line=1
    )

    log.add_citation(accepted)

    assert log.view().quotations == {PATH: (QUOTATION,)}


def test_the_quotation_of_a_refused_citation_is_not_evidence() -> None:
    log = log_of_read_file()
    refused = Citation(
        path=PATH, reason=REASON, quote=QUOTATION, after_calls=1, error="was not read"
    )

    log.add_citation(refused)

    assert log.view().quotations == {}
