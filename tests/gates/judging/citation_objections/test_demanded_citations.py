"""A rule of a user may demand that an answer cites some files.

    Objection(demands=("/a", "/b"), missing_message="{paths} is missing.")

The rule returns this objection whatever is cited. An answer that does not cite `/a` is rejected:
"`/a` is missing."
"""

from __future__ import annotations

from controlplane.gates.opinions import Objection
from tests.gates.judging.citation_objections.rule_verdicts import verdict_on

DEMAND = Objection(demands=("/a", "/b"), missing_message="{paths} is missing.")


def test_an_answer_with_all_demanded_citations_passes() -> None:
    verdict = verdict_on(DEMAND, cited={"/a", "/b"})

    assert verdict.result == "pass"
    assert verdict.reason == ""


def test_a_missing_citation_is_named() -> None:
    verdict = verdict_on(DEMAND, cited={"/b"})

    assert verdict.result == "reject"
    assert verdict.reason == "`/a` is missing."


def test_all_missing_citations_are_named() -> None:
    verdict = verdict_on(DEMAND, cited=set())

    assert verdict.result == "reject"
    assert verdict.reason == "`/a`, `/b` is missing."


def test_a_path_that_a_rule_lists_twice_is_named_once() -> None:
    demand = Objection(
        demands=("/a", "/b", "/a"), missing_message="{paths} is missing."
    )

    verdict = verdict_on(demand, cited=set())

    assert verdict.reason == "`/a`, `/b` is missing."
