"""Puts together the two checks of a call that may change something, such as `pay(amount=500)`.

    `EnvironmentCheck`   the environment's own function objects: "the limit is 420"
    `OriginCheck`        objects if the amount is only in a mail, which may want to trick the model

If one of them objects, the call is *stopped*: it is not sent, and the model reads why. Then the
model may insist by making the same call again, or the user is asked to approve the call.
"""

from __future__ import annotations

from controlplane.agent.evidence.calls.call_learner import CallLearner
from controlplane.agent.evidence.checks.call_checks import CallChecks
from controlplane.agent.evidence.checks.environment_check import EnvironmentCheck
from controlplane.agent.evidence.checks.insistence import Insistence
from controlplane.agent.evidence.checks.listed_arguments import ListedArguments
from controlplane.agent.evidence.checks.origin_check import OriginCheck
from controlplane.agent.evidence.checks.user_approval import UserApproval
from controlplane.agent.evidence.sending.trial_calls import TrialCalls
from controlplane.agent.evidence.tape import TrialJournal
from controlplane.agent.evidence.tape.approvals import Approvals
from controlplane.agent.evidence.tape.call_stops import CallStops
from controlplane.agent.evidence.tape.stop_events import StopEvents


def new_checks(
    trial_id: str,
    journal: TrialJournal,
    learner: CallLearner,
    calls: TrialCalls,
) -> CallChecks:
    """Return the checks of a trial's changing calls.

    `learner` has what the trial knows, and `calls` makes the call of the environment's function.
    `journal` gets what the checks decide, unless an earlier process of the trial has recorded it.
    """
    step = learner.step
    call_origins = learner.call_origins
    # The calls that were stopped, which both checks must know: the model may make them again.
    stops = CallStops(StopEvents(trial_id, step), journal)
    environment_check = EnvironmentCheck(learner.pre_call_check, calls, stops)

    approvals = Approvals(trial_id, journal.reader, journal.emit)
    origin_check = OriginCheck(
        step,
        insistence=Insistence(call_origins),  # the model's
        approval=UserApproval(call_origins, approvals),
        stops=stops,
    )

    # Writes a path as listings show it, so that a repeated call is found to be the same.
    listed_arguments = ListedArguments(learner.tool_schema, learner.evidence_log)
    return CallChecks(
        listed_arguments=listed_arguments,
        call_origins=call_origins,
        environment_check=environment_check,
        origin_check=origin_check,
        stops=stops,
    )
