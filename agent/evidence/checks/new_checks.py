"""Puts together the two checks of a call that may change something, such as `pay(amount=500)`.

    the environment's own function   objects: "the limit is 420"
    the check of origins             objects if the amount is only in a mail, or asks the user

If one of them objects, the call is *stopped*: it is not sent, and the model reads why. If the
model makes the same call again, it insists, so each check has to know which calls were stopped.
"""

from __future__ import annotations

from controlplane.agent.events import Emit
from controlplane.agent.evidence.calls.call_learner import CallLearner
from controlplane.agent.evidence.checks.call_checks import CallChecks
from controlplane.agent.evidence.checks.environment_check import EnvironmentCheck
from controlplane.agent.evidence.checks.insistence import Insistence
from controlplane.agent.evidence.checks.listed_arguments import ListedArguments
from controlplane.agent.evidence.checks.origin_check import OriginCheck
from controlplane.agent.evidence.checks.user_approval import UserApproval
from controlplane.agent.evidence.sending.trial_calls import TrialCalls
from controlplane.agent.evidence.tape import Tape, TapedApprovals, TapedStops
from controlplane.agent.evidence.tape.recorded_stops import RecordedStops
from controlplane.agent.evidence.tape.stop_events import StopEvents


def new_checks(
    trial_id: str,
    tape: Tape,
    emit: Emit,
    learner: CallLearner,
    calls: TrialCalls,
) -> CallChecks:
    """Return the checks of a trial's changing calls.

    `learner` has what the trial knows, and `calls` makes the call of the environment's function.
    `emit` writes to the journal what the checks decide, unless an earlier process of the trial
    has decided it: then it is on the `tape`, the recorded steps that are repeated.
    """
    step = learner.step
    call_origins = learner.call_origins
    recorded_stops = RecordedStops(step, tape)
    stop_events = StopEvents(trial_id, step, emit, recorded_stops)
    stops = TapedStops(recorded_stops, stop_events, tape.comparison)
    environment_check = EnvironmentCheck(
        learner.pre_call_check,
        calls=calls,
        stopped_calls=stop_events.stopped_calls,
        stops=stops,
    )

    approvals = TapedApprovals(trial_id, step, tape, emit)
    origin_check = OriginCheck(
        step,
        insistence=Insistence(call_origins),
        approval=UserApproval(call_origins, approvals),
        stops=stops,
    )

    return CallChecks(
        listed_arguments=ListedArguments(learner.tool_schema, learner.evidence_log),
        call_origins=call_origins,
        environment_check=environment_check,
        origin_check=origin_check,
        stop_events=stop_events,
    )
