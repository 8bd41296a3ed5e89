"""Judges a submission by the gates and by rule sets.

The eight gates judge every submission, for example whether the cited files were read.
Rule sets add rules for a kind of environment: the product's own, and those of users.
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
from controlplane.gates.submission import (
    RULE_FAILED,
    RULE_SET_GATE,
    Case,
    Submission,
    Verdict,
)
from controlplane.sandbox import Worker
from controlplane.sandbox.interface import CallError, bounds

MAX_CITATIONS: Final = 1_000
"""A submission that cites more paths is not judged. Honest answers cite a few dozen at most."""


def judging_modules(rule_sets: tuple[str, ...]) -> tuple[str, ...]:
    """Return the modules that the worker (a process of a trial) imports to judge by rule sets.

    It is empty for the product's own rule sets, because they need no worker.
    """
    if all(is_product_rule_set(name) for name in rule_sets):
        return ()
    return (
        "controlplane.gates.worker_judging",
        DECLARING_MODULE,  # It declares where the product's own rule sets are.
        *(module_of_rule_set(name) for name in rule_sets),
    )


def judge_here_or_in_worker(
    worker: Worker | None,
    submission: Submission,
    evidence: Evidence,
    case: Case,
    rule_sets: tuple[str, ...],
) -> tuple[Verdict, ...]:
    """Return the verdicts of all gates and rules, except gate 7.

    Gate 7 calls the script's own check of its answer, which is done last (see `conclude`).
    Gates and the product's rule sets are fast, so they judge in this process. Rule sets of
    the user may take forever. With them, everything is judged in the worker, a process of
    the trial that can be stopped.
    """
    excess = reason_of_excess(submission)
    if excess:
        return (Verdict(RULE_SET_GATE, "judging", result="reject", reason=excess),)
    needs_worker = not all(is_product_rule_set(name) for name in rule_sets)
    if worker is None or not needs_worker:
        return judge_here(submission, evidence, case, rule_sets)

    # Few runs need this, so it is imported only now.
    from controlplane.gates.worker_judging import objections_of_worker

    try:
        return objections_of_worker(worker.call, submission, evidence, case, rule_sets)
    except (CallError, ValueError) as error:
        # A rule took too long, or ended the process.
        worker.close()  # The next call starts a fresh one.
        failure = f"{RULE_FAILED}{error}"
        return judge_without_user_rules(submission, evidence, case, rule_sets, failure)


def reason_of_excess(submission: Submission) -> str:
    """Return why a submission has too much to be judged; empty if it may be judged."""
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
    """Return the verdicts if the user's rule sets failed.

    The answer is not to blame, so each failed rule set gets the verdict `not_applicable`
    with the reason.
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
