"""A rule may demand that an answer cites some files, and forbid that it cites others.

    Objection(demands=("/a.md",), missing_message="{paths} is missing.")

The rule returns the same objection whatever is cited. It rejects the answer if that matters.
"""

from __future__ import annotations

from controlplane.gates.opinions import Objection
from controlplane.gates.rules import Rule
from controlplane.gates.verdicts import Verdict


def verdict_on(objection: Objection, *, cited: set[str], demanded: set[str]) -> Verdict:
    """Return the verdict of a rule with this objection on an answer that cites these paths.

    `demanded` are the paths that this rule or any other demands.
    """
    rule = Rule("files", lambda submission, evidence, case: objection)
    return rule.verdict(objection, cited=frozenset(cited), demanded=frozenset(demanded))


class TestDemandedCitations:
    """The rule demands `/a` and `/b`."""

    demand = Objection(demands=("/a", "/b"), missing_message="{paths} is missing.")

    def test_an_answer_with_all_demanded_citations_passes(self) -> None:
        verdict = verdict_on(self.demand, cited={"/a", "/b"}, demanded={"/a", "/b"})

        assert verdict.result == "pass"
        assert verdict.reason == ""

    def test_a_missing_citation_is_named(self) -> None:
        verdict = verdict_on(self.demand, cited={"/b"}, demanded={"/a", "/b"})

        assert verdict.result == "reject"
        assert verdict.reason == "`/a` is missing."

    def test_all_missing_citations_are_named(self) -> None:
        verdict = verdict_on(self.demand, cited=set(), demanded={"/a", "/b"})

        assert verdict.result == "reject"
        assert verdict.reason == "`/a`, `/b` is missing."

    def test_a_path_that_a_rule_lists_twice_is_named_once(self) -> None:
        demand = Objection(
            demands=("/a", "/b", "/a"), missing_message="{paths} is missing."
        )

        verdict = verdict_on(demand, cited=set(), demanded={"/a", "/b"})

        assert verdict.reason == "`/a`, `/b` is missing."


class TestForbiddenCitations:
    """The rule forbids `/c` and `/d`, unless another rule demands them."""

    prohibition = Objection(forbids=("/c", "/d"), surplus_message="{paths} is surplus.")

    def test_an_answer_without_forbidden_citations_passes(self) -> None:
        verdict = verdict_on(self.prohibition, cited={"/a"}, demanded=set())

        assert verdict.result == "pass"

    def test_a_forbidden_citation_is_named(self) -> None:
        verdict = verdict_on(self.prohibition, cited={"/a", "/c"}, demanded=set())

        assert verdict.result == "reject"
        assert verdict.reason == "`/c` is surplus."

    def test_a_forbidden_citation_that_another_rule_demands_passes(self) -> None:
        verdict = verdict_on(self.prohibition, cited={"/a", "/c"}, demanded={"/c"})

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

    verdict = verdict_on(objection, cited={"/c", "/d"}, demanded={"/a", "/b", "/d"})

    assert verdict.result == "reject"
    assert verdict.reason == "`/a`, `/b` is missing.\n`/c` is surplus."
