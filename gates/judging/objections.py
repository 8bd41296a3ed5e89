"""Asks all rules what they object to in a submission.

The rules are those of the gates and those of the rule sets that the user chose. Each returns an
opinion, such as a fault, which becomes a verdict: pass, reject or not applicable.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from controlplane.gates.evidence import Evidence
from controlplane.gates.judging.gate_rules import RULES
from controlplane.gates.opinions import Objection, Opinion
from controlplane.gates.rules import Rule, RuleSet
from controlplane.gates.submission import Case, Submission
from controlplane.gates.verdicts import Verdict


@dataclass(frozen=True, slots=True)
class _AskedRule:
    """A rule that was asked, with its opinion of the submission."""

    rule: Rule
    rule_set: str
    """The name of its rule set; empty for a rule of a gate."""
    opinion: Opinion


def find_objections(
    submission: Submission,
    evidence: Evidence,
    case: Case,
    rule_sets: Sequence[RuleSet] = (),
) -> tuple[Verdict, ...]:
    """Return the verdicts of all gates and rule sets, also those that pass.

    Gate 7, which calls the script's `verify`, is left out: it runs later.

    All opinions are collected before the first verdict, because a citation that one rule demands
    cannot be forbidden by another. For example, a rule demands `/docs/a.md`, which the request
    says to read. Then a rule against citations of other documents does not reject it.
    """
    # 1. Ask every rule, and collect the citations that any of them demands.
    asked_rules: list[_AskedRule] = []
    demanded: set[str] = set()
    rules_of_gates = RuleSet("", RULES)  # their names have no rule set in front
    for rule_set in (rules_of_gates, *rule_sets):
        for rule in rule_set.rules:
            opinion = rule.opinion(submission, evidence, case)
            asked_rules.append(_AskedRule(rule, rule_set.name, opinion))
            if isinstance(opinion, Objection):
                demanded.update(opinion.demands)

    # 2. The citations in both spellings by which a rule may name them: as the submission has
    #    them, and as canonical paths.
    cited = set(submission.citations)
    for path in submission.citations:
        cited.add(evidence.find(path).path)

    # 3. Only now does each opinion become a verdict.
    verdicts: list[Verdict] = []
    for asked in asked_rules:
        verdict = asked.rule.verdict(
            asked.opinion, frozenset(cited), frozenset(demanded), asked.rule_set
        )
        verdicts.append(verdict)
    return tuple(verdicts)
