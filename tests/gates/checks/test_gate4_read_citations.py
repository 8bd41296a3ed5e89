"""Gate 4: a cited path was read, and the nearest one that was is named."""

import time

import pytest

from gates import Case, Submission, judge
from gates.types import Evidence
from tests.gates.checks.cited_trial import BOOK, calls_of_a_trial
from tests.gates.sample_trials import Calls, judged, pad, verdict


def test_the_nearest_path_that_was_read_is_named() -> None:
    refs = {"/shelves/north side/b-103.json": "b-103 has 3 copies"}
    found = verdict(judged(pad(refs_why=refs), calls_of_a_trial()), 4)
    assert found.result == "reject"
    assert f"nearest that was read: `{BOOK}`" in found.reason


@pytest.mark.parametrize("path", ["/empty.txt", "/docs/Fees.md", "/bin/ship"])
def test_a_path_that_was_not_touched_is_rejected_though_it_may_be_listed(path: str) -> None:
    assert verdict(judged(pad(refs_why={path: "21 days of loan"}), calls_of_a_trial()), 4).result == "reject"


def test_a_thousand_bad_references_are_reported_by_a_few_and_a_count() -> None:
    refs = {f"/nowhere/{number}.md": "no such thing" for number in range(1_000)}
    found = verdict(judged(pad(refs_why=refs), calls_of_a_trial()), 4)
    assert "and 992 more" in found.reason
    assert len(found.reason) < 4_001


def test_thousands_of_invented_paths_beside_thousands_of_read_ones_are_told_in_bounded_time() -> None:
    calls = Calls()
    calls.read(*(f"/shelf/{number}.json" for number in range(3_000)))
    paths = [f"/nowhere/{number}.md" for number in range(3_000)]
    facts = {path: {"value": 1, "description": "d", "source": path, "confidence": "verified"} for path in paths}
    submission = pad(refs_why=dict.fromkeys(paths, "no such thing"), facts=facts)
    started = time.process_time()
    found = judged(submission, calls)
    assert time.process_time() - started < 2
    for gate in (2, 4):
        lines = verdict(found, gate).reason.splitlines()
        assert sum("nearest that was read" in line for line in lines) == 8
        assert "and 2992 more" in lines[-1]


def test_where_nothing_was_read_no_nearest_path_is_named() -> None:
    reason = verdict(judged(pad(), Calls()), 4).reason
    assert "was not read" in reason
    assert "nearest" not in reason


def test_without_a_trace_nothing_is_known_of_what_was_read() -> None:
    submission = Submission(answer="2", outcome="OUTCOME_OK", refs=("/docs/Loans.md",))
    assert verdict(judge(submission, Evidence(), Case("How many?")), 4).result == "not_applicable"


def test_a_folder_is_left_to_the_gate_of_canonical_citations() -> None:
    found = judged(pad(refs_why={"/docs": "where the loan rules are"}), calls_of_a_trial())
    assert [verdict(found, gate).result for gate in (3, 4)] == ["reject", "pass"]


def test_without_a_citation_there_is_nothing_to_have_been_read() -> None:
    assert verdict(judged(pad(refs_why={}), calls_of_a_trial()), 4).result == "not_applicable"
