"""Judges a submission (an answer with its citations) by the gates and by rule sets.

The eight gates judge every submission, for example whether the cited files were read. A rule
set has further rules for one kind of environment. The product has some, and a user may write
others. For each rule, a *verdict* says whether the submission passes, and if not, why.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

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
from controlplane.sandbox.interface import CallError, bounds


def judging_modules(rule_sets: tuple[str, ...]) -> tuple[str, ...]:
    """Return the modules that the worker (a process of a trial) imports to judge by rule sets.

    `("my_rules:STRICT",)` -> the module `my_rules`, and two of the product

    Without a rule set of the user, there are none, because the worker judges nothing: this
    process does. With one, the worker judges by all rule sets.
    """
    if all(is_product_rule_set(name) for name in rule_sets):
        return ()
    return (
        "controlplane.gates.worker_judging",
        DECLARING_MODULE,  # It says in which modules the product's own rule sets are.
        *(module_of_rule_set(name) for name in rule_sets),
    )


def judge_here_or_in_worker(
    worker: Worker | None,
    submission: Submission,
    evidence: Evidence,
    case: Case,
    rule_sets: tuple[str, ...],
) -> tuple[Verdict, ...]:
    """Return the verdict of each rule on a submission.

    The rules of gates and of the product's rule sets are fast, so they judge in this process.
    A rule of the user may take forever. So with rule sets of the user, everything is judged in
    the worker, a process of the trial that can be stopped.

    Gate 7 is left out: it calls a function of the script, but only if no other rule rejects
    the submission (see `GateSettings.judge`).
    """
    # 1. A submission that is too long to be judged is rejected at once. This verdict does not
    #    belong to any gate, so it is reported like one of a rule set.
    excess = reason_of_excess(submission)
    if excess:
        return (Verdict(RULE_SET_GATE, "judging", result="reject", reason=excess),)

    # 2. Without rule sets of the user, or without a worker, judge in this process.
    needs_worker = not all(is_product_rule_set(name) for name in rule_sets)
    if worker is None or not needs_worker:
        return judge_here(submission, evidence, case, rule_sets)

    # 3. Otherwise judge in the worker. Few runs need this, so it is imported only now.
    from controlplane.gates.worker_judging import objections_of_worker

    try:
        return objections_of_worker(worker.call, submission, evidence, case, rule_sets)
    except (CallError, ValueError) as error:
        # A rule of the user took too long, or ended the process. Stop the process (the next
        # call starts a new one), and judge without the rules of the user.
        worker.close()
        failure = f"{RULE_FAILED}{error}"
        return judge_without_user_rules(submission, evidence, case, rule_sets, failure)


MAX_CITATIONS: Final = 1_000
"""A submission that cites more paths is not judged. Honest answers cite a few dozen at most."""


def reason_of_excess(submission: Submission) -> str:
    """Return why a submission is too long to be judged; empty if it is not.

    `The submission cites 4000 paths; at most 1000 are judged.`
    """
    count = len(submission.citations)
    if count > MAX_CITATIONS:
        return (
            f"The submission cites {count} paths; at most {MAX_CITATIONS} are judged."
        )
    longest = max((len(path) for path in submission.citations), default=0)
    if longest > bounds.MOST_PATH_CHARS:
        return (
            f"The submission cites a path of {longest} characters; "
            f"at most {bounds.MOST_PATH_CHARS} are judged."
        )
    return ""


def judge_here(
    submission: Submission, evidence: Evidence, case: Case, rule_sets: Sequence[str]
) -> tuple[Verdict, ...]:
    """Return the verdicts of the gates and these rule sets, judged in this process."""
    loaded = tuple(load_rule_set(name) for name in rule_sets)
    return find_objections(submission, evidence, case, loaded)


def judge_without_user_rules(
    submission: Submission,
    evidence: Evidence,
    case: Case,
    rule_sets: Sequence[str],
    reason: str,
) -> tuple[Verdict, ...]:
    """Return the verdicts if the user's rule sets failed, for the given `reason`.

    The gates and the product's rule sets judge in this process. The answer is not to blame
    for the failure, so each rule set of the user has the verdict `not_applicable`.
    """
    product_rule_sets = [name for name in rule_sets if is_product_rule_set(name)]
    verdicts = list(judge_here(submission, evidence, case, product_rule_sets))
    for name in rule_sets:
        if name not in product_rule_sets:
            verdicts.append(
                Verdict(
                    RULE_SET_GATE,
                    name,
                    result="not_applicable",
                    reason=reason,
                    enforcement="ask",
                )
            )
    return tuple(verdicts)
