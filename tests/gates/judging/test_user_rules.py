"""Rules that a user adds to the gates: what they return, how they disagree, and how they fail.

A rule is a Python function that gets a submission, with the evidence of its trial, and returns what
it has to say: `"count again"` is a fault, and an `Objection` names citations that it misses or
does not want. A rule set has the rules of one benchmark, such as a library's.
"""

from __future__ import annotations

import pytest

from controlplane.gates.evidence import Evidence
from controlplane.gates.opinions import Inapplicable, Objection, Opinion
from controlplane.gates.rule_set_loading import RuleSetError, load_rule_set
from controlplane.gates.rules import Rule, RuleSet
from controlplane.gates.submission import Case, Submission
from controlplane.gates.verdicts import RULE_FAILED, RULE_SET_GATE, Verdict
from tests.gates.judged_scratchpads import (
    judge_scratchpad,
    objection_of,
    rejecting_keys,
    valid_scratchpad,
    verdict_of,
)
from tests.gates.recorded_calls import CallsOfTrial


def rule_with(name: str, opinion: Opinion) -> Rule:
    """Return a rule that has this opinion of every submission.

    An opinion is what the function of a rule returns, such as a fault or an `Objection`.
    """

    def opinion_of(submission: Submission, evidence: Evidence, case: Case) -> Opinion:
        return opinion

    return Rule(name, opinion_of)


class TestRulesThatDisagree:
    """One rule may demand a citation that another one forbids.

    A citation that is demanded is never surplus: the demand wins, whichever rule is judged
    first. The function of a rule returns an `Objection`, which names the paths that it demands
    or forbids.
    """

    @pytest.mark.parametrize("rule_order", ["demands forbids", "forbids demands"])
    @pytest.mark.parametrize(
        ("citations", "objections"),
        [
            pytest.param(
                {"/docs/Loans.md": "a loan runs 21 days"},
                {},
                id="only the demanded file",
            ),
            pytest.param(
                {
                    "/docs/Loans.md": "a loan runs 21 days",
                    "/logs/lent.tsv": "row 7 is b-104",
                },
                {"x/forbids": "`/logs/lent.tsv` is surplus."},
                id="the demanded and a forbidden file",
            ),
            pytest.param(
                {"/logs/lent.tsv": "row 7 is b-104"},
                {
                    "x/demands": "`/docs/Loans.md` is missing.",
                    "x/forbids": "`/logs/lent.tsv` is surplus.",
                },
                id="only a forbidden file",
            ),
        ],
    )
    def test_a_citation_that_one_rule_demands_is_not_forbidden_by_another(
        self, citations: dict[str, str], objections: dict[str, str], rule_order: str
    ) -> None:
        """One rule demands the loan rules, another forbids them and the log. In either order of the
        rules the demand wins, and only the log stays forbidden."""
        demand = Objection(
            demands=("/docs/Loans.md",), missing_message="{paths} is missing."
        )
        prohibition = Objection(
            forbids=("/docs/Loans.md", "/logs/lent.tsv"),
            surplus_message="{paths} is surplus.",
        )
        opinions: dict[str, Opinion] = {"demands": demand, "forbids": prohibition}
        rules = [rule_with(name, opinions[name]) for name in rule_order.split()]
        calls = CallsOfTrial()
        calls.read("/docs/Loans.md", "/logs/lent.tsv")

        judgement = judge_scratchpad(
            valid_scratchpad(refs_why=citations),
            calls,
            rule_sets=(RuleSet("x", tuple(rules)),),
        )

        actual_objections: dict[str, str] = {}
        for key in rejecting_keys(judgement):
            actual_objections[key] = objection_of(judgement, key)
        assert actual_objections == objections


def verdict_on_opinion(
    opinion: Opinion, cited: set[str] | None = None, demanded: set[str] | None = None
) -> Verdict:
    """Return the verdict of the rule `sum` of the rule set `library`, which returns this opinion.

    `cited` are the paths that the submission cites, `demanded` those that any rule demands.
    """
    rule = rule_with("sum", opinion)
    returned_opinion = rule.opinion(Submission(), Evidence(), Case(""))
    return rule.verdict(
        returned_opinion,
        cited=frozenset(cited or ()),
        demanded=frozenset(demanded or ()),
        rule_set="library",
    )


class TestOpinionsOfRules:
    """The function of a rule returns an opinion, which becomes a verdict.

    An opinion is what the function has to say, such as "count again", a fault. The verdict is
    what the journal keeps: `Verdict(name="library/sum", result="reject", reason="count again",
    ...)`.
    """

    def test_a_verdict_names_the_rule_and_its_rule_set(self) -> None:
        verdict = verdict_on_opinion("count again")

        assert verdict.gate == RULE_SET_GATE
        assert verdict.name == "library/sum"

    @pytest.mark.parametrize("opinion", [None, "", []])
    def test_a_rule_that_returns_no_fault_passes(self, opinion: Opinion) -> None:
        """A rule may return None, an empty text or an empty list."""
        verdict = verdict_on_opinion(opinion)

        assert verdict.result == "pass"
        assert verdict.reason == ""

    @pytest.mark.parametrize(
        ("opinion", "reason"),
        [
            pytest.param("count again", "count again", id="one fault"),
            pytest.param(["one", "", "two"], "one\ntwo", id="two faults"),
            pytest.param(
                [None, 7, "x"], "x", id="a fault beside values of other types"
            ),
        ],
    )
    def test_a_rule_that_returns_faults_rejects(
        self, opinion: Opinion, reason: str
    ) -> None:
        """A rule may return one fault or a list of faults."""
        verdict = verdict_on_opinion(opinion)

        assert verdict.result == "reject"
        assert verdict.reason == reason

    @pytest.mark.parametrize(
        ("opinion", "reason_start"),
        [
            pytest.param(Inapplicable("no sum"), "no sum", id="the rule cannot judge"),
            pytest.param(7, "the rule failed: ", id="not an opinion"),
        ],
    )
    def test_a_rule_without_an_opinion_does_not_apply(
        self, opinion: Opinion, reason_start: str
    ) -> None:
        """A rule may say that it cannot judge, or return something that is not an opinion."""
        verdict = verdict_on_opinion(opinion)

        assert verdict.result == "not_applicable"
        assert verdict.reason.startswith(reason_start)


