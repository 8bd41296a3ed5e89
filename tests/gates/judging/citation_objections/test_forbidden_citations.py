"""A rule of a user may forbid that an answer cites some files, unless another rule demands them.

    Objection(forbids=("/c", "/d"), surplus_message="{paths} is surplus.")

The rule returns this objection whatever is cited. An answer that cites `/c` is rejected: "`/c` is
surplus."
"""

from __future__ import annotations

from controlplane.gates.opinions import Objection
from tests.gates.judging.citation_objections.rule_verdicts import verdict_on

PROHIBITION = Objection(forbids=("/c", "/d"), surplus_message="{paths} is surplus.")


def test_an_answer_without_forbidden_citations_passes() -> None:
    verdict = verdict_on(PROHIBITION, cited={"/a"})

    assert verdict.result == "pass"


def test_a_forbidden_citation_is_named() -> None:
    verdict = verdict_on(PROHIBITION, cited={"/a", "/c"})

    assert verdict.result == "reject"
    assert verdict.reason == "`/c` is surplus."


def test_a_forbidden_citation_that_another_rule_demands_passes() -> None:
    verdict = verdict_on(
        PROHIBITION, cited={"/a", "/c"}, demanded_by_other_rules=frozenset({"/c"})
    )

    assert verdict.result == "pass"
    assert verdict.reason == ""


def test_missing_and_surplus_citations_are_named_together() -> None:
    """`/a` and `/b` are missing, and `/c` is surplus. Another rule demands `/d`."""
    objection = Objection(
        demands=("/a", "/b"),
        missing_message="{paths} is missing.",
        forbids=("/c", "/d"),
        surplus_message="{paths} is surplus.",
    )

    verdict = verdict_on(
        objection, cited={"/c", "/d"}, demanded_by_other_rules=frozenset({"/d"})
    )

    assert verdict.result == "reject"
    assert verdict.reason == "`/a`, `/b` is missing.\n`/c` is surplus."
