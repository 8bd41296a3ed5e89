"""Judges a submission in the process of the trial, by the gates and by rule sets.

Rules of a user run elsewhere, in a worker process that can be stopped. If the worker fails, for
example because the rule set `my_rules:STRICT` takes too long, the others still judge:

    gates        pass, pass, reject, ...
    ecom         pass               a rule set of the product
    my_rules     not applicable     "the rule failed: ... took too long"
"""

from __future__ import annotations

from collections.abc import Sequence

from controlplane.gates.evidence import Evidence
from controlplane.gates.judging.objections import find_objections
from controlplane.gates.rule_set_loading import is_product_rule_set, load_rule_set
from controlplane.gates.submission import Case, Submission
from controlplane.gates.verdicts import RULE_SET_GATE, Verdict


def verdicts_here(
    submission: Submission, evidence: Evidence, case: Case, rule_sets: Sequence[str]
) -> tuple[Verdict, ...]:
    """Return the verdicts of the gates and these rule sets, judged in this process."""
    loaded = tuple(load_rule_set(name) for name in rule_sets)
    return find_objections(submission, evidence, case, loaded)


def verdicts_without_user_rules(
    submission: Submission,
    evidence: Evidence,
    case: Case,
    rule_sets: Sequence[str],
    failure: str,
) -> tuple[Verdict, ...]:
    """Return the verdicts of the gates and the product's own rule sets among these.

    Each rule set of the user gets a verdict that says why it could not judge: `failure`.
    """
    product_rule_sets = [name for name in rule_sets if is_product_rule_set(name)]
    user_rule_sets = [name for name in rule_sets if not is_product_rule_set(name)]
    verdicts = verdicts_here(submission, evidence, case, product_rule_sets)
    return (*verdicts, *(_failed_verdict(name, failure) for name in user_rule_sets))


def _failed_verdict(rule_set: str, failure: str) -> Verdict:
    """Return the verdict of a rule set that could not judge.

    The answer is not to blame for the failure, so the verdict is `not_applicable`.
    """
    return Verdict(
        RULE_SET_GATE,
        rule_set,
        result="not_applicable",
        reason=failure,
        enforcement="ask",
    )
