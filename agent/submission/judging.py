"""Asks the gates and the rule sets about a submission (an answer with its citations).

A gate is a group of rules for every submission, such as that each cited file was read. A rule
set has rules for one kind of environment: the product has some, and users write others. Each
rule gives a *verdict*. For an answer that cites `/a.md`, which was never read:

    (Verdict(4, "citations were read", "reject", "`/a.md` was not read"), Verdict(6, ...), ...)

A rule of a user may take forever. So a submission with such rules is judged in the *worker*, a
process of the trial that can be stopped.
"""

from __future__ import annotations

from collections.abc import Sequence

from controlplane.agent.submission.excessive_submission import verdict_on_excess
from controlplane.gates.evidence import Evidence
from controlplane.gates.judging.objections import find_objections
from controlplane.gates.rule_set_loading import (
    DECLARING_MODULE,
    is_product_rule_set,
    load_rule_set,
    module_of_rule_set,
)
from controlplane.gates.submission import Case, Submission
from controlplane.gates.verdicts import RULE_FAILED, RULE_SET_GATE, Verdict
from controlplane.sandbox import Worker
from controlplane.sandbox.interface import CallError


def find_verdicts(
    worker: Worker | None,
    submission: Submission,
    evidence: Evidence,
    case: Case,
    rule_sets: tuple[str, ...],
) -> tuple[Verdict, ...]:
    """Return the verdict of each rule on a submission, except that of gate 7.

    Gate 7 calls a function of the script, `verify`. It is judged last, and only if no other
    rule rejects the submission (see `gates.judging.conclusion`).
    """
    excess = verdict_on_excess(submission)
    if excess is not None:
        return (excess,)
    if worker is None or not has_user_rules(rule_sets):
        return _verdicts_here(submission, evidence, case, rule_sets)
    return _verdicts_of_worker(worker, submission, evidence, case, rule_sets)


def has_user_rules(rule_sets: Sequence[str]) -> bool:
    """Return True if one of the rule sets is of the user: `my_rules:STRICT`."""
    return not all(is_product_rule_set(name) for name in rule_sets)


def _verdicts_here(
    submission: Submission, evidence: Evidence, case: Case, rule_sets: Sequence[str]
) -> tuple[Verdict, ...]:
    """Return the verdicts of the gates and these rule sets, judged in this process."""
    loaded = tuple(load_rule_set(name) for name in rule_sets)
    return find_objections(submission, evidence, case, loaded)


def _verdicts_of_worker(
    worker: Worker,
    submission: Submission,
    evidence: Evidence,
    case: Case,
    rule_sets: Sequence[str],
) -> tuple[Verdict, ...]:
    """Return the verdicts of the gates and these rule sets, judged in the worker.

    The worker judges by all of them in one call. A rule of the user may take too long, or end
    the worker's process. Then no rule set of the user judges this submission, and this process
    judges by the gates and the product's own rule sets.
    """
    # Few runs need this, so it is imported only now.
    from controlplane.gates.worker_judging import objections_of_worker

    try:
        return objections_of_worker(worker.call, submission, evidence, case, rule_sets)
    except (CallError, ValueError) as error:
        worker.close()  # Its next call starts a new process.
        failure = f"{RULE_FAILED}{error}"
    product_rule_sets = [name for name in rule_sets if is_product_rule_set(name)]
    user_rule_sets = [name for name in rule_sets if not is_product_rule_set(name)]
    verdicts = _verdicts_here(submission, evidence, case, product_rule_sets)
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


def judging_modules(rule_sets: tuple[str, ...]) -> tuple[str, ...]:
    """Return the modules that the worker imports when it starts, to judge by these rule sets.

    ("my_rules:STRICT",)  -> ("...worker_judging", "...rule_sets", "my_rules")
    ("support",)          -> ()   The product's own rule sets need no worker.
    """
    if not has_user_rules(rule_sets):
        return ()
    return (
        "controlplane.gates.worker_judging",
        DECLARING_MODULE,  # It says in which modules the product's own rule sets are.
        *(module_of_rule_set(name) for name in rule_sets),
    )
