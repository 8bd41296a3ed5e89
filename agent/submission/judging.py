"""Asks the gates and the rule sets about a submission (an answer with its citations).

A gate is a group of rules for every submission, such as that each cited file was read. A rule
set has rules for one kind of environment: the product has some, and users write others. Each
rule gives a *verdict*. For an answer that cites `/a.md`, which was never read:

    (Verdict(4, "citations were read", "reject", "`/a.md` was not read"), Verdict(6, ...), ...)
"""

from __future__ import annotations

from controlplane.agent.submission.excessive_submission import verdict_on_excess
from controlplane.agent.submission.local_verdicts import (
    verdicts_here,
    verdicts_without_user_rules,
)
from controlplane.agent.submission.user_rule_sets import has_user_rules
from controlplane.gates.evidence import Evidence
from controlplane.gates.submission import Case, Submission
from controlplane.gates.verdicts import RULE_FAILED, Verdict
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
        return verdicts_here(submission, evidence, case, rule_sets)

    # A rule of the user may take forever, so all of them judge in the worker, a process that
    # can be stopped. Few runs need this import, so it is made only now.
    from controlplane.gates.worker_judging import objections_of_worker

    try:
        return objections_of_worker(worker.call, submission, evidence, case, rule_sets)
    except (CallError, ValueError) as error:
        # The rule took too long, or ended the worker's process, or the reply has no verdicts.
        worker.close()  # Its next call starts a new process.
        failure = f"{RULE_FAILED}{error}"
        return verdicts_without_user_rules(
            submission, evidence, case, rule_sets, failure
        )
