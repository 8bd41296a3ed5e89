"""The verdict that follows from what the function of a user's rule returns, its opinion."""

from __future__ import annotations

from controlplane.gates.evidence import Evidence
from controlplane.gates.opinions import Opinion
from controlplane.gates.rules import Rule
from controlplane.gates.submission import Case, Submission
from controlplane.gates.verdicts import Verdict


def verdict_on(opinion: Opinion, *, rule_set: str = "") -> Verdict:
    """Return the verdict of a rule, called `sum`, whose function returns this opinion.

    `verdict_on("count again")` -> `Verdict(name="sum", result="reject", reason="count again", …)`
    """
    rule = Rule("sum", lambda submission, evidence, case: opinion)
    returned_opinion = rule.opinion(Submission(), Evidence(), Case(""))
    no_paths: frozenset[str] = frozenset()
    return rule.verdict(
        returned_opinion, cited=no_paths, demanded=no_paths, rule_set=rule_set
    )
