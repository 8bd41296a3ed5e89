"""Verdicts of a rule of a user that demands or forbids citations."""

from __future__ import annotations

from controlplane.gates.opinions import Objection
from controlplane.gates.rules import Rule
from controlplane.gates.verdicts import Verdict


def verdict_on(
    objection: Objection,
    *,
    cited: set[str],
    demanded_by_other_rules: frozenset[str] = frozenset(),
) -> Verdict:
    """Return the verdict of a rule with this objection on an answer that cites these paths.

    `verdict_on(Objection(forbids=("/c",), surplus_message="{paths} is surplus."),
    cited={"/c"}).reason` -> "`/c` is surplus."
    """
    rule = Rule("files", lambda submission, evidence, case: objection)
    demanded_by_any_rule = demanded_by_other_rules.union(objection.demands)
    return rule.verdict(objection, frozenset(cited), demanded_by_any_rule)
