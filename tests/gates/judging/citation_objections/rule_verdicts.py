"""Verdicts of a rule of a user that demands or forbids citations."""

from __future__ import annotations

from controlplane.gates.opinions import Objection
from controlplane.gates.rules import Rule
from controlplane.gates.verdicts import Verdict


def verdict_on(objection: Objection, *, cited: set[str], demanded: set[str]) -> Verdict:
    """Return the verdict of a rule with this objection on an answer that cites these paths.

    `demanded` are the paths that this rule or any other demands. `verdict_on(Objection(forbids=("/c",),
    surplus_message="{paths} is surplus."), cited={"/c"}, demanded=set()).reason` -> "`/c` is surplus."
    """
    rule = Rule("files", lambda submission, evidence, case: objection)
    return rule.verdict(objection, cited=frozenset(cited), demanded=frozenset(demanded))
