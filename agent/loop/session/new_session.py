"""Puts together the session of one trial from its parts.

The session is what a solver works with: it makes calls, cites, submits and asks models.
Each of these has a class. They share the recorder, the steps, the clock and the limits.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable

from controlplane.agent.evidence.recorder import Recorder
from controlplane.agent.evidence.tape import TapedModels, TapedSideReplies
from controlplane.agent.gated_exit import GatedExit
from controlplane.agent.limits.call_limit import CallLimit
from controlplane.agent.loop.session.citations import Citations
from controlplane.agent.loop.session.request_log import RequestLog
from controlplane.agent.loop.session.side_requests import SideRequests
from controlplane.agent.loop.session.solver_calls import SolverCalls
from controlplane.agent.loop.session.trial_budget import TrialBudget
from controlplane.agent.loop.session.trial_clock import TrialClock
from controlplane.agent.loop.session.trial_context import TrialContext
from controlplane.agent.loop.session.trial_models import TrialModels
from controlplane.agent.loop.session.trial_session import TrialSession
from controlplane.agent.loop.session.trial_steps import TrialSteps
from controlplane.agent.retry.run_budget import RunBudget
from controlplane.agent.submission import GateSettings


def new_session(
    trial: TrialContext,
    recorder: Recorder,
    gates: GateSettings | None = None,
    *,
    stop: threading.Event | None = None,
    budget: RunBudget | None = None,
    clock: TrialClock | None = None,
) -> TrialSession:
    """Return the session of a trial, through which its solver makes calls and submits answers.

    Args:
        trial: The request of the trial, and its own limits.
        recorder: Makes and records its calls.
        gates: How strictly answers are judged. By default, by all gates.
        stop: Set when the trial should stop after its current step.
        budget: What the whole run may spend. By default, there is no limit.
        clock: Counts the trial's time.
    """
    clock = clock or TrialClock()
    stop = stop or threading.Event()
    budget = budget or RunBudget()
    gates = gates or GateSettings()

    # 1. The way out for answers: the gates judge them, and the accepted one is sent.
    now = trial.now.isoformat() if trial.now else ""
    gated_exit = GatedExit(recorder, trial.instruction, gates, now)

    # 2. What is known before the first call: the texts of the user, and which calls may use
    #    values from other texts.
    recorder.call_origins.use_policy(gates.provenance)
    _add_user_texts(recorder, trial.instruction, gates.user_texts)

    # 3. The limits that hold for every solver: submissions, calls, and dollars for models, of
    #    which an earlier attempt of the trial may have spent some.
    call_limit = CallLimit(trial.max_calls)
    trial_budget = TrialBudget(trial, budget.spending, stop)
    trial_budget.count_all(recorder.record.paid_replies)
    limits = (gated_exit.limit, call_limit, trial_budget.cost_limit)

    # 4. What the solver works with.
    steps = TrialSteps(trial.trial_id, recorder, clock, limits)
    calls = SolverCalls(
        recorder,
        steps,
        gated_exit,
        call_limit,
        has_pre_call_check=gates.has_pre_call_check(recorder.tool_schema),
    )
    log = RequestLog(trial, recorder, trial_budget)
    return TrialSession(
        trial=trial,
        recorder=recorder,
        clock=clock,
        stop=stop,
        gated_exit=gated_exit,
        budget=trial_budget,
        limits=limits,
        steps=steps,
        calls=calls,
        citations=Citations(recorder, steps),
        log=log,
        models=TrialModels(
            TapedModels(recorder.tape), recorder, clock, log, trial_budget
        ),
        side_requests=SideRequests(TapedSideReplies(recorder.tape), clock, log),
    )


def _add_user_texts(
    recorder: Recorder, instruction: str, texts_of_settings: Iterable[str]
) -> None:
    """Tell the recorder which texts the user has written: the instruction and settings.

    A call that changes something, such as `renew(loan="l-7")`, may use values that the user
    has named, such as `l-7`. A file that anybody could write must not choose the loan.
    """
    for text in (instruction, *texts_of_settings):
        recorder.call_origins.add_request(text)

    # A script might hide a text of its own in a call, and cite it when the server returns it
    # decoded. Words that the script was given, such as those of the request, hide nothing.
    recorder.evidence_log.encoded_results.add_known_text(instruction)
