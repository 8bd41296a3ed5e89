"""The table of the rules that belong to gates, with the function that each calls.

The functions of rules that block are named `judge_…`, and those of rules that only ask `ask_…`.
Each takes the submission, the evidence and the case, and returns an opinion, such as a fault.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from controlplane.gates.checks.canonical_citations import judge_canonical_citations
from controlplane.gates.checks.demanded_citations import ask_demanded_citations
from controlplane.gates.checks.facts_gate import judge_fact_shapes
from controlplane.gates.checks.justification import ask_justification
from controlplane.gates.checks.literal_tokens import judge_literal_tokens
from controlplane.gates.checks.outcome_gate import judge_outcome_class
from controlplane.gates.checks.outcome_rules import (
    ask_arithmetic,
    ask_internal_error,
    ask_unowned_change,
    ask_wording,
)
from controlplane.gates.checks.read_citations import judge_read_citations
from controlplane.gates.checks.verify_gates import (
    judge_verify_reply,
    judge_verify_signature,
)
from controlplane.gates.evidence import Evidence
from controlplane.gates.opinions import Opinion
from controlplane.gates.rules import Rule, RuleSet
from controlplane.gates.submission import Case, Submission
from controlplane.gates.verdicts import GATE_NAMES, REVIEW, VERIFY_GATE, key_of

RULES: Final = (
    Rule(GATE_NAMES[1], judge_verify_signature, "block", gate=1),
    Rule(GATE_NAMES[2], judge_fact_shapes, "block", gate=2),
    Rule(GATE_NAMES[3], judge_canonical_citations, "block", gate=3),
    Rule("demanded-citation", ask_demanded_citations, "ask", gate=3),
    Rule(GATE_NAMES[4], judge_read_citations, "block", gate=4),
    Rule(GATE_NAMES[5], ask_justification, "ask", gate=5),
    Rule(GATE_NAMES[6], judge_outcome_class, "block", gate=6),
    Rule("wording", ask_wording, "ask", gate=6),
    Rule("internal-error", ask_internal_error, "ask", gate=6),
    Rule("unowned-change", ask_unowned_change, "ask", gate=6),
    Rule("arithmetic", ask_arithmetic, "ask", gate=6),
    Rule(GATE_NAMES[8], judge_literal_tokens, "block", gate=8),
)
"""The rules of all gates but the seventh.

A rule that blocks judges only structure, which is the same in every language and domain.
A rule that reads sentences or calculates may be wrong, so it only asks.
"""


def _judge_verify(submission: Submission, evidence: Evidence, case: Case) -> Opinion:
    """Call `judge_verify_reply` with the parameters that every rule has."""
    return judge_verify_reply(submission)


VERIFY_RULE: Final = Rule(
    GATE_NAMES[VERIFY_GATE], _judge_verify, "block", gate=VERIFY_GATE
)
"""The rule of gate 7. It is not in `RULES`, because `conclude` asks it after all others."""


def rule_keys(rule_sets: Sequence[RuleSet] = ()) -> frozenset[str]:
    """Return the keys of gates and rules under which `GatePolicy` can set an enforcement.

    Gate 3 has the key `3`, a rule of it `3/demanded-citation`, a rule set `desk`, and a
    rule of that set `desk/late-reply`.
    """
    keys = {REVIEW}  # the rule of a second model, which belongs to no gate
    for rule in (*RULES, VERIFY_RULE):
        keys.add(key_of(rule.gate, rule.name))
    for rule_set in rule_sets:
        keys.add(rule_set.name)
        for rule in rule_set.rules:
            keys.add(f"{rule_set.name}/{rule.name}")
    return frozenset(keys)