def verdict_on_citations(cited: set[str], demanded_by_others: set[str]) -> Verdict:
    """Return the verdict of a rule that demands `/a` and `/b`, and forbids `/c` and `/d`.

    A rule returns the same objection whatever is cited; `{paths}` are those that break it.
    """
    objection = Objection(
        demands=("/a", "/b", "/a"),  # A path that is listed twice is reported once.
        missing_message="{paths} is missing.",
        forbids=("/c", "/d"),
        surplus_message="{paths} is surplus.",
    )
    demanded = {"/a", "/b"} | demanded_by_others
    return verdict_on_opinion(objection, cited, demanded)


class TestOpinionsOnCitations:
    """A rule may demand citations of some paths, and forbid others.

    The rule of these tests demands `/a` and `/b` ("{paths} is missing."), and forbids `/c` and
    `/d` ("{paths} is surplus.") unless another rule demands them.
    """

    @pytest.mark.parametrize(
        ("cited", "demanded_by_others"),
        [
            pytest.param({"/a", "/b"}, set(), id="all that is demanded"),
            pytest.param(
                {"/a", "/b", "/c"}, {"/c"}, id="a forbidden path that others demand"
            ),
        ],
    )
    def test_citations_that_satisfy_the_rule_pass(
        self, cited: set[str], demanded_by_others: set[str]
    ) -> None:
        """`/a` and `/b` are cited, and no path that is forbidden."""
        verdict = verdict_on_citations(cited, demanded_by_others)

        assert verdict.result == "pass"
        assert verdict.reason == ""

    @pytest.mark.parametrize(
        ("cited", "demanded_by_others", "reason"),
        [
            pytest.param({"/b"}, set(), "`/a` is missing.", id="one missing"),
            pytest.param(set(), set(), "`/a`, `/b` is missing.", id="all missing"),
            pytest.param(
                {"/a", "/b", "/c"}, set(), "`/c` is surplus.", id="one forbidden"
            ),
            pytest.param(
                {"/c", "/d"},
                {"/d"},
                "`/a`, `/b` is missing.\n`/c` is surplus.",
                id="all missing, one forbidden, one demanded by others",
            ),
        ],
    )
    def test_citations_that_break_the_rule_are_rejected_with_their_paths(
        self, cited: set[str], demanded_by_others: set[str], reason: str
    ) -> None:
        """The reason names the paths that are missing, and those that are surplus."""
        verdict = verdict_on_citations(cited, demanded_by_others)

        assert verdict.result == "reject"
        assert verdict.reason == reason


def raise_key_error(submission: Submission, evidence: Evidence, case: Case) -> str:
    """Fail as a rule with a mistake does, by `KeyError: 'nothing'`."""
    return str({}["nothing"])


class TestBrokenRules:
    """A mistake in a rule of the user does not cost the answer."""

    @pytest.mark.parametrize("enforcement", ["block", "ask"])
    def test_a_rule_that_raises_does_not_apply_and_names_the_failed_line(
        self, enforcement: str
    ) -> None:
        """The reason names the line of this file at which `raise_key_error` failed."""
        rule_set = RuleSet("x", (Rule("broken", raise_key_error, enforcement),))

        judgement = judge_scratchpad(valid_scratchpad(), rule_sets=(rule_set,))

        assert judgement.accepted
        assert judgement.message == ""
        broken_verdict = verdict_of(judgement, "x/broken")
        assert broken_verdict.result == "not_applicable"
        assert broken_verdict.reason.startswith(f"{RULE_FAILED}KeyError: 'nothing'")
        assert "test_user_rules.py, line " in broken_verdict.reason


class TestLoadedRuleSets:
    """A rule set has a name, or is a Python object, as in `package.module:NAME`."""

    @pytest.mark.parametrize(
        ("name", "message"),
        [
            ("nonesuch", "no rule set is called 'nonesuch': use one of ecom, posed"),
            ("nowhere.at:ALL", "cannot be loaded"),
            ("json:nothing", "cannot be loaded"),
            ("json:dumps", "is a function, not a controlplane.gates.rules.RuleSet"),
        ],
    )
    def test_a_rule_set_that_cannot_be_loaded_is_refused_in_one_line(
        self, name: str, message: str
    ) -> None:
        with pytest.raises(RuleSetError, match=message) as raised:
            load_rule_set(name)

        assert "\n" not in str(raised.value)
