"""Takes over what the checks and the user decided about the calls of a recorded step.

A check may have stopped a call, or the user refused it. Such a decision has the number of the call
that was sent next. In this step, the transfer of 500 was stopped after one call was sent:

    calls     number 0  read("/mail.md")
              number 1  transfer(amount=50)
    stopped   number 1  transfer(amount=500)   objection: 500 is only in the text of /mail.md

So it is taken over after call 0, and before call 1. The order matters: the checks look up where
500 comes from, and then have to know the mail, and not what was read later.
"""

from __future__ import annotations

from controlplane.agent.evidence.checks.call_checks import CallChecks
from controlplane.agent.record.trial_step import TrialStep


def remember_decisions(checks: CallChecks, recorded: TrialStep, number: int) -> None:
    """Take over what was decided in a step before its call with this number was sent.

    The checks remember it: if the model repeats a call that was stopped, it insists.
    """
    for approval in recorded.approvals:
        if approval.number == number:
            checks.remember_approval(approval)
    for stopped in recorded.stopped:
        if stopped.number == number:
            checks.remember_stop(stopped)
