"""Puts together the session of a trial, by which a solver makes calls, cites, submits and asks.

Each of these has a class. They share the recorder, the steps, the clock and the limits.
"""

from __future__ import annotations

import threading

from controlplane.agent.evidence.recorder import Recorder
from controlplane.agent.gated_exit import GatedExit
from controlplane.agent.limits.call_limit import CallLimit
from controlplane.agent.loop.session.citations import Citations
from controlplane.agent.loop.session.reply_log import ReplyLog
from controlplane.agent.loop.session.request_log import RequestLog
from controlplane.agent.loop.session.solver_calls import SolverCalls
from controlplane.agent.loop.session.trial_budget import TrialBudget
from controlplane.agent.loop.session.trial_checks import set_checks
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
    run_budget: RunBudget | None = None,
    clock: TrialClock | None = None,
) -> TrialSession:
    """Return the session of a trial.

    Args:
        trial: The request of the trial, and its own limits.
        gates: How strictly answers are judged. By default, by all gates.
        stop: Set when the trial should stop after its current step.
        run_budget: What the whole run may spend. By default, there is no limit.
    """
    gates = gates or GateSettings()
    stop = stop or threading.Event()
    run_budget = run_budget or RunBudget()
    clock = clock or TrialClock()
    # The recorder checks calls and citations. From here on it knows the request, whose values
    # calls may use, and which checks the user wants.
    set_checks(recorder, trial.instruction, gates)

    # 1. What has a limit that holds for every solver: of submissions, calls and dollars
    now = trial.now.isoformat() if trial.now else ""
    gated_exit = GatedExit(recorder, trial.instruction, gates, now)
    call_limit = CallLimit(trial.max_calls)
    paid_replies = recorder.tape.record.paid_replies
    budget = TrialBudget(trial, run_budget.spending, stop, paid_replies)

    # 2. The steps, which count all that happens in them towards these limits
    limits = (gated_exit.limit, call_limit, budget.cost_limit)
    steps = TrialSteps(recorder, clock, limits)

    # 3. What a solver does in a step: it asks models, makes calls, cites and submits
    log = RequestLog(trial, recorder, budget, ReplyLog(recorder, budget))
    return TrialSession(
        models=TrialModels(recorder, clock, log),
        calls=SolverCalls(recorder, steps, gated_exit, call_limit),
        citations=Citations(recorder, steps),
        gated_exit=gated_exit,
        steps=steps,
        trial=trial,
        recorder=recorder,
        log=log,
        clock=clock,
        stop=stop,
    )
