"""A script may prove by a quotation that it has read a file: `cite(path, reason, quotation)`.

The quotation is looked up at once in what the trial has read. If it is found, gate 5, which checks
the reasons of citations, accepts any reason; if not, `cite` raises, so that the script learns of
it.
"""

from __future__ import annotations

import pytest

from tests.gates.found_verdicts import objection_of
from tests.gates.judged_scratchpads import judge_scratchpad, valid_scratchpad
from tests.gates.recorded_calls import CallsOfTrial


@pytest.mark.parametrize(
    "reason",
    [
        pytest.param("relevant document here", id="English"),
        pytest.param("warum auch immer es zählt", id="German"),
        pytest.param("raison quelconque", id="French"),
        pytest.param("根拠となる規則の文書です", id="Japanese"),
    ],
)
def test_a_found_quotation_justifies_a_citation_with_any_reason(reason: str) -> None:
    """The quotation is found although its case and its blanks differ from the file's."""
    calls = CallsOfTrial()
    calls.read_text("/docs/fr.md", "Un prêt dure\n21  jours, sauf avis contraire.")

    canonical_path, line_number = calls.cite("/docs/fr.md", reason, "dure 21 JOURS")

    assert canonical_path == "/docs/fr.md"
    assert line_number == 1

    scratchpad = valid_scratchpad(refs_why={"/docs/fr.md": reason})
    assert objection_of(judge_scratchpad(scratchpad, calls), 5) == ""


@pytest.mark.parametrize(
    "quotation",
    [
        pytest.param("Books marked as reserved", id="one word more than the file"),
        pytest.param("b-104", id="stands in another file"),
        pytest.param("xy", id="stands in no file"),
    ],
)
def test_citing_with_a_quotation_that_is_not_in_the_file_raises(
    quotation: str,
) -> None:
    calls = CallsOfTrial()
    calls.read_text("/docs/Loans.md", "A loan runs 21 days. Books marked reserved ...")
    calls.read("/shelves/north side/b-104.json")

    with pytest.raises(ValueError, match="quot"):
        calls.cite("/docs/Loans.md", "a loan runs 21 days", quotation)
