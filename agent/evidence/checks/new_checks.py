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

    `calls` makes the call of the environment's function, and `learner` has what both checks know.
    What they decide is written by `emit`, unless it is recorded on the `tape`.
    """
    step, call_origins = learner.step, learner.call_origins
    recorded = RecordedStops(step, tape)
    events = StopEvents(trial_id, step, emit, recorded)
    stops = TapedStops(recorded, events, tape.comparison)
    approvals = TapedApprovals(trial_id, step, tape, emit)
    return CallChecks(
        call_origins=call_origins,
        environment_check=EnvironmentCheck(learner.pre_call_check, calls, stops),
        origin_check=OriginCheck(
            step, Insistence(), UserApproval(call_origins, approvals), stops
        ),
        stops=stops,
    )
